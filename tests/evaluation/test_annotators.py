"""Scores of annotators, their agreement, and models on the same test cases."""

import sys
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from tests.word_groups import surfaces
from wikisem.errors import MissingExtraError
from wikisem.evaluation.outlier_detection import Evaluation, score_group
from wikisem.outputs.annotation.sheets import AnnotationCase, AnnotationSet, Answer
from wikisem.pipeline.commands.annotate import (
    agreement,
    case_groups,
    case_shares,
    krippendorff_alpha,
    score_annotators,
    score_model,
)

# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C: four observers, twelve units, nominal
# values, missing data (None). Alpha is 0.743 there.
TEXTBOOK = {
    "annotator-1": [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    "annotator-2": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    "annotator-3": [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    "annotator-4": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
}


def make_set(outliers: Sequence[int], annotators: Sequence[str], classes: Sequence[int | None] = ()) -> AnnotationSet:
    """Cases of six words with the outlier at these positions, which all annotators get."""
    cases = tuple(
        AnnotationCase(
            f"case-{at:02}",
            f"Q{at}",
            tuple(f"word{at}{letter}" for letter in "abcdef"),
            outlier,
            classes[at - 1] if classes else 1,
        )
        for at, outlier in enumerate(outliers, start=1)
    )
    ids = tuple(case.id for case in cases)
    return AnnotationSet("en", 7, cases, ids, dict.fromkeys(annotators, ids))


def make_answers(choices: Mapping[str, Sequence[int | None]], annotation: AnnotationSet) -> list[Answer]:
    """The answers of each annotator, in order of the cases; None is no answer."""
    return [
        Answer(annotation.fingerprint, name, case.id, choice, "", "here")
        for name, own in choices.items()
        for case, choice in zip(annotation.cases, own, strict=True)
        if choice is not None
    ]


def alpha_by_hand(choices: Mapping[str, Sequence[int | None]]) -> float:
    """Nominal alpha from its definition: pairs of answers to a unit that differ, over pairs of any two that differ."""
    units = [[value for value in column if value is not None] for column in zip(*choices.values(), strict=True)]
    units = [unit for unit in units if len(unit) >= 2]
    values = [value for unit in units for value in unit]
    observed: float = sum(
        sum(one != other for at, one in enumerate(unit) for other in unit[:at]) * 2 / (len(unit) - 1) for unit in units
    ) / len(values)
    expected: int = sum(one != other for at, one in enumerate(values) for other in values[:at]) * 2
    return 1 - observed * len(values) * (len(values) - 1) / expected


def test_alpha_is_that_of_the_textbook() -> None:
    """The example with missing data: 0.743; the unit with one answer is no evidence, so eleven cases count."""
    annotation = make_set([1] * 12, list(TEXTBOOK))
    estimate = agreement(make_answers(TEXTBOOK, annotation), annotation)
    assert estimate is not None
    assert round(estimate.value, 3) == 0.743
    assert estimate.n == 11
    assert estimate.low < estimate.value < estimate.high <= 1
    assert estimate == agreement(make_answers(TEXTBOOK, annotation), annotation)


@pytest.mark.parametrize("seed", range(5))
def test_alpha_is_that_of_its_definition(seed: int) -> None:
    """For made-up answers with gaps and cannot tell, the library and a count of pairs by hand agree."""
    generator = np.random.default_rng(seed)
    truth = generator.integers(1, 7, 15)
    choices = {
        f"annotator-{number}": [
            None if draw < 0.2 else int(generator.integers(0, 7)) if draw < 0.5 else int(right)
            for draw, right in zip(generator.random(15), truth, strict=True)
        ]
        for number in range(1, 5)
    }
    annotation = make_set([int(right) for right in truth], list(choices))
    estimate = agreement(make_answers(choices, annotation), annotation)
    assert estimate is not None
    assert estimate.value == pytest.approx(alpha_by_hand(choices))


def test_who_agrees_in_everything_has_alpha_one_and_who_always_says_the_same_none() -> None:
    """Alpha needs two values: with one value nothing can be told of chance."""
    annotation = make_set([1, 2, 3], ["a", "b"])
    same = agreement(make_answers({"a": [1, 2, 3], "b": [1, 2, 3]}, annotation), annotation)
    assert same is not None
    assert (same.value, same.low, same.high) == (1, 1, 1)
    assert agreement(make_answers({"a": [1, 1, 1], "b": [1, 1, 1]}, annotation), annotation) is None
    assert agreement(make_answers({"a": [1, 2, None], "b": [None, None, 3]}, annotation), annotation) is None
    assert agreement([], annotation) is None


def test_blind_choices_do_not_agree_beyond_chance() -> None:
    """Two who choose at random have an alpha near zero, inside its interval."""
    generator = np.random.default_rng(3)
    annotation = make_set([1] * 200, ["a", "b"])
    choices = {name: [int(value) for value in generator.integers(1, 7, 200)] for name in ("a", "b")}
    estimate = agreement(make_answers(choices, annotation), annotation)
    assert estimate is not None
    assert abs(estimate.value) < 0.1
    assert estimate.low < 0 < estimate.high


def test_without_the_library_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The licence of the library keeps it out of what is always installed."""
    monkeypatch.setitem(sys.modules, "krippendorff", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'wikisem\[agreement\]'"):
        krippendorff_alpha(np.array([[1, 1]]))


def test_each_case_counts_once_with_the_share_of_its_answers() -> None:
    """Of four cases: all, half, none and one answer right; an unanswered case is in no mean."""
    annotation = make_set([1, 2, 3, 4, 5], ["a", "b"], classes=[1, 1, 2, None, 2])
    given = make_answers({"a": [1, 2, 0, 4, None], "b": [1, 6, 2, None, None]}, annotation)
    score = score_annotators(given, annotation)
    assert case_shares(given, annotation) == {"case-01": 1, "case-02": 0.5, "case-03": 0, "case-04": 1}
    assert (score["accuracy"]["count"], score["accuracy"]["value"]) == (4, 0.625)
    assert score["accuracy"]["low"] < 0.625 < score["accuracy"]["high"]
    values = {name: (one["count"], one["value"]) for name, one in score["by_outlier_class"].items() if one}
    assert values == {"1": (2, 0.75), "2": (1, 0), "unknown": (1, 1)}
    counts = [(one["asked"], one["answered"], one["right"], one["cannot_tell"]) for one in score["annotators"]]
    assert counts == [(5, 4, 3, 1), (5, 3, 1, 0)]
    assert (score["answers"], score["right_answers"]) == (7, 4)


def test_a_class_without_answers_has_no_estimate() -> None:
    """It is named all the same, as the set asked for it."""
    annotation = make_set([1, 1], ["a"], classes=[1, 3])
    score = score_annotators(make_answers({"a": [1, None]}, annotation), annotation)
    assert score["by_outlier_class"]["3"] is None
    assert score["by_outlier_class"]["1"] is not None


def test_a_model_is_scored_on_the_cases_that_people_answered() -> None:
    """A case that it does not know, and one without an answer, are in neither number."""
    annotation = make_set([1, 2, 3, 4], ["a"], classes=[1, 2, 3, 3])
    shares = case_shares(make_answers({"a": [1, 1, 3, None]}, annotation), annotation)
    groups = case_groups(annotation.cases, "en")
    assert [group.outliers[0].surface for group in groups] == ["word1a", "word2b", "word3c", "word4d"]
    assert all(group.outliers[0].surface not in surfaces(group.cluster) and len(group.cluster) == 5 for group in groups)
    # All words are near (1, 0); the outlier of the first case is far off, that of the second is one of many.
    known = {
        word: np.array([1.0, 0.01 * at])
        for at, word in enumerate(word for group in groups for word in surfaces(group.cluster))
    }
    known |= {"word1a": np.array([0.0, 1.0]), "word2b": np.array([1.0, 0.055]), "word4d": np.array([0.0, 1.0])}
    scored = tuple(score_group(group, known) for group in groups)
    model = score_model(Evaluation("m", ("note",), scored), shares, seed=1)
    people = model["annotators_on_the_same_cases"]
    assert (model["accuracy"]["count"], model["accuracy"]["value"]) == (2, 0.5)
    assert (people["count"], people["value"]) == (2, 0.5)
    assert 0.5 <= model["opp"]["value"] < 1
    values = {name: one and one["value"] for name, one in model["by_outlier_class"].items()}
    assert values == {"1": 1, "2": 0, "3": None}
