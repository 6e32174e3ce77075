"""The tasks of ``wikisem evaluate``: read a data set, score each model on it, and print tables, CSV or JSON."""

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from rich.console import RenderableType

from wikisem import __version__
from wikisem.datasets.files import data_set_name, data_set_path
from wikisem.datasets.word_categories import WordCategory, keyed_categories, read_categories
from wikisem.datasets.word_groups import keyed_groups, name_languages, read_dataset, with_spaces
from wikisem.errors import MissingInputError, UsageError
from wikisem.evaluation.analogies.questions import (
    SectionScore,
    analogies_as_json,
    read_questions,
    score_analogies,
    split_relations,
)
from wikisem.evaluation.audit.baselines import Columns, baselines_as_json, baselines_by_language
from wikisem.evaluation.comparison import (
    Standing,
    compare_categories,
    compare_evaluations,
    rank_categories,
    rank_evaluations,
    rank_sections,
    rank_walls,
)
from wikisem.evaluation.consistency import (
    Answer,
    Case,
    Consistency,
    cases_of,
    check_parallel,
    compare_languages,
    measure_consistency,
)
from wikisem.evaluation.cutoff import measure_cutoff, read_dates
from wikisem.evaluation.harness_samples import has_walls, read_sampled_answers, read_samples, read_wall_samples
from wikisem.evaluation.oddoneout import ODDONEOUT_DISTANCES, score_combined, score_oddoneout
from wikisem.evaluation.options import AnalogyOptions, Keys, OddOneOutOptions
from wikisem.evaluation.outlier_detection import Evaluation, score_models, words_of
from wikisem.evaluation.topk import CategoryScore, CategoryVectors, look_up_category, score_topk
from wikisem.evaluation.vectors.lookup import Lookup, require_cosine, require_vocabulary
from wikisem.evaluation.vectors.models import PYTHON, model_name, open_by_contexts, open_model, open_similarity
from wikisem.evaluation.vectors.similarities import compared_by
from wikisem.evaluation.vectors.words import open_tokenizer, tokens_of
from wikisem.evaluation.walls import WallEvaluation, score_models_on_walls
from wikisem.files import path_of
from wikisem.outputs.wall_answers import SCORES
from wikisem.outputs.wallfile import read_walls
from wikisem.pipeline.console.reports import Report, Row, deliver
from wikisem.pipeline.console.scores import (
    analogy_report,
    analogy_rows,
    band_plot,
    baseline_rows,
    baseline_table,
    category_report,
    category_rows,
    combined_report,
    comparison_report,
    consistency_report,
    contexts_report,
    cutoff_report,
    few_units_note,
    group_table,
    kappa_plot,
    outlier_report,
    outlier_rows,
    ranking_plots,
    ranking_report,
    scores_as_json,
    unknown_languages_note,
    wall_report,
    wall_rows,
    write_cases,
)
from wikisem.pipeline.console.terminal import draw_plot, drawing_module, progress
from wikisem.records import Group, Wall
from wikisem.wikis import wiki_of

# Tasks on test groups.


@dataclass(frozen=True, slots=True)
class DataSet:
    """The groups of one DATASET of the command line, under a name that no other of them has.

    ``words`` are the same groups by their words, even if the keys of items have been asked for.
    """

    name: str
    groups: list[Group]
    words: list[Group]

    def baselines(self) -> dict[str, Columns]:
        """By language, how often who knows nothing of meaning is right."""
        return baselines_by_language(map(with_spaces, self.words))


