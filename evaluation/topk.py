"""Topk: how many of a word's nearest neighbours are in its category (Stringham and Izbicki 2020, equations 1 and 2).

A neighbour is any other word of the vocabulary, by cosine; a word that is looked up as several parts has these left out
of its neighbours as well, as gensim does with the words of a query. Of neighbours that are equally near, those outside
the category come first, so that ties count against the model.
"""

from typing import Final

import numpy as np

from wikisem.evaluation.category_words import CategoryScore, CategoryVectors, IntArray, score_of
from wikisem.evaluation.vectors.words import TIE_TOLERANCE, Vector, WordVectors, unit

# A category of one word has no neighbours to find; the authors' code skips it as well.
_FEWEST_WORDS: Final = 2

_NUMBERS_AT_ONCE: Final = 1 << 22


def score_topk(members: CategoryVectors, vocabulary: WordVectors, k: int, skip_oov: bool = False) -> CategoryScore:
    """The Topk score of a category, over all its words.

    A word out of vocabulary scores 0 and stays among them, unless ``skip_oov`` leaves it out.
    """
    count = len(members.known) if skip_oov else len(members.keys)
    if count < _FEWEST_WORDS:
        return score_of(members, 0, 0)
    return score_of(members, int(neighbour_hits(members, vocabulary, k).sum()), count * k)


def neighbour_hits(members: CategoryVectors, vocabulary: WordVectors, k: int) -> IntArray:
    """How many of the k nearest neighbours of each member in vocabulary are members, shape ``(known,)``.

    The i-th nearest member is among the k if i plus the number of words outside the category that are as near is at
    most k. So it is enough to count those words, block by block, and no list of neighbours is ever made.
    """
    if not len(members.known):
        return np.zeros(0, dtype=np.int64)
    queries = unit(members.vectors)
    nearest = _nearest_members(queries, members, vocabulary)[:, :k]
    outside = np.zeros(nearest.shape, dtype=np.int64)
    for rows, vectors in vocabulary.blocks(_NUMBERS_AT_ONCE // max(queries.shape) + 1):
        near = _nearness(queries, rows, vectors, members)
        near[:, np.isin(rows, members.in_vocabulary)] = -np.inf
        for place in range(nearest.shape[1]):
            outside[:, place] += np.count_nonzero(near >= nearest[:, place, None] - TIE_TOLERANCE, axis=1)
    places = np.arange(1, nearest.shape[1] + 1)
    hits: IntArray = np.count_nonzero((outside + places <= k) & np.isfinite(nearest), axis=1)
    return hits


def _nearest_members(queries: Vector, members: CategoryVectors, vocabulary: WordVectors) -> Vector:
    """The cosines of each query to the members that are words of the vocabulary, the nearest first."""
    vectors = vocabulary.rows[members.in_vocabulary].astype(np.float64)
    return -np.sort(-_nearness(queries, members.in_vocabulary, vectors, members), axis=1)


def _nearness(queries: Vector, rows: IntArray, vectors: Vector, members: CategoryVectors) -> Vector:
    """Cosines of unit queries and raw vectors, shape ``(queries, rows)``; minus infinity to what a query is made of."""
    near: Vector = queries @ vectors.T / np.linalg.norm(vectors, axis=1)
    places = dict(zip(rows.tolist(), range(len(rows)), strict=True))
    for owner, part in zip(members.owners.tolist(), members.parts.tolist(), strict=True):
        if part in places:
            near[owner, places[part]] = -np.inf
    return near
