"""The figures of the papers: OPP and accuracy by outlier class, with Spearman's ρ over all models (Blair et al. 2016,
figure 2), and by the number of contexts of count models (Gamallo 2019, figure 1).
"""

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from wikisem.errors import UsageError
from wikisem.evaluation.cutoff import KnownDate
from wikisem.evaluation.rows import Row, in_common
from wikisem.evaluation.statistics import FEWEST_MODELS, correlate
from wikisem.files import replace_file
from wikisem.outputs.report import Curve
from wikisem.records import DRAWN, OUTLIER_CLASSES, TIERS

_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_NAMED: Final = ("outlier class", "tier")
_ACROSS: Final = {"contexts": "contexts of a word", "band": "number of the newest member"}
_TITLES: Final = {OUTLIER_CLASSES[number].name: OUTLIER_CLASSES[number].title for number in DRAWN}


def draw_rows(path: Path, rows: Sequence[Row], part: str, dates: Sequence[KnownDate] = ()) -> None:
    """Draw the first two scores side by side, one line for each model, into a .png, .svg or .pdf file.

    ``part`` is the x axis: "outlier class", "tier" of walls, "contexts", or "band" of item numbers, with ``dates`` of
    these and where accuracy falls; for "languages" a square shows every two of them. Of several models, the scores in
    the vocabulary of all are drawn. From four models on, the titles have Spearman's ρ of x and score. Raises UsageError
    if there is nothing to draw or the file's form is unknown, OutputError if it cannot be written.
    """
    if part == "languages":
        _draw_consistency(path, rows)
        return
    compared = in_common(rows)
    drawn = [row for row in compared if row.part == part and row.low is not None and _x_of(row) is not None]
    if not drawn:
        raise UsageError(f"expected scores by {part} to draw, saw test cases of unknown {part} only")
    several = len({row.dataset for row in drawn}) > 1
    lines: dict[str, list[Row]] = {}  # by the names in the legend
    for row in drawn:
        lines.setdefault(f"{row.model}, {row.dataset}" if several else row.model, []).append(row)
    cutoffs = [row for row in compared if row.metric == "cutoff" and part == "band"]
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    metrics = list(dict.fromkeys(row.metric for row in drawn))[:2]
    for axes, metric in zip(figure.subplots(1, 2), metrics, strict=True):
        lines_of_metric = {name: [row for row in line if row.metric == metric] for name, line in lines.items()}
        _draw_lines(axes, lines_of_metric, cutoffs)
        of_metric = [row for row in drawn if row.metric == metric]
        # The score of a guess, one line for all: the mean over the cases of all rows.
        guesses = [(row.chance, row.cases) for row in of_metric if row.chance is not None]
        guess = sum(chance * cases for chance, cases in guesses) / sum(cases for _, cases in guesses)
        axes.axhline(guess, color="grey", linestyle=":", label="chance")
        # The axes: names along x with the correlation as the title, contexts by their logarithm, or numbers with dates.
        score = {"opp": "OPP"}.get(metric, metric.replace("_", " "))
        axes.set(xlabel=_ACROSS.get(part, part), ylabel=f"{score} (%)", ylim=(-5, 105))
        if part in _NAMED:
            ticks = {_x_of(row) or 0.0: _TITLES.get(row.name, row.name) for row in drawn}
            axes.set_xticks(sorted(ticks), [ticks[x] for x in sorted(ticks)])
            # Over the rows of all models together; None where either is constant.
            xs, values = [_x_of(row) or 0.0 for row in of_metric], [row.value or 0.0 for row in of_metric]
            rho = correlate(xs, values).spearman
            if rho is not None and len(lines) >= FEWEST_MODELS:
                axes.set_title(f"Spearman's ρ of {part} and {score} = {rho:.2f}")
        elif part == "contexts":
            axes.set(xscale="log")
        for known in dates:
            axes.axvline(known.item, color="grey", linestyle=":")
            axes.annotate(known.date, (known.item, 104), rotation=90, va="top", ha="right", fontsize="small")
    # Below all plots, where the names hide nothing.
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    save_figure(figure, path)


def _draw_lines(axes: Axes, lines: Mapping[str, Sequence[Row]], cutoffs: Sequence[Row]) -> None:
    """Draw a line with error bars for each model, and where its accuracy falls, if ``cutoffs`` have it, with a band."""
    for index, (name, points) in enumerate(lines.items()):
        values, lows, highs = np.array([[row.value, row.low, row.high] for row in points], dtype=np.float64).T
        aside = 0.04 * (index - (len(lines) - 1) / 2) if points[0].part in _NAMED else 0.0  # or points hide each other
        xs = [(_x_of(row) or 0.0) + aside for row in points]
        below, above = values - lows, highs - values
        axes.errorbar(xs, values, yerr=[below, above], marker="o", capsize=3, color=f"C{index}", label=name)
        for row in cutoffs:
            is_of_line = (row.model, row.dataset) == (points[0].model, points[0].dataset)
            if is_of_line and row.value is not None and row.low is not None and row.high is not None:
                axes.axvspan(row.low, row.high, color=f"C{index}", alpha=0.15)
                axes.axvline(row.value, color=f"C{index}", linestyle="--")


