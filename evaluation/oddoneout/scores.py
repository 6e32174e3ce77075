"""OddOneOut: how often a word from elsewhere stands out of k words of a category (Stringham and Izbicki 2020, 2.2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb
from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.errors import UsageError
from wikisem.evaluation.category_words import CategoryScore, CategoryVectors, IntArray, score_of
from wikisem.evaluation.oddoneout.definitions import Distance, prepare, stands_out, tie_margin
from wikisem.evaluation.oddoneout.exact import ExactCounter
from wikisem.evaluation.oddoneout.intruders import IntruderPool, Intruders, intruder_pools
from wikisem.evaluation.vectors.words import WordVectors
from wikisem.sampling import hash_key, hash_keys

# 1 GB in double precision. For k = 3 that is a category of 645 words, which would take hours as it is.
_MOST_LIMITS: Final = 1 << 27
_PAIRS_AT_ONCE: Final = 4096
# Why a model with a similarity of its own is refused.
ODDONEOUT_DISTANCES: Final = "OddOneOut goes by distances of its own"


@dataclass(frozen=True, slots=True)
class OddOneOutOptions:
    """Which OddOneOut: the size of S, at least 2, the distance, where w comes from, and all pairs or a seeded sample.

    ``sample`` is the number of pairs (S, w) drawn for each category, with replacement; 0 takes all of them. A pair with
    a word out of vocabulary is wrong, unless ``skip_oov`` leaves such words out.
    """

    k: int = 3
    distance: Distance = "euclidean"
    intruders: Intruders = "vocabulary"
    skip_oov: bool = False
    sample: int = 0
    seed: int = 500


def score_oddoneout(
    categories: Sequence[CategoryVectors], vocabulary: WordVectors | None, settings: OddOneOutOptions
) -> Iterator[CategoryScore]:
    """The score of each category, one after the other; one with fewer than k words is skipped.

    Raises UsageError where there is no vocabulary to take intruders from, or where a category is so large that the
    numbers which all pairs are compared with do not fit into memory.
    """
    sources = intruder_pools(categories, vocabulary, settings.intruders, settings.skip_oov)
    for number, (members, pool) in enumerate(zip(categories, sources, strict=True)):
        if settings.sample:
            yield _sampled(members, pool, settings, hash_key(settings.seed, number))
        else:
            yield _exact(members, pool, settings)


def _words(members: CategoryVectors, settings: OddOneOutOptions) -> IntArray:
    """The words that S is taken from: for each the place of its vector, -1 if it has none."""
    words = np.full(len(members.keys), -1)
    words[members.known] = np.arange(len(members.known))
    return words[words >= 0] if settings.skip_oov else words


def _exact(members: CategoryVectors, pool: IntruderPool, settings: OddOneOutOptions) -> CategoryScore:
    size, k = len(_words(members, settings)), settings.k
    if size < k:
        return score_of(members, 0, 0)
    # Each member that is in the pool is in C(size - 1, k - 1) combinations, into which it cannot come as well.
    own = int(np.count_nonzero(pool.shared >= 0)) * comb(size - 1, k - 1)
    correct = 0
    if len(members.known) >= k:
        _check_size(members, k)
        counter = ExactCounter(settings.distance, prepare(settings.distance, members.vectors), k)
        correct = sum(counter.count(prepare(settings.distance, block)) for block in pool.blocks())
    return score_of(members, correct, comb(size, k) * len(pool) - own)


def _check_size(members: CategoryVectors, k: int) -> None:
    known = len(members.known)
    if comb(known, k - 1) * known > _MOST_LIMITS:
        raise UsageError(
            f"category {members.name!r}: {known} words have {comb(known, k):,} combinations, too many to compare them "
            "all; draw a sample"
        )


def _sampled(members: CategoryVectors, pool: IntruderPool, settings: OddOneOutOptions, seed: int) -> CategoryScore:
    words, k = _words(members, settings), settings.k
    if len(words) < k or len(pool) <= min(k, int(np.count_nonzero(pool.shared >= 0))):
        return score_of(members, 0, 0)
    correct = count_sampled(members, words, pool, k, settings.distance, seed, settings.sample)
    return score_of(members, correct, settings.sample)


def count_sampled(
    members: CategoryVectors, words: IntArray, pool: IntruderPool, k: int, distance: Distance, seed: int, sample: int
) -> int:
    """In how many of the sampled pairs w stands out of S.

    ``words`` are what S is drawn from: for each word the place of its vector, -1 for one that has none, with which, as
    with a w that has none, a pair is wrong. The pair of each number depends on it and the seed alone.
    """
    if not len(members.known):
        return 0
    vectors, total = prepare(distance, members.vectors), 0
    for start in range(0, sample, _PAIRS_AT_ONCE):
        numbers = np.arange(start, min(start + _PAIRS_AT_ONCE, sample))
        sets, intruders = draw_pairs(words, pool, k, seed, numbers)
        whole = (sets >= 0).all(axis=1) & (intruders < len(pool.rows))
        others = prepare(distance, pool.take(intruders[whole]))
        chosen = [vectors[places] for places in sets[whole].T]
        total += int(np.count_nonzero(stands_out(distance, chosen, others, tie_margin(distance, vectors))))
    return total


def draw_pairs(
    words: IntArray, pool: IntruderPool, k: int, seed: int, numbers: npt.NDArray[np.int64]
) -> tuple[IntArray, npt.NDArray[np.int64]]:
    """The pairs of these numbers: k of the words, shape ``(p, k)``, and the place of an intruder in the pool, ``(p,)``.

    Every number has a key for each word, of which the k lowest make S, and one more that chooses w among those of the
    pool that are not in S.
    """
    keys = hash_keys(seed, numbers[:, None] * (len(words) + 1) + np.arange(len(words) + 1))
    sets = words[np.argsort(keys[:, :-1], axis=1)[:, :k]]
    taken = np.sort(np.where(sets >= 0, pool.shared[sets], -1), axis=1)
    free = len(pool) - np.count_nonzero(taken >= 0, axis=1)
    intruders = (keys[:, -1] % free.astype(np.uint64)).astype(np.int64)
    for place in taken.T:
        intruders += (place >= 0) & (intruders >= place)
    return sets, intruders
