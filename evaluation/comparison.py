"""Which of several models is better: every two on the same test cases or categories, with Holm's correction.

A model is *tied with the best* if the paired permutation test by class does not tell the two apart at 5 %, with
p-values raised by Holm's method (1979) for every two models. Which model is the best is known only after looking; a
correction for all pairs holds whichever it is (Hsu 1996, "Multiple comparisons", chapter 4, has a test against the best
alone, but assumes normal scores).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np

from wikisem.evaluation.analogies.questions import SectionScore
from wikisem.evaluation.options import SEED
from wikisem.evaluation.outlier_detection import METRICS, UNKNOWN, Evaluation, Score, error_bars_as_json, kind_of_class
from wikisem.evaluation.statistics import (
    ErrorBars,
    FloatArray,
    PairedDifference,
    Unit,
    clustered_means,
    compare_paired,
    holm,
    pairs,
    sign_flip_p_values,
    widening,
)
from wikisem.evaluation.topk import CategoryScore, mean_error_bars
from wikisem.evaluation.walls import WallEvaluation, WallMeans
from wikisem.outputs.wall_answers import SCORES


@dataclass(frozen=True, slots=True)
class Comparison:
    """A score of the model ``one`` less that of ``other``; ``p_holm`` is corrected for all pairs of models.

    ``unit`` is what the test pairs: "class", "wall" or "category".
    """

    metric: str
    one: str
    other: str
    pair: PairedDifference
    p_holm: float
    unit: Unit
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
            "n": pair.n,
            "unit": self.unit,
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
    names, first = [evaluation.name for evaluation in common], scores[0]
    return [
        replace(comparison, dataset=common[0].dataset)
        for column, metric in enumerate(metrics)
        for comparison in _compare(
            metric,
            first.unit,
            names,
            [score.sums[:, column] for score in scores],
            first.counts,
            seed,
            first.shared,
            first.worth,
        )
    ]


def compare_categories(
    metric: str, names: Sequence[str], scores: Sequence[Sequence[CategoryScore]], seed: int = SEED
) -> list[Comparison]:
    """Every two models by the mean over the categories that all of them scored, the category being the unit."""
    shares = _shares(scores)
    return _compare(metric, "category", names, list(shares.T), np.ones(len(shares)), seed)


def _shares(scores: Sequence[Sequence[CategoryScore]]) -> FloatArray:
    """The score of each model, a column, in each category that all of them scored."""
    rows = [
        [score.percent / 100 for score in row if score.percent is not None]
        for row in zip(*scores, strict=True)
        if all(score.percent is not None for score in row)
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, len(scores))


def _compare(
    metric: str,
    unit: Unit,
    names: Sequence[str],
    sums: Sequence[FloatArray],
    counts: FloatArray,
    seed: int,
    shared: Sequence[frozenset[str]] = (),
    worth: float | None = None,
) -> list[Comparison]:
    found = [
        (names[one], names[other], pair)
        for one, other in pairs(len(names))
        if (pair := compare_paired(sums[one], sums[other], counts, seed, shared, worth)) is not None
    ]
    corrected = holm([pair.p for _, _, pair in found])
    return [
        Comparison(metric, one, other, pair, p, unit) for (one, other, pair), p in zip(found, corrected, strict=True)
    ]


# The best of several models, and those tied with it.

Mark = Literal["best", "tied", ""]
_LEVEL: Final = 0.05
WHOLE: Final = "all"


@dataclass(frozen=True, slots=True)
class Standing:
    """A score of a model on a data set or a part of one, ``bars`` in percent, and how it compares with the best.

    ``bars`` is None without test cases; ``unit`` is what they count; ``chance`` is the score of a guess in percent,
    None where there is no such.
    """

    model: str
    metric: str
    part: str
    bars: ErrorBars | None
    mark: Mark
    unit: Unit
    chance: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Under the names that programs read."""
        value = self.bars.value if self.bars else None
        row = {"metric": self.metric, "part": self.part, "model": self.model, "value": value}
        ends = {name.removeprefix("_"): end for name, end in error_bars_as_json("", self.bars).items()}
        units = {"n": self.bars.n if self.bars else 0, "unit": self.unit}
        return {**row, **ends, **units, "chance": self.chance, "mark": self.mark}


