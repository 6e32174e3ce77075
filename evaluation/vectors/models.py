"""A model named by a string as a lookup of vectors: a file, a sentence-transformers model, or a Python function.

Files are told apart by what they hold: text, word2vec binary, fastText binary, compressed or not.
The strings are public: ``wikisem.evaluate.open_vectors`` takes them, and so does every option that names a model.
"""

import bz2
import gzip
import importlib
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.evaluation.vectors.lookup import Lookup, TextLookup, WordLookup
from wikisem.evaluation.vectors.text import excerpt, is_text, read_header, read_text
from wikisem.evaluation.vectors.words import WordVectors

TRANSFORMERS: Final = "sentence-transformers:"
PYTHON: Final = "python:"

# First bytes: of the compressions, and of a fastText model (FASTTEXT_FILEFORMAT_MAGIC_INT32 = 793712314 in its
# src/fasttext.cc, little-endian; seen 2026-11).
_GZIP: Final = b"\x1f\x8b"
_BZIP2: Final = b"BZh"
_FASTTEXT: Final = struct.pack("<i", 793712314)

# Enough for whole records of 16,000 dimensions as text.
_SAMPLE: Final = 1 << 18
_DAMAGE: Final = (ValueError, EOFError, struct.error, zlib.error, AssertionError, NotImplementedError, OSError)


def model_name(source: str) -> str:
    """What a report calls a model: the name of a file without its folder, any other source as it is."""
    return source if source.startswith((TRANSFORMERS, PYTHON)) else Path(source).name


def open_model(source: str, phrases: bool = True, name: str = "") -> Lookup:
    """The lookup of a vectors file, of ``sentence-transformers:NAME``, or of ``python:MODULE:FUNCTION``.

    ``name`` is what reports call it, ``model_name`` if it is empty.

    Raises UsageError for what cannot be imported, MissingInputError for a model that is not there, and what
    ``read_vectors`` raises.
    """
    if source.startswith(TRANSFORMERS):
        return TextLookup(name or source, _transformer(source.removeprefix(TRANSFORMERS)))
    if source.startswith(PYTHON):
        return TextLookup(name or source, _function(source.removeprefix(PYTHON)))
    return WordLookup(name or model_name(source), read_vectors(source), phrases)


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


def read_vectors(path: str | Path) -> WordVectors:
    """The words and vectors of a file in any of the known forms.

    MissingInputError if there is no such file; DamagedInputError for what is none of the forms, or is cut off;
    UsageError for a binary file without gensim, which reads these.
    """
    file = Path(path)
    if not file.is_file():
        raise MissingInputError(f"expected a file of vectors, saw none at {file}")
    try:
        return _read(file)
    except (DamagedInputError, UsageError):
        raise
    except _DAMAGE as error:
        raise DamagedInputError(f"{file}: expected whole vectors, saw {error or type(error).__name__}") from error


def _read(file: Path) -> WordVectors:
    with _open(file) as stream:
        start = stream.read(_SAMPLE)
    first, _, rest = start.partition(b"\n")
    header = read_header(first)
    dimensions = header[1] if header else len(first.split()) - 1
    text = dimensions > 0 and is_text(rest if header else start, dimensions)
    if start.startswith(_FASTTEXT):
        return _read_fasttext(file)
    if header and dimensions > 0 and not text:
        return _read_binary(file)
    if not text:
        raise DamagedInputError(f"{file}: expected vectors of word2vec, GloVe or fastText, saw {excerpt(first)}")
    with _open(file) as stream:
        return read_text(stream, str(file))


def _read_binary(file: Path) -> WordVectors:
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


def _compression(file: Path) -> str:
    with file.open("rb") as stream:
        start = stream.read(3)
    if start.startswith(_GZIP):
        return ".gz"
    return ".bz2" if start.startswith(_BZIP2) else ""


def _open(file: Path) -> BinaryIO:
    openers = {".gz": gzip.open, ".bz2": bz2.open, "": open}
    return cast(BinaryIO, openers[_compression(file)](file, "rb"))  # type: ignore[operator]


@contextmanager
def _suffixed(file: Path) -> Iterator[str]:
    """A path to the file whose suffix tells its compression, which is all that gensim looks at."""
    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder) / f"vectors{_compression(file)}"
        link.symlink_to(file.resolve())
        yield str(link)
