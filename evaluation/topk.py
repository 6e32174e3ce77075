"""Topk: how many of a word's nearest neighbours are in its category (Stringham and Izbicki 2020, equations 1 and 2).

A neighbour is any other word of the vocabulary, by cosine or another similarity; a word that is looked up as several
parts has these left out of its neighbours as well, as gensim does with the words of a query. Of neighbours that are
equally near, those outside the category come first, so that ties count against the model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import harmonic_mean
from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.datasets.word_categories import WordCategory
from wikisem.evaluation.rows import COVERAGE, WHOLE, Part, Scored, Tally
from wikisem.evaluation.vectors.embeddings import EmbeddingModel, Similarity, cosine
from wikisem.evaluation.vectors.words import TIE_TOLERANCE, Rows, Vector, WordVectors, stack, width

IntArray = npt.NDArray[np.int64]


# A category in a vocabulary, and a score of it: both serve OddOneOut, too.


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


def look_up_category(category: WordCategory, model: EmbeddingModel) -> CategoryVectors:
    """Look up a category; words that are looked up alike ("New York", "new_york") are one word."""
    words: dict[tuple[str, ...], str] = {}
    for word in category.words:
        words.setdefault(tuple(model.parts(word)), word)
    vectors = model.find(words.values())
    known = {key: vectors[word] for key, word in words.items() if word in vectors}
    index = model.words.index if model.words else {}
    made_of = [(owner, index[part]) for owner, key in enumerate(known) for part in key if part in index]
    owners, parts = np.array(made_of, np.int64).reshape(-1, 2).T
    return CategoryVectors(
        category.name,
        tuple(words),
        np.array([at for at, key in enumerate(words) if key in known], np.int64),
        stack(list(known.values())),
        owners,
        parts,
        np.array([index.get(key[0], -1) if len(key) == 1 else -1 for key in known], np.int64),
    )


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


def scored(model: str, dataset: str, vocabulary_size: int | None, scores: Sequence[CategoryScore]) -> Scored:
    """The mean over the categories (equations 2 and 8), each a unit, without skipped ones; and each category."""
    shares = [(index, score.percent / 100) for index, score in enumerate(scores) if score.percent is not None]
    sums = np.array([share for _, share in shares], dtype=np.float64)[:, None]
    whole = Tally(("score",), sums, np.ones(len(shares)), [index for index, _ in shares], "category")
    plain: dict[Part, Mapping[str, float | None]] = {
        Part("category", score.name): {
            "cases": score.comparisons,
            "words": score.count,
            "missing": score.missing,
            "correct": score.correct,
            "score": score.percent,
        }
        for score in scores
    }
    skipped = {"skipped_categories": len(scores) - len(shares), "vocabulary_size": vocabulary_size}
    return Scored(model, dataset, "own", {WHOLE: whole}, plain | {Part(COVERAGE): skipped})


# Topk.

# A category of one word has no neighbours to find; the authors' code skips it as well.
_FEWEST_WORDS: Final = 2
_NUMBERS_AT_ONCE: Final = 1 << 22


def score_topk(
    members: CategoryVectors, vocabulary: WordVectors, k: int, skip_oov: bool = False, similarity: Similarity = cosine
) -> CategoryScore:
    """The Topk score of a category, over all its words.

    A word out of vocabulary scores 0 and stays among them, unless ``skip_oov`` leaves it out.
    """
    count = len(members.known) if skip_oov else len(members.keys)
    if count < _FEWEST_WORDS:
        return score_of(members, 0, 0)
    return score_of(members, int(neighbour_hits(members, vocabulary, k, similarity).sum()), count * k)


def neighbour_hits(
    members: CategoryVectors, vocabulary: WordVectors, k: int, similarity: Similarity = cosine
) -> IntArray:
    """How many of the k nearest neighbours of each member in vocabulary are members, shape ``(known,)``.

    The i-th nearest member is among the k if i plus the number of words outside the category that are as near is at
    most k. So it is enough to count those words, block by block, and no list of neighbours is ever made.
    """
    if not len(members.known):
        return np.zeros(0, dtype=np.int64)
    rows = members.in_vocabulary
    near = _nearness(members, rows, vocabulary.rows[rows].astype(np.float64), similarity)
    nearest = -np.sort(-near, axis=1)[:, :k]  # of members that are words of the vocabulary
    outside = np.zeros(nearest.shape, dtype=np.int64)
    for rows, vectors in vocabulary.blocks(_NUMBERS_AT_ONCE // max(len(members.known), width(vocabulary.rows)) + 1):
        near = _nearness(members, rows, vectors, similarity)
        near[:, np.isin(rows, members.in_vocabulary)] = -np.inf
        for place in range(nearest.shape[1]):
            outside[:, place] += np.count_nonzero(near >= nearest[:, place, None] - TIE_TOLERANCE, axis=1)
    places = np.arange(1, nearest.shape[1] + 1)
    hits: IntArray = np.count_nonzero((outside + places <= k) & np.isfinite(nearest), axis=1)
    return hits


def _nearness(members: CategoryVectors, rows: IntArray, vectors: Rows, similarity: Similarity) -> Vector:
    """Similarities of members to words, shape ``(known, rows)``; minus infinity to what a member is made of."""
    near = similarity(members.vectors, vectors)
    places = dict(zip(rows.tolist(), range(len(rows)), strict=True))
    for owner, part in zip(members.owners.tolist(), members.parts.tolist(), strict=True):
        if part in places:
            near[owner, places[part]] = -np.inf
    return near


# Topk and OddOneOut in one number.


def combined(oddoneout: int, topk: int) -> float:
    """The Combined score, from numbers of right answers, by which Stringham and Izbicki (2020), table 1, choose models.

    They call it the harmonic mean of both. Their seventeen rows have the harmonic mean of (OddOneOut + 1) and (Topk +
    1), so a model without right answers of one kind still has a score.

    >>> combined(oddoneout=1140, topk=8)  # ancient Greek, 17.86 in their table
    17.8591...
    """
    return harmonic_mean([oddoneout + 1, topk + 1])