def rank_evaluations(models: Sequence[Sequence[Evaluation]], seed: int = SEED) -> list[Standing]:
    """Every model on every data set; on the parts of a single one: its languages, or its outlier classes.

    ``models`` has the evaluations of each model, one for each data set, all on the same test cases; the models that are
    tied with the best are marked if there are several.
    """
    by_model = [_parts(evaluations) for evaluations in models]
    names = [evaluations[0].name for evaluations in models]
    return [
        Standing(name, metric, part, score.error_bars and score.error_bars[column], mark, "class", score.chance(metric))
        for column, metric in reversed(list(enumerate(METRICS)))
        for part in by_model[0]
        for scores in [[parts[part] for parts in by_model]]
        for name, score, mark in zip(names, scores, _marks(scores, column, seed), strict=True)
    ]


def rank_walls(models: Sequence[WallEvaluation], seed: int = SEED) -> list[Standing]:
    """Every model on all walls and on those of each tier, all of them scored on the same walls."""
    by_model = [{WHOLE: one.overall(), **one.by_tier()} for one in models]
    return [
        Standing(one.name, metric, part, mean.error_bars.get(metric), mark, "wall", mean.chance[metric])
        for column, metric in enumerate(SCORES)
        for part in by_model[0]
        for means in [[parts[part] for parts in by_model]]
        for one, mean, mark in zip(models, means, _marks(means, column, seed), strict=True)
    ]


def _marks(scores: Sequence[Score | WallMeans], column: int, seed: int) -> list[Mark]:
    return marks(np.array([score.sums[:, column] for score in scores]).T, seed, scores[0].shared)


def _parts(evaluations: Sequence[Evaluation]) -> dict[str, Score]:
    if len(evaluations) > 1:
        return {evaluation.dataset: evaluation.overall() for evaluation in evaluations}
    (whole,) = evaluations
    languages = whole.by_language()
    parts = languages if len(languages) > 1 else whole.by_outlier_class()
    named = {kind_of_class(name): score for name, score in parts.items() if list(parts) != [UNKNOWN]}
    return {WHOLE: whole.overall(), **named}


def rank_categories(
    names: Sequence[str], scores: Sequence[Sequence[CategoryScore]], seed: int = SEED
) -> list[Standing]:
    """Every model by the mean over its categories, tied by those that all of them scored."""
    return [
        Standing(name, "score", WHOLE, mean_error_bars(own), mark, "category")
        for name, own, mark in zip(names, scores, marks(_shares(scores), seed), strict=True)
    ]


def rank_sections(names: Sequence[str], scores: Sequence[Sequence[SectionScore]], seed: int = SEED) -> list[Standing]:
    """Every model by its accuracy over all analogy questions, the section being the unit.

    None is marked if unseen questions were left out, so that models answered different ones.
    """
    asked = np.array([[score.questions for score in own] for own in scores], dtype=np.float64)
    right = np.array([[score.correct for score in own] for own in scores], dtype=np.float64)
    found: list[Mark] = marks(right.T, seed) if (asked == asked[0]).all() else [""] * len(names)
    return [
        Standing(name, "accuracy", WHOLE, _percent(own, counts, seed), mark, "section")
        for name, own, counts, mark in zip(names, right, asked, found, strict=True)
    ]


def _percent(right: FloatArray, asked: FloatArray, seed: int) -> ErrorBars | None:
    return clustered_means(right[:, None], asked, seed)[0].percent() if asked.any() else None


def marks(sums: FloatArray, seed: int = SEED, shared: Sequence[frozenset[str]] = ()) -> list[Mark]:
    """Which models are the best by their total, and which are tied with one of these.

    ``sums``, shape ``(units, models)``, are over the same cases of each unit for all models; ``shared`` is that of
    ``clustered_means``. No model is marked where there is only one or nothing to compare.

    >>> marks(np.array([[4, 4, 0]] * 6 + [[4, 3, 0]] * 4, dtype=float))
    ['best', 'tied', '']
    """
    count, totals = sums.shape[1], sums.sum(axis=0)
    if count < 2 or not len(sums):
        return [""] * count
    both = list(pairs(count))
    gaps = np.stack([sums[:, one] - sums[:, other] for one, other in both], axis=1)
    p_values = sign_flip_p_values(gaps, seed, widening(gaps - gaps.mean(axis=0), shared))
    equal = {pair for pair, p in zip(both, holm(p_values), strict=True) if p >= _LEVEL}
    best = {at for at in range(count) if totals[at] >= totals.max() - 1e-9}

    def mark(at: int) -> Mark:
        if at in best:
            return "best"
        return "tied" if any((min(at, top), max(at, top)) in equal for top in best) else ""

    return [mark(at) for at in range(count)]
