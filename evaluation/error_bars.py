"""Error bars of a mean over test cases that come in groups: an interval of 95 % and a clustered standard error.

The cases of a group share its cluster, so they succeed and fail together, and the group is the unit that is drawn.
Taken as independent, cases in groups of six give standard errors that are a third too small (Miller 2024, "Adding
error bars to evals", arXiv 2411.00640, section 2.2).

A worked example: in four groups of two cases, one group has 0 of 2 right, the others 2 of 2. The mean is .75. The sums
of the groups differ from 2 x .75 by -1.5, .5, .5, .5, whose squares add up to 3; times 4/3, the correction for few
groups, that is 4, and the standard error is its root divided by the eight cases.

    >>> bars = clustered_means(np.array([[0.0], [2.0], [2.0], [2.0]]), np.array([2, 2, 2, 2]))[0]
    >>> bars.value, bars.standard_error
    (0.75, 0.25)
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.evaluation.intervals import wilson

DRAWS: Final = 10_000
SEED: Final = 500

# Below this many groups, a report warns that the interval is rough.
FEW_GROUPS: Final = 20

_NUMBERS_AT_ONCE: Final = 1 << 21
_ROUNDING: Final = 1e-9

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ErrorBars:
    """A mean over the cases of ``groups`` groups, its interval of 95 %, and its clustered standard error.

    The standard error is None for a single group, which says nothing about how groups differ.
    """

    value: float
    low: float
    high: float
    standard_error: float | None
    groups: int

    def percent(self) -> "ErrorBars":
        """The same in percent."""
        error = None if self.standard_error is None else 100 * self.standard_error
        return ErrorBars(100 * self.value, 100 * self.low, 100 * self.high, error, self.groups)


def clustered_means(sums: FloatArray, counts: npt.ArrayLike, seed: int = SEED) -> list[ErrorBars]:
    """Error bars of several means over the same cases, each of shares from 0 to 1.

    ``sums`` has shape ``(groups, means)``: the sum of a share over the cases of a group. ``counts`` has shape
    ``(groups,)``: the number of its cases. Groups without cases are left out; ValueError if none has any.

    The interval is the percentile bootstrap over groups (Efron and Tibshirani 1993, chapter 13), its percentiles set
    apart for few groups (``expanded_tail``). Where the mean of every group is the same, every draw is, too, and the
    interval is Wilson's for as many trials as there are groups.
    """
    sizes = np.asarray(counts, dtype=np.float64)
    sums, sizes = sums[sizes > 0], sizes[sizes > 0]
    if not len(sizes):
        raise ValueError("expected cases, saw none")
    values = sums.sum(axis=0) / sizes.sum()
    drawn = draw_means(sums, sizes, seed)
    return [_bars(value, sums[:, at], sizes, drawn[:, at]) for at, value in enumerate(values.tolist())]


def _bars(value: float, sums: FloatArray, sizes: FloatArray, drawn: FloatArray) -> ErrorBars:
    if np.ptp(sums / sizes) <= _ROUNDING:
        low, high = wilson(min(max(value, 0.0), 1.0), len(sizes))
    else:
        low, high = percentile_interval(drawn, len(sizes))
    return ErrorBars(value, low, high, clustered_error(sums, sizes), len(sizes))


def clustered_error(sums: FloatArray, sizes: FloatArray) -> float | None:
    """The standard error of sum(sums) / sum(sizes), groups being independent; None for a single one.

    Miller (2024), equation 4, whose double sum over the cases of a group is the square of the group's deviation, with
    the correction groups / (groups - 1) that software for clustered regressions applies.
    """
    groups = len(sizes)
    if groups < 2:
        return None
    deviations = sums - sizes * (sums.sum() / sizes.sum())
    return float(math.sqrt((deviations**2).sum() * groups / (groups - 1)) / sizes.sum())


def draw_means(sums: FloatArray, sizes: FloatArray, seed: int) -> FloatArray:
    """The means of ``DRAWS`` draws of as many groups as there are, with replacement, shape ``(DRAWS, means)``."""
    columns = np.column_stack([sums, sizes])
    generator = np.random.default_rng(seed)
    at_once = max(1, _NUMBERS_AT_ONCE // len(sizes))
    blocks = []
    for start in range(0, DRAWS, at_once):
        groups = generator.integers(len(sizes), size=(min(at_once, DRAWS - start), len(sizes)))
        blocks.append(np.stack([column[groups].sum(axis=1) for column in columns.T], axis=1))
    totals = np.concatenate(blocks)
    means: FloatArray = totals[:, :-1] / totals[:, -1:]
    return means


def percentile_interval(drawn: FloatArray, groups: int) -> tuple[float, float]:
    """The interval of 95 % that the drawn means of so many groups give."""
    tail = 100 * expanded_tail(groups)
    low, high = np.percentile(drawn, [tail, 100 - tail])
    return float(low), float(high)


def expanded_tail(groups: int) -> float:
    """The share of draws to cut off at each end, .025 for very many groups and less for few.

    Draws vary by (n - 1) / n too little and know nothing of Student's t, so that the 2.5th and 97.5th percentiles of
    eight groups include the truth in 88 % of samples. Percentiles at the normal probability of
    t(.025, n - 1) sqrt(n / (n - 1)) make up for both (Hesterberg 2015, "What teachers should know about the bootstrap",
    The American Statistician 69, section 5.3).

        >>> [round(expanded_tail(groups), 4) for groups in (8, 20, 500)]
        [0.0057, 0.0159, 0.0246]
    """
    if groups < 2:
        return 0.0
    return NormalDist().cdf(-_student_quantile(groups - 1) * math.sqrt(groups / (groups - 1)))


def _student_quantile(freedom: int) -> float:
    """The .975 quantile of Student's t, from the normal one (Abramowitz and Stegun 1964, 26.7.5)."""
    z = NormalDist().inv_cdf(0.975)
    terms = [
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    ]
    return math.fsum(term / freedom**power for power, term in enumerate(terms))
