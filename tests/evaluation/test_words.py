"""Vocabularies: which vectors can be compared, and rows of length one at any scale."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.evaluation.vectors.embeddings import WordVectors, from_words, unit, usable

ROWS = np.asarray([(3, 4), (0, 0), (np.nan, 1), (np.inf, 1), (1e-30, 0), (3e38, 3e38)], np.float32)
WORDS = ["a", "zero", "nan", "inf", "small", "large"]


def test_zero_vectors_are_as_if_they_were_not_there() -> None:
    """They have no cosine; very small and very large ones do."""
    vectors = from_words(WORDS, ROWS)
    assert [word for word in WORDS if vectors.find(word) is None] == ["zero"]
    assert vectors.find("zero") is None
    assert vectors.find("none") is None


@pytest.mark.parametrize("size", [1, 2, 4, 100])
def test_blocks_hold_what_can_be_compared(size: int) -> None:
    """Whatever the size of a block, each known word comes once, under the number of its row."""
    found = {
        WORDS[row]: vector.tolist()
        for rows, vectors in from_words(WORDS, ROWS).blocks(size)
        for row, vector in zip(rows.tolist(), vectors, strict=True)
    }
    assert found == {word: ROWS[WORDS.index(word)].astype(np.float64).tolist() for word in ("a", "small", "large")}


def test_words_outside_the_vocabulary_may_have_vectors() -> None:
    """fastText makes one from the parts of a word: it can be found, and is still no word of the vocabulary."""
    vectors = WordVectors({"a": 0}, ROWS[:1], unseen=lambda word: np.full(2, len(word) - 1, np.float32))
    found = vectors.find("abc")
    assert found is not None
    assert found.tolist() == [2, 2]
    assert vectors.find("x") is None  # made of nothing, so all zeros
    assert "abc" not in vectors.index


def test_a_word_that_repeats_keeps_its_first_row() -> None:
    """As gensim reads such files; the rows of other words move up."""
    vectors = from_words(["a", "b", "a", "c"], np.asarray([(1, 0), (2, 0), (3, 0), (4, 0)], np.float32))
    assert vectors.rows[:, 0].tolist() == [1, 2, 4]
    assert vectors.index == {"a": 0, "b": 1, "c": 2}


@given(st.lists(st.floats(0.1, 9) | st.floats(-9, -0.1), min_size=1, max_size=4), st.integers(-300, 300))
def test_unit_rows_have_length_one_at_any_scale(values: list[float], exponent: int) -> None:
    """Squares of 1e300 overflow and those of 1e-300 vanish; the direction is the same all the same."""
    row = np.asarray([values])
    found = unit(row * 10.0**exponent)
    assert np.linalg.norm(found) == pytest.approx(1)
    assert found[0] == pytest.approx((row / np.linalg.norm(row))[0])


@pytest.mark.parametrize("vector", [[0.0, 0.0], []])
def test_what_has_no_direction_is_not_usable(vector: list[float]) -> None:
    """There is nothing to compare; an ordinary vector comes back in double precision."""
    assert usable(vector) is None
    found = usable(np.asarray([0.5, 0], np.float32))
    assert found is not None
    assert found.dtype == np.float64
    assert found.tolist() == [0.5, 0]
