"""What a model scored on test cases: by case and group, and OPP and accuracy of any part of a data set.

OPP is the mean of OP / |C| over test cases, accuracy the share with OP = |C|, both in percent. Error bars take the
group as the unit (``wikisem.evaluation.error_bars``) and are computed when they are first asked for.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

import numpy as np

from wikisem import __version__
from wikisem.datasets.word_groups import OutlierWord, WordGroup
from wikisem.evaluation.error_bars import SEED, ErrorBars, FloatArray, clustered_means
from wikisem.evaluation.group_names import group_ids

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class CaseScore:
    """One test case: OP as a share of the cluster, and whether the outlier was detected (OP = |C|)."""

    outlier: OutlierWord
    position: float
    detected: bool


@dataclass(frozen=True, slots=True)
class GroupScore:
    """The test cases of a group that remain, none if it was skipped, and its shares of words out of vocabulary."""

    group: WordGroup
    cases: tuple[CaseScore, ...]
    oov_cluster: float
    oov_outliers: float


@dataclass(frozen=True, eq=False)
class Score:
    """OPP and accuracy over some test cases.

    ``sums`` has shape ``(groups, 2)``, the sums of OP / |C| and of detected outliers over the cases of each group;
    ``counts`` the number of these cases, shape ``(groups,)``.
    """

    sums: FloatArray
    counts: FloatArray
    seed: int = SEED

    @property
    def cases(self) -> int:
        """The number of test cases."""
        return int(self.counts.sum())

    @property
    def groups(self) -> int:
        """The number of groups that have any."""
        return int(np.count_nonzero(self.counts))

    @property
    def opp(self) -> float | None:
        """OPP in percent; None without test cases."""
        return self._mean(0)

    @property
    def accuracy(self) -> float | None:
        """Accuracy in percent; None without test cases."""
        return self._mean(1)

    @cached_property
    def error_bars(self) -> tuple[ErrorBars, ErrorBars] | None:
        """OPP and accuracy in percent, each with an interval of 95 % and a standard error; None without test cases."""
        if not self.cases:
            return None
        opp, accuracy = clustered_means(self.sums, self.counts, self.seed)
        return opp.percent(), accuracy.percent()

    def _mean(self, column: int) -> float | None:
        return float(100 * self.sums[:, column].sum() / self.counts.sum()) if self.cases else None

    def as_json(self) -> dict[str, Any]:
        """Cases, OPP and accuracy with their error bars, under the names that programs read."""
        row: dict[str, Any] = {"cases": self.cases, "opp": self.opp, "accuracy": self.accuracy}
        opp, accuracy = self.error_bars or (None, None)
        return row | error_bars_as_json("opp", opp) | error_bars_as_json("accuracy", accuracy)


def error_bars_as_json(name: str, bars: ErrorBars | None) -> dict[str, float | None]:
    """The ends of the interval and the standard error of a score, null where there are none."""
    values = (None, None, None) if bars is None else (bars.low, bars.high, bars.standard_error)
    return dict(zip((f"{name}_low", f"{name}_high", f"{name}_se"), values, strict=True))


def score(groups: Iterable[GroupScore], keep: Callable[[CaseScore], bool] = lambda _: True, seed: int = SEED) -> Score:
    """The score over all test cases of some groups, or over those that ``keep`` keeps."""
    kept = [[case for case in group.cases if keep(case)] for group in groups]
    sums = [(sum(case.position for case in cases), sum(case.detected for case in cases)) for cases in kept]
    return Score(
        np.array(sums, dtype=np.float64).reshape(-1, 2), np.array([len(cases) for cases in kept], np.float64), seed
    )


def class_name(outlier_class: int | None) -> str:
    """The outlier class as a report writes it."""
    return UNKNOWN if outlier_class is None else str(outlier_class)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What one model scored on a data set; ``name`` is the model's, ``notes`` what a reader should know about it.

    ``seed`` is that of the draws for its error bars, ``dataset`` the name of the data set, if it has one.
    ``vocabulary_size`` is how many words the model lists, None where it reads any text.
    """

    name: str
    notes: tuple[str, ...]
    groups: tuple[GroupScore, ...]
    seed: int = SEED
    dataset: str = ""
    vocabulary_size: int | None = None

    @property
    def skipped(self) -> int:
        """How many groups had too few words in vocabulary to give any test case."""
        return sum(not group.cases for group in self.groups)

    def overall(self) -> Score:
        """Over all test cases that remain."""
        return score(self.groups, seed=self.seed)

    def by_outlier_class(self) -> dict[str, Score]:
        """By the outlier classes that the data set has, "unknown" the last, whether cases remain or not."""

        def of_class(name: str) -> Score:
            return score(self.groups, lambda case: class_name(case.outlier.outlier_class) == name, self.seed)

        names = {class_name(outlier.outlier_class) for group in self.groups for outlier in group.group.outliers}
        return {name: of_class(name) for name in sorted(names)}

    def by_language(self) -> dict[str, Score]:
        """By the languages of the groups, "unknown" where the data set does not tell."""
        parts: dict[str, list[GroupScore]] = {}
        for group in self.groups:
            parts.setdefault(group.group.language or UNKNOWN, []).append(group)
        return {name: score(parts[name], seed=self.seed) for name in sorted(parts)}

    def oov_cluster_percent(self) -> float:
        """The mean of the groups' percentages of cluster items out of vocabulary, skipped groups included."""
        return 100 * fmean(group.oov_cluster for group in self.groups)

    def oov_outlier_percent(self) -> float:
        """The mean of the groups' percentages of outliers out of vocabulary, skipped groups included."""
        return 100 * fmean(group.oov_outliers for group in self.groups)

    def as_json(self) -> dict[str, Any]:
        """The scores as plain values for JSON, under the names that programs read."""
        return {
            "model": self.name,
            "dataset": self.dataset,
            "version": __version__,
            "vocabulary_size": self.vocabulary_size,
            "groups": len(self.groups),
            "skipped_groups": self.skipped,
            **self.overall().as_json(),
            "oov_cluster_percent": self.oov_cluster_percent(),
            "oov_outlier_percent": self.oov_outlier_percent(),
            "by_outlier_class": {name: part.as_json() for name, part in self.by_outlier_class().items()},
            "by_language": {name: part.as_json() for name, part in self.by_language().items()},
            "by_group": self._groups_as_json(),
        }

    def _groups_as_json(self) -> list[dict[str, Any]]:
        names = group_ids([group.group for group in self.groups])
        return [
            {
                "group": name,
                "language": group.group.language,
                "cases": part.cases,
                "opp": part.opp,
                "accuracy": part.accuracy,
            }
            for name, group in zip(names, self.groups, strict=True)
            for part in [score([group])]
        ]