def outliers(arguments: argparse.Namespace) -> None:
    """Score outlier detection on one or more sets of test groups."""
    if arguments.plot:
        drawing_module("wikisem.evaluation.plot", "--plot")  # an error before the work if matplotlib is missing
    datasets = read_datasets(arguments.dataset, arguments.languages, arguments.keys)
    groups = [group for dataset in datasets for group in dataset.groups]
    # Vectors can be as large as the memory: each model is opened when the one before it has been let go.
    items = {surface for group in groups for surface in words_of(group)}
    whole, common = score_models(groups, open_lookups(arguments, items), arguments.seed, arguments.compactness)
    parts = [_by_dataset(evaluation, datasets) for evaluation in whole]
    common_parts = [_by_dataset(evaluation, datasets) for evaluation in common]
    if arguments.plot:
        draw_plot(arguments.plot, lambda plot: plot.draw_scores(arguments.plot, common or whole))
    write_cases(arguments.cases, list(chain.from_iterable(common_parts or parts)))
    standings = rank_evaluations(common_parts or parts, arguments.seed)
    notes = [note for evaluation in whole for note in unknown_languages_note(evaluation)]
    scored = _Scored(parts, common_parts, standings if common else [], datasets, arguments)
    deliver(
        Report(
            f"outlier detection: {', '.join(dataset.name for dataset in datasets)}",
            lambda: scored.tables(notes),
            scored.objects,
            scored.rows,
            lambda: ranking_plots(standings),
            [*notes, *scored.notes()],
            unscored=_unscored(f"test cases whose words {_known_to(whole)}", (one.overall().cases for one in whole)),
        ),
        arguments,
    )


def _unscored(expected: str, counts: Iterable[int]) -> str:
    return "" if any(counts) else expected


def _known_to(models: Sequence[Evaluation | WallEvaluation]) -> str:
    return "a model knows" if len(models) > 1 else f"{models[0].name} knows"


@dataclass(frozen=True, slots=True)
class _Scored:
    """The scores of all models, a row each, on all data sets, and in the vocabulary of all if there are several."""

    whole: Sequence[list[Evaluation]]
    common: Sequence[list[Evaluation]]
    standings: Sequence[Standing]
    datasets: Sequence[DataSet]
    arguments: argparse.Namespace

    def rows(self) -> Iterator[Row]:
        """Of CSV: every score, then the baselines."""
        for vocabulary, models in (("own", self.whole), ("common", self.common)):
            ranked = self.standings if vocabulary == "common" else []
            for part in chain.from_iterable(models):
                yield from outlier_rows(part, vocabulary, self.arguments.groups, ranked)
        for dataset in self.datasets:
            yield from baseline_rows(dataset.name, dataset.baselines())

    def objects(self) -> Iterator[Row]:
        """Of JSON: one for each model and data set."""
        baselines = [
            {language: baselines_as_json(columns) for language, columns in dataset.baselines().items()}
            for dataset in self.datasets
        ]
        comparisons = [compare_evaluations(models, self.arguments.seed) for models in zip(*self.common, strict=True)]
        for model, parts in enumerate(self.whole):
            for at, part in enumerate(parts):
                more: dict[str, Any] = {"baselines": baselines[at]}
                if self.common:
                    pairs = [one.as_json() for one in comparisons[at] if part.name in {one.one, one.other}]
                    own = [row.as_json() for row in self.standings if row.model == part.name]
                    more |= {"common": self.common[model][at].as_json(), "comparisons": pairs, "standings": own}
                yield part.as_json() | more

    def notes(self) -> list[str]:
        """What a reader of JSON should know."""
        few = [
            note
            for part in chain.from_iterable(self.whole)
            for note in few_units_note(part.overall().classes, f"{part.dataset}: classes")
        ]
        return [*few, *(note for parts in self.whole for note in parts[0].notes)]

    def tables(self, notes: Sequence[str]) -> Iterator[RenderableType]:
        """For people: all models in one table, the differences of every two, then each model, then the baselines."""
        if self.standings:
            yield ranking_report(self.standings)
        yield from notes
        for models in zip(*self.common, strict=True):
            yield comparison_report(compare_evaluations(models, self.arguments.seed))
        if self.arguments.groups:
            yield from map(group_table, zip(*(self.common or self.whole), strict=True))
        for parts in self.whole:
            yield outlier_report(parts, "outlier detection")
        for parts in self.common:
            yield outlier_report(parts, "outlier detection, in the vocabulary of all models")
        for dataset in self.datasets:
            for language, columns in dataset.baselines().items():
                yield baseline_table(language, dataset.name, columns)


