"""OddOneOut on a seeded sample of pairs (S, w), as the authors' code has it: uniform, with replacement."""

from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.evaluation.category_words import CategoryVectors, IntArray
from wikisem.evaluation.oddoneout.definitions import Distance, prepare, stands_out, tie_margin
from wikisem.evaluation.oddoneout.intruders import IntruderPool
from wikisem.sampling import hash_keys

_PAIRS_AT_ONCE: Final = 4096


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
        total += int(
            np.count_nonzero(stands_out(distance, vectors[sets[whole]], others, tie_margin(distance, vectors)))
        )
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
