"""Which classes and instances the picture of a group shows, how they are joined, and where they are placed."""

from collections.abc import Mapping

import networkx as nx

from wikisem.graph.taxonomy import Taxonomy
from wikisem.ids import qid_number
from wikisem.pipeline.explain.explanation import Explanation, way_up
from wikisem.records import Outlier

_CLUSTER, _OTHER = 0, 4
# Lines that a box with two lines of text takes.
_ROOM = 2.2
# Columns from left to right: grandparents, parents, the class and its like, classes on the way, instances.
_GRANDPARENT, _PARENT, _CLASS, _BETWEEN, _INSTANCE = range(5)


def group_graph(taxonomy: Taxonomy, explanation: Explanation) -> nx.DiGraph:
    """A graph whose edges lead from instance to class and from sub- to superclass.

    Nodes have ``text``, ``kind`` (0 cluster, 1 to 3 outlier class, 4 neither), ``column`` and ``is_class``; edges have
    ``kind`` and ``instance`` (whether it is P31).
    """
    assert explanation.group is not None
    graph = nx.DiGraph()
    _add_class(graph, explanation, explanation.qid, _CLUSTER, _CLASS)
    for member in explanation.group.cluster:
        graph.add_node(("item", member.id), text=member.surface, kind=_CLUSTER, column=_INSTANCE, is_class=False)
        graph.add_edge(("item", member.id), explanation.qid, kind=_CLUSTER, instance=True)
    for outlier in explanation.group.outliers:
        _add_outlier(graph, taxonomy, explanation, outlier)
    return graph


def _add_class(graph: nx.DiGraph, explanation: Explanation, qid: str, kind: int, column: int) -> None:
    if qid not in graph:
        label = explanation.label(qid)
        text = label if label == qid else f"{label}\n{qid}"
        graph.add_node(qid, text=text, kind=kind, column=column, is_class=True)


def _add_outlier(graph: nx.DiGraph, taxonomy: Taxonomy, explanation: Explanation, outlier: Outlier) -> None:
    kind = outlier.outlier_class
    _add_class(graph, explanation, outlier.via, kind, _CLASS)
    item = ("item", outlier.id)
    graph.add_node(item, text=outlier.surface, kind=kind, column=_INSTANCE, is_class=False)
    own = _own_class(taxonomy, outlier)
    if own != outlier.via:
        _add_class(graph, explanation, own, kind, _BETWEEN)
        graph.add_edge(own, outlier.via, kind=kind, instance=False)
    graph.add_edge(item, own, kind=kind, instance=True)
    if kind < 3:
        _join(graph, taxonomy, explanation, outlier)


def _own_class(taxonomy: Taxonomy, outlier: Outlier) -> str:
    """The class of the item from which the way up to the class that brought it in is shortest."""
    ways = [way_up(taxonomy, own, outlier.via) for own in taxonomy.classes(outlier.id)]
    ways = [way for way in ways if way[0] == way[-1] or way[1] in taxonomy.superclasses(way[0])]
    return min(ways, key=lambda way: (len(way), qid_number(way[0])))[0]


def _join(graph: nx.DiGraph, taxonomy: Taxonomy, explanation: Explanation, outlier: Outlier) -> None:
    """The parent that a sibling shares with the class, or the grandparent that a cousin does."""
    parents = taxonomy.superclasses(explanation.qid)
    above_via = taxonomy.superclasses(outlier.via)
    if outlier.outlier_class == 1:
        shared = next(parent for parent in parents if parent in above_via)
        _add_class(graph, explanation, shared, _OTHER, _PARENT)
        _add_edges(graph, [(explanation.qid, shared, _CLUSTER), (outlier.via, shared, 1)])
        return
    parent, shared = next(
        (parent, above) for parent in parents for above in taxonomy.superclasses(parent) if above in above_via
    )
    _add_class(graph, explanation, parent, _OTHER, _PARENT)
    _add_class(graph, explanation, shared, _OTHER, _GRANDPARENT)
    _add_edges(graph, [(explanation.qid, parent, _CLUSTER), (parent, shared, _OTHER), (outlier.via, shared, 2)])


def _add_edges(graph: nx.DiGraph, edges: list[tuple[str, str, int]]) -> None:
    for low, high, kind in edges:
        if low != high:
            graph.add_edge(low, high, kind=kind, instance=False)


def place(graph: nx.DiGraph) -> Mapping[object, tuple[float, float]]:
    """Where each node is placed: instances one a line, classes level with the middle of what is below them."""
    heights: dict[object, float] = {}
    line = 0.0
    for node, data in graph.nodes(data=True):
        if not data["is_class"]:
            heights[node] = line
            # The members share one class; each outlier has classes of its own beside it, which need their room.
            line -= 1.0 if data["kind"] == _CLUSTER else _ROOM
    for column in (_BETWEEN, _CLASS, _PARENT, _GRANDPARENT):
        nodes = [node for node, data in graph.nodes(data=True) if data["column"] == column]
        middles = {node: _middle(graph, node, heights) for node in nodes}
        heights |= _spread(middles)
    return {node: (float(data["column"]), heights[node]) for node, data in graph.nodes(data=True)}


def _middle(graph: nx.DiGraph, node: object, heights: Mapping[object, float]) -> float:
    below = [heights[low] for low in graph.predecessors(node) if low in heights]
    return sum(below) / len(below) if below else 0.0


def _spread(middles: Mapping[object, float]) -> dict[object, float]:
    """Push boxes apart that would overlap."""
    placed: dict[object, float] = {}
    lowest = float("inf")
    for node, height in sorted(middles.items(), key=lambda pair: (-pair[1], str(pair[0]))):
        lowest = min(height, lowest - _ROOM)
        placed[node] = lowest
    return placed
