"""Analogy questions from word pairs: a is to b as c is to d (Mikolov et al. 2013; Gao et al. 2014, section 2)."""

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import numpy as np

from wikisem.sampling import hash_keys

Pair: TypeAlias = tuple[str, str]
Question: TypeAlias = tuple[str, str, str, str]

_RING: Final = 2**64
_DRAWS_AT_ONCE: Final = 1 << 16


def questions(pairs: Sequence[Pair], sample: int = 0, seed: int = 0) -> Iterator[Question]:
    """Yield all n(n-1) questions of n pairs, in order; or a sample of that size, in the same order, if there are more.

    >>> list(questions([("Athens", "Greece"), ("Oslo", "Norway")]))
    [('Athens', 'Greece', 'Oslo', 'Norway'), ('Oslo', 'Norway', 'Athens', 'Greece')]
    """
    total, size = len(pairs) * (len(pairs) - 1), count_questions(len(pairs), sample)
    for number in range(total) if size == total else sample_of(total, size, seed):
        first, second = divmod(number, len(pairs) - 1)
        # The second pair is any but the first.
        yield (*pairs[first], *pairs[second + (second >= first)])


def count_questions(pairs: int, sample: int = 0) -> int:
    """Return how many questions ``pairs`` pairs make: all n(n-1), or at most ``sample`` if that is not 0.

    >>> count_questions(4), count_questions(4, sample=10)
    (12, 10)
    """
    total = pairs * max(pairs - 1, 0)
    return min(sample or total, total)


def sample_of(total: int, size: int, seed: int) -> list[int]:
    """``size`` of the numbers 0 to ``total - 1``, sorted, all equally likely; always the same for the same seed."""
    if 2 * size > total:
        left_out = set(sample_of(total, total - size, seed))
        return [number for number in range(total) if number not in left_out]
    found: set[int] = set()
    draw = 0
    while len(found) < size:
        # Only as many draws as numbers are missing, so that there are never too many.
        keys = hash_keys(seed, np.arange(draw, draw + min(size - len(found), _DRAWS_AT_ONCE)))
        # Multiplying spreads the ring of 2**64 evenly over the numbers, which a remainder would not.
        found.update(key * total // _RING for key in keys.tolist())
        draw += len(keys)
    return sorted(found)
