"""A model named by a string as a lookup of vectors: a file, a model of another library, or a Python function.

Files are told apart by what they hold: text, word2vec binary, fastText binary, compressed or not.
The strings are public: ``wikisem.evaluate.open_vectors`` takes them, and so does every option that names a model.
"""

import importlib
import struct
import tempfile
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from wikisem.datasets.text_files import UNPACKING_ERRORS, compression, open_unpacked
from wikisem.errors import DamagedInputError, MissingInputError, UsageError, WikisemError
from wikisem.evaluation.vectors.asked import Tokenizer, tokens_of, words_asked_for
from wikisem.evaluation.vectors.binary import read_binary
from wikisem.evaluation.vectors.counts import SIMILARITIES, WEIGHTS, CountLookup, check_choice, read_counts
from wikisem.evaluation.vectors.lookup import Lookup, TextLookup, WordLookup
from wikisem.evaluation.vectors.neural import (
    contextual_encoder,
    model2vec_encoder,
    sentence_encoder,
    static_encoder,
)
from wikisem.evaluation.vectors.text import excerpt, is_text, read_header, read_text
from wikisem.evaluation.vectors.words import WordVectors

PYTHON: Final = "python:"

# What may follow "?" in a source of each kind, besides which there are files.
_OPTIONS: Final[Mapping[str, frozenset[str]]] = {
    "sentence-transformers:": frozenset({"prompt"}),
    "transformers:": frozenset(),
    "contextual:": frozenset({"template", "layer"}),
    "model2vec:": frozenset(),
    "counts:": frozenset({"weight", "similarity"}),
    PYTHON: frozenset(),
}

# The first bytes of a fastText model: FASTTEXT_FILEFORMAT_MAGIC_INT32 = 793712314 in its src/fasttext.cc, little-endian
# (seen 2026-11).
_FASTTEXT: Final = struct.pack("<i", 793712314)

# Enough for whole records of 16,000 dimensions as text.
_SAMPLE: Final = 1 << 18
_DAMAGE: Final = (ValueError, struct.error, AssertionError, NotImplementedError, *UNPACKING_ERRORS)


def model_name(source: str) -> str:
    """What a report calls a model: the name of a file without its folder, any other source as it is."""
    return source if source.startswith(tuple(_OPTIONS)) else Path(source).name


def open_model(
    source: str,
    phrases: bool = True,
    name: str = "",
    items: Iterable[str] | None = None,
    tokenize: Tokenizer = tokens_of,
) -> Lookup:
    """The lookup of a vectors file or of a model of another kind (docs/evaluation.md lists them).

    ``name`` is what reports call it, ``model_name`` if it is empty. Of a file, only the vectors that ``items`` may need
    are read, if they are given; such a lookup has no whole vocabulary. Raises UsageError for what cannot be imported
    and options that are not known, MissingInputError for a model that is not there, and what ``read_vectors`` raises.
    """
    name = name or model_name(source)
    kind = next((kind for kind in _OPTIONS if source.startswith(kind)), "")
    if not kind:
        asked = None if items is None else words_asked_for(items, tokenize)
        return WordLookup(name, read_vectors(source, asked), phrases, tokenize)
    if kind == PYTHON:
        return TextLookup(name, _function(source.removeprefix(PYTHON)))
    target, options = _parse_options(source, kind)
    if kind == "counts:":
        return _open_counts(name, Path(target), options, phrases, tokenize)
    return TextLookup(name, _encoder(kind, target, options))


def _parse_options(source: str, kind: str) -> tuple[str, dict[str, str]]:
    """The name of a model and its options: "contextual:NAME?template=a {}&layer=-2"."""
    target, _, query = source.removeprefix(kind).partition("?")
    options = dict(word.partition("=")[::2] for word in query.split("&") if word)
    if unknown := sorted(set(options) - _OPTIONS[kind]):
        known = ", ".join(sorted(_OPTIONS[kind])) or "none"
        raise UsageError(f"{source}: expected options of {kind.rstrip(':')} ({known}), saw {unknown[0]!r}")
    return target, options


