"""Intervals of 95 %: the seeded bootstrap, and Wilson's where all values are equal."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wikisem.evaluation.statistics import bootstrap, mean_with_interval, wilson


@pytest.mark.parametrize(
    ("right", "count", "low", "high"),
    # Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_agrees_with_a_published_table(right: int, count: int, low: float, high: float) -> None:
    """Four digits, as printed there."""
    assert [round(end, 4) for end in wilson(right / count, count)] == [low, high]


def test_equal_values_do_not_claim_certainty() -> None:
    """Ten of ten right: every resample says 100 %, Wilson's interval begins at 72 %."""
    estimate = mean_with_interval([1.0] * 10, seed=1)
    assert estimate is not None
    assert (estimate.count, estimate.value, estimate.high) == (10, 1.0, 1.0)
    assert estimate.low == pytest.approx(0.7225, abs=1e-4)


def test_nothing_has_no_mean() -> None:
    """Without values there is no estimate."""
    assert mean_with_interval([], seed=1) is None


@settings(max_examples=20)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers(0, 2**64 - 1))
def test_the_mean_is_inside_its_interval_and_the_seed_decides_it(values: list[float], seed: int) -> None:
    """Ends are shares on both sides of the mean, the same for the same seed."""
    estimate = mean_with_interval(values, seed)
    assert estimate is not None
    assert estimate == mean_with_interval(values, seed)
    assert 0 <= estimate.low <= estimate.value + 1e-9
    assert estimate.value - 1e-9 <= estimate.high <= 1 + 1e-9


def test_the_bootstrap_is_as_wide_as_the_normal_interval() -> None:
    """For 400 values the percentile interval is the textbook's 1.96 standard errors, within a twentieth."""
    values = np.random.default_rng(1).random(400)
    low, high = bootstrap(400, lambda drawn: float(values[drawn].mean()), seed=2)
    half = 1.96 * values.std() / 20
    assert (high - low) / 2 == pytest.approx(half, rel=0.05)
    assert (high + low) / 2 == pytest.approx(values.mean(), abs=half / 10)


def test_undefined_resamples_are_left_out() -> None:
    """A statistic that is NaN for some resamples has the interval of the others, and NaN if it is so for all."""

    def first_if_odd(drawn: npt.NDArray[np.int64]) -> float:
        return float(drawn[0]) if drawn[0] % 2 else math.nan

    assert bootstrap(4, first_if_odd, seed=1) == (1.0, 3.0)
    assert all(map(math.isnan, bootstrap(4, lambda _: math.nan, seed=1)))
