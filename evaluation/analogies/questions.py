"""Analogy questions as people keep them: ``: section`` lines, then ``a b c d`` a line, as word2vec has them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wikisem.datasets.text_files import numbered_lines, read_utf8
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.evaluation.category_words import IntArray
from wikisem.evaluation.vectors.lookup import WordLookup


@dataclass(frozen=True, slots=True)
class Section:
    """The questions of one relation, each four words: a is to b as c is to d."""

    name: str
    questions: Sequence[tuple[str, str, str, str]]


def read_questions(path: str | Path) -> list[Section]:
    """The sections of a file, in its order; of two with one name, the questions are put together.

    MissingInputError without a file or without any question, DamagedInputError with file and line of what is no
    question: fewer or more than four words, or words before the first section.
    """
    file = Path(path)
    if not file.is_file():
        raise MissingInputError(f"expected a file of analogy questions, saw none at {file}")
    sections: dict[str, list[tuple[str, str, str, str]]] = {}
    name = None
    for number, line in numbered_lines(read_utf8(file)):
        if line.startswith(":"):
            name = line[1:].strip()
            sections.setdefault(name, [])
        elif line:
            words = line.split()
            if len(words) != 4 or name is None:
                wanted = "': section' in front of questions" if name is None else "four words"
                raise DamagedInputError(f"{file}:{number}: expected {wanted}, saw {line[:60]!r}")
            sections[name].append((words[0], words[1], words[2], words[3]))
    found = [Section(name, questions) for name, questions in sections.items() if questions]
    if not found:
        raise MissingInputError(f"{file}: expected analogy questions, saw none")
    return found


def look_up_questions(section: Section, lookup: WordLookup, restrict: int = 0) -> IntArray:
    """The vocabulary rows of each question's words, shape ``(questions, 4)``; -1 for a word that is unseen.

    Only the first ``restrict`` words of the vocabulary count, all if it is 0. A word is lowercased, and its digits
    masked, where the vocabulary has it so.
    """
    index = lookup.words.index
    most = restrict or len(index)
    words = {word for question in section.questions for word in question}
    rows = {word: _row(lookup.spelled(word), index, most) for word in words}
    return np.array([[rows[word] for word in question] for question in section.questions], dtype=np.int64)


def _row(word: str, index: Mapping[str, int], most: int) -> int:
    row = index.get(word, -1)
    return row if row < most else -1
