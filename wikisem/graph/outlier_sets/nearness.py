"""Which classes are nearer than μ to which, for 64 classes at once, on a graph stripped of what no short way needs.

Ways are looked for between *ends* alone: the classes of possible outliers and the parents of the candidate classes. A
class that is no end and has one neighbour lies on no way between ends. One with two neighbours is only ever passed
through, so an edge of length two between these stands for it, and one such edge for all the classes that have the same
two neighbours. This changes no distance between ends, and most of the four million classes go.
"""

from dataclasses import dataclass

import numpy as np

from wikisem.graph.build import Graph
from wikisem.graph.csr import Rows
from wikisem.graph.outlier_sets.bitsets import Unions
from wikisem.graph.sorting import distinct, pack
from wikisem.graph.types import Flags, Index, Ints, Words

# Each round strips what the one before laid bare; what is left after these is little.
_ROUNDS = 4

# To bring a word to a neighbour takes so many times as long as to ask a neighbour for its word.
_BRINGING = 6


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
    """Put an edge of length two in the place of each passed node, unless there is a shorter one.

    The row of a passed node stays, empty, until the next stripping.
    """
    beside = one.take(np.flatnonzero(passed)).targets.reshape(-1, 2)
    bridges = _both_ways(beside[:, 0], beside[:, 1], len(one))
    sources, targets = one.sources(), one.targets
    kept = ~passed[sources] & ~passed[targets]
    beside_one = Rows.from_pairs(sources[kept], targets[kept], len(one))
    return beside_one, _without(_join(two, bridges), beside_one)


def _without(rows: Rows, others: Rows) -> Rows:
    """The targets that do not stand in the same row of the others."""
    keys, known = (pack(one.sources(), one.targets) for one in (rows, others))
    return rows.keep(np.isin(keys, known, assume_unique=True, invert=True))


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
        # What is one step away is read from where a step has led, what is two away from where the one before had.
        self._beside = _side_by_side(nearness.one, nearness.two)
        self._costs = self._beside.counts()
        self._all = Unions.of(self._beside)
        # Only the ends are read, so the last step is taken there alone.
        self._last = Unions.of(self._beside.take(self._ends))

    def near(self, words: Words) -> Words:
        """For each end what is held by a node fewer than ``distance`` steps away."""
        both = np.concatenate([words, np.zeros_like(words)])
        for _ in range(self._steps - 1):
            now = both[: self.spots] | self._step(both)
            both[self.spots :] = both[: self.spots]
            both[: self.spots] = now
        here: Words = both[self._ends]
        return here | self._last.unite(both) if self._steps else here

    def _step(self, both: Words) -> Words:
        """What each node's neighbours hold: asked of all nodes, or brought by those that hold something."""
        holding = np.flatnonzero(both != 0)
        brought = self._costs[holding % self.spots]
        if _BRINGING * int(brought.sum()) > len(self._beside.targets):
            return self._all.unite(both)
        # Neighbours are mutual, so the row of a node also says whom it is a neighbour of.
        united = np.zeros(self.spots, dtype=np.uint64)
        rows = self._beside.take(holding % self.spots)
        late = np.repeat(holding >= self.spots, brought)
        meant = late == (rows.targets >= self.spots)
        np.bitwise_or.at(united, rows.targets[meant] % self.spots, np.repeat(both[holding], brought)[meant])
        return united


def _side_by_side(first: Rows, second: Rows) -> Rows:
    """Each row of both, the targets of the second behind all nodes of the first."""
    sources = np.concatenate([first.sources(), second.sources()])
    targets = np.concatenate([first.targets.astype(np.int64), second.targets.astype(np.int64) + len(first)])
    return Rows.from_pairs(sources, targets, len(first))
