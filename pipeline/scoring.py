"""What ``wikisem evaluate`` does for each task: read, look up, score, print."""

import argparse
import importlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from wikisem.datasets.word_categories import WordCategory, read_categories
from wikisem.datasets.word_groups import read_dataset
from wikisem.errors import MissingInputError, UsageError
from wikisem.evaluation.category_words import CategoryScore, CategoryVectors, look_up_category
from wikisem.evaluation.comparison import compare_categories, compare_evaluations
from wikisem.evaluation.oddoneout.scores import OddOneOutOptions, score_oddoneout
from wikisem.evaluation.outlier_detection import score_models
from wikisem.evaluation.outlier_scores import Evaluation
from wikisem.evaluation.topk import score_topk
from wikisem.evaluation.vectors.lookup import Lookup
from wikisem.evaluation.vectors.models import open_model
from wikisem.pipeline.console.progress import progress
from wikisem.pipeline.console.score_tables import (
    category_report,
    comparison_report,
    few_groups_note,
    outlier_report,
    scores_as_json,
)
from wikisem.pipeline.console.terminal import log, make_console, print_json, print_notes

Scorer = Callable[[Sequence[CategoryVectors], Lookup], Iterator[CategoryScore]]


def outliers(arguments: argparse.Namespace) -> None:
    """Score outlier detection on a set of test groups."""
    groups = read_dataset(arguments.dataset)
    if not groups:
        raise MissingInputError(f"{arguments.dataset}: expected test groups, saw none")
    # Vectors can be as large as the memory: each model is opened when the one before it has been let go.
    lookups = (_open(source, arguments.phrases) for source in arguments.vectors)
    whole, common = score_models(groups, lookups, arguments.seed)
    comparisons = compare_evaluations(common, arguments.seed)
    if arguments.plot:
        _plot(arguments.plot, whole)
    if not arguments.json:
        console = make_console()
        console.print(outlier_report(whole, "outlier detection", arguments.groups))
        if common:
            title = "outlier detection, in the vocabulary of all models"
            console.print(outlier_report(common, title, arguments.groups))
            console.print(comparison_report(comparisons))
        return
    for at, evaluation in enumerate(whole):
        more: dict[str, Any] = {"common": common[at].as_json()} if common else {}
        if comparisons:
            more["comparisons"] = [one.as_json() for one in comparisons if evaluation.name in {one.one, one.other}]
        print_json(evaluation.as_json() | more)
        print_notes([*few_groups_note(evaluation.overall().groups, "groups"), *evaluation.notes])


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
    settings = OddOneOutOptions(
        arguments.k, arguments.distance, arguments.intruders, arguments.skip_oov, arguments.sample, arguments.seed
    )

    def score(categories: Sequence[CategoryVectors], lookup: Lookup) -> Iterator[CategoryScore]:
        return score_oddoneout(categories, lookup.words, settings)

    drawn = f", {settings.sample} pairs drawn" if settings.sample else ""
    _categories(arguments, f"OddOneOut, k = {settings.k}, {settings.distance}, {settings.intruders}{drawn}", score)


def _categories(arguments: argparse.Namespace, title: str, score: Scorer) -> None:
    categories = read_categories(arguments.categories, arguments.language)
    models = [
        _categories_of(_open(source, arguments.phrases), categories, title, score, arguments.json)
        for source in arguments.vectors
    ]
    names, scores = [name for name, _ in models], [scores for _, scores in models]
    comparisons = compare_categories("score", names, scores) if len(models) > 1 else []
    if comparisons and arguments.json:
        print_json({"comparisons": [one.as_json() for one in comparisons]})
    elif comparisons:
        make_console().print(comparison_report(comparisons))


def _categories_of(
    lookup: Lookup, categories: Sequence[WordCategory], title: str, score: Scorer, as_json: bool
) -> tuple[str, list[CategoryScore]]:
    members = [look_up_category(category, lookup) for category in categories]
    scores = _with_progress(f"scoring {lookup.name}", score(members, lookup), len(members))
    if as_json:
        print_json(scores_as_json(scores))
        print_notes(lookup.notes)
    else:
        make_console().print(category_report(lookup.name, lookup.notes, title, scores))
    return lookup.name, scores


def _with_progress(label: str, scores: Iterator[CategoryScore], total: int) -> list[CategoryScore]:
    """All scores, with progress shown as they come."""
    finished: list[CategoryScore] = []
    with progress(label, lambda: len(finished), total):
        finished.extend(scores)
    return finished


def _open(source: str, phrases: bool) -> Lookup:
    with progress(f"reading {source}", lambda: 0, 0):
        return open_model(source, phrases)


def _plot(path: Path, evaluations: Sequence[Evaluation]) -> None:
    try:
        plot = importlib.import_module("wikisem.evaluation.plot")
    except ImportError as error:
        raise UsageError("--plot needs matplotlib: install wikisem[all]") from error
    plot.draw_accuracies(path, evaluations)
    log(f"the figure is {path}")
