"""Sparse count vectors: how often words occur in contexts, weighted, and compared without ever being made dense."""

import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import scipy.sparse as sparse
from scipy.special import xlog1py

from wikisem.datasets.files import words_beside
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.evaluation.vectors.embeddings import Similarity, Vector, WordVectors, cosine, from_words, stack
from wikisem.evaluation.vectors.files import read_triples

Matrix = Any  # scipy.sparse.csr_array, of which SciPy has no types


@dataclass(frozen=True)
class Counts:
    """How often each word, a row of ``matrix``, occurs in each context, a column: a CSR array without zeros."""

    words: list[str]
    matrix: Matrix

    def vectors(self, weights: Vector, contexts: int = 0) -> WordVectors:
        """A sparse vector for each word, whose numbers are ``weights``, one of each cell (word and context).

        A word keeps its ``contexts`` most relevant contexts, or all for 0. As in Gamallo (2019, section 4.2), these
        are those of the highest log-likelihood, whatever the weight. A word without contexts has no vector.
        """
        if contexts:
            weights = np.where(self.relevance < contexts, weights, 0)
        cells = weights, self.matrix.indices, self.matrix.indptr
        rows = sparse.csr_array(cells, shape=self.matrix.shape, copy=True)
        rows.eliminate_zeros()
        filled = np.flatnonzero(np.diff(rows.indptr))  # the rows that have a number
        return from_words([self.words[index] for index in filled.tolist()], rows[filled])

    @cached_property
    def relevance(self) -> npt.NDArray[np.int64]:
        """The rank of each cell, a stored count of word and context, among those of its word: 0 has the highest G².

        Of equal cells the one with the higher count comes first, then the one with the earlier context.
        """
        matrix = self.matrix
        first_cells, cells_of_words = matrix.indptr[:-1], np.diff(matrix.indptr)
        word_of_cell = np.repeat(np.arange(matrix.shape[0]), cells_of_words)
        # By word, G², count and context: the last key counts first. G² is rounded, so that equal ones are equal.
        order = np.lexsort((matrix.indices, -matrix.data, -np.round(log_likelihood(self), 9), word_of_cell))
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(len(order)) - np.repeat(first_cells, cells_of_words)  # counted anew for each word
        return ranks

    def sums(self) -> tuple[Vector, Vector, float]:
        """For each stored count the sum of its row (word) and of its column (context), and the sum of all."""
        by_word, by_context = (np.asarray(self.matrix.sum(axis=axis)).ravel() for axis in (1, 0))
        of_cells = np.repeat(by_word, np.diff(self.matrix.indptr))
        return of_cells, by_context[self.matrix.indices], float(by_word.sum())


def read_counts(path: Path) -> Counts:
    """How often words occur in contexts, from a file: a matrix of SciPy, or text of word<TAB>context<TAB>count lines.

    The matrix (``save_npz``) has a row for each word, listed in a text file beside it, of the same name with the suffix
    .words. MissingInputError if there is no file, DamagedInputError if it is in neither form.
    """
    if not path.is_file():
        raise MissingInputError(f"expected a file of counts, saw none at {path}")
    if path.suffix != ".npz":  # text
        words, contexts, rows, columns, counts = read_triples(path, "word, context and count", at_least=0)
        # Contexts are put into the order of their names, so that nothing depends on the order of the lines.
        new_columns = np.empty(len(contexts), dtype=np.int64)
        new_columns[sorted(range(len(contexts)), key=contexts.__getitem__)] = np.arange(len(contexts))
        matrix = sparse.csr_array((counts, (rows, new_columns[columns])), shape=(len(words), len(contexts)))
    else:  # a matrix of SciPy
        words = words_beside(path)
        try:
            loaded = sparse.load_npz(path)
            # A damaged file must not crash: SciPy's compiled code follows row pointers and column numbers wherever they
            # lead; other forms than these three have coordinates, which it checks as it reads them.
            if loaded.format in {"csr", "csc", "bsr"}:
                loaded.check_format(full_check=True)
            if not np.issubdtype(loaded.dtype, np.number) or np.iscomplexobj(loaded.data):
                raise ValueError(f"numbers of the type {loaded.dtype}")
            matrix = sparse.csr_array(loaded, dtype=np.float64)
            if matrix.shape[1] > matrix.nnz:  # sums by context take memory for each, however wide a file says it is
                used, columns = np.unique(matrix.indices, return_inverse=True)
                matrix = sparse.csr_array((matrix.data, columns, matrix.indptr), shape=(matrix.shape[0], len(used)))
        except (ValueError, TypeError, KeyError, AttributeError, OSError, MemoryError, zipfile.BadZipFile) as error:
            raise DamagedInputError(f"{path}: expected a sparse matrix of SciPy, saw {error}") from error
        if len(words) != matrix.shape[0]:
            where = path.with_suffix(".words")
            raise DamagedInputError(f"{where}: expected {matrix.shape[0]} words, one for each row, saw {len(words)}")
    if not np.isfinite(matrix.data).all() or (matrix.data < 0).any():
        raise DamagedInputError(f"{path}: expected counts, saw a number below zero or none at all")
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return Counts(words, matrix)


