"""Categories looked up in a model, and the mean of their scores."""

import numpy as np
import pytest

from tests.rows import one
from wikisem.datasets.word_groups import WordCategory
from wikisem.evaluation.category_scores import look_up_category, scored
from wikisem.evaluation.rows import PartScore, Row, rows_of
from wikisem.evaluation.vectors.embeddings import WordModel, from_words


def mean(scores: list[PartScore]) -> Row:
    """The row of the mean over categories."""
    return one(rows_of("topk", [scored("m", "", None, scores)]), "score")


def test_every_category_counts_once_and_skipped_ones_do_not() -> None:
    """As in equations 2 and 8, a category of many comparisons weighs as much as one of few, and one of none nothing."""
    scores = [PartScore("a", 9, 0, 90, 100), PartScore("b", 2, 1, 0, 2), PartScore("c", 1, 0, 0, 0)]
    assert [score.percent for score in scores] == [90.0, 0.0, None]
    assert mean(scores).value == pytest.approx(45.0)
    assert mean(scores[2:]).value is None
    assert mean([]).value is None


def test_the_mean_has_error_bars_over_categories() -> None:
    """The standard error of as many numbers as there are categories, in percent; none where all were skipped."""
    skipped = PartScore("x", 1, 0, 0, 0)
    row = mean([*(PartScore(str(share), 9, 0, share, 10) for share in (9, 5, 7, 3)), skipped])
    assert row.value == pytest.approx(60)
    assert (row.n, row.unit) == (4, "category")
    assert row.se == pytest.approx(np.std([90, 50, 70, 30], ddof=1) / 2)
    assert row.low is not None
    assert row.high is not None
    assert 30 <= row.low < 60 < row.high <= 90
    assert mean([skipped]).low is None


def test_words_that_are_looked_up_alike_are_one_word() -> None:
    """A blank and an underline part a word in the same places; the vector of two parts is in no row of the model."""
    model = WordModel("v", from_words(["new", "york", "rome"], np.asarray([(2, 0), (0, 2), (3, 4)], np.float32)))
    found = look_up_category(WordCategory("c", ("rome", "new york", "new_york", "oslo", "rome")), model)
    assert (len(found.keys), len(found.known)) == (3, 2)
    assert found.known.tolist() == [0, 1]
    assert found.vectors.tolist() == [[3, 4], [1, 1]]
    assert found.rows.tolist() == [2, -1]
    assert list(zip(found.owners.tolist(), found.parts.tolist(), strict=True)) == [(0, 2), (1, 0), (1, 1)]


def test_a_category_that_a_model_does_not_know_has_no_vectors() -> None:
    """Every word is missing, and every array is there and empty."""
    model = WordModel("v", from_words(["a"], np.ones((1, 2), np.float32)))
    found = look_up_category(WordCategory("c", ("x", "y")), model)
    assert (len(found.keys), len(found.known)) == (2, 0)
    arrays = (found.known, found.vectors, found.owners, found.parts, found.rows)
    assert [len(array) for array in arrays] == [0] * 5
