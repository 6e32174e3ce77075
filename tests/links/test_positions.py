"""Positions of markup in a chunk of bytes, and the bytes that follow them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wikisem.links.markup import find_markup, head_of, heads_at, starting_with

CHUNKS = st.lists(st.sampled_from([b"[", b"]", b"<", b"&", b"Y", b"_", b"a", "é".encode()]), max_size=60).map(b"".join)


@given(CHUNKS, st.integers(1, 40))
def test_markup_is_found_across_windows(data: bytes, window: int) -> None:
    """Every tag, entity and pair of brackets is found once, whatever the size of a window."""
    markup = find_markup(data, window)
    positions = range(len(data))
    assert markup.tags.tolist() == [at for at in positions if data[at : at + 1] == b"<"]
    assert markup.entities.tolist() == [at for at in positions if data[at : at + 1] == b"&"]
    assert markup.brackets.tolist() == [at for at in positions if data[at : at + 2] in (b"[[", b"]]")]


def test_a_pair_of_brackets_is_two_equal_ones() -> None:
    """`[]`, `][`, `YY` and `__` share bits with brackets, and are not pairs."""
    assert find_markup(b"[]][YY__[Y]_ [[ ]]").brackets.tolist() == [1, 13, 16]


@given(CHUNKS)
def test_heads_hold_the_bytes_at_their_positions(data: bytes) -> None:
    """A head is the next eight bytes, zeros after the end."""
    heads = heads_at(np.frombuffer(data, np.uint8), np.arange(len(data)))
    assert heads.tolist() == [int(head_of(data[at:])) for at in range(len(data))]
    assert starting_with(heads, b"[[").tolist() == [data.startswith(b"[[", at) for at in range(len(data))]
