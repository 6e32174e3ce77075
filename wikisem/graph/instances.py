"""The items of many tables in the order of their numbers, put together a stretch of numbers at a time.

Every table has its items in order, so a stretch is a slice of each. It is small enough to be sorted, looked up and
rearranged within the cache, and what all items together take is written once.

The items of each class, most prominent first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.graph.csr import Rows, offsets_of
from wikisem.graph.edges import Edges, places_of
from wikisem.graph.sorting import Keys, sorted_order
from wikisem.graph.types import Index, Ints

# Stands for a class that is not in the graph.
GONE: Final = np.uint32(2**32 - 1)
# Items of a stretch, about: a few megabytes.
_STRETCH: Final = 1 << 18
# Every so many-th item of each table says where stretches should end.
_SAMPLE: Final = 1 << 6


@dataclass(frozen=True, slots=True)
class Part:
    """The edges of one table, and for each of its classes the node that it is, or ``GONE``."""

    edges: Edges
    nodes: npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Instances:
    """The items that are an instance of a node, with their nodes, and the sitelinks of the nodes' own items or -1."""

    items: Ints
    sitelinks: npt.NDArray[np.int32]
    classes: Rows
    class_sitelinks: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class _Items:
    """Some items with their nodes, of which each has ``counts[i]``, one after another in ``targets``."""

    numbers: Ints
    sitelinks: npt.NDArray[np.int32]
    counts: Ints
    targets: Ints

    def sort(self) -> "_Items":
        """The same in the order of their numbers."""
        order = sorted_order(self.numbers)
        rows = Rows(offsets_of(self.counts), self.targets).take(order)
        return _Items(self.numbers[order], self.sitelinks[order], rows.counts(), rows.targets)

    def without(self, removed: Index) -> "_Items":
        """Those that are not removed and have a node left, each with the nodes that are left."""
        left = self.targets != GONE
        places, found = places_of(removed, self.numbers)
        gone = np.zeros(len(self.numbers), dtype=bool)
        gone[places[found]] = True
        left &= ~np.repeat(gone, self.counts)
        counts = Rows(offsets_of(self.counts), self.targets).keep(left).counts()
        able = counts > 0
        return _Items(self.numbers[able], self.sitelinks[able], counts[able], self.targets[left])


def gather(parts: Sequence[Part], nodes: Index, removed: Index) -> Instances:
    """All items of all parts that have a node and whose number is not among those ``removed``."""
    bounds = _bounds(parts)
    cuts = [_cuts(part.edges.items, bounds) for part in parts]
    node_cuts, removed_cuts = _cuts(nodes, bounds), _cuts(removed, bounds)
    class_sitelinks = np.full(len(nodes), -1, dtype=np.int32)
    columns = _Columns(parts)
    for number in range(len(bounds) + 1):
        here = slice(number, number + 2)
        items = _slice(parts, [cut[here] for cut in cuts]).sort()
        places, found = places_of(nodes[slice(*node_cuts[here])], items.numbers)
        class_sitelinks[slice(*node_cuts[here])][found] = items.sitelinks[places[found]]
        columns.append(items.without(removed[slice(*removed_cuts[here])]))
    return columns.finish(class_sitelinks)


