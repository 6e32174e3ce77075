"""Scores as rows: each number of a report with its interval, its mark, and its difference from another model's.

A task of ``wikisem evaluate`` says what each model scored on the cases of each unit: a ``Tally`` for each part of a
data set. ``rows_of`` makes rows of tallies, and is the only place where error bars, marks and differences are computed.

A model is *tied with the best* if the paired permutation test by unit does not tell the two apart at 5 %, with p-values
raised by Holm's method (1979) for every two models: which one is the best is known only after looking (Hsu 1996,
"Multiple comparisons", chapter 4, has a test against the best alone, but assumes normal scores).
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from wikisem import __version__
from wikisem.datasets.files import csv_rows, filled_lines, read_utf8
from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.evaluation import statistics
from wikisem.evaluation.options import SEED
from wikisem.evaluation.statistics import FEW_UNITS, ErrorBars, FloatArray, Unit, holm
from wikisem.typed_json import decode_json

Vocabulary = Literal["own", "common"]
Mark = Literal["best", "tied", ""]
ALL: Final = "all"
COVERAGE: Final = "coverage"
LEVEL: Final = 0.05
DETECTABLE: Final = "detectable_difference"
UNITS: Final[Mapping[Unit, str]] = {
    "class": "classes", "wall": "walls", "category": "categories", "section": "sections", "cluster": "clusters"
}  # fmt: skip
# Scores that are adjusted for chance may be as low as -1; all others are shares from 0 to 1.
_ADJUSTED: Final = ("ari", "ami")
# Rows as logs of Every Eval Ever, a public collection of evaluations: one for each model. The fields are those of
# version 0.3.0 of its schema (the package every-eval-ever 0.3.0, seen 2026-11). The organisation and its relation to
# the maker of the model are for the user to fill in before a log is sent anywhere.
SCHEMA_VERSION: Final = "0.3.0"
# The least and the most of scores that do not go from 0 to 100; JSON has no infinity.
_RANGES: Final[dict[str, tuple[float | str, float | str]]] = {
    "ability": ("-Infinity", "Infinity"),
    "ami": (-100, 100),
    "ari": (-100, 100),
    "kappa": ("-Infinity", 1),
    "rankc": (0, 1),
}
_NO_PERCENTAGES: Final = ("ability", "kappa", "rankc")


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One number of a report: a score, or with ``less`` the difference of two models; shares are in percent.

    ``task`` and ``metric`` say what was measured, ``vocabulary`` on what: "own", or "common" for the words that all
    models know, or the cases that all were asked. ``part`` is the kind of part of the data set ("all", "language",
    "level", "outlier class", "tier", "group", "category", ...), ``name`` which of them and ``language`` in which
    language; "coverage" is what the scores are of. ``low`` and ``high`` are the ends of the interval of 95 %, ``se``
    the clustered standard error, ``n`` the number of independent units. ``chance`` is the score of a guess. A value is
    None without test cases.

    ``mark`` says of several models which is the best, and which are tied with it. With ``less``, the model whose score
    is taken off, ``p`` is the p-value of the difference, and ``p_holm`` that corrected for all pairs of models.
    """

    task: str
    model: str
    dataset: str = ""
    vocabulary: Vocabulary = "own"
    language: str = ""
    part: str = ALL
    name: str = ""
    label: str = ""
    metric: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    se: float | None = None
    n: int = 0
    unit: Unit = "class"
    cases: int = 0
    chance: float | None = None
    mark: Mark = ""
    less: str = ""
    p: float | None = None
    p_holm: float | None = None
    version: str = __version__


class Part(NamedTuple):
    """A part of a data set: its kind and name, the language that it is in, and the label of its class."""

    part: str = ALL
    name: str = ""
    language: str = ""
    label: str = ""


WHOLE: Final = Part()


@dataclass(frozen=True, slots=True)
class PartScore:
    """``correct`` of ``comparisons`` in a category of ``count`` words, or a section of ``count`` questions.

    ``missing`` are the words out of vocabulary, or the questions with such words. A part that was skipped, as one with
    too few words, has no comparisons.
    """

    name: str
    count: int
    missing: int
    correct: int
    comparisons: int

    @property
    def percent(self) -> float | None:
        """The score in percent; None for a part that was skipped."""
        return 100 * self.correct / self.comparisons if self.comparisons else None


