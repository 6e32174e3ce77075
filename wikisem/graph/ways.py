"""The class graph without its leaves, for shortest ways: a hundred thousand classes in the place of four million.

A *leaf* here has no subclasses and at most two superclasses. A way between two other classes that passes through a leaf
comes from one of its superclasses and goes on to the other. So an edge of length two between these stands for it, one
for all the leaves that they share, and none where the two are a step apart anyway. A way that begins or ends at a leaf
begins or ends at its superclasses, a step later. Classes with subclasses stay, and those with more superclasses.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from wikisem.graph.build import Graph
from wikisem.graph.kinds import Flags, Ints
from wikisem.graph.rows import Rows
from wikisem.graph.sorting import pack

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
