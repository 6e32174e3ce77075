"""The correlation of scores with other scores of the same models (Blair et al. 2016, section 4.4, figure 3).

Pearson's r and Spearman's ρ over the models, each with an interval of 95 % from Fisher's z: atanh(r) has the standard
error 1 / √(n - 3), and for ρ √((1 + ρ²/2) / (n - 3)) (Bonett and Wright 2000). There is no interval below four models,
nor for a perfect correlation, where z is infinite.

    >>> found = correlate([1.0, 2.0, 3.0, 4.0, 6.0], [10.0, 20.0, 30.0, 40.0, 35.0])
    >>> round(found.pearson, 3), round(found.spearman, 3)
    (0.842, 0.9)
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

_NORMAL_QUANTILE: Final = 1.959963984540054  # of 0.975
# With fewer models, a correlation says nothing.
FEWEST_MODELS: Final = 4

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Correlation:
    """Both coefficients over ``models`` models with their intervals; None where they are not defined."""

    models: int
    pearson: float | None
    pearson_interval: Interval | None
    spearman: float | None
    spearman_interval: Interval | None

    def as_json(self) -> dict[str, Any]:
        """Under the names that programs read."""
        low, high = self.pearson_interval or (None, None)
        rank_low, rank_high = self.spearman_interval or (None, None)
        return {
            "models": self.models,
            "pearson": self.pearson,
            "pearson_low": low,
            "pearson_high": high,
            "spearman": self.spearman,
            "spearman_low": rank_low,
            "spearman_high": rank_high,
        }


def correlate(ones: Sequence[float], others: Sequence[float]) -> Correlation:
    """The correlation of two scores of the same models, in the same order."""
    pearson, spearman = _pearson(ones, others), _pearson(ranks(ones), ranks(others))
    count = len(ones)
    return Correlation(
        count,
        pearson,
        _interval(pearson, count, 1.0),
        spearman,
        _interval(spearman, count, 1.0 if spearman is None else 1 + spearman**2 / 2),
    )


def _pearson(ones: Sequence[float], others: Sequence[float]) -> float | None:
    if len(set(ones)) < 2 or len(set(others)) < 2:
        return None
    return float(np.clip(np.corrcoef(ones, others)[0, 1], -1, 1))


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value from 1 up, ties sharing the mean rank."""
    _, index, counts = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    found: list[float] = (ends - (counts - 1) / 2)[index].tolist()
    return found


def _interval(coefficient: float | None, count: int, variance: float) -> Interval | None:
    if coefficient is None or count < FEWEST_MODELS or abs(coefficient) > 1 - 1e-9:
        return None
    middle, half = math.atanh(coefficient), _NORMAL_QUANTILE * math.sqrt(variance / (count - 3))
    return math.tanh(middle - half), math.tanh(middle + half)


def shared_models(ones: Mapping[str, float], others: Mapping[str, float]) -> tuple[list[str], list[float], list[float]]:
    """The models that have both scores, in the order of the first, and both."""
    names = [name for name in ones if name in others]
    return names, [ones[name] for name in names], [others[name] for name in names]
