"""Categories looked up in a model, and the mean of their scores."""

import numpy as np
import pytest

from wikisem.datasets.word_categories import WordCategory
from wikisem.evaluation.topk import CategoryScore, look_up_category, mean_error_bars, mean_percent
from wikisem.evaluation.vectors.lookup import WordLookup
from wikisem.evaluation.vectors.words import from_words


def test_every_category_counts_once_and_skipped_ones_do_not() -> None:
    """As in equations 2 and 8, a category of many comparisons weighs as much as one of few, and one of none nothing."""
    scores = [CategoryScore("a", 9, 0, 90, 100), CategoryScore("b", 2, 1, 0, 2), CategoryScore("c", 1, 0, 0, 0)]
    assert [score.percent for score in scores] == [90.0, 0.0, None]
    assert mean_percent(scores) == pytest.approx(45.0)
    assert mean_percent(scores[2:]) is None
    assert mean_percent([]) is None


def test_the_mean_has_error_bars_over_categories() -> None:
    """The standard error of as many numbers as there are categories, in percent; none where all were skipped."""
    scores = [CategoryScore(str(share), 9, 0, share, 10) for share in (9, 5, 7, 3)]
    bars = mean_error_bars([*scores, CategoryScore("skipped", 1, 0, 0, 0)])
    assert bars is not None
    assert bars.value == pytest.approx(60)
    assert bars.n == 4
    assert bars.standard_error == pytest.approx(np.std([90, 50, 70, 30], ddof=1) / 2)
    assert 30 <= bars.low < 60 < bars.high <= 90
    assert mean_error_bars([CategoryScore("skipped", 1, 0, 0, 0)]) is None


def test_words_that_are_looked_up_alike_are_one_word() -> None:
    """A blank and an underline part a word in the same places; the vector of two parts is in no row of the model."""
    lookup = WordLookup("v", from_words(["new", "york", "rome"], np.asarray([(2, 0), (0, 2), (3, 4)], np.float32)))
    found = look_up_category(WordCategory("c", ("rome", "new york", "new_york", "oslo", "rome")), lookup)
    assert (len(found.keys), found.missing) == (3, 1)
    assert found.known.tolist() == [0, 1]
    assert found.vectors.tolist() == [[3, 4], [1, 1]]
    assert (found.rows.tolist(), found.in_vocabulary.tolist()) == ([2, -1], [2])
    assert list(zip(found.owners.tolist(), found.parts.tolist(), strict=True)) == [(0, 2), (1, 0), (1, 1)]


def test_a_category_that_a_model_does_not_know_has_no_vectors() -> None:
    """Every word is missing, and every array is there and empty."""
    lookup = WordLookup("v", from_words(["a"], np.ones((1, 2), np.float32)))
    found = look_up_category(WordCategory("c", ("x", "y")), lookup)
    assert (len(found.keys), found.missing) == (2, 2)
    arrays = (found.known, found.vectors, found.owners, found.parts, found.rows, found.in_vocabulary)
    assert [len(array) for array in arrays] == [0] * 6
