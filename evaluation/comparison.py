"""Which of several models is better: every two on the same test cases or categories, with Holm's correction."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from wikisem.evaluation.outlier_detection import Evaluation
from wikisem.evaluation.statistics import SEED, FloatArray, PairedDifference, compare_paired, holm, pairs
from wikisem.evaluation.topk import CategoryScore
from wikisem.evaluation.walls import WallEvaluation

METRICS: Final = ("opp", "accuracy")


@dataclass(frozen=True, slots=True)
class Comparison:
    """A score of the model ``one`` less that of ``other``; ``p_holm`` is corrected for all pairs of models."""

    metric: str
    one: str
    other: str
    pair: PairedDifference
    p_holm: float
    dataset: str = ""

    def as_json(self) -> dict[str, Any]:
        """Under the names that programs read; differences in percentage points."""
        pair = self.pair
        error = None if pair.standard_error is None else 100 * pair.standard_error
        return {
            "metric": self.metric,
            "dataset": self.dataset,
            "model": self.one,
            "other": self.other,
            "groups": pair.groups,
            "difference": 100 * pair.difference,
            "low": 100 * pair.low,
            "high": 100 * pair.high,
            "se": error,
            "p": pair.p,
            "p_holm": self.p_holm,
        }


def compare_evaluations(
    common: Sequence[Evaluation | WallEvaluation], seed: int = SEED, metrics: Sequence[str] = METRICS
) -> list[Comparison]:
    """Every two models by OPP and accuracy, or by other means; ``common`` are their evaluations on the same cases."""
    if not common:
        return []
    scores = [evaluation.overall() for evaluation in common]
    names, counts = [evaluation.name for evaluation in common], scores[0].counts
    return [
        comparison
        for column, metric in enumerate(metrics)
        for comparison in _compare(
            metric, names, [score.sums[:, column] for score in scores], counts, seed, common[0].dataset
        )
    ]


def compare_categories(
    metric: str, names: Sequence[str], scores: Sequence[Sequence[CategoryScore]], seed: int = SEED
) -> list[Comparison]:
    """Every two models by the mean over the categories that all of them scored, the category being the unit."""
    rows = [
        [score.percent / 100 for score in row if score.percent is not None]
        for row in zip(*scores, strict=True)
        if all(score.percent is not None for score in row)
    ]
    shares = np.array(rows, dtype=np.float64).reshape(-1, len(names))
    return _compare(metric, names, list(shares.T), np.ones(len(shares)), seed)


def _compare(
    metric: str, names: Sequence[str], sums: Sequence[FloatArray], counts: FloatArray, seed: int, dataset: str = ""
) -> list[Comparison]:
    found = [
        (names[one], names[other], pair)
        for one, other in pairs(len(names))
        if (pair := compare_paired(sums[one], sums[other], counts, seed)) is not None
    ]
    corrected = holm([pair.p for _, _, pair in found])
    return [
        Comparison(metric, one, other, pair, p, dataset) for (one, other, pair), p in zip(found, corrected, strict=True)
    ]
