"""The tasks of ``wikisem evaluate``, and ``tokenize``: read what is named, open models one by one, print rows."""

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Final, TypeVar

import orjson

from wikisem import evaluate
from wikisem.datasets import word_groups
from wikisem.datasets.files import data_set_name, data_set_path
from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.evaluation.cutoff import KnownDate, read_dates
from wikisem.evaluation.options import TOKENIZERS
from wikisem.evaluation.outlier_detection import group_ids, words_of
from wikisem.evaluation.rows import Scores
from wikisem.evaluation.vectors.embeddings import EmbeddingModel, compared_by, open_tokenizer
from wikisem.evaluation.vectors.models import PYTHON, model_name, open_model, open_similarity
from wikisem.files import path_of, write_text
from wikisem.outputs.groupfile import read_walls
from wikisem.outputs.report import Curve
from wikisem.pipeline.cli import Command
from wikisem.pipeline.console.reports import deliver_scores
from wikisem.pipeline.console.terminal import draw_plot, log, print_line, progress
from wikisem.records import Group
from wikisem.wikis import wiki_of

T = TypeVar("T")


def outliers(arguments: argparse.Namespace) -> None:
    """Score outlier detection on one or more sets of test groups."""
    data_sets = read_datasets(arguments.dataset, arguments.languages)
    asked = data_sets  # with --keys, QIDs or titles of items in place of words: for vectors of items
    if arguments.keys:
        asked = {name: word_groups.keyed_groups(groups, arguments.keys) for name, groups in data_sets.items()}
    options = {"compactness": arguments.compactness, "by_group": arguments.groups, "seed": arguments.seed}
    items = {word for group in chain(*asked.values()) for word in words_of(group)}
    scores = evaluate.outliers(asked, open_models(arguments, items), **options)
    _draw(arguments, scores, "outlier class")
    # The scores of guessers that ignore meaning take longer than those of vectors, and only these outputs show them.
    if arguments.full or arguments.csv or arguments.json or arguments.output or arguments.every_eval_ever:
        scores = replace(scores, rows=[*scores.rows, *evaluate.baselines(data_sets).rows])
    _deliver(scores, "outlier detection", arguments)


def contexts(arguments: argparse.Namespace) -> None:
    """Score outlier detection by count models, once for each number of contexts that words keep."""
    data_sets, models = read_datasets(arguments.dataset, arguments.languages), _named_models(arguments.vectors)
    options = {name: getattr(arguments, name) for name in ("keys", "phrases", "tokenizer", "seed")}
    scores = evaluate.contexts(data_sets, models, arguments.contexts, watch=with_progress, **options)
    _draw(arguments, scores, "contexts")
    _deliver(scores, "outlier detection by the contexts of the highest log-likelihood", arguments)


def consistency(arguments: argparse.Namespace) -> None:
    """Compare a model's answers to the same cases in every two languages, or (task "cutoff") for old and new items.

    The number of an item says how old it is, and a band is a range of numbers. Either --vectors names models to score,
    or --samples says that the data set is what a harness logged of language models; UsageError for both or neither.
    """
    if bool(arguments.samples) == bool(arguments.vectors):
        raise UsageError("expected --vectors, or --samples where DATASET is what a harness logged, and not both")
    options, dates = {"seed": arguments.seed}, list[KnownDate]()
    # What a plot shows on its axis, the title of the report, and what an error says is missing.
    part, title, what = "languages", "consistency across languages", "test cases in two languages"
    if arguments.task == "cutoff":
        part, title, what = "band", "accuracy by item number", "test cases"
        dates = read_dates(arguments.dates)
        options |= {"dates": dates, "bands": arguments.bands}
    if arguments.samples:
        options |= {"languages": arguments.languages, "groups": arguments.set}
        scores = evaluate.samples(arguments.dataset, arguments.task, **options)
    else:
        data_sets = read_datasets(arguments.dataset, arguments.languages)
        items = {word for group in chain(*data_sets.values()) for word in words_of(group)}
        score: Callable[..., Scores] = getattr(evaluate, arguments.task)
        scores = score(data_sets, open_models(arguments, items), compactness=arguments.compactness, **options)
    _draw(arguments, scores, part, dates)
    _deliver(scores, title, arguments, what)


cutoff = consistency


def samples(arguments: argparse.Namespace) -> None:
    """Score what an evaluation harness logged of language models, sample by sample; a folder has files of one model.

    The samples are of wikisem's tasks (--measure: how choices are compared, such as by log-likelihood), or with
    --cluster-by of any task (--metric: the score to average). Samples with the same value in the --cluster-by column
    are a cluster of the standard errors. UsageError for --metric alone.
    """
    if arguments.metric and not arguments.cluster_by:
        raise UsageError("expected --cluster-by with --metric, saw none")
    options = {"measure": arguments.measure, "cluster_by": arguments.cluster_by, "metric": arguments.metric}
    scores = evaluate.samples(arguments.files, groups=arguments.set, seed=arguments.seed, **options)
    how = f"clustered by {arguments.cluster_by}" if arguments.cluster_by else f"choices compared by {arguments.measure}"
    _deliver(scores, f"samples, {how}", arguments, "samples")


