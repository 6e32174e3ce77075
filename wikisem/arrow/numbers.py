"""Sets of whole numbers as sorted arrays: what is distinct, what is repeated, what is in both.

Sorting is several times as fast as ``np.unique``, which hashes since numpy 2.3 (5 s for 5 million numbers, 0.05 s here;
2026-11) and imports masked arrays first (50 ms in every worker).
"""

from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]
_Whole = TypeVar("_Whole", bound=np.integer[Any])


def distinct(numbers: npt.NDArray[_Whole]) -> npt.NDArray[_Whole]:
    """The numbers in ascending order, each once.

    >>> distinct(np.array([7, 3, 7, 3, 9])).tolist()
    [3, 7, 9]
    """
    ordered = np.sort(numbers)
    once: npt.NDArray[_Whole] = ordered[differs_from_previous(ordered)]
    return once


def differs_from_previous(ordered: npt.NDArray[_Whole]) -> npt.NDArray[np.bool_]:
    """For each element whether it differs from the one before it, as the first does; the shape is that of ``ordered``.

    >>> differs_from_previous(np.array([3, 3, 7])).tolist()
    [True, False, True]
    """
    first = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return first


def union(parts: Iterable[Numbers]) -> Numbers:
    """The numbers that are in any of the arrays, in ascending order, each once."""
    return distinct(join(parts))


def repeated(parts: Iterable[Numbers]) -> Numbers:
    """The numbers that the arrays together hold more than once, in ascending order, each once.

    >>> repeated([np.array([7, 3]), np.array([5, 7, 3, 7])]).tolist()
    [3, 7]
    """
    ordered = np.sort(join(parts))
    return distinct(ordered[1:][ordered[1:] == ordered[:-1]])


def join(parts: Iterable[Numbers]) -> Numbers:
    """The arrays end to end; an empty array where there are none."""
    return np.concatenate([np.empty(0, np.int64), *parts])


def is_in(numbers: Numbers, known: Numbers) -> npt.NDArray[np.bool_]:
    """Whether each number is among ``known``, which ascends; the shape is that of ``numbers``."""
    if not known.size:
        return np.zeros(numbers.shape, np.bool_)
    found: npt.NDArray[np.bool_] = known[np.minimum(np.searchsorted(known, numbers), known.size - 1)] == numbers
    return found
