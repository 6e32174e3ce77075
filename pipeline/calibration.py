"""``wikisem evaluate calibrate``: abilities of models and difficulties of groups from answers, case by case."""

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.console import RenderableType

from wikisem.datasets.files import csv_rows, numbered_lines, read_utf8
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.evaluation.calibration import (
    FEWEST_FOR_2PL,
    KEPT,
    Answers,
    Calibration,
    Difference,
    Form,
    calibrate,
    differences,
    short_forms,
    shortest_form,
)
from wikisem.outputs.report.page import Curve, Intervals, Plot, Point
from wikisem.pipeline.console.reports import Report, Row, deliver
from wikisem.pipeline.console.scores import p_value
from wikisem.pipeline.console.terminal import make_table
from wikisem.typed_json import decode_json

_HALF: Final = 1.959963984540054
_UNTOLD: Final = 0.5
_TRUE, _FALSE = ("true", "1"), ("false", "0")


def run_calibration(arguments: argparse.Namespace) -> None:
    """Fit the model to the answers in the files, and report what it says of models, groups and short forms."""
    answers = read_answers(arguments.cases, by_case=arguments.by == "case")
    discriminations = {"auto": None, "rasch": False, "2pl": True}[arguments.model]
    found = calibrate(answers, discriminations=discriminations)
    gaps, forms = differences(found), short_forms(answers, arguments.seed)
    report = _Calibrated(found, gaps, forms)
    warnings = list(report.warnings())
    deliver(
        Report(
            f"calibration of {len(answers.models)} models on {report.size}",
            lambda: [*report.tables(), *warnings, ""],
            lambda: [report.as_json()],
            report.rows,
            report.plots,
            warnings,
        ),
        arguments,
    )


# Answers, case by case.


def read_answers(paths: Sequence[Path], *, by_case: bool = False) -> Answers:
    """The answers in files of ``evaluate --cases``, or any with ``case``, ``model`` and ``right``.

    Lines are JSON, or CSV in a file that ends in .csv, and may have a ``group`` and its ``class``. A case without a
    group, or with ``by_case``, is a group of its own, and a group without a class is a class of its own.
    DamagedInputError with file and line for what is no answer, or for a second one of a model to a case.
    """
    counts: dict[str, dict[str, list[int]]] = {}
    classes: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    for where, row in (pair for path in paths for pair in _rows(path)):
        case, model = row.get("case"), row.get("model")
        answer = str(row.get("right")).lower()
        if not case or not model or answer not in (*_TRUE, *_FALSE):
            seen_keys = ", ".join(f"{name} {row.get(name)!r}" for name in ("case", "model", "right"))
            raise DamagedInputError(f"{where}: expected a case, a model and right (true or false), saw {seen_keys}")
        if (case, model) in seen:
            raise DamagedInputError(f"{where}: expected one answer of {model} to case {case}, saw a second")
        seen.add((case, model))
        own = row.get("group") or case
        group = str(case if by_case else own)
        classes[group] = str(row.get("class") or own)
        count = counts.setdefault(group, {}).setdefault(model, [0, 0])
        count[0] += answer in _TRUE
        count[1] += 1
    if not counts:
        raise MissingInputError(f"{', '.join(map(str, paths))}: expected answers, saw none")
    models = list(dict.fromkeys(model for group in counts.values() for model in group))
    numbers = np.array([[group.get(model, [0, 0]) for model in models] for group in counts.values()], dtype=np.float64)
    return Answers(tuple(models), tuple(counts), tuple(classes.values()), numbers[:, :, 0], numbers[:, :, 1])


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if not path.is_file():
        raise MissingInputError(f"expected a file of answers, saw none at {path}")
    text = read_utf8(path)
    if path.suffix == ".csv":
        yield from ((f"{path}:{number}", row) for number, row in csv_rows(text, str(path))[1])
        return
    for number, line in numbered_lines(text):
        if line:
            where = f"{path}:{number}"
            yield where, decode_json(line, dict[str, Any], where, "a JSON line of an answer")


# The report.


