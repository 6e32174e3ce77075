"""From edges to the pruned class graph (Blair et al. 2016, 3.1); what is pruned is said in ``_removed``."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wikisem.graph.components import components
from wikisem.graph.csr import Rows, layers, reached
from wikisem.graph.edges import Edges, places_of
from wikisem.graph.instances import GONE, Part, by_prominence, gather
from wikisem.graph.sorting import distinct, narrow
from wikisem.graph.types import Flags, Index, Ints
from wikisem.ids import qid_number
from wikisem.recipes.options import GraphOptions


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
class _Classes:
    """All classes before pruning, by place: P279 leads from ``subs`` to ``supers``.

    ``places`` has, for each table that edges came from, the places of its ``classes``.
    """

    nodes: Index
    subs: Ints
    supers: Ints
    places: list[npt.NDArray[np.uint32]]


def build_graph(edges: Sequence[Edges], options: GraphOptions) -> Graph:
    """The pruned graph of the edges of several tables, no two of which may have the same item."""
    whole = _number(edges, options)
    down = Rows.from_pairs(whole.supers, whole.subs, len(whole.nodes))
    tops = np.searchsorted(whole.nodes, _tops(options))
    unclear, root = np.split(tops, [len(options.disambiguation)])
    depth = layers(down, root)
    gone, removed = _removed(edges, whole, reached(down, unclear), depth, options)
    return _pruned(edges, whole, depth, ~gone, removed)


def _number(edges: Sequence[Edges], options: GraphOptions) -> _Classes:
    parents = [part.supers.counts() for part in edges]
    numbers = [part.items[counts > 0] for part, counts in zip(edges, parents, strict=True)]
    # What the options name leaves the graph even where it is no class but an item alone.
    ends = [*(part.classes for part in edges), *numbers, narrow(np.sort(_tops(options)))]
    nodes = distinct(np.concatenate(ends)).astype(np.int64)
    places = [np.searchsorted(nodes, part.classes).astype(np.uint32) for part in edges]
    subs = [
        np.repeat(np.searchsorted(nodes, some).astype(np.uint32), counts[counts > 0])
        for some, counts in zip(numbers, parents, strict=True)
    ]
    supers = [place[part.supers.targets] for part, place in zip(edges, places, strict=True)]
    return _Classes(nodes, np.concatenate(subs), np.concatenate(supers), places)


def _tops(options: GraphOptions) -> Index:
    tops = [*options.disambiguation, *([options.root] if options.root else [])]
    return np.array([qid_number(qid) for qid in tops], dtype=np.int64)


def _removed(
    edges: Sequence[Edges], whole: _Classes, unclear: Flags, depth: npt.NDArray[np.int16], options: GraphOptions
) -> tuple[Flags, Index]:
    """Which nodes leave the graph, and the numbers of all that leaves it, as a node, as an item, or as both.

    These are the disambiguation classes, all below them, the instances of all these, and every class within
    ``root_distance`` steps below the root.
    """
    pages = [_owners(part, unclear[places]) for part, places in zip(edges, whole.places, strict=True)]
    gone = unclear | ((depth >= 0) & (depth <= options.root_distance))
    instances = distinct(np.concatenate(pages).astype(np.int64))
    places, found = places_of(instances, whole.nodes)
    gone[places[found]] = True
    return gone, distinct(np.concatenate([whole.nodes[gone], instances]))


def _owners(part: Edges, flagged: Flags) -> Ints:
    """The items of a part that are an instance of any of its classes that are flagged."""
    hits = np.flatnonzero(flagged[part.kinds.targets])
    return part.items[np.searchsorted(part.kinds.offsets, hits.astype(part.kinds.offsets.dtype), side="right") - 1]


def _pruned(
    edges: Sequence[Edges], whole: _Classes, depth: npt.NDArray[np.int16], kept: Flags, removed: Index
) -> Graph:
    new = np.where(kept, np.cumsum(kept, dtype=np.uint32) - np.uint32(1), GONE)
    nodes = whole.nodes[kept]
    parts = [Part(part, new[places]) for part, places in zip(edges, whole.places, strict=True)]
    instances = gather(parts, nodes, removed)
    left = kept[whole.subs] & kept[whole.supers]
    up = Rows.from_pairs(new[whole.subs[left]], new[whole.supers[left]], len(nodes))
    down = up.reverse(len(up))
    return Graph(
        nodes=nodes,
        depth=depth[kept],
        class_sitelinks=instances.class_sitelinks,
        component=components(up, down),
        up=up,
        down=down,
        items=instances.items,
        sitelinks=instances.sitelinks,
        classes=instances.classes,
        members=by_prominence(instances.classes, instances.sitelinks, len(up)),
        removed=removed,
    )
