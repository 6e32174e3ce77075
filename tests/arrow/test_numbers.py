"""Sets of whole numbers as sorted arrays, compared with Python's sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.arrow.columns import differs_from_previous, distinct, is_in, join, repeated, union

arrays = st.lists(st.integers(1, 40)).map(lambda values: np.asarray(values, np.int64))


@given(st.lists(arrays))
def test_sets_of_numbers_are_those_of_python(parts: list[np.ndarray]) -> None:
    """Distinct, united, repeated, joined and known numbers, also of nothing."""
    values = [value for part in parts for value in part.tolist()]
    assert join(parts).tolist() == values
    assert distinct(join(parts)).tolist() == union(parts).tolist() == sorted(set(values))
    assert repeated(parts).tolist() == sorted({value for value in values if values.count(value) > 1})
    known = distinct(parts[0]) if parts else join([])
    assert is_in(join(parts), known).tolist() == [value in set(known.tolist()) for value in values]


@given(st.lists(st.integers(0, 3)))
def test_a_run_begins_where_an_element_differs(values: list[int]) -> None:
    """The first element begins a run, and each that is not the one before it; nothing has no runs."""
    expected = [at == 0 or values[at - 1] != value for at, value in enumerate(values)]
    assert differs_from_previous(np.asarray(values, np.int64)).tolist() == expected


@pytest.mark.parametrize("kind", [np.uint64, np.int32, np.uint16])
def test_distinct_numbers_keep_their_kind(kind: type[np.integer]) -> None:
    """Hashes use all 64 bits: as floats or signed numbers the largest would be others."""
    largest = int(np.iinfo(kind).max)
    found = distinct(np.array([largest, 7, largest - 1, 7, 0, largest], kind))
    assert found.dtype == kind
    assert found.tolist() == [0, 7, largest - 1, largest]


def test_the_arguments_stay_as_they_are() -> None:
    """Columns are views of Arrow's memory: sorting must not happen in them."""
    values = np.array([3, 1, 3])
    values.flags.writeable = False
    assert distinct(values).tolist() == union([values]).tolist() == [1, 3]
    assert repeated([values]).tolist() == [3]
