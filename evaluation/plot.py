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

    ``part`` is what is across: "outlier class", "tier" of walls, "contexts", or "band", with the changes that were seen
    and the dates of item numbers; for "languages" a square shows every two of them. Of several models, those in the
    vocabulary of all are drawn. From four models on, the titles have Spearman's ρ of outlier class and score. Raises
    UsageError if there is nothing to draw or the file's form is unknown, OutputError if it cannot be written.
    """
    if part == "languages":
        _draw_consistency(path, rows)
        return
    whole = in_common(rows)
    drawn = [row for row in whole if row.part == part and row.low is not None and _place(row) is not None]
    if not drawn:
        raise UsageError(f"expected scores by {part} to draw, saw test cases of unknown {part} only")
    several = len({row.dataset for row in drawn}) > 1
    lines: dict[str, list[Row]] = {}
    for row in drawn:
        lines.setdefault(f"{row.model}, {row.dataset}" if several else row.model, []).append(row)
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    metrics = list(dict.fromkeys(row.metric for row in drawn))[:2]
    for axes, metric in zip(figure.subplots(1, 2), metrics, strict=True):
        lines_of_metric = {name: [row for row in line if row.metric == metric] for name, line in lines.items()}
        _draw_lines(axes, lines_of_metric, [row for row in whole if row.metric == "cutoff" and part == "band"])
        of_metric = [row for row in drawn if row.metric == metric]
        guesses = [(row.chance, row.cases) for row in of_metric if row.chance is not None]
        guess = sum(chance * cases for chance, cases in guesses) / sum(cases for _, cases in guesses)
        axes.axhline(guess, color="grey", linestyle=":", label="chance")
        score = {"opp": "OPP"}.get(metric, metric.replace("_", " "))
        axes.set(xlabel=_ACROSS.get(part, part), ylabel=f"{score} (%)", ylim=(-5, 105))
        if part in _NAMED:
            names = {_place(row) or 0.0: _TITLES.get(row.name, row.name) for row in drawn}
            axes.set_xticks(sorted(names), [names[place] for place in sorted(names)])
            # Over the rows of all models together; there is none where either is constant.
            places, values = [_place(row) or 0.0 for row in of_metric], [row.value or 0.0 for row in of_metric]
            rho = correlate(places, values).spearman
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
    """Draw a line with error bars for each model, and the change of those that have one, its interval as a band."""
    for index, (name, points) in enumerate(lines.items()):
        values, lows, highs = np.array([[row.value, row.low, row.high] for row in points], dtype=np.float64).T
        aside = 0.04 * (index - (len(lines) - 1) / 2) if points[0].part in _NAMED else 0.0  # so that none is hidden
        places = [(_place(row) or 0.0) + aside for row in points]
        ends = [values - lows, highs - values]
        axes.errorbar(places, values, yerr=ends, marker="o", capsize=3, color=f"C{index}", label=name)
        for row in cutoffs:
            is_of_line = (row.model, row.dataset) == (points[0].model, points[0].dataset)
            if is_of_line and row.value is not None and row.low is not None and row.high is not None:
                axes.axvspan(row.low, row.high, color=f"C{index}", alpha=0.15)
                axes.axvline(row.value, color=f"C{index}", linestyle="--")


def _place(row: Row) -> float | None:
    """Where a part is across: the number of its outlier class, tier or contexts, the middle of a band."""
    if row.part == "tier":
        return None if row.language else TIERS.index(row.name)
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
    """Draw, for each model and data set, kappa of every two languages and the same word wrong beyond chance."""
    measured = [row for row in rows if row.part == "languages"]
    models = list(dict.fromkeys((row.model, row.dataset) for row in measured))
    by_model = [[row for row in measured if (row.model, row.dataset) == model] for model in models]
    most = max((len({code for row in own for code in row.name.split(", ")}) for own in by_model), default=0)
    side = 1.5 + 0.45 * most
    figure = Figure(figsize=(2 * side + 2, max(1, len(models)) * side), layout="constrained")
    panels = figure.subplots(len(models), 2, squeeze=False)
    for row, (model, dataset), own in zip(panels, models, by_model, strict=True):
        _draw_matrix(row[0], own, {one.name: one.value for one in own if one.metric == "kappa"})
        same = [one for one in own if one.metric == "same_word"]
        _draw_matrix(row[1], own, {one.name: one.value and (one.value - (one.chance or 0)) / 100 for one in same})
        row[0].set_ylabel(f"{model}, {dataset}".removesuffix(", "))
    for axes, title in zip(panels[0], ("kappa", "same word wrong, less chance"), strict=True):
        axes.set_title(title)
    save_figure(figure, path)


def _draw_matrix(axes: Axes, rows: Iterable[Row], numbers: Mapping[str, float | None]) -> None:
    """A square for every two languages; one without a number stays white, and so does the diagonal."""
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
    axes.set(xticks=range(len(languages)), yticks=range(len(languages)))
    axes.set_xticklabels(languages, rotation=90)
    axes.set_yticklabels(languages)


def save_figure(figure: Figure, path: Path, **settings: Any) -> None:
    """Write a figure, whole or not at all, in the form that the suffix names; ``settings`` are those of matplotlib.

    UsageError for no suffix or an unknown one, and for what is too large, OutputError where it cannot be written.
    """
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
