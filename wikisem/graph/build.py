"""From edges to the pruned class graph (Blair et al. 2016, 3.1); what is pruned is said in ``_removed``."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wikisem.graph.components import components
from wikisem.graph.edges import Edges, places_of
from wikisem.graph.kinds import Flags, Index, Ints
from wikisem.graph.rows import Rows, layers, offsets_of, reached
from wikisem.graph.sorting import (
    distinct,
    first_of,
    inverse_of,
    narrow,
    pack,
    ranked,
    second_of,
    sort_pairs,
    sorted_order,
)
from wikisem.ids import qid_number
from wikisem.recipe import GraphOptions


@dataclass(frozen=True, slots=True)
class Graph:
    """The pruned graph. Nodes (classes) and items stand in the order of their numbers and are known by their place.

    ``depth`` is the distance of a node from the root before anything was pruned, -1 where it cannot be reached;
    ``class_sitelinks`` are those of the node's own item, -1 where it is only ever named by others.
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
    items: Ints
    sitelinks: npt.NDArray[np.int32]
    classes: Rows
    members: Rows
    removed: Index


@dataclass(frozen=True, slots=True)
class _Whole:
    """Everything before pruning, by place: P31 leads from ``owners`` to ``kinds``, P279 from ``subs`` to ``supers``."""

    nodes: Index
    items: Index
    sitelinks: npt.NDArray[np.int32]
    subs: Ints
    supers: Ints
    owners: Ints
    kinds: Ints


def build_graph(edges: Edges, options: GraphOptions) -> Graph:
    """The pruned graph of all edges."""
    whole = _number(edges, options)
    del edges  # as large as what is about to be made; nobody else holds it when it was made for this call
    down = Rows.from_pairs(whole.supers, whole.subs, len(whole.nodes))
    tops = np.searchsorted(whole.nodes, _tops(options))
    unclear, root = np.split(tops, [len(options.disambiguation)])
    depth = layers(down, root)
    gone_nodes, gone_items = _removed(whole, reached(down, unclear), depth, options)
    return _pruned(whole, depth, ~gone_nodes, ~gone_items)


def _number(edges: Edges, options: GraphOptions) -> _Whole:
    proper = edges.subs != edges.supers  # self-loops are no edges
    # What the options name leaves the graph even where it is no class but an item alone.
    ends = [edges.classes, edges.subs[proper], edges.supers[proper], _tops(options)]
    nodes, places = ranked(np.concatenate(ends))
    classes, subs, supers, _ = np.split(places, np.cumsum([len(end) for end in ends[:-1]]))
    order = sorted_order(edges.items)
    # Sorted once by item: what follows then reads memory in its order, and nothing need be sorted again.
    owners = np.repeat(inverse_of(order), edges.counts)
    instances = sort_pairs(pack(owners, classes[edges.codes]))
    return _Whole(
        nodes, edges.items[order], edges.sitelinks[order], subs, supers, first_of(instances), second_of(instances)
    )


def _tops(options: GraphOptions) -> Index:
    tops = [*options.disambiguation, *([options.root] if options.root else [])]
    return np.array([qid_number(qid) for qid in tops], dtype=np.int64)


def _removed(whole: _Whole, unclear: Flags, depth: npt.NDArray[np.int16], options: GraphOptions) -> tuple[Flags, Flags]:
    """Which nodes and which items leave the graph.

    These are the disambiguation classes, all below them, the instances of all these, and every class within
    ``root_distance`` steps below the root. What is a node and an item leaves as both.
    """
    gone_items = np.zeros(len(whole.items), dtype=bool)
    gone_items[whole.owners[unclear[whole.kinds]]] = True
    gone_nodes = unclear | ((depth >= 0) & (depth <= options.root_distance))
    places, found = places_of(whole.nodes, whole.items)
    gone_nodes[found] |= gone_items[places[found]]
    gone_items[places[found]] |= gone_nodes[found]
    return gone_nodes, gone_items


def _pruned(whole: _Whole, depth: npt.NDArray[np.int16], nodes: Flags, items: Flags) -> Graph:
    classes, with_class = _instances(whole, nodes, items)
    up = _subclasses(whole, nodes)
    down = up.reverse(len(up))
    sitelinks = whole.sitelinks[with_class]
    return Graph(
        nodes=whole.nodes[nodes],
        depth=depth[nodes],
        class_sitelinks=_sitelinks_of(whole.nodes[nodes], whole),
        component=components(up, down),
        up=up,
        down=down,
        items=narrow(whole.items[with_class]),
        sitelinks=sitelinks,
        classes=Rows(narrow(classes.offsets), classes.targets),
        members=_by_prominence(classes, sitelinks, len(up)),
        removed=distinct(np.concatenate([whole.nodes[~nodes], whole.items[~items]])),
    )


def _instances(whole: _Whole, nodes: Flags, items: Flags) -> tuple[Rows, Flags]:
    """The classes that are left of each item that has any left, and which items these are."""
    left = items[whole.owners] & nodes[whole.kinds]
    owners, kinds = whole.owners[left], whole.kinds[left]
    counts = np.bincount(owners, minlength=len(items))
    with_class = counts > 0
    return Rows(offsets_of(counts[with_class]), _renumber(nodes)[kinds]), with_class


def _subclasses(whole: _Whole, nodes: Flags) -> Rows:
    left = nodes[whole.subs] & nodes[whole.supers]
    new = _renumber(nodes)
    return Rows.from_pairs(new[whole.subs[left]], new[whole.supers[left]], int(nodes.sum()))


def _renumber(kept: Flags) -> npt.NDArray[np.uint32]:
    """The place of each kept one among the kept; what stands at the others means nothing."""
    return np.cumsum(kept, dtype=np.uint32) - np.uint32(1)


def _sitelinks_of(nodes: Index, whole: _Whole) -> npt.NDArray[np.int32]:
    places, found = places_of(nodes, whole.items)
    return np.where(found, whole.sitelinks[places], np.int32(-1)) if len(places) else np.zeros(0, dtype=np.int32)


def _by_prominence(classes: Rows, sitelinks: npt.NDArray[np.int32], count: int) -> Rows:
    """The items of each of ``count`` nodes, most sitelinks first; equal ones by number, which is their place."""
    order = sorted_order(sitelinks.max(initial=0) - sitelinks)
    ranked = Rows.from_pairs(classes.targets, inverse_of(order)[classes.sources()], count)
    return Rows(ranked.offsets, order[ranked.targets])
