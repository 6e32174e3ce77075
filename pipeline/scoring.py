"""What ``wikisem evaluate`` does for each task: read, look up, score, print."""

import argparse
import importlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from wikisem import __version__
from wikisem.datasets.folder_languages import name_languages
from wikisem.datasets.sources import data_set_name
from wikisem.datasets.word_categories import WordCategory, read_categories
from wikisem.datasets.word_groups import WordGroup, read_dataset
from wikisem.errors import MissingInputError, UsageError
from wikisem.evaluation.analogies.questions import read_questions
from wikisem.evaluation.analogies.scores import AnalogyOptions, analogies_as_json, score_analogies
from wikisem.evaluation.category_words import CategoryScore, CategoryVectors, look_up_category
from wikisem.evaluation.combined import combined_as_json
from wikisem.evaluation.comparison import compare_categories, compare_evaluations
from wikisem.evaluation.oddoneout.scores import OddOneOutOptions, score_oddoneout
from wikisem.evaluation.outlier_detection import score_models, words_of
from wikisem.evaluation.outlier_scores import Evaluation
from wikisem.evaluation.topk import score_topk
from wikisem.evaluation.vectors.asked import tokens_of
from wikisem.evaluation.vectors.lookup import Lookup
from wikisem.evaluation.vectors.models import model_name, open_model
from wikisem.evaluation.vectors.tokenizers import open_tokenizer
from wikisem.pipeline.console.progress import progress
from wikisem.pipeline.console.score_csv import category_rows, outlier_rows, print_csv
from wikisem.pipeline.console.score_tables import (
    analogy_report,
    category_report,
    combined_report,
    comparison_report,
    few_groups_note,
    outlier_report,
    scores_as_json,
)
from wikisem.pipeline.console.terminal import log, make_console, print_json, print_notes

T = TypeVar("T")
Scorer = Callable[[Sequence[CategoryVectors], Lookup], Iterator[CategoryScore]]


@dataclass(frozen=True, slots=True)
class DataSet:
    """The groups of one DATASET of the command line, under a name that no other of them has."""

    name: str
    groups: list[WordGroup]


def read_datasets(paths: Sequence[str], languages: Sequence[str]) -> list[DataSet]:
    """The data sets at these paths, of which only the groups in ``languages`` are kept, if any are given."""
    names = distinct([data_set_name(Path(path)) for path in paths], paths)
    return [DataSet(name, _read_groups(path, languages)) for name, path in zip(names, paths, strict=True)]


def _read_groups(path: str, languages: Sequence[str]) -> list[WordGroup]:
    groups = name_languages(read_dataset(path), Path(path))
    kept = [group for group in groups if not languages or group.language in languages]
    if not kept:
        seen = ", ".join(sorted({group.language or "no known language" for group in groups}))
        wanted = f"test groups in {', '.join(languages)}" if languages else "test groups"
        raise MissingInputError(f"{path}: expected {wanted}, saw {f'groups in {seen}' if seen else 'none'}")
    return kept


def distinct(names: Sequence[str], longer: Sequence[str]) -> list[str]:
    """The names, or what is longer where two are the same; what is still the same is numbered."""
    found = list(names) if len(set(names)) == len(names) else list(longer)
    return [
        name if found.index(name) == at else f"{name} #{found[:at].count(name) + 1}" for at, name in enumerate(found)
    ]


def outliers(arguments: argparse.Namespace) -> None:
    """Score outlier detection on one or more sets of test groups."""
    datasets = read_datasets(arguments.dataset, arguments.language)
    groups = [group for dataset in datasets for group in dataset.groups]
    # Vectors can be as large as the memory: each model is opened when the one before it has been let go.
    items = {surface for group in groups for surface in words_of(group)}
    whole, common = score_models(groups, _lookups(arguments, items), arguments.seed)
    parts = [_by_dataset(evaluation, datasets) for evaluation in whole]
    common_parts = [_by_dataset(evaluation, datasets) for evaluation in common]
    if arguments.plot:
        _plot(arguments.plot, whole)
    if arguments.csv:
        vocabularies = [("own", parts), ("common", common_parts)]
        print_csv(
            row
            for vocabulary, models in vocabularies
            for model in models
            for part in model
            for row in outlier_rows(part, vocabulary, arguments.groups)
        )
    elif arguments.json:
        _print_json(parts, common_parts, arguments.seed)
    else:
        _print_tables(parts, common_parts, arguments)


