"""Which classes are below which, for 64 classes at once, on the part of the graph that can matter for outliers.

That part is the classes of the outlier pool (the *terminals*) and everything above them. Its cycles are collapsed, and
every component is on a level below all its parents, so that one pass over the levels carries bitsets from the top to
the bottom. With B and C below A, D below B and C, and bit 0 set on B:

    level 0      A {}
    level 1    B {0}  C {}
    level 2      D {0}          D is below B, C is not
"""

from dataclasses import dataclass

import numpy as np

from wikisem.graph.array_types import Bitsets, Int64s, Ints
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.components import levels
from wikisem.graph.csr import CsrRows, offsets_of, reached
from wikisem.graph.outlier_sets.bitsets import RowUnion
from wikisem.graph.sorting import rank_keys


@dataclass(frozen=True, slots=True)
class AncestorIndex:
    """The graph above the terminals. Its *rows* are nodes ordered by level, then by component.

    ``node_to_row`` gives the row of each node of the class graph, -1 where it has none; ``row_to_node`` leads back.
    ``parents`` are the P279 edges from row to row. ``component`` is each row's component, ``component_starts`` the
    first row of each component, ``component_parents`` the P279 edges between components. Level i is the components
    ``level_starts[i]:level_starts[i + 1]``.
    """

    node_to_row: Ints
    row_to_node: Ints
    parents: CsrRows
    component: Ints
    component_starts: Int64s
    level_starts: Int64s
    component_parents: CsrRows


def build_ancestor_index(graph: ClassGraph, terminals: Ints) -> AncestorIndex:
    """The index of the terminals, which are nodes of the class graph, and of everything above them."""
    nodes = np.flatnonzero(reached(graph.up, terminals))
    local = _new_numbers(nodes, len(graph.nodes))
    up = graph.up.take(nodes)
    up = CsrRows(up.offsets, local[up.targets])
    count, component = rank_keys(graph.component[nodes])
    component_up = _between_components(up, component, count)
    level = levels(component_up)
    by_level = np.argsort(level, kind="stable")
    rank = _inverse(by_level)
    order = np.argsort(rank[component], kind="stable")
    return AncestorIndex(
        node_to_row=_new_numbers(nodes[order], len(graph.nodes)),
        row_to_node=nodes[order],
        parents=_renumber(up, order, _inverse(order)),
        component=rank[component][order],
        component_starts=offsets_of(np.bincount(rank[component], minlength=count))[:-1],
        level_starts=offsets_of(np.bincount(level)),
        component_parents=_renumber(component_up, by_level, rank),
    )


def _new_numbers(nodes: Ints, count: int) -> Ints:
    """For each of ``count`` nodes its index in ``nodes``, or -1."""
    numbers = np.full(count, -1, dtype=np.int32)
    numbers[nodes] = np.arange(len(nodes), dtype=np.int32)
    return numbers


def _between_components(up: CsrRows, component: Ints, count: int) -> CsrRows:
    children, parents = component[up.sources()], component[up.targets]
    differ = children != parents
    return CsrRows.from_pairs(children[differ], parents[differ], count)


def _inverse(order: Int64s) -> Int64s:
    inverse = np.empty(len(order), dtype=np.int64)
    inverse[order] = np.arange(len(order))
    return inverse


def _renumber(rows: CsrRows, order: Int64s, new: Int64s) -> CsrRows:
    """The same edges when row ``order[i]`` becomes row i and target j becomes ``new[j]``."""
    moved = rows.take(order)
    return CsrRows(moved.offsets, new[moved.targets])


class DownwardPass:
    """An ancestor index prepared to carry bitsets down."""

    def __init__(self, index: AncestorIndex) -> None:
        self.rows = len(index.parents)
        self._parents = RowUnion.of(index.parents)
        self._starts = index.component_starts
        self._offsets = index.component_parents.offsets
        self._targets = index.component_parents.targets.astype(np.int64)
        self._levels = [int(start) for start in index.level_starts]

    def to_children(self, bitsets: Bitsets) -> Bitsets:
        """For each row the union of its parents' bitsets."""
        return self._parents.union(bitsets)

    def propagate_down(self, bitsets: Bitsets) -> Bitsets:
        """For each component the union of the bitsets of its rows and of everything above them."""
        if not self.rows:
            return bitsets
        found: Bitsets = np.bitwise_or.reduceat(bitsets, self._starts)
        offsets = self._offsets
        # Level 0 has no parents; on every other level each component has at least one.
        for first, end in zip(self._levels[1:-1], self._levels[2:], strict=True):
            begin = offsets[first]
            above = found[self._targets[begin : offsets[end]]]
            found[first:end] |= np.bitwise_or.reduceat(above, offsets[first:end] - begin)
        return found
