"""Tables of scores."""

import io
from pathlib import Path
from statistics import fmean

import numpy as np
from rich.console import Console

from tests.word_groups import outlier_word, word_group
from wikisem.datasets.word_groups import read_dataset
from wikisem.evaluation.outlier_detection import score, score_models
from wikisem.evaluation.vectors.lookup import WordLookup
from wikisem.evaluation.vectors.words import from_words
from wikisem.pipeline.console.scores import group_table
from wikisem.records import Group


def text_of(groups: list[Group]) -> str:
    """The table of groups of a model that knows four words."""
    rows = np.asarray([(1, 0), (1, 0.2), (1, 0.1), (0, 1)], np.float32)
    whole, _ = score_models(groups, [WordLookup("model", from_words(list("abcx"), rows))])
    console = Console(file=io.StringIO(), width=140)
    console.print(group_table(whole))
    return str(console.file.getvalue())  # type: ignore[attr-defined]


def test_groups_are_named_by_their_id() -> None:
    """An id alone is enough where no other group has it."""
    text = text_of([word_group(name, ("a", "b"), (outlier_word("x"),), "f", "de") for name in ("Q1", "Q2")])
    assert "│ Q1 " in text
    assert "│ Q2 " in text


def test_languages_tell_groups_of_one_class_apart(tmp_path: Path) -> None:
    """The language of JSON lines, or the folder of text files, is put before ids that are not unique."""
    text = text_of([word_group("Q1", ("a", "b"), (outlier_word("x"),), "f", language) for language in ("de", "la")])
    assert "│ de/Q1 " in text
    assert "│ la/Q1 " in text
    for language in ("en", "ja"):
        (tmp_path / language).mkdir()
        (tmp_path / language / "Q1.txt").write_text("a\nb\n\nx\n")
    assert "│ ja/Q1 " in text_of(read_dataset(tmp_path))


def test_groups_that_models_fail_most_come_first() -> None:
    """A column for each model; the mean of their OPP; a group that no model knows is last."""
    groups = [
        word_group("easy", ("a", "b", "c"), (outlier_word("x"),), "f"),
        word_group("unknown", ("y", "z"), (outlier_word("x"),), "f"),
        word_group("hard", ("a", "b", "x"), (outlier_word("c"), outlier_word("x")), "f"),
        word_group("wrong", ("a", "x", "x"), (outlier_word("b"),), "f"),
    ]
    rows = np.asarray([(1, 0), (1, 0.2), (1, 0.1), (0, 1)], np.float32)
    models = [WordLookup(name, from_words(list("abcx"), own)) for name, own in (("one", rows), ("two", rows[::-1]))]
    whole, _ = score_models(groups, models)
    table = group_table(whole)
    cells = list(zip(*(column.cells for column in table.columns), strict=True))
    shares = [[one.accuracy for one in (score([model.groups[at]]) for model in whole)] for at in range(len(groups))]
    named = dict(zip(("easy", "unknown", "hard", "wrong"), shares, strict=True))
    assert [row[0] for row in cells][-1] == "unknown"
    means = [fmean(one or 0.0 for one in named[str(row[0])]) for row in cells[:-1]]
    assert means == sorted(means)
    assert len(set(means)) > 1
    assert [str(column.header) for column in table.columns][-2:] == ["one", "two"]