def _x_of(row: Row) -> float | None:
    """The x of a row: the number of its outlier class, tier or contexts, or the middle of "Q100 to Q200, made 2013"."""
    if row.part == "tier":
        return None if row.language else TIERS.index(row.name)  # the tiers of a single language are not drawn
    if row.part == "outlier class":
        return next((number for number in DRAWN if OUTLIER_CLASSES[number].name == row.name), None)
    numbers = [int(number.replace(",", "")) for number in re.findall(r"[\d,]+", row.name.partition(", made")[0])]
    return sum(numbers) / len(numbers)


def draw_correlations(path: Path, curves: Sequence[Curve]) -> None:
    """Draw each pair of scores side by side, with a point for each model."""
    figure = Figure(figsize=(5 * len(curves), 4.5), layout="constrained")
    for axes, curve in zip(figure.subplots(1, len(curves), squeeze=False)[0], curves, strict=True):
        axes.scatter(*zip(*curve.points, strict=True))
        for name, point in zip(curve.names, curve.points, strict=True):
            axes.annotate(name, point, textcoords="offset points", xytext=(4, 4), fontsize="small")
        axes.set(xlabel=curve.across, ylabel=curve.up)
        axes.set_title(curve.title.replace(": ", "\n"), fontsize="medium")
    save_figure(figure, path)


def _draw_consistency(path: Path, rows: Sequence[Row]) -> None:
    """Draw two matrices of languages for each model: kappa, and how often the same word is wrong beyond chance."""
    by_model: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.part == "languages":
            by_model.setdefault((row.model, row.dataset), []).append(row)
    most = max((len({code for row in own for code in row.name.split(", ")}) for own in by_model.values()), default=0)
    side = 1.5 + 0.45 * most
    figure = Figure(figsize=(2 * side + 2, max(1, len(by_model)) * side), layout="constrained")
    squares = figure.subplots(len(by_model), 2, squeeze=False)
    for (left, right), ((model, dataset), own) in zip(squares, by_model.items(), strict=True):
        _draw_matrix(left, own, {row.name: row.value for row in own if row.metric == "kappa"})
        same = [row for row in own if row.metric == "same_word"]
        _draw_matrix(right, own, {row.name: row.value and (row.value - (row.chance or 0)) / 100 for row in same})
        left.set_ylabel(f"{model}, {dataset}".removesuffix(", "))
    for axes, title in zip(squares[0], ("kappa", "same word wrong, less chance"), strict=True):
        axes.set_title(title)
    save_figure(figure, path)


def _draw_matrix(axes: Axes, rows: Iterable[Row], numbers: Mapping[str, float | None]) -> None:
    """Colour a cell for every two languages ("de, en") by its number; white without one, and on the diagonal."""
    languages = sorted({language for row in rows for language in row.name.split(", ")})
    matrix = np.full((len(languages), len(languages)), np.nan)
    for pair, number in numbers.items():
        if number is not None:
            one, other = map(languages.index, pair.split(", "))
            matrix[one, other] = matrix[other, one] = number
    # The same colours in every picture: red below chance, white at chance, blue above it.
    axes.imshow(matrix, cmap="RdBu", vmin=-1, vmax=1)
    for row, column in np.argwhere(~np.isnan(matrix)).tolist():
        number = matrix[row, column]
        ink = "white" if abs(number) > 0.6 else "black"
        axes.text(column, row, f"{number:.2f}", ha="center", va="center", fontsize="small", color=ink)
    axes.set_xticks(range(len(languages)), languages, rotation=90)
    axes.set_yticks(range(len(languages)), languages)


def save_figure(figure: Figure, path: Path, **settings: Any) -> None:
    """Write a figure in the form of its suffix; UsageError for another or one too large, OutputError if that fails."""
    drawn = io.BytesIO()
    # Names are drawn as they are: a dollar begins no formula, and no control character gets into a file.
    ticks = {id(label) for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for label in axis.get_ticklabels()}
    for text in figure.findobj(Text):
        if isinstance(text, Text) and id(text) not in ticks:  # powers of ten are formulas
            text.set_parse_math(False)
            text.set_text(_CONTROLS.sub("\ufffd", text.get_text()))
    try:
        figure.savefig(drawn, format=path.suffix[1:], **settings)
    except ValueError as error:
        raise UsageError(f"{path}: expected a figure and the suffix of one, saw {path.suffix!r}: {error}") from error
    replace_file(str(path), drawn.getvalue())