def contexts(arguments: argparse.Namespace) -> None:
    """Score outlier detection by count models, once for each number of contexts that words keep."""
    if arguments.plot:
        drawing_module("wikisem.evaluation.plot", "--plot")
    datasets = read_datasets(arguments.dataset, arguments.languages, arguments.keys)
    groups = [group for dataset in datasets for group in dataset.groups]
    curve = list(score_by_contexts(arguments, groups))
    rows = [(number, part) for number, scored in curve for part in _by_dataset(scored, datasets)]
    if arguments.plot:
        draw_plot(arguments.plot, lambda plot: plot.draw_contexts(arguments.plot, curve))
    deliver(
        Report(
            "outlier detection by contexts",
            lambda: [contexts_report(rows)],
            lambda: ({"contexts": number} | part.as_json() for number, part in rows),
            lambda: ({"contexts": number} | row for number, part in rows for row in outlier_rows(part, "own", False)),
        ),
        arguments,
    )


def score_by_contexts(arguments: argparse.Namespace, groups: Sequence[Group]) -> Iterator[tuple[int, Evaluation]]:
    """The scores of each model, by ascending numbers of contexts."""
    numbers = sorted(arguments.contexts)
    tokenize = open_tokenizer(arguments.tokenizer) if arguments.tokenizer else tokens_of
    for source, name in _named_models(arguments.vectors):
        lookups = open_by_contexts(source, numbers, arguments.phrases, tokenize, arguments.keys)
        evaluations = with_progress(
            name, (score_models(groups, [one], arguments.seed)[0][0] for one in lookups), len(numbers)
        )
        yield from zip(numbers, (replace(one, name=name) for one in evaluations), strict=True)


def consistency(arguments: argparse.Namespace) -> None:
    """Compare what each model answers in every two languages of each data set."""
    if arguments.plot:
        drawing_module("wikisem.evaluation.plot", "--plot")
    measured = list(_sampled_consistency(arguments) if _of_samples(arguments) else _consistency(arguments))
    if arguments.plot:
        draw_plot(arguments.plot, lambda plot: plot.draw_consistency(arguments.plot, measured))
    head = ("model", "dataset", "version")
    deliver(
        Report(
            "consistency across languages",
            lambda: map(consistency_report, measured),
            lambda: (one.as_json() for one in measured),
            lambda: (
                {key: one.as_json()[key] for key in head} | pair.as_json() for one in measured for pair in one.pairs
            ),
            lambda: list(map(kappa_plot, measured)),
            notes=[note for one in measured for note in one.notes],
            unscored=_unscored("test cases that a model knows in two languages", (len(one.pairs) for one in measured)),
        ),
        arguments,
    )


def _consistency(arguments: argparse.Namespace) -> Iterator[Consistency]:
    """Of each model on each data set."""
    datasets = read_datasets(arguments.dataset, arguments.languages)
    for dataset in datasets:
        check_parallel(cases_of(dataset.groups), dataset.name)
    items = {surface for dataset in datasets for group in dataset.groups for surface in words_of(group)}
    for lookup in open_lookups(arguments, items):
        for dataset in datasets:
            yield measure_consistency(dataset.groups, lookup, dataset.name, arguments.compactness, arguments.seed)


def _sampled_consistency(arguments: argparse.Namespace) -> Iterator[Consistency]:
    """Of each model whose samples are in a folder, over all files that are named of it."""
    models: defaultdict[str, dict[str, dict[Case, Answer]]] = defaultdict(dict)
    for path in map(path_of, arguments.dataset):
        own = models[str(path.parent)]
        for language, found in read_sampled_answers(path).items():
            if not arguments.languages or language in arguments.languages:
                own.setdefault(language, {}).update(found)
    for folder, by_language in models.items():
        check_parallel(by_language, folder)
        yield Consistency(Path(folder).name, "samples", compare_languages(by_language, arguments.seed))


