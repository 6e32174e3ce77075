"""Characters as a reader counts them."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from wikisem.heuristics.rules.graphemes import graphemes, is_han


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("e\u0301", 1),
        ("นี่", 1),
        ("ประเทศ", 6),
        ("क्षि", 1),
        ("👨‍👩‍👧", 1),
        ("각", 1),
        ("\u1100\u1161\u11a8", 1),
        ("né", 2),
        ("", 0),
    ],
)
def test_marks_and_joiners_belong_to_their_letter(text: str, count: int) -> None:
    """Accents, vowel signs, conjoining jamo and joined emoji are no characters of their own."""
    assert len(graphemes(text)) == count


@given(st.text(max_size=12))
def test_the_fast_way_agrees_with_the_standard(text: str) -> None:
    """Text that is taken apart without the standard's rules comes apart as they say, and nothing is lost."""
    assert list(graphemes(text)) == regex.findall(r"\X", text)


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x30FF), max_size=8))
def test_the_fast_way_agrees_where_it_is_used(text: str) -> None:
    """The same, on the blocks that the fast way covers and those between them."""
    assert "".join(graphemes(text)) == text
    assert list(graphemes(text)) == regex.findall(r"\X", text)


def test_han_is_a_script_not_a_block() -> None:
    """Iteration marks and rare characters are Han; kana, hangul and full-width letters are not."""
    assert all(map(is_han, "漢々〇𠮷"))
    assert not any(map(is_han, "かカ한ＡA1ー"))
