"""Correlations and their intervals, against SciPy."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from wikisem.evaluation.statistics import correlate

VALUES = st.lists(st.integers(0, 6).map(float), min_size=5, max_size=5)


@given(VALUES, VALUES)
def test_coefficients_are_those_of_scipy(ones: list[float], others: list[float]) -> None:
    """Both, and Pearson's interval; a score that never changes has none."""
    found = correlate(ones, others)
    if len(set(ones)) == 1 or len(set(others)) == 1:
        assert (found.pearson, found.spearman, found.pearson_low) == (None, None, None)
        return
    theirs = scipy.stats.pearsonr(ones, others)
    assert found.pearson == pytest.approx(theirs.statistic, abs=1e-12)
    assert found.spearman == pytest.approx(scipy.stats.spearmanr(ones, others).statistic, abs=1e-12)
    if abs(theirs.statistic) < 0.999:
        interval = theirs.confidence_interval(0.95)
        assert (found.pearson_low, found.pearson_high) == pytest.approx((interval.low, interval.high), abs=1e-9)


def test_the_interval_of_rho_covers_it() -> None:
    """In 95 of 100 samples of twelve models, give or take two and a half."""
    generator = np.random.default_rng(3)
    truth, hits = 6 / np.pi * np.arcsin(0.6 / 2), 0
    for _ in range(1000):
        ones = generator.normal(size=12)
        others = 0.6 * ones + 0.8 * generator.normal(size=12)
        found = correlate(ones.tolist(), others.tolist())
        assert found.spearman_low is not None and found.spearman_high is not None
        hits += found.spearman_low <= truth <= found.spearman_high
    assert 925 <= hits <= 975


def test_few_models_have_no_interval() -> None:
    """Three points are near a line too easily, two are on one; of a perfect correlation, z is infinite: no claims."""
    assert correlate([1, 2, 3], [1, 3, 2]).pearson_low is None
    perfect = correlate([1, 2, 3, 4], [2, 4, 6, 8])
    assert perfect.spearman == pytest.approx(1)
    assert (perfect.spearman_low, perfect.pearson_high) == (None, None)
    assert correlate([1, 2], [1, 3]).pearson is correlate([1, 2], [1, 3]).spearman is None
    assert correlate([], []).pearson is None
