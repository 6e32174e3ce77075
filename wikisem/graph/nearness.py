"""Which classes are nearer than μ to which, for 64 classes at once, on a graph stripped of what no short way needs.

Ways are looked for between *ends* alone: the classes of possible outliers and the parents of the candidate classes. A
class that is no end and has one neighbour lies on no way between ends. One with two neighbours is only ever passed
through, so an edge of length two between these stands for it, and one such edge for all the classes that have the same
two neighbours. This changes no distance between ends, and most of the four million classes go.
"""

from dataclasses import dataclass

import numpy as np

from wikisem.graph.build import Graph
from wikisem.graph.kinds import Flags, Index, Ints, Words
from wikisem.graph.rows import Rows
from wikisem.graph.sorting import distinct
from wikisem.graph.words import Unions

# Each round strips what the one before laid bare; what is left after these is little.
_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Nearness:
    """The stripped graph: ``spot`` leads from a node to its place in the rows, -1 when it was stripped.

    ``one`` are the neighbours one step away, ``two`` those two steps away through a class that was stripped.
    """

    spot: Ints
    one: Rows
    two: Rows


def prepare_nearness(graph: Graph, ends: Ints) -> Nearness:
    """Strip the graph of both directions of P279 down to what lies between the ends."""
    count = len(graph.nodes)
    nodes: Ints = np.arange(count)
    is_end: Flags = np.zeros(count, dtype=bool)
    is_end[ends] = True
    one, two = _both_ways(graph.up.sources(), graph.up.targets, count), _both_ways(nodes[:0], nodes[:0], count)
    for _ in range(_ROUNDS):
        kept = _lead_somewhere(one, two, is_end)
        one, two, is_end, nodes = _only(one, kept), _only(two, kept), is_end[kept], nodes[kept]
        passed = _passed_through(one, two, is_end)
        if not passed.any():
            break
        one, two = _bridge(one, two, passed)
    spot = np.full(count, -1, dtype=np.int32)
    spot[nodes] = np.arange(len(nodes), dtype=np.int32)
    return Nearness(spot, one, two)


def _both_ways(first: Ints, second: Ints, count: int) -> Rows:
    return Rows.from_pairs(np.concatenate([first, second]), np.concatenate([second, first]), count)


def _only(rows: Rows, kept: Flags) -> Rows:
    """The rows among the kept nodes, which are numbered anew."""
    inner = rows.take(np.flatnonzero(kept))
    inner = inner.keep(kept[inner.targets])
    return Rows(inner.offsets, (np.cumsum(kept) - 1)[inner.targets])


def _lead_somewhere(one: Rows, two: Rows, is_end: Flags) -> Flags:
    """Which nodes are left when those that have fewer than two neighbours, and are no ends, go again and again."""
    beside = _join(one, two)
    kept = np.ones(len(beside), dtype=bool)
    left = beside.counts()
    front: Ints = np.flatnonzero(~is_end & (left < 2))
    while len(front):
        kept[front] = False
        touched = beside.take(front).targets
        np.subtract.at(left, touched, 1)
        front = distinct(touched[(left[touched] < 2) & kept[touched] & ~is_end[touched]])
    return kept


def _passed_through(one: Rows, two: Rows, is_end: Flags) -> Flags:
    """Nodes with exactly two neighbours, one step away, neither of which is such a node itself."""
    passed: Flags = ~is_end & (one.counts() == 2) & (two.counts() == 0)
    beside = one.take(np.flatnonzero(passed)).targets.reshape(-1, 2)
    passed[passed] = ~passed[beside].any(axis=1)
    return passed


def _bridge(one: Rows, two: Rows, passed: Flags) -> tuple[Rows, Rows]:
    """Put an edge of length two in the place of each passed node; its row stays, empty, until the next stripping."""
    beside = one.take(np.flatnonzero(passed)).targets.reshape(-1, 2)
    bridges = _both_ways(beside[:, 0], beside[:, 1], len(one))
    sources, targets = one.sources(), one.targets
    kept = ~passed[sources] & ~passed[targets]
    return Rows.from_pairs(sources[kept], targets[kept], len(one)), _join(two, bridges)


def _join(first: Rows, second: Rows) -> Rows:
    if not len(second.targets):
        return first
    sources = np.concatenate([first.sources(), second.sources()])
    return Rows.from_pairs(sources, np.concatenate([first.targets, second.targets]), len(first))


class Ball:
    """A stripped graph made ready to say what is nearer than ``distance``, at the ``ends`` asked for."""

    def __init__(self, nearness: Nearness, distance: int, ends: Ints) -> None:
        self.spots = len(nearness.one)
        self._steps = distance - 1
        self._ends: Index = nearness.spot[ends].astype(np.int64)
        self._one, self._two = Unions.of(nearness.one), Unions.of(nearness.two)
        # Only the ends are read, so the last step is taken there alone.
        self._last_one = Unions.of(nearness.one.take(self._ends))
        self._last_two = Unions.of(nearness.two.take(self._ends))

    def near(self, words: Words) -> Words:
        """For each end what is held by a node fewer than ``distance`` steps away."""
        before, now = np.zeros_like(words), words
        for _ in range(self._steps - 1):
            before, now = now, now | self._one.unite(now) | self._two.unite(before)
        here: Words = now[self._ends]
        return here | self._last_one.unite(now) | self._last_two.unite(before) if self._steps else here
