"""Outlier detection: the fast sums against the definitions read word by word."""

import gzip
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.evaluation.strategies import any_vector
from tests.rows import one, scores
from tests.word_groups import outlier_word, surfaces, word_group
from wikisem.datasets.word_groups import read_dataset
from wikisem.errors import DamagedInputError
from wikisem.evaluation.options import COMPACTNESSES, Compactness
from wikisem.evaluation.outlier_detection import keep_shared, score_group, score_models
from wikisem.evaluation.rows import Row
from wikisem.evaluation.vectors.embeddings import Vector, WordModel, WordVectors, from_words
from wikisem.records import Group, Level

NAMES = st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=8)


def cosine(one: Vector, other: Vector) -> float:
    """The cosine of two vectors that are not zero."""
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


def compactness(words: Sequence[Vector], left_out: int) -> float:
    """c(w): the mean cosine over all ordered pairs of the set without w, one pair at a time."""
    rest = [vector for at, vector in enumerate(words) if at != left_out]
    pairs = [cosine(one, other) for i, one in enumerate(rest) for j, other in enumerate(rest) if i != j]
    return sum(pairs) / len(pairs)


def position(cluster: Sequence[Vector], outlier: Vector) -> int:
    """OP, in O(n³): the cluster items whose compactness is below the outlier's by more than 1e-12."""
    words = [*cluster, outlier]
    theirs = [compactness(words, at) for at in range(len(cluster))]
    return sum(compactness(words, len(cluster)) - one > 1e-12 for one in theirs)


def literal_scores(groups: Sequence[Group], known: Mapping[str, Vector]) -> dict[str, object]:
    """Groups, cases, skipped groups, OPP, accuracy and the OOV percentages, straight from the definitions."""
    shares, hits, skipped, oov_cluster, oov_outlier = list[float](), list[bool](), 0, list[float](), list[float]()
    for group in groups:
        cluster = [known[item.surface] for item in group.cluster if item.surface in known]
        outliers = [known[item.surface] for item in group.outliers if item.surface in known]
        oov_cluster.append(100 * (len(group.cluster) - len(cluster)) / len(group.cluster))
        oov_outlier.append(100 * (len(group.outliers) - len(outliers)) / len(group.outliers))
        if len(cluster) < 2 or not outliers:
            skipped += 1
            continue
        positions = [position(cluster, outlier) for outlier in outliers]
        shares += [each / len(cluster) for each in positions]
        hits += [each == len(cluster) for each in positions]
    return {
        "groups": len(groups),
        "cases": len(shares),
        "skipped_groups": skipped,
        "opp": 100 * sum(shares) / len(shares) if shares else None,
        "accuracy": 100 * sum(hits) / len(hits) if hits else None,
        "oov_cluster": sum(oov_cluster) / len(groups),
        "oov_outliers": sum(oov_outlier) / len(groups),
    }


def numbers_of(rows: Sequence[Row]) -> dict[str, object]:
    """The same numbers in rows."""
    coverage = ("groups", "skipped_groups", "oov_cluster", "oov_outliers")
    return {
        **{name: one(rows, name, part="coverage").value for name in coverage},
        **{name: one(rows, name).value for name in ("opp", "accuracy")},
        "cases": one(rows).cases,
    }


def group_of(cluster: Sequence[str], outliers: Sequence[str]) -> Group:
    """A group of words, all outliers of unknown class."""
    return word_group("Q1", tuple(cluster), tuple(outlier_word(word) for word in outliers), "here")


@given(st.dictionaries(st.sampled_from("abcdefgh"), any_vector(3)), st.lists(st.tuples(NAMES, NAMES), min_size=1))
def test_scores_equal_the_definitions(table: dict[str, list[float]], sets: list[tuple[list[str], list[str]]]) -> None:
    """Sums of similarities give what c(w) over all pairs gives: ties, zero vectors, missing and repeated words too."""
    groups = [group_of(cluster, outliers) for cluster, outliers in sets[:3]]
    rows = np.asarray(list(table.values()), dtype=np.float32).reshape(len(table), 3)
    known = {word: row.astype(np.float64) for word, row in zip(table, rows, strict=True) if row.any()}
    (evaluation,), common = score_models(groups, [WordModel("v", from_words(list(table), rows))])
    found = scores(evaluation)
    assert numbers_of(found) == pytest.approx(literal_scores(groups, known), abs=1e-9)
    assert {row.part for row in found} == {"all", "outlier class", "coverage"}
    assert one(found, part="outlier class", name="O?").cases == one(found).cases
    assert common == []


