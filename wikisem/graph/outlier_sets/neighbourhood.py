"""Which classes are nearer than μ to which, for 64 classes at once, on a graph stripped of what no short path needs.

Only paths between *ends* matter: the classes of the outlier pool and the parents of the candidate classes. A class that
is no end and has one neighbour is on no path between ends, so it is dropped. One with two neighbours is only passed
through, so an edge of length two replaces it, one edge for all the classes with the same two neighbours. This changes
no distance between ends, and most of the four million classes are dropped. With ends A and D:

    A ─ b ─ C ─ D        b has two neighbours: A ═══ C, an edge of length two
            │
            e            e has one neighbour: dropped

``NeighbourhoodSearch`` then gives every row, μ - 1 times, what its neighbours have. Bits of one step ago come over
edges of length one, bits of two steps ago over edges of length two. So a bit set on A reaches C in step 2, D in step 3.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from wikisem.arrow.numbers import distinct
from wikisem.graph.array_types import Bitsets, Flags, Int64s, Ints
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import CsrRows
from wikisem.graph.outlier_sets.bitsets import RowUnion

# Each round strips what the previous one exposed; after these, little is left to strip.
_ROUNDS: Final = 4

# Pushing a bitset to a neighbour takes about this many times as long as pulling one from a neighbour.
_PUSH_COST: Final = 6


@dataclass(frozen=True, slots=True)
class NeighbourhoodIndex:
    """The stripped graph: ``node_to_row`` gives the row of each node of the class graph, -1 where it was stripped.

    ``edges_1`` lead to the rows one step away, ``edges_2`` to those two steps away through a class that was stripped.
    """

    node_to_row: Ints
    edges_1: CsrRows
    edges_2: CsrRows


def build_neighbourhood_index(graph: ClassGraph, ends: Ints) -> NeighbourhoodIndex:
    """Strip the graph of both directions of P279 down to what short paths between the ends need."""
    count = len(graph.nodes)
    nodes: Ints = np.arange(count)
    is_end: Flags = np.zeros(count, dtype=bool)
    is_end[ends] = True
    edges_1 = CsrRows.undirected(graph.up.sources(), graph.up.targets, count)
    edges_2 = CsrRows.undirected(nodes[:0], nodes[:0], count)
    for _ in range(_ROUNDS):
        kept = _without_dead_ends(edges_1, edges_2, is_end)
        edges_1, edges_2, is_end, nodes = _only(edges_1, kept), _only(edges_2, kept), is_end[kept], nodes[kept]
        passed = _passed_through(edges_1, edges_2, is_end)
        if not passed.any():
            break
        edges_1, edges_2 = _bridge(edges_1, edges_2, passed)
    node_to_row = np.full(count, -1, dtype=np.int32)
    node_to_row[nodes] = np.arange(len(nodes), dtype=np.int32)
    return NeighbourhoodIndex(node_to_row, edges_1, edges_2)


def _only(rows: CsrRows, kept: Flags) -> CsrRows:
    """The edges between kept nodes, which are renumbered."""
    inner = rows.take(np.flatnonzero(kept))
    inner = inner.keep(kept[inner.targets])
    return CsrRows(inner.offsets, (np.cumsum(kept) - 1)[inner.targets])


def _without_dead_ends(edges_1: CsrRows, edges_2: CsrRows, is_end: Flags) -> Flags:
    """Which nodes are left when those with fewer than two neighbours that are no ends are dropped, again and again."""
    neighbours = _join(edges_1, edges_2)
    kept = np.ones(len(neighbours), dtype=bool)
    left = neighbours.counts()
    frontier: Ints = np.flatnonzero(~is_end & (left < 2))
    while len(frontier):
        kept[frontier] = False
        touched = neighbours.take(frontier).targets
        np.subtract.at(left, touched, 1)
        frontier = distinct(touched[(left[touched] < 2) & kept[touched] & ~is_end[touched]])
    return kept


def _passed_through(edges_1: CsrRows, edges_2: CsrRows, is_end: Flags) -> Flags:
    """Nodes that are no ends and have exactly two neighbours, one step away, neither of which is such a node itself."""
    passed: Flags = ~is_end & (edges_1.counts() == 2) & (edges_2.counts() == 0)
    neighbours = edges_1.take(np.flatnonzero(passed)).targets.reshape(-1, 2)
    passed[passed] = ~passed[neighbours].any(axis=1)
    return passed


def _bridge(edges_1: CsrRows, edges_2: CsrRows, passed: Flags) -> tuple[CsrRows, CsrRows]:
    """Replace each passed node by an edge of length two, unless there is a shorter one.

    The row of a passed node stays, empty, until the next stripping.
    """
    neighbours = edges_1.take(np.flatnonzero(passed)).targets.reshape(-1, 2)
    bridges = CsrRows.undirected(neighbours[:, 0], neighbours[:, 1], len(edges_1))
    sources, targets = edges_1.sources(), edges_1.targets
    kept = ~passed[sources] & ~passed[targets]
    shorter = CsrRows.from_pairs(sources[kept], targets[kept], len(edges_1))
    return shorter, _join(edges_2, bridges).without(shorter)


def _join(first: CsrRows, second: CsrRows) -> CsrRows:
    if not len(second.targets):
        return first
    sources = np.concatenate([first.sources(), second.sources()])
    return CsrRows.from_pairs(sources, np.concatenate([first.targets, second.targets]), len(first))


class NeighbourhoodSearch:
    """A stripped graph prepared to say which of the ``ends`` are nearer than ``distance`` to something.

    The bitsets of the current step and of the step before are one array of twice the number of rows; an edge of length
    two reads from the second half.
    """

    def __init__(self, index: NeighbourhoodIndex, distance: int, ends: Ints) -> None:
        self.rows = len(index.edges_1)
        self._steps = distance - 1
        self._ends: Int64s = index.node_to_row[ends].astype(np.int64)
        self._neighbours = _side_by_side(index.edges_1, index.edges_2)
        self._degrees = self._neighbours.counts()
        self._pull_all = RowUnion.of(self._neighbours)
        # Only the ends are read, so the last step is taken for them alone.
        self._pull_ends = RowUnion.of(self._neighbours.take(self._ends))

    def near(self, bitsets: Bitsets) -> Bitsets:
        """For each end the union of the bitsets of all rows fewer than ``distance`` steps away."""
        now_and_before = np.concatenate([bitsets, np.zeros_like(bitsets)])
        for _ in range(self._steps - 1):
            now = now_and_before[: self.rows] | self._step(now_and_before)
            now_and_before[self.rows :] = now_and_before[: self.rows]
            now_and_before[: self.rows] = now
        here: Bitsets = now_and_before[self._ends]
        return here | self._pull_ends.union(now_and_before) if self._steps else here

    def _step(self, now_and_before: Bitsets) -> Bitsets:
        """What each row's neighbours have: pulled by all rows, or pushed by the frontier while that is small."""
        frontier = np.flatnonzero(now_and_before != 0)
        degrees = self._degrees[frontier % self.rows]
        if _PUSH_COST * int(degrees.sum()) > len(self._neighbours.targets):
            return self._pull_all.union(now_and_before)
        # Edges have no direction, so the row of a node also lists the rows that it pushes to.
        pushed = np.zeros(self.rows, dtype=np.uint64)
        rows = self._neighbours.take(frontier % self.rows)
        from_before = np.repeat(frontier >= self.rows, degrees)
        over_edge = from_before == (rows.targets >= self.rows)  # what is now goes over edges_1, what was over edges_2
        bitsets = np.repeat(now_and_before[frontier], degrees)
        np.bitwise_or.at(pushed, rows.targets[over_edge] % self.rows, bitsets[over_edge])
        return pushed


def _side_by_side(first: CsrRows, second: CsrRows) -> CsrRows:
    """Each row with the targets of both; those of the second are numbered after all rows of the first."""
    sources = np.concatenate([first.sources(), second.sources()])
    targets = np.concatenate([first.targets.astype(np.int64), second.targets.astype(np.int64) + len(first)])
    return CsrRows.from_pairs(sources, targets, len(first))
