"""The instances of the class graph: the items of all tables in the order of their numbers, then those of each class.

Every table has its items in ascending order, so a span of numbers is a slice of each table. The tables are merged one
span at a time: a span is small enough to be sorted, looked up and rearranged within the CPU cache, and the arrays of
all items are written once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.graph.array_types import Int64s, Ints
from wikisem.graph.csr import CsrRows, offsets_of
from wikisem.graph.item_edges import ItemEdges
from wikisem.graph.sorting import PairKeys, indices_of, sorted_order

# The node of a class that is not in the pruned graph.
PRUNED: Final = np.uint32(2**32 - 1)
# Items of a span, about: a few megabytes.
_SPAN: Final = 1 << 18
# The ends of spans are chosen from every 64th item of each table.
_SAMPLE: Final = 1 << 6

# A class, sitelinks and an item are sorted as one key of this many bits; Wikidata needs 57 of them: 22, 9 and 26.
KEY_BITS: Final = 64
# Keys are computed for this many items at a time, so that little besides the keys needs memory.
_KEYED: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class NodeEdges:
    """The edges of one table, and the node of each of its classes, or ``PRUNED``."""

    edges: ItemEdges
    nodes: npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Instances:
    """The items that are an instance of a node, with their nodes, and the sitelinks of the nodes' own items or -1."""

    items: Ints
    sitelinks: npt.NDArray[np.int32]
    classes: CsrRows
    class_sitelinks: npt.NDArray[np.int32]


def gather_instances(tables: Sequence[NodeEdges], nodes: Int64s, removed: Int64s) -> Instances:
    """All items of all tables that have a node left and whose number is not among those ``removed``."""
    bounds = _span_bounds(tables)
    cuts = [_cuts(table.edges.items, bounds) for table in tables]
    node_cuts, removed_cuts = _cuts(nodes, bounds), _cuts(removed, bounds)
    class_sitelinks = np.full(len(nodes), -1, dtype=np.int32)
    columns = _Columns(tables)
    for span in range(len(bounds) + 1):
        here = slice(span, span + 2)
        items = _span(tables, [cut[here] for cut in cuts]).sort()
        indices, found = indices_of(nodes[slice(*node_cuts[here])], items.numbers)
        class_sitelinks[slice(*node_cuts[here])][found] = items.sitelinks[indices[found]]
        columns.append(items.without(removed[slice(*removed_cuts[here])]))
    return columns.finish(class_sitelinks)


@dataclass(frozen=True, slots=True)
class _Items:
    """Some items and their nodes: item i has ``counts[i]`` of them, one item after another in ``targets``."""

    numbers: Ints
    sitelinks: npt.NDArray[np.int32]
    counts: Ints
    targets: Ints

    def sort(self) -> "_Items":
        """The same in the order of their numbers."""
        order = sorted_order(self.numbers)
        rows = CsrRows(offsets_of(self.counts), self.targets).take(order)
        return _Items(self.numbers[order], self.sitelinks[order], rows.counts(), rows.targets)

    def without(self, removed: Int64s) -> "_Items":
        """Those that are not removed and have a node left, each with the nodes that are left."""
        indices, found = indices_of(removed, self.numbers)
        gone = np.zeros(len(self.numbers), dtype=bool)
        gone[indices[found]] = True
        left = (self.targets != PRUNED) & ~np.repeat(gone, self.counts)
        counts = CsrRows(offsets_of(self.counts), self.targets).keep(left).counts()
        kept = counts > 0
        return _Items(self.numbers[kept], self.sitelinks[kept], counts[kept], self.targets[left])


