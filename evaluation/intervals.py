"""Intervals of 95 % for shares and other statistics of test cases: a seeded bootstrap, and Wilson's where it is blind.

The bootstrap draws whole test cases with replacement (Efron and Tibshirani 1993, chapter 13, percentile interval), so
that several answers to one case are never taken for independent ones.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

RESAMPLES: Final = 2_000

_NORMAL_QUANTILE: Final = 1.959963984540054  # of 0.975


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic of ``count`` test cases with its interval of 95 %."""

    count: int
    value: float
    low: float
    high: float


def mean_with_interval(values: Sequence[float], seed: int) -> Estimate | None:
    """The mean of shares from 0 to 1; None without any.

    Where all values are equal every resample is too, and the bootstrap would claim certainty; then the interval is
    Wilson's for as many cases.
    """
    if not values:
        return None
    array = np.asarray(values, dtype=np.float64)
    mean = float(array.mean())
    if array.min() == array.max():
        return Estimate(len(values), mean, *wilson(mean, len(values)))
    low, high = bootstrap(len(values), lambda drawn: float(array[drawn].mean()), seed)
    return Estimate(len(values), mean, low, high)


def bootstrap(count: int, statistic: Callable[[npt.NDArray[np.int64]], float], seed: int) -> tuple[float, float]:
    """The 2.5th and 97.5th percentile of a statistic of ``count`` indices drawn with replacement from ``range(count)``.

    Resamples for which it is NaN, undefined, are left out; both ends are NaN if it is undefined for all.
    """
    generator = np.random.default_rng(seed)
    found = np.array([statistic(generator.integers(count, size=count)) for _ in range(RESAMPLES)])
    defined = found[~np.isnan(found)]
    if not defined.size:
        return math.nan, math.nan
    low, high = np.percentile(defined, [2.5, 97.5])
    return float(low), float(high)


def wilson(share: float, count: int) -> tuple[float, float]:
    """Wilson's score interval for a share of ``count`` trials (Wilson 1927; Agresti and Coull 1998).

    >>> [round(end, 4) for end in wilson(1.0, 10)]
    [0.7225, 1.0]
    """
    squared = _NORMAL_QUANTILE**2
    middle = share + squared / (2 * count)
    half = _NORMAL_QUANTILE * math.sqrt(share * (1 - share) / count + squared / (4 * count**2))
    scale = 1 + squared / count
    # At the ends middle and half are equal but for rounding.
    return (middle - half) / scale if share > 0 else 0.0, (middle + half) / scale if share < 1 else 1.0
