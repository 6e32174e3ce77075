"""Outlier detection: how often the outlier is the word without which its set is most compact.

The task is that of Camacho-Collados and Navigli (2016), in test groups as Blair et al. (2016), section 4, have it. W is
a cluster with one outlier, sim the cosine or any other similarity, which need not be symmetric. The outlier position OP
is the number of cluster items that stand out less than the outlier, by one of two compactnesses:

    pairs  c(w) is the mean of sim over all ordered pairs of W without w; the word with the highest stands out most
           (Camacho-Collados and Navigli 2016, equation 1)
    word   c(w) is the mean of sim(w, ·) to the other words; the word with the lowest stands out most (Gamallo 2019,
           3.1, who assumes that sim is symmetric: the order is then the same)

Equations 2 to 4 of Blair et al., read literally, sort the other way. The scores of a group, an outlier class or a data
set are in ``wikisem.evaluation.outlier_scores``.

A worked example: in the cluster {(1, 0), (1, 0), (0, 1)} with the outlier (0, 1), the pairs of W have the cosines
1, 0, 0, 0, 0, 1. Without the outlier, c is 1/3; without either (1, 0) it is 1/3 as well, and without the cluster's
(0, 1) it is 1/3: all are ties, so that OP = 0. With the outlier (-1, 0) instead, c is 1/3 without it, and below that
without any other item: OP = 3, and it is detected.

    >>> cluster, outliers = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.array([[0.0, 1.0], [-1.0, 0.0]])
    >>> within, across, back = cosine(cluster, cluster), cosine(outliers, cluster), cosine(cluster, outliers)
    >>> outlier_positions(within, across, back).tolist()
    [0, 3]
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from wikisem.datasets.word_groups import WordGroup
from wikisem.errors import DamagedInputError
from wikisem.evaluation.error_bars import SEED
from wikisem.evaluation.outlier_scores import CaseScore, Evaluation, GroupScore
from wikisem.evaluation.vectors.lookup import Lookup, Similarity, cosine
from wikisem.evaluation.vectors.words import TIE_TOLERANCE, Vector

Compactness = Literal["pairs", "word"]
COMPACTNESSES: Final[tuple[Compactness, ...]] = ("pairs", "word")

_FEWEST_CLUSTER_ITEMS: Final = 2

Known = Mapping[str, Any]


def score_groups(
    groups: Iterable[WordGroup], known: Known, similarity: Similarity = cosine, compactness: Compactness = "pairs"
) -> list[GroupScore]:
    """Score every group with the vectors of the surfaces that are in vocabulary; the others are not in ``known``.

    A cluster item out of vocabulary leaves the cluster, an outlier takes its test case away. A group with fewer than
    two cluster items or no outlier left has no cases. DamagedInputError for a similarity that is no number.
    """
    return [score_group(group, known, similarity, compactness) for group in groups]


def score_group(
    group: WordGroup, known: Known, similarity: Similarity = cosine, compactness: Compactness = "pairs"
) -> GroupScore:
    """Score one group; every outlier line is a test case, repeated ones too."""
    cluster = [item for item in group.cluster if item in known]
    outliers = [outlier for outlier in group.outliers if outlier.surface in known]
    cases: tuple[CaseScore, ...] = ()
    if len(cluster) >= _FEWEST_CLUSTER_ITEMS and outliers:
        near = partial(similarities_of, known, similarity, group.where)
        others = [outlier.surface for outlier in outliers]
        positions = outlier_positions(near(cluster, cluster), near(others, cluster), near(cluster, others), compactness)
        cases = tuple(
            CaseScore(outlier, int(position) / len(cluster), int(position) == len(cluster))
            for outlier, position in zip(outliers, positions, strict=True)
        )
    return GroupScore(group, cases, _share_missing(cluster, group.cluster), _share_missing(outliers, group.outliers))


def similarities_of(
    known: Known, similarity: Similarity, where: str, ones: Sequence[str], others: Sequence[str]
) -> Vector:
    """The similarities of words to words, 0 from a word to itself."""
    found = similarity([known[word] for word in ones], [known[word] for word in others])
    if ones is others:
        np.fill_diagonal(found, 0)
    if not np.isfinite(found).all():
        one, other = np.argwhere(~np.isfinite(found))[0].tolist()
        raise DamagedInputError(
            f"{where}: expected a similarity of {ones[one]!r} to {others[other]!r}, saw {found[one, other]}"
        )
    return found


def outlier_positions(
    within: Vector, across: Vector, back: Vector, compactness: Compactness = "pairs"
) -> npt.NDArray[np.int64]:
    """The OP of each of m outliers, shape ``(m,)``, in a cluster of n, at least 2.

    ``within``, shape ``(n, n)``, has the similarities of cluster items to each other, ``across``, ``(m, n)``, those of
    outliers to cluster items, and ``back``, ``(n, m)``, those of cluster items to outliers.

    Each word's similarities are summed once (Camacho-Collados and Navigli 2016, appendix A): with p(w) the sum of
    sim(w, x) + sim(x, w) over the other words x, n(n - 1) c(w) is the sum of all similarities, the same for every w,
    less p(w). So c(w) is below c(o) by (p(w) - p(o)) / n(n - 1). That is O(n²) for the cluster and O(n) for each
    outlier.
    """
    count = len(within)
    to_outlier, from_outlier, scale = back.T, across, count
    if compactness == "pairs":
        within = within + within.T
        to_outlier = from_outlier = across + back.T
        scale = count * (count - 1)
    own = within.sum(axis=1) - np.diagonal(within)
    gaps = (own + to_outlier - from_outlier.sum(axis=1, keepdims=True)) / scale
    positions: npt.NDArray[np.int64] = np.count_nonzero(gaps > TIE_TOLERANCE, axis=1)
    return positions


def closeness(near: Vector, compactness: Compactness = "pairs") -> Vector:
    """How close each word is to the others by their similarities, ``(n, n)``: the lowest stands out most."""
    both = near if compactness == "word" else (near + near.T) / 2
    return np.asarray((both.sum(axis=1) - np.diagonal(both)) / (len(near) - 1))


def _share_missing(kept: Sequence[object], all_: Sequence[object]) -> float:
    return 1 - len(kept) / len(all_) if all_ else 0.0


def score_models(
    groups: Sequence[WordGroup],
    lookups: Iterable[Lookup],
    seed: int = SEED,
    compactness: Compactness = "pairs",
) -> tuple[list[Evaluation], list[Evaluation]]:
    """Score every model on the whole data set, and several on what is in the vocabulary of all of them as well.

    The second list is empty for a single model; otherwise it has one evaluation for each, on the same test cases
    (Blair et al. 2016, section 4.1). Lookups are taken one after the other, and none is kept. ``seed`` is that of the
    draws for error bars.
    """
    surfaces = {surface for group in groups for surface in words_of(group)}

    def evaluate(model: _Model, known: Known) -> Evaluation:
        scores = tuple(score_groups(groups, known, model.similarity, compactness))
        return Evaluation(model.name, model.notes, scores, seed, vocabulary_size=model.vocabulary_size)

    models = _look_up(surfaces, lookups)
    whole = [evaluate(model, model.known) for model in models]
    if len(models) < 2:
        return whole, []
    shared = _shared(models)
    return whole, [evaluate(model, {surface: model.known[surface] for surface in shared}) for model in models]


class _Model(NamedTuple):
    """What scoring needs of a model once it has been let go."""

    name: str
    notes: tuple[str, ...]
    known: Known
    similarity: Similarity
    vocabulary_size: int | None


def _look_up(surfaces: set[str], lookups: Iterable[Lookup]) -> list[_Model]:
    def look_up(lookup: Lookup) -> _Model:
        known = lookup.find(surfaces)
        return _Model(lookup.name, lookup.notes, known, lookup.similarity, lookup.vocabulary_size)

    # Unlike a loop, map holds on to no lookup while the next one is opened.
    return list(map(look_up, lookups))


def _shared(models: Sequence[_Model]) -> set[str]:
    return set.intersection(*(set(model.known) for model in models))


def keep_shared(groups: Sequence[WordGroup], lookups: Iterable[Lookup]) -> list[WordGroup]:
    """The groups with those words alone that are in the vocabulary of all models, of which there is at least one.

    From these Blair et al. (2016, section 4.2) sampled what people were asked. A group may be left without words.
    Lookups are taken one after the other, and none is kept.
    """
    shared = _shared(_look_up({surface for group in groups for surface in words_of(group)}, lookups))
    return [_keep(group, shared) for group in groups]


def _keep(group: WordGroup, words: Container[str]) -> WordGroup:
    kept = [at for at, word in enumerate(group.cluster) if word in words]
    return replace(
        group,
        cluster=tuple(group.cluster[at] for at in kept),
        outliers=tuple(outlier for outlier in group.outliers if outlier.surface in words),
        keys=tuple(group.keys[at] for at in kept) if group.keys else (),
    )


def words_of(group: WordGroup) -> list[str]:
    """All surfaces of a group, cluster first."""
    return [*group.cluster, *(outlier.surface for outlier in group.outliers)]
