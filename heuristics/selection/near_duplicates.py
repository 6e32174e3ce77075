"""Which clusters share items, and which groups of a language repeat another one.

Five classes of municipalities may have seven members in common. Groups are taken in class order, so that the one that
is kept is the one that the cap would keep first.
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


class EarlierClusters:
    """The clusters that were added so far, by number, and what a further one has in common with each."""

    def __init__(self) -> None:
        self._owners: dict[str, list[int]] = {}

    def shared(self, items: Iterable[str]) -> Counter[int]:
        """How many of these items, each given once, are in each of the clusters; none where there are none."""
        return Counter(owner for item in items for owner in self._owners.get(item, ()))

    def add(self, number: int, items: Iterable[str]) -> None:
        """Add a cluster, each of whose items is given once."""
        for item in items:
            self._owners.setdefault(item, []).append(number)


def near_duplicates(clusters: Iterable[tuple[int, Sequence[str]]], number: int) -> dict[int, NearDuplicate]:
    """The classes whose cluster has at least ``number`` items of the cluster of a class that came earlier and is kept.

    ``clusters`` are classes with the items of their clusters, in class order. What is left out takes nothing with it:
    of three clusters in a chain, the last may be kept because the middle one is not. Each names the kept class with
    which it shares most items, the first of these in class order.

    >>> near_duplicates([(1, "abcd"), (2, "cdef"), (3, "efgh")], number=2)
    {2: NearDuplicate(kept=1, shared=2)}
    """
    earlier = EarlierClusters()
    found: dict[int, NearDuplicate] = {}
    kept: dict[int, int] = {}  # class -> its place among the kept ones
    for number_of_class, items in clusters:
        shared = earlier.shared(items)
        nearest = min(shared, key=lambda owner: (-shared[owner], kept[owner]), default=None)
        if nearest is not None and shared[nearest] >= number:
            found[number_of_class] = NearDuplicate(nearest, shared[nearest])
            continue
        kept[number_of_class] = len(kept)
        earlier.add(number_of_class, items)
    return found
