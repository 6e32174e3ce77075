"""The models that a command names, opened one after the other, and progress while they are scored."""

import argparse
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from wikisem.evaluation.vectors.asked import tokens_of
from wikisem.evaluation.vectors.lookup import Lookup
from wikisem.evaluation.vectors.models import PYTHON, model_name, open_model, open_similarity
from wikisem.evaluation.vectors.similarities import compared_by
from wikisem.evaluation.vectors.tokenizers import open_tokenizer
from wikisem.pipeline.console.progress import progress

T = TypeVar("T")


def distinct(names: Sequence[str], longer: Sequence[str]) -> list[str]:
    """The names, or what is longer where two are the same; what is still the same is numbered."""
    found = list(names) if len(set(names)) == len(names) else list(longer)
    return [
        name if found.index(name) == at else f"{name} #{found[:at].count(name) + 1}" for at, name in enumerate(found)
    ]


def open_lookups(arguments: argparse.Namespace, items: Collection[str] | None = None) -> Iterator[Lookup]:
    """The models of --vectors, each opened when it is asked for, under names that are all different.

    Of files, only what ``items`` need is read, if they are given.
    """
    tokenize = open_tokenizer(arguments.tokenizer) if arguments.tokenizer else tokens_of
    given: str = getattr(arguments, "similarity", "")
    similarity = open_similarity(given) if given else None
    sources: list[str] = arguments.vectors
    names = distinct(list(map(model_name, sources)), sources)
    for source, name in zip(sources, names, strict=True):
        with progress(f"reading {source}", lambda: 0, 0):
            lookup = open_model(source, arguments.phrases, name, items, tokenize, getattr(arguments, "keys", None))
        yield compared_by(lookup, similarity, f"vectors compared by {given}") if similarity else lookup


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
