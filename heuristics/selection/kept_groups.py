"""Which groups are kept: the first in class order, up to ``max_groups``, and none that repeats an earlier one."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import indices_of
from wikisem.recipes.options import Recipe
from wikisem.sampling import hash_keys

CAPPED: Final = "capped"
NEAR_DUPLICATE: Final = "near-duplicate"


def in_class_order(graph: ClassGraph, numbers: Sequence[int], recipe: Recipe) -> list[int]:
    """Class numbers in the order in which their groups are kept, which is the same everywhere.

    "sample" takes classes in the order of their hash keys; "prominence" those whose own item has most sitelinks, ties
    by number (a class that is no item of the dump counts as having none).
    """
    known = np.array(sorted(numbers), dtype=np.int64)
    if recipe.cluster.class_order == "sample":
        order = np.argsort(hash_keys(recipe.seed, known), kind="stable")
    else:
        nodes, _ = indices_of(known, graph.nodes)
        order = np.argsort(-np.maximum(graph.class_sitelinks[nodes], 0), kind="stable")
    ordered: list[int] = known[order].tolist()
    return ordered


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """The class whose group is kept instead, and how many cluster items the two groups share."""

    kept: int
    shared: int


@dataclass(slots=True)
class EarlierClusters:
    """The clusters that were added so far, by number, and what a further one has in common with each."""

    _owners: dict[str, list[int]] = field(default_factory=dict)

    def shared(self, items: Iterable[str]) -> Counter[int]:
        """How many of these items, each given once, are in each of the clusters; none where there are none."""
        return Counter(owner for item in items for owner in self._owners.get(item, ()))

    def add(self, number: int, items: Iterable[str]) -> None:
        """Add a cluster, each of whose items is given once."""
        for item in items:
            self._owners.setdefault(item, []).append(number)


def near_duplicates(clusters: Iterable[tuple[int, Sequence[str]]], number: int) -> dict[int, NearDuplicate]:
    """The classes whose cluster has at least ``number`` items of the cluster of a class that came earlier and is kept.

    Five classes of municipalities may have seven members in common.

    ``clusters`` are classes with the items of their clusters, in class order. Only kept clusters count: of three
    clusters in a chain, the last may be kept because the middle one is not. Each result names the kept class with which
    it shares most items, the first of these in class order.

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
