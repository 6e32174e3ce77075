"""Titles and anchors by column: first letters, lengths, and the same answer for one content and for many."""

import numpy as np
import pyarrow as pa
import pytest

from wikisem.links.mentions import read_contents, read_link
from wikisem.wikipedia.languages import SiteInfo
from wikisem.wikipedia.titles import LONGEST


@pytest.mark.parametrize(
    ("language", "first_letter", "content", "title"),
    [
        ("tr", True, "ilik|x", "İlik"),
        ("tr", True, "ilik|''x''", "İlik"),
        ("de", True, "ßa|x", "ßa"),
        ("ka", True, "აბ|x", "აბ"),
        ("en", True, "ıx|x", "Ix"),
        ("en", True, "𐐨a|''x''", "𐐀a"),
        ("en", False, "bus|x", "bus"),
        ("en", False, "bus|''x''", "bus"),
    ],
)
def test_first_letters_are_the_wikis(language: str, first_letter: bool, content: str, title: str) -> None:
    """By column, with a plain anchor or a marked one, a title is what the same link alone gives."""
    site = SiteInfo("xwiki", language, first_letter=first_letter)
    link = read_link(content, site)
    assert link is not None
    row = {"title": link.target, "anchor": link.anchor, "count": 3}
    assert read_contents(pa.array([content]), np.array([3]), site).to_pylist() == [row]
    assert link.target == title


@pytest.mark.parametrize("letter", ["a", "é"])
def test_a_title_has_at_most_255_bytes(letter: str) -> None:
    """255 bytes are a title, 256 are none, counted in UTF-8."""
    room = LONGEST - (LONGEST % len(letter.encode()))
    fits = letter * (room // len(letter.encode())) + "b" * (LONGEST - room)
    contents = pa.array([f"{fits}|x", f"{fits}b|y"])
    found = read_contents(contents, np.array([1, 1]), SiteInfo("enwiki", "en"))
    assert found["anchor"].to_pylist() == ["x"]


def test_anchors_are_composed() -> None:
    """An accent that is written as an entity joins its letter: anchors are NFC."""
    contents = pa.array(["Cafe|Cafe&amp;#x301;"])
    assert read_contents(contents, np.array([1]), SiteInfo("enwiki", "en"))["anchor"].to_pylist() == ["Café"]
