"""Which items may become outliers, and which classes are candidates, in any of the languages."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from wikisem.graph.build import Graph
from wikisem.graph.kinds import Flags, Index, Ints
from wikisem.graph.rows import Rows
from wikisem.graph.signatures import signatures
from wikisem.graph.sorting import distinct


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
