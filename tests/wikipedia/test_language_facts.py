"""The tables of facts about languages: complete, in order, and in step with each other and with their page."""

import re
from pathlib import Path

import pytest

from wikisem.wikipedia.languages import ROWS, TABLES, TRAILS, detect_script, language_profile
from wikisem.wikis import WIKIPEDIA_CODES

DOCS = Path(__file__).parents[2] / "docs" / "languages.md"
SCRIPT_NAMES = {
    "Hangul": "ko",
    "Thai": "th",
    "Lao": "lo",
    "Khmer": "km",
    "Burmese": "my",
    "Tibetan": "bo",
    "Devanagari": "hi",
    "Bengali": "bn",
    "Gurmukhi": "pa",
    "Gujarati": "gu",
    "Oriya": "or",
    "Tamil": "ta",
    "Telugu": "te",
    "Kannada": "kn",
    "Malayalam": "ml",
    "Sinhala": "si",
    "Ethiopic": "am",
    "Cherokee": "chr",
    "Syllabics": "iu",
    "Thaana": "dv",
}


@pytest.mark.parametrize("table", [ROWS, TABLES["namespaces"], TRAILS], ids=["rows", "namespaces", "trails"])
def test_every_row_is_of_a_wikipedia(table: dict[str, object]) -> None:
    """A code with a slip in it would never be found."""
    assert set(table) <= WIKIPEDIA_CODES


def test_rows_stand_in_order() -> None:
    """Someone who adds a language sees where it belongs, and that it is not there yet."""
    assert list(ROWS) == sorted(ROWS)
    assert list(TABLES["namespaces"]) == sorted(TABLES["namespaces"])


def test_no_language_has_two_trails() -> None:
    """No two regular expressions share a code."""
    codes = [code for codes in TABLES["trails"].values() for code in codes.split()]
    assert len(codes) == len(set(codes))


def test_every_trail_takes_letters_alone() -> None:
    """It compiles, and stops at a space, at marks of wikitext and at punctuation."""
    for code in sorted(WIKIPEDIA_CODES):
        trail = re.compile(f"({language_profile(code).link_trail})?")
        assert [stop for stop in " ]|[{<.,\n" if trail.match(stop)[0]] == [], code  # type: ignore[index]


@pytest.mark.parametrize("code", sorted(ROWS))
def test_list_words_cannot_be_parts_of_words(code: str) -> None:
    """Where words are spaced, a list word is set off by a space, an apostrophe or a colon."""
    row = ROWS[code]
    words = row.lists
    if language_profile(code).spaced:
        assert all(word[-1] in " :'’" or word[0] == " " for word in words)
    else:
        assert all(detect_script([word]) == language_profile(code).script and len(word) >= 2 for word in words)


def test_the_page_on_languages_says_what_the_code_does() -> None:
    """The list of affix lengths is the one that holds."""
    listed = re.findall(r"^- ([0-9]): (.*)$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    stated = {name: int(length) for length, names in listed for name in names.split(", ") if name in SCRIPT_NAMES}
    assert stated == {name: language_profile(code).affix_length for name, code in SCRIPT_NAMES.items()}


@pytest.mark.parametrize(
    ("code", "text", "trail"),
    [
        ("en", "es ", "es"),
        ("en", "é", ""),
        ("de", "größe,", "größe"),
        ("fr", "ées.", "ées"),
        ("ru", "ами ", "ами"),
        ("ca", "l'x", "l'x"),
        ("ca", "l''x''", "l"),
        ("br", "c'hoù ", "c'hoù"),
        ("fa", "ها ", "ها"),
        ("zh", "abc", ""),
        ("ja", "abc語", "abc"),
        ("tlh", "abc", "abc"),
    ],
)
def test_trails_end_where_mediawiki_ends_them(code: str, text: str, trail: str) -> None:
    """Letters of the language belong to the link, marks of italics and other scripts do not; unknown codes have a-z."""
    match = re.match(f"({language_profile(code).link_trail})?", text)
    assert match is not None
    assert match[0] == trail
