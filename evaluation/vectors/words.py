"""A vocabulary and its vectors, whichever file they came from."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.evaluation.vectors.asked import Spelling, spelling_of

# Two cosines, or means of cosines, that differ by no more are a tie, and a tie counts against the model. Rounding in
# double precision stays four orders of magnitude below.
TIE_TOLERANCE: Final = 1e-12

Vector = npt.NDArray[np.float64]
VectorRows = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class WordVectors:
    """The raw vector of each word: row ``index[word]`` of ``rows``, which has shape ``(words, dimensions)``.

    ``unseen`` makes a vector for a word outside the vocabulary, as fastText does from character n-grams. Where only the
    words that were asked for have been read, ``whole_spelling`` is how the whole vocabulary spells words.
    """

    index: Mapping[str, int]
    rows: VectorRows
    unseen: Callable[[str], VectorRows] | None = None
    whole_spelling: Spelling | None = None

    def spelling(self) -> Spelling:
        """How the vocabulary spells words."""
        return self.whole_spelling or spelling_of(self.index)

    def find(self, word: str) -> Vector | None:
        """The raw vector of a word, in double precision; None where there is none to compare."""
        at = self.index.get(word)
        if at is not None:
            return usable(self.rows[at])
        return usable(self.unseen(word)) if self.unseen is not None else None

    def knows(self, word: str) -> bool:
        """Whether the vocabulary itself has the word, with a vector to compare."""
        return word in self.index and self.find(word) is not None

    def blocks(self, size: int) -> Iterator[tuple[npt.NDArray[np.int64], Vector]]:
        """Row numbers and raw vectors in double precision, ``size`` rows at a time, without those of no direction."""
        for start in range(0, len(self.rows), size):
            rows = self.rows[start : start + size].astype(np.float64)
            # In double precision no square of a single one over- or underflows.
            squares = np.einsum("ij,ij->i", rows, rows)
            kept = np.flatnonzero((squares > 0) & np.isfinite(squares))
            yield kept + start, rows if len(kept) == len(rows) else rows[kept]


def usable(vector: npt.ArrayLike) -> Vector | None:
    """The vector in double precision; None for a zero vector or one that is not finite, which has no direction."""
    double = np.asarray(vector, dtype=np.float64)
    return double if double.any() and np.isfinite(double).all() else None


def unit(vectors: Vector) -> Vector:
    """Rows of length one, shape as given; no row may be zero. Scaled first, so that no square over- or underflows."""
    scaled = vectors / np.abs(vectors).max(axis=-1, keepdims=True)
    rows: Vector = scaled / np.linalg.norm(scaled, axis=-1, keepdims=True)
    return rows


def from_words(words: Sequence[str], rows: VectorRows, whole_spelling: Spelling | None = None) -> WordVectors:
    """Word vectors from words and their rows in the same order; a word that repeats keeps its first row."""
    first: dict[str, int] = {}
    for at, word in enumerate(words):
        first.setdefault(word, at)
    kept = rows if len(first) == len(words) else rows[list(first.values())]
    return WordVectors({word: at for at, word in enumerate(first)}, kept, whole_spelling=whole_spelling)
