"""Classes that a set has in several languages: they are one class, and say no more than it does in one language."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from msgspec import structs

from tests.evaluation.test_calibration import simulate
from tests.rows import one, scores
from tests.word_groups import baselines_of_cases, outlier_word, word_group
from wikisem.evaluation.calibration import calibrate, differences, short_forms
from wikisem.evaluation.outlier_detection import CaseScore, Evaluation, GroupScore, tally
from wikisem.evaluation.rows import Tally, marks
from wikisem.evaluation.statistics import clustered_error, clustered_means, clustered_wilson, compare_paired, wilson
from wikisem.records import Member


def evaluation(name: str, hits: npt.NDArray[np.bool_], languages: Sequence[str]) -> Evaluation[GroupScore]:
    """A class for each row of ``hits``, a case for each column, and the same answers in each language."""
    groups = [
        GroupScore(
            word_group(f"Q{number}", ("a", "b"), (outlier_word("x", 1),), "here", language),
            tuple(CaseScore(outlier_word("x", 1), float(hit), bool(hit)) for hit in row),
            0,
            0,
        )
        for language in languages
        for number, row in enumerate(hits)
    ]
    return Evaluation(name, (), tuple(groups))


ONE, OTHER = (np.random.default_rng(seed).random((30, 4)) < share for seed, share in ((1, 0.7), (2, 0.5)))


def test_a_second_language_with_the_same_answers_leaves_the_interval_as_it_is() -> None:
    """Of all cases and of an outlier class: ends, error and number of classes; only cases and groups are doubled."""
    once, twice = (scores(evaluation("m", ONE, languages)) for languages in (["en"], ["en", "de"]))
    for metric in ("accuracy", "opp"):
        for part in ({}, {"part": "outlier class"}):
            seen, doubled = one(once, metric, **part), one(twice, metric, **part)
            assert (seen.n, seen.cases) == (30, 120)
            assert doubled == structs.replace(seen, cases=240)
        of_language = one(twice, metric, part="language", name="de")
        assert of_language == structs.replace(one(once, metric, part="language"), name="de", language="de")
    assert [one(rows, "groups", part="coverage").value for rows in (once, twice)] == [30, 60]


def test_a_class_of_many_languages_weighs_more_than_others() -> None:
    """Nine classes in one language and one in ten are worth 361 / 109 classes: the interval is that of so few."""
    once = evaluation("m", ONE[:10], ["en"])
    nine = evaluation("m", ONE[:1], [f"x{number}" for number in range(9)])
    whole = cases_of(once._replace(scores=once.scores + nine.scores))
    assert len(whole.counts) == 10
    assert whole.worth == pytest.approx(361 / 109)
    (plain, *_) = clustered_means(whole.sums, whole.counts)
    (bars, _) = whole.error_bars()
    assert bars is not None
    assert bars.low < 100 * plain.low
    assert bars.standard_error == pytest.approx(100 * (plain.standard_error or 0))
    assert cases_of(evaluation("m", ONE, ["en", "de"])).worth == 30


def cases_of(answered: Evaluation[GroupScore]) -> Tally:
    """The tally of all cases."""
    return tally([(group, case) for group in answered.scores for case in group.cases])


def test_a_second_language_with_the_same_answers_makes_no_difference_surer() -> None:
    """The difference of two models, its interval and p-value, and which of them is tied with the best."""
    found = []
    for languages in (["en"], ["en", "de"]):
        rows = scores(evaluation("one", ONE, languages), evaluation("other", OTHER, languages))
        whole = [row for row in rows if row.part == "all"]
        assert {(row.n, row.unit) for row in whole} == {(30, "class")}
        assert {row.mark for row in whole if row.model == "one" and not row.less} == {"best"}
        found.append([structs.replace(row, cases=0) for row in whole])
    assert found[0] == found[1]
    assert len(found[0]) == 6


def test_a_second_language_with_the_same_answers_calibrates_nothing_better() -> None:
    """Errors of abilities and of their differences, and how firm the ranking is."""
    answers, _ = simulate(60, 0.0, abilities=np.array([-0.5, 0.0, 0.5]))
    twice = replace(
        answers,
        groups=(*answers.groups, *(f"de/{name}" for name in answers.groups)),
        classes=answers.classes * 2,
        right=np.tile(answers.right, (2, 1)),
        asked=np.tile(answers.asked, (2, 1)),
    )
    once, both = calibrate(answers), calibrate(twice)
    # The priors of abilities, which weigh half as much with twice the answers, change the third digit.
    assert both.abilities == pytest.approx(once.abilities, abs=0.01)
    assert both.errors == pytest.approx(once.errors, rel=0.02)
    errors = [[gap.error for gap in differences(found)] for found in (once, both)]
    assert errors[0] == pytest.approx(errors[1], rel=0.02)
    halves = [short_forms(one)[0] for one in (answers, twice)]
    assert [half.groups for half in halves] == [30, 60]
    assert halves[0] == replace(halves[1], groups=30)


def test_groups_of_one_class_are_halved_together() -> None:
    """Where every class gives other answers, but the same in both languages, neither half ranks as the other does."""
    answers, _ = simulate(40, 0.0, abilities=np.zeros(5))
    twice = replace(
        answers,
        groups=(*answers.groups, *(f"de/{name}" for name in answers.groups)),
        classes=answers.classes * 2,
        right=np.tile(answers.right, (2, 1)),
        asked=np.tile(answers.asked, (2, 1)),
    )
    assert short_forms(twice)[0].rho < 0.2 < short_forms(replace(twice, classes=twice.groups))[0].rho


def test_walls_with_common_classes_are_compared_as_one() -> None:
    """Thirty walls, each with a twin of the same classes and scores: the interval and p-value of the thirty alone."""
    generator = np.random.default_rng(4)
    one, other = generator.random(30) + 0.1, generator.random(30)
    classes = [frozenset({f"Q{at}", f"Q{100 + at}"}) for at in range(30)]
    alone = compare_paired(one, other, np.ones(30), 1, classes)
    twins = compare_paired(np.tile(one, 2), np.tile(other, 2), np.ones(60), 1, classes * 2)
    independent = compare_paired(np.tile(one, 2), np.tile(other, 2), np.ones(60), 1)
    assert alone is not None
    assert twins is not None
    assert independent is not None
    assert alone == compare_paired(one, other, np.ones(30), 1)  # no two walls share anything
    assert twins.standard_error == pytest.approx(alone.standard_error, rel=0.02)
    assert (twins.low, twins.high) == pytest.approx((alone.low, alone.high), abs=0.02)
    assert twins.p == pytest.approx(alone.p, rel=0.15)
    assert independent.p < alone.p / 2


def test_walls_with_common_classes_are_tied_where_the_classes_are_too_few() -> None:
    """Five of 25 walls speak for one model, p = 1/32: fewer than five, where all of them have one class."""
    one_each = np.array([[1.0, 0.0]] * 5 + [[0.0, 0.0]] * 20)
    assert marks(one_each) == ["best", ""]
    together = [frozenset({"Q0"} if at < 5 else {f"Q{at}"}) for at in range(25)]
    assert marks(one_each, shared=together) == ["best", "tied"]


def test_wilson_of_classes_is_for_as_many_cases_as_the_error_is_worth() -> None:
    """By the definition; never for more than there are, and for the classes where all of them agree."""
    sums, sizes = np.array([0.0, 3, 4, 1, 4, 2]), np.array([4.0] * 6)
    error = clustered_error(sums, sizes)
    assert error is not None
    share, quantiles = 14 / 24, 1.959964 / 2.570582  # Student's with five degrees of freedom
    trials = share * (1 - share) / error**2 * quantiles**2
    assert 0 < trials < 6
    assert clustered_wilson(sums, sizes) == pytest.approx(wilson(share, trials), rel=1e-6)
    alike = np.array([2.0, 2, 2, 3])
    assert clustered_wilson(alike, np.full(4, 4.0)) == pytest.approx(wilson(9 / 16, 16))
    assert clustered_wilson(np.array([4.0, 4.0]), np.full(2, 4.0)) == wilson(1.0, 2)
    assert clustered_wilson(np.array([3.0]), np.array([4.0])) == wilson(0.75, 1)


def test_baselines_of_a_doubled_class_are_no_surer() -> None:
    """Each class with all of its cases twice: the interval of a picker stays as it is."""
    words = [Member(surface=word) for word in ("a", "bb", "ccc")]
    cases = [(f"Q{at % 8}", [*words[: 1 + at % 3], outlier_word("d" * (1 + at % 4), 1)]) for at in range(24)]
    once, twice = baselines_of_cases(cases)["longest"], baselines_of_cases(cases * 2)["longest"]
    assert once is not None
    assert twice is not None
    assert twice.n == 48
    assert (twice.value, twice.low, twice.high) == pytest.approx((once.value, once.low, once.high))


def test_sums_of_units_that_share_nothing_are_not_widened() -> None:
    """The interval and error of walls without a common class are those of independent walls."""
    sums = np.random.default_rng(1).random((20, 1))
    own = [frozenset({f"Q{at}"}) for at in range(20)]
    assert clustered_means(sums, np.ones(20), 3, own) == clustered_means(sums, np.ones(20), 3)
    (pairs,) = clustered_means(sums, np.ones(20), 3, [frozenset({f"Q{at // 2}"}) for at in range(20)])
    deviations = (sums - sums.mean()).reshape(10, 2).sum(axis=1)
    assert pairs.standard_error == pytest.approx(
        math.sqrt(max((deviations**2).sum(), ((sums - sums.mean()) ** 2).sum()) * 20 / 19) / 20
    )
