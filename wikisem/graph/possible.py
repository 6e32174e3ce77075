"""Which items may become outliers, and which classes are candidates, in any of the languages."""

from collections.abc import Mapping

import numpy as np

from wikisem.graph.build import Graph
from wikisem.graph.kinds import Flags, Index, Ints
from wikisem.graph.rows import Rows
from wikisem.graph.signatures import signatures

_CHUNK = 1 << 20


def named_counts(graph: Graph, items: Ints) -> Index:
    """How many of the items are an instance of each node."""
    counts = np.zeros(len(graph.nodes), dtype=np.int64)
    for begin in range(0, len(items), _CHUNK):
        kinds = graph.classes.take(items[begin : begin + _CHUNK]).targets
        counts += np.bincount(kinds, minlength=len(counts))
    return counts


def possible_outliers(graph: Graph, named: Mapping[str, Ints], min_sitelinks: int) -> tuple[Ints, Index, Rows]:
    """Items (ascending) that some language can name and that have the sitelinks, the list of each, and the lists."""
    able: Flags = np.zeros(len(graph.items), dtype=bool)
    for items in named.values():
        able[items] = True
    able &= graph.sitelinks >= min_sitelinks
    items = np.flatnonzero(able)
    numbers, lists = signatures(graph.classes.take(items))
    return items, numbers, lists