@dataclass(frozen=True, eq=False)
class Tally:
    """Sums of shares over the cases of each unit: all that error bars, tests and marks need.

    ``sums`` has shape ``(units, metrics)``, ``counts``, the number of cases, ``(units,)``. ``asked`` tells units apart:
    models are compared on those that all of them have. ``chances`` are the scores of a guess in percent. ``shared`` has
    what each unit may have in common with others, and ``worth`` is the number of equal units that these are worth, as
    ``clustered_means`` takes them.
    """

    metrics: tuple[str, ...]
    sums: FloatArray
    counts: FloatArray
    asked: Sequence[Hashable]
    unit: Unit
    chances: tuple[float | None, ...] = ()
    shared: Sequence[frozenset[str]] = ()
    worth: float | None = None

    def error_bars(self, seed: int = SEED) -> list[ErrorBars | None]:
        """Each mean in percent with its error bars; None without cases."""
        if not self.counts.any():
            return [None] * len(self.metrics)
        # Error bars are of shares from 0 to 1: ARI and AMI, from -1 to 1, become (x + 1) / 2 first and x again at last.
        spans = np.where(np.isin(self.metrics, _ADJUSTED), 2.0, 1.0)
        shares = (self.sums + (spans - 1) * self.counts[:, None]) / spans
        of_shares = statistics.clustered_means(shares, self.counts, seed, self.shared, self.worth)
        in_percent: list[ErrorBars | None] = []
        for bars, span in zip(of_shares, spans.tolist(), strict=True):
            value, low, high = (100 * (span * share - (span - 1)) for share in (bars.value, bars.low, bars.high))
            error = None if bars.standard_error is None else 100 * span * bars.standard_error
            in_percent.append(ErrorBars(value, low, high, error, bars.n))
        return in_percent


@dataclass(frozen=True)
class Scored:
    """A model on a data set: a tally of each part, and by part and metric the numbers that have no error bars.

    "cases" among these numbers is how many cases the others are of.
    """

    model: str
    dataset: str
    vocabulary: Vocabulary = "own"
    parts: Mapping[Part, Tally] = field(default_factory=dict)
    plain: Mapping[Part, Mapping[str, float | None]] = field(default_factory=dict)


def rows_of(task: str, scored: Sequence[Scored], seed: int = SEED) -> list[Row]:
    """A row for each score of each model, then for the difference of every two models on each whole data set.

    Models are compared in the vocabulary of all of them if they were scored in it: on every part of a data set, as a
    language, they are marked as the best or tied with it. The differences have p-values by Holm's method.
    """
    compared: Vocabulary = "common" if any(one.vocabulary == "common" for one in scored) else "own"
    marked, differences = _compare(task, scored, compared, seed)
    rows = []
    for one in scored:
        head = Row(task=task, model=one.model, dataset=one.dataset, vocabulary=one.vocabulary, metric="")
        # The scores with error bars, and then the numbers without.
        for part, tally in one.parts.items():
            about = {"unit": tally.unit, "cases": int(tally.counts.sum()), **part._asdict()}
            chances = tally.chances or (None,) * len(tally.metrics)
            for metric, error_bars, chance in zip(tally.metrics, tally.error_bars(seed), chances, strict=True):
                key = one.model, one.dataset, part, metric
                mark = marked.get(key, "") if one.vocabulary == compared else ""
                rows.append(with_bars(replace(head, **about, metric=metric, chance=chance, mark=mark), error_bars))
        for part, numbers in one.plain.items():
            about = {"cases": int(numbers.get("cases") or 0), **part._asdict()}
            counted = ((metric, value) for metric, value in numbers.items() if metric != "cases")
            rows += [replace(head, **about, metric=metric, value=value) for metric, value in counted]
    return rows + differences


