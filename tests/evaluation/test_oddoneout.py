"""OddOneOut: the count over rows of sums, against every mean of every combination with every intruder."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evaluation.strategies import any_vector
from wikisem.datasets.word_groups import WordCategory
from wikisem.errors import UsageError
from wikisem.evaluation.category_scores import (
    CategoryVectors,
    look_up_category,
    prepare,
    score_oddoneout,
    steps,
)
from wikisem.evaluation.options import DISTANCES, INTRUDERS, Distance, Intruders, OddOneOutOptions
from wikisem.evaluation.rows import PartScore
from wikisem.evaluation.vectors.embeddings import TextModel, Vector, WordModel, WordVectors, from_words

LETTERS = "abcdefghij"
TABLE = st.dictionaries(st.sampled_from(LETTERS), any_vector(3), min_size=1)
ITEMS = st.lists(st.text(LETTERS, min_size=1, max_size=2).map("_".join), min_size=1, max_size=6)

Known = dict[str, Vector]


def is_odd(distance: Distance, combination: Sequence[Vector], word: Vector, largest: float) -> bool:
    """Equations 3 to 5, or their cosine variants: is w the one farthest from the mean, and no other as far?"""
    points = [*combination, word]
    if distance == "cosine-unit":
        points = [point / np.linalg.norm(point) for point in points]
        largest = 1
    mean = sum(points) / len(points)
    if distance == "euclidean":
        far, tie = [float((point - mean) @ (point - mean)) for point in points], 1e-12 * largest**2
    else:
        far, tie = [float(-point @ mean / np.linalg.norm(point)) for point in points], 1e-12 * largest
    return all(far[-1] > other + tie for other in far[:-1])


def vector_of(word: str, known: Known) -> Vector | None:
    """The mean of the known parts; None without any, or if it is zero."""
    parts = [known[part] for part in word.split("_") if part in known]
    mean = np.mean(parts, axis=0) if parts else np.zeros(1)
    return mean if mean.any() else None


def pairs(
    category: Sequence[str], others: Sequence[str], known: Known, variant: OddOneOutOptions
) -> Iterator[tuple[tuple[str, ...], str]]:
    """P of equation 7: every combination of k words of the category with every intruder that the variant allows."""
    words = {word: vector_of(word, known) is not None for word in category}
    mine = [word for word, is_known in words.items() if is_known or not variant.skip_oov]
    outside = [word for word in dict.fromkeys(others) if word not in words]
    from_others = [word for word in outside if not variant.skip_oov or vector_of(word, known) is not None]
    for combination in combinations(mine, variant.k):
        intruders = {
            "vocabulary": [word for word in known if word not in combination],
            "outside-category": [word for word in known if word not in words],
            "other-categories": from_others,
        }[variant.intruders]
        yield from ((combination, intruder) for intruder in intruders)


def literal_score(
    category: Sequence[str], others: Sequence[str], known: Known, variant: OddOneOutOptions
) -> float | None:
    """Equation 6, in percent; a pair with a word that has no vector is wrong."""
    vectors = {word: vector_of(word, known) for word in [*category, *others, *known]}
    lengths = [float(np.linalg.norm(vector)) for word in category if (vector := vectors[word]) is not None]
    outcomes = []
    for combination, intruder in pairs(category, others, known, variant):
        found = [vectors[word] for word in (*combination, intruder)]
        whole = [vector for vector in found if vector is not None]
        right = len(whole) == len(found) and is_odd(variant.distance, whole[:-1], whole[-1], max(lengths))
        outcomes.append(right)
    return 100 * sum(outcomes) / len(outcomes) if outcomes else None


def members_in(words: Sequence[str], vocabulary: WordVectors) -> CategoryVectors:
    """A category of these words."""
    return look_up_category(WordCategory("c", tuple(words)), WordModel("v", vocabulary))


def score(items: Sequence[str], others: Sequence[str], vocabulary: WordVectors, variant: OddOneOutOptions) -> PartScore:
    """The score of the first of two categories."""
    both = [members_in(items, vocabulary), members_in(others, vocabulary)]
    return next(score_oddoneout(both, vocabulary, variant))


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("intruders", INTRUDERS)
@settings(max_examples=50)
@given(TABLE, ITEMS, ITEMS, st.integers(2, 4), st.booleans())
def test_every_variant_equals_its_definition(
    distance: Distance,
    intruders: Intruders,
    table: dict[str, list[float]],
    items: list[str],
    others: list[str],
    k: int,
    skip: bool,
) -> None:
    """Ties, zero vectors, items of two words, missing and repeated words all score as pair after pair does."""
    rows = np.asarray(list(table.values()), np.float32)
    vocabulary = from_words(list(table), rows)
    known = {word: row.astype(np.float64) for word, row in zip(table, rows, strict=True) if row.any()}
    variant = OddOneOutOptions(k, distance, intruders, skip)
    literal = literal_score(items, others, known, variant)
    assert score(items, others, vocabulary, variant).percent == (None if literal is None else pytest.approx(literal))


@given(st.integers(1, 8), st.integers(2, 5))
def test_steps_pass_through_every_combination_once(count: int, k: int) -> None:
    """Each comparison of a step reads the row of the combination without the member it compares with."""
    subsets, seen = list(combinations(range(count), k - 1)), []
    for step in steps(count, k):
        for place, last in enumerate(range(step.later.start, step.later.stop)):
            combination = (*subsets[step.prefix], last)
            seen.append(combination)
            rests = {member: subsets[range(len(subsets))[rows][place]] for member, rows in step.others}
            assert rests == {m: tuple(x for x in combination if x != m) for m in combination[:-1]}
    assert seen == list(combinations(range(count), k))


@pytest.mark.parametrize("distance", DISTANCES)
def test_blocks_do_not_change_the_count(distance: Distance, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small blocks of words, and of the vocabulary, give the count of large ones."""
    rng = np.random.default_rng(1)
    vocabulary = from_words([str(at) for at in range(300)], rng.normal(size=(300, 4)).astype(np.float32))
    items, variant = [str(at) for at in range(0, 300, 30)], OddOneOutOptions(3, distance)
    whole = score(items, [], vocabulary, variant)
    monkeypatch.setattr("wikisem.evaluation.category_scores._ROWS_AT_ONCE", 70)
    monkeypatch.setattr("wikisem.evaluation.category_scores._COMPARED_AT_ONCE", 1)
    assert score(items, [], vocabulary, variant) == whole
    assert whole.comparisons == 120 * 297
    assert 0 < whole.correct < whole.comparisons


