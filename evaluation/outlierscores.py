"""Scores of a whole data set of test groups: OPP and accuracy, overall, by outlier class and by group."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from evaluation.lookup import Lookup
from evaluation.outliers import CaseScore, GroupScore, Known, score_groups
from wikisem.datasets import WordGroup


@dataclass(frozen=True, slots=True)
class Score:
    """OPP and accuracy in percent over a number of test cases; None where there are none."""

    cases: int
    opp: float | None
    accuracy: float | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What one model scored on a data set; ``name`` is the model's, ``notes`` what a reader should know about it."""

    name: str
    notes: tuple[str, ...]
    groups: tuple[GroupScore, ...]

    @property
    def skipped(self) -> int:
        """How many groups had too few words in vocabulary to give any test case."""
        return sum(not group.cases for group in self.groups)

    def overall(self) -> Score:
        """Over all test cases that remain."""
        return score(case for group in self.groups for case in group.cases)

    def by_outlier_class(self) -> dict[str, Score]:
        """By the outlier classes that the data set has, "unknown" the last, whether cases remain or not."""
        names = {class_name(outlier.outlier_class) for group in self.groups for outlier in group.group.outliers}
        cases = [case for group in self.groups for case in group.cases]
        return {
            name: score(case for case in cases if class_name(case.outlier.outlier_class) == name)
            for name in sorted(names)
        }

    def oov_cluster_percent(self) -> float:
        """The mean of the groups' percentages of cluster items out of vocabulary, skipped groups included."""
        return 100 * fmean(group.oov_cluster for group in self.groups)

    def oov_outlier_percent(self) -> float:
        """The mean of the groups' percentages of outliers out of vocabulary, skipped groups included."""
        return 100 * fmean(group.oov_outliers for group in self.groups)

    def as_json(self) -> dict[str, Any]:
        """The scores under the names that ``--json`` prints."""
        overall = self.overall()
        return {
            "groups": len(self.groups),
            "cases": overall.cases,
            "skipped_groups": self.skipped,
            "opp": overall.opp,
            "accuracy": overall.accuracy,
            "oov_cluster_percent": self.oov_cluster_percent(),
            "oov_outlier_percent": self.oov_outlier_percent(),
            "by_outlier_class": {
                name: {"cases": part.cases, "opp": part.opp, "accuracy": part.accuracy}
                for name, part in self.by_outlier_class().items()
            },
        }


def score(cases: Iterable[CaseScore]) -> Score:
    """OPP, the mean of OP / |C|, and accuracy, the share with OP = |C|, both in percent."""
    listed = list(cases)
    if not listed:
        return Score(0, None, None)
    opp, accuracy = fmean(case.position for case in listed), fmean(case.detected for case in listed)
    return Score(len(listed), 100 * opp, 100 * accuracy)


def class_name(outlier_class: int | None) -> str:
    """The outlier class as a report writes it."""
    return "unknown" if outlier_class is None else str(outlier_class)


def evaluate(groups: Sequence[WordGroup], lookups: Iterable[Lookup]) -> tuple[list[Evaluation], list[Evaluation]]:
    """Score every model on the whole data set, and several on what is in the vocabulary of all of them as well.

    The second list is empty for a single model; otherwise it has one evaluation for each, on the same test cases
    (Blair et al. 2016, section 4.1). Lookups are taken one after the other, and none is kept.
    """
    surfaces = {surface for group in groups for surface in words_of(group)}

    def look_up(lookup: Lookup) -> tuple[str, tuple[str, ...], Known]:
        return lookup.name, lookup.notes, lookup.find(surfaces)

    # Unlike a loop, map holds on to no lookup while the next one is opened.
    models = list(map(look_up, lookups))
    whole = [_evaluate(groups, *model) for model in models]
    if len(models) < 2:
        return whole, []
    shared = set.intersection(*(set(known) for _, _, known in models))
    common = [(name, notes, {surface: known[surface] for surface in shared}) for name, notes, known in models]
    return whole, [_evaluate(groups, *model) for model in common]


def words_of(group: WordGroup) -> list[str]:
    """All surfaces of a group, cluster first."""
    return [*group.cluster, *(outlier.surface for outlier in group.outliers)]


def _evaluate(groups: Sequence[WordGroup], name: str, notes: tuple[str, ...], known: Known) -> Evaluation:
    return Evaluation(name, notes, tuple(score_groups(groups, known)))
