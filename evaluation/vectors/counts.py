"""Sparse count-based vectors: how often words occur in contexts, weighted, and compared without ever being made dense.

Two forms of file: a CSR matrix of SciPy (``save_npz``) with the words of its rows in a text file beside it, of the same
name with the suffix .words; and text of ``word<TAB>context<TAB>count`` lines, compressed or not.

Weights: raw counts; PMI, ln(P(w, c) / (P(w) P(c))) of the cells that are not zero; PPMI, PMI where it is positive.

Similarities: the cosine, and the two that Gamallo scores (Gamallo and Bordag 2011): Dice, 2 Σ min / (Σ + Σ), and
Jaccard, Σ min / Σ max, over the contexts of two words. Where weights can be negative, as PMI, a context counts as two,
one of each sign (Li 2015, "Min-max kernels"), so that both similarities remain between 0 and 1.

    >>> counts = sparse.csr_array(np.array([[2.0, 1.0, 0.0], [1.0, 0.0, 1.0]]))
    >>> one, other = row_of(counts, 0), row_of(counts, 1)
    >>> dice([one], [other]).item(), jaccard([one], [other]).item()
    (0.4, 0.25)
"""

import zipfile
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy.sparse as sparse

from wikisem.datasets.text_files import numbered_lines, open_unpacked, read_utf8
from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.evaluation.vectors.asked import Tokenizer, tokens_of
from wikisem.evaluation.vectors.lookup import Similarity, WordLookup
from wikisem.evaluation.vectors.words import Vector, WordVectors

Matrix = Any  # scipy.sparse.csr_array, of which SciPy has no types


def row_of(matrix: Matrix, at: int) -> Matrix:
    """One row of a matrix, as a matrix of one row."""
    return matrix[[at]]


def cosine(ones: Sequence[Matrix], others: Sequence[Matrix]) -> Vector:
    """The cosines of rows, shape ``(ones, others)``."""
    first, second = sparse.vstack(ones), sparse.vstack(others)
    lengths = [np.sqrt(each.multiply(each).sum(axis=1)) for each in (first, second)]
    cosines: Vector = (first @ second.T).toarray() / np.outer(*lengths)
    return cosines


def dice(ones: Sequence[Matrix], others: Sequence[Matrix]) -> Vector:
    """Twice the sum of minima over the sum of both, shape ``(ones, others)``."""
    least, total = _minima(ones, others)
    return 2 * least / total


def jaccard(ones: Sequence[Matrix], others: Sequence[Matrix]) -> Vector:
    """The sum of minima over the sum of maxima, shape ``(ones, others)``."""
    least, total = _minima(ones, others)
    return least / (total - least)


def _minima(ones: Sequence[Matrix], others: Sequence[Matrix]) -> tuple[Vector, Vector]:
    """The sums of minima and the sums of all weights of every two rows; max(a, b) is a + b - min(a, b)."""
    first, second = [_signs_apart(row) for row in ones], [_signs_apart(row) for row in others]
    least = np.array([[one.minimum(other).sum() for other in second] for one in first], dtype=np.float64)
    sums = [np.array([row.sum() for row in rows], dtype=np.float64) for rows in (first, second)]
    return least, sums[0][:, None] + sums[1]


def _signs_apart(row: Matrix) -> Matrix:
    """The row with positive weights first, then negative ones without their sign."""
    if (row.data >= 0).all():
        return sparse.hstack([row, sparse.csr_array(row.shape)]).tocsr()
    return sparse.hstack([row.maximum(0), (-row).maximum(0)]).tocsr()


def raw(counts: Matrix) -> Matrix:
    """The counts themselves."""
    return counts


def pmi(counts: Matrix) -> Matrix:
    """Pointwise mutual information of the cells that are not zero, by the counts of the whole matrix."""
    cells = counts.tocoo()
    by_word, by_context = np.asarray(counts.sum(axis=1)).ravel(), np.asarray(counts.sum(axis=0)).ravel()
    rows, columns = cells.coords
    weights = np.log(cells.data * by_word.sum() / (by_word[rows] * by_context[columns]))
    return sparse.csr_array((weights, (rows, columns)), shape=counts.shape)


def ppmi(counts: Matrix) -> Matrix:
    """PMI where it is positive, else nothing."""
    weights = pmi(counts)
    weights.data = np.maximum(weights.data, 0)
    weights.eliminate_zeros()
    return weights


WEIGHTS: Final[Mapping[str, Callable[[Matrix], Matrix]]] = {"raw": raw, "pmi": pmi, "ppmi": ppmi}
SIMILARITIES: Final[Mapping[str, Similarity]] = {"cosine": cosine, "dice": dice, "jaccard": jaccard}


