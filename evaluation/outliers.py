"""Outlier detection: how often the outlier is the word without which its set is most compact.

The task is that of Camacho-Collados and Navigli (2016), in test groups as Blair et al. (2016), section 4, have it. In
a set W, a cluster with one outlier, c(w) is the mean pairwise cosine of W without w. The outlier position OP is the
number of cluster items whose c is below the outlier's. Equations 2 to 4 of Blair et al., read literally, sort the other
way.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from evaluation.vectors import Vector, unit
from wikisem.datasets import OutlierWord, WordGroup

# Two compactness scores that differ by no more are a tie, and a tie counts against the model.
TOLERANCE: Final = 1e-12

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
    """Score one group; every outlier line is a test case of its own, repeated ones too."""
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
    W, n(n - 1) c(w) is the sum of all similarities, the same for every w, less 2 p(w). So c(w) lies below c(o) by
    2 (p(w) - p(o)) / n(n - 1). That is O(n²) for the cluster and O(n) for each outlier.
    """
    count = len(cluster)
    within = cluster @ cluster.T
    own = within.sum(axis=1) - np.diagonal(within)
    across = outliers @ cluster.T
    gaps = 2 * (own + across - across.sum(axis=1, keepdims=True)) / (count * (count - 1))
    positions: npt.NDArray[np.int64] = np.count_nonzero(gaps > TOLERANCE, axis=1)
    return positions


def _unit(items: Sequence[str], known: Known) -> Vector:
    return unit(np.stack([known[item] for item in items]))


def _share_missing(kept: Sequence[object], all_: Sequence[object]) -> float:
    return 1 - len(kept) / len(all_) if all_ else 0.0
