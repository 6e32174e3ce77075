"""Which questions are answered right, without going through the vocabulary for each.

The answer to a, b, c is the word x, none of the three, for which a sum is largest that parts into one number of the
pair and one of c, ``offset[x] + near[x]``:

    3CosAdd (Mikolov et al. 2013)        cos(x, b) - cos(x, a)                    + cos(x, c)
    3CosMul (Levy and Goldberg 2014)     ln cos'(x, b) - ln(cos'(x, a) + .001)    + ln cos'(x, c)

with cos' = (cos + 1) / 2. So matrix products are made once for each pair (a, b) and once for each c, not for each
question: all n(n - 1) questions of n pairs cost 2 n products. A question is then right if no x has a larger sum than d,
and for most it is settled by few words:

1. Wrong ones by the words nearest to c: one of them almost always beats d.
2. Right ones by a bound: x can only beat d if ``near[x] > sum(d) - max(offset)``, which holds for the words nearest to
   c down to some place in their order. These are looked at; if the bound holds for all that are kept, the whole
   vocabulary is gone through.

Sums are in single precision; where d and the best other word differ by less than rounding may, they are computed again
in double precision. A tie counts against the model.
"""

from collections.abc import Iterator
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from wikisem.evaluation.vectors.words import TIE_TOLERANCE

Method = Literal["3cosadd", "3cosmul"]
METHODS: Final[tuple[Method, ...]] = ("3cosadd", "3cosmul")

IntArray = npt.NDArray[np.integer[Any]]
Rows = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

_SMALL: Final = 0.001  # the epsilon of Levy and Goldberg
_NEAREST: Final = 2048
_FIRST_LOOK: Final = 32
# Products of unit vectors, and logarithms of them, are off by some 1e-6 in single precision.
_MARGIN: Final = np.float32(2e-5)
_NUMBERS_AT_ONCE: Final = 1 << 26
_PAIRS_AT_ONCE: Final = 256  # each of which may have ten thousand questions
_LOOKS_AT_ONCE: Final = 1 << 17  # what a look makes of numbers fits into a cache


