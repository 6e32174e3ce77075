"""Topk: how many of a word's nearest neighbours are in its category (Stringham and Izbicki 2020, equations 1 and 2).

A neighbour is any other word of the vocabulary, by cosine or another similarity; a word that is looked up as several
parts has these left out of its neighbours as well, as gensim does with the words of a query. Of neighbours that are
equally near, those outside the category come first, so that ties count against the model.
"""

from typing import Final

import numpy as np

from wikisem.evaluation.category_words import CategoryScore, CategoryVectors, IntArray, score_of
from wikisem.evaluation.vectors.lookup import Similarity, cosine
from wikisem.evaluation.vectors.words import TIE_TOLERANCE, Rows, Vector, WordVectors, width

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
    nearest = _nearest_members(members, vocabulary, similarity)[:, :k]
    outside = np.zeros(nearest.shape, dtype=np.int64)
    for rows, vectors in vocabulary.blocks(_NUMBERS_AT_ONCE // max(len(members.known), width(vocabulary.rows)) + 1):
        near = _nearness(members, rows, vectors, similarity)
        near[:, np.isin(rows, members.in_vocabulary)] = -np.inf
        for place in range(nearest.shape[1]):
            outside[:, place] += np.count_nonzero(near >= nearest[:, place, None] - TIE_TOLERANCE, axis=1)
    places = np.arange(1, nearest.shape[1] + 1)
    hits: IntArray = np.count_nonzero((outside + places <= k) & np.isfinite(nearest), axis=1)
    return hits


def _nearest_members(members: CategoryVectors, vocabulary: WordVectors, similarity: Similarity) -> Vector:
    """The similarities of each member to the members that are words of the vocabulary, the nearest first."""
    vectors = vocabulary.rows[members.in_vocabulary].astype(np.float64)
    return -np.sort(-_nearness(members, members.in_vocabulary, vectors, similarity), axis=1)


def _nearness(members: CategoryVectors, rows: IntArray, vectors: Rows, similarity: Similarity) -> Vector:
    """Similarities of members to words, shape ``(known, rows)``; minus infinity to what a member is made of."""
    near = similarity(members.vectors, vectors)
    places = dict(zip(rows.tolist(), range(len(rows)), strict=True))
    for owner, part in zip(members.owners.tolist(), members.parts.tolist(), strict=True):
        if part in places:
            near[owner, places[part]] = -np.inf
    return near
