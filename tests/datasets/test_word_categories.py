"""Category sets: text and JSON lines, one language at a time."""

from pathlib import Path

import pytest

from wikisem.datasets.word_groups import WordCategory, read_categories
from wikisem.errors import DamagedInputError, MissingInputError, UsageError

LINE = '{"category":"%s","language":"%s","items":[{"id":"Q1","label":"New York"},{"id":"Q2","label":"%s"}]}\n'


def test_words_stand_one_or_several_to_a_line(tmp_path: Path) -> None:
    """The files of word2vec and those of Stringham and Izbicki give the same categories; a category may come twice."""
    one, several = tmp_path / "one.txt", tmp_path / "several.txt"
    one.write_text(": big cats\nlion\nsnow_leopard\n\n:empty\n: planets\nMars\n: big cats\nlynx", encoding="utf-8")
    several.write_bytes(b"\xef\xbb\xbf: big cats\r\nlion  snow_leopard\tlynx\r\n:empty\r\n: planets\r\nMars\r\n")
    expected = [
        WordCategory("big cats", ("lion", "snow_leopard", "lynx")),
        WordCategory("empty", ()),
        WordCategory("planets", ("Mars",)),
    ]
    assert read_categories(one) == expected
    assert read_categories(several) == expected


def test_a_no_break_space_is_part_of_a_word(tmp_path: Path) -> None:
    """Only blanks and tabs divide the words of a line."""
    (tmp_path / "sets.txt").write_text(": c\nAir\u00a0France KLM\n", encoding="utf-8")
    assert read_categories(tmp_path / "sets.txt")[0].words == ("Air\u00a0France", "KLM")


def test_json_lines_are_read_in_one_language(tmp_path: Path) -> None:
    """Labels keep their blanks; several languages need a choice, and one that is not there is said."""
    path = tmp_path / "sets.jsonl"
    path.write_text(LINE % ("a", "la", "x") + LINE % ("a", "te", "y") + LINE % ("b", "la", "z"), encoding="utf-8")
    expected = [WordCategory("a", ("New York", "x"), "la"), WordCategory("b", ("New York", "z"), "la")]
    assert read_categories(path, "la") == expected
    with pytest.raises(UsageError, match="expected one language, saw la, te, of which one must be chosen"):
        read_categories(path)
    with pytest.raises(MissingInputError, match="expected categories in grc, saw none"):
        read_categories(path, "grc")


@pytest.mark.parametrize("bad", ["{", '{"category":"a"}', "[]"])
def test_a_bad_line_is_named(tmp_path: Path, bad: str) -> None:
    """A line in the middle that is no category ends in an error with file and line."""
    (tmp_path / "sets.jsonl").write_text(LINE % ("a", "la", "x") + bad + "\n" + LINE % ("b", "la", "x"))
    with pytest.raises(DamagedInputError, match=r"sets\.jsonl:2: expected a JSON line of a category"):
        read_categories(tmp_path / "sets.jsonl")


def test_words_in_front_of_any_category_are_named(tmp_path: Path) -> None:
    """A file of words is no file of categories."""
    (tmp_path / "words.txt").write_text("\nlion\n: big cats\nlynx\n")
    with pytest.raises(DamagedInputError, match=r"words\.txt:2: expected ': category' in front of words, saw 'lion'"):
        read_categories(tmp_path / "words.txt")


def test_analogy_questions_are_no_categories(tmp_path: Path) -> None:
    """They would merge both sides of a relation; lines of four words that share none are a category like any other."""
    path = tmp_path / "questions.txt"
    path.write_text(": capitals\nAthens Greece Oslo Norway\nAthens Greece Rome Italy\n: family\nhe she king queen\n")
    refused = r"questions\.txt:3: expected words of categories, saw analogy questions; .* with --split-analogies"
    with pytest.raises(DamagedInputError, match=refused):
        read_categories(path)
    path.write_text(": cats\nlion tiger lynx puma\nocelot margay kodkod serval\n: kings\nhe she he king\n")
    assert [len(category.words) for category in read_categories(path)] == [8, 4]
    path.write_text(": cats\nlion tiger lynx\nlion tiger lynx puma\nlion tiger lynx puma\n")
    assert [len(category.words) for category in read_categories(path)] == [11]


def test_nothing_to_read_is_said(tmp_path: Path) -> None:
    """A folder is no file of categories, and an empty file holds none."""
    (tmp_path / "empty.txt").write_text("")
    for path in (tmp_path, tmp_path / "none.txt", tmp_path / "empty.txt"):
        with pytest.raises(MissingInputError, match="saw none"):
            read_categories(path)
