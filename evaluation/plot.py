"""Accuracy by outlier class as a figure, with Spearman's ρ over all models, as in figure 2 of Blair et al. (2016)."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evaluation.outlierscores import Evaluation
from evaluation.spearman import spearman
from wikisem.errors import OutputError, UsageError


def class_accuracies(evaluation: Evaluation) -> dict[int, float]:
    """Accuracy in percent by outlier class, of the classes that are known and have test cases."""
    scores = evaluation.by_outlier_class()
    return {int(name): part.accuracy for name, part in scores.items() if name.isdigit() and part.accuracy is not None}


def correlation(evaluations: Sequence[Evaluation]) -> float | None:
    """ρ of outlier class and accuracy over all models together; None where it is not defined."""
    points = [point for evaluation in evaluations for point in class_accuracies(evaluation).items()]
    return spearman([number for number, _ in points], [accuracy for _, accuracy in points])


def draw(path: Path, evaluations: Sequence[Evaluation]) -> None:
    """Draw one line for each model into a .png, .svg or .pdf file.

    Raises UsageError where no outlier class is known or the file's form is not, OutputError where it cannot be written.
    """
    if not any(class_accuracies(evaluation) for evaluation in evaluations):
        raise UsageError("--plot: expected outlier classes, saw test cases of unknown class only")
    figure = Figure(figsize=(6, 4), layout="constrained")
    _fill(figure.subplots(), evaluations)
    try:
        figure.savefig(path)
    except ValueError as error:
        raise UsageError(f"--plot {path}: {error}") from error
    except OSError as error:
        raise OutputError(f"expected to write {path}, saw {error}") from error


def _fill(axes: Axes, evaluations: Sequence[Evaluation]) -> None:
    for evaluation in evaluations:
        accuracies = class_accuracies(evaluation)
        axes.plot(list(accuracies), list(accuracies.values()), marker="o", label=evaluation.name)
    rho = correlation(evaluations)
    axes.set_title("Spearman's ρ " + ("is not defined" if rho is None else f"= {rho:.2f}"))
    axes.set(xlabel="outlier class", ylabel="accuracy (%)", xticks=[1, 2, 3], ylim=(-5, 105))
    axes.legend()
