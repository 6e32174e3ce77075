"""Which items a recipe lets into clusters, or be outliers, by their number."""

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.heuristics.selection.pool import in_range
from wikisem.recipes.options import ItemOptions

ENDS = st.none() | st.integers(1, 30)


@given(st.lists(st.integers(1, 30), max_size=9), ENDS, ENDS, st.sampled_from(["clusters", "outliers", "both"]))
def test_a_range_is_both_its_ends_and_what_is_between(
    numbers: list[int], low: int | None, high: int | None, apply: Literal["clusters", "outliers", "both"]
) -> None:
    """An end that is not given sets no bound; a role that the range does not apply to is free."""
    options = ItemOptions(f"Q{low}" if low else "", f"Q{high}" if high else "", apply)
    inside = [(low or 1) <= number <= (high or 30) for number in numbers]
    for role in ("clusters", "outliers"):
        free = apply not in {role, "both"}
        assert in_range(numbers, options, role).tolist() == [free or flag for flag in inside]


@pytest.mark.parametrize(("low", "high", "kept"), [("Q9", "", [False, True, True]), ("", "Q10", [True, True, False])])
def test_items_are_compared_as_numbers(low: str, high: str, kept: list[bool]) -> None:
    """Q9 is older than Q10, which it would not be as a string; a bound may be larger than any item."""
    assert in_range([8, 9, 11], ItemOptions(low, high), "clusters").tolist() == kept
    assert in_range([8, 9, 11], ItemOptions("", f"Q{2**70}"), "clusters").all()
