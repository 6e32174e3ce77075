"""Which groups of a language repeat another one: five classes of municipalities may have seven members in common.

Groups are taken in class order, so that the one that is kept is the one that the cap would keep first.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

NEAR_DUPLICATE: Final = "near-duplicate"


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """The class whose group is kept instead, and how many cluster items the two groups share."""

    kept: int
    shared: int


def near_duplicates(clusters: Iterable[tuple[int, Sequence[str]]], number: int) -> dict[int, NearDuplicate]:
    """The classes whose cluster has at least ``number`` items of the cluster of a class that came earlier and is kept.

    ``clusters`` are classes with the items of their clusters, in class order. What is left out takes nothing with it:
    of three clusters in a chain, the last may be kept because the middle one is not. Each names the kept class with
    which it shares most items, the first of these in class order.

    >>> near_duplicates([(1, "abcd"), (2, "cdef"), (3, "efgh")], number=2)
    {2: NearDuplicate(kept=1, shared=2)}
    """
    owners: dict[str, list[int]] = {}
    found: dict[int, NearDuplicate] = {}
    kept: dict[int, int] = {}  # class -> its place among the kept ones
    for number_of_class, items in clusters:
        shared = Counter(owner for item in items for owner in owners.get(item, ()))
        nearest = min(shared, key=lambda owner: (-shared[owner], kept[owner]), default=None)
        if nearest is not None and shared[nearest] >= number:
            found[number_of_class] = NearDuplicate(nearest, shared[nearest])
            continue
        kept[number_of_class] = len(kept)
        for item in items:
            owners.setdefault(item, []).append(number_of_class)
    return found