@pytest.mark.parametrize("intruders", INTRUDERS)
@pytest.mark.parametrize("skip", [False, True])
def test_a_sample_draws_from_the_pairs_of_the_whole(intruders: Intruders, skip: bool) -> None:
    """Many draws come near the exact score; the seed alone chooses them, and words without vectors count alike."""
    rng = np.random.default_rng(2)
    vocabulary = from_words([str(at) for at in range(12)], rng.normal(size=(12, 3)).astype(np.float32))
    items, others = ["0", "1", "2", "3", "4", "none"], ["4", "5", "6_7", "8", "nor"]
    exact = score(items, others, vocabulary, OddOneOutOptions(intruders=intruders, skip_oov=skip))
    drawn = [
        score(items, others, vocabulary, OddOneOutOptions(intruders=intruders, skip_oov=skip, sample=5000, seed=seed))
        for seed in (1, 1, 2)
    ]
    assert drawn[0] == drawn[1] != drawn[2]
    assert drawn[0].comparisons == 5000
    assert exact.percent is not None
    # Four standard errors of a share over 5,000 draws are below 2.9 %.
    assert [one.percent for one in drawn] == [pytest.approx(exact.percent, abs=2.9)] * 3


def test_missing_words_make_a_combination_wrong_and_are_reported() -> None:
    """n and the words out of vocabulary are in the score; leaving them out leaves only whole combinations."""
    vocabulary = from_words(list("abcx"), np.asarray([(1, 0), (1, 0.1), (1, 0.2), (-9, 0)], np.float32))
    variant = OddOneOutOptions(3, "euclidean", "outside-category")
    wrong = score("abcd", "", vocabulary, variant)
    assert (wrong.count, wrong.missing, wrong.correct, wrong.comparisons) == (4, 1, 1, 4)
    left_out = score("abcd", "", vocabulary, OddOneOutOptions(3, "euclidean", "outside-category", skip_oov=True))
    assert (left_out.count, left_out.missing, left_out.correct, left_out.comparisons) == (4, 1, 1, 1)
    assert score("ab", "", vocabulary, variant).percent is None


