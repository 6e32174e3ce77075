"""The distance between two classes: steps over P279 edges, taken in both directions, searched from both ends."""

import numpy as np

from wikisem.graph.build import Graph
from wikisem.graph.kinds import Flags, Ints
from wikisem.graph.sorting import distinct


def distance_between(graph: Graph, one: int, other: int, limit: int | None = None) -> int | None:
    """Steps between two nodes; None when there are more than ``limit``, or no way at all."""
    if one == other:
        return 0
    # The end whose rim has fewer edges moves on, so that a class with a million subclasses is opened last.
    rims: list[Ints] = [np.array([one]), np.array([other])]
    seen: list[Flags] = [np.zeros(len(graph.nodes), dtype=bool) for _ in rims]
    seen[0][one] = seen[1][other] = True
    steps = 0
    while (limit is None or steps < limit) and len(rims[0]) and len(rims[1]):
        side = 0 if _edges(graph, rims[0]) <= _edges(graph, rims[1]) else 1
        beyond = np.concatenate([graph.up.take(rims[side]).targets, graph.down.take(rims[side]).targets])
        steps += 1
        if seen[1 - side][beyond].any():
            return steps
        rims[side] = distinct(beyond[~seen[side][beyond]])
        seen[side][rims[side]] = True
    return None


def _edges(graph: Graph, nodes: Ints) -> int:
    return sum(int((rows.offsets[nodes + 1] - rows.offsets[nodes]).sum()) for rows in (graph.up, graph.down))
