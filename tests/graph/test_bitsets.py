"""Unions of bitsets along rows, and reading one bit of all of them, against loops."""

from functools import reduce
from operator import or_

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from wikisem.graph.csr import CsrRows, offsets_of
from wikisem.graph.outlier_sets.neighbourhood import BitPlanes, RowUnion, contains

WORDS = st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=30)


@settings(max_examples=60, deadline=None)
@given(WORDS, st.data())
def test_rows_of_every_length_are_united(words: list[int], data: st.DataObject) -> None:
    """Empty rows, short ones and ones far longer than the columns hold the union of their targets."""
    targets = st.lists(st.integers(0, len(words) - 1), max_size=40)
    rows = data.draw(st.lists(targets, max_size=12))
    flat = np.array([target for row in rows for target in row], dtype=np.uint32)
    united = RowUnion.of(CsrRows(offsets_of(np.array([len(row) for row in rows], dtype=np.int64)), flat))
    wanted = [reduce(or_, (words[target] for target in row), 0) for row in rows]
    assert united.union(np.array(words, dtype=np.uint64)).tolist() == wanted


@settings(max_examples=40, deadline=None)
@given(WORDS, st.integers(0, 63))
def test_a_bit_is_found_in_the_rows_that_hold_it(words: list[int], bit: int) -> None:
    """Reading all rows and asking single ones say the same as shifting the words."""
    bits = BitPlanes(np.array(words, dtype=np.uint64))
    wanted = [row for row, word in enumerate(words) if word >> bit & 1]
    assert bits.rows_with(bit).tolist() == wanted
    assert np.flatnonzero(contains(bits.bitsets, np.uint64(bit))).tolist() == wanted