def _of_samples(arguments: argparse.Namespace) -> bool:
    """Whether a harness asked the models; UsageError unless it is either that or --vectors."""
    if arguments.samples == bool(arguments.vectors):
        raise UsageError("expected --vectors, or --samples where DATASET is what a harness logged, and not both")
    return bool(arguments.samples)


def cutoff(arguments: argparse.Namespace) -> None:
    """Show the accuracy of each model by item number, on data sets or on what a harness logged, and where it falls."""
    dates = read_dates(arguments.dates)
    if arguments.plot:
        drawing_module("wikisem.evaluation.plot", "--plot")
    if _of_samples(arguments):
        scored = [read_samples(path_of(path), seed=arguments.seed) for path in arguments.dataset]
    else:
        datasets = read_datasets(arguments.dataset, arguments.languages)
        groups = [group for dataset in datasets for group in dataset.groups]
        items = {surface for group in groups for surface in words_of(group)}
        whole, _ = score_models(groups, open_lookups(arguments, items), arguments.seed, arguments.compactness)
        scored = [part for evaluation in whole for part in _by_dataset(evaluation, datasets)]
    found = [measure_cutoff(part, dates, arguments.bands) for part in scored]
    if arguments.plot:
        draw_plot(arguments.plot, lambda plot: plot.draw_cutoffs(arguments.plot, found))
    deliver(
        Report(
            "cutoff curve",
            lambda: map(cutoff_report, found),
            lambda: (one.as_json() for one in found),
            lambda: (
                {"model": one.model, "dataset": one.dataset, "version": __version__} | band.as_json()
                for one in found
                for band in one.bands
            ),
            lambda: list(map(band_plot, found)),
            notes=[note for one in found for note in one.notes],
        ),
        arguments,
    )


def samples(arguments: argparse.Namespace) -> None:
    """Score files of samples that a harness logged, with error bars; those in one folder are of one model."""
    of_walls = [read_wall_samples(path, arguments.seed) for path in arguments.files if has_walls(path)]
    models: defaultdict[str, list[Evaluation]] = defaultdict(list)
    for path in (path for path in arguments.files if not has_walls(path)):
        models[str(path.parent)].append(read_samples(path, arguments.measure, arguments.seed))
    title = f"outlier detection, choices compared by {arguments.measure}"
    scored = [one for found in models.values() for one in found]
    write_cases(arguments.cases, scored)
    standings = _rank_samples(models, arguments.seed)

    def tables() -> Iterator[RenderableType]:
        if standings:
            yield ranking_report(standings)
        yield from (outlier_report(found, title) for found in models.values())
        yield from (wall_report(one, f"walls, {one.dataset}") for one in of_walls)

    deliver(
        Report(
            title if scored else "walls",
            tables,
            lambda: chain((one.as_json() for one in scored), (one.as_json() for one in of_walls)),
            lambda: chain(
                (row for one in scored for row in outlier_rows(one, "own", False)),
                (row for one in of_walls for row in wall_rows(one, "own")),
            ),
            lambda: ranking_plots(standings),
        ),
        arguments,
    )


def _rank_samples(models: Mapping[str, Sequence[Evaluation]], seed: int) -> list[Standing]:
    """All models in one table, if there are several and they were asked the same cases in the same tasks."""
    names = distinct([found[0].name for found in models.values()], list(models))
    # lm-evaluation-harness puts the time of the run after the name of the task.
    ranked = [
        [replace(one, name=name, dataset=one.dataset.partition("_20")[0]) for one in found]
        for name, found in zip(names, models.values(), strict=True)
    ]
    asked = [
        [(one.dataset, [(group.group.id, group.group.outliers) for group in one.groups]) for one in found]
        for found in ranked
    ]
    return rank_evaluations(ranked, seed) if len(ranked) > 1 and all(each == asked[0] for each in asked) else []


