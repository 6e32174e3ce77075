"""Paired comparisons: against every way to flip signs, and against SciPy's permutation test."""

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.rows import scores
from tests.word_groups import outlier_word, word_group
from wikisem.evaluation import category_scores
from wikisem.evaluation.options import SEED
from wikisem.evaluation.outlier_detection import CaseScore, Evaluation, GroupScore
from wikisem.evaluation.rows import PartScore, marks, rows_of
from wikisem.evaluation.statistics import FloatArray, compare_paired, holm, sign_flip_p_values


def sign_flip_p(gaps: FloatArray, seed: int = SEED) -> float:
    """The p-value of one column of differences."""
    return sign_flip_p_values(gaps[:, None], seed)[0]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=8))
def test_the_p_value_counts_all_ways_to_flip_signs(gaps: list[int]) -> None:
    """Exact for few groups: twice the share of larger sums and of half of those that equal the sum that was seen."""
    ways = [
        sum(sign * gap for sign, gap in zip(signs, gaps, strict=True)) for signs in product([1, -1], repeat=len(gaps))
    ]
    seen = abs(sum(gaps))
    one_sided = Fraction(sum(way > seen for way in ways)) + Fraction(sum(way == seen for way in ways), 2)
    assert sign_flip_p(np.array(gaps, float)) == float(2 * one_sided / len(ways))


@pytest.mark.parametrize(
    ("gaps", "p"),
    [
        ([1, 1, 1, 1, 1], 1 / 32),  # one of the 32 ways and its opposite, half of each
        ([1, 1, 1, 1, 0], 1 / 16),  # a group that does not differ says nothing
        ([2, 1, 1], 1 / 8),
        ([2, -1, -1], 1),
        ([3, 1, 1, -1], 5 / 16),  # of 16 ways, 2 give 6 or -6, and 6 give 4 or -4, which was seen
        ([0, 0, 0], 1),
        ([], 1),
    ],
)
def test_half_of_the_ways_that_tie_count(gaps: list[float], p: float) -> None:
    """Worked out by hand; no difference at all is no evidence, though half of the ties would be .5."""
    assert sign_flip_p(np.array(gaps, float)) == p


@pytest.mark.parametrize("count", [12, 60])
def test_the_p_value_is_that_of_scipy(count: int) -> None:
    """Exact at 12 groups; at 60, where both draw 10,000 ways, within four standard errors."""
    generator = np.random.default_rng(count)
    one, other = generator.random(count), generator.random(count) * 0.9
    found = scipy.stats.permutation_test(
        (one, other),
        lambda x, y, axis: (x - y).mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=9_999,
        rng=np.random.default_rng(1),
    )
    ours = sign_flip_p(one - other)
    assert 0.01 < ours < 0.9
    # SciPy counts the sum that was seen in full, and its opposite; with continuous differences nothing else ties.
    ties = 2 / 2**12 if count == 12 else 0
    assert ours == pytest.approx(found.pvalue - ties / 2, abs=1e-12 if count == 12 else 0.02)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=14, max_size=40).filter(sum))
def test_drawn_signs_give_nearly_the_exact_value(gaps: list[int]) -> None:
    """With many ties, against the exact distribution of the sum, by adding up one group after the other."""
    ways = {0: Fraction(1)}
    for gap in gaps:
        flipped = defaultdict[int, Fraction](Fraction)
        for total, share in ways.items():
            flipped[total + gap] += share / 2
            flipped[total - gap] += share / 2
        ways = flipped
    seen = abs(sum(gaps))
    exact = 2 * sum(share for total, share in ways.items() if total > seen) + ways.get(seen, 0)
    assert sign_flip_p(np.array(gaps, float)) == pytest.approx(float(exact), abs=0.025)


@pytest.mark.parametrize(("groups", "percent"), [(4, 0.0), (5, 6.25), (6, 6.25), (8, 4.6875), (10, 5.078125)])
def test_false_alarms_where_no_differences_tie(groups: int, percent: float) -> None:
    """The figures of docs/evaluation.md: of all ways to flip the signs, the share whose p-value is .05 or less."""
    gaps = 2.0 ** np.arange(groups)
    signs = np.array(list(product((1, -1), repeat=groups)))
    alarms = sum(sign_flip_p(gaps * one) <= 0.05 for one in signs)
    assert 100 * alarms / len(signs) == percent


def test_the_seed_decides_the_drawn_signs() -> None:
    """Many groups: the same seed gives the same p, never 0, another seed nearly the same."""
    gaps = np.random.default_rng(4).normal(0.15, 1, size=200)
    assert sign_flip_p(gaps, 1) == sign_flip_p(gaps, 1)
    assert sign_flip_p(gaps, 1) != sign_flip_p(gaps, 2)
    assert sign_flip_p(gaps, 1) == pytest.approx(sign_flip_p(gaps, 2), abs=0.02)
    assert sign_flip_p(np.ones(200)) == 0.5 / 10_001


def test_pairing_sees_what_two_intervals_do_not() -> None:
    """A model better by a tenth in every group but one, while groups differ widely, is better beyond doubt."""
    counts = np.full(40, 10)
    other = np.linspace(0, 9, 40)
    one = other + 1
    one[7] -= 2
    pair = compare_paired(one, other, counts)
    assert pair is not None
    assert pair.value == pytest.approx(0.095)
    assert 0.08 < pair.low < pair.value < pair.high < 0.11
    assert pair.p < 0.001
    assert pair.standard_error == pytest.approx(0.005)


