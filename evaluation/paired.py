"""Two models on the same test cases: the difference of their scores, its interval, and a permutation test.

Models fail on much the same groups, so the difference within a group varies less than either score, and paired
tests see what error bars side by side do not (Miller 2024, arXiv 2411.00640, section 4.2).

The test flips signs: if the models are equally good, the difference of a group could as well have been the opposite, so
the p-value is the share of all ways to flip signs that give a total difference as large as the one seen. Up to 13
groups all ways are gone through, above that 10,000 seeded ones and the one seen (Phipson and Smyth 2010).

Cases are right or wrong, so many ways give the very total that was seen. Counting all of these makes a test that calls
3 % of equal models different in place of 5 % (20 groups, by accuracy). So half of them count: it is a mid-p-value
(Lancaster 1961, "Significance tests in discrete distributions", Journal of the American Statistical Association 56),
which Fagerland, Lydersen and Laake (2013, BMC Medical Research Methodology 13:91) advise for paired right and wrong.

    >>> one, other = np.array([2.0, 3.0, 1.0, 2.0]), np.array([1.0, 1.0, 0.0, 1.0])
    >>> pair = compare_paired(one, other, np.array([4, 4, 4, 4]))
    >>> pair.difference, pair.p
    (0.3125, 0.0625)

Four groups all speak for one model. 2 of the 16 ways to flip signs give as large a total, none a larger one: 1 in 16.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from wikisem.evaluation.error_bars import (
    DRAWS,
    SEED,
    FloatArray,
    clustered_error,
    draw_means,
    percentile_interval,
)
from wikisem.evaluation.intervals import wilson

# 2 ** 13 ways to flip signs are fewer than DRAWS.
_MOST_ENUMERATED: Final = 13
_SIGNS_AT_ONCE: Final = 1 << 21
_ROUNDING: Final = 1e-9


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


def sign_flip_p(gaps: FloatArray, seed: int = SEED) -> float:
    """The two-sided mid-p-value of the sum of differences, shape ``(groups,)``, when each could have either sign.

    That is twice the one-sided one: ways to flip signs that give a larger sum, and half of those that give this one.
    """
    seen = abs(float(gaps.sum()))
    if seen <= _ROUNDING:
        return 1.0
    all_ways = len(gaps) <= _MOST_ENUMERATED
    larger = equal = 0
    for signs in _all_signs(len(gaps)) if all_ways else _drawn_signs(len(gaps), seed):
        beyond = np.abs(signs @ gaps) - seen
        larger += int(np.count_nonzero(beyond > _ROUNDING))
        equal += int(np.count_nonzero(np.abs(beyond) <= _ROUNDING))
    if all_ways:
        return float((larger + equal / 2) / 2 ** len(gaps))
    # The sum that was seen is one of those that are equal to it, so that p is never 0.
    return (larger + (1 + equal) / 2) / (1 + DRAWS)


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
    """Every two of so many models, the earlier one first."""
    return ((one, other) for one in range(count) for other in range(one + 1, count))


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