def _by_dataset(evaluation: Evaluation, datasets: Sequence[DataSet]) -> list[Evaluation]:
    """The evaluation of all groups cut into those of each data set."""
    parts, start = [], 0
    for dataset in datasets:
        end = start + len(dataset.groups)
        parts.append(replace(evaluation, groups=evaluation.groups[start:end], dataset=dataset.name))
        start = end
    return parts


def _print_json(whole: Sequence[list[Evaluation]], common: Sequence[list[Evaluation]], seed: int) -> None:
    comparisons = [compare_evaluations(models, seed) for models in zip(*common, strict=True)]
    for model, parts in enumerate(whole):
        for at, part in enumerate(parts):
            more: dict[str, Any] = {}
            if common:
                pairs = [one.as_json() for one in comparisons[at] if part.name in {one.one, one.other}]
                more = {"common": common[model][at].as_json(), "comparisons": pairs}
            print_json(part.as_json() | more)
            print_notes(few_groups_note(part.overall().groups, f"{part.dataset}: groups"))
        print_notes(parts[0].notes)


def _print_tables(
    whole: Sequence[list[Evaluation]], common: Sequence[list[Evaluation]], arguments: argparse.Namespace
) -> None:
    console = make_console()
    for parts in whole:
        console.print(outlier_report(parts, "outlier detection", arguments.groups))
    for parts in common:
        console.print(outlier_report(parts, "outlier detection, in the vocabulary of all models", arguments.groups))
    for models in zip(*common, strict=True):
        console.print(comparison_report(compare_evaluations(models, arguments.seed)))


def topk(arguments: argparse.Namespace) -> None:
    """Score Topk on a file of categories."""

    def score(categories: Sequence[CategoryVectors], lookup: Lookup) -> Iterator[CategoryScore]:
        if lookup.words is None:
            raise UsageError(f"topk needs a model with a vocabulary, {lookup.name} has none")
        for members in categories:
            yield score_topk(members, lookup.words, arguments.k, arguments.skip_oov)

    _categories(arguments, f"Topk, k = {arguments.k}", score)


def oddoneout(arguments: argparse.Namespace) -> None:
    """Score OddOneOut on a file of categories."""
    settings = _oddoneout_options(arguments)

    def score(categories: Sequence[CategoryVectors], lookup: Lookup) -> Iterator[CategoryScore]:
        return score_oddoneout(categories, lookup.words, settings)

    drawn = f", {settings.sample} pairs drawn" if settings.sample else ""
    title = f"OddOneOut, k = {settings.k}, {settings.distance}, {settings.intruders}{drawn}"
    _categories(arguments, title, score, needs_only_these=settings.intruders == "other-categories")


def _categories(arguments: argparse.Namespace, title: str, score: Scorer, *, needs_only_these: bool = False) -> None:
    categories = read_categories(arguments.categories, arguments.language)
    dataset, rows, scores = Path(arguments.categories).stem, [], dict[str, list[CategoryScore]]()
    items = {word for category in categories for word in category.words} if needs_only_these else None
    for lookup in _lookups(arguments, items):
        found = _score_categories(lookup, categories, score)
        scores[lookup.name] = found
        rows += category_rows(lookup.name, dataset, found)
        if arguments.json:
            print_json(scores_as_json(lookup.name, dataset, found))
            print_notes(lookup.notes)
        elif not arguments.csv:
            make_console().print(category_report(lookup.name, lookup.notes, title, found))
    comparisons = compare_categories("score", list(scores), list(scores.values())) if len(scores) > 1 else []
    if arguments.csv:
        print_csv(rows)
    elif comparisons and arguments.json:
        print_json({"comparisons": [one.as_json() for one in comparisons]})
    elif comparisons:
        make_console().print(comparison_report(comparisons))


