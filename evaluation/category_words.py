"""The words of a category, with their vectors and their places in the vocabulary."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import numpy.typing as npt

from wikisem.datasets.word_categories import WordCategory
from wikisem.evaluation.error_bars import SEED, ErrorBars, clustered_means
from wikisem.evaluation.vectors.lookup import Lookup
from wikisem.evaluation.vectors.words import Rows, stack

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class CategoryVectors:
    """The distinct words of a category.

    ``keys`` has all of them, as the parts they are looked up as, ``known`` the places in it of those in vocabulary.
    Of these, ``vectors`` holds the raw vectors, shape ``(known, dimensions)``; ``parts[i]`` is a vocabulary row that
    the vector of ``owners[i]`` was made of; ``rows`` has the vocabulary row of each that is one word of the vocabulary,
    -1 for others.
    """

    name: str
    keys: tuple[tuple[str, ...], ...]
    known: IntArray
    vectors: Rows
    owners: IntArray
    parts: IntArray
    rows: IntArray

    @property
    def missing(self) -> int:
        """How many words are out of vocabulary."""
        return len(self.keys) - len(self.known)

    @property
    def in_vocabulary(self) -> IntArray:
        """The vocabulary rows of the members that are one word of it."""
        return self.rows[self.rows >= 0]


@dataclass(frozen=True, slots=True)
class CategoryScore:
    """``correct`` of ``comparisons`` in a category of ``count`` words, ``missing`` of which are out of vocabulary.

    A category with too few words is skipped: it has no comparisons.
    """

    name: str
    count: int
    missing: int
    correct: int
    comparisons: int

    @property
    def percent(self) -> float | None:
        """The score in percent; None for a category that was skipped."""
        return 100 * self.correct / self.comparisons if self.comparisons else None


def score_of(members: CategoryVectors, correct: int, comparisons: int) -> CategoryScore:
    """The score of a category, with what is known about its words."""
    return CategoryScore(members.name, len(members.keys), members.missing, correct, comparisons)


def mean_percent(scores: Iterable[CategoryScore]) -> float | None:
    """The score of a set: the mean over its categories (equations 2 and 8), skipped ones left out; None without any."""
    scored = [score.percent for score in scores if score.percent is not None]
    return fmean(scored) if scored else None


def mean_error_bars(scores: Iterable[CategoryScore], seed: int = SEED) -> ErrorBars | None:
    """The score of a set in percent with error bars: the category is the unit that is drawn; None without any."""
    shares = [score.percent / 100 for score in scores if score.percent is not None]
    if not shares:
        return None
    return clustered_means(np.array(shares)[:, None], np.ones(len(shares)), seed)[0].percent()


def look_up_category(category: WordCategory, lookup: Lookup) -> CategoryVectors:
    """Look up a category; words that are looked up alike ("New York", "new_york") are one word."""
    words: dict[tuple[str, ...], str] = {}
    for word in category.words:
        words.setdefault(tuple(lookup.parts(word)), word)
    vectors = lookup.find(words.values())
    known = {key: vectors[word] for key, word in words.items() if word in vectors}
    index = lookup.words.index if lookup.words else {}
    made_of = [(owner, index[part]) for owner, key in enumerate(known) for part in key if part in index]
    return CategoryVectors(
        category.name,
        tuple(words),
        _places([at for at, key in enumerate(words) if key in known]),
        stack(list(known.values())),
        _places([owner for owner, _ in made_of]),
        _places([row for _, row in made_of]),
        _places([index.get(key[0], -1) if len(key) == 1 else -1 for key in known]),
    )


def _places(numbers: Sequence[int]) -> IntArray:
    return np.asarray(numbers, dtype=np.int64)