def walls(arguments: argparse.Namespace) -> None:
    """Score walls; several models on the words that all of them know, too, and by how they differ there."""
    listed = _read_walls(arguments.walls, arguments.languages)
    words = {word.id if arguments.keys else word.surface for wall in listed for word in wall.words}
    name = data_set_name(data_set_path(arguments.walls))
    models, shared = (
        [replace(one, dataset=name) for one in evaluations]
        for evaluations in score_models_on_walls(
            listed, open_lookups(arguments, words), arguments.seed, by_qid=bool(arguments.keys)
        )
    )
    comparisons = compare_evaluations(shared, arguments.seed, SCORES)
    standings = rank_walls(shared or models, arguments.seed)

    def objects() -> Iterator[Row]:
        for at, one in enumerate(models):
            more: dict[str, Any] = {}
            if shared:
                pairs = [pair.as_json() for pair in comparisons if one.name in {pair.one, pair.other}]
                own = [row.as_json() for row in standings if row.model == one.name]
                more = {"common": shared[at].as_json(), "comparisons": pairs, "standings": own}
            yield one.as_json() | more

    def tables() -> Iterator[RenderableType]:
        if shared:
            yield ranking_report(standings)
            yield comparison_report(comparisons)
        yield from (wall_report(one, "walls") for one in models)
        yield from (wall_report(one, "walls, in the vocabulary of all models") for one in shared)

    vocabularies = (("own", models), ("common", shared))
    few = [note for one in models for note in few_units_note(one.overall().walls, "walls")]
    deliver(
        Report(
            f"walls: {name}",
            tables,
            objects,
            lambda: (row for words, scored in vocabularies for one in scored for row in wall_rows(one, words)),
            lambda: ranking_plots(standings),
            [*few, *(note for one in models for note in one.notes)],
            unscored=_unscored(f"walls whose words {_known_to(models)}", (one.overall().walls for one in models)),
        ),
        arguments,
    )


def _read_walls(path: str, languages: Sequence[str]) -> list[Wall]:
    found = [wall for wall in read_walls(path) if not languages or wall.language in languages]
    if not found:
        wanted = f"walls in {', '.join(languages)}" if languages else "walls"
        raise MissingInputError(f"{path}: expected {wanted}, saw none")
    return found


# Tasks on words: Topk, OddOneOut, their combination, and analogies.

Scorer = Callable[[Sequence[CategoryVectors], Lookup], Iterator[CategoryScore]]


def topk(arguments: argparse.Namespace) -> None:
    """Score Topk on a file of categories."""

    def score(categories: Sequence[CategoryVectors], lookup: Lookup) -> Iterator[CategoryScore]:
        vocabulary = require_vocabulary(lookup, "topk")
        for members in categories:
            yield score_topk(members, vocabulary, arguments.k, arguments.skip_oov, lookup.similarity)

    _score_categories(arguments, f"Topk, k = {arguments.k}", score, lambda lookup: require_vocabulary(lookup, "topk"))


def oddoneout(arguments: argparse.Namespace) -> None:
    """Score OddOneOut on a file of categories."""
    settings = _oddoneout_options(arguments)

    def score(categories: Sequence[CategoryVectors], lookup: Lookup) -> Iterator[CategoryScore]:
        return score_oddoneout(categories, lookup.words, settings)

    drawn = f", {settings.sample} pairs drawn" if settings.sample else ""
    title = f"OddOneOut, k = {settings.k}, {settings.distance}, {settings.intruders}{drawn}"
    _score_categories(
        arguments,
        title,
        score,
        lambda lookup: require_cosine(lookup, ODDONEOUT_DISTANCES),
        needs_only_these=settings.intruders == "other-categories",
    )


def combined(arguments: argparse.Namespace) -> None:
    """Score Topk and OddOneOut on a file of categories, and combine their numbers of right answers."""
    categories = _read_categories(arguments)
    settings = _oddoneout_options(arguments)
    rows: list[dict[str, Any]] = []
    for lookup in open_lookups(arguments):
        watch = partial(with_progress, lookup.name, total=len(categories))
        rows.append(_head(lookup, arguments.categories) | score_combined(categories, lookup, settings, watch))
    deliver(Report("Combined", lambda: [combined_report(rows)], lambda: rows, lambda: rows), arguments)


