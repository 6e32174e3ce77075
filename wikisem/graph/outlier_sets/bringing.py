"""Which items a class can bring into an outlier set, and the ring on which the classes that bring items are met.

Section 3 of Blair et al. (2016) finds *a* sibling class and takes two of its instances. So a class v walks a ring of
classes as it walks the ring of items: from its own place, past the siblings (or cousins, or classes of far items).
Whatever is at or below such a class c is what c brings, I*(c); what a class of far items brings is I(c) alone.

    ring of classes, from v on    bear    cat           dog              owl
    its items in O1(v)            Baloo   Garfield, Tom Lassie, Snoopy   Hedwig

With two outliers a class, v takes Garfield and Tom: *bear* brings too few, and *cat* is the first that brings enough.
If *cat* brought only Tom, whose name the cluster has already, v would go on to *dog*. If no class brought two, v would
take them one class after another: Baloo, then what *cat* has, and so on.

``at_or_below`` is worked out once: a list of classes is at or below all components above its classes. That is a few
dozen for each list, because the graph is pruned near its root.
"""

from dataclasses import dataclass

import numpy as np

from wikisem.graph.array_types import Int64s, Ints
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import CsrRows, SparseRows, pairs_from
from wikisem.graph.outlier_sets.ancestors import AncestorIndex
from wikisem.graph.outlier_sets.class_lists import PoolLists
from wikisem.graph.outlier_sets.hash_ring import HashRing


@dataclass(frozen=True, slots=True)
class BringingIndex:
    """``ring`` has the rows of the ancestor index; its lists are these rows too.

    ``at_or_below`` has for each component of the ancestor index the lists with a class at or below it, ``direct`` for
    each class (node) the lists that it is on itself.
    """

    ring: HashRing
    at_or_below: CsrRows
    direct: SparseRows


def build_bringing_index(graph: ClassGraph, lists: PoolLists, ancestors: AncestorIndex, seed: int) -> BringingIndex:
    """The index for these lists, which are those that the ancestor index was built for."""
    rows = np.arange(len(ancestors.row_to_node))
    ring = HashRing.of(seed, graph.nodes[ancestors.row_to_node], rows, rows, len(rows))
    direct = SparseRows.from_pairs(lists.classes.targets, lists.classes.sources())
    return BringingIndex(ring, _at_or_below(direct, ancestors), direct)


def _at_or_below(direct: SparseRows, ancestors: AncestorIndex) -> CsrRows:
    """The lists at or below each component, by way of the classes: each class with all components above it."""
    components: Ints = ancestors.component[ancestors.node_to_row[direct.owners]]
    classes, above = pairs_from(ancestors.component_parents, np.arange(len(components)), components)
    lists = direct.rows.take(classes)
    return CsrRows.from_pairs(above[lists.sources()], lists.targets, len(ancestors.component_starts))


def items_of(rows: CsrRows, sizes: Ints) -> Int64s:
    """How many items are on all lists of each row, where ``sizes`` has the number on each list."""
    running = np.concatenate([[0], np.cumsum(sizes[rows.targets])])
    return np.diff(running[rows.offsets])
