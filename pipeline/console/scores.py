"""Scores of models: as tables for people, as JSON for programs, and as rows of CSV for spreadsheets."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from operator import attrgetter
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import orjson
from rich.console import Group, RenderableType
from rich.table import Table

from wikisem import __version__
from wikisem.class_names import name_class
from wikisem.evaluation.analogies.questions import SectionScore, analogies_as_json, total
from wikisem.evaluation.audit.baselines import ALL, Columns, HitRate
from wikisem.evaluation.comparison import WHOLE, Comparison, Standing
from wikisem.evaluation.consistency import Consistency
from wikisem.evaluation.cutoff import Cutoff, made_between
from wikisem.evaluation.outlier_detection import (
    UNKNOWN,
    Evaluation,
    Score,
    distinct_names,
    error_bars_as_json,
    group_ids,
    kind_of_class,
    score,
)
from wikisem.evaluation.statistics import FEW_UNITS, ErrorBars, Unit
from wikisem.evaluation.topk import CategoryScore, mean_error_bars, mean_percent
from wikisem.evaluation.vectors.lookup import Lookup
from wikisem.evaluation.walls import WallEvaluation, WallMeans
from wikisem.files import write_text
from wikisem.outputs.report.page import Intervals, Point
from wikisem.pipeline.console.terminal import log, make_table

_WALL_SCORES: Final = {"solved": "solved", "groups_found": "groups found", "ari": "ARI", "ami": "AMI"}
_METRICS: Final = {"opp": "OPP", **_WALL_SCORES}
_SCORE_COLUMNS: Final = ("OPP", "95 %", "SE", "accuracy", "95 %", "SE")
_UNITS: Final[Mapping[Unit, str]] = {
    "class": "classes", "wall": "walls", "category": "categories", "section": "sections"
}  # fmt: skip
Row = dict[str, Any]

# The table of all models.


def ranking_report(standings: Sequence[Standing]) -> RenderableType:
    """One table of several models: a score and its interval in each cell, the best and what is tied with it marked."""
    parts = list(dict.fromkeys(row.part for row in standings))
    table = make_table(("score", "model"), parts)
    for metric in dict.fromkeys(row.metric for row in standings):
        rows = [row for row in standings if row.metric == metric]
        for model in dict.fromkeys(row.model for row in rows):
            cells = {row.part: row for row in rows if row.model == model}
            table.add_row(_METRICS.get(metric, metric), model, *(_standing_cell(cells[part]) for part in parts))
        guesses = {row.part: row.chance for row in rows}
        if any(guess is not None for guess in guesses.values()):
            table.add_row(_METRICS.get(metric, metric), "chance", *(percent(guesses[part]) for part in parts))
        table.add_section()
    note = (
        "on the test cases that all models know; tied: not told apart from the best at 5 % by a permutation test "
        f"paired by {standings[0].unit}, with Holm's method for every two models"
    )
    return Group(f"all models, % with intervals of 95 %, {note}", table, "")


def _standing_cell(row: Standing) -> str:
    if row.bars is None:
        return "–"
    return f"{percent(row.bars.value)} {row.mark}".rstrip() + f"\n{percent(row.bars.low)} to {percent(row.bars.high)}"


def ranking_plots(standings: Sequence[Standing]) -> list[Intervals]:
    """A plot for each score and part with a row for each model; of a single model, for each score with its parts."""
    alone = len({row.model for row in standings}) == 1
    plots: dict[tuple[str, str], list[Standing]] = {}
    for row in standings:
        if row.bars:
            plots.setdefault((row.metric, row.model if alone else row.part), []).append(row)
    return [
        Intervals(
            f"{_METRICS.get(metric, metric)}, %: {name}",
            [_point(row.part if alone else row.model, row) for row in rows],
            rows[0].chance,
            least=min(0.0, *(row.bars.low for row in rows if row.bars)),
        )
        for (metric, name), rows in plots.items()
    ]


def _point(name: str, row: Standing) -> Point:
    assert row.bars
    return Point(name, row.bars.value, row.bars.low, row.bars.high, bool(row.mark))


def marks_of(standings: Sequence[Standing], model: str, parts: AbstractSet[str]) -> Row:
    """How a model compares with the best on a part of a data set, whatever it is called, as cells of CSV."""
    return {f"{row.metric}_mark": row.mark for row in standings if row.model == model and row.part in parts}


# From this share of words out of vocabulary up, a model does not know a language: most of a case is left out.
_MOST_UNKNOWN: Final = 0.5


def unknown_languages_note(evaluation: Evaluation) -> list[str]:
    """A warning if a set has several languages, and a model lacks most words of some of them."""
    shares = evaluation.oov_by_language()
    unknown = [f"{name} ({100 * share:.0f} %)" for name, share in shares.items() if share >= _MOST_UNKNOWN]
    if len(shares) < 2 or not unknown:
        return []
    lacking = f"{evaluation.name} lacks most words of {', '.join(unknown)}"
    return [f"warning: {lacking}; scores over all languages leave these words out: choose some with --languages"]


# Tables of outlier detection.


def outlier_report(evaluations: Sequence[Evaluation], title: str) -> RenderableType:
    """A model's scores on one or more data sets: by language, by outlier class and overall."""
    model = evaluations[0]
    parts: list[RenderableType] = [f"{title}: {model.name}"]
    parts.append(_score_table(evaluations))
    parts += [line for evaluation in evaluations for line in _coverage_lines(evaluation)]
    return Group(*parts, *vocabulary_note(model.vocabulary_size), *model.notes, "")