def _score_categories(
    arguments: argparse.Namespace,
    title: str,
    score: Scorer,
    check: Callable[[Lookup], object],
    *,
    needs_only_these: bool = False,
) -> None:
    """Score categories with each model, and print the scores and how the models compare.

    ``check`` raises if a model cannot be scored. With ``needs_only_these``, only the categories' own words are read
    from files of vectors.
    """
    categories = _read_categories(arguments)
    scores: dict[str, list[CategoryScore]] = {}
    heads, reports, notes = list[dict[str, Any]](), list[RenderableType](), list[str]()
    items = {word for category in categories for word in category.words} if needs_only_these else None
    for lookup in open_lookups(arguments, items):
        check(lookup)
        members = [look_up_category(category, lookup) for category in categories]
        scores[lookup.name] = found = with_progress(lookup.name, score(members, lookup), len(members))
        heads.append(_head(lookup, arguments.categories))
        reports.append(category_report(lookup, title, found))
        notes += lookup.notes
    several = len(scores) > 1
    standings = rank_categories(list(scores), list(scores.values()))
    comparisons = compare_categories("score", list(scores), list(scores.values())) if several else []
    all_models = [ranking_report(standings), comparison_report(comparisons)] if several else []
    named = list(zip(heads, scores.values(), strict=True))

    def objects() -> Iterator[Row]:
        yield from (head | scores_as_json(found) for head, found in named)
        if comparisons:
            pairs = [one.as_json() for one in comparisons]
            yield {"comparisons": pairs, "standings": [row.as_json() for row in standings]}

    deliver(
        Report(
            title,
            lambda: [*all_models, *reports],
            objects,
            lambda: (head | row for head, found in named for row in category_rows(found)),
            lambda: ranking_plots(standings),
            notes,
            unscored=_unscored(
                "categories with enough words that a model knows",
                (row.comparisons for found in scores.values() for row in found),
            ),
        ),
        arguments,
    )


def _read_categories(arguments: argparse.Namespace) -> list[WordCategory]:
    """The categories of a command, or those of its questions, their words replaced by QIDs if it asks for them."""
    if arguments.split_analogies:
        categories = split_relations(read_questions(arguments.categories))
    else:
        categories = read_categories(arguments.categories, arguments.language)
    return keyed_categories(categories, arguments.categories) if arguments.keys else categories


def _oddoneout_options(arguments: argparse.Namespace) -> OddOneOutOptions:
    return OddOneOutOptions(
        arguments.k, arguments.distance, arguments.intruders, arguments.skip_oov, arguments.sample, arguments.seed
    )


def analogies(arguments: argparse.Namespace) -> None:
    """Score analogy questions, section by section."""
    sections = read_questions(arguments.questions)
    options = AnalogyOptions(arguments.method, arguments.skip_oov, arguments.restrict)
    heads, scores = list[dict[str, Any]](), list[list[SectionScore]]()
    reports, notes = list[RenderableType](), list[str]()
    title = f"analogies, {options.method}"
    for lookup in open_lookups(arguments):
        scores.append(with_progress(lookup.name, score_analogies(sections, lookup, options), len(sections)))
        heads.append(_head(lookup, arguments.questions))
        reports.append(analogy_report(lookup, title, scores[-1], skipped=options.skip_oov))
        notes += lookup.notes
    standings = rank_sections([head["model"] for head in heads], scores)
    named = list(zip(heads, scores, strict=True))
    deliver(
        Report(
            title,
            lambda: [*([ranking_report(standings)] if len(heads) > 1 else []), *reports],
            lambda: ({**head, "method": options.method, **analogies_as_json(found)} for head, found in named),
            lambda: (head | row for head, found in named for row in analogy_rows(found)),
            lambda: ranking_plots(standings),
            notes,
        ),
        arguments,
    )


