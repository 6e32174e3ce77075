"""Which groups are kept where there are more than ``max_groups``: the first in an order that no language changes."""

from collections.abc import Sequence

import numpy as np

from wikisem.graph.build import Graph
from wikisem.graph.edges import places_of
from wikisem.recipes.options import ClusterOptions
from wikisem.sampling import places


def first_classes(graph: Graph, numbers: Sequence[int], options: ClusterOptions, seed: int) -> set[int]:
    """The class numbers among ``numbers`` that ``max_groups`` lets through; all of them where it is 0.

    "sample" takes classes in the order of their places on the ring of the seed; "prominence" those whose own item has
    most sitelinks, then the lower number (a class without a line of its own has none).
    """
    known = np.array(sorted(numbers), dtype=np.int64)
    if options.class_order == "sample":
        order = np.argsort(places(seed, known), kind="stable")
    else:
        nodes, _ = places_of(known, graph.nodes)
        order = np.argsort(-np.maximum(graph.class_sitelinks[nodes], 0), kind="stable")
    return set(known[order][: options.max_groups or len(known)].tolist())
