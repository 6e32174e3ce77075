"""The figures of the papers: OPP and accuracy by outlier class, with Spearman's ρ over all models (Blair et al. 2016,
figure 2), and by the number of contexts of count models (Gamallo 2019, figure 1).
"""

import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from wikisem.errors import UsageError
from wikisem.evaluation.consistency import Consistency, PairConsistency
from wikisem.evaluation.correlation import FEWEST_MODELS, correlate
from wikisem.evaluation.cutoff import Cutoff
from wikisem.evaluation.outlier_detection import (
    METRICS,
    Evaluation,
    Metric,
    Score,
    kind_of_class,
    score,
)
from wikisem.evaluation.statistics import ErrorBars
from wikisem.files import replace_file

_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """ρ of two sequences of the same length; None where it is not defined: fewer than two points, or all equal."""
    return correlate(one, other).spearman


def class_scores(evaluation: Evaluation, metric: Metric) -> dict[int, ErrorBars]:
    """OPP or accuracy in percent by outlier class, of the classes that are known and have test cases."""
    scores = evaluation.by_outlier_class()
    found = {int(name): part.error_bars for name, part in scores.items() if name.isdigit()}
    return {number: bars[METRICS.index(metric)] for number, bars in found.items() if bars is not None}


def correlation(evaluations: Sequence[Evaluation], metric: Metric) -> float | None:
    """ρ of outlier class and score over all models together; None where it is not defined."""
    points = [point for evaluation in evaluations for point in class_scores(evaluation, metric).items()]
    return spearman([number for number, _ in points], [bars.value for _, bars in points])


def draw_scores(path: Path, evaluations: Sequence[Evaluation]) -> None:
    """Draw OPP and accuracy side by side, one line for each model, into a .png, .svg or .pdf file.

    Several models must have been scored on the same test cases. From four models on, the titles have Spearman's ρ.
    Raises UsageError if no outlier class is known or the file's form is unknown, OutputError if it cannot be written.
    """
    if not any(class_scores(evaluation, "accuracy") for evaluation in evaluations):
        raise UsageError("expected outlier classes to draw, saw test cases of unknown class only")
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    for axes, metric, label in zip(figure.subplots(1, 2), METRICS, ("OPP (%)", "accuracy (%)"), strict=True):
        _fill(axes, evaluations, metric, label)
    _add_legend(figure)
    save_figure(figure, path)


def draw_contexts(path: Path, scored: Iterable[tuple[int, Evaluation]]) -> None:
    """Draw OPP and accuracy by the number of contexts that words keep, one line of each for each model."""
    by_model: dict[str, list[tuple[int, Score]]] = {}
    listed = list(scored)
    for number, evaluation in listed:
        by_model.setdefault(evaluation.name, []).append((number, evaluation.overall()))
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for model, points in by_model.items():
        numbers = [number for number, _ in points]
        for metric, label, style in zip(METRICS, ("OPP", "accuracy"), ("-", "--"), strict=True):
            values = [getattr(part, metric) for _, part in points]
            axes.plot(numbers, values, style, marker="o", label=f"{label}, {model}")
    for metric, label in zip(METRICS, ("OPP", "accuracy"), strict=True):
        _draw_chance(axes, [evaluation for _, evaluation in listed], metric, f"{label}, chance")
    axes.set(xscale="log", xlabel="contexts of a word", ylabel="%", ylim=(-5, 105))
    _add_legend(figure)
    save_figure(figure, path)


def draw_correlations(
    path: Path, pairs: Sequence[tuple[str, str, Sequence[str], Sequence[float], Sequence[float]]]
) -> None:
    """Draw one plot for each pair of scores: their names, the models, and both numbers of each model."""
    figure = Figure(figsize=(5 * len(pairs), 4.5), layout="constrained")
    for axes, (one, other, names, ones, others) in zip(
        figure.subplots(1, len(pairs), squeeze=False)[0], pairs, strict=True
    ):
        axes.scatter(others, ones)
        for name, x, y in zip(names, others, ones, strict=True):
            axes.annotate(name, (x, y), textcoords="offset points", xytext=(4, 4), fontsize="small")
        found = correlate(ones, others)
        shown = ["–" if value is None else f"{value:.2f}" for value in (found.pearson, found.spearman)]
        measured = f"{one} with {other}, over {len(names)} models"
        axes.set(xlabel=other, ylabel=one)
        axes.set_title(f"{measured}\nPearson's r = {shown[0]}, Spearman's ρ = {shown[1]}", fontsize="medium")
    save_figure(figure, path)


