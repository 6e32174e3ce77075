"""Topk and OddOneOut on the words of categories (Stringham and Izbicki 2020), and both in one number.

Topk (equations 1 and 2) is how many of a word's nearest neighbours are in its category. A neighbour is any other word
of the vocabulary, by cosine or another similarity; a word that is looked up as several parts has these left out of its
neighbours as well, as gensim does with the words of a query. Of neighbours that are equally near, those outside the
category come first, so that ties count against the model.

OddOneOut (section 2.2) is how often a word w from elsewhere is the odd one among a set S of k words of a category. With
μ = (w + ΣS) / m, the mean of these m = k + 1 words (equations 3 to 5), the odd one is, by a published reading:

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
    the vector of ``owners[i]`` was made of; ``rows`` has the row of each that is one word of the vocabulary, or -1.
    "New York", the third known word, may have the parts "new" and "york": their rows are ``parts`` of the owner 2.
    """

    name: str
    keys: tuple[tuple[str, ...], ...]
    known: IntArray
    vectors: Rows
    owners: IntArray
    parts: IntArray
    rows: IntArray


def look_up_category(category: WordCategory, model: EmbeddingModel) -> CategoryVectors:
    """Find the vectors of a category's words, and the rows of the vocabulary that each was made of.

    A word's key is the parts that it is looked up as: "New York" and "new_york" have one key and are one word.
    """
    words: dict[tuple[str, ...], str] = {}
    for word in category.words:
        words.setdefault(tuple(model.parts(word)), word)
    vectors = model.find(words.values())
    known = {key: vectors[word] for key, word in words.items() if word in vectors}
    # Each known word beside each row of the vocabulary that it was made of; -1 where a word has not one row of its own.
    row_of = model.words.index if model.words else {}
    made_of = [(owner, row_of[part]) for owner, key in enumerate(known) for part in key if part in row_of]
    owners, parts = np.array(made_of, np.int64).reshape(-1, 2).T
    return CategoryVectors(
        category.name,
        keys=tuple(words),
        known=np.array([place for place, key in enumerate(words) if key in known], np.int64),
        vectors=embeddings.stack(list(known.values())),
        owners=owners,
        parts=parts,
        rows=np.array([row_of.get(key[0], -1) if len(key) == 1 else -1 for key in known], np.int64),
    )


def score_of(members: CategoryVectors, correct: int, comparisons: int) -> PartScore:
    """The score of a category, with what is known about its words."""
    return PartScore(members.name, len(members.keys), len(members.keys) - len(members.known), correct, comparisons)


def scored(model: str, dataset: str, vocabulary_size: int | None, scores: Sequence[PartScore]) -> Scored:
    """The mean of a model's scores over the categories that were not skipped, with error bars; and each category's."""
    shares = [(index, score.percent / 100) for index, score in enumerate(scores) if score.percent is not None]
    sums = np.array([share for _, share in shares], dtype=np.float64)[:, None]
    asked = [index for index, _ in shares]  # models are compared on categories that none of them skipped
    whole = Tally(("score",), sums=sums, counts=np.ones(len(shares)), asked=asked, unit="category")
    without_bars: dict[Part, Mapping[str, float | None]] = {}
    for score in scores:
        words = {"cases": score.comparisons, "words": score.count, "missing": score.missing}
        without_bars[Part("category", score.name)] = {**words, "correct": score.correct, "score": score.percent}
    skipped = {"skipped_categories": len(scores) - len(shares), "vocabulary_size": vocabulary_size}
    return Scored(model, dataset, "own", parts={WHOLE: whole}, plain=without_bars | {Part(COVERAGE): skipped})


def score_topk(
    members: CategoryVectors, vocabulary: WordVectors, k: int, skip_oov: bool = False, similarity: Similarity = cosine
) -> PartScore:
    """Count, for each word of a category, how many of its k nearest neighbours are in the category: Topk is the share.

    A word out of vocabulary has none of them, unless ``skip_oov`` leaves it out. No list of neighbours is made: the
    i-th nearest member is among the k nearest neighbours if at most k - i words outside the category are as near, so
    that it is enough to count these, block by block.
    """
    known = len(members.known)
    count = known if skip_oov else len(members.keys)
    if count < _FEWEST_WORDS:
        return score_of(members, correct=0, comparisons=0)
    if not known:
        return score_of(members, correct=0, comparisons=count * k)
    own_rows = members.rows[members.rows >= 0]
    near = _nearness(members, own_rows, vocabulary.rows[own_rows].astype(np.float64), similarity)
    nearest = -np.sort(-near, axis=1)[:, :k]  # similarities of the nearest members, largest first: (known, up to k)
    outside = np.zeros(nearest.shape, dtype=np.int64)  # how many words outside the category are as near
    words_at_once = _NUMBERS_AT_ONCE // max(known, embeddings.width(vocabulary.rows)) + 1
    for rows, vectors in vocabulary.blocks(words_at_once):
        near = _nearness(members, rows, vectors, similarity)
        near[:, np.isin(rows, own_rows)] = -np.inf
        for index in range(nearest.shape[1]):
            outside[:, index] += np.count_nonzero(near >= nearest[:, index, None] - embeddings.TIE_TOLERANCE, axis=1)
    ranks = np.arange(1, nearest.shape[1] + 1)
    hits = np.count_nonzero((outside + ranks <= k) & np.isfinite(nearest))
    return score_of(members, int(hits), count * k)


