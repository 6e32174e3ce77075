"""The pruned class graph (Blair et al. 2016, 3.1) from the edges of all items; ``_removed`` says what is pruned."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wikisem.arrow.numbers import distinct
from wikisem.graph.array_types import Flags, Int64s, Ints
from wikisem.graph.components import components
from wikisem.graph.csr import CsrRows, SparseRows, reached, steps_from
from wikisem.graph.instances import PRUNED, NodeEdges, by_prominence, gather_instances
from wikisem.graph.item_edges import ItemEdges
from wikisem.graph.sorting import indices_of, narrow
from wikisem.ids import qid_number
from wikisem.recipes.options import GraphOptions


@dataclass(frozen=True, slots=True)
class ClassGraph:
    """The pruned graph. A *node* is a class by its index in ``nodes``, an item is known by its index in ``items``.

    ``nodes`` and ``items`` are QID numbers, ascending. Of each node: ``depth`` is its distance from the root before
    anything was pruned, -1 where the root does not lead to it; ``class_sitelinks`` are the sitelinks of its own item,
    -1 where the dump has no such item; ``component`` is the lowest node of its cycle; ``up`` and ``down`` are its P279
    edges; ``instances`` are its items, most sitelinks first, then by number. ``classes`` are the nodes that each item
    is an instance of, ``other_classes`` those that it is an instance of at a sound rank that is not the best.
    ``removed`` are the QID numbers of all that was pruned, ``no_subjects`` of the classes whose instances were.
    """

    nodes: Int64s
    depth: npt.NDArray[np.int16]
    class_sitelinks: npt.NDArray[np.int32]
    component: npt.NDArray[np.uint32]
    up: CsrRows
    down: CsrRows
    items: Ints
    sitelinks: npt.NDArray[np.int32]
    classes: CsrRows
    other_classes: SparseRows
    instances: CsrRows
    removed: Int64s
    no_subjects: Int64s


@dataclass(frozen=True, slots=True)
class _AllClasses:
    """All classes before pruning, by index in ``nodes``: P279 leads from ``subs`` to ``supers``.

    ``nodes_of`` has one array for each table: the index in ``nodes`` of each of the table's ``classes``.
    """

    nodes: Int64s
    subs: Ints
    supers: Ints
    nodes_of: list[npt.NDArray[np.uint32]]


def build_graph(tables: Sequence[ItemEdges], options: GraphOptions) -> ClassGraph:
    """The pruned graph of the edges of any number of tables, no two of which may have the same item."""
    tables = tables or [ItemEdges.of_entities([])]
    whole = _number_classes(tables, options)
    down = CsrRows.from_pairs(whole.supers, whole.subs, len(whole.nodes))
    no_subjects, root = (np.searchsorted(whole.nodes, tops) for tops in _tops(options))
    depth = steps_from(down, root)
    without_subject = reached(down, no_subjects)
    gone, removed = _removed(tables, whole, without_subject, depth, options)
    return _prune(tables, whole, depth, ~gone, removed, whole.nodes[without_subject])


def _number_classes(tables: Sequence[ItemEdges], options: GraphOptions) -> _AllClasses:
    counts = [table.subclass_of.counts() for table in tables]
    subclasses = [table.items[count > 0] for table, count in zip(tables, counts, strict=True)]
    # What the options name is removed from the graph even where it is an item only, and no class.
    ends = [*(table.classes for table in tables), *subclasses, narrow(np.sort(np.concatenate(_tops(options))))]
    nodes = distinct(np.concatenate(ends)).astype(np.int64)
    nodes_of = [np.searchsorted(nodes, table.classes).astype(np.uint32) for table in tables]
    subs = [
        np.repeat(np.searchsorted(nodes, numbers).astype(np.uint32), count[count > 0])
        for numbers, count in zip(subclasses, counts, strict=True)
    ]
    supers = [own[table.subclass_of.targets] for table, own in zip(tables, nodes_of, strict=True)]
    return _AllClasses(nodes, np.concatenate(subs), np.concatenate(supers), nodes_of)


def _tops(options: GraphOptions) -> tuple[Int64s, Int64s]:
    """The numbers of the classes of pages without a subject, and of the root if there is one."""
    no_subjects, root = [*options.disambiguation, *options.internal], [options.root] if options.root else []
    first, second = (np.array([qid_number(qid) for qid in qids], dtype=np.int64) for qids in (no_subjects, root))
    return first, second


def _removed(
    tables: Sequence[ItemEdges],
    whole: _AllClasses,
    no_subjects: Flags,
    depth: npt.NDArray[np.int16],
    options: GraphOptions,
) -> tuple[Flags, Int64s]:
    """Which nodes are pruned, and the numbers of everything that is pruned, as a node, as an item, or as both.

    These are the classes of disambiguation pages and of Wikimedia's internal pages with all below them, the instances
    of all these, and every class within ``root_distance`` steps below the root.
    """
    gone = no_subjects | ((depth >= 0) & (depth <= options.root_distance))
    pages = [_instances_of(table, no_subjects[own]) for table, own in zip(tables, whole.nodes_of, strict=True)]
    numbers = distinct(np.concatenate(pages).astype(np.int64))
    nodes, found = indices_of(numbers, whole.nodes)
    gone[nodes[found]] = True
    return gone, distinct(np.concatenate([whole.nodes[gone], numbers]))


def _instances_of(table: ItemEdges, flagged: Flags) -> Ints:
    """The numbers of the items of a table that are an instance of any of its flagged classes."""
    hits = np.flatnonzero(flagged[table.instance_of.targets])
    offsets = table.instance_of.offsets
    return table.items[np.searchsorted(offsets, hits.astype(offsets.dtype), side="right") - 1]


def _prune(
    tables: Sequence[ItemEdges],
    whole: _AllClasses,
    depth: npt.NDArray[np.int16],
    kept: Flags,
    removed: Int64s,
    no_subjects: Int64s,
) -> ClassGraph:
    new = np.where(kept, np.cumsum(kept, dtype=np.uint32) - np.uint32(1), PRUNED)
    nodes = whole.nodes[kept]
    parts = [NodeEdges(table, new[own]) for table, own in zip(tables, whole.nodes_of, strict=True)]
    found = gather_instances(parts, nodes, removed)
    left = kept[whole.subs] & kept[whole.supers]
    up = CsrRows.from_pairs(new[whole.subs[left]], new[whole.supers[left]], len(nodes))
    return ClassGraph(
        nodes=nodes,
        depth=depth[kept],
        class_sitelinks=found.class_sitelinks,
        component=components(up),
        up=up,
        down=up.reverse(len(up)),
        items=found.items,
        sitelinks=found.sitelinks,
        classes=found.classes,
        other_classes=_other_classes(tables, found.items, nodes),
        instances=by_prominence(found.classes, found.sitelinks, len(up)),
        removed=removed,
        no_subjects=no_subjects,
    )


def _other_classes(tables: Sequence[ItemEdges], items: Ints, nodes: Int64s) -> SparseRows:
    """The nodes at ranks that are not the best; a class that is no node has nothing below it, and bars nothing."""
    owners, item_found = indices_of(np.concatenate([table.other_items for table in tables]), items)
    targets, node_found = indices_of(np.concatenate([table.other_classes for table in tables]), nodes)
    found = item_found & node_found
    return SparseRows.from_pairs(owners[found], targets[found])
