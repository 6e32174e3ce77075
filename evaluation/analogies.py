"""How many analogy questions of each section a model answers right (Mikolov et al. 2013; Gao, Bian and Liu 2014).

Questions come from files in the form of word2vec: ``: section`` lines, then ``a b c d`` a line. They are answered
without comparing each with the whole vocabulary. The answer to a, b, c is the word x, other than these three, with the
largest sum ``offset[x] + near[x]``, in which ``offset`` depends on a and b alone, and ``near`` on c:

    3CosAdd (Mikolov et al. 2013)        cos(x, b) - cos(x, a)                    + cos(x, c)
    3CosMul (Levy and Goldberg 2014)     ln cos'(x, b) - ln(cos'(x, a) + .001)    + ln cos'(x, c)

with cos' = (cos + 1) / 2. So matrix products are made once for each pair (a, b) and once for each c, not for each
question: all n(n - 1) questions of n pairs cost 2 n products. A question is then right if no x has a larger sum than d,
and for most it is settled by few words:

1. Wrong ones by the words nearest to c: one of them almost always beats d.
2. Right ones by a bound: x can only beat d if ``near[x] > sum(d) - max(offset)``, which holds for the words nearest to
   c down to some place in their order. These are looked at; if the bound holds for all that are kept, the whole
   vocabulary is gone through.

Sums are in single precision; where d and the best other word differ by no more than rounding could explain, they are
computed again in double precision. A tie counts against the model.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from wikisem.datasets.files import decode_utf8
from wikisem.datasets.word_groups import WordCategory
from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.evaluation.options import Method
from wikisem.evaluation.rows import COVERAGE, WHOLE, Part, PartScore, Scored, Tally
from wikisem.evaluation.vectors import embeddings
from wikisem.evaluation.vectors.embeddings import TIE_TOLERANCE, EmbeddingModel, Rows, WordModel

IntArray = npt.NDArray[np.integer[Any]]
Singles = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

_SMALL: Final = 0.001  # the epsilon of Levy and Goldberg
_NEAREST: Final = 2048
_FIRST_LOOK: Final = 32
_THIRD_WORDS_AT_ONCE: Final = 1 << 13  # at 16 KB each for the words nearest to them
# Products of unit vectors, and logarithms of them, are off by some 1e-6 in single precision.
_MARGIN: Final = np.float32(2e-5)
_NUMBERS_AT_ONCE: Final = 1 << 26
_PAIRS_AT_ONCE: Final = 256  # each of which may have ten thousand questions
_LOOKS_AT_ONCE: Final = 1 << 17  # what a look makes of numbers fits into a cache


class AnalogySearch:
    """Answers to questions over one vocabulary.

    ``rows`` are its vectors, shape ``(words, d)``, of length one, or zero for a word that is never an answer.
    """

    def __init__(self, rows: Rows, method: Method = "3cosadd") -> None:
        is_sparse = embeddings.is_sparse(rows)
        self.method = method
        self.size: int = rows.shape[0]
        # As given, in double precision, for sums that single precision cannot tell apart.
        self.exact_rows = rows
        # Sparse rows stay in double precision: few numbers are multiplied, and 3CosMul needs small products well.
        self.rows: Rows = rows if is_sparse else np.ascontiguousarray(rows, dtype=np.float32)
        self.columns: Rows = rows.T.tocsr() if is_sparse else self.rows.T
        # Cosines of sparse rows without numbers below zero are 0 or more, so 3CosMul takes them as they are.
        self.moves_cosines = not is_sparse or bool((rows.data < 0).any())
        self.never_answers = np.flatnonzero(embeddings.lengths(self.rows) == 0)

    def right(self, questions: IntArray) -> Flags:
        """Which questions are answered right, by the rows of their four words, shape ``(questions, 4)``."""
        are_right = np.zeros(len(questions), dtype=np.bool_)
        # A question whose answer is one of its own words cannot be right.
        askable = np.flatnonzero((questions[:, 3:] != questions[:, :3]).all(axis=1))
        third_words, third_of = np.unique(questions[askable, 2], return_inverse=True)
        for start in range(0, len(third_words), _THIRD_WORDS_AT_ONCE):
            stop = start + _THIRD_WORDS_AT_ONCE
            near, nearest = self._nearest(third_words[start:stop])
            chosen = np.flatnonzero((third_of >= start) & (third_of < stop))  # the questions with these third words
            # One number for each pair, because unique rows are found by a slow sort; a product is made once for each.
            codes = questions[askable[chosen], 0].astype(np.int64) * self.size + questions[askable[chosen], 1]
            codes, pair_of = np.unique(codes, return_inverse=True)
            pairs = np.stack(np.divmod(codes, self.size), axis=1)
            by_pair = np.lexsort((third_of[chosen], pair_of))
            ends = np.cumsum(np.bincount(pair_of, minlength=len(pairs)))
            at_once = max(1, min(_PAIRS_AT_ONCE, _NUMBERS_AT_ONCE // self.size))
            for first in range(0, len(pairs), at_once):
                chunk = pairs[first : first + at_once]
                # The pair's part of the sum, shape (pairs, words), minus infinity for its own two words.
                a, b = self.rows[chunk[:, 0]], self.rows[chunk[:, 1]]
                if self.method == "3cosadd":
                    offset = embeddings.product(b - a, self.columns, np.float32)
                else:
                    offset = self._log(embeddings.product(b, self.columns, np.float32))
                    offset -= self._log(embeddings.product(a, self.columns, np.float32), _SMALL)
                np.put_along_axis(offset, chunk, -np.inf, axis=1)
                of_chunk = by_pair[ends[first - 1] if first else 0 : ends[first + len(chunk) - 1]]
                rows, thirds = askable[chosen[of_chunk]], third_of[chosen[of_chunk]] - start
                pair = pair_of[of_chunk] - first
                are_right[rows] = self._right(questions[rows], offset, pair, near, nearest, thirds)
        return are_right

    def _near(self, third: IntArray) -> Singles:
        """The third words' part of the sum, shape ``(thirds, words)``, minus infinity for what is never an answer."""
        near: Singles = embeddings.product(self.rows[third], self.columns, np.float32)
        if self.method == "3cosmul":
            near = self._log(near)
        near[:, self.never_answers] = -np.inf
        return near

    def _nearest(self, third: IntArray) -> tuple[Singles, IntArray]:
        """The largest parts that each c makes and the words they are of, largest first; c itself is left out."""
        keep = min(_NEAREST, self.size)
        values = np.empty((len(third), keep), np.float32)
        words = np.empty((len(third), keep), np.int32)
        at_once = max(1, _NUMBERS_AT_ONCE // self.size)
        # Ordering takes three times the memory of what is ordered.
        ordered_at_once = max(1, at_once // 8)
        for start in range(0, len(third), at_once):
            near = self._near(third[start : start + at_once])
            near[np.arange(len(near)), third[start : start + at_once]] = -np.inf
            for begin in range(0, len(near), ordered_at_once):
                ordered = near[begin : begin + ordered_at_once]
                top = np.argpartition(ordered, -keep, axis=1)[:, -keep:]
                top = np.take_along_axis(top, np.argsort(-np.take_along_axis(ordered, top, axis=1), axis=1), axis=1)
                place = slice(start + begin, start + begin + len(ordered))
                words[place], values[place] = top, np.take_along_axis(ordered, top, axis=1)
        return values, words

    def _right(
        self, questions: IntArray, offset: Singles, pair: IntArray, near: Singles, nearest: IntArray, third: IntArray
    ) -> Flags:
        """Which questions are right, most of them by few words.

        ``pair`` has the row of each question's a and b in ``offset``, ``third`` that of its c in ``near`` and
        ``nearest``, the values and words of ``_nearest``.
        """
        answers, with_third = questions[:, 3], np.empty(len(questions), np.float32)
        # A section may have a hundred million questions: their vectors would not fit into the memory.
        at_once = max(1, _NUMBERS_AT_ONCE // max(1, embeddings.width(self.rows)))
        for start in range(0, len(questions), at_once):
            chunk = slice(start, start + at_once)
            with_third[chunk] = embeddings.paired_products(self.rows[questions[chunk, 2]], self.rows[answers[chunk]])
        target = offset[pair, answers] + (with_third if self.method == "3cosadd" else self._log(with_third))
        # Below the floor no word can tie with d. Ties are between products; the sums of 3CosMul are their logarithms.
        floor = target - _MARGIN
        if self.method == "3cosmul":
            of_d = np.exp(target.astype(np.float64))
            logs = np.log(np.maximum(of_d - TIE_TOLERANCE, 1e-300)) - _MARGIN
            floor = np.where(of_d < 0.9 * TIE_TOLERANCE, -np.inf, logs).astype(np.float32)
        best = np.where(np.isneginf(floor), np.inf, -np.inf).astype(np.float32)
        highest = offset.max(axis=1)
        for still_open, look in _looks(target, floor, best, highest[pair], near, third):
            words = nearest[third[still_open], look]
            sums = offset[pair[still_open, None], words] + near[third[still_open], look]
            sums[words == answers[still_open, None]] = -np.inf
            best[still_open] = np.maximum(best[still_open], sums.max(axis=1))
        beaten = best > target + _MARGIN
        # The bound of the last word that was kept does not rule out the others.
        unsettled = ~beaten & (near[third, -1] + highest[pair] >= floor) & (near.shape[1] < self.size)
        close = ~beaten & ~unsettled & (best >= floor)
        are_right: Flags = ~beaten & ~unsettled & ~close
        doubtful = np.flatnonzero(unsettled | close)
        are_right[doubtful] = self._right_of_all(
            questions[doubtful], offset, pair[doubtful], target[doubtful], floor[doubtful]
        )
        return are_right

    def _right_of_all(
        self, questions: IntArray, offset: Singles, pair: IntArray, target: Singles, floor: Singles
    ) -> Flags:
        """Which questions are right, by the whole vocabulary; in double precision for words about as near as d.

        The arguments are those of ``_right``, with the sum of d as ``target`` and the least that could be a tie as
        ``floor``. Questions with one c come one after the other, so that its part is computed once.
        """
        are_right = np.zeros(len(questions), dtype=np.bool_)
        order = np.argsort(questions[:, 2], kind="stable")
        third, near = -1, np.zeros(0, np.float32)
        for index in order.tolist():
            if questions[index, 2] != third:
                third = int(questions[index, 2])
                near = self._near(questions[index, 2:3])[0]
            sums = offset[pair[index]] + near
            sums[questions[index, 2:]] = -np.inf
            rivals = np.flatnonzero(sums >= floor[index])
            if (sums[rivals] > target[index] + _MARGIN).any():
                continue
            question, answer = questions[index, :3], questions[index, 3]
            # The cosines of the rivals, and last of d, to a, b and c; of 3CosMul the product itself is compared.
            a, b, c = embeddings.products(self.exact_rows[np.append(rivals, answer)], self.exact_rows[question]).T
            if self.method == "3cosmul" and self.moves_cosines:
                a, b, c = (a + 1) / 2, (b + 1) / 2, (c + 1) / 2
            exact = b - a + c if self.method == "3cosadd" else b * c / (a + _SMALL)
            are_right[index] = (exact[-1] > exact[:-1] + TIE_TOLERANCE).all()
        return are_right

    def _log(self, cosines: Singles, more: float = 0.0) -> Singles:
        """ln(cos' + ``more``), computed in place of the cosines."""
        if self.moves_cosines:
            cosines += 1
            cosines *= 0.5
        cosines += more
        np.maximum(cosines, 1e-30, out=cosines)
        return np.log(cosines, out=cosines)


def _looks(
    target: Singles, floor: Singles, best: Singles, highest: Singles, near: Singles, third: IntArray
) -> Iterator[tuple[IntArray, slice]]:
    """Questions that are still open, and which of the words nearest to c to look at, few at first.

    ``best`` is what the looks before have found. A question is open while no word beats its answer and the bound lets
    words beyond those that were looked at beat it.
    """
    end, seen = min(_FIRST_LOOK, near.shape[1]), 0
    while True:
        is_open = best <= target + _MARGIN
        if seen:
            is_open &= near[third, seen - 1] + highest >= floor
        still_open = np.flatnonzero(is_open)
        at_once = max(1, _LOOKS_AT_ONCE // (end - seen))
        for start in range(0, len(still_open), at_once):
            yield still_open[start : start + at_once], slice(seen, end)
        if end == near.shape[1] or not len(still_open):
            return
        seen, end = end, min(4 * end, near.shape[1])


@dataclass(frozen=True, slots=True)
class Section:
    """The questions of one relation, each four words: a is to b as c is to d.

    ``rows`` has the numbers of these words in ``words``, shape ``(questions, 4)``: 16 bytes a question, since a section
    may have a hundred million of them, which are made of a few thousand words.
    """

    name: str
    words: Sequence[str]
    rows: npt.NDArray[np.int32]


def read_questions(file: Path) -> list[Section]:
    """The sections of a file, in its order; of two with one name, the questions are put together.

    MissingInputError without a file or without any question. DamagedInputError with file and line for fewer or more
    than four words, words before the first section, or bytes that are not UTF-8.
    """
    if not file.is_file():
        raise MissingInputError(f"expected a file of analogy questions, saw none at {file}")
    numbers: dict[bytes, int] = {}
    words: list[str] = []
    sections: dict[str, array[int]] = {}
    section = None
    with file.open("rb") as lines:
        for index, line in enumerate(lines, start=1):
            fields = (line.removeprefix(b"\xef\xbb\xbf") if index == 1 else line).split()
            if fields and fields[0].startswith(b":"):
                name = decode_utf8(b" ".join(fields), f"{file}:{index}")[1:].strip()
                section = sections.setdefault(name, array("i"))
            elif fields:
                if len(fields) != 4 or section is None:
                    wanted = "': section' in front of questions" if section is None else "four words"
                    seen = line.decode(errors="replace").strip()[:60]
                    raise DamagedInputError(f"{file}:{index}: expected {wanted}, saw {seen!r}")
                for field in fields:
                    number = numbers.setdefault(field, len(words))
                    if number == len(words):
                        words.append(decode_utf8(field, f"{file}:{index}"))
                    section.append(number)
    filled = [
        Section(name, words, np.frombuffer(rows, np.int32).reshape(-1, 4)) for name, rows in sections.items() if rows
    ]
    if not filled:
        raise MissingInputError(f"{file}: expected analogy questions, saw none")
    return filled


def split_relations(sections: Iterable[Section]) -> list[WordCategory]:
    """Two categories of each relation, as Stringham and Izbicki (2020), section 3.1, split the Google set.

    The words in front of their partners, and the partners, each in the order of the questions.

    >>> capitals = Section("capitals", ["Athens", "Greece", "Oslo", "Norway"], np.array([[0, 1, 2, 3]]))
    >>> [(category.name, category.words) for category in split_relations([capitals])]
    [('capitals-first', ('Athens', 'Oslo')), ('capitals-second', ('Greece', 'Norway'))]
    """
    categories = []
    for section in sections:
        for column, side in enumerate(("first", "second")):
            numbers, first = np.unique(section.rows[:, column::2], return_index=True)
            words = tuple(section.words[number] for number in numbers[np.argsort(first)].tolist())
            categories.append(WordCategory(f"{section.name}-{side}", words))
    return categories


def score_analogies(
    sections: Sequence[Section],
    model: EmbeddingModel,
    method: Method = "3cosadd",
    skip_oov: bool = False,
    restrict: int = 0,
) -> Iterator[PartScore]:
    """The score of each section; UsageError for a model that has no vocabulary to choose answers from, or no cosine.

    An unseen question has a word out of vocabulary, of which the first ``restrict`` words count, all if it is 0. It is
    wrong, as in WordRep, unless ``skip_oov`` leaves it out, as gensim does. A word is lowercased, and its digits
    masked, if the vocabulary does the same.
    """
    if not isinstance(model, WordModel):
        raise UsageError(f"analogies need a model with a vocabulary, {model.name} has none")
    embeddings.require_cosine(model, "analogies are sums of cosines")
    index, rows = model.words.index, model.words.rows[: restrict or None]
    if embeddings.is_sparse(rows):  # which have no empty ones
        usable, directions = np.ones(rows.shape[0], np.bool_), embeddings.unit(rows)
    else:
        directions = rows.astype(np.float64)
        usable = np.isfinite(directions).all(axis=1) & directions.any(axis=1)
        directions[~usable] = 0  # of words that are neither answers nor in a question that is asked
        directions[usable] = embeddings.unit(directions[usable])
    search = AnalogySearch(directions, method)
    for section in sections:
        row_of_word = np.array([index.get(model.spelled(word), -1) for word in section.words], dtype=np.int32)
        row_of_word[row_of_word >= search.size] = -1
        questions = row_of_word[section.rows]
        seen = np.asarray((questions >= 0).all(axis=1) & usable[questions].all(axis=1))
        known = questions if seen.all() else questions[seen]
        correct = int(np.count_nonzero(search.right(known))) if len(known) else 0
        unseen = len(questions) - len(known)
        yield PartScore(section.name, len(questions), unseen, correct, len(known) if skip_oov else len(questions))


def scored(model: str, dataset: str, vocabulary_size: int | None, scores: Sequence[PartScore]) -> Scored:
    """The accuracy over all questions, with the section as the unit, and that of each section.

    Models that left different unseen questions out were not asked the same.
    """
    right = np.array([[score.correct] for score in scores], dtype=np.float64)
    questions = tuple(score.comparisons for score in scores)
    asked = [(score.name, questions) for score in scores]
    plain: dict[Part, Mapping[str, float | None]] = {
        Part("section", score.name): {
            "cases": score.comparisons,
            "unseen": score.missing,
            "correct": score.correct,
            "accuracy": score.percent,
        }
        for score in scores
    }
    plain[WHOLE] = {
        "cases": sum(questions),
        "unseen": sum(score.missing for score in scores),
        "correct": sum(score.correct for score in scores),
    }
    plain[Part(COVERAGE)] = {"vocabulary_size": vocabulary_size}
    whole = Tally(("accuracy",), right, np.array(questions, dtype=np.float64), asked, "section")
    return Scored(model, dataset, "own", {WHOLE: whole}, plain)