class CountLookup:
    """Items as means of the sparse rows of their tokens or phrases; it has no dense vocabulary."""

    words: None = None

    def __init__(self, name: str, counts: tuple[list[str], Matrix], weight: str, similarity: str) -> None:
        words, matrix = counts
        self.name = name
        self.rows = WEIGHTS[weight](matrix).tocsr()
        filled = np.diff(self.rows.indptr) > 0
        self.index = {word: at for at, word in reversed(list(enumerate(words))) if filled[at]}
        self.similarity: Similarity = SIMILARITIES[similarity]
        self._settings = f"count vectors of {matrix.shape[1]:,} contexts: {weight}, {similarity}"
        self.read_items_as(phrases=True, tokenize=tokens_of)

    def read_items_as(self, *, phrases: bool, tokenize: Tokenizer) -> None:
        """Choose whether phrases are looked up, and what divides an item into tokens."""
        # A vector of one number says that the word is known, which is all that finding the parts of an item needs.
        known = WordVectors(self.index, np.ones((self.rows.shape[0], 1), np.float32))
        self._items = WordLookup(self.name, known, phrases, tokenize)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the weights and the similarity are, and what is done to text."""
        return (self._settings, *self._items.notes)

    def parts(self, item: str) -> list[str]:
        """The words that an item is looked up as."""
        return self._items.parts(item)

    def find(self, items: Iterable[str]) -> Mapping[str, Matrix]:
        """The mean of the rows of each item's known parts, as a sparse row."""
        found = {}
        for item in items:
            known = [self.index[part] for part in self.parts(item) if part in self.index]
            if known:
                row = sparse.csr_array(self.rows[known].sum(axis=0).reshape(1, -1) / len(known))
                if row.count_nonzero():
                    found[item] = row
        return found


def read_counts(path: Path) -> tuple[list[str], Matrix]:
    """The words and the matrix of counts of a file of either form; MissingInputError and DamagedInputError."""
    if not path.is_file():
        raise MissingInputError(f"expected a file of counts, saw none at {path}")
    return _read_matrix(path) if path.suffix == ".npz" else _read_triples(path)


def _read_matrix(path: Path) -> tuple[list[str], Matrix]:
    list_of_words = path.with_suffix(".words")
    if not list_of_words.is_file():
        raise MissingInputError(f"{path}: expected the words of its rows in {list_of_words.name} beside it, saw none")
    try:
        matrix = sparse.csr_array(sparse.load_npz(path), dtype=np.float64)
    except (ValueError, KeyError, OSError, zipfile.BadZipFile) as error:
        raise DamagedInputError(f"{path}: expected a sparse matrix of SciPy, saw {error}") from error
    words = [word for _, word in numbered_lines(read_utf8(list_of_words).removesuffix("\n"))]
    if len(words) != matrix.shape[0]:
        raise DamagedInputError(
            f"{list_of_words}: expected {matrix.shape[0]} words, one for each row, saw {len(words)}"
        )
    return words, _checked(matrix, path)


def _read_triples(path: Path) -> tuple[list[str], Matrix]:
    words: dict[str, int] = {}
    contexts: dict[str, int] = {}
    # Arrays, because a large file has hundreds of millions of counts: 24 bytes each, where lists take 96.
    rows, columns, counts = array("q"), array("q"), array("d")
    with open_unpacked(path) as stream:
        for number, line in enumerate(stream, start=1):
            fields = line.decode("utf-8", errors="replace").rstrip("\r\n").split("\t")
            if len(fields) != 3 or not _is_count(fields[2]):
                raise DamagedInputError(f"{path}:{number}: expected word, context and count, saw {line[:60]!r}")
            rows.append(words.setdefault(fields[0], len(words)))
            columns.append(contexts.setdefault(fields[1], len(contexts)))
            counts.append(float(fields[2]))
    if not words:
        raise DamagedInputError(f"{path}: expected lines of word, context and count, saw none")
    cells = np.frombuffer(counts, np.float64), (np.frombuffer(rows, np.int64), np.frombuffer(columns, np.int64))
    matrix = sparse.csr_array(cells, shape=(len(words), len(contexts)))
    return list(words), _checked(matrix, path)


def _is_count(text: str) -> bool:
    try:
        return float(text) >= 0
    except ValueError:
        return False


def _checked(matrix: Matrix, path: Path) -> Matrix:
    if not np.isfinite(matrix.data).all() or (matrix.data < 0).any():
        raise DamagedInputError(f"{path}: expected counts, saw a number below zero or none at all")
    matrix.eliminate_zeros()
    return matrix


def check_choice(kind: str, value: str, known: Iterable[str]) -> str:
    """The value, if it is one of those known; UsageError names them."""
    if value not in known:
        raise UsageError(f"expected {kind} to be {', '.join(known)}, saw {value!r}")
    return value