def baseline_table(language: str, dataset: str, by_column: Columns) -> Table:
    """Chance, and how often each baseline of a language is right, in percent with its interval, by outlier class."""
    title = f"who picks … is right, %: {dataset}"
    title = title if language == UNKNOWN else f"{language}: {title}"
    table = make_table(["who picks"], by_column, title=title, title_justify="left")
    for name in (name for name, whole in by_column.get(ALL, {}).items() if whole):
        table.add_row(name, *(_baseline_cell(found[name]) for found in by_column.values()))
    return table


def _baseline_cell(one: HitRate | None) -> str:
    if one is None:
        return "–"
    ends = f" ({100 * one.low:.1f} to {100 * one.high:.1f})" if one.low < one.high else ""
    return f"{100 * one.value:.1f}{ends}"


def _score_table(evaluations: Sequence[Evaluation]) -> Table:
    table = make_table(("data set", "part"), ("classes", "cases", *_SCORE_COLUMNS))
    for evaluation in evaluations:
        for kind, name, part in _score_parts(evaluation):
            counts = (f"{part.classes:,}", f"{part.cases:,}")
            named = f"{kind} {name}".strip() if kind_of_class(name) == name else kind_of_class(name)
            table.add_row(evaluation.dataset, named, *counts, *_score_cells(part))
        table.add_section()
    return table


def _score_parts(evaluation: Evaluation) -> list[tuple[str, str, Score]]:
    """Each part of a data set that has a row: the kind of part, its name and its score; the whole comes last."""
    languages = evaluation.by_language()
    rows = [("language", name, part) for name, part in languages.items() if list(languages) != [UNKNOWN]]
    rows += [("outlier class", name, part) for name, part in evaluation.by_outlier_class().items()]
    return [*rows, ("overall", "", evaluation.overall())]


def _score_cells(part: Score) -> list[str]:
    return [cell for bars in part.error_bars or (None, None) for cell in _error_cells(bars)]


def group_table(models: Sequence[Evaluation]) -> Table:
    """The groups of a data set, those that fail most cases first: each model's accuracy on them, and the mean OPP."""
    table = make_table([f"{models[0].dataset} group".strip()], ("cases", "OPP", *(one.name for one in models)))
    names = distinct_names([group.group for group in models[0].groups])
    rows = []
    for name, *scored in zip(names, *(one.groups for one in models), strict=True):
        parts = [score([one]) for one in scored]
        known = [part for part in parts if part.cases]
        accuracy, opp = (
            fmean(map(getter, known)) if known else None for getter in (attrgetter("accuracy"), attrgetter("opp"))
        )
        cells = (f"{max(part.cases for part in parts):,}", percent(opp), *(percent(part.accuracy) for part in parts))
        rows.append((accuracy is None, accuracy, (name_class(name, scored[0].group.label), *cells)))
    for *_, row in sorted(rows, key=lambda row: row[:2]):
        table.add_row(*row)
    return table