def calibrate(arguments: argparse.Namespace) -> None:
    """Fit an item response model to models' answers, and report abilities, difficulties and how few groups would do.

    Each group has a discrimination of its own ("2pl") or all have the same ("rasch"). With --next, the report is on
    models that were asked some groups only: their abilities so far, and which groups to ask next.
    """
    discriminations = {"auto": None, "rasch": False, "2pl": True}[arguments.model]
    options = {"discriminations": discriminations, "by_case": arguments.by == "case", "so_far": arguments.next}
    scores = evaluate.calibrate(arguments.cases, **options, seed=arguments.seed)
    if arguments.next:
        deliver_scores(scores, "calibration, so far", arguments, "answers")
        return
    # A row with the Fisher information of all groups has the ability as its name, such as "+0.50".
    points = [(float(row.name), row.value or 0.0) for row in scores.rows if row.part == "information"]
    curve = Curve("information of all groups by ability", "ability", "information", points)
    deliver_scores(scores, "calibration", arguments, "answers", [curve])


def walls(arguments: argparse.Namespace) -> None:
    """Score walls, puzzles of sixteen words in four hidden groups; several models on the words that all know, too."""
    languages = arguments.languages
    chosen = [wall for wall in read_walls(arguments.walls) if not languages or wall.language in languages]
    if not chosen:
        wanted = f"walls in {', '.join(languages)}" if languages else "walls"
        raise MissingInputError(f"{arguments.walls}: expected {wanted}, saw none")
    words = {word.id if arguments.keys else word.surface for wall in chosen for word in wall.words}
    models, name = open_models(arguments, words), data_set_name(data_set_path(arguments.walls))
    scores = evaluate.walls(chosen, models, keys=arguments.keys, dataset=name, seed=arguments.seed)
    _draw(arguments, scores, "tier")
    _deliver(scores, "walls", arguments, "walls")


def categories(arguments: argparse.Namespace) -> None:
    """Score categories of words by Topk, OddOneOut, or both combined in one number.

    Topk is the share of a word's k nearest neighbours in its category, OddOneOut how often an intruder among k words is
    found. With --split-analogies, each relation of a file of analogy questions makes two categories: the first words of
    its pairs, and the second.
    """
    path, task = arguments.categories, arguments.task
    split = arguments.split_analogies
    word_sets = evaluate.split_analogies(path) if split else word_groups.read_categories(path, arguments.language)
    if arguments.keys:  # the QIDs of items in place of their words
        if not any(any(category.qids) for category in word_sets):
            wanted = "items with an id, as the JSON lines of categories have"
            raise MissingInputError(f"{path}: expected {wanted}, saw none")
        word_sets = [replace(one, words=tuple(filter(None, one.qids))) for one in word_sets]
    # The options of the task, and the words to read from files of vectors (None: all, since any may be a neighbour).
    names, needed = ["skip_oov", "distance", "intruders", "sample", "seed"], None
    if task == "topk":
        names, title = ["skip_oov"], f"Topk, k = {arguments.k}"
    elif task == "combined":
        title = "Combined: the harmonic mean of right answers + 1"
    else:
        drawn = f", {arguments.sample} pairs drawn" if arguments.sample else ""
        title = f"OddOneOut, k = {arguments.k}, {arguments.distance}, {arguments.intruders}{drawn}"
        if arguments.intruders == "other-categories":
            needed = {word for category in word_sets for word in category.words}
    options = {name: getattr(arguments, name) for name in names}
    score: Callable[..., Scores] = getattr(evaluate, task)
    models, dataset = open_models(arguments, needed), Path(path).stem
    scores = score(word_sets, models, arguments.k, dataset=dataset, watch=with_progress, **options)
    deliver_scores(scores, title, arguments, "categories with enough words that a model knows")


topk = oddoneout = combined = categories


def analogies(arguments: argparse.Namespace) -> None:
    """Score analogy questions, section by section."""
    options = {name: getattr(arguments, name) for name in ("method", "skip_oov", "restrict")}
    scores = evaluate.analogies(arguments.questions, open_models(arguments), watch=with_progress, **options)
    unseen = "left out" if arguments.skip_oov else "counted as wrong"
    notes = [*scores.notes, f"unseen questions, with a word out of vocabulary, are {unseen}"]
    deliver_scores(replace(scores, notes=notes), f"analogies, {arguments.method}", arguments, "questions")


def read_datasets(paths: Sequence[str], languages: Sequence[str]) -> dict[str, list[Group]]:
    """Read the groups of the data sets at these paths, by distinct names; with ``languages``, only those in these."""
    names = evaluate.distinct([data_set_name(data_set_path(path)) for path in paths], paths)
    data_sets: dict[str, list[Group]] = {}
    for name, path in zip(names, paths, strict=True):
        groups = word_groups.name_languages(word_groups.read_dataset(path), data_set_path(path))
        data_sets[name] = [group for group in groups if not languages or group.language in languages]
        if not data_sets[name]:
            seen = ", ".join(sorted({group.language or "no known language" for group in groups}))
            wanted = f"test groups in {', '.join(languages)}" if languages else "test groups"
            # The set may have the same Wikipedia under another code, such as zh-hans for zh.
            wikis = {wiki_of(code) for code in languages} - {None}
            meant = ", ".join(sorted({group.language for group in groups if wiki_of(group.language) in wikis}))
            hint = f"; did you mean {meant}?" if meant else ""
            raise MissingInputError(f"{path}: expected {wanted}, saw {f'groups in {seen}' if seen else 'none'}{hint}")
    return data_sets