def _compare(
    task: str, scored: Sequence[Scored], compared: Vocabulary, seed: int
) -> tuple[dict[tuple[str, str, Part, str], Mark], list[Row]]:
    """The mark of each model, by model, data set, part and metric; and rows for the differences of every two models."""
    # By data set and part, the models that were scored on it, each with its sums over units.
    rivals: dict[tuple[str, Part], dict[str, Tally]] = {}
    for one in scored:
        for part, tally in one.parts.items() if one.vocabulary == compared else ():
            rivals.setdefault((one.dataset, part), {})[one.model] = tally
    marked: dict[tuple[str, str, Part, str], Mark] = {}
    differences: list[Row] = []
    for (dataset, part), tallies in rivals.items():
        # Models are compared on the units that all of them were asked; ``kept`` has the indices of these by model.
        first, *_ = tallies.values()
        indices_of_units = [{unit: index for index, unit in enumerate(tally.asked)} for tally in tallies.values()]
        asked = [unit for unit in first.asked if all(unit in index_of for index_of in indices_of_units)]
        if len(tallies) < 2 or not asked:
            continue
        kept = [[index_of[unit] for unit in asked] for index_of in indices_of_units]
        counts, shared = first.counts[kept[0]], [first.shared[index] for index in kept[0]] if first.shared else ()
        for column, metric in enumerate(first.metrics):
            of_models = zip(tallies.items(), kept, strict=True)
            sums = {model: tally.sums[indices, column] for (model, tally), indices in of_models}
            new_marks = marks(np.array(list(sums.values())).T, seed, shared)
            marked |= {(model, dataset, part, metric): mark for model, mark in zip(sums, new_marks, strict=True)}
            if part != WHOLE:  # parts have marks, but no rows of differences
                continue
            gaps = {}  # the score of the first model less that of the second
            for model, less in combinations(sums, 2):
                gap = statistics.compare_paired(sums[model], sums[less], counts, seed, shared, first.worth)
                if gap is not None:
                    gaps[model, less] = gap
            head = Row(task=task, model="", dataset=dataset, vocabulary=compared, metric=metric, unit=first.unit)
            for ((model, less), gap), p in zip(gaps.items(), holm([gap.p for gap in gaps.values()]), strict=True):
                row = replace(head, model=model, less=less, cases=int(counts.sum()), p=gap.p, p_holm=p)
                differences.append(with_bars(row, gap, 100))
    return marked, differences


def in_common(rows: Sequence[Row]) -> Sequence[Row]:
    """The rows in the vocabulary of all models, if there are any, or else all rows."""
    return [row for row in rows if row.vocabulary == "common"] or rows


def with_bars(row: Row, bars: ErrorBars | None, scale: float = 1.0) -> Row:
    """The row with a value, its interval and its error; as it is without any."""
    if bars is None:
        return row
    error = None if bars.standard_error is None else scale * bars.standard_error
    value, low, high = (scale * end for end in (bars.value, bars.low, bars.high))
    return replace(row, value=value, low=low, high=high, se=error, n=bars.n)


def marks(sums: FloatArray, seed: int = SEED, shared: Sequence[frozenset[str]] = ()) -> list[Mark]:
    """The mark of each model: "best" by its total, "tied" if a paired permutation test does not tell it apart, or "".

    ``sums``, shape ``(units, models)``, are of scores over the same cases of each unit for all models; ``shared`` has
    names that dependent units share. No model is marked where there is only one or nothing to compare.

    >>> marks(np.array([[4, 4, 0]] * 6 + [[4, 3, 0]] * 4, dtype=float))
    ['best', 'tied', '']
    """
    count, totals = sums.shape[1], sums.sum(axis=0)
    if count < 2 or not len(sums):
        return [""] * count
    pairs = list(combinations(range(count), 2))
    gaps = np.stack([sums[:, one] - sums[:, other] for one, other in pairs], axis=1)
    p_values = statistics.sign_flip_p_values(gaps, seed, statistics.widening(gaps - gaps.mean(axis=0), shared))
    not_told_apart = [pair for pair, p in zip(pairs, holm(p_values), strict=True) if p >= LEVEL]
    best = {index for index in range(count) if totals[index] >= totals.max() - 1e-9}
    tied = set(chain.from_iterable(pair for pair in not_told_apart if best & set(pair)))
    return ["best" if index in best else "tied" if index in tied else "" for index in range(count)]


def p_value(p: float) -> str:
    """A p-value in a sentence, after "p", with two digits that count.

    >>> p_value(0.4612), p_value(0.0462), p_value(0.00123), p_value(0.00003)
    ('= .46', '= .046', '= .0012', '< .0001')
    """
    digits = 2 if p >= 0.0995 else 3 if p >= 0.00995 else 4
    return f"= {p:.{digits}f}".replace("0.", ".", 1) if p >= 0.0001 else "< .0001"


