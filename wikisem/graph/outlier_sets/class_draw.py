"""From which class each of up to 64 classes draws its outliers, and where that class's items are on the ring of items.

``ViaIndex`` has an example. A walk along the ring of classes meets relatives without surface forms for their
items, so relatives with too few items in the language are skipped: the items at or below each class are counted once.
The count is of all items, so a class with enough may still bring fewer into the set; the caller then goes on.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import Final

import numpy as np

from wikisem.graph.csr import Bitsets, CsrRows, Int64s, Ints, offsets_of
from wikisem.graph.outlier_sets.hash_ring import HashRing
from wikisem.graph.outlier_sets.neighbourhood import BitPlanes, contains
from wikisem.graph.outlier_sets.outlier_index import OutlierIndex
from wikisem.records import FAR

# The items of a class are listed and sorted up to this many; of a larger class they are met by walking the ring.
_LISTED: Final = 1 << 13
# How many lists of classes are read at once, or those of one class; near the top of the graph a class has all of them.
_LISTS: Final = 1 << 18
# How many locations of the set such a walk examines at a time.
_LOOK: Final = 64


class LanguageDraw:
    """What the draw in one language needs: the ring of its items, and how many of them each class can bring.

    ``counts`` has for O1, O2 and O3 one number for each row of the ancestor index: for O1 and O2 the items at or below
    the row's class, for O3 its own instances.
    """

    def __init__(self, index: OutlierIndex, ring: HashRing) -> None:
        self.index, self.ring = index, ring
        sizes, ancestors, via = ring.by_list.counts(), index.ancestors, index.via
        of_components, of_classes = (
            np.diff(offsets_of(sizes[lists.targets])[lists.offsets]) for lists in (via.at_or_below, via.direct.rows)
        )
        below = of_components[ancestors.component]
        direct = np.zeros_like(below)
        direct[ancestors.node_to_row[via.direct.owners]] = of_classes
        self.counts = (below, below, direct)

    def lists(self, outlier_class: int, rows: Ints) -> CsrRows:
        """The lists whose items each row's class brings."""
        ancestors, via = self.index.ancestors, self.index.via
        if outlier_class < FAR:
            return via.at_or_below.take(ancestors.component[rows])
        return via.direct.take(ancestors.row_to_node[rows])