def test_equal_differences_have_an_interval() -> None:
    """Two models that differ alike in all groups: draws would say that the difference is known exactly."""
    certain = compare_paired(np.full(10, 4.0), np.full(10, 2.0), np.full(10, 4))
    assert certain is not None
    # Newcombe's interval for 10 of 10 against 5 of 10, uncorrelated.
    assert (certain.value, certain.low, certain.high) == pytest.approx((0.5, 0.1174, 0.7634), abs=1e-4)
    same = compare_paired(np.array([4.0, 1.0]), np.array([4.0, 1.0]), np.full(2, 4))
    assert same is not None
    assert (same.value, same.p) == (0, 1)
    assert same.low < 0 < same.high


def test_without_cases_nothing_is_compared() -> None:
    """Groups that were skipped in both do not count; without any other, there is no comparison."""
    assert compare_paired(np.zeros(2), np.zeros(2), [0, 0]) is None
    one, other = np.array([2.0, 0.0, 1.0]), np.array([1.0, 0.0, 1.0])
    assert compare_paired(one, other, [2, 0, 2]) == compare_paired(one[[0, 2]], other[[0, 2]], [2, 2])


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_holm_rejects_what_its_steps_reject(p_values: list[float]) -> None:
    """An adjusted p is at most the level exactly where the step-down procedure rejects, for every level."""
    adjusted = holm(p_values)
    for level in (0.01, 0.05, 0.3):
        rejected = set()
        for rank, at in enumerate(sorted(range(len(p_values)), key=lambda at: p_values[at])):
            if (len(p_values) - rank) * p_values[at] > level:
                break
            rejected.add(at)
        assert {at for at, p in enumerate(adjusted) if p <= level} == rejected


def evaluation(name: str, hits: list[int]) -> Evaluation[GroupScore]:
    """Groups of two cases, of which so many are detected."""
    groups = []
    for number, hit in enumerate(hits):
        cases = tuple(CaseScore(outlier_word("x"), float(at < hit), at < hit) for at in range(2))
        groups.append(GroupScore(word_group(f"Q{number}", ("a", "b"), (), ""), cases, 0, 0))
    return Evaluation(name, (), tuple(groups))


def test_every_two_models_are_compared() -> None:
    """Three models make three pairs for each score, the p-values of one score corrected together."""
    models = [evaluation("a", [2] * 6), evaluation("b", [1, 2, 1, 1, 1, 1]), evaluation("c", [1, 0, 1, 0, 1, 1])]
    found = [row for row in scores(*models) if row.less]
    assert [(row.metric, row.model, row.less) for row in found] == [
        (metric, *pair) for metric in ("accuracy", "opp") for pair in (("a", "b"), ("a", "c"), ("b", "c"))
    ]
    assert [row.p for row in found[:3]] == [1 / 32, 1 / 64, 1 / 4]
    assert [row.p_holm for row in found[:3]] == [0.0625, 0.046875, 0.25]
    assert found[0].value == pytest.approx(100 * 5 / 12)
    assert (found[0].n, found[0].unit, found[0].cases) == (6, "class", 12)
    assert [row for row in scores(models[0]) if row.less] == []


def test_models_that_were_asked_other_cases_are_not_compared() -> None:
    """Units that one model was not asked are in no difference; without a common one there is none, and no mark."""
    one, other = evaluation("a", [2] * 6), evaluation("b", [1] * 6)
    fewer = other._replace(scores=other.scores[:4])
    assert {row.n for row in scores(one, fewer) if row.less} == {4}
    named = [structs.replace(group.group, id=f"{group.group.id}0") for group in other.scores]
    renamed = [replace(group, group=own) for group, own in zip(other.scores, named, strict=True)]
    rows = scores(one, other._replace(scores=tuple(renamed)))
    assert {(row.less, row.mark) for row in rows} == {("", "")}


def test_categories_are_compared_where_all_models_have_a_score() -> None:
    """A category that one model skipped is left out for all."""
    both = [
        [PartScore(name, 5, 0, correct, 10) for name, correct in zip("abc", row, strict=True)]
        for row in ([9, 8, 7], [5, 6, 4])
    ]
    both[1][2] = PartScore("c", 1, 0, 0, 0)
    scored = [category_scores.scored(name, "", None, own) for name, own in zip(("one", "other"), both, strict=True)]
    (row,) = (row for row in rows_of("topk", scored) if row.less)
    assert (row.n, row.unit) == (2, "category")
    assert row.value == pytest.approx(30)
    assert row.p == 0.25


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ([[1] * 12, [0] * 12], ["best", ""]),
        ([[1] * 12, [1] * 8 + [0] * 4], ["best", "tied"]),  # 4 of 4 groups for one: p = 1 / 16
        ([[1] * 12, [1] * 7 + [0] * 5], ["best", ""]),  # 5 of 5: p = 1 / 32
        ([[1] * 12, [1] * 7 + [0] * 5, [1] * 7 + [0] * 5], ["best", "tied", "tied"]),  # Holm: 3 / 32
        ([[1, 0] * 6, [0, 1] * 6], ["best", "best"]),
        ([[1] * 12], [""]),
        ([[], []], ["", ""]),
    ],
)
def test_models_are_tied_that_the_test_cannot_tell_from_the_best(columns: list[list[int]], expected: list[str]) -> None:
    """By hand: the sign-flip test by group, corrected for every two models; one model alone is not the best."""
    assert marks(np.array(columns, float).T) == expected
