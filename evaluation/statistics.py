"""Intervals of 95 %, error bars and comparisons of scores: seeded, and by whole cases or groups of them.

Whole test cases are drawn with replacement, since several answers to one case are not independent, or whole groups,
since cases of a group share a cluster and succeed and fail together. Taken as independent, cases in groups of six give
standard errors that are a third too small (Miller 2024, "Adding error bars to evals", arXiv 2411.00640, section 2.2).
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtrit

from wikisem.evaluation.options import SEED

DRAWS: Final = 10_000
_ROUNDING: Final = 1e-9
FloatArray = npt.NDArray[np.float64]

# Below this many groups, a report warns that the interval is rough.
FEW_GROUPS: Final = 20


_NORMAL_QUANTILE: Final = 1.959963984540054  # of 0.975


def wilson(share: float, count: int) -> tuple[float, float]:
    """Wilson's score interval for a share of ``count`` trials (Wilson 1927; Agresti and Coull 1998).

    SciPy's ``binomtest`` has it for whole numbers of successes only, and shares of OPP are none.

    >>> [round(end, 4) for end in wilson(1.0, 10)]
    [0.7225, 1.0]
    """
    squared = _NORMAL_QUANTILE**2
    middle = share + squared / (2 * count)
    half = _NORMAL_QUANTILE * math.sqrt(share * (1 - share) / count + squared / (4 * count**2))
    scale = 1 + squared / count
    # At the ends middle and half are equal but for rounding.
    return (middle - half) / scale if share > 0 else 0.0, (middle + half) / scale if share < 1 else 1.0


# Means over test cases that come in groups.


@dataclass(frozen=True, slots=True)
class ErrorBars:
    """A mean over the cases of ``groups`` groups, its interval of 95 %, and its clustered standard error.

    The standard error is None for a single group, which says nothing about how groups differ, and for a statistic that
    is no mean, as Krippendorff's alpha.
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

    In four groups of two cases, one group has 0 of 2 right, the others 2 of 2. The mean is .75. The sums of the groups
    differ from 2 x .75 by -1.5, .5, .5, .5, whose squares add up to 3; times 4/3, the correction for few groups, that
    is 4, and the standard error is its root divided by the eight cases.

    >>> bars = clustered_means(np.array([[0.0], [2.0], [2.0], [2.0]]), np.array([2, 2, 2, 2]))[0]
    >>> bars.value, bars.standard_error
    (0.75, 0.25)
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
        low, high = wilson(_share(value), len(sizes))
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


def mean_of_shares(shares: Sequence[float], seed: int = SEED) -> ErrorBars | None:
    """The mean of shares that are a group each, from 0 to 1, with its error bars; None without any."""
    return clustered_means(np.array(shares)[:, None], np.ones(len(shares)), seed)[0] if shares else None


_NUMBERS_AT_ONCE: Final = 1 << 21


