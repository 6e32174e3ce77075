"""Mentions are NFC whatever the wikitext is, and what columns may read as it is has been NFC before."""

import unicodedata
from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wikisem.links.markup import find_marks, finder, locate_parts, not_composed
from wikisem.links.mentions import read_contents
from wikisem.wikipedia.languages import SiteInfo

SITE = SiteInfo("enwiki", "en", namespaces={6: "File"})
# Letters that compose, marks of many classes, and what never is NFC.
CHARACTERS = st.one_of(
    st.sampled_from("aeioAΩ|#ক\u09c7\u09be\u0301\u0316\u0323\u0327\u0345\u0e38\u0e48\u05b0\u05bc\u0344\u212b\uf900"),
    st.sampled_from("\u1100\u1161\u11a8가각\U000114b9\U000114ba\U0001d15e\U0002f800か\u3099"),
    st.characters(exclude_categories=["Cs", "Cc"]),
)
# Joined here: ``st.text`` takes several alphabets for one large one, in which those that matter are rare.
TEXTS = st.lists(st.lists(CHARACTERS, min_size=1, max_size=6).map("".join), min_size=1, max_size=30)
EXAMPLES = 200


def test_what_is_not_nfc_is_found() -> None:
    """Of short contents, those are found that NFC changes, and no others."""
    met: Counter[str] = Counter()

    @example(["e\u0301"])
    @example(["plain " * 40, "a\u0323\u0301"])
    @example(["\u0e19\u0e48\u0e38", "ক\u09c7\u09be"])
    @settings(max_examples=EXAMPLES)
    @given(TEXTS)
    def check(texts: list[str]) -> None:
        changed = [unicodedata.normalize("NFC", text) != text for text in texts]
        parts = locate_parts(pa.array(texts))
        assert not_composed(parts, find_marks(parts)[0]).tolist() == changed
        assert not_composed(parts, None).tolist() == changed
        met.update(["changed" if any(changed) else "all NFC"])

    check()
    assert min(met["changed"], met["all NFC"]) >= EXAMPLES // 20, met


def test_long_contents_with_marks_are_not_compared() -> None:
    """A thousand marks on a letter would take a million steps."""
    parts = locate_parts(pa.array(["plain " * 2000, "a" + "\u0301" * 1000, "a" + "\u0301"]))
    assert not_composed(parts, find_marks(parts)[0]).tolist() == [False, True, True]


def test_no_string_without_marks_is_changed_by_nfc() -> None:
    """Every character of Unicode that NFC changes, alone or after any letter, is a mark."""
    letters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    found = {start for _, start, _ in finder().find_matches_as_indexes("".join(letters).encode())}
    starts = np.cumsum([0, *(len(letter.encode()) for letter in letters)]).tolist()
    others = [letter for letter, start in zip(letters, starts, strict=False) if start not in found]
    assert unicodedata.is_normalized("NFC", "".join(others))
    assert unicodedata.is_normalized("NFC", "".join(reversed(others)))
    assert 2_000 < len(found) < 3_000


def test_scripts_that_write_many_marks_are_read_as_a_whole() -> None:
    """By the first contents: Hindi and Thai have marks in most words, Arabic and Korean hardly any."""
    texts = ("हिन्दी भाषा", "ที่นี่", "العربية", "한국", "")
    marks = [find_marks(locate_parts(pa.array([text])))[0] for text in texts]
    assert [found is None for found in marks] == [True, True, False, False, False]


def test_usual_text_is_left_to_columns() -> None:
    """Vowel signs, tone marks and accents in NFC, in scripts that have many of them, are no reason to look closer."""
    texts = ["café|Cafés", "ประเทศ|นี่", "বাংলা|ো", "हिन्दी", "Việt Nam", "서울|서울특별시", "ガンダム", "שָׁלוֹם", "မြန်မာ"]
    texts = [unicodedata.normalize("NFC", text) for text in texts]
    for shown in (texts, ["plain " * 30, *texts]):
        parts = locate_parts(pa.array(shown))
        assert not_composed(parts, find_marks(parts)[0]).tolist() == [False] * len(shown)
        assert not_composed(parts, None).tolist() == [False] * len(shown)


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
