"""Characters as a reader counts them, by the rules of one Unicode version, whatever is installed."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from wikisem.wikipedia.data import grapheme_breaks
from wikisem.wikipedia.data.grapheme_breaks import (
    CONSONANT,
    CONTROL,
    EXTEND,
    LINKER,
    PICTOGRAPHIC,
    PREPEND,
    SPACING,
    VOWEL,
    Ranges,
)
from wikisem.wikipedia.graphemes import graphemes, is_han

TABLES = {
    "CONTROL": r"[\p{GCB=Control}\r\n]",
    "EXTEND": r"\p{GCB=Extend}",
    "SPACING": r"\p{GCB=SpacingMark}",
    "PREPEND": r"\p{GCB=Prepend}",
    "PICTOGRAPHIC": r"\p{Extended_Pictographic}",
    "CONSONANT": r"\p{InCB=Consonant}",
    "LINKER": r"\p{InCB=Linker}",
    "VOWEL": r"\p{GCB=V}",
}
# How many code points Unicode 18.0 assigns, those for private use and surrogates among them.
ASSIGNED = 312_389


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("e\u0301", 1),
        ("นี่", 1),
        ("ประเทศ", 6),
        ("क्षि", 1),
        ("ខេត្ត", 2),
        ("မြို့", 1),
        ("👨‍👩‍👧", 1),
        ("🇩🇪🇱🇻", 2),
        ("각", 1),
        ("\u1100\u1161\u11a8", 1),
        ("né", 2),
        ("\r\n", 1),
        ("a\u200cb", 2),
        ("", 0),
    ],
)
def test_marks_and_joiners_belong_to_their_letter(text: str, count: int) -> None:
    """Accents, vowel signs, conjuncts, conjoining jamo, flags and joined emoji are no characters of their own."""
    assert len(graphemes(text)) == count


def within(character: str, ranges: Ranges) -> bool:
    """Whether a character is in a table."""
    return any(first <= ord(character) <= last for first, last in ranges)


def hangul(character: str) -> str:
    """The kind of a letter or syllable of Hangul: L, V, T, LV, LVT or nothing."""
    code = ord(character)
    if 0xAC00 <= code <= 0xD7A3:
        return "LVT" if (code - 0xAC00) % 28 else "LV"
    if 0x1100 <= code <= 0x115F or 0xA960 <= code <= 0xA97C:
        return "L"
    return "V" if within(character, VOWEL) else "T" if 0x11A8 <= code <= 0x11FF or 0xD7CB <= code <= 0xD7FB else ""


FOLLOWS = {"L": {"L", "V", "LV", "LVT"}, "LV": {"V", "T"}, "V": {"V", "T"}, "LVT": {"T"}, "T": {"T"}}


def breaks(text: str) -> Iterator[int]:
    """Where a cluster begins: the rules of the annex one after the other, for each two neighbours."""
    for at in range(len(text)):
        before, after = text[:at], text[at]
        if not before or _boundary(before, after):
            yield at


def _boundary(before: str, after: str) -> bool:
    last = before[-1]
    if last + after == "\r\n":  # GB3
        return False
    if within(last, CONTROL) or within(after, CONTROL):  # GB4, GB5
        return True
    if hangul(after) in FOLLOWS.get(hangul(last), ()):  # GB6 to GB8
        return False
    if within(after, EXTEND) or after == "\u200d" or within(after, SPACING) or within(last, PREPEND):  # GB9 to GB9b
        return False
    if within(after, CONSONANT) and _joins(before):  # GB9c
        return False
    if within(after, PICTOGRAPHIC) and last == "\u200d":  # GB11
        stem = before[:-1]
        while stem and within(stem[-1], EXTEND):
            stem = stem[:-1]
        return not (stem and within(stem[-1], PICTOGRAPHIC))
    regional = len(before) - len(before.rstrip("🇦🇧🇿"))
    return not (after in "🇦🇧🇿" and regional % 2)  # GB12, GB13


def _joins(before: str) -> bool:
    """Whether text ends in a consonant and a linker, with other joining marks around it."""
    stem, linked = before, False
    while stem and stem[-1] != "\u200c" and (within(stem[-1], EXTEND) or stem[-1] == "\u200d"):
        linked |= within(stem[-1], LINKER)
        stem = stem[:-1]
    return linked and bool(stem) and within(stem[-1], CONSONANT)


# A character from each kind, the first and last of each table, and letters.
KINDS = [chr(code) for name in TABLES for one in getattr(grapheme_breaks, name) for code in one]
CHARACTERS = st.sampled_from([*KINDS, *"\r\na漢가각\u1100\u11a8\u200c\u200d", *"🇦🇧🇿"])


@given(st.text(CHARACTERS, max_size=8))
@example("क्‍ष")
@example("👩🏽‍🚀")
def test_text_comes_apart_as_the_annex_says(text: str) -> None:
    """One pattern does what the rules do one by one, and nothing is lost."""
    assert list(graphemes(text)) == [text[start:end] for start, end in pairwise([*breaks(text), len(text)])]


@given(st.text(max_size=12))
def test_nothing_is_lost(text: str) -> None:
    """Whatever the characters are, the clusters joined are the text, and none is empty."""
    assert "".join(graphemes(text)) == text
    assert all(graphemes(text))


@pytest.mark.parametrize("name", TABLES)
def test_the_tables_are_those_of_the_version_that_they_name(name: str) -> None:
    """Where the installed ``regex`` holds the same version of Unicode, its properties have the same ranges."""
    every = "".join(chr(code) if not 0xD800 <= code < 0xE000 else "x" for code in range(0x110000))
    if len(regex.findall(r"\P{Cn}", every)) != ASSIGNED:
        pytest.skip("the installed regex holds another version of Unicode than 18.0")
    found = [(match.start(), match.end() - 1) for match in regex.finditer(f"{TABLES[name]}+", every)]
    assert tuple(found) == getattr(grapheme_breaks, name)


def test_han_is_a_script_not_a_block() -> None:
    """Iteration marks and rare characters are Han; kana, hangul and full-width letters are not."""
    assert all(map(is_han, "漢々〇𠮷"))
    assert not any(map(is_han, "かカ한ＡA1ー"))