class ClassDraw:
    """The classes that up to 64 classes draw from in one language: class i has bit i and begins at ``starts[i]``.

    ``sets`` and ``via`` have one array of bitsets for each of O1, O2 and O3, as ``ClassOutliers`` has them.
    ``per_class`` items are enough of a class.
    """

    def __init__(
        self, language: LanguageDraw, sets: Sequence[BitPlanes], via: Sequence[Bitsets], starts: Bitsets, per_class: int
    ) -> None:
        self._language, self._sets, self._starts = language, sets, starts
        self._ring, self._classes = language.ring, language.index.via.ring
        self._begins = np.searchsorted(self._ring.keys, starts)
        self._via, self.per_class = via, per_class
        self._known: dict[tuple[int, int], BitPlanes] = {}

    def first_rows(self, outlier_class: int, bits: Ints) -> Int64s:
        """For each class the row of the first class on the ring that may bring enough; -1 if there is none."""
        drawing = self._drawing_from(outlier_class, self.per_class)
        found = self._classes.first_locations(drawing, bits, self._starts[bits], 1)
        return np.array([self._classes.rows[locations[0]] if locations else -1 for locations in found], dtype=np.int64)

    def rows(self, outlier_class: int, bit: int, least: int) -> Iterator[int]:
        """The rows of all classes on the ring that may bring ``least`` items, in order."""
        walk = self._classes.walk(self._drawing_from(outlier_class, least), bit, self._starts[bit])
        return (int(self._classes.rows[location]) for location in walk)

    def _drawing_from(self, outlier_class: int, least: int) -> BitPlanes:
        """For each row the bits of the classes that may draw from it, as it brings at least ``least`` items.

        They are found when they are first asked for, and kept: for O3 these are all rows of the ancestor index.
        """
        if (outlier_class, least) not in self._known:
            brings_enough = self._language.counts[outlier_class - 1] >= least
            bitsets = np.where(brings_enough, self._via[outlier_class - 1], np.uint64(0))
            self._known[outlier_class, least] = BitPlanes(bitsets)
        return self._known[outlier_class, least]

    def brought(self, outlier_class: int, rows: Ints, bits: Ints) -> Iterator[tuple[int, Iterable[int]]]:
        """For each row its class, and the locations of what this brings into the set of class ``bits[i]``, in order.

        The items of small classes are listed for all rows at once, and those of large ones met on a walk.
        """
        language, sets = self._language, self._sets[outlier_class - 1]
        is_small = language.counts[outlier_class - 1][rows] <= _LISTED
        lists, of_small = language.lists(outlier_class, rows[is_small]), bits[is_small]
        inside = lists.keep(contains(sets.bitsets[lists.targets], of_small[lists.sources()]))
        located = self._ring.by_list.take(inside.targets)
        owners = inside.sources()[located.sources()]
        in_order = self._ring.in_order(owners, located.targets, self._begins[of_small])
        edges = pairwise(np.searchsorted(owners, np.arange(len(of_small) + 1)).tolist())
        nodes = language.index.ancestors.row_to_node[rows].tolist()
        for row, node, bit, is_listed in zip(rows, nodes, bits.tolist(), is_small.tolist(), strict=True):
            if is_listed:
                begin, end = next(edges)
                yield node, in_order[begin:end]
            else:
                yield node, self._walk(language.lists(outlier_class, np.array([row])).targets, sets, bit)

    def _walk(self, lists: Ints, sets: BitPlanes, bit: int) -> Iterator[int]:
        """The locations on the lists (ascending) that a walk through the set meets."""
        on_list = np.zeros(len(sets.bitsets), dtype=bool)
        on_list[lists] = True
        walk = self._ring.walk(sets, bit, self._starts[bit])
        while met := list(islice(walk, _LOOK)):
            locations = np.array(met)
            yield from locations[on_list[self._ring.lists[locations]]].tolist()

    def sample(
        self, outlier_class: int, bits: Ints, classes: int, items: int, of_class: int
    ) -> tuple[Int64s, list[int], CsrRows]:
        """For each bit the first classes on the ring that bring enough, and the locations of some of their items.

        At most ``classes`` are asked, until they may bring ``items`` in all. Each gives about ``of_class`` items,
        spread over all that it brings. Returns edges, classes (nodes) and rows of locations: bit i has the classes from
        ``edges[i]`` to ``edges[i + 1]``, and row j has the locations of class j, in the order of the ring from the
        bit's own class on.
        """
        language, sets = self._language, self._sets[outlier_class - 1]
        drawing = self._drawing_from(outlier_class, self.per_class)
        locations_of_bits = self._classes.first_locations(drawing, bits, self._starts[bits], classes)
        owners = np.repeat(np.arange(len(bits)), [len(locations) for locations in locations_of_bits])
        rows = self._classes.rows[np.fromiter(chain.from_iterable(locations_of_bits), dtype=np.int64)]
        before = offsets_of(np.minimum(language.counts[outlier_class - 1][rows], of_class))
        is_asked = before[:-1] - before[np.searchsorted(owners, owners)] < items
        owners, rows = owners[is_asked], rows[is_asked]
        # Lists are read in portions, for which it is enough to know how many a class has, and not which.
        if outlier_class < FAR:
            offsets, components = language.index.via.at_or_below.offsets, language.index.ancestors.component[rows]
            list_counts = offsets[components + 1] - offsets[components]
        else:
            list_counts = language.lists(outlier_class, rows).counts()
        portion_of = offsets_of(list_counts)[:-1] // _LISTS
        parts = []
        for portion in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(portion_of)) + 1):
            owner_bits, lists = bits[owners[portion]], language.lists(outlier_class, rows[portion])
            inside = lists.keep(contains(sets.bitsets[lists.targets], owner_bits[lists.sources()]))
            parts.append(self._ring.spread(inside, self._starts[owner_bits], of_class))
        locations = CsrRows.join(parts)
        brings_enough = locations.counts() >= self.per_class
        locations = locations.take(np.flatnonzero(brings_enough))
        owners, rows = owners[brings_enough], rows[brings_enough]
        in_order = self._ring.in_order(locations.sources(), locations.targets, self._begins[bits[owners]])
        edges = np.searchsorted(owners, np.arange(len(bits) + 1))
        nodes: list[int] = language.index.ancestors.row_to_node[rows].tolist()
        return edges, nodes, CsrRows(locations.offsets, in_order)
