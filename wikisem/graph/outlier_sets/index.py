"""O1, O2 and O3 of 64 classes at a time, exact, one word for each distinct list of classes (Blair et al. 2016, A)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from wikisem.graph.build import Graph
from wikisem.graph.csr import Rows
from wikisem.graph.outlier_sets.bitsets import WIDTH, Unions, mark
from wikisem.graph.outlier_sets.closure import Descent, Fall, prepare_descent
from wikisem.graph.outlier_sets.nearness import Ball, Nearness, prepare_nearness
from wikisem.graph.sorting import distinct, pack
from wikisem.graph.types import Ints, Words
from wikisem.recipes.options import OutlierOptions


@dataclass(frozen=True, slots=True)
class OutlierIndex:
    """What the outlier sets of all candidates are read from: ``lists`` are the distinct lists of classes (nodes)."""

    lists: Rows
    descent: Descent
    nearness: Nearness


def prepare_index(graph: Graph, lists: Rows, candidates: Ints) -> OutlierIndex:
    """The index for possible outliers with these lists of classes, and for these candidate classes."""
    terminals = distinct(lists.targets)
    parents = graph.up.take(candidates).targets
    return OutlierIndex(
        lists,
        prepare_descent(graph, terminals),
        prepare_nearness(graph, np.union1d(terminals, parents)),
    )


@dataclass(frozen=True, slots=True)
class Family:
    """The classes that bring outliers in, one bit for each class asked for: its siblings for O1, its cousins for O2.

    ``seeds`` holds them by slot of the descent, ``held`` has for each component whether it is one of them or below.
    """

    seeds: Words
    held: Words


@dataclass(frozen=True, slots=True)
class Found:
    """The outlier sets of up to 64 classes: one word for each list in O1, O2 and O3, and who brought O1 and O2 in."""

    sets: tuple[Words, Words, Words]
    families: tuple[Family, Family]


class OutlierSets:
    """Reads outlier sets from an index; every answer has one word a list, one bit a class asked for."""

    def __init__(self, graph: Graph, index: OutlierIndex, options: OutlierOptions) -> None:
        self._graph, self._options = graph, options
        self._slot, self._spot = index.descent.slot, index.nearness.spot
        self._fall = Fall(index.descent)
        terminals = distinct(index.lists.targets)
        self._ball = Ball(index.nearness, options.distance, terminals)
        slots = self._slot[index.lists.targets]
        offsets = index.lists.offsets
        self._by_slot = Unions.of(Rows(offsets, slots))
        self._by_component = Unions.of(Rows(offsets, index.descent.component[slots]))
        self._by_terminal = Unions.of(Rows(offsets, np.searchsorted(terminals, index.lists.targets)))

    def of(self, classes: Ints) -> Found:
        """O1, O2, O3 of up to 64 classes (nodes): bit i of a list's word says that its items are in that of class i."""
        assert len(classes) <= WIDTH
        own = ~self._own(classes)
        parents = self._graph.up.take(classes)
        over = grandparents(self._graph, parents, self._options.grandparents)
        siblings, cousins = self._around(parents, classes), self._around(over, classes)
        first: Words = self._by_component.unite(siblings.held) & own
        second: Words = self._by_component.unite(cousins.held) & own & ~first
        third: Words = self._far(parents) & own & ~first & ~second
        return Found((first, second, third), (siblings, cousins))

    def _own(self, classes: Ints) -> Words:
        """I(v), or I*(v) where the recipe excludes the closure."""
        words = mark(self._fall.slots, self._slot[classes], np.arange(len(classes)))
        if self._options.exclude == "closure":
            return self._by_component.unite(self._fall.below(words))
        return self._by_slot.unite(words)

    def _around(self, sources: Rows, classes: Ints) -> Family:
        """All children of the sources but the class itself, and everything below them."""
        words = self._fall.children(mark(self._fall.slots, self._slot[sources.targets], sources.sources()))
        # A class leaves out itself by node: other classes on its cycle are siblings like any other.
        slots = self._slot[classes]
        for place, slot in enumerate(slots.tolist()):
            if slot >= 0:
                words[slot] &= ~np.uint64(1 << place)
        return Family(words, self._fall.below(words))

    def _far(self, parents: Rows) -> Words:
        """Lists none of whose classes is near a parent; a class without parents has none."""
        with_parents = mark(1, np.zeros(len(parents.targets), dtype=np.int64), parents.sources())[0]
        words = mark(self._ball.spots, self._spot[parents.targets], parents.sources())
        far: Words = ~self._by_terminal.unite(self._ball.near(words)) & with_parents
        return far


def grandparents(graph: Graph, parents: Rows, kind: Literal["any", "strict"]) -> Rows:
    """P²(v) for each row of parents P(v); "strict" leaves P(v) itself out."""
    over = graph.up.take(parents.targets)
    owner = parents.sources()[over.sources()]
    twice = Rows.from_pairs(owner, over.targets, len(parents))
    if kind == "any":
        return twice
    return twice.keep(~np.isin(pack(twice.sources(), twice.targets), pack(parents.sources(), parents.targets)))
