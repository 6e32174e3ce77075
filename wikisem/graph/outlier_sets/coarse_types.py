"""What items are coarsely, such as people or places, by the whole graph and not by a list made by hand.

A class is *coarse* if a twentieth of all items are instances of it, at any depth: *human*, *artificial object*,
*spatial entity*. An item is an instance of about ten of them, one above the other or side by side. The smallest is
its *coarse type*. Near outliers agree with members in all of them, because which is the smallest hinges on the share,
and share a *kind* with most, a class that is not coarse.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import Bitsets, CsrRows, Flags, Int64s, Ints, pairs_from
from wikisem.graph.outlier_sets.neighbourhood import WIDTH, AncestorIndex, DownwardPass, RowUnion, contains, set_bits

# With coarser types (a tenth) a guesser that knows the types of 5 to 7 % of all items is right in 30 to 40 % of near
# cases, with these in 11 to 19 %; finer ones (a fiftieth) leave no group of a graph of 3,311 items (docs/outliers.md).
COARSE: Final = 0.05
# Items are looked at this many at a time.
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class CoarseIndex:
    """The components of coarse classes, those with most items first, and what is at or below them.

    ``below`` has a bitset for each component of the ancestor index, once for each 64 of the coarse ones: bit i says
    that it is coarse class i of these, or below it.
    """

    components: Int64s
    below: Bitsets


def build_coarse_index(
    graph: ClassGraph, ancestors: AncestorIndex, instances: Int64s, *, linked: bool = False
) -> CoarseIndex:
    """The index for the items of a graph; ``instances`` counts those of each component, and maybe further items.

    Where outliers are ``linked``, items without a sitelink do not count: a build may not even keep them.
    """
    counted = np.flatnonzero(graph.sitelinks > 0) if linked else np.arange(len(graph.items))
    least = COARSE * max(len(counted), 1)
    frequent = np.flatnonzero(instances >= least)
    below, counts = _below(ancestors, frequent), np.zeros(len(frequent), dtype=np.int64)
    for begin in range(0, len(counted) if len(frequent) else 0, _CHUNK):
        items = counted[begin : begin + _CHUNK]
        counts += _flags(graph, ancestors, below, items)[:, : len(frequent)].sum(axis=0)
    order = np.argsort(-counts, kind="stable")
    components = frequent[order[counts[order] >= least]]
    return CoarseIndex(components, _below(ancestors, components).reshape(-1))


def _below(ancestors: AncestorIndex, components: Int64s) -> Bitsets:
    """One row for each 64 components: which of them each component is, or is below."""
    down, size = DownwardPass(ancestors), len(ancestors.component_starts)
    parts = [components[begin : begin + WIDTH] for begin in range(0, len(components), WIDTH)]
    bitsets = [down.propagate_down(set_bits(size, part, np.arange(len(part)))[ancestors.component]) for part in parts]
    return np.array(bitsets, dtype=np.uint64).reshape(len(parts), size)


def _flags(graph: ClassGraph, ancestors: AncestorIndex, below: Bitsets, items: Ints) -> npt.NDArray[np.bool_]:
    """Of which coarse classes each item is an instance, in columns, at least as many as there are such classes."""
    stated = graph.stated(items)
    union = RowUnion.of(CsrRows(stated.offsets, ancestors.component_of(stated.targets))).union
    # 64 classes of all items, then the next 64: turned round, the bytes of an item's bitsets are one row of bits.
    bitsets = np.array([union(of_classes) for of_classes in below], dtype=np.uint64).reshape(len(below), len(items))
    of_items = np.ascontiguousarray(bitsets.T).astype("<u8").view(np.uint8)
    return np.unpackbits(of_items, axis=1, bitorder="little").view(bool)


class CoarseTypes:
    """Reads the index for items of the graph, and for the lists of the outlier pool.

    ``pool`` has for each list the rows in ``ancestors`` of the classes that its items are an instance of.
    """

    def __init__(self, graph: ClassGraph, ancestors: AncestorIndex, index: CoarseIndex, pool: CsrRows) -> None:
        self._graph, self._ancestors, self._components, self._pool = graph, ancestors, index.components, pool
        self._below = index.below.reshape(-(-len(index.components) // WIDTH), len(ancestors.component_starts))

    def of_items(self, items: Ints) -> Int64s:
        """The coarse type of each item, a node; -1 if it is an instance of no coarse class."""
        flags = _flags(self._graph, self._ancestors, self._below, items)
        # The last coarse class of an item is its smallest.
        last = flags.shape[1] - 1 - np.argmax(flags[:, ::-1], axis=1) if flags.size else np.zeros(len(items), int)
        nodes = self._ancestors.row_to_node[self._ancestors.component_starts[self._components]]
        found = np.full(len(items), -1, dtype=np.int64)
        has_type = flags.any(axis=1)
        found[has_type] = nodes[last[has_type]]
        return found

    def kinds(self, node: int, members: Ints) -> Ints:
        """The components of most ``members`` (items) of a class, without coarse ones, its own and those below."""
        stated, parents = self._graph.stated(members), self._ancestors.component_parents
        _, of_members = pairs_from(parents, stated.sources(), self._ancestors.component_of(stated.targets))
        common, counts = np.unique(of_members, return_counts=True)
        common = np.setdiff1d(common[2 * counts > len(members)], self._components)
        numbers, above = pairs_from(parents, np.arange(len(common)), common)
        kinds: Ints = np.delete(common, numbers[above == self._ancestors.component_of(np.array([node]))[0]])
        return kinds

    def agree(self, node: int, members: Ints, lists: Ints) -> Flags:
        """Which lists are of all coarse classes of most ``members`` (items) of a class, and of none that no member has.

        Coarse classes at or below the class itself do not count: of those no outlier is an instance.
        """
        flags = _flags(self._graph, self._ancestors, self._below, members)
        counts = flags[:, : len(self._components)].sum(axis=0)
        # At most one coarse class is the class itself.
        own = np.flatnonzero(self._components == self._ancestors.component_of(np.array([node])))
        bitsets = self._below[own // WIDTH][:, self._components]
        is_below = contains(bitsets, (own % WIDTH)[:, np.newaxis]).any(axis=0)
        needed, barred = (
            set_bits(len(self._below), bits // WIDTH, bits % WIDTH)[:, np.newaxis]
            for bits in map(np.flatnonzero, ((2 * counts > len(members)) & ~is_below, counts == 0))
        )
        agree: Flags = (self._of_lists[:, lists] & (needed | barred) == needed).all(axis=0)
        return agree

    @cached_property
    def _of_lists(self) -> Bitsets:
        """The coarse classes of each list of the pool, in rows as those of ``CoarseIndex.below``."""
        union = RowUnion.of(CsrRows(self._pool.offsets, self._ancestors.component[self._pool.targets])).union
        return np.array([union(bitsets) for bitsets in self._below], dtype=np.uint64).reshape(-1, len(self._pool))