def _coverage_lines(evaluation: Evaluation) -> Iterable[str]:
    """How much of a data set the scores cover."""
    prefix = f"{evaluation.dataset}: " if evaluation.dataset else ""
    yield (
        f"{prefix}{len(evaluation.groups)} groups, {evaluation.skipped} of them skipped; out of vocabulary: "
        f"{percent(evaluation.oov_cluster_percent())} % of cluster items, "
        f"{percent(evaluation.oov_outlier_percent())} % of outliers"
    )
    yield from few_units_note(evaluation.overall().classes, f"{prefix}classes")


def contexts_report(rows: Sequence[tuple[int, Evaluation]]) -> RenderableType:
    """OPP and accuracy of count models by the number of contexts that a word keeps."""
    table = make_table(("model", "data set"), ("contexts", "cases", *_SCORE_COLUMNS))
    sizes = {evaluation.name: evaluation.vocabulary_size for _, evaluation in rows}
    for number, evaluation in rows:
        part = evaluation.overall()
        table.add_row(evaluation.name, evaluation.dataset, f"{number:,}", f"{part.cases:,}", *_score_cells(part))
    notes = [f"{name}: {note}" for name, size in sizes.items() for note in vocabulary_note(size)]
    notes += dict.fromkeys(note for _, evaluation in rows for note in evaluation.notes[1:])
    return Group("outlier detection by the contexts of the highest log-likelihood", table, *notes, "")


def comparison_report(comparisons: Sequence[Comparison]) -> RenderableType:
    """The differences of every two models in percentage points, with their intervals and p-values."""
    numbers = ("n", "difference", "95 %", "SE", "p", "p (Holm)")
    table = make_table(("data set", "score", "model", "less"), numbers)
    for row in comparisons:
        pair = row.pair
        error = None if pair.standard_error is None else 100 * pair.standard_error
        interval = f"{100 * pair.low:+.2f} to {100 * pair.high:+.2f}"
        cells = (f"{pair.n:,}", f"{100 * pair.difference:+.2f}", interval, percent(error))
        table.add_row(
            row.dataset,
            _METRICS.get(row.metric, row.metric),
            row.one,
            row.other,
            *cells,
            p_value(pair.p),
            p_value(row.p_holm),
        )
    if not comparisons:
        return Group()
    unit = comparisons[0].unit
    return Group(f"differences, paired by {unit}; n: {_UNITS[unit]}", table, "")


def consistency_report(measured: Consistency) -> RenderableType:
    """What a model answers in every two languages: both right, kappa, and the same word wrong, beside chance."""
    columns = ("classes", "cases", "both right", "chance", "kappa", "95 %", "both wrong", "same word", "95 %", "chance")
    table = make_table(["languages"], (*columns, "RankC", "chance"))
    for pair in measured.pairs:
        same, interval, _ = _error_cells(pair.same_word and pair.same_word.percent())
        kappa = ("–", "–") if pair.kappa is None else (_two(pair.kappa.value), _interval(pair.kappa))
        chance = pair.same_word_chance
        table.add_row(
            ", ".join(pair.languages),
            *(f"{pair.classes:,}", f"{pair.cases:,}"),
            *(percent(100 * pair.both_right.value), percent(100 * pair.both_right_chance)),
            *kappa,
            *(f"{pair.both_wrong:,}", same, interval, percent(None if chance is None else 100 * chance)),
            *(_two(pair.rankc.value), _two(pair.rankc_chance)),
        )
    title = f"consistency across languages, {measured.dataset}: {measured.model}"
    fewest = min((pair.classes for pair in measured.pairs), default=0)
    without = [] if measured.pairs else ["no test case is known to the model in two languages"]
    return Group(title, table, *without, *few_units_note(fewest, "classes of two languages"), *measured.notes, "")


def kappa_plot(measured: Consistency) -> Intervals:
    """Kappa of every two languages where it is defined; chance is 0."""
    points = [
        Point(", ".join(pair.languages), pair.kappa.value, pair.kappa.low, pair.kappa.high)
        for pair in measured.pairs
        if pair.kappa is not None
    ]
    return Intervals(f"kappa, {measured.dataset}: {measured.model}", points, chance=0.0, least=-1.0, most=1.0)


def _two(value: float) -> str:
    return f"{value:.2f}"


def _interval(bars: ErrorBars) -> str:
    return f"{bars.low:.2f} to {bars.high:.2f}"


