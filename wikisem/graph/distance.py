"""The distance of two classes: steps over P279 edges, taken in both directions, searched from both ends.

The search runs on the class graph without its leaves: 100,000 nodes in place of four million. A *leaf* here has no
subclasses and at most two superclasses. A path that passes through a leaf enters from one superclass and leaves to the
other, so one edge of length two between the two superclasses replaces every leaf that they share. The edge is left out
where the two are neighbours anyway. A path that ends at a leaf ends at one of its superclasses, a step earlier.

    before      one   other     d(one, other) = 2
                  \\   /
                   leaf          leaf ∉ kept_nodes

    contracted  one ═══ other    edges_2: length two
"""

import sys
from dataclasses import dataclass
from typing import Final

import numpy as np

from wikisem.arrow.columns import distinct
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import CsrRows, Ints

# The file names of a contracted graph begin with this, in the folder of the class graph.
PREFIX: Final = "contracted."


@dataclass(frozen=True, slots=True)
class ContractedGraph:
    """The class graph without leaves; ``kept_nodes`` (ascending) are the others, known by their index here.

    ``edges_1`` lead to the nodes one step away, up or down, ``edges_2`` to those two steps away through a leaf.
    """

    kept_nodes: Ints
    edges_1: CsrRows
    edges_2: CsrRows


def contract_graph(graph: ClassGraph) -> ContractedGraph:
    """Take the leaves out of a graph; this changes no distance between the other nodes."""
    parents = graph.up.counts()
    leaf = (graph.down.counts() == 0) & (parents <= 2)
    kept = np.flatnonzero(~leaf).astype(np.uint32)
    index_of = np.cumsum(~leaf, dtype=np.uint32) - np.uint32(1)
    up = graph.up.take(kept)
    edges_1 = CsrRows.undirected(up.sources(), index_of[up.targets], len(kept))
    bridged = index_of[graph.up.take(np.flatnonzero(leaf & (parents == 2))).targets].reshape(-1, 2)
    edges_2 = CsrRows.undirected(bridged[:, 0], bridged[:, 1], len(kept))
    return ContractedGraph(kept, edges_1, edges_2.without(edges_1))


_FAR: Final = sys.maxsize


def distance_between(
    graph: ClassGraph, contracted: ContractedGraph, first: int, second: int, limit: int | None = None
) -> int | None:
    """Steps between two nodes of a graph; None when there are more than ``limit``, or no path at all.

    No edge is longer than two. So after r steps from one end and s from the other, every path shorter than r + s has a
    node that both have seen. One more step then either meets the shortest path or shows that it is longer.
    """
    if first == second:
        return 0
    ends = _End(graph, contracted, first), _End(graph, contracted, second)
    most = _FAR - 1 if limit is None else limit
    found = ends[0].shortest_through(ends[1])
    while found == _FAR and ends[0].steps + ends[1].steps <= most:
        # The end with fewer edges to follow moves, so that a class with very many neighbours is opened last.
        mover, waiter = ends if ends[0].edges <= ends[1].edges else ends[::-1]
        if not mover.advance():
            break
        found = mover.shortest_through(waiter)
    return found if found <= most else None


class _End:
    """One end of the search: what it has ``seen`` in its ``steps``, and how many ``edges`` its next step follows."""

    def __init__(self, graph: ClassGraph, contracted: ContractedGraph, node: int) -> None:
        self._contracted = contracted
        self.seen = np.zeros(len(contracted.kept_nodes), dtype=np.int32)  # 0: not yet; else the number of steps plus 1
        self._frontier: Ints
        self._previous: Ints = np.zeros(0, dtype=np.int64)
        # A number of the same width, because numpy would widen all of ``kept_nodes`` at every call otherwise.
        index = np.searchsorted(contracted.kept_nodes, np.uint32(node))
        if index < len(contracted.kept_nodes) and contracted.kept_nodes[index] == node:
            self._frontier, self.steps = np.array([index]), 0
        else:
            self._frontier, self.steps = np.searchsorted(contracted.kept_nodes, graph.up.row(node)), 1
        self._note()

    def advance(self) -> bool:
        """Take one step; False when there is nowhere to go.

        The next frontier is one step from this one, or two from the previous one.
        """
        contracted = self._contracted
        targets = contracted.edges_1.take(self._frontier).targets, contracted.edges_2.take(self._previous).targets
        beyond = np.concatenate(targets)
        self._previous, self._frontier = self._frontier, distinct(beyond[self.seen[beyond] == 0])
        self.steps += 1
        self._note()
        return bool(len(self._previous) or len(self._frontier))

    def _note(self) -> None:
        self.seen[self._frontier] = self.steps + 1
        ways = (self._contracted.edges_1, self._frontier), (self._contracted.edges_2, self._previous)
        self.edges = sum(int((rows.offsets[nodes + 1] - rows.offsets[nodes]).sum()) for rows, nodes in ways)

    def shortest_through(self, other: "_End") -> int:
        """The length of the shortest path through this frontier, as far as the other end has seen it."""
        steps = other.seen[self._frontier]
        shared = steps[steps > 0]
        return self.steps + int(shared.min()) - 1 if len(shared) else _FAR
