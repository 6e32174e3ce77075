"""A vocabulary and its vectors, whichever file they came from, and how its words are spelled.

Rows are a numpy array, shape ``(n, dimensions)``, or, as counts are, a CSR array of SciPy of the same shape; a vector
is one of them, sparse as a matrix of one row. Nothing sparse is ever made dense; what scores need is products of rows,
their lengths and their means.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from wikisem.errors import UsageError, optional_module
from wikisem.evaluation.options import TOKENIZERS
from wikisem.wikipedia.graphemes import initial_case

Tokenizer = Callable[[str], list[str]]
Vector = npt.NDArray[np.float64]
VectorRows = npt.NDArray[np.float32]
Rows = Any  # a numpy array or a scipy.sparse.csr_array, of which SciPy has no types

# Two cosines, or means of cosines, that differ by no more are a tie, and a tie counts against the model. Rounding in
# double precision stays four orders of magnitude below.
TIE_TOLERANCE: Final = 1e-12


# How words are spelled, and divided into tokens.

_BLANKS: Final = re.compile(r"[_\s]+")
_PHRASE: Final = re.compile(r"[^_]_+[^_]")
_DIGITS: Final = re.compile(r"\d{2,}")


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a vocabulary spells words: whether any starts with a capital, is a phrase, has masked or plain digits."""

    capitals: bool
    phrases: bool
    masked: bool
    numbers: bool

    @property
    def masks_digits(self) -> bool:
        """Whether numbers of two digits or more are written with #, as in the vectors of Google News."""
        return self.masked and not self.numbers


def spelling_of(words: Collection[str]) -> Spelling:
    """The spelling of a vocabulary; each question is answered by the first word that decides it."""
    return Spelling(
        capitals=any(initial_case(word) == "capital" for word in words),
        phrases=any("_" in word and _PHRASE.search(word) for word in words),
        masked=any("##" in word for word in words),
        numbers=any(_DIGITS.search(word) for word in words),
    )


def tokens_of(item: str) -> list[str]:
    """The tokens of an item, which `_` and blanks divide."""
    return [token for token in _BLANKS.split(item) if token]


def mask_digits(text: str) -> str:
    """The text with a # for each digit of two or more in a row.

    >>> mask_digits("7 of 1984")
    '7 of ####'
    """
    return _DIGITS.sub(lambda found: "#" * len(found[0]), text)


def words_asked_for(items: Iterable[str], tokenize: Tokenizer = tokens_of) -> set[str]:
    """Every word or phrase that one of the items can be looked up as, so that a file is read for these alone.

    The spelling of the vocabulary is not known yet, so items are taken as they are and lowercased, with and without
    masked digits, by tokens and by phrases.
    """
    asked = set[str]()
    for item in items:
        for text in {item, item.lower()}:
            for spelled in {text, mask_digits(text)}:
                tokens = tokenize(spelled)
                asked |= {"_".join(tokens[start:end]) for start, end in combinations(range(len(tokens) + 1), 2)}
    return asked


def open_tokenizer(name: str) -> Tokenizer:
    """A tokenizer for a language without spaces, so that word vectors are found for the words in an item.

    "fugashi" (MeCab with the unidic-lite dictionary) is for Japanese, "jieba" for Chinese. It divides each token that
    `_` and blanks leave, so that it never sees these. UsageError for a name that is not in ``TOKENIZERS``,
    MissingExtraError if its package is not installed.
    """
    if name not in TOKENIZERS:
        raise UsageError(f"expected a tokenizer ({', '.join(TOKENIZERS)}), saw {name!r}")
    if name == "fugashi":
        tagger = optional_module("fugashi", "--tokenizer fugashi", "tokenizers").Tagger()

        def cut(text: str) -> Iterable[str]:
            return (word.surface for word in tagger(text))
    else:
        # Algorithm and dictionary of jieba, whose own package had its last release in 2020 and needs pkg_resources.
        cut = optional_module("rjieba", "--tokenizer jieba", "tokenizers").cut

    def tokenize(text: str) -> list[str]:
        return [token for part in tokens_of(text) for token in cut(part) if token.strip()]

    return tokenize


