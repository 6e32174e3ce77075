"""Sorting and looking up large arrays of integers.

``np.sort`` on plain integers is vectorised, so pairs are packed into one integer each before they are sorted.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.arrow.numbers import differs_from_previous, distinct
from wikisem.graph.array_types import Flags, Int64s, Ints

PairKeys = npt.NDArray[np.uint64]

# Two numbers below 2**32 share one unsigned 64-bit key, so that sorting pairs is sorting plain integers.
SHIFT: Final = np.uint64(32)
_LOW: Final = np.uint64(0xFFFFFFFF)


def pack_pairs(first: Ints, second: Ints) -> PairKeys:
    """Pairs of numbers below 2**32 as keys that sort by first, then second.

    >>> keys = pack_pairs(np.array([2, 1]), np.array([5, 9]))
    >>> keys.sort()
    >>> first_of(keys).tolist(), second_of(keys).tolist()
    ([1, 2], [9, 5])
    """
    keys = first.astype(np.uint64)
    keys <<= SHIFT
    keys |= second.astype(np.uint64, copy=False)
    return keys


def first_of(keys: PairKeys) -> npt.NDArray[np.uint32]:
    """The first numbers of packed pairs."""
    return (keys >> SHIFT).astype(np.uint32)


def second_of(keys: PairKeys) -> npt.NDArray[np.uint32]:
    """The second numbers of packed pairs."""
    return (keys & _LOW).astype(np.uint32)


def sort_pairs(keys: PairKeys) -> PairKeys:
    """Packed pairs in ascending order, each once; sorts ``keys`` in place."""
    keys.sort()
    first = differs_from_previous(keys)
    return keys if first.all() else keys[first]


def rank_keys(keys: Ints) -> tuple[int, Int64s]:
    """How many distinct keys there are, and the index of each key among them in ascending order.

    >>> count, ranks = rank_keys(np.array([70, 20, 70]))
    >>> count, ranks.tolist()
    (2, [1, 0, 1])
    """
    known = distinct(keys)
    return len(known), np.searchsorted(known, keys)


def narrow(ascending: Ints) -> Ints:
    """Ascending numbers as uint32 if the last of them fits."""
    return ascending if len(ascending) and int(ascending[-1]) >> 32 else ascending.astype(np.uint32)


def sorted_order(numbers: Ints) -> npt.NDArray[np.uint32]:
    """The stable order that sorts non-negative numbers: ``numbers[order]`` ascends."""
    if len(numbers) and int(numbers.max()) >> 32:
        return np.argsort(numbers, kind="stable").astype(np.uint32)
    keys = pack_pairs(numbers, np.arange(len(numbers), dtype=np.uint32))
    keys.sort()
    return second_of(keys)


def indices_of(numbers: Ints, known: Ints) -> tuple[Int64s, Flags]:
    """The index of each number in the ascending ``known``, and whether it is there at all (else the index is invalid).

    >>> indices, found = indices_of(np.array([7, 5, 9]), np.array([5, 7]))
    >>> indices[found].tolist(), found.tolist()
    ([1, 0], [True, True, False])
    """
    if not len(known):
        return np.zeros(len(numbers), dtype=np.int64), np.zeros(len(numbers), dtype=bool)
    # In ascending order, so that successive look-ups hit the cache; and of the same width, because numpy would widen
    # all of ``known`` otherwise.
    order = sorted_order(numbers)
    asked = np.minimum(numbers[order], known[-1]).astype(known.dtype)
    indices = np.empty(len(numbers), dtype=np.int64)
    indices[order] = np.searchsorted(known, asked)
    return indices, known[indices] == numbers
