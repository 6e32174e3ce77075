"""Correlate the scores of models with other scores of the same models, such as accuracy on a downstream task.

SCORES is a file with what wikisem evaluate prints with --json or --csv, or writes with --output FILE.json or FILE.csv.
OTHER.csv has a header, the names of the models in its first column, and a score in each other column.
"""

import argparse
import math
from itertools import chain, product
from pathlib import Path
from typing import Any, Final

from wikisem.datasets.files import csv_rows, read_utf8
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.evaluation.rows import ALL, read_rows
from wikisem.evaluation.statistics import correlate
from wikisem.files import path_of
from wikisem.outputs.report import Curve, Sheet
from wikisem.pipeline.cli import Options
from wikisem.pipeline.console.reports import deliver
from wikisem.pipeline.console.terminal import draw_plot

Columns = dict[str, dict[str, float]]

OPTIONS: Final[Options] = {"scores": {"convert": path_of}, "other": {"convert": path_of}}


def run(arguments: argparse.Namespace) -> int:
    """Correlate every score of models with every other score of the same models, and print the coefficients."""
    scores, others = _read_scores(arguments.scores, arguments.common), _read_csv(arguments.other)
    ours, theirs = (set(chain.from_iterable(columns.values())) for columns in (scores, others))
    alone = {arguments.scores: sorted(ours - theirs), arguments.other: sorted(theirs - ours)}
    notes = [f"left out, since only {file} has them: {', '.join(models)}" for file, models in alone.items() if models]
    # For each pair of scores: an object of --json, a line of the table, and the points of a plot.
    objects, lines, curves = list[dict[str, Any]](), list[list[str]](), list[Curve]()
    for (score, of_score), (other, of_other) in product(scores.items(), others.items()):
        models = [model for model in of_score if model in of_other]
        found = correlate([of_score[model] for model in models], [of_other[model] for model in models])
        if found.models < 3:
            notes.append(f"{score} with {other}: expected three models or more for a correlation, saw {found.models}")
        objects.append({"score": score, "other": other, **found._asdict()})
        pearson, spearman = ("–" if value is None else f"{value:+.2f}" for value in (found.pearson, found.spearman))
        pearson_interval, spearman_interval = (
            "–" if low is None else f"{low:+.2f} to {high:+.2f}"
            for low, high in ((found.pearson_low, found.pearson_high), (found.spearman_low, found.spearman_high))
        )
        lines.append([score, other, str(found.models), pearson, pearson_interval, spearman, spearman_interval])
        title = f"{score} with {other}, over {len(models)} models: Pearson's r {pearson}, Spearman's ρ {spearman}"
        if models:
            points = [(of_other[model], of_score[model]) for model in models]
            curves.append(Curve(title, other, score, points, models))
    if not curves:
        raise MissingInputError(f"expected models of {arguments.scores} in {arguments.other}, saw none of them there")
    if arguments.plot:
        draw_plot(arguments.plot, lambda plot: plot.draw_correlations(arguments.plot, curves))
    header = ("score", "other", "models", "Pearson", "95 %", "Spearman", "95 %")
    table = Sheet(header, lines, [False, False, *(True for _ in header[2:])])
    title = f"correlation with {arguments.other.stem}"
    deliver(arguments, title, lambda _: [table, *notes], objects, plots=lambda: curves, notes=notes)
    return 0


def _read_scores(path: Path, common: bool) -> Columns:
    """Read the scores of models on whole data sets: by "data set metric", the score of each model.

    They are of the words that the model itself knows or, with ``common``, of those that all models know.
    """
    scores: Columns = {}
    for row in read_rows(path):
        is_whole = row.part == ALL and not row.less and row.task != "baseline"  # ``less``: a difference of two models
        is_score = row.low is not None or row.metric == "combined"  # all scores but this one have an interval
        if is_whole and is_score and row.vocabulary == ("common" if common else "own") and row.value is not None:
            name = f"{row.dataset} {row.metric}".strip()
            scores.setdefault(name, {})[row.model] = _number(row.value, str(path))
    if not scores and common:
        wanted = "scores in the vocabulary of all models, which evaluate outliers gives of several models in one run"
        raise MissingInputError(f"{path}: expected {wanted}, saw none")
    if not scores:
        raise DamagedInputError(f"{path}: expected scores of whole data sets, saw none")
    return scores


def _read_csv(path: Path) -> Columns:
    """Read scores from CSV: by column, the score of each model that the first column names, but for empty cells."""
    if not path.is_file():
        raise MissingInputError(f"expected other scores, saw no file at {path}")
    header, rows = csv_rows(read_utf8(path), str(path))
    model, *columns = header or [""]
    # A number is no name of a score: the line is that of a model.
    if not columns or columns[0].strip().lstrip("+-").replace(".", "", 1).isdecimal():
        seen = f"no header but {', '.join(header)}" if columns else ", ".join(header) or "no header"
        raise DamagedInputError(f"{path}: expected a column of models and others of scores, saw {seen}")
    scores: Columns = {column: {} for column in columns}
    for line, row in rows:
        for column in filter(row.get, columns):
            if row[model] in scores[column]:
                raise DamagedInputError(f"{path}:{line}: expected each model once, saw {row[model]!r} again")
            scores[column][row[model]] = _number(row[column], f"{path}:{line}")
    return scores


def _number(value: Any, where: str) -> float:
    """Convert a score to a finite number; DamagedInputError, which says ``where``, for anything else, also for NaN."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise DamagedInputError(f"{where}: expected a number, saw {value!r}")
    return number