def _head(lookup: Lookup, dataset: str) -> dict[str, Any]:
    """The beginning of each row of scores: the model, and the data set by its file's name without suffix."""
    named = {"model": lookup.name, "dataset": Path(dataset).stem, "version": __version__}
    return {**named, "vocabulary_size": lookup.vocabulary_size}


# The data sets that a command names.


def read_datasets(paths: Sequence[str], languages: Sequence[str], keys: Keys | None = None) -> list[DataSet]:
    """The data sets at these paths; if ``languages`` are given, only the groups in these are kept.

    With ``keys``, the keys of items replace their words.
    """
    names = distinct([data_set_name(data_set_path(path)) for path in paths], paths)
    words = [_read_groups(path, languages) for path in paths]
    groups = [keyed_groups(each, keys) for each in words] if keys else words
    return [DataSet(*each) for each in zip(names, groups, words, strict=True)]


def _read_groups(path: str, languages: Sequence[str]) -> list[Group]:
    groups = name_languages(read_dataset(path), data_set_path(path))
    kept = [group for group in groups if not languages or group.language in languages]
    if not kept:
        seen = ", ".join(sorted({group.language or "no known language" for group in groups}))
        wanted = f"test groups in {', '.join(languages)}" if languages else "test groups"
        wikis = {wiki_of(code) for code in languages} - {None}
        meant = ", ".join(sorted({group.language for group in groups if wiki_of(group.language) in wikis}))
        hint = f"; did you mean {meant}?" if meant else ""
        raise MissingInputError(f"{path}: expected {wanted}, saw {f'groups in {seen}' if seen else 'none'}{hint}")
    return kept


def _by_dataset(evaluation: Evaluation, datasets: Sequence[DataSet]) -> list[Evaluation]:
    """The evaluation of all groups cut into those of each data set."""
    parts, start = [], 0
    for dataset in datasets:
        end = start + len(dataset.groups)
        parts.append(replace(evaluation, groups=evaluation.groups[start:end], dataset=dataset.name))
        start = end
    return parts


# The models that a command names, and progress while they are scored.

T = TypeVar("T")


def open_lookups(arguments: argparse.Namespace, items: Collection[str] | None = None) -> Iterator[Lookup]:
    """The models of --vectors, each opened when it is asked for, under names that are all different.

    If ``items`` are given, only what they need is read from files.
    """
    tokenize = open_tokenizer(arguments.tokenizer) if arguments.tokenizer else tokens_of
    given: str = getattr(arguments, "similarity", "")
    similarity = open_similarity(given) if given else None
    for source, name in _named_models(arguments.vectors):
        with progress(f"reading {source}", lambda: 0, 0):
            lookup = open_model(source, arguments.phrases, name, items, tokenize, getattr(arguments, "keys", None))
        yield compared_by(lookup, similarity, f"vectors compared by {given}") if similarity else lookup


def _named_models(sources: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each model of --vectors with a name that no other one has."""
    return zip(sources, distinct(list(map(model_name, sources)), sources), strict=True)


def distinct(names: Sequence[str], longer: Sequence[str]) -> list[str]:
    """The names, or the longer ones if two are the same; names that are still the same are numbered."""
    found = list(names) if len(set(names)) == len(names) else list(longer)
    return [
        name if found.index(name) == at else f"{name} #{found[:at].count(name) + 1}" for at, name in enumerate(found)
    ]


def import_from_here(*sources: str) -> None:
    """Let ``python:MODULE:FUNCTION`` find a module in the user's current folder, where it most often is."""
    if any(PYTHON in source for source in sources):
        sys.path.insert(0, str(Path.cwd()))


def with_progress(name: str, scores: Iterator[T], total: int) -> list[T]:
    """All scores of a model, with progress shown as they come."""
    finished: list[T] = []
    with progress(f"scoring {name}", lambda: len(finished), total):
        finished.extend(scores)
    return finished