def literal_position(near: Sequence[Sequence[float]], compactness: Compactness) -> int:
    """OP of the last word of W by each definition, of a similarity that need not be symmetric.

    pairs: c(w) is the mean of sim over the ordered pairs of W without w (Camacho-Collados and Navigli, equation 1), of
    which the outlier's is the highest; word: the mean of sim(w, ·) (Gamallo, 3.1), of which it is the lowest.
    """
    words = range(len(near))

    def score(word: int) -> float:
        rest = [other for other in words if other != word]
        if compactness == "word":
            return -sum(near[word][other] for other in rest) / len(rest)
        pairs = [near[one][other] for one in rest for other in rest if one != other]
        return sum(pairs) / len(pairs)

    return sum(score(words[-1]) - score(word) > 1e-12 for word in words[:-1])


NUMBERS = st.lists(st.lists(st.integers(-3, 3), min_size=5, max_size=5), min_size=5, max_size=5)


def position_by(near: Sequence[Sequence[float]], compactness: Compactness) -> float:
    """OP of the fifth word among the first four, as score_group has it."""
    matrix = np.array(near, dtype=np.float64)
    np.fill_diagonal(matrix, np.nan)  # a word's similarity to itself is nowhere asked for
    known = {word: at for at, word in enumerate("abcdx")}
    group, by_row = group_of("abcd", "x"), lambda ones, others: matrix[np.ix_(ones, others)]
    return 4 * score_group(group, known, by_row, compactness).cases[0].position


@pytest.mark.parametrize("compactness", COMPACTNESSES)
@given(near=NUMBERS)
def test_a_similarity_need_not_be_symmetric(near: list[list[int]], compactness: Compactness) -> None:
    """Both compactnesses, over ordered pairs."""
    assert position_by(near, compactness) == literal_position(near, compactness)


@given(near=NUMBERS)
def test_of_a_symmetric_similarity_both_compactnesses_order_words_alike(near: list[list[int]]) -> None:
    """As the proof in appendix A has it."""
    same = (np.array(near) + np.array(near).T).tolist()
    assert position_by(same, "pairs") == position_by(same, "word")


def test_of_others_they_differ() -> None:
    """The outlier x is like nothing, but all are like it: only the mean of sim(x, ·) says so."""
    near = np.full((5, 5), 5.0)
    near[4] = 1
    near[:, 4] = 9
    assert (position_by(near.tolist(), "pairs"), position_by(near.tolist(), "word")) == (0, 4)


def test_a_similarity_that_is_missing_is_named() -> None:
    """With the words and their direction."""
    near = np.ones((5, 5))
    near[4, 2] = np.nan
    with pytest.raises(DamagedInputError, match=r"here: expected a similarity of 'x' to 'c', saw nan"):
        position_by(near.tolist(), "pairs")


@given(st.lists(any_vector(3), min_size=3, max_size=6))
def test_a_tie_counts_against_the_model(rows: list[list[float]]) -> None:
    """An outlier with the vector of a cluster item is never detected, and never placed above that item."""
    vectors = {str(at): np.asarray(row) for at, row in enumerate(rows) if any(row)}
    assume(len(vectors) > 1)
    twin = next(iter(vectors))
    score = score_group(group_of(list(vectors), ["twin"]), {**vectors, "twin": vectors[twin]})
    assert not score.cases[0].detected
    assert score.cases[0].position <= (len(vectors) - 1) / len(vectors)


def test_skipped_groups_count_in_the_oov_percentages() -> None:
    """A group without enough words gives no case, and its missing words weigh as much as any other group's."""
    known = {word: np.asarray(row, dtype=np.float32) for word, row in {"a": (1, 0), "b": (1, 0.1), "x": (0, 1)}.items()}
    model = WordModel("v", from_words(list(known), np.stack(list(known.values()))))
    groups = [group_of("ab", "x"), group_of("acde", "xy"), group_of("ab", "yz")]
    found = numbers_of(scores(score_models(groups, [model])[0][0]))
    assert (found["groups"], found["cases"], found["skipped_groups"]) == (3, 1, 2)
    assert found["oov_cluster"] == pytest.approx((0 + 75 + 0) / 3)
    assert found["oov_outliers"] == pytest.approx((0 + 50 + 100) / 3)


def test_without_any_case_there_is_no_score() -> None:
    """Where every group is skipped, OPP and accuracy are absent, never NaN."""
    model = WordModel("v", from_words(["a"], np.ones((1, 2), np.float32)))
    rows = scores(score_models([group_of("ab", "x")], [model])[0][0], groups=True)
    for metric in ("opp", "accuracy"):
        for row in (one(rows, metric), one(rows, metric, part="group")):
            assert (row.value, row.low, row.high, row.se, row.chance, row.n, row.cases) == (*[None] * 5, 0, 0)


