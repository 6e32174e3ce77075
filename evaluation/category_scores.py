"""Topk and OddOneOut on the words of categories (Stringham and Izbicki 2020), and both in one number.

Topk (equations 1 and 2) is how many of a word's nearest neighbours are in its category. A neighbour is any other word
of the vocabulary, by cosine or another similarity; a word that is looked up as several parts has these left out of its
neighbours as well, as gensim does with the words of a query. Of neighbours that are equally near, those outside the
category come first, so that ties count against the model.

OddOneOut (section 2.2) is how often a word from elsewhere is the odd one among k words of a category. A word w is the
odd one of a set S of k words, with m = k + 1 words and their mean μ = (w + ΣS) / m (equations 3 to 5), by one of the
published readings:

    euclidean    the word farthest from the mean
    cosine-unit  the word with the smallest cosine to the mean of unit vectors, as gensim's doesnt_match has it
    cosine-raw   the same with the mean of raw vectors
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from math import comb
from statistics import harmonic_mean
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from wikisem.datasets.word_groups import WordCategory
from wikisem.errors import UsageError
from wikisem.evaluation.options import Distance, Intruders, OddOneOutOptions
from wikisem.evaluation.rows import COVERAGE, WHOLE, Part, PartScore, Scored, Tally
from wikisem.evaluation.vectors import embeddings
from wikisem.evaluation.vectors.embeddings import EmbeddingModel, Rows, Similarity, Vector, WordVectors, cosine
from wikisem.sampling import hash_key, hash_keys

IntArray = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
# A category of one word has no neighbours to find; the authors' code skips it as well.
_FEWEST_WORDS: Final = 2
_NUMBERS_AT_ONCE: Final = 1 << 22
_ROWS_AT_ONCE: Final = 1 << 14
# 1 GB in double precision. For k = 3 that is a category of 645 words, which would take hours as it is.
_MOST_LIMITS: Final = 1 << 27
# This many numbers of F, 16 MB, are compared while they are still in a processor's cache.
_COMPARED_AT_ONCE: Final = 1 << 21
_FEWEST_WORDS_AT_ONCE: Final = 32
_PAIRS_AT_ONCE: Final = 4096


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
        keys=tuple(words),
        known=np.array([place for place, key in enumerate(words) if key in known], np.int64),
        vectors=embeddings.stack(list(known.values())),
        owners=owners,
        parts=parts,
        rows=np.array([index.get(key[0], -1) if len(key) == 1 else -1 for key in known], np.int64),
    )


def score_of(members: CategoryVectors, correct: int, comparisons: int) -> PartScore:
    """The score of a category, with what is known about its words."""
    return PartScore(members.name, len(members.keys), len(members.keys) - len(members.known), correct, comparisons)


def scored(model: str, dataset: str, vocabulary_size: int | None, scores: Sequence[PartScore]) -> Scored:
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


def score_topk(
    members: CategoryVectors, vocabulary: WordVectors, k: int, skip_oov: bool = False, similarity: Similarity = cosine
) -> PartScore:
    """The Topk score of a category, over all its words.

    A word out of vocabulary scores 0 and stays among them, unless ``skip_oov`` leaves it out.

    The i-th nearest member is among the k nearest neighbours if i plus the number of words outside the category that
    are as near is at most k. So it is enough to count those words, block by block, and no list of neighbours is made.
    """
    known = len(members.known)
    count = known if skip_oov else len(members.keys)
    if count < _FEWEST_WORDS:
        return score_of(members, 0, 0)
    if not known:
        return score_of(members, 0, count * k)
    own_rows = members.rows[members.rows >= 0]
    near = _nearness(members, own_rows, vocabulary.rows[own_rows].astype(np.float64), similarity)
    nearest = -np.sort(-near, axis=1)[:, :k]  # the similarities of the nearest members, the largest first
    outside = np.zeros(nearest.shape, dtype=np.int64)  # how many other words are as near
    for rows, vectors in vocabulary.blocks(_NUMBERS_AT_ONCE // max(known, embeddings.width(vocabulary.rows)) + 1):
        near = _nearness(members, rows, vectors, similarity)
        near[:, np.isin(rows, own_rows)] = -np.inf
        for place in range(nearest.shape[1]):
            outside[:, place] += np.count_nonzero(near >= nearest[:, place, None] - embeddings.TIE_TOLERANCE, axis=1)
    places = np.arange(1, nearest.shape[1] + 1)
    hits = np.count_nonzero((outside + places <= k) & np.isfinite(nearest))
    return score_of(members, int(hits), count * k)


def _nearness(members: CategoryVectors, rows: IntArray, vectors: Rows, similarity: Similarity) -> Vector:
    """Similarities of members to some words of the vocabulary, shape ``(known, words)``.

    ``rows`` has the number of each word in the vocabulary, ``vectors`` its vector. What a member is looked up as is no
    neighbour of it, at minus infinity: the member itself, and the words whose mean a member of several words is.
    """
    near = similarity(members.vectors, vectors)
    places = {row: place for place, row in enumerate(rows.tolist())}
    for owner, part in zip(members.owners.tolist(), members.parts.tolist(), strict=True):
        if part in places:
            near[owner, places[part]] = -np.inf
    return near


def scored_together(model: str, dataset: str, size: int | None, right: Sequence[tuple[int, int]]) -> Scored:
    """The Combined score, from ``right``, the numbers of right answers of OddOneOut and of Topk in each category.

    Stringham and Izbicki (2020), table 1, choose models by it and call it the harmonic mean of both. Their seventeen
    rows have the harmonic mean of (OddOneOut + 1) and (Topk + 1), so a model without right answers of one kind still
    has a score. ``size`` is that of the vocabulary.

    >>> scored_together("ancient Greek", "", None, [(1140, 8)]).plain[WHOLE]["combined"]  # 17.86 in their table
    17.8591...
    """
    odd, top = (sum(own) for own in zip(*right, strict=True))
    score = {"combined": harmonic_mean([odd + 1, top + 1]), "oddoneout": odd, "topk": top}
    return Scored(model, dataset, plain={WHOLE: score, Part(COVERAGE): {"vocabulary_size": size}})


def score_oddoneout(
    categories: Sequence[CategoryVectors], vocabulary: WordVectors | None, settings: OddOneOutOptions
) -> Iterator[PartScore]:
    """The score of each category, one after the other; one with fewer than k words is skipped.

    Raises UsageError without a vocabulary to take intruders from, or for a category so large that its table of
    comparisons does not fit into memory.
    """
    sources = intruder_pools(categories, vocabulary, settings.intruders, settings.skip_oov)
    for number, (members, pool) in enumerate(zip(categories, sources, strict=True)):
        if settings.sample:
            yield _sampled(members, pool, settings, hash_key(settings.seed, number))
        else:
            yield _exact(members, pool, settings)


@dataclass(frozen=True, slots=True, eq=False)
class IntruderPool:
    """The words that may come into a category: ``rows`` of ``vectors``, and ``missing`` more without a vector.

    ``shared`` has, for each known member of the category, its place in ``rows``, -1 for those that are not there; such
    a word comes only into combinations without it.
    """

    vectors: Rows
    rows: IntArray
    missing: int
    shared: IntArray

    def __len__(self) -> int:
        return len(self.rows) + self.missing


def intruder_pools(
    categories: Sequence[CategoryVectors], vocabulary: WordVectors | None, intruders: Intruders, skip_oov: bool
) -> Iterator[IntruderPool]:
    """The pool of each category; UsageError if it is to come from the vocabulary of a model that lists no words."""
    if intruders == "other-categories":
        row_of: dict[tuple[str, ...], int] = {}  # among the vectors of all categories, -1 without one
        start = 0
        for category in categories:
            row_of |= dict.fromkeys(category.keys, -1)
            row_of |= {category.keys[place]: start + row for row, place in enumerate(category.known.tolist())}
            start += len(category.known)
        vectors = embeddings.stack([category.vectors for category in categories if len(category.known)])
        for members in categories:
            inside = set(members.keys)
            outside = np.array([row for key, row in row_of.items() if key not in inside], np.int64)
            known = outside[outside >= 0]
            missing = 0 if skip_oov else len(outside) - len(known)
            yield IntruderPool(vectors, known, missing, shared=np.full(len(members.known), -1))
        return
    if vocabulary is None:
        raise UsageError(f"intruders from {intruders!r} need a model with a vocabulary; 'other-categories' do not")
    rows = np.concatenate([np.zeros(0, np.int64), *(rows for rows, _ in vocabulary.blocks(_ROWS_AT_ONCE))])
    for members in categories:
        if intruders == "vocabulary":
            shared = np.where(members.rows >= 0, np.searchsorted(rows, members.rows), -1)
            yield IntruderPool(vocabulary.rows, rows, missing=0, shared=shared)
        else:
            other_rows = rows[~np.isin(rows, members.rows)]
            yield IntruderPool(vocabulary.rows, other_rows, missing=0, shared=np.full(len(members.known), -1))


def _exact(members: CategoryVectors, pool: IntruderPool, settings: OddOneOutOptions) -> PartScore:
    """The score of a category by all pairs of k of its words and an intruder; those with an unknown word are wrong."""
    size, k = len(members.known if settings.skip_oov else members.keys), settings.k
    if size < k:
        return score_of(members, 0, 0)
    # Each member that is in the pool is in C(size - 1, k - 1) combinations, into which it cannot come as well.
    impossible = int(np.count_nonzero(pool.shared >= 0)) * comb(size - 1, k - 1)
    correct = 0
    if (known := len(members.known)) >= k:
        if comb(known, k - 1) * known > _MOST_LIMITS:
            raise UsageError(
                f"category {members.name!r}: {known} words have {comb(known, k):,} combinations, too many to compare "
                "them all; draw a sample"
            )
        counter = ExactCounter(settings.distance, prepare(settings.distance, members.vectors), k)
        for start in range(0, len(pool.rows), _ROWS_AT_ONCE):
            block = pool.vectors[pool.rows[start : start + _ROWS_AT_ONCE]].astype(np.float64)
            correct += counter.count(prepare(settings.distance, block))
    return score_of(members, correct, comb(size, k) * len(pool) - impossible)


class ExactCounter:
    """Counts, for the prepared vectors of a category, the pairs (S, w) in which w stands out.

    Each pair takes k comparisons, one for each s in S, of a number for w and T (S without s) with one for S. So F_T(w)
    is computed once for each w and each of the C(n, k - 1) sets T, and a combination costs k comparisons of rows. In
    lexicographic order the sets S that share all but their last member are neighbours, and so are the rows of F that
    they need: they are compared at once.
    """

    def __init__(self, distance: Distance, members: Rows, k: int) -> None:
        self._distance, self._members, self._k = distance, members, k
        self._subsets = np.asarray(list(combinations(range(members.shape[0]), k - 1)), dtype=np.int64)
        self._steps = list(steps(members.shape[0], k))  # which rows of F each run of neighbouring sets needs
        # What w has to exceed: F_T(s), plus what is still a tie.
        tie = tie_margin(distance, members) * (k + 1) / (2 if distance == "euclidean" else 1)  # as a difference of F
        self._limits = self._table(members)[0] + tie

    def count(self, words: Rows) -> int:
        """How many pairs of any combination and any of the words, shape ``(words, d)``, have the word standing out.

        A word of the combination never does: it ties with itself.
        """
        # F has a row for each T, so the more of these there are, the fewer words are taken at once.
        size, total = max(_FEWEST_WORDS_AT_ONCE, _COMPARED_AT_ONCE // len(self._subsets)), 0
        for start in range(0, words.shape[0], size):
            table, swap = self._table(words[start : start + size])
            for step in self._steps:
                wins = self._exceeds(table, swap, step.prefix, step.later)
                for member, rows in step.others:
                    wins &= self._exceeds(table, swap, rows, member)
                total += int(np.count_nonzero(wins))
        return total

    def _table(self, words: Rows) -> tuple[Vector, Vector | None]:
        """F_T(w), a row for each T and a column for each w; and swap_s(w), a row for each s.

        The comparison of an intruder w with a member s of S, where T is S without s, is
        F_T(w) - swap_s(w) > F_T(s) + tolerance:

        euclidean    m (|w - μ|² - |s - μ|²) = 2 (F_T(w) - F_T(s)) with F_T(x) = (m - 2)/2 |x|² - Σ_T x·t.
        cosine-unit  the projections of s and w on the mean differ by (F_T(w) - F_T(s)) / m with F_T(x) = -Σ_T x·t.
        cosine-raw   the projections differ by (F_T(w) - swap_s(w) - F_T(s)) / m with F_T(x) = -|x| - Σ_T x·t/|x| and
                     swap_s(w) = w·s (1/|w| - 1/|s|).

        In one dimension, S = {0, 2} and w = 9: k = 2, m = 3 and μ = 11/3. w is the farthest from μ. Against s = 2,
        T = {0}: euclidean F_T(w) = 1/2 · 81 - 9·0 = 40.5 and F_T(s) = 1/2 · 4 - 2·0 = 2, and indeed
        3 (|9 - μ|² - |2 - μ|²) = 3 (28.44 - 2.78) = 77 = 2 (40.5 - 2).
        """
        each, base, swap = embeddings.products(self._members, words), np.zeros(words.shape[0]), None
        if self._distance == "euclidean":
            base = (self._k - 1) / 2 * embeddings.paired_products(words, words)
        elif self._distance == "cosine-raw":
            base = -embeddings.lengths(words)
            swap = each / -base - each / embeddings.lengths(self._members)[:, None]
            each = each / -base
        table = np.tile(base, (len(self._subsets), 1))
        for member in self._subsets.T:
            table -= each[member]
        return table, swap

    def _exceeds(self, table: Vector, swap: Vector | None, rows: int | slice, members: int | slice) -> Flags:
        """Where F_T(w), less swap_s(w), is above what s has, for one T and several s or the other way about."""
        values = table[rows] if swap is None else table[rows] - swap[members]
        return np.asarray(values > self._limits[rows, members][:, None])


class Step(NamedTuple):
    """Some combinations S: k - 1 members, row ``prefix`` of F, with each of the ``later`` members as the last one.

    ``others`` has each of the k - 1 members with the rows of F, parallel to ``later``, of S without it.
    """

    prefix: int
    later: slice
    others: tuple[tuple[int, slice], ...]


def steps(count: int, k: int) -> Iterator[Step]:
    """Steps that go through every combination S of k of ``count`` members once; k is at least 2.

    F is the table of ``ExactCounter``: its rows are the combinations of k - 1 members in lexicographic order. A step
    says which of its rows its combinations are compared by. With n = 4 and k = 3 the rows of F are T = 01, 02, 03, 12,
    13, 23. The first step is the prefix 01 with the later members 2 and 3, that is S = 012 and 013. It compares row 01
    with s = 2 and s = 3; rows 12 and 13 with s = 0; and rows 02 and 03 with s = 1: three slices of neighbouring rows,
    whatever n is.

    >>> next(steps(4, 3))
    Step(prefix=0, later=slice(2, 4, None), others=((0, slice(3, 5, None)), (1, slice(1, 3, None))))
    """
    subsets = list(combinations(range(count), k - 1))
    row_of = {subset: row for row, subset in enumerate(subsets)}
    for row, subset in enumerate(subsets):
        last = subset[-1]
        if last + 1 < count:
            others = []
            for member in subset:
                rest = tuple(other for other in subset if other != member)
                # The rests with each later member are neighbours; this is the row of the first of them.
                start = row_of[*rest, last + 1]
                others.append((member, slice(start, start + count - (last + 1))))
            yield Step(row, slice(last + 1, count), tuple(others))


def _sampled(members: CategoryVectors, pool: IntruderPool, settings: OddOneOutOptions, seed: int) -> PartScore:
    """The score of a category by drawn pairs; the pair of each number depends on it and the seed alone.

    Every number has a key for each word, of which the k lowest make S, and one more that chooses w among those of the
    pool that are not in S. A pair with a word that has no vector is wrong. A category from which no pair can be drawn
    scores 0 of 0.
    """
    k, distance = settings.k, settings.distance
    # The words that S is taken from: for each its row among the known vectors, -1 if it has none.
    words = np.full(len(members.keys), -1)
    words[members.known] = np.arange(len(members.known))
    words = words[words >= 0] if settings.skip_oov else words
    if len(words) < k or len(pool) <= min(k, int(np.count_nonzero(pool.shared >= 0))):
        return score_of(members, 0, 0)
    if not len(members.known):
        return score_of(members, 0, settings.sample)
    vectors, correct = prepare(distance, members.vectors), 0
    for start in range(0, settings.sample, _PAIRS_AT_ONCE):
        numbers = np.arange(start, min(start + _PAIRS_AT_ONCE, settings.sample))
        keys = hash_keys(seed, numbers[:, None] * (len(words) + 1) + np.arange(len(words) + 1))
        sets = words[np.argsort(keys[:, :-1], axis=1)[:, :k]]
        # w is drawn by number among the words of the pool that are not in S. Each word of S in the pool, in ascending
        # order, moves the numbers from its own on up by one, which gives the index of w in the whole pool.
        in_pool = np.sort(np.where(sets >= 0, pool.shared[sets], -1), axis=1)
        choices = len(pool) - np.count_nonzero(in_pool >= 0, axis=1)
        intruders = (keys[:, -1] % choices.astype(np.uint64)).astype(np.int64)
        for index in in_pool.T:
            intruders += (index >= 0) & (intruders >= index)
        # The words without a vector are the last of the pool.
        has_vectors = (sets >= 0).all(axis=1) & (intruders < len(pool.rows))
        intruder_vectors = prepare(distance, pool.vectors[pool.rows[intruders[has_vectors]]].astype(np.float64))
        set_vectors = [vectors[rows] for rows in sets[has_vectors].T]
        is_odd = stands_out(distance, set_vectors, intruder_vectors, tie_margin(distance, vectors))
        correct += int(np.count_nonzero(is_odd))
    return score_of(members, correct, settings.sample)


def stands_out(distance: Distance, sets: Sequence[Rows], words: Rows, tie: float) -> Flags:
    """Whether each of p words stands out of its set, all prepared: k rows of shape ``(p, d)`` and ``(p, d)``.

    x·μ is a mean of products, and |x - μ|² is |x|² - 2 x·μ and what all words of a set have in common.
    """
    points = [*sets, words]
    gram = np.empty((words.shape[0], len(points), len(points)))
    for one, other in combinations_with_replacement(range(len(points)), 2):
        gram[:, one, other] = gram[:, other, one] = embeddings.paired_products(points[one], points[other])
    squares, to_mean = np.diagonal(gram, axis1=1, axis2=2), gram.mean(axis=2)
    far = squares - 2 * to_mean if distance == "euclidean" else -to_mean / np.sqrt(squares)
    return np.asarray(far[:, -1] > far[:, :-1].max(axis=1) + tie)


def prepare(distance: Distance, vectors: Rows) -> Rows:
    """The vectors whose mean is taken: unit vectors for ``cosine-unit``, raw ones otherwise."""
    return embeddings.unit(vectors) if distance == "cosine-unit" and vectors.shape[0] else vectors


def tie_margin(distance: Distance, members: Rows) -> float:
    """The difference up to which two squared distances, or projections on the mean, are a tie, for prepared members.

    It is a share of the category's largest squared length, or length; a tie counts against the model.
    """
    largest = float(embeddings.lengths(members).max())
    return embeddings.TIE_TOLERANCE * (largest**2 if distance == "euclidean" else largest)