@dataclass(frozen=True, slots=True, repr=False)
class Scores:
    """The ``rows`` of a task, and ``notes`` that a reader should know.

    ``answers()`` goes through what each model answered, case by case, as ``--cases`` writes it; of several models, to
    the cases that all of them know.
    """

    rows: list[Row]
    notes: list[str] = field(default_factory=list)
    answers: Callable[[], Iterator[dict[str, Any]]] = lambda: iter(())

    def __repr__(self) -> str:
        models = len({row.model for row in self.rows if row.model})
        return f"Scores(rows={len(self.rows)}, models={models}, notes={len(self.notes)})"

    def row(self, metric: str, **fields: str) -> Row:
        """The one score of a metric with these fields, as ``part="language", name="de"``; by default of all cases.

        Of several models, the scores on words that all of them know are looked at; ``less="NAME"`` is the difference to
        another model. UsageError unless there is just one such row.
        """
        if "vocabulary" not in fields and any(row.vocabulary == "common" for row in self.rows):
            fields["vocabulary"] = "common"
        wanted = {"metric": metric, "part": ALL, "less": "", **fields}
        found = [row for row in self.rows if all(getattr(row, name) == value for name, value in wanted.items())]
        if len(found) != 1:
            raise UsageError(f"expected one row with {wanted}, saw {len(found)}")
        return found[0]


def scores_of(
    task: str,
    scored: Sequence[Scored],
    notes: Mapping[str, Iterable[str]],
    seed: int = SEED,
    answers: Callable[[], Iterator[dict[str, Any]]] = lambda: iter(()),
) -> Scores:
    """The scores of a task, with the notes of its models.

    ``notes`` has those of each model; of several models, each note begins with the model's name. Notes in front of them
    say of each data set what was left out, and warn of fewer than ``FEW_UNITS`` units to draw error bars from.
    """
    rows = rows_of(task, scored, seed)
    several = len(notes) > 1
    of_models = [f"{model}: {note}" if several else note for model, listed in notes.items() for note in listed]
    # The fewest units of any model, by data set and kind, such as "sample: classes".
    fewest: dict[str, int] = {}
    for row in rows:
        if row.part == ALL and row.low is not None and not row.less:  # a score of the whole set, and no difference
            units = f"{row.dataset}: {UNITS[row.unit]}".removeprefix(": ")
            fewest[units] = min(row.n, fewest.get(units, row.n))
    warnings = chain.from_iterable(few_units_note(units, count) for units, count in fewest.items())
    return Scores(rows, [*_left_out(rows), *warnings, *dict.fromkeys(of_models)], answers)


def _left_out(rows: Sequence[Row]) -> Iterator[str]:
    """A sentence for each data set of which cases or walls are left out: models lack their words, or did not answer."""
    totals = [row for row in rows if row.part == COVERAGE and row.metric in {"test_cases", "walls"}]
    datasets = {row.dataset: row.metric.replace("_", " ") for row in totals}
    for dataset, cases in datasets.items():
        whole = [row for row in rows if (row.part, row.dataset, row.less) == (ALL, dataset, "") and row.low is not None]
        known = {row.model: row.cases for row in whole if row.vocabulary == "own"}
        count = max(row.value or 0 for row in totals if row.dataset == dataset)
        kept = min((row.cases for row in whole), default=0)  # the fewest of any model
        where, is_log = f"{dataset}: " if len(datasets) > 1 else "", rows[0].task == "samples"
        by_model = ", ".join(f"{model} {'answered' if is_log else 'knows'} {each:,}" for model, each in known.items())
        left_out = f"{where}left out: {count - kept:,.0f} of {count:,.0f} {cases}"
        if is_log and len(known) > 1 and not any(row.mark for row in whole):
            yield f"{where}no {cases} in common; {by_model}"
        elif kept < count and len(known) < 2:
            yield f"{left_out}, {'without a score' if is_log else 'with words that the model does not know'}"
        elif kept < count and is_log:
            yield f"{where}compared on {kept:,} {cases} that all models answered; {by_model}"
        elif kept < count:
            yield f"{left_out}, with words that not all models know; {by_model}"