def pmi(counts: Counts) -> Vector:
    """Pointwise mutual information, ln(P(w, c) / (P(w) P(c))), of each cell, by the counts of the whole matrix."""
    by_word, by_context, total = counts.sums()
    return np.asarray(np.log(counts.matrix.data * total / (by_word * by_context)))


def log_likelihood(counts: Counts) -> Vector:
    """Dunning's (1993) log-likelihood ratio G² of each count: how surprising it is to see word and context together.

    That is 2 Σ k ln(k N / (row column)) over the four cells of a table of the word or another, the context or another:
    k is the count of a cell, row and column its sums, N the sum of all. It is also large if word and context are
    together less often than by chance. Each term is computed as k ln(1 ± d / (row column)), where d = k N - row column
    is the same for all four but for its sign, so that nothing is lost where k is about as large as by chance.
    """
    both = counts.matrix.data
    by_word, by_context, total = counts.sums()
    apart = both * total - by_word * by_context  # d
    half_sums = np.zeros(len(both))
    for cell, row, column, sign in [  # word and context, the word alone, the context alone, neither
        (both, by_word, by_context, 1),
        (by_word - both, by_word, total - by_context, -1),
        (by_context - both, total - by_word, by_context, -1),
        (total - by_word - by_context + both, total - by_word, total - by_context, 1),
    ]:
        expected = row * column
        ratio = np.divide(sign * apart, expected, out=np.zeros(len(both)), where=expected > 0)
        half_sums += xlog1py(np.maximum(cell, 0), np.maximum(ratio, -1))
    return np.maximum(2 * half_sums, 0)


WEIGHTS: Final[Mapping[str, Callable[[Counts], Vector]]] = {
    "raw": lambda counts: np.asarray(counts.matrix.data),
    "pmi": pmi,
    "ppmi": lambda counts: np.maximum(pmi(counts), 0),
    "loglikelihood": log_likelihood,
}


def overlap(ones: Any, others: Any, *, of_union: bool) -> Vector:
    """Dice's similarity, 2 Σ min / (Σ + Σ) over the contexts of two words, or Jaccard's, ``of_union``: Σ min / Σ max.

    From sparse vectors to shape ``(ones, others)``. Gamallo (2019) scores both (Gamallo and Bordag 2011) beside the
    cosine. Where weights can be negative, as PMI, a context counts as two, one of each sign (Li 2015, "Min-max
    kernels"), so that both remain between 0 and 1.

    >>> counts = sparse.csr_array(np.array([[2.0, 1.0, 0.0], [1.0, 0.0, 1.0]]))
    >>> one, other = counts[[0]], counts[[1]]
    >>> overlap(one, other, of_union=False).item(), overlap(one, other, of_union=True).item()
    (0.4, 0.25)
    """
    ones, others = stack(ones), stack(others)
    count = others.shape[0]
    row_of = np.repeat(np.arange(count), np.diff(others.indptr))  # of each number of the others
    least = np.empty((ones.shape[0], count))  # the sums of minima
    dense = np.zeros(ones.shape[1])  # one row at a time, then zeros again
    for index in range(ones.shape[0]):
        cells = slice(*ones.indptr[index : index + 2])
        dense[ones.indices[cells]] = ones.data[cells]
        weights = dense[others.indices]
        shared = np.where(weights * others.data > 0, np.minimum(abs(weights), abs(others.data)), 0)
        least[index] = np.bincount(row_of, weights=shared, minlength=count)
        dense[ones.indices[cells]] = 0
    sums = [np.asarray(abs(rows).sum(axis=1)).ravel() for rows in (ones, others)]
    total = sums[0][:, None] + sums[1]
    return least / (total - least) if of_union else 2 * least / total  # max(a, b) is a + b - min(a, b)


SIMILARITIES: Final[Mapping[str, Similarity]] = {
    "cosine": cosine,
    "dice": partial(overlap, of_union=False),
    "jaccard": partial(overlap, of_union=True),
}
