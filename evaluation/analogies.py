"""How many analogy questions of each section a model answers right (Mikolov et al. 2013; Gao, Bian and Liu 2014).

Questions come from files in the form of word2vec: ``: section`` lines, then ``a b c d`` a line. They are answered
without comparing each with the whole vocabulary. The answer to a, b, c is the word x, other than these three, with the
largest sum ``offset[x] + near_c[x]``, in which ``offset`` depends on a and b alone, and ``near_c`` on c:

    3CosAdd (Mikolov et al. 2013)        cos(x, b) - cos(x, a)                    + cos(x, c)
    3CosMul (Levy and Goldberg 2014)     ln cos'(x, b) - ln(cos'(x, a) + .001)    + ln cos'(x, c)

with cos' = (cos + 1) / 2. So matrix products are made once for each pair (a, b) and once for each c, not for each
question: all n(n - 1) questions of n pairs cost 2 n products. A question is then right if no x has a larger sum than d,
and for most it is settled by few words:

1. Wrong ones by the words nearest to c: one of them almost always beats d.
2. Right ones by a bound: x can only beat d if ``near_c[x] > sum(d) - max(offset)``, which holds for the words nearest
   to c down to some place in their order. If it holds for all that are kept, the whole vocabulary is gone through.

Sums are in single precision; where d and the best other word differ by no more than rounding could explain, they are
computed again in double precision. A tie counts against the model.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
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
from wikisem.files import path_of

IntArray = npt.NDArray[np.integer[Any]]
Singles = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

_SMALL: Final = 0.001  # the epsilon of Levy and Goldberg
_NEAREST: Final = 2048
_FIRST_LOOK: Final = 32
_THIRD_WORDS_AT_ONCE: Final = 1 << 13  # at 16 KB each for the words nearest to them
# Products of unit vectors, and logarithms of them, are off by some 1e-6 in single precision.
_MARGIN: Final = np.float32(2e-5)
# 3CosMul: a factor below 1e-6 is little but rounding in single precision. A product with one is below 1e-6 / _SMALL.
_LEAST_PRODUCT: Final = 0.004
_NUMBERS_AT_ONCE: Final = 1 << 26
_PAIRS_AT_ONCE: Final = 256  # each of which may have ten thousand questions
_LOOKS_AT_ONCE: Final = 1 << 17  # what a look makes of numbers fits into a cache


class AnalogySearch:
    """Answers to analogy questions, "a is to b as c is to d", over one vocabulary."""

    def __init__(self, rows: Rows, method: Method = "3cosadd") -> None:
        """Take the unit vectors of the words, shape ``(words, d)``; a word whose vector is zero is never an answer."""
        is_sparse = embeddings.is_sparse(rows)
        self.method = method
        self.size: int = rows.shape[0]
        # In double precision, for sums that single precision cannot tell apart.
        self.exact_rows = rows
        # Sparse rows stay in double precision: few numbers are multiplied, and 3CosMul needs small products well.
        self.rows: Rows = rows if is_sparse else np.ascontiguousarray(rows, dtype=np.float32)
        # Transposed, for the cosines of some words to all.
        self.columns: Rows = rows.T.tocsr() if is_sparse else self.rows.T
        # 3CosMul multiplies cosines, so they are moved to 0 to 1, unless all are 0 or more as they are.
        self.moves_cosines = not is_sparse or bool((rows.data < 0).any())
        self.never_answers = np.flatnonzero(embeddings.lengths(self.rows) == 0)

    def right(self, questions: IntArray) -> Flags:
        """Which questions are answered with d, given the vocabulary rows of a, b, c and d, shape ``(questions, 4)``.

        They are taken by their words c, and of these by their pairs a, b: what a word adds to sums is computed once.
        """
        are_right = np.zeros(len(questions), dtype=np.bool_)
        # A question whose answer is one of its own words cannot be right.
        askable = np.flatnonzero((questions[:, 3:] != questions[:, :3]).all(axis=1))
        third_words, third_of = np.unique(questions[askable, 2], return_inverse=True)
        for start in range(0, len(third_words), _THIRD_WORDS_AT_ONCE):
            # The questions with some thousands of the words c, and which row of ``near_c`` is that of their c.
            near_c, nearest = self._nearest(third_words[start : start + _THIRD_WORDS_AT_ONCE])
            in_block = (third_of >= start) & (third_of < start + _THIRD_WORDS_AT_ONCE)
            block, thirds = askable[in_block], third_of[in_block] - start
            # The different pairs of a and b, each as one number, because unique rows are found by a slow sort.
            codes = questions[block, 0].astype(np.int64) * self.size + questions[block, 1]
            codes, pair_of = np.unique(codes, return_inverse=True)
            pairs = np.stack(np.divmod(codes, self.size), axis=1)
            # Questions of the block ordered by pair: those of pair i end at pair_ends[i].
            by_pair = np.lexsort((thirds, pair_of))
            pair_ends = np.cumsum(np.bincount(pair_of, minlength=len(pairs)))
            at_once = max(1, min(_PAIRS_AT_ONCE, _NUMBERS_AT_ONCE // self.size))
            for first in range(0, len(pairs), at_once):
                chunk = pairs[first : first + at_once]
                # What each pair adds to the sum of each word, shape (pairs, words); its own two words are no answers.
                a, b = self.rows[chunk[:, 0]], self.rows[chunk[:, 1]]
                if self.method == "3cosadd":
                    offset = embeddings.product(b - a, self.columns, np.float32)
                else:
                    offset = self._log(embeddings.product(b, self.columns, np.float32))
                    offset -= self._log(embeddings.product(a, self.columns, np.float32), _SMALL)
                np.put_along_axis(offset, chunk, -np.inf, axis=1)
                of_chunk = by_pair[pair_ends[first - 1] if first else 0 : pair_ends[first + len(chunk) - 1]]
                asked, pair = block[of_chunk], pair_of[of_chunk] - first
                are_right[asked] = self._right(questions[asked], offset, pair, near_c, nearest, thirds[of_chunk])
        return are_right

    def _near(self, third: IntArray) -> Singles:
        """What each third word c adds to the sum of each word, shape ``(thirds, words)``: its cosine, or ln cos'."""
        near_c: Singles = embeddings.product(self.rows[third], self.columns, np.float32)
        if self.method == "3cosmul":
            near_c = self._log(near_c)
        near_c[:, self.never_answers] = -np.inf
        return near_c

    def _nearest(self, third: IntArray) -> tuple[Singles, IntArray]:
        """The words nearest to each c, ``(thirds, kept)``: what c adds to their sums, largest first, and their rows."""
        kept = min(_NEAREST, self.size)
        values = np.empty((len(third), kept), np.float32)
        words = np.empty((len(third), kept), np.int32)
        at_once = max(1, _NUMBERS_AT_ONCE // self.size)
        # Ordering takes three times the memory of what is ordered.
        ordered_at_once = max(1, at_once // 8)
        for start in range(0, len(third), at_once):
            near_c = self._near(third[start : start + at_once])
            near_c[np.arange(len(near_c)), third[start : start + at_once]] = -np.inf
            for begin in range(0, len(near_c), ordered_at_once):
                unordered = near_c[begin : begin + ordered_at_once]
                top = np.argpartition(unordered, -kept, axis=1)[:, -kept:]
                largest_first = np.argsort(-np.take_along_axis(unordered, top, axis=1), axis=1)
                top = np.take_along_axis(top, largest_first, axis=1)
                thirds = slice(start + begin, start + begin + len(unordered))
                words[thirds], values[thirds] = top, np.take_along_axis(unordered, top, axis=1)
        return values, words

    def _right(
        self, questions: IntArray, offset: Singles, pair: IntArray, near_c: Singles, nearest: IntArray, third: IntArray
    ) -> Flags:
        """In which questions d has the largest sum of all words; most are settled by the words nearest to c.

        The sum of a word is what the pair a, b adds (its column in row ``pair`` of ``offset``) and what c adds: row
        ``third`` of ``near_c`` has the largest values of this, for the words in ``nearest``. A question is wrong if
        one of them is clearly above d, right if no word comes near d; the others are settled by the whole vocabulary.
        """
        # The sum of d. A section may have a hundred million questions, whose vectors would not fit into the memory.
        answers, with_third = questions[:, 3], np.empty(len(questions), np.float32)
        at_once = max(1, _NUMBERS_AT_ONCE // max(1, embeddings.width(self.rows)))
        for start in range(0, len(questions), at_once):
            chunk = slice(start, start + at_once)
            with_third[chunk] = embeddings.paired_products(self.rows[questions[chunk, 2]], self.rows[answers[chunk]])
        sum_of_d = offset[pair, answers] + (with_third if self.method == "3cosadd" else self._log(with_third))
        # Below the floor no word can tie with d. Ties are between products; the sums of 3CosMul are their logarithms.
        floor, has_lost = sum_of_d - _MARGIN, np.zeros(len(questions), np.bool_)
        if self.method == "3cosmul":
            product = np.exp(sum_of_d.astype(np.float64))
            logs = np.log(np.maximum(product - TIE_TOLERANCE, 1e-300)) - _MARGIN
            near_0 = product < (_LEAST_PRODUCT if self.moves_cosines else 0.9 * TIE_TOLERANCE)
            floor = np.where(near_0, -np.inf, logs).astype(np.float32)
            if self.moves_cosines:  # the product is known to be below this, and settled in double precision
                sum_of_d[near_0] = np.log(_LEAST_PRODUCT)
            elif self.size - len(self.never_answers) > 4:  # there is a word besides a, b, c and d, and 0 ties with it
                has_lost = near_0
        # The best sum of a word other than d, over ever more of those nearest to c.
        best = np.where(has_lost, np.inf, -np.inf).astype(np.float32)
        most_added = offset.max(axis=1)[pair]  # by a and b, to any word: bounds the sums of words not looked at
        for still_open, look in _looks(sum_of_d, floor, best, most_added, near_c, third):
            words = nearest[third[still_open], look]
            sums = offset[pair[still_open, None], words] + near_c[third[still_open], look]
            sums[words == answers[still_open, None]] = -np.inf
            best[still_open] = np.maximum(best[still_open], sums.max(axis=1))
        beaten = best > sum_of_d + _MARGIN
        # Words farther from c than all in nearest might still beat d; or the best differs from d by rounding alone.
        unsettled = ~beaten & (near_c[third, -1] + most_added >= floor) & (near_c.shape[1] < self.size)
        close = ~beaten & ~unsettled & (best >= floor)
        are_right: Flags = ~beaten & ~unsettled & ~close
        doubtful = np.flatnonzero(unsettled | close)
        are_right[doubtful] = self._right_of_all(
            questions[doubtful], offset, pair[doubtful], sum_of_d[doubtful], floor[doubtful]
        )
        return are_right

    def _right_of_all(
        self, questions: IntArray, offset: Singles, pair: IntArray, sum_of_d: Singles, floor: Singles
    ) -> Flags:
        """In which questions d has the largest sum of all words; near ties are settled in double precision.

        A question is the vocabulary rows of a, b, c and d. The sum of a word w is cos(w, b) - cos(w, a) + cos(w, c) by
        3CosAdd, and ln cos'(w, b) - ln(cos'(w, a) + ε) + ln cos'(w, c) by 3CosMul, with cos' from 0 to 1. The terms of
        a and b are row ``pair`` of ``offset``, one number a word. Words with sums below ``floor`` cannot tie with d,
        and words that are no answers, as a, b and c, have sums of minus infinity.
        """
        are_right = np.zeros(len(questions), dtype=np.bool_)
        # Questions with one c come one after the other, so that its term (``near_c``) is computed once.
        order = np.argsort(questions[:, 2], kind="stable")
        third, near_c = -1, np.zeros(0, np.float32)
        for index in order.tolist():
            if questions[index, 2] != third:
                third = int(questions[index, 2])
                near_c = self._near(questions[index, 2:3])[0]
            sums = offset[pair[index]] + near_c
            sums[questions[index, 2:]] = -np.inf
            rivals = np.flatnonzero((sums >= floor[index]) & ~np.isneginf(sums))
            if (sums[rivals] > sum_of_d[index] + _MARGIN).any():  # by more than rounding: d is wrong
                continue
            question, answer = questions[index, :3], questions[index, 3]
            # The cosines of the rivals, and last of d, to a, b and c; 3CosMul compares products, not their logarithms.
            a, b, c = embeddings.products(self.exact_rows[np.append(rivals, answer)], self.exact_rows[question]).T
            if self.method == "3cosmul" and self.moves_cosines:
                a, b, c = (a + 1) / 2, (b + 1) / 2, (c + 1) / 2
            exact = b - a + c if self.method == "3cosadd" else b * c / (a + _SMALL)
            are_right[index] = (exact[-1] > exact[:-1] + TIE_TOLERANCE).all()
        return are_right

    def _log(self, cosines: Singles, added: float = 0.0) -> Singles:
        """ln(cos' + ``added``) for 3CosMul, in place; cos' is (cos + 1) / 2, or cos if no cosine can be below 0."""
        if self.moves_cosines:
            cosines += 1
            cosines *= 0.5
        cosines += added
        np.maximum(cosines, 1e-30, out=cosines)
        return np.log(cosines, out=cosines)


def _looks(
    sum_of_d: Singles, floor: Singles, best: Singles, most_added: Singles, near_c: Singles, third: IntArray
) -> Iterator[tuple[IntArray, slice]]:
    """Yield indices of questions that are still open, with the slice of the words nearest to c to look at next.

    The caller raises ``best``, the largest sum seen of a word other than d. A question is open while this does not beat
    ``sum_of_d``, and the sum of a word not yet seen may reach ``floor``: c adds at most what it adds to the last word
    seen (row ``third`` of ``near_c``, largest first), and a and b add at most ``most_added``.
    """
    end, seen = min(_FIRST_LOOK, near_c.shape[1]), 0
    while True:
        is_open = best <= sum_of_d + _MARGIN
        if seen:
            is_open &= near_c[third, seen - 1] + most_added >= floor
        still_open = np.flatnonzero(is_open)
        at_once = max(1, _LOOKS_AT_ONCE // (end - seen))
        for start in range(0, len(still_open), at_once):
            yield still_open[start : start + at_once], slice(seen, end)
        if end == near_c.shape[1] or not len(still_open):
            return
        seen, end = end, min(4 * end, near_c.shape[1])


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
    numbers, words = dict[bytes, int](), list[str]()  # the number of each word, and the words by number
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


def split_analogies(path: str | PathLike[str]) -> list[WordCategory]:
    """Two categories from each relation of a file of analogy questions: its first words, and their partners.

    Stringham and Izbicki (2020, section 3.1) use the Google set in this way for Topk and OddOneOut: the question
    "Athens Greece Oslo Norway" in ``capitals`` adds Athens and Oslo to ``capitals-first``, the others to
    ``capitals-second``. Raises MissingInputError without questions, and DamagedInputError, with file and line, for a
    line that is not one.
    """
    categories = []
    for section in read_questions(path_of(path)):
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
    """Count the questions of each section, "a is to b as c is to d", that a model answers with d.

    A question with a word outside the first ``restrict`` of the vocabulary (0: all) is wrong, as in WordRep, unless
    ``skip_oov`` leaves it out, as gensim does. UsageError for a model without a vocabulary, or without cosines.
    """
    if not isinstance(model, WordModel):
        raise UsageError(f"analogies need a model with a vocabulary, {model.name} has none")
    embeddings.require_cosine(model, "analogies are sums of cosines")
    index, rows = model.words.index, model.words.rows[: restrict or None]
    # Unit vectors. Words without a direction are neither answers nor in a question that is asked.
    if embeddings.is_sparse(rows):  # which have no empty ones
        usable, directions = np.ones(rows.shape[0], np.bool_), embeddings.unit(rows)
    else:
        directions = rows.astype(np.float64)
        usable = np.isfinite(directions).all(axis=1) & directions.any(axis=1)
        directions[~usable] = 0
        directions[usable] = embeddings.unit(directions[usable])
    search = AnalogySearch(directions, method)
    for section in sections:
        # Words are lowercased, and their digits masked, if the vocabulary does the same; -1 is out of vocabulary.
        words = map(model.spelled, section.words)
        row_of_word = np.array([index.get(word, index.get(word.replace("_", " "), -1)) for word in words], np.int32)
        row_of_word[row_of_word >= search.size] = -1
        questions = row_of_word[section.rows]
        seen = np.asarray((questions >= 0).all(axis=1) & usable[questions].all(axis=1))
        known = questions if seen.all() else questions[seen]
        correct = int(np.count_nonzero(search.right(known))) if len(known) else 0
        asked = len(known) if skip_oov else len(questions)
        yield PartScore(section.name, len(questions), len(questions) - len(known), correct, comparisons=asked)


def scored(model: str, dataset: str, vocabulary_size: int | None, scores: Sequence[PartScore]) -> Scored:
    """The accuracy of a model over all questions, with error bars by section, and the counts of each section."""
    right = np.array([[score.correct] for score in scores], dtype=np.float64)  # shape (sections, 1)
    questions = tuple(score.comparisons for score in scores)
    # Models are only compared if they were asked equally many questions in every section.
    asked = [(score.name, questions) for score in scores]
    without_bars: dict[Part, Mapping[str, float | None]] = {}
    for score in scores:
        counts = {"cases": score.comparisons, "unseen": score.missing, "correct": score.correct}
        without_bars[Part("section", score.name)] = {**counts, "accuracy": score.percent}
    unseen, correct = sum(score.missing for score in scores), sum(score.correct for score in scores)
    without_bars[WHOLE] = {"cases": sum(questions), "unseen": unseen, "correct": correct}
    without_bars[Part(COVERAGE)] = {"vocabulary_size": vocabulary_size}
    whole = Tally(("accuracy",), sums=right, counts=np.array(questions, np.float64), asked=asked, unit="section")
    return Scored(model, dataset, "own", parts={WHOLE: whole}, plain=without_bars)
