"""The scores of annotators on their test cases, their agreement, and the scores of models on the same cases.

Accuracy is a mean over test cases, each of which counts once with the share of its answers that are right, so that it
can be set beside a model's, and so that the overlap does not count as often as it has annotators. "Cannot tell" is not
right.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from wikisem.errors import optional_module
from wikisem.evaluation.outlier_detection import Evaluation, GroupScore
from wikisem.evaluation.statistics import ErrorBars, IntArray, bootstrap, mean_of_shares
from wikisem.outputs.annotation.sheets import CANNOT_TELL, AnnotationCase, AnnotationSet, Answer
from wikisem.records import Group, Member, Outlier, class_of

Report = dict[str, Any]  # under the names that programs read


def case_shares(answers: Iterable[Answer], annotation: AnnotationSet) -> dict[str, float]:
    """The share of right answers of each case that has any."""
    right: defaultdict[str, list[bool]] = defaultdict(list)
    for one in answers:
        right[one.case].append(one.choice == annotation.by_id[one.case].outlier)
    return {case: sum(own) / len(own) for case, own in sorted(right.items())}


def score_annotators(answers: Sequence[Answer], annotation: AnnotationSet) -> Report:
    """The counts of each annotator, and the accuracy of all with error bars, of answers that ``check_answers`` gave.

    The share of "right_answers" among "answers" is what section 4.2 of Blair et al. (2016) calls precision.
    """
    annotators = []
    for name, asked in annotation.annotators.items():
        own = [one for one in answers if one.annotator == name]
        right = sum(one.choice == annotation.by_id[one.case].outlier for one in own)
        unsure = sum(one.choice == CANNOT_TELL for one in own)
        counts = {"asked": len(asked), "answered": len(own), "right": right, "cannot_tell": unsure}
        annotators.append({"annotator": name, **counts})
    shares = case_shares(answers, annotation)
    classes = {case.id: class_of(case.outlier_class).key for case in annotation.cases}
    return {
        "annotators": annotators,
        "answers": len(answers),
        "right_answers": sum(one["right"] for one in annotators),
        "accuracy": bars_as_json(mean_of_shares(list(shares.values()), annotation.seed)),
        "by_outlier_class": _by_class(shares, classes, annotation.seed),
    }


def _by_class(shares: Mapping[str, float], classes: Mapping[str, str], seed: int) -> Report:
    own = {name: [share for case, share in shares.items() if classes[case] == name] for name in classes.values()}
    return {name: bars_as_json(mean_of_shares(own[name], seed)) for name in sorted(own)}


def bars_as_json(bars: ErrorBars | None) -> Report | None:
    """A mean over ``count`` cases with its interval."""
    return None if bars is None else {"count": bars.n, "value": bars.value, "low": bars.low, "high": bars.high}


def agreement(answers: Iterable[Answer], annotation: AnnotationSet) -> ErrorBars | None:
    """Krippendorff's alpha for nominal values, over the cases with at least two answers; None if it is undefined.

    The value of an answer is the position that was chosen, cannot tell a value of its own. As outliers are at every
    position equally often, somebody who chooses without reading agrees by chance only. The interval is a bootstrap
    over cases. MissingExtraError if the krippendorff library is not installed.
    """
    row = {case.id: index for index, case in enumerate(annotation.cases)}
    counts = np.zeros((len(row), max(len(case.words) for case in annotation.cases) + 1), dtype=np.int64)
    for answer in answers:
        counts[row[answer.case], answer.choice] += 1
    counts = counts[counts.sum(axis=1) >= 2]
    value = krippendorff_alpha(counts)
    if math.isnan(value):
        return None
    low, high = bootstrap(len(counts), lambda drawn: krippendorff_alpha(counts[drawn]), annotation.seed)
    return ErrorBars(value, low, high, None, len(counts))


def krippendorff_alpha(counts: IntArray) -> float:
    """Nominal alpha of how many chose each value in each case, two or more in all; NaN if all chose the same value."""
    alpha = optional_module("krippendorff", "agreement", "agreement").alpha  # an extra, because its licence is the GPL
    if np.count_nonzero(counts.sum(axis=0)) < 2:
        return math.nan
    return float(alpha(value_counts=counts, level_of_measurement="nominal"))


def case_groups(cases: Iterable[AnnotationCase], language: str) -> list[Group]:
    """The cases as test groups with one outlier each, as models are scored on them; the id is that of the case."""
    return [
        Group(
            id=case.id,
            language=language,
            cluster=tuple(Member(surface=word) for at, word in enumerate(case.words, start=1) if at != case.outlier),
            outliers=(Outlier(surface=case.words[case.outlier - 1], outlier_class=case.outlier_class),),
            where=case.id,
        )
        for case in cases
    ]


def score_model(evaluation: Evaluation[GroupScore], shares: Mapping[str, float], seed: int) -> Report:
    """Compare a model with the annotators by their shares of cases; ``evaluation`` is of ``case_groups``."""
    scored = {group.group.id: case for group in evaluation.scores for case in group.cases if group.group.id in shares}
    classes = {group.group.id: group.group.outliers[0].of_class.key for group in evaluation.scores}
    detected = {name: float(case.detected) for name, case in scored.items()}
    positions, of_people = [case.position for case in scored.values()], [shares[case] for case in scored]
    return {
        "name": evaluation.name,
        "notes": list(evaluation.notes),
        "opp": bars_as_json(mean_of_shares(positions, seed)),
        "accuracy": bars_as_json(mean_of_shares(list(detected.values()), seed)),
        "by_outlier_class": _by_class(detected, classes, seed),
        "annotators_on_the_same_cases": bars_as_json(mean_of_shares(of_people, seed)),
    }