# Words with their vectors.


@dataclass(frozen=True, slots=True, eq=False)
class WordVectors:
    """The raw vector of each word: row ``index[word]`` of ``rows``, which has shape ``(words, dimensions)``.

    ``unseen`` makes a vector for a word outside the vocabulary, as fastText does from character n-grams. Where only the
    words that were asked for have been read, ``whole_spelling`` is how the whole vocabulary spells words.
    ``whole_size`` is how many words the file lists, one that repeats each time.
    """

    index: Mapping[str, int]
    rows: Rows
    unseen: Callable[[str], VectorRows] | None = None
    whole_spelling: Spelling | None = None
    whole_size: int | None = None

    @property
    def size(self) -> int:
        """How many words the whole vocabulary has, whether they have been read or not."""
        return len(self.index) if self.whole_size is None else self.whole_size

    def spelling(self) -> Spelling:
        """How the vocabulary spells words."""
        return self.whole_spelling or spelling_of(self.index)

    def find(self, word: str) -> Any | None:
        """The raw vector of a word, in double precision; None where there is none to compare."""
        index = self.index.get(word)
        if index is not None:
            return usable(row_at(self.rows, index))
        return usable(self.unseen(word)) if self.unseen is not None else None

    def knows(self, word: str) -> bool:
        """Whether the vocabulary itself has the word, with a vector to compare."""
        return word in self.index and self.find(word) is not None

    def blocks(self, size: int) -> Iterator[tuple[npt.NDArray[np.int64], Rows]]:
        """Row numbers and raw vectors in double precision, ``size`` rows at a time, without those of no direction."""
        for start in range(0, self.rows.shape[0], size):
            rows = self.rows[start : start + size].astype(np.float64)
            # In double precision no square of a single one over- or underflows.
            squares = paired_products(rows, rows)
            kept = np.flatnonzero((squares > 0) & np.isfinite(squares))
            yield kept + start, rows if len(kept) == rows.shape[0] else rows[kept]


def from_words(
    words: Sequence[str], rows: Rows, whole_spelling: Spelling | None = None, whole_size: int | None = None
) -> WordVectors:
    """Word vectors from words and their rows in the same order; a word that repeats keeps its first row."""
    first: dict[str, int] = {}
    for index, word in enumerate(words):
        first.setdefault(word, index)
    kept = rows if len(first) == len(words) else rows[list(first.values())]
    return WordVectors({word: index for index, word in enumerate(first)}, kept, None, whole_spelling, whole_size)


def is_sparse(rows: Any) -> bool:
    """Whether rows or a vector are sparse, as SciPy has them, which dense ones do without."""
    return hasattr(rows, "nnz")


def usable(vector: Any) -> Any | None:
    """The vector in double precision; None for a zero vector, which has no direction."""
    with np.errstate(invalid="ignore"):  # of NaNs that a processor would signal
        double = vector.astype(np.float64) if is_sparse(vector) else np.asarray(vector, dtype=np.float64)
    return double if numbers_of(double).any() else None


def numbers_of(vector: Any) -> Vector:
    """The numbers of a vector, of a sparse one those that it lists."""
    return np.asarray(vector.data if is_sparse(vector) else vector)


# What is computed of rows, dense or sparse.


def row_at(rows: Rows, index: int) -> Any:
    """One row as a vector."""
    return rows[[index]] if is_sparse(rows) else rows[index]


