"""What ``wikisem evaluate`` does for tasks on words: Topk, OddOneOut, their combination, and analogies."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from wikisem import __version__
from wikisem.datasets.word_categories import WordCategory, keyed_categories, read_categories
from wikisem.evaluation.analogies.questions import read_questions, split_relations
from wikisem.evaluation.analogies.scores import AnalogyOptions, analogies_as_json, score_analogies
from wikisem.evaluation.category_words import CategoryScore, CategoryVectors, look_up_category
from wikisem.evaluation.combined import combined_as_json
from wikisem.evaluation.comparison import compare_categories
from wikisem.evaluation.oddoneout.scores import ODDONEOUT_DISTANCES, OddOneOutOptions, score_oddoneout
from wikisem.evaluation.topk import score_topk
from wikisem.evaluation.vectors.lookup import Lookup, require_cosine, require_vocabulary
from wikisem.pipeline.console.score_csv import analogy_rows, category_rows, print_csv
from wikisem.pipeline.console.score_tables import (
    analogy_report,
    category_report,
    combined_report,
    comparison_report,
    scores_as_json,
)
from wikisem.pipeline.console.terminal import make_console, print_json, print_notes
from wikisem.pipeline.scored_models import open_lookups, with_progress

Scorer = Callable[[Sequence[CategoryVectors], Lookup], Iterator[CategoryScore]]


def topk(arguments: argparse.Namespace) -> None:
    """Score Topk on a file of categories."""

    def score(categories: Sequence[CategoryVectors], lookup: Lookup) -> Iterator[CategoryScore]:
        vocabulary = require_vocabulary(lookup, "topk")
        for members in categories:
            yield score_topk(members, vocabulary, arguments.k, arguments.skip_oov, lookup.similarity)

    _categories(arguments, f"Topk, k = {arguments.k}", score, lambda lookup: require_vocabulary(lookup, "topk"))


def oddoneout(arguments: argparse.Namespace) -> None:
    """Score OddOneOut on a file of categories."""
    settings = _oddoneout_options(arguments)

    def score(categories: Sequence[CategoryVectors], lookup: Lookup) -> Iterator[CategoryScore]:
        return score_oddoneout(categories, lookup.words, settings)

    drawn = f", {settings.sample} pairs drawn" if settings.sample else ""
    title = f"OddOneOut, k = {settings.k}, {settings.distance}, {settings.intruders}{drawn}"
    _categories(
        arguments,
        title,
        score,
        lambda lookup: require_cosine(lookup, ODDONEOUT_DISTANCES),
        needs_only_these=settings.intruders == "other-categories",
    )


def combined(arguments: argparse.Namespace) -> None:
    """Score Topk and OddOneOut on a file of categories, and combine their numbers of right answers."""
    categories = _read(arguments)
    settings = _oddoneout_options(arguments)
    rows: list[dict[str, Any]] = []
    for lookup in open_lookups(arguments):
        vocabulary = require_vocabulary(lookup, "combined")
        require_cosine(lookup, ODDONEOUT_DISTANCES)
        members = [look_up_category(category, lookup) for category in categories]
        odd = with_progress(lookup.name, score_oddoneout(members, vocabulary, settings), len(members))
        top = [score_topk(each, vocabulary, arguments.k, arguments.skip_oov) for each in members]
        rows.append(_head(lookup, arguments.categories) | combined_as_json(odd, top))
        if arguments.json:
            print_json(rows[-1])
    if arguments.csv:
        print_csv(rows)
    elif not arguments.json:
        make_console().print(combined_report(rows))


def analogies(arguments: argparse.Namespace) -> None:
    """Score analogy questions, section by section."""
    sections = read_questions(arguments.questions)
    options = AnalogyOptions(arguments.method, arguments.skip_oov, arguments.restrict)
    rows: list[dict[str, Any]] = []
    for lookup in open_lookups(arguments):
        scores = with_progress(lookup.name, score_analogies(sections, lookup, options), len(sections))
        head = _head(lookup, arguments.questions)
        if arguments.json:
            print_json({**head, "method": options.method, **analogies_as_json(scores)})
            print_notes(lookup.notes)
        elif arguments.csv:
            rows += [head | row for row in analogy_rows(scores)]
        else:
            title = f"analogies, {options.method}"
            make_console().print(analogy_report(lookup, title, scores, skipped=options.skip_oov))
    if arguments.csv:
        print_csv(rows)


def _head(lookup: Lookup, dataset: str) -> dict[str, Any]:
    """What each row of scores begins with: the model and the data set, by its file's name without suffix."""
    named = {"model": lookup.name, "dataset": Path(dataset).stem, "version": __version__}
    return {**named, "vocabulary_size": lookup.vocabulary_size}


def _oddoneout_options(arguments: argparse.Namespace) -> OddOneOutOptions:
    return OddOneOutOptions(
        arguments.k, arguments.distance, arguments.intruders, arguments.skip_oov, arguments.sample, arguments.seed
    )


def _categories(
    arguments: argparse.Namespace,
    title: str,
    score: Scorer,
    check: Callable[[Lookup], object],
    *,
    needs_only_these: bool = False,
) -> None:
    categories = _read(arguments)
    rows, scores = list[dict[str, Any]](), dict[str, list[CategoryScore]]()
    items = {word for category in categories for word in category.words} if needs_only_these else None
    for lookup in open_lookups(arguments, items):
        check(lookup)
        found = _score_categories(lookup, categories, score)
        scores[lookup.name] = found
        head = _head(lookup, arguments.categories)
        rows += [head | row for row in category_rows(found)]
        if arguments.json:
            print_json(head | scores_as_json(found))
            print_notes(lookup.notes)
        elif not arguments.csv:
            make_console().print(category_report(lookup, title, found))
    comparisons = compare_categories("score", list(scores), list(scores.values())) if len(scores) > 1 else []
    if arguments.csv:
        print_csv(rows)
    elif comparisons and arguments.json:
        print_json({"comparisons": [one.as_json() for one in comparisons]})
    elif comparisons:
        make_console().print(comparison_report(comparisons))


def _read(arguments: argparse.Namespace) -> list[WordCategory]:
    """The categories of a command, or those of its questions; their words are QIDs, if it asks for these."""
    if arguments.split_analogies:
        categories = split_relations(read_questions(arguments.categories))
    else:
        categories = read_categories(arguments.categories, arguments.language)
    return keyed_categories(categories, arguments.categories) if arguments.keys else categories


def _score_categories(lookup: Lookup, categories: Sequence[WordCategory], score: Scorer) -> list[CategoryScore]:
    """All scores, with progress shown as they come."""
    members = [look_up_category(category, lookup) for category in categories]
    return with_progress(lookup.name, score(members, lookup), len(members))