class _Calibrated:
    """The estimates in every form."""

    def __init__(self, found: Calibration, gaps: Sequence[Difference], forms: Sequence[Form]) -> None:
        self._found, self._gaps, self._forms = found, gaps, forms
        self._order: list[int] = np.argsort(-found.abilities, kind="stable").tolist()

    @property
    def size(self) -> str:
        """How many groups the answers are of, and of how many classes."""
        answers = self._found.answers
        return f"{len(answers.groups)} groups of {len(set(answers.classes))} classes"

    def warnings(self) -> Iterator[str]:
        """What the answers are too few to tell."""
        models = len(self._found.answers.models)
        of_b, of_a = self._found.reliability()
        if of_a is None:
            why = f", which needs {FEWEST_FOR_2PL} models or more" if models < FEWEST_FOR_2PL else ""
            yield f"Rasch model: one discrimination for all groups{why}"
        elif of_a < _UNTOLD:
            untold = f"{models} models do not tell discriminations of single groups (reliability {of_a:.2f})"
            yield f"warning: {untold}: use their spread, not their values"
        if of_b < _UNTOLD:
            yield f"warning: {models} models do not tell which groups are hard (reliability {of_b:.2f})"
        if not any(form.chosen for form in self._forms):
            yield "no short form was chosen: that takes six models and twenty groups that all models were asked"
        extreme = [name for name, ability, error in self._abilities() if error > 1 or abs(ability) > _FAR]
        if extreme:
            yield f"warning: too hard or too easy for {', '.join(extreme)}: the ability is what the prior says"

    def _abilities(self) -> Iterator[tuple[str, float, float]]:
        found = self._found
        for at in self._order:
            yield found.answers.models[at], float(found.abilities[at]), float(found.errors[at])

    def tables(self) -> Iterator[RenderableType]:
        """Abilities, differences of neighbours, short forms."""
        found, totals = self._found, self._found.answers
        table = make_table(["model"], ("right, %", "ability", "95 %", "SE", "like the best"))
        best = self._order[0]
        told = {gap.other: gap.p_holm for gap in self._gaps if gap.model == totals.models[best]}
        for at, (name, ability, error) in zip(self._order, self._abilities(), strict=True):
            right = 100 * float(totals.right[:, at].sum() / totals.asked[:, at].sum())
            mark = "best" if at == best else ("tied" if told[name] >= 0.05 else "")
            table.add_row(name, f"{right:.2f}", f"{ability:+.2f}", _ends(ability, error), f"{error:.2f}", mark)
        yield "abilities, in standard deviations of the difficulty of groups; 0 solves half of a middling group"
        yield table
        table = make_table(("model", "next"), ("difference", "95 %", "p (Holm)", "groups to tell them apart"))
        names = [totals.models[at] for at in self._order]
        for gap in self._gaps:
            if (gap.model, gap.other) in pairwise(names):
                interval = _ends(gap.difference, gap.error)
                needed = "–" if math.isinf(gap.groups) else f"{math.ceil(gap.groups):,}"
                table.add_row(gap.model, gap.other, f"{gap.difference:+.2f}", interval, p_value(gap.p_holm), needed)
        yield f"neighbours; groups such as these {self.size} for a level of 5 % and a power of 80 %"
        yield table
        of_b, of_a = found.reliability()
        shown = "" if of_a is None else f", spread of ln a {found.spread:.2f}, reliability of ln a {of_a:.2f}"
        yield f"groups: reliability of difficulties {of_b:.2f}, discrimination {math.exp(found.mean):.2f}{shown}"
        if self._forms:
            yield from self._form_tables()

    def _form_tables(self) -> Iterator[RenderableType]:
        table = make_table(("form", "compared with"), ("groups", "models", "Spearman's ρ", "95 %"))
        for form in self._forms:
            against = "the other half" if form.half else "the whole set"
            ends = f"{form.low:.2f} to {form.high:.2f}"
            way = "chosen on other models" if form.chosen else "random"
            table.add_row(way, against, str(form.groups), str(form.models), f"{form.rho:.3f}", ends)
        yield "short forms: how well they rank models"
        yield table
        short = shortest_form(self._forms)
        if short:
            yield f"the shortest with a mean ρ of {KEPT} has {short.groups} groups; --output FILE.json names them"
        else:
            yield f"none of these has a mean ρ of {KEPT}"

    def as_json(self) -> Row:
        """Everything, the groups in the order in which a form takes them."""
        found, (b, b_sd), (a, a_sd) = self._found, self._found.difficulty, self._found.log_discrimination
        of_b, of_a = found.reliability()
        short, order = shortest_form(self._forms), found.most_informative()
        groups = [
            {
                "group": found.answers.groups[at],
                "difficulty": float(b[at]),
                "difficulty_sd": float(b_sd[at]),
                "log_discrimination": float(a[at]),
                "log_discrimination_sd": float(a_sd[at]),
            }
            for at in order
        ]
        return {
            "model": "rasch" if of_a is None else "2pl",
            "classes": len(set(found.answers.classes)),
            "abilities": [{"model": name, "ability": value, "se": error} for name, value, error in self._abilities()],
            "differences": [gap.as_json() for gap in self._gaps],
            "reliability_difficulty": of_b,
            "reliability_discrimination": of_a,
            "log_discrimination_mean": found.mean,
            "log_discrimination_spread": found.spread,
            "information": [{"ability": at, "information": value} for at, value in self._curve()],
            "forms": [form.as_json() for form in self._forms],
            "shortest_form": short and [found.answers.groups[at] for at in order[: short.groups]],
            "groups": groups,
        }

    def rows(self) -> Iterator[Row]:
        """Of CSV: a row for each model, then one for each group."""
        for name, ability, error in self._abilities():
            yield {"part": "model", "name": name, "ability": ability, "ability_se": error}
        for row in self.as_json()["groups"]:
            yield {"part": "group", "name": row["group"]} | {key: row[key] for key in row if key != "group"}

    def _curve(self) -> list[tuple[float, float]]:
        return [(at / 4, self._found.total_information(at / 4)) for at in range(-16, 17)]

    def plots(self) -> list[Plot]:
        """Abilities with their intervals, and the information of the whole set."""
        points = [Point(name, at, at - _HALF * error, at + _HALF * error) for name, at, error in self._abilities()]
        least, most = min(point.low for point in points), max(point.high for point in points)
        title = "information of all groups by ability"
        curve = Curve(title, "ability", "information", self._curve())
        return [Intervals("ability, interval of 95 %", points, None, math.floor(least), math.ceil(most)), curve]


_FAR: Final = 4.0


def _ends(value: float, error: float) -> str:
    return f"{value - _HALF * error:+.2f} to {value + _HALF * error:+.2f}"