def cutoff_report(found: Cutoff) -> RenderableType:
    """Accuracy by the newest member of a cluster, and where it falls, if it does."""
    names = ["newest member", "made"] if found.dates else ["newest member"]
    table = make_table(names, ("classes", "cases", "accuracy", "95 %", "SE"))
    for band in found.bands:
        head = [f"Q{band.low} to Q{band.high}", _made(band.after, band.by)][: len(names)]
        counts = (f"{band.score.classes:,}", f"{band.score.cases:,}")
        table.add_row(*head, *counts, *_score_cells(band.score)[3:])
    title = f"accuracy by item number, {found.dataset}: {found.model}"
    return Group(title, table, _change_line(found), *found.notes, "")


def band_plot(found: Cutoff) -> Intervals:
    """Accuracy of each band, with the line of a guess among all cases."""
    bars = [(f"to Q{band.high}", band.score.error_bars[1]) for band in found.bands if band.score.error_bars]
    points = [Point(name, accuracy.value, accuracy.low, accuracy.high) for name, accuracy in bars]
    cases = sum(band.score.cases for band in found.bands)
    chance = sum((band.score.chance("accuracy") or 0) * band.score.cases for band in found.bands) / cases
    return Intervals(f"accuracy by item number, {found.dataset}: {found.model}", points, chance)


def _made(after: str, by: str) -> str:
    return " ".join(part for part in (after and f"after {after}", by and f"by {by}") if part) or "–"


def _change_line(found: Cutoff) -> str:
    change = found.change
    if change is None:
        return "too few cases to look for a cutoff"
    if not change.seen:
        return f"no change seen ({_p(change.p)})"
    made = _made(*made_between(found.dates, change.low, change.high)).replace("–", "")
    scores = " to ".join(percent(score.accuracy) for score in (change.before, change.after))
    return (
        f"accuracy falls from {scores} % between Q{change.last_before} and Q{change.first_after} "
        f"(95 %: Q{change.low} to Q{change.high}{made and ', made '}{made}; {_p(change.p)})"
    )


def _p(p: float) -> str:
    """A p-value in a sentence.

    >>> _p(0.04), _p(0.00003)
    ('p = 0.0400', 'p < 0.0001')
    """
    return f"p {'' if p_value(p).startswith('<') else '= '}{p_value(p)}"


# Tables of walls.


def wall_report(evaluation: WallEvaluation, title: str) -> RenderableType:
    """A model's scores on walls, by tier in each language and in all, with chance and what is out of vocabulary."""
    table = make_table(("language", "tier"), ("walls", "classes", "words", "chance", *_WALL_SCORES.values()))
    for language, tier, part in _wall_parts(evaluation):
        known = ("–", "–") if part.words is None else (f"{part.words:.1f}", f"{part.chance['solved']:.2g}")
        scores = (_wall_cell(part.error_bars.get(name)) for name in _WALL_SCORES)
        counts = (f"{part.walls:,}", f"{part.classes:,}")
        table.add_row(language or "all", tier or "all", *counts, *known, *scores)
        if not tier:
            table.add_section()
    lines = [
        "scores in percent with intervals of 95 %; words: the mean number that was divided; chance: of solving a wall"
    ]
    lines.append(
        f"{len(evaluation.walls)} walls, {evaluation.skipped} of them skipped, {evaluation.whole} with all words in "
        f"vocabulary; out of vocabulary: {percent(evaluation.oov_percent())} % of words"
    )
    lines += few_units_note(evaluation.overall().walls, "walls")
    notes = [*vocabulary_note(evaluation.vocabulary_size), *evaluation.notes]
    return Group(f"{title}: {evaluation.name}", table, *lines, *notes, "")


def _wall_cell(bars: ErrorBars | None) -> str:
    return f"{bars.value:.1f} ({bars.low:.1f} to {bars.high:.1f})" if bars else "–"


def _wall_parts(evaluation: WallEvaluation) -> Iterable[tuple[str, str, WallMeans]]:
    """Each language with its tiers, then all of them; "" is for all languages and for all tiers."""
    languages = evaluation.by_language()
    for language, part in {**(languages if len(languages) > 1 else {}), "": evaluation.overall()}.items():
        yield from ((language, tier, own) for tier, own in evaluation.by_tier(language).items())
        yield language, "", part


def _head(evaluation: Evaluation | WallEvaluation, vocabulary: str) -> Row:
    """What every row of a model on a data set begins with."""
    return {
        "model": evaluation.name,
        "dataset": evaluation.dataset,
        "version": __version__,
        "vocabulary": vocabulary,
        "vocabulary_size": evaluation.vocabulary_size,
    }


