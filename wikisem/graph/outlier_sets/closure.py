"""Which classes lie below which, for 64 classes at once, on the part of the graph that can hold an outlier at all.

That part is the classes of possible outliers and everything above them. Its cycles are collapsed, and every component
stands on a level below all its parents, so one pass over the levels carries words from the top to the bottom.
"""

from dataclasses import dataclass

import numpy as np

from wikisem.graph.build import Graph
from wikisem.graph.components import levels
from wikisem.graph.csr import Rows, offsets_of, reached
from wikisem.graph.outlier_sets.bitsets import Unions
from wikisem.graph.outlier_sets.class_lists import number_keys
from wikisem.graph.types import Index, Ints, Words


@dataclass(frozen=True, slots=True)
class Descent:
    """The graph above the terminals. Nodes are numbered anew ("slots") by level, then component.

    ``slot`` leads from a node of the class graph to its slot, -1 when it is not here; ``nodes`` leads back from each
    slot. ``parents`` are slots of slots.
    ``component`` is each slot's component, ``starts`` the first slot of each component. Level i is the components
    ``bounds[i]:bounds[i + 1]``, whose parents (components) are in ``over``.
    """

    slot: Ints
    nodes: Ints
    parents: Rows
    component: Ints
    starts: Index
    bounds: Index
    over: Rows


def prepare_descent(graph: Graph, terminals: Ints) -> Descent:
    """The descent to the terminals, which are nodes of the class graph."""
    nodes = np.flatnonzero(reached(graph.up, terminals))
    local = np.full(len(graph.nodes), -1, dtype=np.int32)
    local[nodes] = np.arange(len(nodes), dtype=np.int32)
    up = graph.up.take(nodes)
    up = Rows(up.offsets, local[up.targets])
    count, component = number_keys(graph.component[nodes])
    over = _between(up, component, count)
    level = levels(over)
    place = _ranks(level)
    order = np.argsort(place[component], kind="stable")
    slot_of = _inverse(order)
    slot = np.full(len(graph.nodes), -1, dtype=np.int32)
    slot[nodes] = slot_of
    return Descent(
        slot=slot,
        nodes=nodes[order],
        parents=_renumber(up, order, slot_of),
        component=place[component][order],
        starts=offsets_of(np.bincount(place[component], minlength=count))[:-1],
        bounds=offsets_of(np.bincount(level)),
        over=_renumber(over, _inverse(place), place),
    )


def _between(up: Rows, component: Ints, count: int) -> Rows:
    children, parents = component[up.sources()], component[up.targets]
    differ = children != parents
    return Rows.from_pairs(children[differ], parents[differ], count)


def _ranks(level: Ints) -> Index:
    return _inverse(np.argsort(level, kind="stable"))


def _inverse(order: Index) -> Index:
    inverse = np.empty(len(order), dtype=np.int64)
    inverse[order] = np.arange(len(order))
    return inverse


def _renumber(rows: Rows, order: Index, new: Index) -> Rows:
    """The same edges when node ``order[i]`` is called i and node j is called ``new[j]``."""
    moved = rows.take(order)
    return Rows(moved.offsets, new[moved.targets])


class Fall:
    """A descent made ready to carry words."""

    def __init__(self, descent: Descent) -> None:
        self.slots = len(descent.parents)
        self._parents = Unions.of(descent.parents)
        self._starts = descent.starts
        self._over = descent.over
        self._targets = descent.over.targets.astype(np.int64)
        self._bounds = [int(bound) for bound in descent.bounds]

    def children(self, words: Words) -> Words:
        """What the parents of each slot hold."""
        return self._parents.unite(words)

    def below(self, words: Words) -> Words:
        """For each component what its slots, and everything above them, hold."""
        if not self.slots:
            return words
        held: Words = np.bitwise_or.reduceat(words, self._starts)
        offsets = self._over.offsets
        # Level 0 has no parents; on every other level each component has at least one.
        for first, end in zip(self._bounds[1:-1], self._bounds[2:], strict=True):
            begin = offsets[first]
            above = held[self._targets[begin : offsets[end]]]
            held[first:end] |= np.bitwise_or.reduceat(above, offsets[first:end] - begin)
        return held
