"""Filters of words: a vocabulary in any file that begins its lines with words, and single words."""

import bz2
import gzip
from pathlib import Path

import pytest

from wikisem.categories.recipe import EVERY_WORD, WordFilter
from wikisem.errors import DamagedInputError, MissingInputError


def test_without_options_every_word_is_kept() -> None:
    """An empty vocabulary is another thing: it keeps none."""
    assert EVERY_WORD("New York")
    assert not EVERY_WORD
    assert not WordFilter(frozenset())("x")
    assert WordFilter(frozenset())
    assert WordFilter(single=True)


def test_case_counts_only_where_the_vocabulary_has_capitals() -> None:
    """As a model is looked up: one that is lower case throughout knows "Rome" as "rome"."""
    assert WordFilter(frozenset({"rome"}))("Rome")
    assert not WordFilter(frozenset({"rome", "Ostia"}))("Rome")
    assert WordFilter(frozenset({"rome", "Ostia"}))("rome")


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u3000", "\t"])
def test_any_blank_divides_words(blank: str) -> None:
    """No-break and ideographic spaces too; hyphens and underlines do not."""
    assert not WordFilter(single=True)(f"New{blank}York")
    assert WordFilter(single=True)("New-York")


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_the_first_field_of_a_line_is_the_word(tmp_path: Path, pack: type[bytes]) -> None:
    """A list, vectors with and without a header, counts: packed or not, whatever the file is called."""
    path = tmp_path / "words"
    path.write_bytes(pack("\ufeff3 2\nroma 0.1 0.2\n\nNew_York\t17\nstraße\r\nça va\n".encode()))
    assert WordFilter.of(path, single=False).vocabulary == frozenset({"3", "roma", "New York", "straße", "ça"})


def test_a_list_may_begin_as_a_packed_file_nearly_does(tmp_path: Path) -> None:
    """BZ is the code of Bolzano; bzip2 begins with BZh."""
    (tmp_path / "words").write_text("BZ\nBonn\n")
    assert WordFilter.of(tmp_path / "words", single=False).vocabulary == frozenset({"BZ", "Bonn"})


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"one\n\xff\xfe\nthree\n", 2),
        (gzip.compress(b"one\n" * 999, mtime=0)[:-9], 0),
        (b"\x1f\x8bno", 0),
        (b"\x1f\x8b\x08\x00" + b"a" * 20, 0),
        (b"BZh9" + b"a" * 20, 0),
    ],
    ids=["letters", "gzip cut short", "no gzip", "gzip of nothing", "bzip2 of nothing"],
)
def test_a_damaged_vocabulary_is_named(tmp_path: Path, data: bytes, line: int) -> None:
    """With the line, where the file has lines."""
    (tmp_path / "words").write_bytes(data)
    with pytest.raises(DamagedInputError, match=rf"words:{line or '[0-9]+'}: expected the lines of a vocabulary"):
        WordFilter.of(tmp_path / "words", single=False)
    with pytest.raises(MissingInputError, match="saw no file at"):
        WordFilter.of(tmp_path / "none", single=False)
