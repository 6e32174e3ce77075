"""Rows as tables, sentences and plots for people: the same for every task of ``wikisem evaluate``."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import Final

from wikisem.class_names import name_class
from wikisem.evaluation.rows import ALL, COVERAGE, DETECTABLE, LEVEL, UNITS, Row, in_common, p_value
from wikisem.outputs.report import Block, Intervals, Point, Sheet
from wikisem.records import OUTLIER_CLASSES, UNKNOWN_CLASS

# How people read the metrics that are not called as they are.
_TITLES: Final[Mapping[str, str]] = {
    "opp": "OPP",
    "ari": "ARI",
    "ami": "AMI",
    "rankc": "RankC",
    "rho": "Spearman's ρ",
    "oov_words": "words out of vocabulary, %",
    "oov_cluster": "cluster out of vocabulary, %",
    "oov_outliers": "outliers out of vocabulary, %",
}
_OUTLIER_CLASSES: Final = {one.name: one.title for one in OUTLIER_CLASSES.values()}
# Numbers that count something; all others have two decimals.
_COUNTS: Final = (
    "classes", "correct", "groups", "groups_needed", "oddoneout", "missing", "shortest_form", "skipped_categories",
    "skipped_groups", "skipped_walls", "test_cases", "topk", "unseen", "vocabulary_size", "walls", "whole_walls",
    "words",
)  # fmt: skip
# Scores that are no percentages.
_NO_SHARES: Final = frozenset({"ability", "cutoff", "kappa", "rankc", "rho"})
# What is shown only if everything is asked for.
_DETAILS: Final = ("group", "information")
_MOST_PAIRS: Final = 10


def blocks_of(rows: Sequence[Row], notes: Iterable[str] = (), title: str = "", full: bool = False) -> list[Block]:
    """The tables of a task's rows (scores), the differences of models in a sentence each, and the notes.

    Several models are in one table, the best first, which is all unless ``full`` asks for the scores of each model in
    its own vocabulary, what they cover, and the baselines. A table that repeats an earlier one is left out.
    """
    scores = [row for row in rows if not row.less and row.task != "baseline"]
    models = list(dict.fromkeys(row.model for row in scores if row.model))
    # Several models side by side, and each model on single groups.
    compared = [row for row in in_common(scores) if row.model]
    several = len(models) > 1 and any(row.part == ALL and row.low is not None for row in compared)
    blocks: list[Block] = []
    if several:
        blocks += [*_ranking(compared), *_sentences(rows, full)]
    blocks += _group_sheets([row for row in compared if row.part == "group"])
    # Numbers of no model, such as those of a data set by itself, have a table for each kind of part.
    details = () if full else _DETAILS
    for part in dict.fromkeys(row.part for row in scores if not row.model and row.part not in details):
        blocks.append(_down(part, [row for row in scores if not row.model and row.part == part]))
    # Each model by parts, without those that repeat the whole: an only language or level, an unknown outlier class.
    names = defaultdict[tuple[str, ...], set[str]](set)
    for row in scores:
        names[row.model, row.vocabulary, row.dataset, row.part].add(row.name)
    repeats_whole = {key for key, own in names.items() if key[-1] in {"language", "level"} and len(own) == 1}
    repeats_whole |= {key for key, own in names.items() if key[-1] == "outlier class" and own == {UNKNOWN_CLASS.name}}
    parts = [row for row in scores if (row.model, row.vocabulary, row.dataset, row.part) not in repeats_whole]
    parts = [row for row in parts if row.part not in {COVERAGE, *_DETAILS}]
    for vocabulary, model in product(("own", "common"), models if full or not several else ()):
        of_model = [row for row in parts if (row.model, row.vocabulary) == (model, vocabulary)]
        is_log = rows[0].task == "samples"
        shared = f", {'on the cases that all models answered' if is_log else 'in the vocabulary of all models'}"
        sheet = _down(f"{title}: {model}{shared if vocabulary == 'common' else ''}", of_model)
        if of_model and sheet.rows not in [block.rows for block in blocks if isinstance(block, Sheet)]:
            blocks.append(sheet)
    if full:
        if covered := [row for row in scores if row.model and row.part == COVERAGE]:
            blocks.append(_down("what the scores cover", covered, models=True))
        blocks += baseline_sheets(rows)
    return [*blocks, *notes]


def _title(metric: str) -> str:
    return _TITLES.get(metric, metric.replace("_", " "))


def _number(metric: str, value: float | None) -> str:
    """A number as people read it, or a dash without one.

    >>> _number("accuracy", 100.0), _number("words", 15.25), _number("cutoff", 254.0), _number("kappa", None)
    ('100.00', '15.2', 'Q254', '–')
    """
    if value is None:
        return "–"
    if metric == "cutoff":
        return f"Q{value:.0f}"
    return f"{value:,.1f}".removesuffix(".0") if metric in _COUNTS else f"{value:.2f}"


def _part(row: Row) -> str:
    return _OUTLIER_CLASSES.get(row.name, row.name) or row.part


def _columns(rows: Sequence[Row]) -> Callable[[Row], str]:
    """A function from a row (a score) to the heading of its column in a table of several models, "" if it has none.

    Of several data sets, each has a column. Of one, there are columns for all of it, for its languages, or without
    these for its outlier classes, for the tiers of walls, and for levels, concepts or entities.
    """
    if len({row.dataset for row in rows}) > 1:
        return lambda row: row.dataset if row.part == ALL else ""
    languages = len({row.name for row in rows if row.part == "language"}) > 1
    shown = {ALL, "tier", "language" if languages else "outlier class"}
    shown |= {"level"} if len({row.name for row in rows if row.part == "level"}) > 1 else set()
    # Other parts have one only in all languages together, as the tiers of walls.
    return lambda row: _part(row) if row.part in shown and (row.part == "language" or not row.language) else ""


def _ranking(rows: Sequence[Row]) -> Iterator[Block]:
    """A sentence and a table of models, the best first: for each score a line for each model, and one for chance."""
    # What the numbers are, and what "tied" means.
    about, marked = "all models, % with intervals of 95 %", [row.unit for row in rows if row.mark]
    if rows[0].task == "calibrate":
        scale = "standard deviations of the difficulty of groups, where 0 solves half of a middling group"
        about = f"all models, with intervals of 95 %, in {scale}; tied: not told apart from the best at 5 %"
    elif marked:
        about += (
            f", on the test cases that all models {'answered' if rows[0].task == 'samples' else 'know'}; tied: not "
            f"told apart from the best at 5 % by a permutation test paired by {marked[0]}, with Holm's method for "
            "every two models"
        )
    yield about
    # The scores with intervals, a column for each part, and the models by the first score.
    column_of = _columns(rows)
    metrics = list(dict.fromkeys(row.metric for row in rows if row.low is not None))
    shown = [row for row in rows if row.metric in metrics and column_of(row)]
    columns = list(dict.fromkeys(map(column_of, shown)))
    first_scores = {row.model: row.value for row in reversed(rows) if (row.part, row.metric) == (ALL, metrics[0])}
    models = sorted(dict.fromkeys(row.model for row in shown), key=lambda model: -(first_scores.get(model) or 0))
    lines = []
    for metric in metrics:
        of_metric = [row for row in shown if row.metric == metric]
        for model in models:
            cells = {}  # such as "75.00 best\n70.10 to 79.90"
            for row in of_metric:
                if row.model == model and row.value is not None:
                    value = f"{_number(metric, row.value)} {row.mark}".rstrip()
                    interval = "" if row.low is None else f"\n{_number(metric, row.low)} to {_number(metric, row.high)}"
                    cells[column_of(row)] = value + interval
            lines.append([_title(metric), model, *(cells.get(column, "–") for column in columns)])
        chances = {column_of(row): row.chance for row in of_metric if row.chance is not None}
        if chances and metric != "ability":
            guesses = (_number(metric, chances.get(column)) for column in columns)
            lines.append([_title(metric), "chance", *guesses])
    yield Sheet(["score", "model", *columns], lines, [False, False, *(True for _ in columns)])


def _sentences(rows: Sequence[Row], full: bool) -> Iterator[str]:
    """A sentence for the difference of every two models; without ``full`` for ten pairs at most, by the first score."""
    # Rows of pairs of models: differences, the groups needed to tell two apart, the least difference to be detected.
    differences = [row for row in rows if row.less and row.low is not None]
    needed = {(row.model, row.less): row.value for row in rows if row.less and row.metric == "groups_needed"}
    detectable = {(row.dataset, row.model, row.less): row.value for row in rows if row.metric == DETECTABLE}
    pairs = [row for row in differences if full or row.metric == differences[0].metric]
    for row in pairs if full else pairs[:_MOST_PAIRS]:
        digits, unit = (".2f", "") if row.metric in _NO_SHARES else (".1f", " points")
        told = "told apart" if (row.p_holm or 0) < LEVEL else "not told apart"
        where = f"{row.dataset}, " if len({each.dataset for each in differences}) > 1 else ""
        groups, effect = needed.get((row.model, row.less)), detectable.get((row.dataset, row.model, row.less))
        model, other, value, low, high = row.model, row.less, row.value or 0.0, row.low or 0.0, row.high or 0.0
        if value < 0:  # the better model comes first
            model, other, value, low, high = other, model, -value, -high, -low
        interval = f"{low:{digits}} to {high:{digits}}".replace("-", "−")
        yield (
            f"{where}{_title(row.metric)}: {model} − {other}: +{value:{digits}}{unit} ({interval}), "
            f"p {p_value(row.p_holm or 0)}: {told}, {row.n:,} {UNITS[row.unit]}"
            + (f"; {groups:,.0f} such groups would tell them apart" if groups else "")
            + (f"; a difference of {effect:.1f} would be seen with a power of 80 %" if effect else "")
        )
    if len(pairs) > _MOST_PAIRS and not full:
        yield f"{len(pairs) - _MOST_PAIRS} more pairs of models: --full, --csv and --json have all"


def _down(title: str, rows: Sequence[Row], models: bool = False) -> Sheet:
    """A table with a line for each part of a data set, as a language, or for each of the ``models``.

    The columns are how many units and cases it has, and of each metric the score, and its interval, error, p-value and
    chance if any of its rows has them.
    """
    # The columns of text, without those that are empty: a line is the tuple of its texts, with its row of each metric.
    several = len({row.vocabulary for row in rows}) > 1
    heads = ("model", "data set", "vocabulary", "language", "part")
    lines: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in rows:
        language = "" if row.part == "language" else row.language
        part = "" if models else name_class(_part(row), row.label)
        vocabulary = row.vocabulary if models and several else ""
        line = (row.model if models else "", row.dataset, vocabulary, language, part)
        lines.setdefault(line, {})[row.metric] = row
    texts = [index for index in range(len(heads)) if any(line[index] for line in lines)]
    # The columns of numbers, each with its head: units and cases, then for each metric those that any row has.
    columns: list[tuple[str, list[str]]] = []
    if any(row.n for row in rows):
        numbers = [max(row.n for row in row_of.values()) for row_of in lines.values()]
        columns.append((UNITS[next(row.unit for row in rows if row.n)], [f"{n:,}" if n else "–" for n in numbers]))
    cases = [max(row.cases for row in row_of.values()) for row_of in lines.values()]
    if any(cases):
        columns.append(("cases", [f"{number:,}" for number in cases]))
    for metric in dict.fromkeys(row.metric for row in rows):
        by_line = [row_of.get(metric) for row_of in lines.values()]
        known = [row for row in by_line if row is not None]
        # By the head of each column of the metric, how the cell of a row is written.
        shown: dict[str, Callable[[Row], str]] = {_title(metric): lambda row: _number(row.metric, row.value)}
        if any(row.low is not None for row in known):
            shown["95 %"] = lambda row: (
                "–" if row.low is None else f"{_number(row.metric, row.low)} to {_number(row.metric, row.high)}"
            )
        if any(row.se is not None for row in known):
            shown["SE"] = lambda row: _number("", row.se)
        if any(row.p is not None for row in known):
            shown["p"] = lambda row: "–" if row.p is None else p_value(row.p).removeprefix("= ")
        if any(row.chance for row in known):
            shown["chance"] = lambda row: "–" if row.chance is None else f"{row.chance:.4g}"
        if any(row is not None and row.cases < most for row, most in zip(by_line, cases, strict=True)):
            shown["of cases"] = lambda row: f"{row.cases:,}"
        columns += [(name, ["–" if row is None else show(row) for row in by_line]) for name, show in shown.items()]
    numbers_of_lines = zip(*(column for _, column in columns), strict=True)
    cells = [[*(line[index] for index in texts), *each] for line, each in zip(lines, numbers_of_lines, strict=True)]
    header = [*(heads[index] for index in texts), *(name for name, _ in columns)]
    return Sheet(header, cells, [*(False for _ in texts), *(True for _ in columns)], title)


def _group_sheets(rows: Sequence[Row]) -> Iterator[Sheet]:
    """A table of each data set's groups, those that models fail most first: each model's accuracy, and the mean OPP."""
    models = list(dict.fromkeys(row.model for row in rows))
    for dataset in dict.fromkeys(row.dataset for row in rows):
        groups: dict[tuple[str, str, str], list[Row]] = {}
        for row in (row for row in rows if row.dataset == dataset):
            groups.setdefault((row.language, row.name, row.label), []).append(row)
        lines = []  # each after the mean accuracy, by which they are sorted
        for (language, name, label), own in groups.items():
            opp = [row.value for row in own if row.metric == "opp" and row.value is not None]
            by_model = {row.model: row.value for row in own if row.metric == "accuracy"}
            known = [value for value in by_model.values() if value is not None]
            cells = [f"{max(row.cases for row in own):,}", _number("opp", fmean(opp) if opp else None)]
            cells += [_number("accuracy", by_model.get(model)) for model in models]
            lines.append((fmean(known) if known else math.inf, [name_class(name, label), language, *cells]))
        lines.sort(key=lambda line: line[0])
        header = [f"{dataset} group".strip(), "language", "cases", "OPP", *models]
        yield Sheet(header, [line for _, line in lines], [False, False, *(True for _ in header[2:])])


def baseline_sheets(rows: Iterable[Row]) -> Iterator[Sheet]:
    """Tables of the accuracy in percent, by outlier class, of each baseline, such as a guesser of the longest word."""
    tables: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.task == "baseline":
            tables.setdefault((row.dataset, row.language), []).append(row)
    for (dataset, language), of_table in tables.items():
        cells: dict[tuple[str, str], str] = {}  # by baseline and outlier class
        for row in of_table:
            baseline, outlier_class = row.model, row.name
            cells[baseline, outlier_class] = "–"
            if row.value is not None and row.low is not None and row.high is not None:
                # Chance is exact, so that its interval has no width.
                ends = f" ({row.low:.1f} to {row.high:.1f})" if row.low < row.high else ""
                cells[baseline, outlier_class] = f"{row.value:.1f}{ends}"
        # Without a value over all classes, a data set lacks the facts that a baseline goes by.
        known = [row.model for row in of_table if not row.name and row.value is not None]
        classes = list(dict.fromkeys(row.name for row in of_table))
        lines = [[baseline, *(cells[baseline, outlier_class] for outlier_class in classes)] for baseline in known]
        title = f"{'' if language == 'unknown' else f'{language}: '}who picks … is right, %: {dataset}"
        header = ["who picks", *(outlier_class or ALL for outlier_class in classes)]
        yield Sheet(header, lines, numbers=[False, *(True for _ in classes)], title=title)


def plots_of(rows: Sequence[Row]) -> list[Intervals]:
    """Of several models, a plot for each score and part with a point for each model; of one, a point for each part."""
    of_models = [row for row in rows if not row.less and row.task != "baseline" and row.part != "change" and row.model]
    scores = [row for row in in_common(of_models) if row.low is not None]
    several = len({row.model for row in scores}) > 1 and any(row.part == ALL for row in scores)
    part_of = _columns(of_models) if several else _part  # "" for what is not plotted
    # The rows of each plot, by score and by part, or by the only model.
    plots: dict[tuple[str, str], list[Row]] = {}
    for row in scores:
        if part_of(row):
            plots.setdefault((row.metric, part_of(row) if several else row.model), []).append(row)
    intervals = []
    metrics = list(dict.fromkeys(metric for metric, _ in plots))
    for (metric, name), of_plot in sorted(plots.items(), key=lambda plot: metrics.index(plot[0][0])):
        is_share = metric not in _NO_SHARES
        lows, highs = [row.low or 0.0 for row in of_plot], [row.high or 0.0 for row in of_plot]
        points = [
            Point(row.model if several else _part(row), row.value or 0.0, low, high, bool(row.mark))
            for row, low, high in zip(of_plot, lows, highs, strict=True)
        ]
        title = f"{_title(metric)}{', %' if is_share else ''}: {name}"
        # The ends of the axis: 0 and 100 % for shares, those of all intervals for other scores.
        least, most = (min(0.0, *lows), 100.0) if is_share else (math.floor(min(lows)), math.ceil(max(highs)))
        intervals.append(Intervals(title, points, of_plot[0].chance, least, most))
    return intervals