def _encoder(kind: str, target: str, options: Mapping[str, str]) -> Callable[[Sequence[str]], Any]:
    if kind == "sentence-transformers:":
        return sentence_encoder(target, options.get("prompt", ""))
    if kind == "transformers:":
        return static_encoder(target)
    if kind == "model2vec:":
        return model2vec_encoder(target)
    layer = options.get("layer", "-1")
    if not layer.removeprefix("-").isdecimal():
        raise UsageError(f"expected a layer to be a whole number, saw {layer!r}")
    return contextual_encoder(target, options.get("template", "{}"), int(layer))


def _open_counts(name: str, path: Path, options: Mapping[str, str], phrases: bool, tokenize: Tokenizer) -> CountLookup:
    weight = check_choice("weight", options.get("weight", "ppmi"), WEIGHTS)
    similarity = check_choice("similarity", options.get("similarity", "cosine"), SIMILARITIES)
    with _whole(path, "counts"):
        counts = read_counts(path)
    lookup = CountLookup(name, counts, weight, similarity)
    lookup.read_items_as(phrases=phrases, tokenize=tokenize)
    return lookup


def _function(target: str) -> Callable[[Sequence[str]], Any]:
    module, _, name = target.partition(":")
    try:
        function = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"expected {PYTHON}MODULE:FUNCTION, saw {PYTHON}{target}: {error}") from error
    if not callable(function):
        raise UsageError(f"{PYTHON}{target}: expected a callable from strings to vectors, saw {function!r}")
    return function  # type: ignore[no-any-return]


def read_vectors(path: str | Path, asked: Container[str] | None = None) -> WordVectors:
    """The words and vectors of a file in any of the known forms; with ``asked``, of these words alone.

    MissingInputError if there is no such file; DamagedInputError for what is none of the forms, or is cut off;
    UsageError for a binary file without gensim, which reads these.
    """
    file = Path(path)
    if not file.is_file():
        raise MissingInputError(f"expected a file of vectors, saw none at {file}")
    with _whole(file, "vectors"):
        return _read(file, asked)


@contextmanager
def _whole(file: Path, what: str) -> Iterator[None]:
    """What the libraries that unpack and parse a file raise, as a DamagedInputError that names it."""
    try:
        yield
    except WikisemError:
        raise
    except _DAMAGE as error:
        raise DamagedInputError(f"{file}: expected whole {what}, saw {str(error) or type(error).__name__}") from error


def _read(file: Path, asked: Container[str] | None) -> WordVectors:
    with open_unpacked(file) as stream:
        start = stream.read(_SAMPLE)
    first, _, rest = start.partition(b"\n")
    header = read_header(first)
    dimensions = header[1] if header else len(first.split()) - 1
    text = dimensions > 0 and is_text(rest if header else start, dimensions)
    if start.startswith(_FASTTEXT):
        return _read_fasttext(file)
    if header and dimensions > 0 and not text:
        return _read_whole_binary(file) if asked is None else _read_asked_binary(file, asked)
    if not text:
        raise DamagedInputError(f"{file}: expected vectors of word2vec, GloVe or fastText, saw {excerpt(first)}")
    with open_unpacked(file) as stream:
        return read_text(stream, str(file), asked)


def _read_asked_binary(file: Path, asked: Container[str]) -> WordVectors:
    with open_unpacked(file) as stream:
        return read_binary(stream, str(file), asked)


def _read_whole_binary(file: Path) -> WordVectors:
    with _suffixed(file) as path:
        vectors = _gensim("keyedvectors").KeyedVectors.load_word2vec_format(path, binary=True, unicode_errors="replace")
    return WordVectors(vectors.key_to_index, vectors.vectors)


def _read_fasttext(file: Path) -> WordVectors:
    with _suffixed(file) as path:
        vectors = _gensim("fasttext").load_facebook_vectors(path)
    return WordVectors(vectors.key_to_index, vectors.vectors, vectors.get_vector)


def _gensim(module: str) -> Any:
    try:
        return importlib.import_module(f"gensim.models.{module}")
    except ImportError as error:
        raise UsageError("binary vectors need gensim: install wikisem[all]") from error


@contextmanager
def _suffixed(file: Path) -> Iterator[str]:
    """A path to the file whose suffix tells its compression, which is all that gensim looks at."""
    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder) / f"vectors{compression(file)}"
        link.symlink_to(file.resolve())
        yield str(link)