def _span_bounds(tables: Sequence[NodeEdges]) -> Ints:
    """The numbers at which one span ends and the next begins."""
    sample = np.sort(np.concatenate([table.edges.items[::_SAMPLE] for table in tables]))
    return sample[:: _SPAN // _SAMPLE][1:]


def _cuts(numbers: Ints, bounds: Ints) -> list[int]:
    return [0, *np.searchsorted(numbers, bounds).tolist(), len(numbers)]


def _span(tables: Sequence[NodeEdges], cuts: Sequence[list[int]]) -> _Items:
    columns = []
    for table, (begin, end) in zip(tables, cuts, strict=True):
        offsets = table.edges.instance_of.offsets[begin : end + 1]
        targets = table.nodes[table.edges.instance_of.targets[offsets[0] : offsets[-1]]]
        columns.append((table.edges.items[begin:end], table.edges.sitelinks[begin:end], np.diff(offsets), targets))
    return _Items(*map(np.concatenate, zip(*columns, strict=True)))


class _Columns:
    """The arrays of all items, filled from the front; pages that are never written take no memory."""

    def __init__(self, tables: Sequence[NodeEdges]) -> None:
        items = sum(len(table.edges.items) for table in tables)
        pairs = sum(len(table.edges.instance_of.targets) for table in tables)
        wide = any(table.edges.items.dtype.itemsize > 4 for table in tables)
        self._items: Ints = np.empty(items, dtype=np.int64 if wide else np.uint32)
        self._sitelinks = np.empty(items, dtype=np.int32)
        self._offsets: Ints = np.zeros(items + 1, dtype=np.int64 if pairs >> 32 else np.uint32)
        self._targets: Ints = np.empty(pairs, dtype=np.uint32)
        self._count = self._pairs = 0

    def append(self, items: _Items) -> None:
        """Add some items, all with higher numbers than those before."""
        here = slice(self._count, self._count + len(items.numbers))
        self._items[here], self._sitelinks[here] = items.numbers, items.sitelinks
        self._offsets[here.start + 1 : here.stop + 1] = offsets_of(items.counts)[1:] + self._pairs
        self._targets[self._pairs : self._pairs + len(items.targets)] = items.targets
        self._count, self._pairs = here.stop, self._pairs + len(items.targets)

    def finish(self, class_sitelinks: npt.NDArray[np.int32]) -> Instances:
        """What was appended."""
        classes = CsrRows(self._offsets[: self._count + 1], self._targets[: self._pairs])
        return Instances(self._items[: self._count], self._sitelinks[: self._count], classes, class_sitelinks)


def by_prominence(classes: CsrRows, sitelinks: npt.NDArray[np.int32], count: int) -> CsrRows:
    """The items of each of ``count`` nodes, most sitelinks first, ties by number (items are in number order).

    ``classes`` has the nodes of each item. One sort of packed keys gives the rows; with two bits for sitelinks, of
    which 3 is the most, and two for items, item 2 of node 1 with 3 sitelinks has the key 1|00|10:

    >>> classes = CsrRows.from_pairs(np.array([0, 1, 2, 2]), np.array([1, 1, 0, 1]), count=3)
    >>> by_prominence(classes, np.array([1, 1, 3], dtype=np.int32), count=2).row(1).tolist()
    [2, 0, 1]
    """
    offsets = offsets_of(np.bincount(classes.targets, minlength=count))
    item_bits, link_bits = len(classes).bit_length(), int(sitelinks.max(initial=0)).bit_length()
    if count.bit_length() + link_bits + item_bits > KEY_BITS:
        owners = classes.sources()
        return CsrRows(offsets, owners[np.lexsort((owners, -sitelinks[owners], classes.targets))])
    keys = _keys(classes, sitelinks, item_bits, link_bits)
    keys.sort()
    items = np.empty(len(keys), dtype=np.uint32)
    np.bitwise_and(keys, np.uint64((1 << item_bits) - 1), out=items, casting="unsafe")
    return CsrRows(offsets, items)


def _keys(classes: CsrRows, sitelinks: npt.NDArray[np.int32], item_bits: int, link_bits: int) -> PairKeys:
    """One key for each pair of a node and an item, from the highest bits: node, sitelinks (inverted), item."""
    most = np.uint64((1 << link_bits) - 1)
    keys = np.empty(len(classes.targets), dtype=np.uint64)
    for first in range(0, len(classes), _KEYED):
        items = np.arange(first, min(first + _KEYED, len(classes)), dtype=np.uint64)
        item_keys = (most - sitelinks[first : first + _KEYED].astype(np.uint64)) << np.uint64(item_bits) | items
        offsets = classes.offsets[first : first + _KEYED + 1]
        here = slice(int(offsets[0]), int(offsets[-1]))
        keys[here] = classes.targets[here].astype(np.uint64) << np.uint64(item_bits + link_bits)
        keys[here] |= np.repeat(item_keys, np.diff(offsets))
    return keys
