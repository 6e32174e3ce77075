"""Outlier detection: how often the outlier is the word without which its set is most compact.

The task is that of Camacho-Collados and Navigli (2016), in test groups as Blair et al. (2016), section 4, have it. In
a set W, a cluster with one outlier, c(w) is the mean pairwise cosine of W without w. The outlier position OP is the
number of cluster items whose c is below the outlier's. Equations 2 to 4 of Blair et al., read literally, sort the other
way. From the test cases up to the data set, the scores are OPP, the mean of OP / |C|, and accuracy, the share of test
cases with OP = |C|: of a group, of an outlier class, and overall.

A worked example: in the cluster {(1, 0), (1, 0), (0, 1)} with the outlier (0, 1), the pairs of W have the cosines
1, 0, 0, 0, 0, 1. Without the outlier, c is 1/3; without either (1, 0) it is 1/3 as well, and without the cluster's
(0, 1) it is 1/3: all are ties, so that OP = 0. With the outlier (-1, 0) instead, c is 1/3 without it, and below that
without any other item: OP = 3, and it is detected.

    >>> cluster = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> outlier_positions(cluster, np.array([[0.0, 1.0], [-1.0, 0.0]])).tolist()
    [0, 3]
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from wikisem.datasets.word_groups import OutlierWord, WordGroup
from wikisem.evaluation.vectors.lookup import Lookup
from wikisem.evaluation.vectors.words import TIE_TOLERANCE, Vector, unit

_FEWEST_CLUSTER_ITEMS: Final = 2

Known = Mapping[str, Vector]


@dataclass(frozen=True, slots=True)
class CaseScore:
    """One test case: OP as a share of the cluster, and whether the outlier was detected (OP = |C|)."""

    outlier: OutlierWord
    position: float
    detected: bool


@dataclass(frozen=True, slots=True)
class GroupScore:
    """The test cases of a group that remain, none if it was skipped, and its shares of words out of vocabulary."""

    group: WordGroup
    cases: tuple[CaseScore, ...]
    oov_cluster: float
    oov_outliers: float


def score_groups(groups: Iterable[WordGroup], known: Known) -> list[GroupScore]:
    """Score every group with the vectors of the surfaces that are in vocabulary; the others are not in ``known``.

    A cluster item out of vocabulary leaves the cluster, an outlier takes its test case away. A group with fewer than
    two cluster items or no outlier left has no cases.
    """
    return [score_group(group, known) for group in groups]


def score_group(group: WordGroup, known: Known) -> GroupScore:
    """Score one group; every outlier line is a test case, repeated ones too."""
    cluster = [item for item in group.cluster if item in known]
    outliers = [outlier for outlier in group.outliers if outlier.surface in known]
    cases: tuple[CaseScore, ...] = ()
    if len(cluster) >= _FEWEST_CLUSTER_ITEMS and outliers:
        positions = outlier_positions(_unit(cluster, known), _unit([outlier.surface for outlier in outliers], known))
        cases = tuple(
            CaseScore(outlier, int(position) / len(cluster), int(position) == len(cluster))
            for outlier, position in zip(outliers, positions, strict=True)
        )
    return GroupScore(group, cases, _share_missing(cluster, group.cluster), _share_missing(outliers, group.outliers))


def outlier_positions(cluster: Vector, outliers: Vector) -> npt.NDArray[np.int64]:
    """The OP of each outlier, shape ``(m,)``, from unit vectors of shapes ``(n, d)`` and ``(m, d)``, n at least 2.

    Each word's similarities are summed once (Camacho-Collados and Navigli 2016, appendix A): with p(w) that sum within
    W, n(n - 1) c(w) is the sum of all similarities, the same for every w, less 2 p(w). So c(w) is below c(o) by
    2 (p(w) - p(o)) / n(n - 1). That is O(n²) for the cluster and O(n) for each outlier.
    """
    count = len(cluster)
    within = cluster @ cluster.T
    own = within.sum(axis=1) - np.diagonal(within)
    across = outliers @ cluster.T
    gaps = 2 * (own + across - across.sum(axis=1, keepdims=True)) / (count * (count - 1))
    positions: npt.NDArray[np.int64] = np.count_nonzero(gaps > TIE_TOLERANCE, axis=1)
    return positions


def _unit(items: Sequence[str], known: Known) -> Vector:
    return unit(np.stack([known[item] for item in items]))


def _share_missing(kept: Sequence[object], all_: Sequence[object]) -> float:
    return 1 - len(kept) / len(all_) if all_ else 0.0


@dataclass(frozen=True, slots=True)
class Score:
    """OPP and accuracy in percent over a number of test cases; None where there are none."""

    cases: int
    opp: float | None
    accuracy: float | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What one model scored on a data set; ``name`` is the model's, ``notes`` what a reader should know about it."""

    name: str
    notes: tuple[str, ...]
    groups: tuple[GroupScore, ...]

    @property
    def skipped(self) -> int:
        """How many groups had too few words in vocabulary to give any test case."""
        return sum(not group.cases for group in self.groups)

    def overall(self) -> Score:
        """Over all test cases that remain."""
        return score(case for group in self.groups for case in group.cases)

    def by_outlier_class(self) -> dict[str, Score]:
        """By the outlier classes that the data set has, "unknown" the last, whether cases remain or not."""
        names = {class_name(outlier.outlier_class) for group in self.groups for outlier in group.group.outliers}
        cases = [case for group in self.groups for case in group.cases]
        return {
            name: score(case for case in cases if class_name(case.outlier.outlier_class) == name)
            for name in sorted(names)
        }

    def oov_cluster_percent(self) -> float:
        """The mean of the groups' percentages of cluster items out of vocabulary, skipped groups included."""
        return 100 * fmean(group.oov_cluster for group in self.groups)

    def oov_outlier_percent(self) -> float:
        """The mean of the groups' percentages of outliers out of vocabulary, skipped groups included."""
        return 100 * fmean(group.oov_outliers for group in self.groups)

    def as_json(self) -> dict[str, Any]:
        """The scores as plain values for JSON, under the names that programs read."""
        overall = self.overall()
        return {
            "groups": len(self.groups),
            "cases": overall.cases,
            "skipped_groups": self.skipped,
            "opp": overall.opp,
            "accuracy": overall.accuracy,
            "oov_cluster_percent": self.oov_cluster_percent(),
            "oov_outlier_percent": self.oov_outlier_percent(),
            "by_outlier_class": {
                name: {"cases": part.cases, "opp": part.opp, "accuracy": part.accuracy}
                for name, part in self.by_outlier_class().items()
            },
        }


