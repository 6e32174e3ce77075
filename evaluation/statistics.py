"""Intervals of 95 %, error bars and comparisons of scores: seeded, and by units that are independent of each other.

The unit of outlier detection is the class, in all languages together: cases of a group share its cluster, and groups of
a class in two languages are often the same items, so that all of them succeed and fail together. Of categories and
walls it is the category and the wall. Taken as independent, cases in sixes give standard errors that are a third too
small (Miller 2024, "Adding error bars to evals", arXiv 2411.00640, section 2.2).
"""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress
from statistics import NormalDist
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from wikisem.evaluation.options import SEED

DRAWS: Final = 10_000
ROUNDING: Final = 1e-9
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
# What is independent: a class in all languages, a wall, a category of words, a section of questions, a log's cluster.
Unit = Literal["class", "wall", "category", "section", "cluster"]
# Below this many units, a report warns that the interval is rough.
FEW_UNITS: Final = 20
NORMAL_QUANTILE: Final = 1.959963984540054  # of 0.975
POWER_QUANTILE: Final = 0.8416212335729144  # of 0.8
_NUMBERS_AT_ONCE: Final = 1 << 21
# 2 ** 13 ways to flip signs are fewer than DRAWS.
_MOST_ENUMERATED: Final = 13
_SIGNS_AT_ONCE: Final = 1 << 21
# With fewer models, a correlation says nothing.
FEWEST_MODELS: Final = 4


def wilson(share: float, count: float) -> tuple[float, float]:
    """Wilson's score interval of 95 % for a share of ``count`` trials (Wilson 1927; Agresti and Coull 1998).

    SciPy's ``binomtest`` has it only for whole numbers of successes, which a mean outlier position does not give.

    >>> [round(end, 4) for end in wilson(1.0, 10)]
    [0.7225, 1.0]
    """
    share, squared = min(max(share, 0.0), 1.0), NORMAL_QUANTILE**2  # rounding may leave 0 to 1
    middle = share + squared / (2 * count)
    half = NORMAL_QUANTILE * math.sqrt(share * (1 - share) / count + squared / (4 * count**2))
    scale = 1 + squared / count
    # With a share of 0 or 1, one end is that share, but for rounding.
    return (middle - half) / scale if share > 0 else 0.0, (middle + half) / scale if share < 1 else 1.0


def clustered_wilson(sums: FloatArray, sizes: FloatArray) -> tuple[float, float]:
    """Wilson's interval of 95 % for the share p = sum(sums) / sum(sizes) of cases that come in units.

    Cases of one unit are alike, so they are worth fewer independent trials: p (1 - p) / SE² of them have the clustered
    standard error SE. Few units make these less certain: their number is multiplied by (normal quantile / Student's)²,
    and is at most the number of cases (Korn and Graubard 1998, Survey Methodology 24). If all units have the same
    share, the trials are the units.
    """
    cases, units = float(sizes.sum()), len(sizes)
    share = float(sums.sum()) / cases
    error = clustered_error(sums, sizes)
    if not error or np.ptp(sums / sizes) <= ROUNDING:
        return wilson(share, units)
    normal_to_student = NORMAL_QUANTILE / _student_quantile(units - 1)
    return wilson(share, min(cases, share * (1 - share) * (normal_to_student / error) ** 2))


@dataclass(frozen=True, slots=True)
class ErrorBars:
    """A mean over the cases of ``n`` units, its interval of 95 %, and its clustered standard error.

    The standard error is None for a single unit, and for a statistic that is no mean, as Krippendorff's alpha.
    """

    value: float
    low: float
    high: float
    standard_error: float | None
    n: int


def sum_by_unit(units: Sequence[Hashable], values: FloatArray) -> tuple[list[Any], FloatArray, FloatArray]:
    """Add up ``values``, shape ``(cases, columns)``, over the cases of each unit; ``units`` has the unit of each case.

    Return the distinct units as they come, their sums, shape ``(units, columns)``, and their numbers of cases.
    """
    numbers = {unit: number for number, unit in enumerate(dict.fromkeys(units))}
    of_case = np.array([numbers[unit] for unit in units], dtype=np.int64)
    sums = np.zeros((len(numbers), values.shape[1]))
    np.add.at(sums, of_case, values)
    return list(numbers), sums, np.bincount(of_case, minlength=len(numbers)).astype(np.float64)