def combined(arguments: argparse.Namespace) -> None:
    """Score Topk and OddOneOut on a file of categories, and combine their numbers of right answers."""
    categories = read_categories(arguments.categories, arguments.language)
    settings = _oddoneout_options(arguments)
    rows: list[dict[str, Any]] = []
    for lookup in _lookups(arguments):
        if lookup.words is None:
            raise UsageError(f"combined needs a model with a vocabulary, {lookup.name} has none")
        members = [look_up_category(category, lookup) for category in categories]
        odd = _with_progress(lookup.name, score_oddoneout(members, lookup.words, settings), len(members))
        top = [score_topk(each, lookup.words, arguments.k, arguments.skip_oov) for each in members]
        head = {"model": lookup.name, "dataset": Path(arguments.categories).stem, "version": __version__}
        rows.append(head | combined_as_json(odd, top))
        if arguments.json:
            print_json(rows[-1])
    if arguments.csv:
        print_csv(rows)
    elif not arguments.json:
        make_console().print(combined_report(rows))


def _oddoneout_options(arguments: argparse.Namespace) -> OddOneOutOptions:
    return OddOneOutOptions(
        arguments.k, arguments.distance, arguments.intruders, arguments.skip_oov, arguments.sample, arguments.seed
    )


def analogies(arguments: argparse.Namespace) -> None:
    """Score analogy questions, section by section."""
    sections = read_questions(arguments.questions)
    options = AnalogyOptions(arguments.method, arguments.skip_oov, arguments.restrict)
    dataset, rows = Path(arguments.questions).stem, []
    for lookup in _lookups(arguments):
        scores = _with_progress(lookup.name, score_analogies(sections, lookup, options), len(sections))
        head = {"model": lookup.name, "dataset": dataset, "version": __version__}
        if arguments.json:
            print_json({**head, "method": options.method, **analogies_as_json(scores)})
            print_notes(lookup.notes)
        elif arguments.csv:
            rows += [{**head, **row} for row in analogies_as_json(scores)["sections"]]
        else:
            title = f"analogies, {options.method}: {lookup.name}"
            make_console().print(analogy_report(title, lookup.notes, scores, skipped=options.skip_oov))
    if arguments.csv:
        print_csv(rows)


def _score_categories(lookup: Lookup, categories: Sequence[WordCategory], score: Scorer) -> list[CategoryScore]:
    """All scores, with progress shown as they come."""
    members = [look_up_category(category, lookup) for category in categories]
    return _with_progress(lookup.name, score(members, lookup), len(members))


def _with_progress(name: str, scores: Iterator[T], total: int) -> list[T]:
    finished: list[T] = []
    with progress(f"scoring {name}", lambda: len(finished), total):
        finished.extend(scores)
    return finished


def _lookups(arguments: argparse.Namespace, items: Collection[str] | None = None) -> Iterator[Lookup]:
    """The models of --vectors, each opened when it is asked for, under names that are all different.

    Of files, only what ``items`` need is read, if they are given.
    """
    tokenize = open_tokenizer(arguments.tokenizer) if arguments.tokenizer else tokens_of
    sources: list[str] = arguments.vectors
    names = distinct(list(map(model_name, sources)), sources)
    for source, name in zip(sources, names, strict=True):
        with progress(f"reading {source}", lambda: 0, 0):
            lookup = open_model(source, arguments.phrases, name, items, tokenize)
        yield lookup


def _plot(path: Path, evaluations: Sequence[Evaluation]) -> None:
    try:
        plot = importlib.import_module("wikisem.evaluation.plot")
    except ImportError as error:
        raise UsageError("--plot needs matplotlib: install wikisem[all]") from error
    plot.draw_scores(path, evaluations)
    log(f"the figure is {path}")
