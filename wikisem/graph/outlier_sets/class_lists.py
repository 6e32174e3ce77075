"""What is prepared before any outlier set is read: the outlier pool by list of classes, and the candidate classes.

Items with the same list of classes are in the same outlier sets, so every set is computed on the distinct lists. A few
items differ in more than their classes: one is a class itself, one is an instance of something at a rank that is not
the best, one has a statement that makes a class. These are on lists apart, so that a list is all that any rule needs:

    Q90 Paris      instance of Q515 (city)                                  list 0
    Q64 Berlin     instance of Q515                                         list 0
    Q585 Oslo      instance of Q515; of Q1549591 (big city), not preferred  list 1
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from wikisem.arrow.numbers import distinct
from wikisem.graph.array_types import Flags, Int64s, Ints
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import CsrRows, SparseRows
from wikisem.graph.sorting import indices_of, pack_pairs, rank_keys

# The node of an item that is no class.
NO_NODE: Final = -1


@dataclass(frozen=True, slots=True)
class CandidateClasses:
    """The candidate classes of a language (``nodes``, ascending), and the instances that may become their clusters.

    The targets of ``leading`` are items of the graph as ``candidate_classes`` makes it, rows of the language's table of
    surface forms as ``LanguageInputs`` wants it.
    """

    nodes: Int64s
    leading: CsrRows


def candidate_classes(graph: ClassGraph, has_surface: Flags, minimum: int, size: int) -> CandidateClasses:
    """The nodes with at least ``minimum`` instances that have a surface form, and the first ``size`` of these.

    ``has_surface`` is one flag for each item of the graph. First come the instances with most sitelinks.
    """
    hits = np.flatnonzero(has_surface[graph.instances.targets])
    begins = np.searchsorted(hits, graph.instances.offsets)
    counts = np.diff(begins)
    nodes = np.flatnonzero(counts >= minimum)
    ends = begins[nodes] + np.minimum(counts[nodes], size)
    first = CsrRows(np.stack([begins[nodes], ends], axis=1).reshape(-1), hits).take(2 * np.arange(len(nodes)))
    return CandidateClasses(nodes, CsrRows(first.offsets, graph.instances.targets[first.targets]))


@dataclass(frozen=True, slots=True)
class PoolLists:
    """What the items on each list of the outlier pool have in common.

    ``classes`` are the nodes they are an instance of, ``others`` those at a sound rank that is not the best,
    ``statements`` the numbers of their class-making statements; ``nodes`` is the node that the one item of a list is
    itself, or ``NO_NODE``.
    """

    classes: CsrRows
    others: CsrRows
    statements: CsrRows
    nodes: Int64s

    def __len__(self) -> int:
        return len(self.nodes)


NO_STATEMENTS: Final = SparseRows.from_pairs(np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.uint32))


def outlier_pool(
    graph: ClassGraph, by_language: Iterable[Ints], statements: SparseRows = NO_STATEMENTS
) -> tuple[Ints, Int64s, PoolLists]:
    """All items (ascending) that may be an outlier in some language, the number of each one's list, and the lists.

    ``statements`` has the numbers of the class-making statements of items of the graph.
    """
    items = distinct(np.concatenate([np.zeros(0, dtype=np.uint32), *by_language]))
    classes, others, made = graph.classes.take(items), graph.other_classes.take(items), statements.take(items)
    nodes, is_node = indices_of(graph.items[items], graph.nodes)
    nodes[~is_node] = NO_NODE
    # What items differ in besides their classes, as one more number; 0 for nothing, as most have.
    apart = np.flatnonzero(is_node | (others.counts() > 0) | (made.counts() > 0))
    further = np.zeros(len(items), dtype=np.int64)
    further[apart] = 1 + _distinct_rows(others.take(apart), made.take(apart), nodes[apart], len(graph.nodes))
    count, numbers = rank_keys(pack_pairs(class_lists(classes)[0], further))
    example = np.zeros(count, dtype=np.int64)
    example[numbers] = np.arange(len(items))
    return items, numbers, PoolLists(classes.take(example), others.take(example), made.take(example), nodes[example])


def _distinct_rows(others: CsrRows, made: CsrRows, nodes: Int64s, node_count: int) -> Int64s:
    """A number for each row of all three: the same where all three are equal."""
    owners = np.arange(len(nodes))
    # Nodes of three kinds share one range of numbers: other classes, the items' own nodes, then statements.
    sources = np.concatenate([others.sources(), owners, made.sources()])
    kinds = [others.targets, nodes + 1 + node_count, made.targets.astype(np.int64) + 2 * node_count + 2]
    numbers, _ = class_lists(CsrRows.from_pairs(sources, np.concatenate(kinds), len(nodes)))
    return numbers


def class_lists(rows: CsrRows) -> tuple[Int64s, CsrRows]:
    """For each row the number of its list, and the distinct lists; rows must be sorted.

    Lists are compared exactly, not by hash: each round extends the prefix of every row by one class, and numbers the
    distinct prefixes.

    >>> rows = CsrRows(np.array([0, 2, 3, 5]), np.array([4, 6, 4, 4, 6]))    # [4, 6], [4], [4, 6]
    >>> numbers, lists = class_lists(rows)
    >>> numbers.tolist(), [lists.row(number).tolist() for number in range(len(lists))]
    ([1, 0, 1], [[4], [4, 6]])
    """
    counts = rows.counts()
    prefix = np.zeros(len(rows), dtype=np.int64)
    known = 1
    for step in range(int(counts.max(initial=0))):
        longer = np.flatnonzero(counts > step)
        count, ranks = rank_keys(pack_pairs(prefix[longer], rows.targets[rows.offsets[longer] + step]))
        prefix[longer] = known + ranks
        known += count
    count, numbers = rank_keys(prefix.astype(np.uint64))
    example = np.zeros(count, dtype=np.int64)
    example[numbers] = np.arange(len(rows))
    return numbers, rows.take(example)
