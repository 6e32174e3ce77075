"""A model named by a string (a file, a sentence-transformers model, a Python function) as a lookup of vectors."""

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from wikisem.errors import MissingInputError, UsageError
from wikisem.evaluation.vectors.lookup import Lookup, TextLookup, WordLookup
from wikisem.evaluation.vectors.vector_files import read_vectors

TRANSFORMERS: Final = "sentence-transformers:"
PYTHON: Final = "python:"


def open_model(source: str, phrases: bool = True) -> Lookup:
    """The lookup of a vectors file, of ``sentence-transformers:NAME``, or of ``python:MODULE:FUNCTION``.

    Raises UsageError for what cannot be imported, MissingInputError for a model that is not there, and what
    ``read_vectors`` raises.
    """
    if source.startswith(TRANSFORMERS):
        return TextLookup(source, _transformer(source.removeprefix(TRANSFORMERS)))
    if source.startswith(PYTHON):
        return TextLookup(source, _function(source.removeprefix(PYTHON)))
    return WordLookup(Path(source).name, read_vectors(source), phrases)


def _transformer(name: str) -> Callable[[Sequence[str]], Any]:
    try:
        library: Any = importlib.import_module("sentence_transformers")
    except ImportError as error:
        raise UsageError(f"{TRANSFORMERS}{name} needs sentence-transformers: install wikisem[transformers]") from error
    try:
        encode: Callable[[Sequence[str]], Any] = library.SentenceTransformer(name).encode
    except (OSError, ValueError) as error:
        raise MissingInputError(f"{TRANSFORMERS}{name}: expected a model, saw {error}") from error
    return encode


def _function(target: str) -> Callable[[Sequence[str]], Any]:
    module, _, name = target.partition(":")
    try:
        function = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"expected {PYTHON}MODULE:FUNCTION, saw {PYTHON}{target}: {error}") from error
    if not callable(function):
        raise UsageError(f"{PYTHON}{target}: expected a callable from strings to vectors, saw {function!r}")
    return function  # type: ignore[no-any-return]
