"""Distinct lists of classes, and which items may become outliers at all.

Items with the same list of classes are in the same outlier sets, so each distinct list is handled once.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from wikisem.graph.build import Graph
from wikisem.graph.csr import Rows
from wikisem.graph.sorting import distinct, pack
from wikisem.graph.types import Flags, Index, Ints


def signatures(lists: Rows) -> tuple[Index, Rows]:
    """For each row the number of its list, and the distinct lists; rows must be sorted.

    Lists are told apart exactly, by walking the trie of their prefixes one step a round for all rows at once.
    """
    counts = lists.counts()
    prefix = np.zeros(len(lists), dtype=np.int64)
    known = 1
    for step in range(int(counts.max(initial=0))):
        longer = np.flatnonzero(counts > step)
        keys = pack(prefix[longer], lists.targets[lists.offsets[longer] + step])
        prefixes, places = number_keys(keys)
        prefix[longer] = known + places
        known += prefixes
    count, numbers = number_keys(prefix.astype(np.uint64))
    example = np.zeros(count, dtype=np.int64)
    example[numbers] = np.arange(len(lists))
    return numbers, lists.take(example)


def number_keys(keys: Ints) -> tuple[int, Index]:
    """How many distinct keys there are, and for each key its place among them in ascending order."""
    known = distinct(keys)
    return len(known), np.searchsorted(known, keys)


@dataclass(frozen=True, slots=True)
class CandidateClasses:
    """The candidates of a language (``nodes``, ascending), and for each its named instances that may be its cluster.

    What the targets of ``leading`` are is for whoever made them to say: places in the graph, or in a name table.
    """

    nodes: Index
    leading: Rows


def candidate_classes(graph: Graph, named: Flags, least: int, size: int) -> CandidateClasses:
    """The nodes with at least ``least`` named instances, and the first ``size`` of these, most sitelinks first.

    ``named`` says of each item of the graph whether it has a name; the leading ones are places in the graph.
    """
    hits = np.flatnonzero(named[graph.members.targets])
    begins = np.searchsorted(hits, graph.members.offsets)
    counts = np.diff(begins)
    nodes = np.flatnonzero(counts >= least)
    ends = begins[nodes] + np.minimum(counts[nodes], size)
    first = Rows(np.stack([begins[nodes], ends], axis=1).reshape(-1), hits).take(2 * np.arange(len(nodes)))
    return CandidateClasses(nodes, Rows(first.offsets, graph.members.targets[first.targets]))


def possible_outliers(graph: Graph, able: Iterable[Ints]) -> tuple[Ints, Index, Rows]:
    """All items (ascending) that are able to be an outlier in some language, the list of each, and the lists."""
    items = distinct(np.concatenate(list(able)))
    numbers, lists = signatures(graph.classes.take(items))
    return items, numbers, lists
