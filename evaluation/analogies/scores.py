"""How many analogy questions of each section a model answers right (Mikolov et al. 2013; Gao, Bian and Liu 2014)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wikisem.errors import UsageError
from wikisem.evaluation.analogies.questions import Section, look_up_questions
from wikisem.evaluation.analogies.search import AnalogySearch, Method
from wikisem.evaluation.vectors.lookup import Lookup, WordLookup, require_cosine
from wikisem.evaluation.vectors.words import directions


@dataclass(frozen=True, slots=True)
class AnalogyOptions:
    """How questions are answered, whether unseen ones are left out, and how many words of the vocabulary count.

    An unseen question has a word out of vocabulary. It counts as wrong, as in WordRep, unless ``skip_oov`` leaves it
    out, as gensim does. ``restrict`` 0 takes the whole vocabulary.
    """

    method: Method = "3cosadd"
    skip_oov: bool = False
    restrict: int = 0


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


def score_analogies(sections: Sequence[Section], lookup: Lookup, options: AnalogyOptions) -> Iterator[SectionScore]:
    """The score of each section; UsageError for a model that has no vocabulary to choose answers from, or no cosine."""
    if not isinstance(lookup, WordLookup):
        raise UsageError(f"analogies need a model with a vocabulary, {lookup.name} has none")
    require_cosine(lookup, "analogies are sums of cosines")
    rows, usable = directions(lookup.words.rows[: options.restrict or None])
    search = AnalogySearch(rows, options.method)
    for section in sections:
        questions = look_up_questions(section, lookup, options.restrict)
        seen = np.asarray((questions >= 0).all(axis=1) & usable[questions].all(axis=1))
        known = questions if seen.all() else questions[seen]
        correct = int(np.count_nonzero(search.right(known))) if len(known) else 0
        asked = int(np.count_nonzero(seen)) if options.skip_oov else len(questions)
        yield SectionScore(section.name, correct, asked, len(questions) - int(np.count_nonzero(seen)))


def total(scores: Sequence[SectionScore]) -> SectionScore:
    """All questions together."""
    return SectionScore(
        "total",
        sum(score.correct for score in scores),
        sum(score.questions for score in scores),
        sum(score.unseen for score in scores),
    )


def analogies_as_json(scores: Sequence[SectionScore]) -> dict[str, Any]:
    """The scores under the names that programs read; accuracy in percent."""
    rows = [
        {
            "section": score.section,
            "correct": score.correct,
            "questions": score.questions,
            "unseen": score.unseen,
            "accuracy": score.percent,
        }
        for score in scores
    ]
    whole = total(scores)
    return {
        "accuracy": whole.percent,
        "correct": whole.correct,
        "questions": whole.questions,
        "unseen": whole.unseen,
        "sections": rows,
    }
