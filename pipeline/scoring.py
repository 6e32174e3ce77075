"""What ``wikisem evaluate`` does for tasks on test groups: outlier detection and blind spots."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wikisem.datasets.folder_languages import name_languages
from wikisem.datasets.sources import data_set_name
from wikisem.datasets.word_groups import WordGroup, keyed_groups, read_dataset
from wikisem.errors import MissingInputError
from wikisem.evaluation.blind_spots import blind_cases, blind_groups, explain_case, find_group
from wikisem.evaluation.comparison import compare_evaluations
from wikisem.evaluation.outlier_detection import score_models, words_of
from wikisem.evaluation.outlier_scores import Evaluation
from wikisem.evaluation.vectors.asked import tokens_of
from wikisem.evaluation.vectors.keys import Keys
from wikisem.evaluation.vectors.models import model_name, open_by_contexts
from wikisem.evaluation.vectors.tokenizers import open_tokenizer
from wikisem.pipeline.console.plots import draw_plot, drawing_module
from wikisem.pipeline.console.score_csv import outlier_rows, print_csv
from wikisem.pipeline.console.score_tables import (
    blind_spot_report,
    comparison_report,
    contexts_report,
    explanation_report,
    few_groups_note,
    outlier_report,
)
from wikisem.pipeline.console.terminal import make_console, print_json, print_notes
from wikisem.pipeline.scored_models import distinct, open_lookups, with_progress


@dataclass(frozen=True, slots=True)
class DataSet:
    """The groups of one DATASET of the command line, under a name that no other of them has."""

    name: str
    groups: list[WordGroup]


def read_datasets(paths: Sequence[str], languages: Sequence[str], keys: Keys | None = None) -> list[DataSet]:
    """The data sets at these paths, of which only the groups in ``languages`` are kept, if any are given.

    With ``keys``, these replace the words.
    """
    names = distinct([data_set_name(Path(path)) for path in paths], paths)
    groups = [_read_groups(path, languages) for path in paths]
    if keys:
        groups = [keyed_groups(each, keys) for each in groups]
    return [DataSet(name, each) for name, each in zip(names, groups, strict=True)]


def _read_groups(path: str, languages: Sequence[str]) -> list[WordGroup]:
    groups = name_languages(read_dataset(path), Path(path))
    kept = [group for group in groups if not languages or group.language in languages]
    if not kept:
        seen = ", ".join(sorted({group.language or "no known language" for group in groups}))
        wanted = f"test groups in {', '.join(languages)}" if languages else "test groups"
        raise MissingInputError(f"{path}: expected {wanted}, saw {f'groups in {seen}' if seen else 'none'}")
    return kept


def outliers(arguments: argparse.Namespace) -> None:
    """Score outlier detection on one or more sets of test groups."""
    if arguments.plot:
        drawing_module("wikisem.evaluation.plot", "--plot")  # said before the work if matplotlib is missing
    datasets = read_datasets(arguments.dataset, arguments.language, arguments.keys)
    groups = [group for dataset in datasets for group in dataset.groups]
    # Vectors can be as large as the memory: each model is opened when the one before it has been let go.
    items = {surface for group in groups for surface in words_of(group)}
    whole, common = score_models(groups, open_lookups(arguments, items), arguments.seed, arguments.compactness)
    parts = [_by_dataset(evaluation, datasets) for evaluation in whole]
    common_parts = [_by_dataset(evaluation, datasets) for evaluation in common]
    if arguments.plot:
        draw_plot(arguments.plot, lambda plot: plot.draw_scores(arguments.plot, whole))
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


def contexts(arguments: argparse.Namespace) -> None:
    """Score outlier detection by count models, once for each number of contexts that words keep."""
    if arguments.plot:
        drawing_module("wikisem.evaluation.plot", "--plot")
    datasets = read_datasets(arguments.dataset, arguments.language, arguments.keys)
    groups = [group for dataset in datasets for group in dataset.groups]
    curve = list(score_by_contexts(arguments, groups))
    rows = [(number, part) for number, scored in curve for part in _by_dataset(scored, datasets)]
    if arguments.plot:
        draw_plot(arguments.plot, lambda plot: plot.draw_contexts(arguments.plot, curve))
    if arguments.csv:
        print_csv({"contexts": number} | row for number, part in rows for row in outlier_rows(part, "own", False))
    elif arguments.json:
        for number, part in rows:
            print_json({"contexts": number} | part.as_json())
    else:
        make_console().print(contexts_report(rows))


def score_by_contexts(arguments: argparse.Namespace, groups: Sequence[WordGroup]) -> Iterator[tuple[int, Evaluation]]:
    """The scores of each model, by ascending numbers of contexts."""
    tokenize = open_tokenizer(arguments.tokenizer) if arguments.tokenizer else tokens_of
    names = distinct(list(map(model_name, arguments.vectors)), arguments.vectors)
    for source, name in zip(arguments.vectors, names, strict=True):
        lookups = open_by_contexts(source, arguments.contexts, arguments.phrases, tokenize, arguments.keys)
        evaluations = with_progress(
            name, (score_models(groups, [one], arguments.seed)[0][0] for one in lookups), len(arguments.contexts)
        )
        yield from zip(arguments.contexts, (replace(one, name=name) for one in evaluations), strict=True)


def blind_spots(arguments: argparse.Namespace) -> None:
    """Find the groups and cases that most models fail, or show what each model makes of one group."""
    datasets = read_datasets(arguments.dataset, arguments.language)
    groups = [group for dataset in datasets for group in dataset.groups]
    if arguments.explain:
        groups = [find_group(groups, arguments.explain)]
    asked = keyed_groups(groups, arguments.keys) if arguments.keys else groups
    # What is looked up by its key is still shown by its words.
    shown = {
        key: word if key == word else f"{word} ({key})"
        for group, keyed in zip(groups, asked, strict=True)
        for word, key in zip(words_of(group), words_of(keyed), strict=True)
    }
    if arguments.explain:
        _explain_group(asked[0], shown, arguments)
        return
    items = {surface for group in asked for surface in words_of(group)}
    whole, _ = score_models(asked, open_lookups(arguments, items), compactness=arguments.compactness)
    by_group, by_case = blind_groups(whole), [spot.shown_as(shown) for spot in blind_cases(whole)]
    if arguments.json:
        print_json({"groups": [spot.as_json() for spot in by_group], "cases": [spot.as_json() for spot in by_case]})
    elif arguments.csv:
        print_csv(spot.as_json() | {"by": " ".join(spot.failed)} for spot in by_case)
    else:
        make_console().print(blind_spot_report(by_group[: arguments.most], by_case[: arguments.most]))


def _explain_group(group: WordGroup, shown: Mapping[str, str], arguments: argparse.Namespace) -> None:
    """Each model's order of the words of each case, the one it takes for the outlier first."""
    for lookup in open_lookups(arguments, words_of(group)):
        cases = [
            (
                replace(outlier, surface=shown[outlier.surface]),
                [(shown[word], near) for word, near in explain_case(group, outlier, lookup, arguments.compactness)],
            )
            for outlier in dict.fromkeys(group.outliers)
        ]
        if arguments.json:
            rows = [{"outlier": outlier.surface, "words": [list(pair) for pair in found]} for outlier, found in cases]
            print_json({"model": lookup.name, "group": group.id, "cases": rows})
        else:
            make_console().print(explanation_report(lookup.name, group, cases))