def wall_rows(evaluation: WallEvaluation, vocabulary: str) -> list[Row]:
    """A row for each tier in each language and in all of them; vocabularies are as in ``outlier_rows``."""
    head = _head(evaluation, vocabulary)
    found = ((language, tier, part.as_json()) for language, tier, part in _wall_parts(evaluation))
    return [
        {**head, "language": language, "tier": tier, **row, "chance": row["chance"]["solved"]}
        for language, tier, row in found
    ]


# Tables of Topk, OddOneOut, their combination, and analogies.


def category_report(lookup: Lookup, title: str, scores: Sequence[CategoryScore]) -> RenderableType:
    """The score of every category and their mean, with how many words they have and how many are missing."""
    table = make_table(["category"], ("n", "out of vocabulary", "correct", "comparisons", "score"))
    for row in scores:
        numbers = (row.count, row.missing, row.correct, row.comparisons)
        table.add_row(row.name, *(f"{number:,}" for number in numbers), percent(row.percent))
    table.add_row("mean", "", "", "", "", percent(mean_percent(scores)))
    bars = mean_error_bars(scores)
    _, interval, error = _error_cells(bars)
    lines = [f"mean over {bars.n} categories: 95 % {interval}, standard error {error}"] if bars else []
    lines += few_units_note(bars.n if bars else 0, "categories")
    return Group(f"{title}: {lookup.name}", table, *lines, *_facts(lookup), "")


def combined_report(rows: Sequence[Mapping[str, Any]]) -> RenderableType:
    """The Combined score of each model, with the right answers that it is made of."""
    table = make_table(["model"], ("vocabulary", "OddOneOut", "Topk", "Combined"))
    for row in rows:
        counts = (f"{row[name]:,}" for name in ("vocabulary_size", "oddoneout", "topk"))
        table.add_row(row["model"], *counts, f"{row['combined']:,.2f}")
    return Group("Combined: the harmonic mean of right answers + 1", table, "")


def analogy_report(lookup: Lookup, title: str, scores: Sequence[SectionScore], *, skipped: bool) -> RenderableType:
    """How many questions of each section and in all are right, and how many are unseen."""
    table = make_table(["section"], ("questions", "unseen", "correct", "accuracy"))
    for row in [*scores, total(scores)]:
        table.add_row(row.section, *(f"{n:,}" for n in (row.questions, row.unseen, row.correct)), percent(row.percent))
    unseen = "left out" if skipped else "counted as wrong"
    note = f"unseen questions, with a word out of vocabulary, are {unseen}"
    return Group(f"{title}: {lookup.name}", table, note, *_facts(lookup), "")


# What tables have in common.


def _error_cells(bars: ErrorBars | None) -> tuple[str, str, str]:
    """A score, the ends of its interval and its standard error, each in percent."""
    if bars is None:
        return ("–", "–", "–")
    return percent(bars.value), f"{percent(bars.low)} to {percent(bars.high)}", percent(bars.standard_error)


def percent(value: float | None) -> str:
    """A percentage with two decimals, or a dash without a value."""
    return "–" if value is None else f"{value:.2f}"


def p_value(p: float) -> str:
    """A p-value with four decimals; below what they show, that it is less.

    >>> p_value(0.04), p_value(0.00003)
    ('0.0400', '< 0.0001')
    """
    return f"{p:.4f}" if p >= 0.0001 else "< 0.0001"


def _facts(lookup: Lookup) -> list[str]:
    return [*vocabulary_note(lookup.vocabulary_size), *lookup.notes]


def vocabulary_note(size: int | None) -> list[str]:
    """How many words a model lists; nothing for a model that reads any text.

    >>> vocabulary_note(225_950)
    ['words in the vocabulary: 225,950']
    """
    return [] if size is None else [f"words in the vocabulary: {size:,}"]


def few_units_note(count: int, unit: str) -> list[str]:
    """A warning if error bars are from few classes, categories or walls."""
    if not 0 < count < FEW_UNITS:
        return []
    return [f"{unit} with a score: {count}; error bars from fewer than {FEW_UNITS} are rough, and often too narrow"]


# JSON and CSV.


def scores_as_json(scores: Sequence[CategoryScore]) -> dict[str, Any]:
    """The scores of categories under the names that ``--json`` prints; the score of a skipped category is null."""
    skipped = sum(score.percent is None for score in scores)
    bars = error_bars_as_json("score", mean_error_bars(scores))
    return {
        "score": mean_percent(scores),
        **bars,
        "skipped_categories": skipped,
        "categories": list(map(_category_row, scores)),
    }