def score(cases: Iterable[CaseScore]) -> Score:
    """OPP, the mean of OP / |C|, and accuracy, the share with OP = |C|, both in percent."""
    listed = list(cases)
    if not listed:
        return Score(0, None, None)
    opp, accuracy = fmean(case.position for case in listed), fmean(case.detected for case in listed)
    return Score(len(listed), 100 * opp, 100 * accuracy)


def class_name(outlier_class: int | None) -> str:
    """The outlier class as a report writes it."""
    return "unknown" if outlier_class is None else str(outlier_class)


def score_models(groups: Sequence[WordGroup], lookups: Iterable[Lookup]) -> tuple[list[Evaluation], list[Evaluation]]:
    """Score every model on the whole data set, and several on what is in the vocabulary of all of them as well.

    The second list is empty for a single model; otherwise it has one evaluation for each, on the same test cases
    (Blair et al. 2016, section 4.1). Lookups are taken one after the other, and none is kept.
    """
    surfaces = {surface for group in groups for surface in words_of(group)}

    def look_up(lookup: Lookup) -> tuple[str, tuple[str, ...], Known]:
        return lookup.name, lookup.notes, lookup.find(surfaces)

    # Unlike a loop, map holds on to no lookup while the next one is opened.
    models = list(map(look_up, lookups))
    whole = [_evaluate(groups, *model) for model in models]
    if len(models) < 2:
        return whole, []
    shared = set.intersection(*(set(known) for _, _, known in models))
    common = [(name, notes, {surface: known[surface] for surface in shared}) for name, notes, known in models]
    return whole, [_evaluate(groups, *model) for model in common]


def words_of(group: WordGroup) -> list[str]:
    """All surfaces of a group, cluster first."""
    return [*group.cluster, *(outlier.surface for outlier in group.outliers)]


def _evaluate(groups: Sequence[WordGroup], name: str, notes: tuple[str, ...], known: Known) -> Evaluation:
    return Evaluation(name, notes, tuple(score_groups(groups, known)))