def _nearness(members: CategoryVectors, rows: IntArray, vectors: Rows, similarity: Similarity) -> Vector:
    """Similarities of members to some words of the vocabulary, with these ``rows`` and ``vectors``: ``(known, words)``.

    A word that a member was looked up as is no neighbour of it: the similarity is minus infinity for the member itself,
    and for "new" and "york" if the vector of "New York" is their mean.
    """
    near = similarity(members.vectors, vectors)
    column_of = {row: column for column, row in enumerate(rows.tolist())}
    for owner, part in zip(members.owners.tolist(), members.parts.tolist(), strict=True):
        if part in column_of:
            near[owner, column_of[part]] = -np.inf
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
    """Yield for each category how often an intruder is the odd one beside k of its words, of all pairs or of a sample.

    A category with fewer than k words is skipped. Raises UsageError without a vocabulary to take intruders from, or for
    a category so large that its table of comparisons does not fit into memory.
    """
    sources = intruder_pools(categories, vocabulary, settings.intruders, settings.skip_oov)
    for number, (members, pool) in enumerate(zip(categories, sources, strict=True)):
        if settings.sample:
            yield _sampled(members, pool, settings, hash_key(settings.seed, number))
        else:
            yield _exact(members, pool, settings)


@dataclass(frozen=True, slots=True, eq=False)
class IntruderPool:
    """The words that may come into a category: ``rows`` of ``vectors``, then ``missing`` more without a vector.

    ``shared`` has, for each known member of the category, its place in ``rows``, -1 for those that are not there; such
    a word comes only into combinations without it.
    """

    vectors: Rows
    rows: IntArray
    missing: int
    shared: IntArray


def intruder_pools(
    categories: Sequence[CategoryVectors], vocabulary: WordVectors | None, intruders: Intruders, skip_oov: bool
) -> Iterator[IntruderPool]:
    """Yield the words from which the intruders into each category are taken: of other categories, or the vocabulary.

    UsageError if they are to come from the vocabulary of a model that lists no words.
    """
    # The words of all other categories, by the key that they are looked up as.
    if intruders == "other-categories":
        # The row of each word among the vectors of all categories; -1 without a vector.
        row_of, start = dict[tuple[str, ...], int](), 0
        for category in categories:
            row_of |= dict.fromkeys(category.keys, -1)
            row_of |= {category.keys[index]: start + row for row, index in enumerate(category.known.tolist())}
            start += len(category.known)
        vectors = embeddings.stack([category.vectors for category in categories if len(category.known)])
        for members in categories:
            inside = set(members.keys)
            outside = np.array([row for key, row in row_of.items() if key not in inside], np.int64)
            known = outside[outside >= 0]
            missing = 0 if skip_oov else len(outside) - len(known)
            # No member is in the pool, so all of ``shared`` is -1.
            yield IntruderPool(vectors, known, missing, shared=np.full(len(members.known), -1))
        return
    # The whole vocabulary, with the category's own words or without them.
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
    """Count all pairs of k words of a category and an intruder, and those in which the intruder is the odd one."""
    size, k = len(members.known if settings.skip_oov else members.keys), settings.k
    if size < k:
        return score_of(members, correct=0, comparisons=0)
    # A member that is itself in the pool cannot intrude into the C(size - 1, k - 1) combinations that it is part of.
    impossible = int(np.count_nonzero(pool.shared >= 0)) * comb(size - 1, k - 1)
    correct = 0
    if (known := len(members.known)) >= k:
        # The counter compares with a number for each k - 1 of the known words and each word.
        if comb(known, k - 1) * known > _MOST_LIMITS:
            seen = f"{known} words have {comb(known, k):,} combinations, too many to compare them all"
            raise UsageError(f"category {members.name!r}: {seen}; draw a sample")
        counter = ExactCounter(settings.distance, prepare(settings.distance, members.vectors), k)
        for start in range(0, len(pool.rows), _ROWS_AT_ONCE):
            block = pool.vectors[pool.rows[start : start + _ROWS_AT_ONCE]].astype(np.float64)
            correct += counter.count(prepare(settings.distance, block))
    # Pairs with a word out of vocabulary are among all pairs, but never correct.
    return score_of(members, correct, comb(size, k) * (len(pool.rows) + pool.missing) - impossible)