def draw_groups(groups: int, seed: int) -> Iterator[npt.NDArray[np.int64]]:
    """``DRAWS`` draws of as many groups as there are, with replacement: arrays of shape ``(draws, groups)``.

    They are the draws of ``scipy.stats.bootstrap``, which takes several times as long to make means of them.
    """
    generator = np.random.default_rng(seed)
    at_once = max(1, _NUMBERS_AT_ONCE // groups)
    for start in range(0, DRAWS, at_once):
        yield generator.integers(groups, size=(min(at_once, DRAWS - start), groups))


def draw_means(sums: FloatArray, sizes: FloatArray, seed: int) -> FloatArray:
    """The means of all draws, shape ``(DRAWS, means)``."""
    columns = np.column_stack([sums, sizes]).T
    drawn = draw_groups(len(sizes), seed)
    totals = np.concatenate([np.stack([column[groups].sum(axis=1) for column in columns], axis=1) for groups in drawn])
    means: FloatArray = totals[:, :-1] / totals[:, -1:]
    return means


def bootstrap(groups: int, statistic: Callable[[npt.NDArray[np.int64]], float], seed: int) -> tuple[float, float]:
    """The interval of any statistic of drawn groups, given by their numbers, as ``clustered_means`` has it for means.

    Draws for which it is NaN, undefined, are left out; both ends are NaN if it is undefined for all.
    """
    found = np.array([statistic(drawn) for block in draw_groups(groups, seed) for drawn in block])
    defined = found[~np.isnan(found)]
    return percentile_interval(defined, groups) if defined.size else (math.nan, math.nan)


def percentile_interval(drawn: FloatArray, groups: int) -> tuple[float, float]:
    """The interval of 95 % from the drawn statistics of ``groups`` groups."""
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
    return float(ndtr(-stdtrit(groups - 1, 0.975) * math.sqrt(groups / (groups - 1))))


# Two models on the same test cases.


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The score of one model less that of another, in shares, with its interval of 95 % and two-sided p-value."""

    difference: float
    low: float
    high: float
    standard_error: float | None
    p: float
    groups: int


def compare_paired(
    one: FloatArray, other: FloatArray, counts: npt.ArrayLike, seed: int = SEED
) -> PairedDifference | None:
    """Compare two models by the sums of their shares over the cases of each group, shape ``(groups,)``.

    ``counts`` has the number of cases of each group, the same for both. None where no group has any.

    Models fail on much the same groups, so the difference within a group varies less than either score, and paired
    tests find differences that error bars side by side do not show (Miller 2024, arXiv 2411.00640, section 4.2).

    >>> one, other = np.array([2.0, 3.0, 1.0, 2.0]), np.array([1.0, 1.0, 0.0, 1.0])
    >>> pair = compare_paired(one, other, np.array([4, 4, 4, 4]))
    >>> pair.difference, pair.p
    (0.3125, 0.0625)

    Four groups all speak for one model. 2 of the 16 ways to flip signs give as large a total, none a larger one: 1 in
    16.
    """
    sizes = np.asarray(counts, dtype=np.float64)
    one, other, sizes = one[sizes > 0], other[sizes > 0], sizes[sizes > 0]
    if not len(sizes):
        return None
    gaps = one - other
    difference = float(gaps.sum() / sizes.sum())
    if np.ptp(gaps / sizes) > _ROUNDING:
        low, high = percentile_interval(draw_means(gaps[:, None], sizes, seed)[:, 0], len(sizes))
    else:
        low, high = _newcombe(one, other, sizes)
    return PairedDifference(difference, low, high, clustered_error(gaps, sizes), sign_flip_p(gaps, seed), len(sizes))


def _newcombe(one: FloatArray, other: FloatArray, sizes: FloatArray) -> tuple[float, float]:
    """An interval where all groups differ alike, so that draws would claim certainty, from Wilson's of both scores.

    Newcombe (1998), "Improved confidence intervals for the difference between binomial proportions based on paired
    data", Statistics in Medicine 17, method 10, for as many trials as there are groups.
    """
    score, its_rival = float(one.sum() / sizes.sum()), float(other.sum() / sizes.sum())
    (low_1, high_1), (low_2, high_2) = wilson(_share(score), len(sizes)), wilson(_share(its_rival), len(sizes))
    # Equal differences are perfectly correlated, unless neither score varies.
    correlation = 1.0 if np.ptp(one / sizes) > _ROUNDING else 0.0

    def distance(first: float, second: float) -> float:
        return math.sqrt(max(0.0, first**2 - 2 * correlation * first * second + second**2))

    difference = score - its_rival
    return (
        difference - distance(score - low_1, high_2 - its_rival),
        difference + distance(high_1 - score, its_rival - low_2),
    )


def _share(value: float) -> float:
    return min(max(value, 0.0), 1.0)


# 2 ** 13 ways to flip signs are fewer than DRAWS.
_MOST_ENUMERATED: Final = 13
_SIGNS_AT_ONCE: Final = 1 << 21


def sign_flip_p(gaps: FloatArray, seed: int = SEED) -> float:
    """The p-value of one column of differences, shape ``(groups,)``."""
    return sign_flip_p_values(gaps[:, None], seed)[0]


def sign_flip_p_values(gaps: FloatArray, seed: int = SEED) -> list[float]:
    """The two-sided mid-p-value of the sum of each column, ``(groups, columns)``, if each row could have either sign.

    If the models are equally good, the difference of a group could as well have been the opposite, so the p-value is
    the share of all ways to flip signs that give a total difference as large as the one seen. Up to 13 groups all ways
    are gone through, above that 10,000 seeded ones and the one seen (Phipson and Smyth 2010).

    Cases are right or wrong, so many ways give the very total that was seen. Counting all of these makes a test that
    calls 3 % of equal models different in place of 5 % (20 groups, by accuracy). So half of them count: it is a
    mid-p-value, twice the one-sided one (Lancaster 1961, "Significance tests in discrete distributions", Journal of the
    American Statistical Association 56), which Fagerland, Lydersen and Laake (2013, BMC Medical Research Methodology
    13:91) advise for paired right and wrong. ``scipy.stats.permutation_test`` counts all of them.
    """
    seen = np.abs(gaps.sum(axis=0))
    all_ways = len(gaps) <= _MOST_ENUMERATED
    larger, equal = np.zeros((2, len(seen)), dtype=np.int64)
    for signs in _all_signs(len(gaps)) if all_ways else _drawn_signs(len(gaps), seed):
        beyond = np.abs(signs @ gaps) - seen
        larger += np.count_nonzero(beyond > _ROUNDING, axis=0)
        equal += np.count_nonzero(np.abs(beyond) <= _ROUNDING, axis=0)
    # Of drawn ways, the sum that was seen is one of those that are equal to it, so that p is never 0.
    ways = 2 ** len(gaps) if all_ways else 1 + DRAWS
    found: list[float] = ((larger + (equal + (not all_ways)) / 2) / ways).tolist()
    return [1.0 if gap <= _ROUNDING else p for gap, p in zip(seen, found, strict=True)]


def _all_signs(groups: int) -> Iterator[FloatArray]:
    numbers = np.arange(2**groups)[:, None]
    yield _signs((numbers >> np.arange(groups)) & 1)


def _drawn_signs(groups: int, seed: int) -> Iterator[FloatArray]:
    generator = np.random.default_rng(seed)
    at_once = max(1, _SIGNS_AT_ONCE // groups)
    for start in range(0, DRAWS, at_once):
        shape = (min(at_once, DRAWS - start), groups)
        yield _signs(generator.integers(2, size=shape, dtype=np.int8))


def _signs(flips: npt.NDArray[np.integer[Any]]) -> FloatArray:
    return 1.0 - 2.0 * flips.astype(np.float64)


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values of several comparisons, raised so that the chance of any false alarm keeps its level (Holm 1979).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, at in enumerate(sorted(range(len(p_values)), key=lambda at: p_values[at])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[at]))
        adjusted[at] = largest
    return adjusted


def pairs(count: int) -> Iterable[tuple[int, int]]:
    """Every two of ``count`` models, the earlier one first."""
    return ((one, other) for one in range(count) for other in range(one + 1, count))
