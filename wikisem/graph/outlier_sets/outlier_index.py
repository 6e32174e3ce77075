"""O1, O2 and O3 of 64 classes at a time, exact, one bitset for each distinct list of classes (Blair et al. 2016, A)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from wikisem.arrow.numbers import distinct
from wikisem.graph.array_types import Bitsets, Ints
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import CsrRows
from wikisem.graph.outlier_sets.ancestors import AncestorIndex, DownwardPass, build_ancestor_index
from wikisem.graph.outlier_sets.bitsets import WIDTH, RowUnion, set_bits
from wikisem.graph.outlier_sets.neighbourhood import NeighbourhoodIndex, NeighbourhoodSearch, build_neighbourhood_index
from wikisem.recipes.options import OutlierOptions


@dataclass(frozen=True, slots=True)
class OutlierIndex:
    """What the outlier sets of all candidate classes are read from; ``lists`` are the distinct lists of nodes."""

    lists: CsrRows
    ancestors: AncestorIndex
    neighbourhood: NeighbourhoodIndex


def build_outlier_index(graph: ClassGraph, lists: CsrRows, candidates: Ints) -> OutlierIndex:
    """The index for an outlier pool with these lists of nodes, and for these candidate classes."""
    terminals = distinct(lists.targets)
    parents = graph.up.take(candidates).targets
    ends = distinct(np.concatenate([terminals, parents]))
    return OutlierIndex(lists, build_ancestor_index(graph, terminals), build_neighbourhood_index(graph, ends))


@dataclass(frozen=True, slots=True)
class RelativeSet:
    """The siblings (for O1) or cousins (for O2) of the classes asked for, one bit for each class asked for.

    ``relatives`` has a bitset for each row of the ancestor index: whose relative it is. ``at_or_below`` has one for
    each component: whose relative it is, or is below.
    """

    relatives: Bitsets
    at_or_below: Bitsets


@dataclass(frozen=True, slots=True)
class ClassOutliers:
    """The outlier sets of up to 64 classes: one bitset for each list in O1, O2 and O3, and who brought O1 and O2 in."""

    sets: tuple[Bitsets, Bitsets, Bitsets]
    relatives: tuple[RelativeSet, RelativeSet]


class OutlierSets:
    """Reads outlier sets from an index; every answer has one bitset a list, one bit a class asked for."""

    def __init__(self, graph: ClassGraph, index: OutlierIndex, options: OutlierOptions) -> None:
        self._graph, self._options = graph, options
        self._ancestor_row, self._neighbour_row = index.ancestors.node_to_row, index.neighbourhood.node_to_row
        self._down = DownwardPass(index.ancestors)
        terminals = distinct(index.lists.targets)
        self._search = NeighbourhoodSearch(index.neighbourhood, options.distance, terminals)
        rows = self._ancestor_row[index.lists.targets]
        offsets = index.lists.offsets
        self._by_row = RowUnion.of(CsrRows(offsets, rows))
        self._by_component = RowUnion.of(CsrRows(offsets, index.ancestors.component[rows]))
        self._by_terminal = RowUnion.of(CsrRows(offsets, np.searchsorted(terminals, index.lists.targets)))

    def of(self, classes: Ints) -> ClassOutliers:
        """O1, O2, O3 of up to 64 classes (nodes): bit i of a list says that its items are in that set of class i."""
        assert len(classes) <= WIDTH
        allowed = ~self._own(classes)
        parents = self._graph.up.take(classes)
        siblings = self._children_of(parents, classes)
        cousins = self._children_of(grandparents(self._graph, parents, self._options.grandparents), classes)
        first: Bitsets = self._by_component.union(siblings.at_or_below) & allowed
        second: Bitsets = self._by_component.union(cousins.at_or_below) & allowed & ~first
        third: Bitsets = self._far(parents) & allowed & ~first & ~second
        return ClassOutliers((first, second, third), (siblings, cousins))

    def _own(self, classes: Ints) -> Bitsets:
        """I(v), or I*(v) where the recipe excludes the closure."""
        bitsets = set_bits(self._down.rows, self._ancestor_row[classes], np.arange(len(classes)))
        if self._options.exclude == "closure":
            return self._by_component.union(self._down.propagate_down(bitsets))
        return self._by_row.union(bitsets)

    def _children_of(self, sources: CsrRows, classes: Ints) -> RelativeSet:
        """All children of the sources except the class itself, and everything below them."""
        bitsets = set_bits(self._down.rows, self._ancestor_row[sources.targets], sources.sources())
        relatives = self._down.to_children(bitsets)
        # Only the class itself is left out: other classes on its cycle are siblings like any other.
        for bit, row in enumerate(self._ancestor_row[classes].tolist()):
            if row >= 0:
                relatives[row] &= ~np.uint64(1 << bit)
        return RelativeSet(relatives, self._down.propagate_down(relatives))

    def _far(self, parents: CsrRows) -> Bitsets:
        """Lists none of whose classes is near a parent; a class without parents has none."""
        with_parents = set_bits(1, np.zeros(len(parents.targets), dtype=np.int64), parents.sources())[0]
        bitsets = set_bits(self._search.rows, self._neighbour_row[parents.targets], parents.sources())
        far: Bitsets = ~self._by_terminal.union(self._search.near(bitsets)) & with_parents
        return far


def grandparents(graph: ClassGraph, parents: CsrRows, kind: Literal["any", "strict"]) -> CsrRows:
    """P²(v) for each row of parents P(v); "strict" leaves P(v) itself out."""
    above = graph.up.take(parents.targets)
    owner = parents.sources()[above.sources()]
    twice = CsrRows.from_pairs(owner, above.targets, len(parents))
    return twice if kind == "any" else twice.without(parents)
