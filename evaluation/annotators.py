"""The scores of annotators on their test cases, their agreement, and the scores of models on the same cases.

Accuracy is a mean over test cases, each of which counts once with the share of its answers that are right, so that it
can be set beside a model's, and so that the overlap does not count as often as it has annotators. "Cannot tell" is not
right.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wikisem.errors import optional_module
from wikisem.evaluation.outlier_detection import Evaluation
from wikisem.evaluation.statistics import ErrorBars, bootstrap, mean_of_shares
from wikisem.outputs.annotation.sheets import CANNOT_TELL, AnnotationCase, AnnotationSet, Answer
from wikisem.records import Group, Member, Outlier, class_of


@dataclass(frozen=True, slots=True)
class AnnotatorScore:
    """The counts of one annotator: cases asked, answered, right, and answered with cannot tell."""

    annotator: str
    asked: int
    answered: int
    right: int
    cannot_tell: int


@dataclass(frozen=True, slots=True)
class HumanScore:
    """The scores of all annotators; the means are None if no case has an answer."""

    annotators: tuple[AnnotatorScore, ...]
    overall: ErrorBars | None
    by_outlier_class: Mapping[str, ErrorBars | None]
    shares: Mapping[str, float]
    """The share of right answers of each case that has any."""

    @property
    def answers(self) -> int:
        """How many answers there are, cannot tell included."""
        return sum(one.answered for one in self.annotators)

    @property
    def right(self) -> int:
        """How many of the answers are right; as a share, what section 4.2 of Blair et al. (2016) calls precision."""
        return sum(one.right for one in self.annotators)


def score_annotators(answers: Sequence[Answer], annotation: AnnotationSet) -> HumanScore:
    """Score answers that ``check_answers`` let through."""
    right = {(one.annotator, one.case): one.choice == annotation.by_id[one.case].outlier for one in answers}
    by_case: defaultdict[str, list[bool]] = defaultdict(list)
    for (_, case), is_right in right.items():
        by_case[case].append(is_right)
    shares = {case: sum(own) / len(own) for case, own in sorted(by_case.items())}
    unsure = Counter(one.annotator for one in answers if one.choice == CANNOT_TELL)
    annotators = []
    for name, asked in annotation.annotators.items():
        own = [is_right for (annotator, _), is_right in right.items() if annotator == name]
        annotators.append(AnnotatorScore(name, len(asked), len(own), sum(own), unsure[name]))
    classes = {case.id: class_of(case.outlier_class).key for case in annotation.cases}
    by_class = _by_class(shares, classes, annotation.seed)
    return HumanScore(tuple(annotators), mean_of_shares(list(shares.values()), annotation.seed), by_class, shares)


def _by_class(shares: Mapping[str, float], classes: Mapping[str, str], seed: int) -> dict[str, ErrorBars | None]:
    return {
        name: mean_of_shares([share for case, share in shares.items() if classes[case] == name], seed)
        for name in sorted(set(classes.values()))
    }


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


def krippendorff_alpha(counts: npt.NDArray[np.int64]) -> float:
    """Nominal alpha of a matrix of cases by values that says how many chose which; NaN if all chose the same value."""
    alpha = optional_module("krippendorff", "agreement", "agreement").alpha  # an extra, because its licence is the GPL
    pairable = counts[counts.sum(axis=1) >= 2]
    if np.count_nonzero(pairable.sum(axis=0)) < 2:
        return math.nan
    return float(alpha(value_counts=pairable, level_of_measurement="nominal"))


def case_groups(cases: Iterable[AnnotationCase], language: str) -> list[Group]:
    """The cases as test groups with one outlier each, as models are scored on them; the id is that of the case."""
    return [
        Group(
            id=case.id,
            language=language,
            cluster=tuple(Member(surface=word) for word in case.cluster),
            outliers=(Outlier(surface=case.words[case.outlier - 1], outlier_class=case.outlier_class),),
            where=case.id,
        )
        for case in cases
    ]


@dataclass(frozen=True, slots=True)
class ModelScore:
    """A model on the cases that have answers: OPP, accuracy, and the annotators' accuracy on the cases it can score."""

    name: str
    notes: tuple[str, ...]
    opp: ErrorBars | None
    accuracy: ErrorBars | None
    by_outlier_class: Mapping[str, ErrorBars | None]
    people: ErrorBars | None


def score_model(evaluation: Evaluation, human: HumanScore, seed: int) -> ModelScore:
    """Compare a model with the annotators; ``evaluation`` is of ``case_groups``."""
    scored = {
        group.group.id: case for group in evaluation.groups for case in group.cases if group.group.id in human.shares
    }
    classes = {group.group.id: group.group.outliers[0].of_class.key for group in evaluation.groups}
    detected = {name: float(case.detected) for name, case in scored.items()}
    return ModelScore(
        evaluation.name,
        evaluation.notes,
        mean_of_shares([case.position for case in scored.values()], seed),
        mean_of_shares(list(detected.values()), seed),
        _by_class(detected, classes, seed),
        mean_of_shares([human.shares[case] for case in scored], seed),
    )
