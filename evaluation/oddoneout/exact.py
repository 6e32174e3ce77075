"""OddOneOut over all combinations and all intruders, counted without looking at any mean.

Whether an intruder w stands out of a set S is decided by k comparisons, one for each s in S, of a number that depends
on w and T, which is S without s, with one that depends on S alone (module ``definitions``). So F_T(w) is computed once
for each w and each of the C(n, k - 1) sets T, and a combination costs k comparisons of rows of it. In lexicographic
order the sets S that share all but their last member are neighbours, and so are the rows of F that they need: they are
compared at once.

With n = 4 and k = 3 the rows of F are T = 01, 02, 03, 12, 13, 23. The first step is the prefix 01 with the later
members 2 and 3, that is S = 012 and 013. It compares row 01 with s = 2 and s = 3; rows 12 and 13 with s = 0; and rows
02 and 03 with s = 1: three slices of neighbouring rows, whatever n is.

    >>> next(steps(4, 3))
    Step(prefix=0, later=slice(2, 4, None), others=((0, slice(3, 5, None)), (1, slice(1, 3, None))))
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.evaluation.oddoneout.definitions import ComparisonTerms, Distance, comparison_terms, term_tolerance
from wikisem.evaluation.vectors.words import Rows, Vector

# This many numbers of F, 16 MB, are compared while they are still in a processor's cache.
_NUMBERS_AT_ONCE: Final = 1 << 21
_FEWEST_WORDS_AT_ONCE: Final = 32


@dataclass(frozen=True, slots=True)
class Step:
    """The combinations of k - 1 members, row ``prefix`` of F, with each of the ``later`` members.

    ``others`` has, for each member of the prefix, the rows of F that hold the rest of each combination.
    """

    prefix: int
    later: slice
    others: tuple[tuple[int, slice], ...]


def steps(count: int, k: int) -> Iterator[Step]:
    """Steps that go through every combination of k of ``count`` members once; k is at least 2."""
    subsets = list(combinations(range(count), k - 1))
    first: dict[tuple[int, ...], int] = {}
    for row, subset in enumerate(subsets):
        first.setdefault(subset[:-1], row)
    for row, subset in enumerate(subsets):
        last = subset[-1]
        if last + 1 < count:
            rests = ((member, tuple(other for other in subset if other != member)) for member in subset)
            others = tuple((member, _rows(first[rest], rest, last, count)) for member, rest in rests)
            yield Step(row, slice(last + 1, count), others)


def _rows(first: int, rest: tuple[int, ...], last: int, count: int) -> slice:
    """The rows of ``rest`` with each member after ``last``; ``first`` is its row with the first member it can have."""
    start = first + last - (rest[-1] if rest else -1)
    return slice(start, start + count - 1 - last)


class ExactCounter:
    """Counts, for the prepared vectors of a category, the pairs (S, w) in which w stands out."""

    def __init__(self, distance: Distance, members: Rows, k: int) -> None:
        self._distance, self._members, self._k = distance, members, k
        self._subsets = np.asarray(list(combinations(range(members.shape[0]), k - 1)), dtype=np.int64)
        self._steps = list(steps(members.shape[0], k))
        # What w has to exceed: F_T(s), plus what is still a tie.
        self._limits = self._table(self._terms(members)) + term_tolerance(distance, members, k)

    def count(self, words: Rows) -> int:
        """How many pairs of any combination and any of the words, shape ``(words, d)``, have the word standing out.

        A word that is in the combination itself never does: it ties with itself.
        """
        size = max(_FEWEST_WORDS_AT_ONCE, _NUMBERS_AT_ONCE // len(self._subsets))
        return sum(self._count(words[start : start + size]) for start in range(0, words.shape[0], size))

    def _count(self, words: Rows) -> int:
        parts = self._terms(words)
        table, total = self._table(parts), 0
        for step in self._steps:
            wins = self._exceeds(table, parts.swap, step.prefix, step.later)
            for member, rows in step.others:
                wins &= self._exceeds(table, parts.swap, rows, member)
            total += int(np.count_nonzero(wins))
        return total

    def _terms(self, words: Rows) -> ComparisonTerms:
        return comparison_terms(self._distance, self._members, words, self._k)

    def _table(self, parts: ComparisonTerms) -> Vector:
        """F_T(w), a row for each T and a column for each w."""
        table = np.tile(parts.base, (len(self._subsets), 1))
        for member in self._subsets.T:
            table += parts.each[member]
        return table

    def _exceeds(
        self, table: Vector, swap: Vector | None, rows: int | slice, members: int | slice
    ) -> npt.NDArray[np.bool_]:
        """Where F_T(w), less swap_s(w), is above what s has, for one T and several s or the other way about."""
        values = table[rows] if swap is None else table[rows] - swap[members]
        exceeds: npt.NDArray[np.bool_] = values > self._limits[rows, members][:, None]
        return exceeds