class AnalogySearch:
    """Answers to questions over one vocabulary.

    ``rows`` are its vectors, shape ``(words, d)``, of length one, or zero for a word that is never an answer.
    """

    def __init__(self, rows: npt.NDArray[np.floating], method: Method = "3cosadd") -> None:
        self.rows: Rows = np.ascontiguousarray(rows, dtype=np.float32)
        self.exact = rows
        self.method = method
        self.no_answers = np.flatnonzero(~self.rows.any(axis=1))

    def right(self, questions: IntArray) -> Flags:
        """Which questions are answered right, by the rows of their four words, shape ``(questions, 4)``."""
        found = np.zeros(len(questions), dtype=np.bool_)
        # A question whose answer is one of its own words cannot be right.
        open_ = np.flatnonzero((questions[:, 3:] != questions[:, :3]).all(axis=1))
        third, third_of = np.unique(questions[open_, 2], return_inverse=True)
        near, nearest = self._nearest(third)
        # One number for each pair, because unique rows are found by a slow sort.
        first_of = questions[open_, 0].astype(np.int64)
        codes, pair_of = np.unique(first_of * len(self.rows) + questions[open_, 1], return_inverse=True)
        pairs = np.stack(np.divmod(codes, len(self.rows)), axis=1)
        order = np.lexsort((third_of, pair_of))
        ends = np.cumsum(np.bincount(pair_of, minlength=len(pairs)))
        at_once = max(1, min(_PAIRS_AT_ONCE, _NUMBERS_AT_ONCE // len(self.rows)))
        for start in range(0, len(pairs), at_once):
            chunk = pairs[start : start + at_once]
            offset = self._offsets(chunk)
            some = order[ends[start - 1] if start else 0 : ends[start + len(chunk) - 1]]
            found[open_[some]] = self._right(
                questions[open_[some]], offset, pair_of[some] - start, near, nearest, third_of[some]
            )
        return found

    def _offsets(self, pairs: IntArray) -> Rows:
        """The part of the sum that a pair makes, shape ``(pairs, words)``, minus infinity for its own two words."""
        if self.method == "3cosadd":
            offset = self._products(self.rows[pairs[:, 1]] - self.rows[pairs[:, 0]])
        else:
            offset = _log(self._products(self.rows[pairs[:, 1]]))
            offset -= _log(self._products(self.rows[pairs[:, 0]]), _SMALL)
        np.put_along_axis(offset, pairs, -np.inf, axis=1)
        return offset

    def _products(self, vectors: Rows) -> Rows:
        products: Rows = vectors @ self.rows.T
        return products

    def _near(self, third: IntArray) -> Rows:
        near = self._products(self.rows[third])
        if self.method == "3cosmul":
            near = _log(near)
        near[:, self.no_answers] = -np.inf
        return near

    def _nearest(self, third: IntArray) -> tuple[Rows, IntArray]:
        """The largest parts that each c makes and the words they are of, largest first; c itself is left out."""
        keep = min(_NEAREST, len(self.rows))
        values = np.empty((len(third), keep), np.float32)
        words = np.empty((len(third), keep), np.int64)
        at_once = max(1, _NUMBERS_AT_ONCE // len(self.rows))
        for start in range(0, len(third), at_once):
            near = self._near(third[start : start + at_once])
            near[np.arange(len(near)), third[start : start + at_once]] = -np.inf
            top = np.argpartition(-near, keep - 1, axis=1)[:, :keep]
            top = np.take_along_axis(top, np.argsort(-np.take_along_axis(near, top, axis=1), axis=1), axis=1)
            words[start : start + len(near)] = top
            values[start : start + len(near)] = np.take_along_axis(near, top, axis=1)
        return values, words

    def _right(
        self, questions: IntArray, offset: Rows, pair: IntArray, near: Rows, nearest: IntArray, third: IntArray
    ) -> Flags:
        """The same for questions whose pairs have a row in ``offset``."""
        answers = questions[:, 3]
        target = offset[pair, answers] + self._pair_near(questions[:, 2], answers)
        best = np.full(len(questions), -np.inf, np.float32)
        highest = offset.max(axis=1)
        for some, look in _looks(target, best, highest[pair], near, third):
            words = nearest[third[some], look]
            sums = offset[pair[some, None], words] + near[third[some], look]
            sums[words == answers[some, None]] = -np.inf
            best[some] = np.maximum(best[some], sums.max(axis=1))
        beaten = best > target + _MARGIN
        # The bound of the last word that was kept does not rule out the others.
        unsettled = ~beaten & (near[third, -1] + highest[pair] >= target - _MARGIN) & (near.shape[1] < len(self.rows))
        close = ~beaten & ~unsettled & (best >= target - _MARGIN)
        found: Flags = ~beaten & ~unsettled & ~close
        rest = np.flatnonzero(unsettled | close)
        found[rest] = self._right_of_all(questions[rest], offset, pair[rest], target[rest])
        return found

    def _right_of_all(self, questions: IntArray, offset: Rows, pair: IntArray, target: Rows) -> Flags:
        """The same by the whole vocabulary, and in double precision for the words that are about as near as d."""
        found = np.zeros(len(questions), dtype=np.bool_)
        order = np.argsort(questions[:, 2], kind="stable")
        third, near = -1, np.zeros(0, np.float32)
        for at in order.tolist():
            if questions[at, 2] != third:
                third = int(questions[at, 2])
                near = self._near(questions[at, 2:3])[0]
            sums = offset[pair[at]] + near
            sums[questions[at, 2:]] = -np.inf
            rivals = np.flatnonzero(sums >= target[at] - _MARGIN)
            found[at] = not (sums[rivals] > target[at] + _MARGIN).any() and self._beats(questions[at], rivals)
        return found

    def _beats(self, question: IntArray, rivals: IntArray) -> bool:
        """Whether d has a larger sum than each of some words, in double precision."""
        sums = self.sums(question, np.append(rivals, question[3]))
        return bool((sums[-1] > sums[:-1] + TIE_TOLERANCE).all())

    def _pair_near(self, third: IntArray, answers: IntArray) -> Rows:
        near = np.empty(len(third), np.float32)
        # A section may have a hundred million questions: their vectors would not fit into the memory.
        at_once = max(1, _NUMBERS_AT_ONCE // self.rows.shape[1])
        for start in range(0, len(third), at_once):
            some = slice(start, start + at_once)
            np.einsum("ij,ij->i", self.rows[third[some]], self.rows[answers[some]], out=near[some])
        return near if self.method == "3cosadd" else _log(near)

    def sums(self, question: IntArray, words: IntArray) -> npt.NDArray[np.float64]:
        """The sum of some words for one question, in double precision; for 3CosMul the product itself."""
        a, b, c = (self.exact[words] @ self.exact[row] for row in question[:3])
        if self.method == "3cosadd":
            return np.asarray(b - a + c, dtype=np.float64)
        first, second, third = ((cosines + 1) / 2 for cosines in (a, b, c))
        return np.asarray(second * third / (first + _SMALL), dtype=np.float64)


def _looks(target: Rows, best: Rows, highest: Rows, near: Rows, third: IntArray) -> Iterator[tuple[IntArray, slice]]:
    """Questions that are still open, and which of the words nearest to c to look at, few at first.

    ``best`` is what the looks before have found. A question is open while no word beats its answer and the bound lets
    words beyond those that were looked at beat it.
    """
    last, before = min(_FIRST_LOOK, near.shape[1]), 0
    while True:
        still = best <= target + _MARGIN
        if before:
            still &= near[third, before - 1] + highest >= target - _MARGIN
        open_ = np.flatnonzero(still)
        at_once = max(1, _LOOKS_AT_ONCE // (last - before))
        for start in range(0, len(open_), at_once):
            yield open_[start : start + at_once], slice(before, last)
        if last == near.shape[1] or not len(open_):
            return
        before, last = last, min(4 * last, near.shape[1])


def _log(cosines: Rows, more: float = 0.0) -> Rows:
    """The logarithm of cosines moved to 0 to 1, in place."""
    cosines += 1
    cosines *= 0.5
    cosines += more
    np.maximum(cosines, 1e-30, out=cosines)
    return np.log(cosines, out=cosines)
