"""Scores of models as tables for people, and of categories as JSON for programs."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table

from wikisem.datasets.word_groups import WordGroup
from wikisem.evaluation.category_words import CategoryScore, mean_percent
from wikisem.evaluation.outlier_detection import Evaluation, Score, score

_COLUMNS = ("cases", "OPP", "accuracy")


def outlier_report(evaluations: Sequence[Evaluation], title: str) -> RenderableType:
    """Every model's scores: by group, by outlier class, overall, and what a reader should know about the model."""
    return Group(*(part for evaluation in evaluations for part in _report(evaluation, title)))


def _report(evaluation: Evaluation, title: str) -> Iterable[RenderableType]:
    yield f"{title}: {evaluation.name}"
    names = _names([group.group for group in evaluation.groups])
    yield _table("group", [(name, score(group.cases)) for name, group in zip(names, evaluation.groups, strict=True)])
    classes = [(f"outlier class {name}", part) for name, part in evaluation.by_outlier_class().items()]
    yield _table("", [*classes, ("overall", evaluation.overall())])
    yield (
        f"{len(evaluation.groups)} groups, {evaluation.skipped} of them skipped; out of vocabulary: "
        f"{percent(evaluation.oov_cluster_percent())} % of cluster items, "
        f"{percent(evaluation.oov_outlier_percent())} % of outliers"
    )
    yield from evaluation.notes
    yield ""


def _names(groups: Sequence[WordGroup]) -> list[str]:
    """The ids of groups; with the language, or else the folder, where several languages share an id."""
    ids = [group.id for group in groups]
    if len(set(ids)) == len(ids):
        return ids
    return [f"{group.language or Path(group.where).parent.name}/{group.id}" for group in groups]


def category_report(name: str, notes: Sequence[str], title: str, scores: Sequence[CategoryScore]) -> RenderableType:
    """The score of every category and their mean, with how many words they have and how many are missing."""
    table = Table()
    table.add_column("category", overflow="fold")
    for column in ("n", "out of vocabulary", "correct", "comparisons", "score"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in scores:
        numbers = (row.count, row.missing, row.correct, row.comparisons)
        table.add_row(row.name, *(f"{number:,}" for number in numbers), percent(row.percent))
    table.add_row("mean", "", "", "", "", percent(mean_percent(scores)))
    return Group(f"{title}: {name}", table, *notes, "")


def scores_as_json(scores: Sequence[CategoryScore]) -> dict[str, Any]:
    """The scores of categories under the names that ``--json`` prints; the score of a skipped category is null."""
    rows = [
        {
            "category": score.name,
            "n": score.count,
            "oov": score.missing,
            "correct": score.correct,
            "comparisons": score.comparisons,
            "score": score.percent,
        }
        for score in scores
    ]
    skipped = sum(score.percent is None for score in scores)
    return {"score": mean_percent(scores), "skipped_categories": skipped, "categories": rows}


def _table(first: str, rows: Iterable[tuple[str, Score]]) -> Table:
    table = Table()
    table.add_column(first, overflow="fold")
    for column in _COLUMNS:
        table.add_column(column, justify="right", no_wrap=True)
    for name, part in rows:
        table.add_row(name, str(part.cases), percent(part.opp), percent(part.accuracy))
    return table


def percent(value: float | None) -> str:
    """A percentage with two decimals, a dash where there is none."""
    return "–" if value is None else f"{value:.2f}"
