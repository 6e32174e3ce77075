"""How many analogy questions of each section a model answers right (Mikolov et al. 2013; Gao, Bian and Liu 2014).

Questions come from files in the form of word2vec: ``: section`` lines, then ``a b c d`` a line.
"""

import codecs
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from wikisem.categories.analogies import Question
from wikisem.datasets.files import decode_utf8
from wikisem.datasets.word_categories import WordCategory
from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.evaluation.analogies.search import AnalogySearch
from wikisem.evaluation.options import AnalogyOptions
from wikisem.evaluation.rows import COVERAGE, WHOLE, Part, Scored, Tally
from wikisem.evaluation.vectors.embeddings import EmbeddingModel, WordModel, require_cosine
from wikisem.evaluation.vectors.words import directions
from wikisem.files import path_of

# Questions.


@dataclass(frozen=True, slots=True)
class Section:
    """The questions of one relation, each four words: a is to b as c is to d.

    ``rows`` has the numbers of these words in ``words``, shape ``(questions, 4)``: 16 bytes a question, since a section
    may have a hundred million of them, which are made of a few thousand words.
    """

    name: str
    words: Sequence[str]
    rows: npt.NDArray[np.int32]

    @classmethod
    def of(cls, name: str, questions: Sequence[Question]) -> "Section":
        """A section of questions that are given as words."""
        numbers: dict[str, int] = {}
        rows = [[numbers.setdefault(word, len(numbers)) for word in question] for question in questions]
        return cls(name, list(numbers), np.array(rows, dtype=np.int32).reshape(-1, 4))

    def questions(self) -> Iterator[Question]:
        """The words of each question."""
        for a, b, c, d in self.rows.tolist():
            yield self.words[a], self.words[b], self.words[c], self.words[d]


def read_questions(path: str | Path) -> list[Section]:
    """The sections of a file, in its order; of two with one name, the questions are put together.

    MissingInputError without a file or without any question. DamagedInputError with file and line for fewer or more
    than four words, words before the first section, or bytes that are not UTF-8.
    """
    file = path_of(path)
    if not file.is_file():
        raise MissingInputError(f"expected a file of analogy questions, saw none at {file}")
    numbers: dict[bytes, int] = {}
    words: list[str] = []
    sections: dict[str, array[int]] = {}
    section = None
    with file.open("rb") as lines:
        for index, line in enumerate(lines, start=1):
            fields = (line.removeprefix(codecs.BOM_UTF8) if index == 1 else line).split()
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
    found = [
        Section(name, words, np.frombuffer(rows, np.int32).reshape(-1, 4)) for name, rows in sections.items() if rows
    ]
    if not found:
        raise MissingInputError(f"{file}: expected analogy questions, saw none")
    return found


def split_relations(sections: Iterable[Section]) -> list[WordCategory]:
    """Two categories of each relation, as Stringham and Izbicki (2020), section 3.1, split the Google set.

    The words in front of their partners, and the partners, each in the order of the questions.

    >>> capitals = Section.of("capitals", [("Athens", "Greece", "Oslo", "Norway")])
    >>> [(category.name, category.words) for category in split_relations([capitals])]
    [('capitals-first', ('Athens', 'Oslo')), ('capitals-second', ('Greece', 'Norway'))]
    """
    found = []
    for section in sections:
        for column, side in enumerate(("first", "second")):
            numbers, first = np.unique(section.rows[:, column::2], return_index=True)
            words = tuple(section.words[number] for number in numbers[np.argsort(first)].tolist())
            found.append(WordCategory(f"{section.name}-{side}", words))
    return found


# Scores.


@dataclass(frozen=True, slots=True)
class SectionScore:
    """``correct`` of ``questions`` in a section; ``unseen`` ones, wrong or left out, have words out of vocabulary."""

    section: str
    correct: int
    questions: int
    unseen: int

    @property
    def percent(self) -> float | None:
        """The accuracy in percent; None for a section without questions."""
        return 100 * self.correct / self.questions if self.questions else None


def score_analogies(
    sections: Sequence[Section], model: EmbeddingModel, options: AnalogyOptions
) -> Iterator[SectionScore]:
    """The score of each section; UsageError for a model that has no vocabulary to choose answers from, or no cosine."""
    if not isinstance(model, WordModel):
        raise UsageError(f"analogies need a model with a vocabulary, {model.name} has none")
    require_cosine(model, "analogies are sums of cosines")
    rows, usable = directions(model.words.rows[: options.restrict or None])
    search = AnalogySearch(rows, options.method)
    for section in sections:
        questions = look_up_questions(section, model, options.restrict)
        seen = np.asarray((questions >= 0).all(axis=1) & usable[questions].all(axis=1))
        known = questions if seen.all() else questions[seen]
        correct = int(np.count_nonzero(search.right(known))) if len(known) else 0
        asked = int(np.count_nonzero(seen)) if options.skip_oov else len(questions)
        yield SectionScore(section.name, correct, asked, len(questions) - int(np.count_nonzero(seen)))


def look_up_questions(section: Section, model: WordModel, restrict: int = 0) -> npt.NDArray[np.int32]:
    """The vocabulary rows of each question's words, shape ``(questions, 4)``; -1 for a word that is unseen.

    Only the first ``restrict`` words of the vocabulary count, all if it is 0. A word is lowercased, and its digits
    masked, if the vocabulary does the same.
    """
    index = model.words.index
    rows = np.array([index.get(model.spelled(word), -1) for word in section.words], dtype=np.int32)
    rows[rows >= (restrict or len(index))] = -1
    return np.asarray(rows[section.rows])


def scored(model: str, dataset: str, vocabulary_size: int | None, scores: Sequence[SectionScore]) -> Scored:
    """The accuracy over all questions, with the section as the unit, and that of each section.

    Models that left different unseen questions out were not asked the same.
    """
    right = np.array([[score.correct] for score in scores], dtype=np.float64)
    questions = tuple(score.questions for score in scores)
    asked = [(score.section, questions) for score in scores]
    plain: dict[Part, Mapping[str, float | None]] = {
        Part("section", score.section): {
            "cases": score.questions,
            "unseen": score.unseen,
            "correct": score.correct,
            "accuracy": score.percent,
        }
        for score in scores
    }
    plain[WHOLE] = {
        "cases": sum(questions),
        "unseen": sum(score.unseen for score in scores),
        "correct": sum(score.correct for score in scores),
    }
    plain[Part(COVERAGE)] = {"vocabulary_size": vocabulary_size}
    whole = Tally(("accuracy",), right, np.array(questions, dtype=np.float64), asked, "section")
    return Scored(model, dataset, "own", {WHOLE: whole}, plain)
