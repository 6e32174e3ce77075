"""Mentions are NFC whatever the wikitext is, and what columns may read as it is has been NFC before."""

import unicodedata

import numpy as np
import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from wikisem.links.contents import locate_parts
from wikisem.links.mentions import read_contents
from wikisem.links.normal_form import _tables, not_composed
from wikisem.wikipedia.siteinfo import SiteInfo

SITE = SiteInfo("enwiki", "en", namespaces={6: "File"})
# Letters that compose, marks of many classes, and what never is NFC.
CHARACTERS = st.one_of(
    st.sampled_from("aeioAΩ|#ক\u09c7\u09be\u0301\u0316\u0323\u0327\u0345\u0e38\u0e48\u05b0\u05bc\u0344\u212b\uf900"),
    st.sampled_from("\u1100\u1161\u11a8가각\U000114b9\U000114ba\U0001d15e\U0002f800か\u3099"),
    st.characters(exclude_categories=["Cs", "Cc"]),
)
TEXTS = st.lists(st.text(CHARACTERS, min_size=1, max_size=6), min_size=1, max_size=30)


@given(TEXTS)
@example(["e\u0301"])
@example(["plain " * 40, "a\u0323\u0301"])
@example(["\u0e19\u0e48\u0e38", "ক\u09c7\u09be"])
def test_what_is_not_nfc_is_found(texts: list[str]) -> None:
    """Every content that NFC changes is among those found, few letters from U+0300 on or many."""
    found = not_composed(locate_parts(pa.array(texts))).tolist()
    missed = [
        text for text, hit in zip(texts, found, strict=True) if not hit and unicodedata.normalize("NFC", text) != text
    ]
    assert missed == []


def test_usual_text_is_left_to_columns() -> None:
    """Vowel signs, tone marks and accents in NFC, in scripts that have many of them, are no reason to look closer."""
    texts = ["café|Cafés", "ประเทศ|นี่", "বাংলা|ো", "हिन्दी", "Việt Nam", "서울|서울특별시", "ガンダム", "שָׁלוֹם", "မြန်မာ"]
    texts = [unicodedata.normalize("NFC", text) for text in texts]
    assert not_composed(locate_parts(pa.array(texts))).tolist() == [False] * len(texts)
    assert not_composed(locate_parts(pa.array(["plain " * 99, *texts[:2]]))).tolist() == [False] * 3


@given(TEXTS)
@example(["B|e&#769;"])
@example(["B|e\u061cs"])
@example(["e&#769;tude"])
@example(["b]]e\u0301"])
@example(["\u00d9\u0323"])
def test_mentions_are_composed(texts: list[str]) -> None:
    """Titles and anchors are NFC, and no mark of direction is in an anchor, whichever way a link is read."""
    mentions = read_contents(pa.array(texts), np.ones(len(texts), np.int64), SITE).to_pydict()
    for text in (*mentions["title"], *mentions["anchor"]):
        assert unicodedata.normalize("NFC", text) == text
    assert "\u061c" not in "".join(mentions["anchor"])


def test_one_word_has_one_form() -> None:
    """The letter with its accent, and the letter and then the accent, are one title and one anchor."""
    contents = pa.array(["caf\u00e9|d\u00e9", "cafe\u0301|de\u0301", "cafe&#769;|de&#x301;"])
    mentions = read_contents(contents, np.array([1, 2, 4]), SITE).to_pydict()
    assert set(mentions["title"]) == {"Caf\u00e9"}
    assert set(mentions["anchor"]) == {"d\u00e9"}
    assert sum(mentions["count"]) == 7


def test_no_character_that_changes_is_outside_the_blocks() -> None:
    """All code points of the first plane that are marks or decompose have a class, and the blocks of those beyond."""
    classes = _tables().classes
    for code in (*range(0xC0, 0xD800), *range(0xE000, 0x110000)):
        character = chr(code)
        if unicodedata.combining(character) or unicodedata.normalize("NFC", character) != character:
            assert classes[code if code <= 0xFFFF else 0xD7C0 + (code >> 10)], hex(code)
