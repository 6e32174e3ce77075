"""The class graph without its leaves, for shortest ways: a hundred thousand classes in the place of four million.

A *leaf* here has no subclasses and at most two superclasses. A way between two other classes that passes through a leaf
comes from one of its superclasses and goes on to the other. So an edge of length two between these stands for it, one
for all the leaves that they share, and none where the two are a step apart anyway. A way that begins or ends at a leaf
begins or ends at its superclasses, a step later. Classes with subclasses stay, and those with more superclasses.

The distance between two classes: steps over P279 edges, taken in both directions, searched from both ends.
"""

import sys
from dataclasses import dataclass
from typing import Final

import numpy as np

from wikisem.graph.build import Graph
from wikisem.graph.csr import Rows
from wikisem.graph.sorting import distinct, pack
from wikisem.graph.types import Flags, Ints

# In the folder of a class graph the names of their files begin so.
PREFIX: Final = "ways."


@dataclass(frozen=True, slots=True)
class Ways:
    """``inner`` are the nodes that are no leaves, ascending; the rows know each by its place among them.

    ``one`` are the neighbours one step away, up or down, ``two`` those that are two steps away through a leaf.
    """

    inner: Ints
    one: Rows
    two: Rows

    def entrance(self, graph: Graph, node: int) -> tuple[Ints, int]:
        """The places at which a way from a node of the graph sets out, and the steps that it took to get there."""
        # A number of the same width, because numpy would widen all of ``inner`` at every call otherwise.
        place = np.searchsorted(self.inner, np.uint32(node))
        if place < len(self.inner) and self.inner[place] == node:
            return np.array([place]), 0
        return np.searchsorted(self.inner, graph.up.row(node)), 1


def prepare_ways(graph: Graph) -> Ways:
    """Take the leaves out of a graph; this changes no distance between the other nodes."""
    parents = graph.up.counts()
    leaf = (graph.down.counts() == 0) & (parents <= 2)
    inner = np.flatnonzero(~leaf).astype(np.uint32)
    places = np.cumsum(~leaf, dtype=np.uint32) - np.uint32(1)
    up = graph.up.take(inner)
    one = _both_ways(up.sources(), places[up.targets], len(inner))
    joined = places[graph.up.take(np.flatnonzero(leaf & (parents == 2))).targets].reshape(-1, 2)
    two = _both_ways(joined[:, 0], joined[:, 1], len(inner))
    return Ways(inner, one, two.keep(~_held(two, one)))


def _both_ways(first: Ints, second: Ints, count: int) -> Rows:
    return Rows.from_pairs(np.concatenate([first, second]), np.concatenate([second, first]), count)


def _held(rows: Rows, others: Rows) -> Flags:
    """Which targets stand in the same row of the others, whose rows are sorted."""
    asked, known = pack(rows.sources(), rows.targets), pack(others.sources(), others.targets)
    places = np.searchsorted(known, asked)
    held: Flags = np.append(known, ~np.uint64(0))[places] == asked
    return held


_FAR: Final = sys.maxsize


def distance_between(graph: Graph, ways: Ways, one: int, other: int, limit: int | None = None) -> int | None:
    """Steps between two nodes of a graph with its ``ways``; None when there are more than ``limit``, or no way at all.

    No edge is longer than two, so once r steps were taken from one end and s from the other, every way of fewer than
    r + s has a node that both have seen. One more step then either meets the shortest way or shows that it is longer.
    """
    if one == other:
        return 0
    ends = _End(graph, ways, one), _End(graph, ways, other)
    most = _FAR - 1 if limit is None else limit
    found = ends[0].meet(ends[1])
    while found == _FAR and ends[0].steps + ends[1].steps <= most:
        # The end with fewer edges to follow goes on, so that a class with very many neighbours is opened last.
        mover, waiter = ends if ends[0].edges <= ends[1].edges else ends[::-1]
        if not mover.go_on():
            break
        found = mover.meet(waiter)
    return found if found <= most else None


class _End:
    """One end of the search: what was ``seen`` in so many ``steps``, and how many ``edges`` the next one follows."""

    def __init__(self, graph: Graph, ways: Ways, node: int) -> None:
        self._ways = ways
        self.seen = np.zeros(len(ways.inner), dtype=np.int32)  # 0: not yet; else the steps it took, plus one
        self._before: Ints = np.zeros(0, dtype=np.int64)
        self._now, self.steps = ways.entrance(graph, node)
        self._look()

    def go_on(self) -> bool:
        """Take one step further; False when there is nowhere to go."""
        ahead = self._ways.one.take(self._now).targets, self._ways.two.take(self._before).targets
        beyond = np.concatenate(ahead)
        self._before, self._now = self._now, distinct(beyond[self.seen[beyond] == 0])
        self.steps += 1
        self._look()
        return bool(len(self._before) or len(self._now))

    def _look(self) -> None:
        self.seen[self._now] = self.steps + 1
        self.edges = _count(self._ways.one, self._now) + _count(self._ways.two, self._before)

    def meet(self, other: "_End") -> int:
        """The length of the shortest way through what the last step reached, as far as the other end has seen it."""
        steps = other.seen[self._now]
        met = steps[steps > 0]
        return self.steps + int(met.min()) - 1 if len(met) else _FAR


def _count(rows: Rows, nodes: Ints) -> int:
    return int((rows.offsets[nodes + 1] - rows.offsets[nodes]).sum())