def few_units_note(units: str, count: int) -> list[str]:
    """A warning of fewer than ``FEW_UNITS`` units, such as "classes", to draw error bars from; empty for more."""
    rough = f"error bars from fewer than {FEW_UNITS} are rough, and often too narrow"
    return [f"{units} with a score: {count}; {rough}"] if count < FEW_UNITS else []


class _Report(msgspec.Struct):
    scores: list[Row]


def read_rows(path: Path) -> list[Row]:
    """The rows that wikisem evaluate wrote with --json, --csv or --output; DamagedInputError names a bad line."""
    if not path.is_file():
        raise MissingInputError(f"expected scores, saw no file at {path}")
    if path.suffix in {".md", ".tex", ".html"}:
        wanted = "what wikisem evaluate prints with --json or --csv, or writes with --output FILE.json or FILE.csv"
        raise DamagedInputError(f"{path}: expected {wanted}, saw {path.suffix}")
    text, wanted = read_utf8(path), "a row that wikisem evaluate prints with --json"
    if text.startswith("{\n"):
        return decode_json(text, _Report, str(path), "the JSON of wikisem evaluate --output").scores
    if text.lstrip().startswith("{"):
        return [decode_json(line, Row, where, wanted) for where, line in filled_lines(text, path)]
    rows = []
    for number, cells in csv_rows(text, str(path))[1]:
        try:
            rows.append(msgspec.convert({name: cell for name, cell in cells.items() if cell}, Row, strict=False))
        except msgspec.ValidationError as error:
            expected = "expected a row of wikisem evaluate --csv"
            raise DamagedInputError(f"{path}:{number}: {expected}, saw {error}") from error
    return rows


def logs_of(rows: Iterable[Row], made: int) -> dict[str, dict[str, Any]]:
    """Each model's scores with intervals as a log of the format Every Eval Ever; ``made`` is in seconds since 1970."""
    results: dict[str, list[dict[str, Any]]] = {}
    for row in rows:  # not differences, baselines, and cutoffs, which are numbers of items
        if row.model and not row.less and row.low is not None and row.task != "baseline" and row.metric != "cutoff":
            results.setdefault(row.model, []).append(_log_result(row))
    return {
        model: {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": f"wikisem/{model}/{made}",
            "retrieved_timestamp": str(made),
            "source_metadata": {
                "source_name": "wikisem evaluate",
                "source_type": "evaluation_run",
                "source_organization_name": "unknown",
                "evaluator_relationship": "other",
            },
            "eval_library": {"name": "wikisem", "version": __version__},
            # lm-evaluation-harness writes names of the Hub in this way.
            "model_info": {"name": model, "id": model.replace("__", "/")},
            "evaluation_results": of_model,
        }
        for model, of_model in results.items()
    }


def _log_result(row: Row) -> dict[str, Any]:
    """The result of one score in the schema of Every Eval Ever."""
    least, most = _RANGES.get(row.metric, (0, 100))
    language = row.language if row.language != row.name else ""  # a part by language is named by its language
    path = [row.task, row.dataset, row.vocabulary, row.part, row.name, language, row.metric]
    details = {"unit": row.unit, "units": row.n, "chance": row.chance, "vocabulary": row.vocabulary, "mark": row.mark}
    error = {"standard_error": {"value": row.se, "method": f"clustered by {row.unit}"}} if row.se is not None else {}
    interval = {"lower": row.low, "upper": row.high, "confidence_level": 0.95, "method": f"bootstrap by {row.unit}"}
    return {
        "evaluation_result_id": "/".join(filter(None, path)),
        "evaluation_name": " ".join(filter(None, ["wikisem", row.task, row.part, row.name])),
        "source_data": {"dataset_name": row.dataset or "unnamed", "source_type": "other"},
        "metric_config": {
            "metric_id": "accuracy" if row.metric == "accuracy" else f"wikisem.{row.metric}",
            "metric_name": row.metric,
            "metric_unit": "points" if row.metric in _NO_PERCENTAGES else "percent",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": least,
            "max_score": most,
        },
        "score_details": {
            "score": row.value,
            "details": {name: str(value) for name, value in details.items() if value not in {None, ""}},
            "uncertainty": {**error, "confidence_interval": interval, "num_samples": row.cases},
        },
    }