def _draw(arguments: argparse.Namespace, scores: Scores, part: str, dates: Sequence[KnownDate] = ()) -> None:
    if arguments.plot:
        draw_plot(arguments.plot, lambda plot: plot.draw_rows(arguments.plot, scores.rows, part, dates))


def _deliver(scores: Scores, title: str, arguments: argparse.Namespace, what: str = "test cases") -> None:
    """Write the answers that --cases asks for, and print the scores; without any, an error says ``what`` is missing."""
    if path := getattr(arguments, "cases", None):
        write_text(path, [orjson.dumps(answer).decode() + "\n" for answer in scores.answers()])
        log(f"the answers are {path}")
    if what != "samples":  # a model of vectors scores nothing if it knows none of the words
        names = list(_named_models(getattr(arguments, "vectors", ())))
        what = f"{what} whose words {names[0] if len(names) == 1 else 'a model'} knows"
    deliver_scores(scores, title, arguments, what)


def open_models(arguments: argparse.Namespace, items: Collection[str] | None = None) -> Iterator[EmbeddingModel]:
    """Open the models of --vectors one by one, as they are asked for, under names that are all different.

    If ``items`` (words, or with --keys QIDs or titles) are given, only their vectors are read from files.
    """
    tokenize = open_tokenizer(arguments.tokenizer)
    function: str = getattr(arguments, "similarity", "")  # python:MODULE:FUNCTION, in place of the cosine
    similarity = open_similarity(function) if function else None
    for name, source in _named_models(arguments.vectors).items():
        with progress(f"reading {source}", lambda: 0, 0):
            model = open_model(source, arguments.phrases, name, items, tokenize, getattr(arguments, "keys", None))
        yield compared_by(model, similarity, f"vectors compared by {function}") if similarity else model
        del model  # before the next is read: only one has to fit into memory


def _named_models(vectors: Sequence[str]) -> dict[str, str]:
    """Name the files of --vectors, each FILE or NAME=FILE, so that all names are different."""
    sources, names = list[str](), list[str]()
    for text in vectors:
        name, _, source = text.partition("=")
        # "=" may also be part of a path, or of options after "?".
        is_named = name and source and not set(name) & set(":?/\\") and not Path(text).exists()
        sources.append(source if is_named else text)
        names.append(name if is_named else model_name(text))
    return dict(zip(evaluate.distinct(names, list(vectors)), sources, strict=True))


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


def tokenize(arguments: argparse.Namespace) -> int:
    """Write a data set with its words divided into tokens, for models of languages without spaces.

    WikiSem500 was also released in this form. OUT gets a text file for each group, LANGUAGE/ID.txt, in which `_` is
    between the tokens of a word, and LANGUAGE/outlier-classes.json.
    """
    (groups,) = read_datasets([arguments.dataset], arguments.languages).values()
    divide, output = open_tokenizer(arguments.tokenizer), arguments.output
    paths = [output / group.language / f"{name}.txt" for name, group in zip(group_ids(groups), groups, strict=True)]
    # Before anything is written: no file may replace one of the data set, or be outside OUT.
    for path, group in zip(paths, groups, strict=True):
        if path.resolve() == path_of(group.where).resolve():
            raise UsageError(f"expected another folder than that of the data set, saw {output}")
        if not path.resolve().is_relative_to(output.resolve()):
            seen = f"{group.language!r} and {group.id!r}"
            raise DamagedInputError(f"{group.where}: expected a language and an id that name a file, saw {seen}")
    # The outlier classes of each group, by its id, which the text form has in a file beside the groups.
    classes_in: defaultdict[Path, list[tuple[str, list[int | None]]]] = defaultdict(list)
    for path, group in zip(paths, groups, strict=True):
        cluster_words, outlier_words = (
            ["_".join(divide(member.surface)) or member.surface for member in members]
            for members in (group.cluster, group.outliers)
        )
        write_text(path, ["\n".join([*cluster_words, "", *outlier_words, ""])])
        classes_in[path.parent].append((path.stem, [outlier.outlier_class for outlier in group.outliers]))
    for folder, classes in classes_in.items():
        write_text(folder / word_groups.OUTLIER_CLASSES_FILE, [word_groups.write_outlier_classes(classes).decode()])
    print_line(f"{len(groups):,} groups divided by {arguments.tokenizer}\noutput: {output}")
    return 0


COMMANDS: Final[Mapping[str, Command]] = {"tokenize": ({"--tokenizer": {"convert": sorted(TOKENIZERS)}}, tokenize)}
