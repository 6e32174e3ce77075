"""Scores of annotators as tables for people and as JSON."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import RenderableType
from rich.table import Table

from wikisem.evaluation.annotators import HumanScore, ModelScore
from wikisem.evaluation.intervals import Estimate
from wikisem.outputs.annotation.annotation_set import AnnotationSet
from wikisem.pipeline.console.score_tables import percent
from wikisem.pipeline.console.terminal import make_console

_PEOPLE = "annotators"


@dataclass(frozen=True, slots=True)
class AnswersReport:
    """What annotators scored by one kind of answers; ``no_alpha`` is why there is no alpha, if there is none.

    ``help`` is "", or of two answers a case "without help" and "with help". ``models`` are scored on the same cases.
    """

    help: str
    human: HumanScore
    alpha: Estimate | None
    no_alpha: str
    models: Sequence[ModelScore]


@dataclass(frozen=True, slots=True)
class AnnotationReport:
    """All that ``wikisem annotate --score`` says: for one answer a case, or for both, the one with help last."""

    annotation: AnnotationSet
    answers: Sequence[AnswersReport]
    missing: Mapping[str, Sequence[str]]


def print_report(report: AnnotationReport) -> None:
    """The report as tables on standard output, and what is missing as lines after them."""
    console = make_console()
    for part in _parts(report):
        console.print(part)


def _parts(report: AnnotationReport) -> Iterable[RenderableType]:
    annotation = report.annotation
    yield f"set {annotation.fingerprint}: {len(annotation.cases)} test cases in {annotation.language}"
    for answers in report.answers:
        yield from filter(None, [answers.help])
        yield _annotators(answers.human)
        yield _accuracy(answers)
        yield _alpha(answers)
        human = answers.human
        if human.answers:
            yield f"right answers: {human.right} of {human.answers} ({percent(100 * human.right / human.answers)} %)"
    for name, cases in report.missing.items():
        yield f"{name}: {len(cases)} of {len(annotation.annotators[name])} without an answer: {_listed(cases)}"
    for model in report.answers[-1].models:
        yield from (f"{model.name}: {note}" for note in model.notes)


def _annotators(human: HumanScore) -> Table:
    table = _table("annotator", "asked", "answered", "right", "cannot tell", "accuracy")
    for one in human.annotators:
        share = 100 * one.right / one.answered if one.answered else None
        numbers = map(str, (one.asked, one.answered, one.right, one.cannot_tell))
        table.add_row(one.annotator, *numbers, percent(share))
    return table


def _accuracy(report: AnswersReport) -> Table:
    """Annotators by outlier class and overall; then each model, and the annotators on the cases that it can score."""
    table = _table("", "outlier class", "cases", "accuracy", "95 % interval", "OPP")
    _add_rows(table, _PEOPLE, report.human.by_outlier_class, report.human.overall, None)
    for model in report.models:
        table.add_section()
        _add_rows(table, model.name, model.by_outlier_class, model.accuracy, model.opp)
        table.add_row(f"{_PEOPLE}, same cases", "all", *_cells(model.people), "")
    return table


def _add_rows(
    table: Table, name: str, classes: Mapping[str, Estimate | None], overall: Estimate | None, opp: Estimate | None
) -> None:
    for at, (outlier_class, estimate) in enumerate(classes.items()):
        table.add_row("" if at else name, outlier_class, *_cells(estimate), "")
    table.add_row("", "all", *_cells(overall), percent(100 * opp.value) if opp else "")


def _cells(estimate: Estimate | None) -> tuple[str, str, str]:
    if estimate is None:
        return "0", percent(None), ""
    interval = f"{percent(100 * estimate.low)} to {percent(100 * estimate.high)}"
    return str(estimate.count), percent(100 * estimate.value), interval


def _alpha(report: AnswersReport) -> str:
    alpha = report.alpha
    if alpha is None:
        return f"agreement: no Krippendorff's alpha: {report.no_alpha}"
    return (
        f"agreement: Krippendorff's alpha {alpha.value:.3f} ({alpha.low:.3f} to {alpha.high:.3f}), "
        f"from {alpha.count} test cases with two answers or more"
    )


def _listed(cases: Sequence[str]) -> str:
    return ", ".join(cases[:5]) + (", …" if len(cases) > 5 else "")


def _table(*columns: str) -> Table:
    table = Table()
    for column in columns:
        words = column in {"", "annotator", "outlier class"}
        table.add_column(column, justify="left" if words else "right", overflow="fold", no_wrap=not words)
    return table


def report_as_json(report: AnnotationReport) -> dict[str, Any]:
    """The report under the names that ``--json`` prints; shares are from 0 to 1, what is undefined is null.

    Of two answers a case, those with help are the report's own, and ``without_help`` has the same of the others.
    """
    *first, last = report.answers
    row: dict[str, Any] = {
        "set": report.annotation.fingerprint,
        "language": report.annotation.language,
        "cases": len(report.annotation.cases),
        "overlap": len(report.annotation.overlap),
        **_answers(last),
        "missing": {name: list(cases) for name, cases in report.missing.items()},
    }
    return row | {"without_help": _answers(first[0])} if first else row


def _answers(answers: AnswersReport) -> dict[str, Any]:
    human = answers.human
    return {
        "annotators": [asdict(one) for one in human.annotators],
        "answers": human.answers,
        "right_answers": human.right,
        "accuracy": _json(human.overall),
        "by_outlier_class": {name: _json(one) for name, one in human.by_outlier_class.items()},
        "alpha": _json(answers.alpha),
        "models": [_model(model) for model in answers.models],
    }


def _model(model: ModelScore) -> dict[str, Any]:
    return {
        "name": model.name,
        "notes": list(model.notes),
        "opp": _json(model.opp),
        "accuracy": _json(model.accuracy),
        "by_outlier_class": {name: _json(one) for name, one in model.by_outlier_class.items()},
        "annotators_on_the_same_cases": _json(model.people),
    }


def _json(estimate: Estimate | None) -> dict[str, Any] | None:
    return asdict(estimate) if estimate else None
