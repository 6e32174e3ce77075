"""Error bars: against the definitions case by case, and against SciPy's bootstrap."""

import math

import numpy as np
import numpy.typing as npt
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from wikisem.evaluation.statistics import (
    bootstrap,
    clustered_error,
    clustered_means,
    expanded_tail,
    mean_of_shares,
    wilson,
)

GROUPS = st.lists(st.lists(st.integers(0, 8).map(lambda n: n / 8), min_size=1, max_size=7), min_size=2, max_size=30)


def literal_error(groups: list[list[float]]) -> float:
    """Miller (2024), equation 4, as a sum over pairs of cases of one group, times groups / (groups - 1)."""
    cases = [case for group in groups for case in group]
    mean = sum(cases) / len(cases)
    total = sum((one - mean) * (other - mean) for group in groups for one in group for other in group)
    return float((max(total, 0.0) * len(groups) / (len(groups) - 1)) ** 0.5 / len(cases))


def sums_and_counts(groups: list[list[float]]) -> tuple[np.ndarray, np.ndarray]:
    """What the library takes: a sum and a number of cases for each group."""
    return np.array([[sum(group)] for group in groups], np.float64), np.array([len(group) for group in groups])


@settings(max_examples=40, deadline=None)
@given(GROUPS, st.integers(0, 2**63))
def test_the_standard_error_is_that_of_the_definition(groups: list[list[float]], seed: int) -> None:
    """The mean, the clustered error and an interval around the mean, within 0 and 1, the same for the same seed."""
    sums, counts = sums_and_counts(groups)
    (bars,) = clustered_means(sums, counts, seed)
    cases = [case for group in groups for case in group]
    assert bars.value == pytest.approx(sum(cases) / len(cases), abs=1e-12)
    assert bars.standard_error == pytest.approx(literal_error(groups), abs=1e-8)  # roots of what rounding leaves of 0
    assert -1e-12 <= bars.low <= bars.value + 1e-9
    assert bars.value - 1e-9 <= bars.high <= 1 + 1e-12
    assert bars.n == len(groups)
    assert clustered_means(sums, counts, seed) == [bars]


def test_the_standard_error_is_that_of_scipy_where_groups_have_one_case() -> None:
    """Cases that are groups of their own are independent: the standard error of the mean."""
    cases = np.random.default_rng(3).random(50)
    assert clustered_error(cases, np.ones(50)) == pytest.approx(scipy.stats.sem(cases))


@pytest.mark.parametrize("count", [25, 200])
def test_the_interval_is_that_of_scipy(count: int) -> None:
    """SciPy's percentile bootstrap of the ratio at the same tails draws the same groups and gives the same ends."""
    generator = np.random.default_rng(count)
    counts = generator.integers(1, 7, size=count)
    sums = generator.binomial(counts, generator.beta(3, 1, size=count)).astype(np.float64)
    (bars,) = clustered_means(sums[:, None], counts, seed=1)
    other = scipy.stats.bootstrap(
        (sums, counts),
        lambda right, cases, axis: right.sum(axis=axis) / cases.sum(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=10_000,
        confidence_level=1 - 2 * expanded_tail(count),
        method="percentile",
        rng=np.random.default_rng(1),
    )
    assert (bars.low, bars.high) == pytest.approx(tuple(other.confidence_interval), rel=1e-12)


def test_the_interval_of_any_statistic_is_drawn_as_that_of_a_mean_is() -> None:
    """The bootstrap of the mean, and the error bars of as many groups of one case."""
    values = np.random.default_rng(1).random(40)
    bars = mean_of_shares(values.tolist(), seed=2)
    assert bars is not None
    assert bootstrap(40, lambda drawn: float(values[drawn].mean()), seed=2) == pytest.approx((bars.low, bars.high))
    assert mean_of_shares([]) is None


def test_undefined_draws_are_left_out() -> None:
    """A statistic that is NaN for some draws has the interval of the others, and NaN if it is so for all."""

    def first_if_odd(drawn: npt.NDArray[np.int64]) -> float:
        return float(drawn[0]) if drawn[0] % 2 else math.nan

    assert bootstrap(4, first_if_odd, seed=1) == (1.0, 3.0)
    assert all(map(math.isnan, bootstrap(4, lambda _: math.nan, seed=1)))


@pytest.mark.parametrize(
    ("right", "count", "low", "high"),
    # Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_agrees_with_a_published_table(right: int, count: int, low: float, high: float) -> None:
    """Four digits, as printed there."""
    assert [round(end, 4) for end in wilson(right / count, count)] == [low, high]


@pytest.mark.parametrize("groups", [2, 5, 20, 5000])
def test_the_tail_is_that_of_student(groups: int) -> None:
    """As it is written with the quantile of Student's t and the normal distribution."""
    quantile = scipy.stats.t.ppf(0.975, groups - 1) * (groups / (groups - 1)) ** 0.5
    assert expanded_tail(groups) == pytest.approx(scipy.stats.norm.cdf(-quantile), rel=1e-9)
    assert expanded_tail(groups) < 0.025


def test_few_groups_have_wider_intervals() -> None:
    """Each step down in the number of groups cuts off less; one group has no tail to cut."""
    tails = [expanded_tail(groups) for groups in range(1, 60)]
    assert tails[0] == 0
    assert tails == sorted(tails)


def test_the_interval_of_four_groups_is_their_range() -> None:
    """However small the group is that has an end: in one draw of 256 it comes four times."""
    (bars,) = clustered_means(np.array([[8.0], [1.0], [3.0], [2.0]]), np.array([10, 1, 4, 4]))
    assert (bars.low, bars.high) == (0.5, 1.0)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_equal_groups_do_not_claim_certainty(share: float) -> None:
    """Where every group has the same mean, the interval is Wilson's for the groups, not for their cases."""
    counts = np.array([2, 4, 6, 8])
    (bars,) = clustered_means(share * counts[:, None].astype(np.float64), counts)
    assert (bars.low, bars.high) == wilson(share, 4)
    assert bars.standard_error == 0


def test_a_single_group_has_no_standard_error() -> None:
    """One group does not show how groups differ; its interval is wide."""
    (bars,) = clustered_means(np.array([[3.0]]), [4])
    assert bars.standard_error is None
    assert bars.high - bars.low > 0.8


def test_groups_without_cases_are_left_out() -> None:
    """A skipped group changes neither the ends nor the number of groups; nothing but skipped ones is an error."""
    sums, counts = np.array([[1.0], [0.0], [3.0], [2.0]]), np.array([4, 0, 4, 2])
    assert clustered_means(sums, counts) == clustered_means(sums[[0, 2, 3]], counts[[0, 2, 3]])
    with pytest.raises(ValueError, match="expected cases, saw none"):
        clustered_means(np.zeros((2, 1)), [0, 0])


def test_dependent_cases_are_not_taken_for_independent_ones() -> None:
    """Of 100 groups whose six cases are all right or all wrong, the error is that of 100 cases, not of 600."""
    right = np.random.default_rng(5).integers(2, size=100) * 6.0
    (bars,) = clustered_means(right[:, None].astype(np.float64), np.full(100, 6))
    assert bars.standard_error == pytest.approx((bars.value * (1 - bars.value) / 99) ** 0.5)


def test_several_means_share_their_draws() -> None:
    """Columns are independent of each other: each is what it is alone."""
    generator = np.random.default_rng(2)
    sums, counts = generator.integers(6, size=(30, 2)).astype(np.float64), np.full(30, 5)
    assert clustered_means(sums, counts) == [clustered_means(sums[:, [at]], counts)[0] for at in (0, 1)]
