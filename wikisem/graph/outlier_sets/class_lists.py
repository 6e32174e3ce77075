"""What is prepared before any outlier set is read: the outlier pool by list of classes, and the candidate classes.

Items with the same list of classes are in the same outlier sets, so every set is computed on the distinct lists.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from wikisem.arrow.numbers import distinct
from wikisem.graph.array_types import Flags, Int64s, Ints
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import CsrRows
from wikisem.graph.sorting import pack_pairs, rank_keys


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


def outlier_pool(graph: ClassGraph, by_language: Iterable[Ints]) -> tuple[Ints, Int64s, CsrRows]:
    """All items (ascending) that may be an outlier in some language, the number of each one's list, and the lists."""
    items = distinct(np.concatenate([np.zeros(0, dtype=np.uint32), *by_language]))
    numbers, lists = class_lists(graph.classes.take(items))
    return items, numbers, lists


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