class ExactCounter:
    """Counts, for the prepared vectors of a category, the pairs (S, w) in which w stands out.

    Each pair takes k comparisons, one for each s in S, of a number for w and T (S without s) with one for S. So F_T(w)
    is computed once for each w and each of the C(n, k - 1) sets T. In lexicographic order the sets S that share all but
    their last member are neighbours, and so are the rows of F that they need: they are compared at once.
    """

    def __init__(self, distance: Distance, members: Rows, k: int) -> None:
        self._distance, self._members, self._k = distance, members, k
        self._subsets = np.asarray(list(combinations(range(members.shape[0]), k - 1)), dtype=np.int64)
        self._steps = list(steps(members.shape[0], k))  # which rows of F each run of neighbouring sets needs
        # What w has to exceed: F_T(s), plus what is still a tie.
        tie = tie_margin(distance, members) * (k + 1) / (2 if distance == "euclidean" else 1)  # as a difference of F
        self._limits = self._table(members)[0] + tie

    def count(self, words: Rows) -> int:
        """In how many pairs of a combination S of k members and one of the words, shape ``(words, d)``, it stands out.

        It does if it exceeds each s in S: if the number of the word and T, S without s, is above that of s and T
        (``_table``). A word of S ties with itself.
        """
        # The table has a row for each k - 1 members, so the more of these there are, the fewer words are taken at once.
        size, total = max(_FEWEST_WORDS_AT_ONCE, _COMPARED_AT_ONCE // len(self._subsets)), 0
        for start in range(0, words.shape[0], size):
            table, swap = self._table(words[start : start + size])
            # Combinations that share all but their last member: w is compared with the last ones, then with the others.
            for step in self._steps:
                exceeds_all = self._exceeds(table, swap, step.prefix, step.later)
                for member, rows in step.others:
                    exceeds_all &= self._exceeds(table, swap, rows, member)
                total += int(np.count_nonzero(exceeds_all))
        return total

    def _table(self, words: Rows) -> tuple[Vector, Vector | None]:
        """The numbers F_T(w), a row for each set T of k - 1 members, and swap_s(w), a row for each member s.

        The columns are the words w. By these numbers w is compared with s, a member of S; T is S without s, and μ is
        the mean of S and w, of m = k + 1 words. w stands out more than s if F_T(w) - swap_s(w) > F_T(s) + tolerance:

        euclidean    m (|w - μ|² - |s - μ|²) = 2 (F_T(w) - F_T(s)) with F_T(x) = (m - 2)/2 |x|² - Σ_T x·t.
        cosine-unit  the projections of s and w on the mean differ by (F_T(w) - F_T(s)) / m with F_T(x) = -Σ_T x·t.
        cosine-raw   the projections differ by (F_T(w) - swap_s(w) - F_T(s)) / m with F_T(x) = -|x| - Σ_T x·t/|x| and
                     swap_s(w) = w·s (1/|w| - 1/|s|).

        In one dimension, S = {0, 2} and w = 9: k = 2, m = 3 and μ = 11/3. w is the farthest from μ. Against s = 2,
        T = {0}: euclidean F_T(w) = 1/2 · 81 - 9·0 = 40.5 and F_T(s) = 1/2 · 4 - 2·0 = 2, and indeed
        3 (|9 - μ|² - |2 - μ|²) = 3 (28.44 - 2.78) = 77 = 2 (40.5 - 2).
        """
        # F is the first term, which is the word's alone, less the products with each member t of T.
        products, own_term, swap = embeddings.products(self._members, words), np.zeros(words.shape[0]), None
        if self._distance == "euclidean":
            own_term = (self._k - 1) / 2 * embeddings.paired_products(words, words)
        elif self._distance == "cosine-raw":
            own_term = -embeddings.lengths(words)
            swap = products / -own_term - products / embeddings.lengths(self._members)[:, None]
            products = products / -own_term
        table = np.tile(own_term, (len(self._subsets), 1))
        for members in self._subsets.T:
            table -= products[members]
        return table, swap

    def _exceeds(self, table: Vector, swap: Vector | None, rows: int | slice, members: int | slice) -> Flags:
        """Where F_T(w), less swap_s(w), is above what s has, for one T and several s or the other way about."""
        values = table[rows] if swap is None else table[rows] - swap[members]
        return np.asarray(values > self._limits[rows, members][:, None])


class Step(NamedTuple):
    """Combinations S of k members: k - 1 of them, row ``prefix`` of F, and each of the ``later`` members as the last.

    ``others`` has each of the k - 1 members with the rows of F, parallel to ``later``, of S without it.
    """

    prefix: int
    later: slice
    others: tuple[tuple[int, slice], ...]


def steps(count: int, k: int) -> Iterator[Step]:
    """Yield every combination S of k of ``count`` members once, in steps that share all but the last; k is at least 2.

    The table F has a row for each T, a combination of k - 1 members, in lexicographic order. For each member s of S, a
    step says which row has T = S without s. With 4 members and k = 3 the rows are T = 01, 02, 03, 12, 13, 23. The first
    step is the prefix 01 with the later members 2 and 3, that is S = 012 and 013. Without their last members, 2 and 3,
    both are row 01; without 0 they are rows 12 and 13, and without 1 rows 02 and 03: always slices, compared at once.

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
                # T is the rest with each later member in turn, in neighbouring rows; this is the first of them.
                start = row_of[*rest, last + 1]
                others.append((member, slice(start, start + count - (last + 1))))
            yield Step(row, slice(last + 1, count), tuple(others))


def _sampled(members: CategoryVectors, pool: IntruderPool, settings: OddOneOutOptions, seed: int) -> PartScore:
    """Draw pairs of a set S of k words of a category and an intruder w, and count those in which w is the odd one.

    The i-th pair depends on i and the seed alone. A pair with a word that has no vector is wrong. A category from which
    no pair can be drawn scores 0 of 0.
    """
    k, distance = settings.k, settings.distance
    # The words that S is drawn from: for each its row among the known vectors, -1 if it has none.
    words = np.full(len(members.keys), -1)
    words[members.known] = np.arange(len(members.known))
    words = words[words >= 0] if settings.skip_oov else words
    # There must be k words for a set, and an intruder left in the pool even if the set is taken from it.
    pool_size = len(pool.rows) + pool.missing
    most_in_both = min(k, int(np.count_nonzero(pool.shared >= 0)))
    if len(words) < k or pool_size <= most_in_both:
        return score_of(members, correct=0, comparisons=0)
    if not len(members.known):
        return score_of(members, correct=0, comparisons=settings.sample)
    vectors, correct = prepare(distance, members.vectors), 0
    for start in range(0, settings.sample, _PAIRS_AT_ONCE):
        numbers = np.arange(start, min(start + _PAIRS_AT_ONCE, settings.sample))
        # Random keys of each pair: one for each word, of which the k lowest make S, and a last one that chooses w.
        keys = hash_keys(seed, numbers[:, None] * (len(words) + 1) + np.arange(len(words) + 1))
        sets = words[np.argsort(keys[:, :-1], axis=1)[:, :k]]
        # w is drawn by number among the words of the pool that are not in S. Each place of a word of S in the pool, in
        # ascending order, moves the numbers from it on up by one, which gives the place of w in the whole pool.
        in_pool = np.sort(np.where(sets >= 0, pool.shared[sets], -1), axis=1)
        choices = pool_size - np.count_nonzero(in_pool >= 0, axis=1)
        intruders = (keys[:, -1] % choices.astype(np.uint64)).astype(np.int64)
        for place in in_pool.T:
            intruders += (place >= 0) & (intruders >= place)
        # The words without a vector are the last of the pool.
        has_vectors = (sets >= 0).all(axis=1) & (intruders < len(pool.rows))
        intruder_vectors = prepare(distance, pool.vectors[pool.rows[intruders[has_vectors]]].astype(np.float64))
        set_vectors = [vectors[rows] for rows in sets[has_vectors].T]
        is_odd = stands_out(distance, set_vectors, intruder_vectors, tie_margin(distance, vectors))
        correct += int(np.count_nonzero(is_odd))
    return score_of(members, correct, settings.sample)


def stands_out(distance: Distance, sets: Sequence[Rows], words: Rows, tie: float) -> Flags:
    """Whether each of p words is farther than all k words of its own set from the mean μ of these k + 1 words.

    ``sets`` has k arrays, one for the i-th word of each set; ``words`` is one more, all of prepared vectors ``(p, d)``.
    Farther is by more than ``tie``: of squared distances, or of projections on the mean, where the lowest is farthest.
    """
    points = [*sets, words]
    # The inner products of the k + 1 words of each set, shape (p, k + 1, k + 1).
    gram = np.empty((words.shape[0], len(points), len(points)))
    for one, other in combinations_with_replacement(range(len(points)), 2):
        gram[:, one, other] = gram[:, other, one] = embeddings.paired_products(points[one], points[other])
    # x·μ is a mean of products; |x - μ|² is |x|² - 2 x·μ and |μ|², which all words of a set have in common.
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
