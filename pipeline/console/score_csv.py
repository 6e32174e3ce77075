"""Scores as CSV, one row for each score, for spreadsheets and data frames."""

import csv
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from wikisem import __version__
from wikisem.datasets.text_files import csv_cell
from wikisem.evaluation.analogies.scores import SectionScore, analogies_as_json
from wikisem.evaluation.category_words import CategoryScore, mean_error_bars
from wikisem.evaluation.group_names import group_ids
from wikisem.evaluation.outlier_scores import Evaluation, Score, error_bars_as_json, score
from wikisem.pipeline.console.score_tables import score_parts
from wikisem.pipeline.console.terminal import shown

Row = dict[str, Any]


def outlier_rows(evaluation: Evaluation, vocabulary: str, groups: bool) -> list[Row]:
    """A row for each language, outlier class and the whole of a data set, and for each group if asked for.

    ``vocabulary`` is "own", or "common" where only what all models know was scored. A row of a group has no error bars.
    """
    head = {
        "model": evaluation.name,
        "dataset": evaluation.dataset,
        "version": __version__,
        "vocabulary": vocabulary,
        "vocabulary_size": evaluation.vocabulary_size,
    }
    rows = [{**head, **_score_cells(kind, name, part)} for kind, name, part in score_parts(evaluation)]
    if groups:
        names = group_ids([group.group for group in evaluation.groups])
        for name, group in zip(names, evaluation.groups, strict=True):
            part = score([group])
            cells = {"cases": part.cases, "opp": part.opp, "accuracy": part.accuracy}
            rows.append({**head, "part": "group", "name": name, "language": group.group.language, **cells})
    return rows


def _score_cells(kind: str, name: str, part: Score) -> Row:
    language = name if kind == "language" else ""
    return {"part": kind, "name": name, "language": language, "groups": part.groups, **part.as_json()}


def category_rows(scores: Sequence[CategoryScore]) -> list[Row]:
    """A row for each category, and one for the mean with its error bars."""
    rows: list[Row] = [
        {
            "category": row.name,
            "n": row.count,
            "oov": row.missing,
            "correct": row.correct,
            "comparisons": row.comparisons,
            "score": row.percent,
        }
        for row in scores
    ]
    bars = mean_error_bars(scores)
    mean = {"category": "", "score": bars.value if bars else None, **error_bars_as_json("score", bars)}
    return [*rows, mean]


def analogy_rows(scores: Sequence[SectionScore]) -> list[Row]:
    """A row for each section, and one without a section for all of them."""
    found = analogies_as_json(scores)
    return [*found.pop("sections"), {"section": "", **found}]


def print_csv(rows: Iterable[Row]) -> None:
    """Print rows under one header: every column that any row has, in the order in which they first come."""
    listed = list(rows)
    columns = list(dict.fromkeys(column for row in listed for column in row))
    writer = csv.DictWriter(sys.stdout, columns, lineterminator="\n")
    writer.writeheader()
    for row in listed:
        writer.writerow({name: csv_cell(shown(cell)) if isinstance(cell, str) else cell for name, cell in row.items()})