def effective_units(weights: npt.ArrayLike) -> float:
    """The number of equal units that are worth as much as these: (Σ w)² / Σ w² (Kish 1965, "Survey sampling").

    >>> effective_units([1, 1, 1, 1]), effective_units([10, 1, 1])
    (4.0, 1.411764705882353)
    """
    each = np.asarray(weights, dtype=np.float64)
    return float(each.sum() ** 2 / (each**2).sum())


def clustered_means(
    sums: FloatArray,
    counts: npt.ArrayLike,
    seed: int = SEED,
    shared: Sequence[frozenset[str]] = (),
    worth: float | None = None,
) -> list[ErrorBars]:
    """Error bars of several means over the same cases, each of shares from 0 to 1.

    ``sums`` has shape ``(units, means)``: the sum of a share over the cases of a unit. ``counts`` has shape
    ``(units,)``: the number of its cases. Units without cases are left out; ValueError if none has any. Units are
    independent, unless ``shared`` has names that two of them share, such as the classes of a wall: ``widening``. Where
    units differ much in weight, ``worth`` is the number of equal units to make intervals for: ``effective_units``.

    The interval is the percentile bootstrap over units (Efron and Tibshirani 1993, chapter 13), its percentiles set
    apart for few units (``expanded_tail``). Where all units have the same mean, all draws have it, too, and the
    interval is Wilson's for as many trials as there are units.

    Of four units of two cases, one has 0 of 2 right, the others 2 of 2. The mean is .75. The sums of the units differ
    from 2 x .75 by -1.5, .5, .5, .5, whose squares add up to 3; times 4/3, the correction for few units, that is 4, and
    the standard error is its root divided by the eight cases.

    >>> bars = clustered_means(np.array([[0.0], [2.0], [2.0], [2.0]]), np.array([2, 2, 2, 2]))[0]
    >>> bars.value, bars.standard_error
    (0.75, 0.25)
    """
    sizes = np.asarray(counts, dtype=np.float64)
    kept = sizes > 0
    sums, sizes, shared = sums[kept], sizes[kept], list(compress(shared, kept))
    if not len(sizes):
        raise ValueError("expected cases, saw none")
    means = sums.sum(axis=0) / sizes.sum()
    drawn, factors = draw_means(sums, sizes, seed), widening(sums - sizes[:, None] * means, shared)
    bars, trials = [], worth or len(sizes)
    for mean, column, draws, factor in zip(means.tolist(), sums.T, drawn.T, factors, strict=True):
        all_alike = np.ptp(column / sizes) <= ROUNDING
        ends = wilson(mean, trials) if all_alike else percentile_interval(draws, trials)
        # Units that share something make the interval and the error wider.
        low, high = (end if factor == 1 else min(max(mean + factor * (end - mean), 0.0), 1.0) for end in ends)
        error = clustered_error(column, sizes)
        bars.append(ErrorBars(mean, low, high, error and factor * error, len(sizes)))
    return bars


def widening(deviations: FloatArray, shared: Sequence[frozenset[str]]) -> list[float]:
    """The factor by which each mean's standard error grows if units depend that share a name; at least 1.

    ``deviations`` from the mean have shape ``(units, means)``; ``shared`` has the names of each unit. The variance of a
    mean is in proportion to the sum of squared deviations; of units that share a name, the product of every two is
    added, as for crossed clusters (Cameron, Gelbach and Miller 2011, "Robust inference with multiway clustering",
    Journal of Business & Economic Statistics 29; Aronow, Samii and Assenova 2015, Political Analysis 23).

    >>> widening(np.array([[1.0], [1.0], [-1.0], [-1.0]]), list(map(frozenset, "aabc")))
    [1.224744871391589]

    The squares add up to 4. The first two units share a name, and their product counts twice: the factor is √(6/4).
    """
    if not shared:
        return [1.0] * deviations.shape[1]
    numbers = {name: index for index, name in enumerate(sorted(frozenset().union(*shared)))}
    has_name = np.zeros((len(shared), len(numbers)))
    for row, names in zip(has_name, shared, strict=True):
        row[[numbers[name] for name in names]] = 1
    # For each mean the sum of the products of two units' deviations, over all pairs (i, j) of units that share a name.
    dependent = np.einsum("is,ij,js->s", deviations, has_name @ has_name.T > 0, deviations, optimize=True)
    independent = (deviations**2).sum(axis=0)
    variances = zip(dependent, independent, strict=True)
    return [math.sqrt(max(1.0, larger / plain)) if plain > 0 else 1.0 for larger, plain in variances]


