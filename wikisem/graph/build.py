"""From edges to the pruned class graph (Blair et al. 2016, 3.1); what is pruned is said in ``_removed``."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wikisem.graph.components import components
from wikisem.graph.edges import Edges, places_of
from wikisem.graph.rows import Flags, Index, Ints, Rows, layers, offsets_of, pack, reached, unpack
from wikisem.ids import qid_number
from wikisem.recipe import GraphOptions


@dataclass(frozen=True, slots=True)
class Graph:
    """The pruned graph. Nodes (classes) and items stand in the order of their numbers and are known by their place.

    ``depth`` is the distance of a node from the root before anything was pruned, -1 where it cannot be reached.
    ``up`` and ``down`` are the P279 edges of nodes; ``component`` is the lowest node of each node's cycle. ``classes``
    holds the nodes that an item is an instance of, ``members`` the items of a node, most sitelinks first, then by
    number. ``removed`` are the numbers of all that was pruned.
    """

    nodes: Index
    depth: npt.NDArray[np.int16]
    class_sitelinks: npt.NDArray[np.int32]
    component: npt.NDArray[np.uint32]
    up: Rows
    down: Rows
    items: Index
    sitelinks: npt.NDArray[np.int32]
    classes: Rows
    members: Rows
    removed: Index


@dataclass(frozen=True, slots=True)
class _Whole:
    """Everything before pruning: the same columns, with P31 as (item, node) pairs."""

    nodes: Index
    subs: Ints
    supers: Ints
    owners: Ints
    kinds: Ints


def build_graph(edges: Edges, options: GraphOptions) -> Graph:
    """The pruned graph of all edges."""
    edges = _sorted(edges)
    whole = _number(edges, options)
    down = Rows.from_pairs(whole.supers, whole.subs, len(whole.nodes))
    tops = np.searchsorted(whole.nodes, _tops(options))
    unclear, root = np.split(tops, [len(options.disambiguation)])
    depth = layers(down, root)
    gone_nodes, gone_items = _removed(edges, whole, reached(down, unclear), depth, options)
    return _pruned(edges, whole, depth, ~gone_nodes, ~gone_items)


def _sorted(edges: Edges) -> Edges:
    """The same edges with items in the order of their numbers."""
    if np.all(edges.items[1:] > edges.items[:-1]):
        return edges
    order = np.argsort(edges.items, kind="stable")
    codes = Rows(offsets_of(edges.counts), edges.codes).take(order).targets.astype(np.uint32)
    moved = (edges.items[order], edges.sitelinks[order], edges.counts[order])
    return Edges(*moved, codes, edges.classes, edges.subs, edges.supers)


def _number(edges: Edges, options: GraphOptions) -> _Whole:
    proper = edges.subs != edges.supers  # self-loops are no edges
    subs, supers = edges.subs[proper], edges.supers[proper]
    # What the options name leaves the graph even where it is no class but an item alone.
    nodes = np.unique(np.concatenate([edges.classes, subs, supers, _tops(options)]))
    kinds = np.searchsorted(nodes, edges.classes).astype(np.uint32)[edges.codes]
    owners = np.repeat(np.arange(len(edges.items), dtype=np.uint32), edges.counts)
    return _Whole(nodes, np.searchsorted(nodes, subs), np.searchsorted(nodes, supers), owners, kinds)


def _tops(options: GraphOptions) -> Index:
    tops = [*options.disambiguation, *([options.root] if options.root else [])]
    return np.array([qid_number(qid) for qid in tops], dtype=np.int64)


def _removed(
    edges: Edges, whole: _Whole, unclear: Flags, depth: npt.NDArray[np.int16], options: GraphOptions
) -> tuple[Flags, Flags]:
    """Which nodes and which items leave the graph.

    These are the disambiguation classes, all below them, the instances of all these, and every class within
    ``root_distance`` steps below the root. What is a node and an item leaves as both.
    """
    gone_items = np.zeros(len(edges.items), dtype=bool)
    gone_items[whole.owners[unclear[whole.kinds]]] = True
    gone_nodes = unclear | ((depth >= 0) & (depth <= options.root_distance))
    places, found = places_of(whole.nodes, edges.items)
    gone_nodes[found] |= gone_items[places[found]]
    gone_items[places[found]] |= gone_nodes[found]
    return gone_nodes, gone_items


def _pruned(edges: Edges, whole: _Whole, depth: npt.NDArray[np.int16], nodes: Flags, items: Flags) -> Graph:
    subclass = nodes[whole.subs] & nodes[whole.supers]
    instance = items[whole.owners] & nodes[whole.kinds]
    with_class = np.zeros(len(items), dtype=bool)
    with_class[whole.owners[instance]] = True
    new_node, new_item = np.cumsum(nodes) - 1, np.cumsum(with_class) - 1
    count = int(nodes.sum())
    up = Rows.from_pairs(new_node[whole.subs[subclass]], new_node[whole.supers[subclass]], count)
    down = up.reverse(count)
    classes = Rows.from_pairs(new_item[whole.owners[instance]], new_node[whole.kinds[instance]], int(with_class.sum()))
    sitelinks = edges.sitelinks[with_class]
    return Graph(
        nodes=whole.nodes[nodes],
        depth=depth[nodes],
        class_sitelinks=_sitelinks_of(whole.nodes[nodes], edges),
        component=components(up, down),
        up=up,
        down=down,
        items=edges.items[with_class],
        sitelinks=sitelinks,
        classes=classes,
        members=_by_prominence(classes, sitelinks, count),
        removed=np.union1d(whole.nodes[~nodes], edges.items[~items]),
    )


def _sitelinks_of(nodes: Index, edges: Edges) -> npt.NDArray[np.int32]:
    places, found = places_of(nodes, edges.items)
    sitelinks = np.zeros(len(nodes), dtype=np.int32)
    sitelinks[found] = edges.sitelinks[places[found]]
    return sitelinks


def _by_prominence(classes: Rows, sitelinks: npt.NDArray[np.int32], count: int) -> Rows:
    """The items of each of ``count`` nodes, most sitelinks first; equal ones by number, which is their place."""
    keys = pack(sitelinks.max(initial=0) - sitelinks, np.arange(len(sitelinks), dtype=np.uint32))
    keys.sort()
    _, order = unpack(keys)
    rank = np.empty(len(order), dtype=np.uint32)
    rank[order] = np.arange(len(order), dtype=np.uint32)
    ranked = Rows.from_pairs(classes.targets, rank[classes.sources()], count)
    return Rows(ranked.offsets, order[ranked.targets])