def stack(vectors: Sequence[Any] | Rows) -> Rows:
    """Vectors as rows, shape ``(n, dimensions)``; what is rows already is left as it is. None make ``(0, 0)``."""
    if is_sparse(vectors) or isinstance(vectors, np.ndarray):
        return vectors
    if len(vectors) and is_sparse(vectors[0]):
        from scipy.sparse import vstack  # noqa: PLC0415 - who has sparse vectors has SciPy

        return vstack(vectors, format="csr")
    return np.asarray(vectors, dtype=np.float64) if len(vectors) else np.empty((0, 0))


def width(rows: Rows) -> int:
    """How many numbers a row holds, of sparse rows the mean."""
    count, dimensions = rows.shape
    return rows.nnz // max(1, count) if is_sparse(rows) else int(dimensions)


def mean(vectors: Sequence[Any]) -> Any:
    """The mean of one vector or more."""
    return sum(vectors[1:], start=vectors[0]) / len(vectors)


def products(ones: Rows, others: Rows) -> Vector:
    """The inner products of rows, shape ``(ones, others)``."""
    found: Vector = product(ones, transposed(others))
    return found


def transposed(rows: Rows) -> Rows:
    """Rows as the second factor of ``product``: made once where it is multiplied often."""
    return rows.T.tocsr() if is_sparse(rows) else rows.T


# A sparse product takes three times the memory of the same numbers in a dense array.
_NUMBERS_AT_ONCE: Final = 1 << 22


def product(rows: Rows, columns: Rows, dtype: type[np.floating[Any]] = np.float64) -> Any:
    """The matrix product, dense; of sparse factors in this precision, of dense ones in theirs."""
    if not is_sparse(rows):
        return rows @ columns
    found = np.empty((rows.shape[0], columns.shape[1]), dtype)
    at_once = max(1, _NUMBERS_AT_ONCE // max(1, columns.shape[1]))
    for start in range(0, rows.shape[0], at_once):
        found[start : start + at_once] = (rows[start : start + at_once] @ columns).toarray()
    return found


def paired_products(ones: Rows, others: Rows) -> Vector:
    """The inner product of each row with the row of the same number, shape ``(n,)``."""
    found = ones.multiply(others).sum(axis=1) if is_sparse(ones) else np.einsum("ij,ij->i", ones, others)
    return np.asarray(found).ravel()


def lengths(rows: Rows) -> Vector:
    """The Euclidean length of each row, shape ``(n,)``."""
    return np.sqrt(paired_products(rows, rows))


def divided(rows: Rows, divisors: Vector) -> Rows:
    """Each row divided by a number of its own."""
    if not is_sparse(rows):
        return rows / divisors[:, None]
    numbers = rows.data / np.repeat(divisors, np.diff(rows.indptr))
    from scipy.sparse import csr_array  # noqa: PLC0415 - who has sparse rows has SciPy

    return csr_array((numbers, rows.indices, rows.indptr), shape=rows.shape)


def unit(rows: Rows) -> Rows:
    """Rows of length one, shape as given; no row may be zero. No square over- or underflows."""
    with np.errstate(over="ignore", under="ignore"):
        found = lengths(rows)
    limits = np.finfo(found.dtype)
    if not ((found > limits.tiny**0.25) & (found < limits.max**0.25)).all():
        most = abs(rows).max(axis=1)
        rows = divided(rows, np.asarray(most.toarray() if is_sparse(most) else most).ravel())
        found = lengths(rows)
    return divided(rows, found)


def directions(rows: Rows) -> tuple[Rows, npt.NDArray[np.bool_]]:
    """Rows of length one, zero for those of no direction, and which rows have one."""
    if is_sparse(rows):
        some = np.flatnonzero(np.diff(rows.indptr))
        assert len(some) == rows.shape[0], "expected sparse rows without empty ones"
        return unit(rows), np.ones(len(some), dtype=np.bool_)
    double = rows.astype(np.float64)
    usable_rows = np.asarray(np.isfinite(double).all(axis=1) & double.any(axis=1))
    double[~usable_rows] = 0
    double[usable_rows] = unit(double[usable_rows])
    return double, usable_rows