def category_rows(scores: Sequence[CategoryScore]) -> list[Row]:
    """A row for each category, and one for the mean with its error bars."""
    bars = mean_error_bars(scores)
    mean = {"category": "", "score": bars.value if bars else None, **error_bars_as_json("score", bars)}
    return [*map(_category_row, scores), mean]


def _category_row(score: CategoryScore) -> Row:
    return {
        "category": score.name,
        "n": score.count,
        "oov": score.missing,
        "correct": score.correct,
        "comparisons": score.comparisons,
        "score": score.percent,
    }


def analogy_rows(scores: Sequence[SectionScore]) -> list[Row]:
    """A row for each section, and one without a section for all of them."""
    found = analogies_as_json(scores)
    return [*found.pop("sections"), {"section": "", **found}]


def outlier_rows(
    evaluation: Evaluation, vocabulary: str, groups: bool, standings: Sequence[Standing] = ()
) -> list[Row]:
    """A row for each language, outlier class and the whole of a data set, and for each group if asked for.

    ``vocabulary`` is "own", or "common" where only what all models know was scored. A row of a group has no error bars.
    """
    head = _head(evaluation, vocabulary)
    rows = [
        {
            **head,
            "part": kind,
            "name": name,
            "language": name if kind == "language" else "",
            "groups": part.groups,
            **part.as_json(),
            **marks_of(standings, evaluation.name, {kind_of_class(name)} if name else {WHOLE, evaluation.dataset}),
        }
        for kind, name, part in _score_parts(evaluation)
    ]
    if groups:
        names = group_ids([group.group for group in evaluation.groups])
        for name, group in zip(names, evaluation.groups, strict=True):
            part = score([group])
            cells = {"cases": part.cases, "opp": part.opp, "accuracy": part.accuracy}
            named = {"part": "group", "name": name, "label": group.group.label, "language": group.group.language}
            rows.append({**head, **named, **cells})
    return rows


def write_cases(path: Path | None, evaluations: Sequence[Evaluation]) -> None:
    """Write the answer of each model to each of its cases as lines of JSON, if a file is named.

    A case is called by the language and the id of its group and by its outlier, and by the data set if a model has
    groups of one name in several; a line that comes twice in a group has a number.
    """
    if path is None:
        return
    called = Counter((one.name, each.group.language, each.group.id) for one in evaluations for each in one.groups)
    sets = {(one.name, one.dataset) for one in evaluations}
    several = len(sets) > len({name for name, _ in sets}) and any(count > 1 for count in called.values())
    lines = [
        orjson.dumps({"model": evaluation.name, "dataset": evaluation.dataset, **row}).decode() + "\n"
        for evaluation in evaluations
        for row in _case_rows(evaluation, f"{evaluation.dataset}/" if several else "")
    ]
    write_text(path, lines)
    log(f"the answers are {path}")


def _case_rows(evaluation: Evaluation, prefix: str) -> Iterator[Row]:
    for name, group in zip(group_ids([one.group for one in evaluation.groups]), evaluation.groups, strict=True):
        where, seen = f"{prefix}{group.group.language}/{name}".lstrip("/"), Counter[str]()
        for case in group.cases:
            word = case.outlier.surface
            seen[word] += 1
            again = f" #{seen[word]}" if seen[word] > 1 else ""
            yield {
                "language": group.group.language,
                "group": where,
                "class": group.group.id,
                "label": group.group.label,
                "case": f"{where}/{word}{again}",
                "outlier_class": case.outlier.outlier_class,
                "right": bool(case.detected),
            }


def baseline_rows(dataset: str, by_language: Mapping[str, Columns]) -> Iterable[Row]:
    """A row for each baseline in each language and outlier class ("all" for all of them), its name for a model's."""
    for language, columns in by_language.items():
        for column, found in columns.items():
            for name, one in found.items():
                head = {"model": name, "dataset": dataset, "part": "baseline", "name": column, "language": language}
                accuracy = one and {"cases": one.cases, "accuracy": 100 * one.value}
                ends = one and {"accuracy_low": 100 * one.low, "accuracy_high": 100 * one.high}
                yield {**head, "version": __version__, **(accuracy or {}), **(ends or {})}