def clustered_error(sums: FloatArray, sizes: FloatArray) -> float | None:
    """The standard error of sum(sums) / sum(sizes) if units are independent; None for a single one.

    Miller (2024), equation 4, whose double sum over the cases of a unit is the square of the unit's deviation, with
    the correction units / (units - 1) that software for clustered regressions applies.
    """
    units = len(sizes)
    if units < 2:
        return None
    deviations = sums - sizes * (sums.sum() / sizes.sum())
    return float(math.sqrt((deviations**2).sum() * units / (units - 1)) / sizes.sum())


def mean_of_shares(shares: Sequence[float], seed: int = SEED) -> ErrorBars | None:
    """The mean of shares that are a unit each, from 0 to 1, with its error bars; None without any."""
    return clustered_means(np.array(shares)[:, None], np.ones(len(shares)), seed)[0] if shares else None


def draw_units(units: int, seed: int) -> Iterator[IntArray]:
    """``DRAWS`` draws of as many units as there are, with replacement, in blocks of shape ``(draws, units)``."""
    generator = np.random.default_rng(seed)
    at_once = max(1, _NUMBERS_AT_ONCE // units)
    for start in range(0, DRAWS, at_once):
        yield generator.integers(units, size=(min(at_once, DRAWS - start), units))


def draw_means(sums: FloatArray, sizes: FloatArray, seed: int) -> FloatArray:
    """The means of all draws of units, shape ``(DRAWS, means)``, from the sums and numbers of cases of each unit."""
    columns = np.column_stack([sums, sizes]).T
    drawn = draw_units(len(sizes), seed)
    totals = np.concatenate([np.stack([column[units].sum(axis=1) for column in columns], axis=1) for units in drawn])
    return np.asarray(totals[:, :-1] / totals[:, -1:])


def bootstrap(units: int, statistic: Callable[[IntArray], float], seed: int) -> tuple[float, float]:
    """The interval of 95 % of any statistic of drawn units, given by their numbers, without draws that make it NaN."""
    statistics = np.array([statistic(drawn) for block in draw_units(units, seed) for drawn in block])
    defined = statistics[~np.isnan(statistics)]
    return percentile_interval(defined, units) if defined.size else (math.nan, math.nan)


def percentile_interval(drawn: FloatArray, units: float) -> tuple[float, float]:
    """The interval of 95 % from the drawn statistics of ``units`` units."""
    tail = 100 * expanded_tail(units)
    low, high = np.percentile(drawn, [tail, 100 - tail])
    return float(low), float(high)


def expanded_tail(units: float) -> float:
    """The share of draws to cut off at each end, .025 for very many units and less for few.

    The variance of draws of n units is (n - 1) / n of what it should be, and their tails are normal where Student's t
    is wider, so that the 2.5th and 97.5th percentiles of eight units include the truth in 88 % of samples. The normal
    probability beyond t(.975, n - 1) sqrt(n / (n - 1)) makes up for both (Hesterberg 2015, "What teachers should know
    about the bootstrap", The American Statistician 69, section 5.3).

    >>> [round(expanded_tail(units), 4) for units in (8, 20, 500)]
    [0.0057, 0.0159, 0.0246]
    """
    if units < 2:
        return 0.0
    # The normal probability beyond z is erfc(z / √2) / 2.
    return math.erfc(_student_quantile(units - 1) * math.sqrt(units / (units - 1) / 2)) / 2


# The nodes and weights of an integral, which take longer to find than a quantile does.
_legendre: Final = cache(lambda: np.polynomial.legendre.leggauss(100))  # NumPy imports polynomials when they are named


@cache
def _student_quantile(freedom: int) -> float:
    """The 97.5th percentile of Student's t with ν degrees of ``freedom``, found by bisection.

    t is √ν tan θ, where the density of θ, in (-π/2, π/2), is in proportion to cos(θ)^(ν - 1). SciPy has it, and would
    add half as much to a plain installation.

    >>> [round(_student_quantile(freedom), 4) for freedom in (1, 7, 499)]
    [12.7062, 2.3646, 1.9647]
    """
    nodes, weights = _legendre()

    def mass(angle: float) -> float:
        """The integral of the density from 0 to an angle, by Gauss and Legendre."""
        return angle * float(weights @ np.cos(angle / 2 * (nodes + 1)) ** (freedom - 1))

    low, high = 0.0, min(math.pi / 2, 10 / math.sqrt(freedom))  # with many units, no mass is beyond t = 10
    wanted = 0.95 * mass(high)  # beyond the 97.5th percentile is 5 % of the upper half
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if mass(middle) < wanted else (low, middle)
    return math.sqrt(freedom) * math.tan(low)


@dataclass(frozen=True, slots=True)
class PairedDifference(ErrorBars):
    """The score of one model less that of another, in shares, with the two-sided p-value."""

    p: float


def compare_paired(
    one: FloatArray,
    other: FloatArray,
    counts: npt.ArrayLike,
    seed: int = SEED,
    shared: Sequence[frozenset[str]] = (),
    worth: float | None = None,
) -> PairedDifference | None:
    """The mean score of one model less that of another on the same cases, with its interval and p-value.

    ``one`` and ``other``, shape ``(units,)``, are the sums of their scores from 0 to 1 over the cases of each unit, and
    ``counts`` the numbers of its cases. None where no unit has any. ``shared`` and ``worth`` are those of
    ``clustered_means``. Models fail on much the same units, so the difference within a unit varies less than either
    score, and paired tests find differences that error bars side by side do not show (Miller 2024, section 4.2).

    >>> one, other = np.array([2.0, 3.0, 1.0, 2.0]), np.array([1.0, 1.0, 0.0, 1.0])
    >>> pair = compare_paired(one, other, np.array([4, 4, 4, 4]))
    >>> pair.value, pair.p
    (0.3125, 0.0625)

    One model is better on all units. Of the 16 ways to flip signs, 2 give this total, and none a larger one: p is 1/16.
    """
    sizes = np.asarray(counts, dtype=np.float64)
    kept = sizes > 0
    one, other, sizes, shared = one[kept], other[kept], sizes[kept], list(compress(shared, kept))
    if not len(sizes):
        return None
    gaps = one - other
    difference = float(gaps.sum() / sizes.sum())
    if np.ptp(gaps / sizes) > ROUNDING:
        ends = percentile_interval(draw_means(gaps[:, None], sizes, seed)[:, 0], worth or len(sizes))
    else:  # all units differ alike, so that all draws would be one number
        score, other_score = (float(sums.sum() / sizes.sum()) for sums in (one, other))
        (low, high), (other_low, other_high) = (wilson(share, worth or len(sizes)) for share in (score, other_score))
        # Method 10 of Newcombe (1998), "Improved confidence intervals for the difference between binomial proportions
        # based on paired data", Statistics in Medicine 17. Scores that differ alike in all units are perfectly
        # correlated, unless neither varies.
        correlation = 1.0 if np.ptp(one / sizes) > ROUNDING else 0.0
        below, above = (
            math.sqrt(max(0.0, side**2 - 2 * correlation * side * other_side + other_side**2))
            for side, other_side in ((score - low, other_high - other_score), (high - score, other_score - other_low))
        )
        ends = difference - below, difference + above
    # Units that share something make the interval and the error wider, and the p-value larger.
    (factor,) = widening((gaps - sizes * difference)[:, None], shared)
    low, high = (difference + factor * (end - difference) for end in ends)
    error = clustered_error(gaps, sizes)
    (p,) = sign_flip_p_values(gaps[:, None], seed, [factor])
    return PairedDifference(difference, low, high, error and factor * error, len(sizes), p)


def sign_flip_p_values(gaps: FloatArray, seed: int = SEED, factors: Sequence[float] = (1.0,)) -> list[float]:
    """The two-sided p-value of each pair of models, a column of ``gaps``, by a paired permutation test.

    ``gaps``, shape ``(units, pairs)``, has by how much one model's sum over a unit is above the other's. If the two are
    equally good, each gap could as well have had the opposite sign, so the p-value is the share of all ways to flip
    signs that give a total at least as large as the one seen. Up to 13 units all ways are tried, above that 10,000
    seeded ones and the one seen (Phipson and Smyth 2010).

    Cases are right or wrong, so many ways give exactly the total that was seen. If all of these counted, the test would
    call 3 % of equal models different in place of 5 % (20 units, by accuracy). So half of them count: this is the
    mid-p-value (Lancaster 1961, "Significance tests in discrete distributions", Journal of the American Statistical
    Association 56), which Fagerland, Lydersen and Laake (2013, BMC Medical Research Methodology 13:91) advise for
    paired right and wrong. ``scipy.stats.permutation_test`` counts all of them.

    ``factors`` are those of ``widening``: where one is above 1, the normal quantile of the p-value is divided by it.
    """
    seen, units = np.abs(gaps.sum(axis=0)), len(gaps)
    all_ways = units <= _MOST_ENUMERATED
    larger, equal = np.zeros((2, len(seen)), dtype=np.int64)
    generator = np.random.default_rng(seed)
    at_once = DRAWS if all_ways else max(1, _SIGNS_AT_ONCE // units)  # all ways are one block
    for start in range(0, DRAWS, at_once):
        if all_ways:  # the bits of each number from 0 to 2ⁿ - 1
            flips = ((np.arange(2**units)[:, None] >> np.arange(units)) & 1).astype(np.int8)
        else:
            flips = generator.integers(2, size=(min(at_once, DRAWS - start), units), dtype=np.int8)
        signs = 1 - 2 * flips.astype(np.float64)
        excess = np.abs(signs @ gaps) - seen  # of each way's total over the one seen
        larger += np.count_nonzero(excess > ROUNDING, axis=0)
        equal += np.count_nonzero(np.abs(excess) <= ROUNDING, axis=0)
    # With drawn ways, the one seen is counted among the equal ones, so that p is never 0.
    ways = 2**units if all_ways else 1 + DRAWS
    p_values: list[float] = ((larger + (equal + (not all_ways)) / 2) / ways).tolist()
    if max(factors) > 1:
        quantiles = [NormalDist().inv_cdf(p / 2) for p in p_values]
        with_factors = zip(quantiles, np.broadcast_to(factors, len(quantiles)), strict=True)
        p_values = [math.erfc(-quantile / factor / math.sqrt(2)) for quantile, factor in with_factors]
    return [1.0 if gap <= ROUNDING else p for gap, p in zip(seen, p_values, strict=True)]


def detectable_effect(error: float, units: int) -> float:
    """The smallest true difference that a two-sided test at 5 % finds with a power of 80 %, from its standard error.

    (t.975 + z.80) SE (Bloom 1995, "Minimum detectable effects", Evaluation Review 19; Miller 2024, section 5).

    >>> round(detectable_effect(1.0, 1000), 2), round(detectable_effect(1.0, 10), 2)
    (2.8, 3.1)
    """
    return error * (_student_quantile(units - 1) + POWER_QUANTILE)


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values of several comparisons, raised so that the chance of any false alarm keeps its level (Holm 1979).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted


class Correlation(NamedTuple):
    """Both coefficients over ``models`` models with their intervals; None where they are not defined."""

    models: int
    pearson: float | None = None
    pearson_low: float | None = None
    pearson_high: float | None = None
    spearman: float | None = None
    spearman_low: float | None = None
    spearman_high: float | None = None


def correlate(ones: Sequence[float], others: Sequence[float]) -> Correlation:
    """The correlation of two scores of the same models, in the same order (Blair et al. 2016, section 4.4, figure 3).

    Pearson's r and Spearman's ρ, each with an interval of 95 % from Fisher's z: atanh(r) has the standard error
    1 / √(n - 3), and for ρ √((1 + ρ²/2) / (n - 3)) (Bonett and Wright 2000). There is no interval below four models,
    nor for a perfect correlation, where z is infinite, and no coefficient below three: two points are on a line.

    >>> found = correlate([1.0, 2.0, 3.0, 4.0, 6.0], [10.0, 20.0, 30.0, 40.0, 35.0])
    >>> round(found.pearson, 3), round(found.spearman, 3)
    (0.842, 0.9)
    """
    if len(ones) < 3 or len(set(ones)) < 2 or len(set(others)) < 2:
        return Correlation(len(ones))
    fields: dict[str, float] = {}
    for name, first, second in (("pearson", ones, others), ("spearman", ranks(ones), ranks(others))):
        coefficient = fields[name] = float(np.clip(np.corrcoef(first, second)[0, 1], -1, 1))
        if len(ones) >= FEWEST_MODELS and abs(coefficient) <= 1 - 1e-9:
            variance = 1 + coefficient**2 / 2 if name == "spearman" else 1
            middle, half = math.atanh(coefficient), NORMAL_QUANTILE * math.sqrt(variance / (len(ones) - 3))
            fields[f"{name}_low"], fields[f"{name}_high"] = math.tanh(middle - half), math.tanh(middle + half)
    return Correlation(models=len(ones), **fields)


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value from 1 up, ties sharing the mean rank."""
    _, index, counts = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True)
    return np.asarray(np.cumsum(counts) - (counts - 1) / 2)[index].tolist()
