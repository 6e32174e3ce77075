"""Tables of scores."""

import io
from pathlib import Path

import numpy as np
from rich.console import Console

from wikisem.datasets.word_groups import OutlierWord, WordGroup, read_dataset
from wikisem.evaluation.outlier_detection import score_models
from wikisem.evaluation.vectors.lookup import WordLookup
from wikisem.evaluation.vectors.words import from_words
from wikisem.pipeline.console.scores import outlier_report


def text_of(groups: list[WordGroup]) -> str:
    """The report of a model that knows four words."""
    rows = np.asarray([(1, 0), (1, 0.2), (1, 0.1), (0, 1)], np.float32)
    whole, _ = score_models(groups, [WordLookup("model", from_words(list("abcx"), rows))])
    console = Console(file=io.StringIO(), width=140)
    console.print(outlier_report(whole, "outlier detection", groups=True))
    return str(console.file.getvalue())  # type: ignore[attr-defined]


def test_groups_are_named_by_their_id() -> None:
    """An id alone is enough where no other group has it."""
    text = text_of([WordGroup(name, ("a", "b"), (OutlierWord("x"),), "f", "de") for name in ("Q1", "Q2")])
    assert "│ Q1 " in text
    assert "│ Q2 " in text


def test_languages_tell_groups_of_one_class_apart(tmp_path: Path) -> None:
    """The language of JSON lines, or the folder of text files, is put before ids that are not unique."""
    text = text_of([WordGroup("Q1", ("a", "b"), (OutlierWord("x"),), "f", language) for language in ("de", "la")])
    assert "│ de/Q1 " in text
    assert "│ la/Q1 " in text
    for language in ("en", "ja"):
        (tmp_path / language).mkdir()
        (tmp_path / language / "Q1.txt").write_text("a\nb\n\nx\n")
    assert "│ ja/Q1 " in text_of(read_dataset(tmp_path))
