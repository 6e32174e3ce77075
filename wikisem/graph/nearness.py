"""Which classes are nearer than μ to which, for 64 classes at once, on a graph stripped of what no short way needs.

Ways are looked for between *ends* alone: the classes of possible outliers and the parents of the candidate classes. A
class that is no end and has one neighbour lies on no way between ends; nor does one with two neighbours that are
neighbours themselves; and of several whose two neighbours are the same, one is enough. Taking these away changes no
distance between ends, and most of the four million classes go.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wikisem.graph.build import Graph
from wikisem.graph.kinds import Flags, Index, Ints, Words
from wikisem.graph.rows import Rows
from wikisem.graph.sorting import distinct, pack
from wikisem.graph.words import Unions


@dataclass(frozen=True, slots=True)
class Nearness:
    """The stripped graph: ``spot`` leads from a node to its place in ``beside``, -1 when it was stripped."""

    spot: Ints
    beside: Rows


def prepare_nearness(graph: Graph, ends: Ints) -> Nearness:
    """Strip the graph of both directions of P279 down to what lies between the ends."""
    count = len(graph.nodes)
    beside = _both_ways(graph, count)
    is_end = np.zeros(count, dtype=bool)
    is_end[ends] = True
    alive = np.ones(count, dtype=bool)
    while True:
        alive = _without_dead_ends(beside, alive, is_end)
        detours = _detours(beside, alive, is_end)
        if not len(detours):
            break
        alive[detours] = False
    return _compact(beside, alive)


def _both_ways(graph: Graph, count: int) -> Rows:
    low, high = graph.up.sources(), graph.up.targets
    return Rows.from_pairs(np.concatenate([low, high]), np.concatenate([high, low]), count)


def _without_dead_ends(beside: Rows, alive: Flags, is_end: Flags) -> Flags:
    """Drop nodes with fewer than two live neighbours, and those that this leaves with fewer than two."""
    alive = alive.copy()
    left = _live_degree(beside, alive)
    front: Ints = np.flatnonzero(alive & ~is_end & (left < 2))
    while len(front):
        alive[front] = False
        touched = beside.take(front).targets
        np.subtract.at(left, touched, 1)
        front = distinct(touched[(left[touched] < 2) & alive[touched] & ~is_end[touched]])
    return alive


def _live_degree(beside: Rows, alive: Flags) -> Index:
    return np.bincount(beside.sources()[alive[beside.targets]], minlength=len(beside))


def _detours(beside: Rows, alive: Flags, is_end: Flags) -> Index:
    """Nodes between two neighbours that have a shorter way (an edge) or another such node, the lowest, between them."""
    between = np.flatnonzero(alive & ~is_end & (_live_degree(beside, alive) == 2))
    around = beside.take(between)
    ends = around.targets[alive[around.targets]].reshape(-1, 2)
    pairs = pack(ends[:, 0], ends[:, 1])
    order = np.argsort(pairs, kind="stable")
    again = np.zeros(len(pairs), dtype=bool)
    again[order[1:]] = pairs[order[1:]] == pairs[order[:-1]]
    return between[again | _joined(beside, pairs)]


def _joined(beside: Rows, pairs: npt.NDArray[np.uint64]) -> Flags:
    """Which of the packed pairs are edges."""
    edges = pack(beside.sources(), beside.targets)
    places = np.minimum(np.searchsorted(edges, pairs), max(len(edges) - 1, 0))
    return edges[places] == pairs if len(edges) else np.zeros(len(pairs), dtype=bool)


def _compact(beside: Rows, alive: Flags) -> Nearness:
    kept = np.flatnonzero(alive)
    spot = np.full(len(beside), -1, dtype=np.int32)
    spot[kept] = np.arange(len(kept), dtype=np.int32)
    around = beside.take(kept)
    around = around.keep(alive[around.targets])
    return Nearness(spot, Rows(around.offsets, spot[around.targets]))


class Ball:
    """A stripped graph made ready to say what is nearer than ``distance``, at the ``ends`` asked for."""

    def __init__(self, nearness: Nearness, distance: int, ends: Ints) -> None:
        self.spots = len(nearness.beside)
        self._steps = distance - 1
        self._ends = nearness.spot[ends]
        self._beside = Unions.of(nearness.beside)
        self._last = Unions.of(nearness.beside.take(self._ends))

    def near(self, words: Words) -> Words:
        """For each end what is held by a node fewer than ``distance`` steps away."""
        for _ in range(self._steps - 1):
            words = words | self._beside.unite(words)
        last = words[self._ends]
        # Only the ends are read, so the last step is taken there alone.
        return last | self._last.unite(words) if self._steps else last
