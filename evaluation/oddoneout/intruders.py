"""Where the intruders of OddOneOut come from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from wikisem.errors import UsageError
from wikisem.evaluation.category_words import CategoryVectors, IntArray
from wikisem.evaluation.vectors.words import Rows, WordVectors, row_at, stack

# V \ S, as equations 3 and 7 have it; V \ C, as the authors' code has it; the words of the other categories, not in C.
Intruders = Literal["vocabulary", "outside-category", "other-categories"]
INTRUDERS: Final[tuple[Intruders, ...]] = ("vocabulary", "outside-category", "other-categories")

_ROWS_AT_ONCE: Final = 1 << 14


@dataclass(frozen=True, slots=True, eq=False)
class IntruderPool:
    """The words that may come into a category: ``rows`` of ``vectors``, and ``missing`` more without a vector.

    ``shared`` has, for each known member of the category, its place in ``rows``, -1 for those that are not there; such
    a word comes only into combinations without it.
    """

    vectors: Rows
    rows: IntArray
    missing: int
    shared: IntArray

    def __len__(self) -> int:
        return len(self.rows) + self.missing

    def blocks(self) -> Iterator[Rows]:
        """All vectors in double precision, some rows at a time."""
        for start in range(0, len(self.rows), _ROWS_AT_ONCE):
            yield self.take(np.arange(start, min(start + _ROWS_AT_ONCE, len(self.rows))))

    def take(self, at: IntArray) -> Rows:
        """The vectors of the words at these places, in double precision."""
        return self.vectors[self.rows[at]].astype(np.float64)


def intruder_pools(
    categories: Sequence[CategoryVectors], vocabulary: WordVectors | None, intruders: Intruders, skip_oov: bool
) -> Iterator[IntruderPool]:
    """The pool of each category; UsageError if it is to come from the vocabulary of a model that lists no words."""
    if intruders == "other-categories":
        yield from (_others(members, categories, skip_oov) for members in categories)
        return
    if vocabulary is None:
        raise UsageError(f"intruders from {intruders!r} need a model with a vocabulary; 'other-categories' do not")
    rows = np.concatenate([np.zeros(0, np.int64), *(rows for rows, _ in vocabulary.blocks(_ROWS_AT_ONCE))])
    for members in categories:
        yield (_everything if intruders == "vocabulary" else _outside)(members, vocabulary, rows)


def _everything(members: CategoryVectors, vocabulary: WordVectors, rows: IntArray) -> IntruderPool:
    shared = np.where(members.rows >= 0, np.searchsorted(rows, members.rows), -1)
    return IntruderPool(vocabulary.rows, rows, 0, shared)


def _outside(members: CategoryVectors, vocabulary: WordVectors, rows: IntArray) -> IntruderPool:
    outside = rows[~np.isin(rows, members.in_vocabulary)]
    return IntruderPool(vocabulary.rows, outside, 0, np.full(len(members.known), -1))


def _others(members: CategoryVectors, categories: Sequence[CategoryVectors], skip_oov: bool) -> IntruderPool:
    vectors: dict[tuple[str, ...], Any | None] = {}
    for other in categories:
        vectors |= dict.fromkeys(other.keys)
        vectors |= {other.keys[at]: row_at(other.vectors, row) for row, at in enumerate(other.known.tolist())}
    mine = set(members.keys)
    theirs = [vector for key, vector in vectors.items() if key not in mine]
    known = [vector for vector in theirs if vector is not None]
    stacked = stack(known) if known else members.vectors[:0]
    missing = 0 if skip_oov else len(theirs) - len(known)
    return IntruderPool(stacked, np.arange(len(known)), missing, np.full(len(members.known), -1))
