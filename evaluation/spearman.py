"""Spearman's rank correlation, for scores against outlier classes (Blair et al. 2016, figure 2)."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """ρ of two sequences of the same length: the linear correlation of their ranks, ties sharing the mean rank.

    None where it is not defined: fewer than two points, or a sequence that never changes.
    """
    if len(set(one)) < 2 or len(set(other)) < 2:
        return None
    return float(np.corrcoef(_ranks(one), _ranks(other))[0, 1])


def _ranks(values: Sequence[float]) -> npt.NDArray[np.float64]:
    _, at, counts = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: npt.NDArray[np.float64] = (ends - (counts - 1) / 2)[at]
    return ranks