def draw_cutoffs(path: Path, found: Sequence[Cutoff]) -> None:
    """Draw accuracy by the number of a cluster's newest member, a line for each model, and the cutoffs seen."""
    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    for at, one in enumerate(found):
        colour = f"C{at}"
        # The middle of a band; a band without a case has no score.
        points = [((band.low + band.high) / 2, band.score.error_bars) for band in one.bands]
        known = [(middle, bars[1]) for middle, bars in points if bars is not None]
        middles, values = [middle for middle, _ in known], [bars.value for _, bars in known]
        ends = [[bars.value - bars.low for _, bars in known], [bars.high - bars.value for _, bars in known]]
        axes.errorbar(middles, values, yerr=ends, marker="o", capsize=3, color=colour, label=one.model)
        if one.change is not None and one.change.seen:
            axes.axvspan(one.change.low, one.change.high, color=colour, alpha=0.15)
            axes.axvline((one.change.last_before + one.change.first_after) / 2, color=colour, linestyle="--")
    for known_date in found[0].dates:
        axes.axvline(known_date.item, color="grey", linestyle=":")
        axes.annotate(known_date.date, (known_date.item, 104), rotation=90, va="top", ha="right", fontsize="small")
    axes.set(xlabel="number of the newest member", ylabel="accuracy (%)", ylim=(-5, 105))
    _add_legend(figure)
    save_figure(figure, path)


def draw_consistency(path: Path, measured: Sequence[Consistency]) -> None:
    """Draw, for each model and data set, kappa of every two languages and the same word wrong beyond chance."""
    measures = {
        "kappa": [[pair.kappa.value if pair.kappa else None for pair in one.pairs] for one in measured],
        "same word wrong, less chance": [list(map(_beyond_chance, one.pairs)) for one in measured],
    }
    side = 1.5 + 0.45 * max(len(_languages(one)) for one in measured)
    figure = Figure(figsize=(2 * side + 2, len(measured) * side), layout="constrained")
    rows = figure.subplots(len(measured), len(measures), squeeze=False)
    for column, (title, numbers) in enumerate(measures.items()):
        for axes, one, own in zip(rows[:, column], measured, numbers, strict=True):
            _draw_matrix(axes, one, own)
            axes.set_ylabel("" if column else f"{one.model}, {one.dataset}".removesuffix(", "))
        rows[0, column].set_title(title)
    save_figure(figure, path)


def _languages(measured: Consistency) -> list[str]:
    return sorted({language for pair in measured.pairs for language in pair.languages})


def _beyond_chance(pair: PairConsistency) -> float | None:
    if pair.same_word is None or pair.same_word_chance is None:
        return None
    return pair.same_word.value - pair.same_word_chance


def _draw_matrix(axes: Axes, measured: Consistency, numbers: Sequence[float | None]) -> None:
    """A square for every two languages; one without a number stays white, and so does the diagonal."""
    languages = _languages(measured)
    matrix = np.full((len(languages), len(languages)), np.nan)
    for pair, number in zip(measured.pairs, numbers, strict=True):
        if number is not None:
            one, other = map(languages.index, pair.languages)
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
    _take_literally(figure)
    try:
        figure.savefig(drawn, format=path.suffix[1:], **settings)
    except ValueError as error:
        raise UsageError(f"{path}: expected a figure and the suffix of one, saw {path.suffix!r}: {error}") from error
    replace_file(str(path), drawn.getvalue())


def _take_literally(figure: Figure) -> None:
    """Draw names as they are: a dollar begins no formula, and no control character gets into a file."""
    ticks = {id(label) for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for label in axis.get_ticklabels()}
    for text in figure.findobj(Text):
        if isinstance(text, Text) and id(text) not in ticks:  # powers of ten are formulas
            text.set_parse_math(False)
            text.set_text(_CONTROLS.sub("\ufffd", text.get_text()))


def _fill(axes: Axes, evaluations: Sequence[Evaluation], metric: Metric, label: str) -> None:
    numbers: set[int] = set()
    for at, evaluation in enumerate(evaluations):
        scores = class_scores(evaluation, metric)
        numbers |= scores.keys()
        values = [bars.value for bars in scores.values()]
        ends = [
            [bars.value - bars.low for bars in scores.values()],
            [bars.high - bars.value for bars in scores.values()],
        ]
        aside = 0.04 * (at - (len(evaluations) - 1) / 2)  # so that no interval hides another
        places = [number + aside for number in scores]
        axes.errorbar(places, values, yerr=ends, marker="o", capsize=3, label=evaluation.name)
    _draw_chance(axes, evaluations, metric, "chance")
    rho = correlation(evaluations, metric) if len(evaluations) >= FEWEST_MODELS else None
    if rho is not None:
        axes.set_title(f"Spearman's ρ of outlier class and {label.removesuffix(' (%)')} = {rho:.2f}")
    axes.set(xlabel="outlier class", ylabel=label, ylim=(-5, 105))
    axes.set_xticks(sorted(numbers), [kind_of_class(str(number)) for number in sorted(numbers)])


def _add_legend(figure: Figure) -> None:
    """Name the lines of the first plot below all of them, where the names hide nothing."""
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)


def _draw_chance(axes: Axes, evaluations: Iterable[Evaluation], metric: Metric, label: str) -> None:
    guess = score(group for evaluation in evaluations for group in evaluation.groups).chance(metric)
    if guess is not None:
        axes.axhline(guess, color="grey", linestyle=":", label=label)
