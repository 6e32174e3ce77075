"""Sorting and looking up whole numbers, against Python's own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.arrow.columns import distinct
from wikisem.graph.csr import first_of, indices_of, narrow, pack_pairs, rank_keys, second_of, sort_pairs, sorted_order

# Numbers on both sides of 32 bits, where packing and narrow arrays end.
NUMBERS = st.lists(st.one_of(st.integers(0, 20), st.integers(2**32 - 3, 2**32 + 3)), max_size=30)
SMALL = st.integers(0, 2**32 - 1)


@given(NUMBERS)
def test_distinct_numbers_and_their_ranks(numbers: list[int]) -> None:
    """In ascending order, each once; and the index of each number among them."""
    array = np.array(numbers, dtype=np.int64)
    wanted = sorted(set(numbers))
    assert distinct(array).tolist() == wanted
    count, ranks = rank_keys(array)
    assert (count, ranks.tolist()) == (len(wanted), [wanted.index(number) for number in numbers])


@given(NUMBERS, NUMBERS)
def test_numbers_are_found_where_they_are(numbers: list[int], others: list[int]) -> None:
    """Also in narrow arrays, in which a number beyond 32 bits must not be mistaken for a small one."""
    for known in (sorted(set(others)), sorted({other for other in others if other < 2**32})):
        indices, found = indices_of(np.array(numbers, dtype=np.int64), narrow(np.array(known, dtype=np.int64)))
        assert found.tolist() == [number in known for number in numbers]
        for number, index, here in zip(numbers, indices.tolist(), found.tolist(), strict=True):
            assert not here or known[index] == number


@given(NUMBERS)
def test_the_order_is_stable(numbers: list[int]) -> None:
    """Equal numbers stay in their order, below and beyond 32 bits."""
    assert sorted_order(np.array(numbers, dtype=np.int64)).tolist() == sorted(
        range(len(numbers)), key=numbers.__getitem__
    )


@given(st.lists(st.tuples(SMALL, SMALL), max_size=20))
def test_pairs_sort_by_first_then_second(pairs: list[tuple[int, int]]) -> None:
    """Packed, sorted and unpacked again, each pair once."""
    first, second = (np.array([pair[end] for pair in pairs], dtype=np.uint32) for end in (0, 1))
    keys = sort_pairs(pack_pairs(first, second))
    assert list(zip(first_of(keys).tolist(), second_of(keys).tolist(), strict=True)) == sorted(set(pairs))


@pytest.mark.parametrize(("last", "width"), [(2**32 - 1, 4), (2**32, 8)])
def test_numbers_are_narrowed_only_where_the_last_one_fits(last: int, width: int) -> None:
    """The highest number of 32 bits fits, the next does not."""
    narrowed = narrow(np.array([1, last], dtype=np.int64))
    assert narrowed.dtype.itemsize == width
    assert narrowed.tolist() == [1, last]
