"""Titles are capitalised by column as they are one by one."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.links.mentions import capitalise
from wikisem.wikipedia.titles import upper_first

# None has a lower case above the first two planes of Unicode.
LETTERS = [chr(point) for point in range(0x20000) if chr(point).islower() or 0x10D0 <= point <= 0x10FF]


@pytest.mark.parametrize("language", ["", "tr"])
def test_every_letter_is_raised_as_one_by_one(language: str) -> None:
    """All lower-case letters of Unicode, and Georgian ones, at once: those that change their width in UTF-8 too."""
    titles = pa.array([f"{letter}{letter}x" for letter in LETTERS])
    assert capitalise(titles, language).to_pylist() == [upper_first(title, language) for title in titles.to_pylist()]


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=4), max_size=8))
def test_other_letters_stay(titles: list[str]) -> None:
    """Only the first letter changes, whatever follows it."""
    assert capitalise(pa.array(titles, pa.string()), "").to_pylist() == [upper_first(title) for title in titles]


def test_a_slice_is_capitalised_where_it_is() -> None:
    """Neighbours in the array that it was cut from are not touched, nor read."""
    titles = pa.array(["a", "bus", "\u00e9t\u00e9", "car"])
    assert capitalise(titles[1:3], "").to_pylist() == ["Bus", "\u00c9t\u00e9"]
    assert titles.to_pylist() == ["a", "bus", "\u00e9t\u00e9", "car"]
