"""Which lists of the outlier pool are barred for a candidate class, whatever outlier set they would be in.

All of this is known before the first class is judged, and concerns few lists. With Oslo an instance of *city* at the
best rank and of *big city* at another, and with *capital* an item that is itself below *city*:

    candidate    barred
    city         capital (below it), and what is above it
    big city     Oslo (it is one, at a rank that is not the best)

Barred are the class itself, everything above it and below it; what is an instance of it at any sound rank, or with
``exclude`` "closure" and "kin" an instance of anything below it; and with "kin" what has a statement that makes it.
"""

from typing import Literal

import numpy as np

from wikisem.graph.array_types import Int64s, Ints
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import CsrRows, SparseRows, pairs_from
from wikisem.graph.outlier_sets.class_lists import NO_NODE, PoolLists
from wikisem.graph.sorting import indices_of

Exclude = Literal["instances", "closure", "kin"]


def barred_lists(
    graph: ClassGraph, lists: PoolLists, candidates: Ints, exclude: Exclude, class_making: SparseRows
) -> CsrRows:
    """For each of the candidates (nodes, ascending) the lists that are barred for it.

    ``class_making`` has for a node the numbers of the statements that make it.
    """
    own = np.flatnonzero(lists.nodes != NO_NODE)
    below = pairs_from(graph.up, own, lists.nodes[own])
    others: tuple[Ints, Ints] = lists.others.sources(), lists.others.targets
    if exclude != "instances":
        others = pairs_from(graph.up, *others)
    pairs = [
        _above(graph, own, lists.nodes[own], candidates),
        *(_of_candidates(found, nodes, candidates) for found, nodes in (below, others)),
        _with_statement(lists.statements, class_making.take(candidates)),
    ]
    rows, barred = (np.concatenate(each) for each in zip(*pairs, strict=True))
    return CsrRows.from_pairs(rows, barred, len(candidates))


def _above(graph: ClassGraph, own: Ints, nodes: Ints, candidates: Ints) -> tuple[Ints, Ints]:
    """The lists of items that are themselves above a candidate; no two of these lists have the same node."""
    rows, above = pairs_from(graph.up, np.arange(len(candidates)), candidates)
    order = np.argsort(nodes)
    indices, found = indices_of(above, nodes[order])
    return rows[found], own[order][indices[found]]


def _of_candidates(lists: Ints, nodes: Ints, candidates: Ints) -> tuple[Int64s, Ints]:
    indices, found = indices_of(nodes, candidates)
    return indices[found], lists[found]


def _with_statement(statements: CsrRows, making: CsrRows) -> tuple[Ints, Ints]:
    """The lists that have any of the statements that make a candidate."""
    count = 1 + max(int(each.targets.max(initial=0)) for each in (statements, making))
    with_statement = statements.reverse(count).take(making.targets)
    return making.sources()[with_statement.sources()], with_statement.targets