def test_repeated_outliers_and_classes_count_each() -> None:
    """Each outlier line is a case, and each case counts in its own outlier class."""
    rows = np.asarray([(1, 0), (1, 0.1), (0.9, 0), (0, 1), (1, 0)], np.float32)
    model = WordModel("v", from_words(list("abcxy"), rows))
    outliers = tuple(outlier_word(word, number) for word, number in [("x", 1), ("x", 1), ("y", 3), ("z", 2)])
    (evaluation,), _ = score_models([word_group("Q1", tuple("abc"), outliers, "")], [model])
    classes = [row for row in scores(evaluation) if row.part == "outlier class" and row.metric == "accuracy"]
    assert [(row.name, row.cases, row.value) for row in classes] == [("O1", 2, 100), ("O2", 0, None), ("O3", 1, 0)]


def test_levels_are_scored_apart() -> None:
    """Groups of concepts, of entities and those that do not say; no part of sets of which none says."""
    rows = np.asarray([(1, 0), (1, 0.1), (0, 1), (1, 0.05)], np.float32)
    model = WordModel("v", from_words(list("abxy"), rows))
    sides: list[tuple[str, Level | None]] = [("x", "concepts"), ("y", "entities"), ("x", None)]
    groups = [replace(group_of("ab", outlier), level=level) for outlier, level in sides]
    (evaluation,), _ = score_models(groups, [model])
    levels = [row for row in scores(evaluation) if row.part == "level" and row.metric == "accuracy"]
    assert [(row.name, row.cases, row.value) for row in levels] == [
        ("concepts", 1, 100), ("entities", 1, 0), ("unknown", 1, 100)
    ]  # fmt: skip
    assert not [row for row in scores(score_models(groups[2:], [model])[0][0]) if row.part == "level"]


def test_several_models_are_also_scored_on_what_all_of_them_know() -> None:
    """The common subset leaves out, for every model, whatever one of them lacks."""
    rows = np.asarray([(1, 0), (1, 0.1), (0, 1), (0.5, 1)], np.float32)
    models = [WordModel("one", from_words(list("abxy"), rows)), WordModel("two", from_words(list("abxz"), rows))]
    whole, common = score_models([group_of("abz", "xy")], models)
    found = scores(*whole, *common)
    for vocabulary, cases in (("own", (2, 1)), ("common", (1, 1))):
        seen = [one(found, model=model, vocabulary=vocabulary).cases for model in ("one", "two")]
        assert tuple(seen) == cases
    assert [each.scores[0].oov_cluster for each in common] == pytest.approx([1 / 3, 1 / 3])
    assert {row.vocabulary for row in found if row.less} == {"common"}


def test_groups_keep_the_words_that_all_models_know() -> None:
    """What people are asked about in the study of Blair et al. (4.2); a key stays with its word."""
    eye = np.eye(4, dtype=np.float32)
    models = [WordModel("one", from_words(list("abcx"), eye)), WordModel("two", from_words(list("acxy"), eye))]
    group = word_group("Q1", "abc", map(outlier_word, "xy"), "here", qids=("Q0", "Q1", "Q2"))
    (kept, none) = keep_shared([group, group_of("b", "y")], models)
    assert (surfaces(kept.cluster), surfaces(kept.outliers)) == (("a", "c"), ("x",))
    assert [member.id for member in kept.cluster] == ["Q0", "Q2"]
    assert (none.cluster, none.outliers) == ((), ())
    assert keep_shared([kept], models) == [kept]


def plain_glove(path: Path, items: set[str]) -> dict[str, Vector]:
    """The mean of the vectors of each item's tokens in lower case, with nothing of the library that is tested."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        next(lines)
        table = {word: np.asarray(numbers, np.float64) for word, *numbers in map(str.split, lines)}
    tokens = {item: [table[token] for token in item.lower().split("_") if token in table] for item in items}
    return {item: np.mean(vectors, axis=0) for item, vectors in tokens.items() if vectors}


@pytest.mark.realdata
def test_glove_on_8_8_8_equals_the_definitions(realdata: Path, glove: WordVectors) -> None:
    """The eight topics with GloVe: each group, and the whole, as the O(n³) reading has it."""
    path = realdata / "vectors" / "glove-6B-100d-top20k.w2v.txt.gz"
    groups = read_dataset(realdata / "outlier-sets" / "8-8-8")
    known = plain_glove(path, {word for group in groups for word in surfaces(group.members)})
    (evaluation,), _ = score_models(groups, [WordModel("glove", glove)])
    seen, literal = numbers_of(scores(evaluation)), literal_scores(groups, known)
    assert seen == pytest.approx(literal, abs=1e-9)
    for score in evaluation.scores:
        cluster = [known[item.surface] for item in score.group.cluster if item.surface in known]
        shares = [position(cluster, known[case.outlier.surface]) / len(cluster) for case in score.cases]
        assert [case.position for case in score.cases] == shares
    assert (seen["cases"], seen["groups"]) == (54, 8)
