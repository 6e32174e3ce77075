"""Topk: counted without lists of neighbours, against lists of neighbours."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluation.strategies import any_vector
from wikisem.datasets.word_groups import WordCategory
from wikisem.evaluation.category_scores import look_up_category, score_topk
from wikisem.evaluation.vectors.embeddings import TextModel, WordModel, WordVectors, from_words

LETTERS = "abcdefgh"
TABLE = st.dictionaries(st.sampled_from(LETTERS), any_vector(2), min_size=1)
ITEMS = st.lists(st.text(LETTERS, min_size=1, max_size=2).map("_".join), min_size=1, max_size=6)


def literal_topk(table: dict[str, list[float]], category: Sequence[str], k: int, skip_oov: bool) -> float | None:
    """Equation 1, word by word: sort the vocabulary by cosine, strangers first among equals, and look at k of it."""
    known = {word: np.asarray(row, np.float32).astype(np.float64) for word, row in table.items() if any(row)}
    words = list(dict.fromkeys(category))
    shares = []
    for word in words:
        parts = [part for part in word.split("_") if part in known]
        if not parts:
            shares += [] if skip_oov else [0.0]
            continue
        query = np.mean([known[part] for part in word.split("_") if part in known], axis=0)
        if not query.any():
            shares += [] if skip_oov else [0.0]
            continue
        others = [other for other in known if other not in parts]
        cosines = {o: known[o] @ query / np.linalg.norm(known[o]) / np.linalg.norm(query) for o in others}
        # Rounding far above an ulp and far below any true difference makes equal what is equal.
        others.sort(key=lambda other: (-round(float(cosines[other]), 9), other in words))
        shares.append(sum(other in words for other in others[:k]) / k)
    count = len(shares)
    return 100 * sum(shares) / count if count > 1 else None


@given(TABLE, ITEMS, st.integers(1, 4), st.booleans())
def test_topk_equals_its_definition(table: dict[str, list[float]], items: list[str], k: int, skip: bool) -> None:
    """Ties, zero vectors, items of two words, missing and repeated words all score as in a sorted list."""
    vocabulary = from_words(list(table), np.asarray(list(table.values()), np.float32))
    score = score_topk(
        look_up_category(WordCategory("c", tuple(items)), WordModel("v", vocabulary)), vocabulary, k, skip
    )
    literal = literal_topk(table, items, k, skip)
    assert score.percent == (None if literal is None else pytest.approx(literal))


@pytest.mark.realdata
def test_neighbours_are_those_of_gensim(glove: WordVectors) -> None:
    """Words and a mean of two words have the hits in GloVe that gensim's most_similar finds."""
    keyed = pytest.importorskip("gensim.models").KeyedVectors(glove.rows.shape[1])
    keyed.vectors, keyed.index_to_key, keyed.key_to_index = glove.rows, list(glove.index), dict(glove.index)
    items = ["january", "march", "may", "paris", "paris_france", "lion", "tiger", "cat"]
    score = score_topk(look_up_category(WordCategory("c", tuple(items)), WordModel("v", glove)), glove, 5)
    hits = 0
    for item in items:
        parts = item.split("_")
        near = keyed.similar_by_vector(np.mean([keyed[part] for part in parts], axis=0), topn=5 + len(parts))
        hits += sum(word in items for word, _ in [pair for pair in near if pair[0] not in parts][:5])
    assert score.correct == hits > 0


def test_words_out_of_vocabulary_score_nothing_and_stay() -> None:
    """They are counted in n, and in what is missing; left out only on request."""
    vocabulary = from_words(["a", "b", "x"], np.asarray([(1, 0), (1, 0.1), (0, 1)], np.float32))
    members = look_up_category(WordCategory("c", ("a", "b", "no", "nor")), WordModel("v", vocabulary))
    stays, skipped = (score_topk(members, vocabulary, 1, skip) for skip in (False, True))
    assert (stays.count, stays.missing, stays.correct, stays.comparisons, stays.percent) == (4, 2, 2, 4, 50)
    assert (skipped.count, skipped.missing, skipped.percent) == (4, 2, 100)


def test_a_category_of_one_word_is_skipped() -> None:
    """It has nothing to find, and so no score."""
    vocabulary = from_words(["a"], np.ones((1, 2), np.float32))
    assert (
        score_topk(look_up_category(WordCategory("c", ("a", "A")), WordModel("v", vocabulary)), vocabulary, 3).percent
        is None
    )


def test_large_vocabularies_are_read_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few words give the score of one block."""
    rng = np.random.default_rng(0)
    vocabulary = from_words([str(at) for at in range(100)], rng.normal(size=(100, 5)).astype(np.float32))
    members = look_up_category(WordCategory("c", tuple(map(str, range(0, 60, 3)))), WordModel("v", vocabulary))
    whole = score_topk(members, vocabulary, 5)
    monkeypatch.setattr("wikisem.evaluation.category_scores._NUMBERS_AT_ONCE", 60)
    assert score_topk(members, vocabulary, 5) == whole
    assert whole.correct > 0


def test_a_model_without_vocabulary_knows_every_word_it_encodes() -> None:
    """The words of an encoder have vectors and no rows."""
    model = TextModel("stub", lambda texts: [None if text == "no" else (len(text), 1.0) for text in texts])
    members = look_up_category(WordCategory("c", ("New_York", "New York", "no", "a")), model)
    assert (len(members.keys), len(members.known), members.rows.tolist()) == (3, 2, [-1, -1])
    assert members.vectors.tolist() == [[8, 1], [1, 1]]


def test_a_tie_with_a_word_outside_the_category_counts_against_the_model() -> None:
    """The word outside comes first: a's nearest is x or b, both at 0.6, and only b's nearest is in the category."""
    table = {"a": [1.0, 0.0], "b": [0.6, 0.8], "x": [0.6, -0.8]}
    vocabulary = from_words(list(table), np.asarray(list(table.values()), np.float32))
    category = look_up_category(WordCategory("c", ("a", "b")), WordModel("v", vocabulary))
    assert score_topk(category, vocabulary, 1).percent == 50.0