def _bounds(parts: Sequence[Part]) -> Ints:
    """The numbers at which one stretch ends and the next begins."""
    sample = np.sort(np.concatenate([part.edges.items[::_SAMPLE] for part in parts]))
    return sample[:: _STRETCH // _SAMPLE][1:]


def _cuts(numbers: Ints, bounds: Ints) -> list[int]:
    return [0, *np.searchsorted(numbers, bounds).tolist(), len(numbers)]


def _slice(parts: Sequence[Part], cuts: Sequence[list[int]]) -> _Items:
    columns = []
    for part, (begin, end) in zip(parts, cuts, strict=True):
        offsets = part.edges.kinds.offsets[begin : end + 1]
        targets = part.nodes[part.edges.kinds.targets[offsets[0] : offsets[-1]]]
        columns.append((part.edges.items[begin:end], part.edges.sitelinks[begin:end], np.diff(offsets), targets))
    return _Items(*map(np.concatenate, zip(*columns, strict=True)))


class _Columns:
    """The arrays of all items, filled from the front; what is left over behind takes no memory."""

    def __init__(self, parts: Sequence[Part]) -> None:
        items = sum(len(part.edges.items) for part in parts)
        kinds = sum(len(part.edges.kinds.targets) for part in parts)
        wide = any(part.edges.items.dtype.itemsize > 4 for part in parts)
        self._items: Ints = np.empty(items, dtype=np.int64 if wide else np.uint32)
        self._sitelinks = np.empty(items, dtype=np.int32)
        self._offsets: Ints = np.zeros(items + 1, dtype=np.int64 if kinds >> 32 else np.uint32)
        self._targets: Ints = np.empty(kinds, dtype=np.uint32)
        self._count = self._pairs = 0

    def append(self, items: _Items) -> None:
        """Put some items behind those that are there."""
        here = slice(self._count, self._count + len(items.numbers))
        self._items[here], self._sitelinks[here] = items.numbers, items.sitelinks
        self._offsets[here.start + 1 : here.stop + 1] = offsets_of(items.counts)[1:] + self._pairs
        self._targets[self._pairs : self._pairs + len(items.targets)] = items.targets
        self._count, self._pairs = here.stop, self._pairs + len(items.targets)

    def finish(self, class_sitelinks: npt.NDArray[np.int32]) -> Instances:
        """What was appended."""
        classes = Rows(self._offsets[: self._count + 1], self._targets[: self._pairs])
        return Instances(self._items[: self._count], self._sitelinks[: self._count], classes, class_sitelinks)


# A class, sitelinks and an item share a sort key of so many bits; Wikidata needs 57 of them: 22, 9 and 26.
KEY_BITS: Final = 64
_CHUNK: Final = 1 << 18


def by_prominence(classes: Rows, sitelinks: npt.NDArray[np.int32], count: int) -> Rows:
    """The items of each of ``count`` nodes, most sitelinks first; equal ones by number, which is their place.

    ``classes`` has the nodes of each item.
    """
    offsets = offsets_of(np.bincount(classes.targets, minlength=count))
    item_bits, link_bits = len(classes).bit_length(), int(sitelinks.max(initial=0)).bit_length()
    if count.bit_length() + link_bits + item_bits > KEY_BITS:
        owners = classes.sources()
        return Rows(offsets, owners[np.lexsort((owners, -sitelinks[owners], classes.targets))])
    keys = _keys(classes, sitelinks, item_bits, link_bits)
    keys.sort()
    items = np.empty(len(keys), dtype=np.uint32)
    np.bitwise_and(keys, np.uint64((1 << item_bits) - 1), out=items, casting="unsafe")
    return Rows(offsets, items)


def _keys(classes: Rows, sitelinks: npt.NDArray[np.int32], item_bits: int, link_bits: int) -> Keys:
    """One key for each pair of a class and an item; worked out a chunk at a time, so that only the keys need room."""
    most = np.uint64((1 << link_bits) - 1)
    keys = np.empty(len(classes.targets), dtype=np.uint64)
    for first in range(0, len(classes), _CHUNK):
        places = np.arange(first, min(first + _CHUNK, len(classes)), dtype=np.uint64)
        of_items = (most - sitelinks[first : first + _CHUNK].astype(np.uint64)) << np.uint64(item_bits) | places
        offsets = classes.offsets[first : first + _CHUNK + 1]
        here = slice(int(offsets[0]), int(offsets[-1]))
        keys[here] = classes.targets[here].astype(np.uint64) << np.uint64(item_bits + link_bits)
        keys[here] |= np.repeat(of_items, np.diff(offsets))
    return keys
