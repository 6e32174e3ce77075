"""The distance between two classes: steps over P279 edges, taken in both directions, searched from both ends."""

import sys
from typing import Final

import numpy as np

from wikisem.graph.build import Graph
from wikisem.graph.kinds import Ints
from wikisem.graph.rows import Rows
from wikisem.graph.sorting import distinct
from wikisem.graph.ways import Ways

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