@pytest.mark.parametrize("sample", [0, 50])
def test_intruders_without_vectors_are_wrong_as_well(sample: int) -> None:
    """Where no word of the other categories has a vector, every pair is wrong, or there is none to compare."""
    vocabulary = from_words(list("abc"), np.eye(3, dtype=np.float32))
    variant = OddOneOutOptions(2, intruders="other-categories", sample=sample)
    assert score("abc", ["none", "nor"], vocabulary, variant).percent == 0
    left_out = OddOneOutOptions(2, intruders="other-categories", sample=sample, skip_oov=True)
    assert score("abc", ["none", "nor"], vocabulary, left_out).percent is None


def test_a_model_without_vocabulary_takes_intruders_from_other_categories() -> None:
    """An encoder has no V: only the other categories can send intruders."""
    model = TextModel("stub", lambda texts: [(1.0, 0.1 * len(text)) if "a" in text else (-5.0, 0.0) for text in texts])
    both = [look_up_category(WordCategory("c", words), model) for words in (("a", "aa", "aaa"), ("b", "c"))]
    assert next(score_oddoneout(both, None, OddOneOutOptions(2, intruders="other-categories"))).percent == 100
    with pytest.raises(UsageError, match="need a model with a vocabulary"):
        list(score_oddoneout(both, None, OddOneOutOptions(2)))


@pytest.mark.realdata
@pytest.mark.parametrize("distance", DISTANCES)
def test_every_pair_of_a_real_category_equals_its_definition(glove: WordVectors, distance: Distance) -> None:
    """Months and a phrase against 5,000 words of GloVe: every mean is taken, and no pair decides otherwise."""
    vocabulary = from_words(list(glove.index)[:5000], glove.rows[:5000])
    members = members_in(["january", "march", "may", "june", "new_york"], vocabulary)
    points, words = prepare(distance, members.vectors), prepare(distance, vocabulary.rows.astype(np.float64))
    wins = 0
    for combination in combinations(range(5), 3):
        others = np.delete(words, [row for row in members.rows[list(combination)] if row >= 0], axis=0)
        four = np.stack([*(np.broadcast_to(points[at], others.shape) for at in combination), others])
        mean = four.mean(axis=0)
        far = np.linalg.norm(four - mean, axis=2)
        if distance != "euclidean":
            far = -(four * mean).sum(axis=2) / np.linalg.norm(four, axis=2) / np.linalg.norm(mean, axis=1)
        wins += int(np.count_nonzero(far.argmax(axis=0) == 3))
    (found,) = score_oddoneout([members], vocabulary, OddOneOutOptions(3, distance))
    assert (found.correct, found.comparisons) == (wins, comb(5, 3) * 5000 - 4 * comb(4, 2))


def test_a_category_too_large_to_compare_asks_for_a_sample() -> None:
    """A thousand words at k = 3 would need gigabytes before the first comparison; a sample of them does not."""
    rows = np.random.default_rng(3).normal(size=(1010, 2)).astype(np.float32)
    vocabulary = from_words([str(at) for at in range(1010)], rows)
    items = [str(at) for at in range(1000)]
    with pytest.raises(UsageError, match=r"1000 words have 166,167,000 combinations, too many .*; draw a sample"):
        score(items, [], vocabulary, OddOneOutOptions(3))
    assert score(items, [], vocabulary, OddOneOutOptions(3, sample=10)).comparisons == 10
