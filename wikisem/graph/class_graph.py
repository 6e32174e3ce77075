"""Building the class graph from the P31 and P279 edges of all items, and pruning it (Blair et al. 2016, 3.1).

Edges come as tables of items (``ItemEdges``); ``build_graph`` numbers all classes, prunes it, and
gathers the instances of the classes that are left. Nothing is a Python object for each item or class.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.columns import distinct, qid_numbers
from wikisem.graph import csr
from wikisem.graph.csr import CsrRows, Flags, Int64s, Ints, SparseRows
from wikisem.ids import qid_number, qid_of
from wikisem.recipes.options import GraphOptions
from wikisem.records import Entity

# The columns that the class graph needs.
COLUMNS: Final = ("qid", "instance_of", "subclass_of", "sitelinks", "other_instance_of")


@dataclass(frozen=True, slots=True)
class ItemEdges:
    """The P31 and P279 edges of one table: items that are an instance or a subclass of something, by number, ascending.

    ``items`` and ``sitelinks`` have shape ``(n,)``. Row i of ``instance_of`` has the P31 edges of item i, row i of
    ``subclass_of`` its P279 edges without self-loops. Both lead to indices in ``classes``, the ascending numbers of
    all classes that these edges lead to, and of any others that are to be nodes. The item ``other_items[j]`` is an
    instance of ``other_classes[j]`` at a sound rank that is not the best (both numbers); few items are.
    """

    items: Ints
    sitelinks: npt.NDArray[np.int32]
    classes: Ints
    instance_of: CsrRows
    subclass_of: CsrRows
    other_items: Int64s
    other_classes: Int64s

    @staticmethod
    def of_table(table: pa.Table) -> "ItemEdges":
        """The edges of a table with the columns of ``COLUMNS``; raises DamagedInputError for invalid ids.

        ``other_instance_of`` may be absent, as in tables written before 2026-11.
        """
        numbers = qid_numbers(table["qid"])
        # Of every edge, the row that it starts from, and a code: an index in the QID numbers of the distinct classes.
        instance_rows, class_codes, class_numbers = _values(table["instance_of"])
        subclass_rows, parent_codes, parent_numbers = _values(table["subclass_of"])
        # Items are the rows with an edge, by QID number; each of these rows gets the index of its item.
        has_edge = np.zeros(len(numbers), dtype=bool)
        has_edge[instance_rows] = has_edge[subclass_rows] = True
        rows = np.flatnonzero(has_edge)
        order = rows[csr.sorted_order(numbers[rows])]
        item_of_row = np.zeros(len(numbers), dtype=np.uint32)
        item_of_row[order] = np.arange(len(order), dtype=np.uint32)
        # Classes are what edges lead to, but for P279 edges from an item to itself.
        parents = parent_numbers[parent_codes]
        is_self_loop = parents == numbers[subclass_rows]
        subclass_rows, parents = subclass_rows[~is_self_loop], parents[~is_self_loop]
        classes = distinct(np.concatenate([class_numbers, parents]))
        class_indices = np.searchsorted(classes, class_numbers)[class_codes]
        # The statements of a rank that is not the best, as pairs of QID numbers.
        other_items = other_classes = numbers[:0]
        if "other_instance_of" in table.column_names:
            other_rows, codes, others = _values(table["other_instance_of"])
            other_items, other_classes = numbers[other_rows], others[codes]
        instance_of = CsrRows.from_pairs(item_of_row[instance_rows], class_indices, len(order))
        subclass_of = CsrRows.from_pairs(item_of_row[subclass_rows], np.searchsorted(classes, parents), len(order))
        return ItemEdges(
            items=csr.narrow(numbers[order]),
            sitelinks=table["sitelinks"].to_numpy().astype(np.int32)[order],
            classes=csr.narrow(classes),
            instance_of=CsrRows(csr.narrow(instance_of.offsets), instance_of.targets),
            subclass_of=CsrRows(csr.narrow(subclass_of.offsets), subclass_of.targets),
            other_items=other_items,
            other_classes=other_classes,
        )

    @staticmethod
    def of_classes(columns: Iterable[pa.ChunkedArray]) -> "ItemEdges":
        """No items, only the classes that some ``instance_of`` columns lead to."""
        none = ItemEdges.of_entities([])
        classes = [numbers for _, _, numbers in map(_values, columns)]
        return replace(none, classes=csr.narrow(distinct(np.concatenate([none.classes, *classes]))))

    @staticmethod
    def of_entities(entities: Iterable[Entity]) -> "ItemEdges":
        """The edges of records."""
        rows = [{column: getattr(entity, column) for column in COLUMNS} for entity in entities]
        qids = pa.list_(pa.string())
        types = dict(zip(COLUMNS, (pa.string(), qids, qids, pa.int32(), qids), strict=True))
        return ItemEdges.of_table(pa.Table.from_pylist(rows, schema=pa.schema(types)))


def _values(lists: pa.ChunkedArray) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int32], Int64s]:
    """The ids in a column of lists: the row of each, its index among the distinct ids, and their numbers."""
    counts: Ints = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
    flat = pc.list_flatten(lists)
    coded = (flat.combine_chunks() if isinstance(flat, pa.ChunkedArray) else flat).dictionary_encode()
    rows = np.repeat(np.arange(len(counts), dtype=np.uint32), counts)
    return rows, coded.indices.to_numpy(), qid_numbers(coded.dictionary)


@dataclass(frozen=True, slots=True)
class ClassGraph:
    """The pruned graph. A *node* is a class by its index in ``nodes``, an item is known by its index in ``items``.

    ``nodes`` and ``items`` are QID numbers, ascending. Of each node: ``depth`` is its distance from the root before
    anything was pruned, -1 if the root does not lead to it; ``class_sitelinks`` are the sitelinks of its own item,
    -1 if the dump has no such item; ``up`` and ``down`` are its P279 edges; ``instances`` are its items, most
    sitelinks first, then by number. ``classes`` are the nodes that each item is an instance of. ``removed`` are the QID
    numbers of all that was pruned, ``no_subjects`` of the classes whose instances were. ``types`` says whether a node's
    own item has a P279 statement: such an item is a type, any other an individual.

    What is above, below or an instance of a class has to be known of the whole graph. ``hidden`` are the pruned classes
    that are below a node, by number: with n nodes, hidden class i is node n + i, but only in ``whole_up``, the P279
    edges of nodes and hidden classes, and in ``other_classes``, the hidden classes that items are an instance of, and
    all classes of items at a sound rank that is not the best. Other pruned classes lead from no node to another. Row i
    of ``outside`` has the classes of an item that the graph itself lacks: it has hidden classes alone, or is a pruned
    class itself.

        before             city ─ settlement ─ (object) ─ place       object is within three steps of the root
        up                 city ─ settlement               place
        whole_up           city ─ settlement ─ (object) ─ place
    """

    nodes: Int64s
    depth: npt.NDArray[np.int16]
    class_sitelinks: npt.NDArray[np.int32]
    types: Flags
    up: CsrRows
    down: CsrRows
    hidden: Int64s
    whole_up: CsrRows
    items: Ints
    sitelinks: npt.NDArray[np.int32]
    classes: CsrRows
    other_classes: SparseRows
    outside: CsrRows
    instances: CsrRows
    removed: Int64s
    no_subjects: Int64s

    def qid(self, node: int) -> str:
        """The QID of a node, or of a hidden class by its number."""
        count = len(self.nodes)
        return qid_of(int(self.nodes[node] if node < count else self.hidden[node - count]))

    def stated(self, items: Ints) -> CsrRows:
        """The classes that each of some items is a direct instance of, at any sound rank, as rows of ``whole_up``."""
        return self.classes.take(items).merged(self.other_classes.take(items))

    def is_type(self, items: Ints) -> Flags:
        """Whether each of some items has a subclass-of statement, as types have."""
        nodes, is_node = csr.indices_of(self.items[items], self.nodes)
        found: Flags = is_node & self.types[np.where(is_node, nodes, 0)] if len(self.nodes) else is_node
        return found


# The node of a class that is not in the pruned graph.
PRUNED: Final = np.uint32(2**32 - 1)


@dataclass(frozen=True, slots=True)
class _AllClasses:
    """All classes before pruning, and what is pruned: classes are known by their index in ``nodes``, QID numbers.

    P279 leads from ``subs`` to ``supers``; ``nodes_of`` has for each table the index of each of the table's
    ``classes``. ``depth`` and the flags have one entry for each class. ``is_hidden`` are pruned classes that are below
    a kept one. The others are QID numbers: ``removed`` of all classes and items that are pruned, ``near_root`` of the
    classes that are pruned because they are near the root alone, ``no_subjects`` as in ``ClassGraph``.
    """

    nodes: Int64s
    subs: Ints
    supers: Ints
    nodes_of: list[npt.NDArray[np.uint32]]
    depth: npt.NDArray[np.int16]
    is_kept: Flags
    is_hidden: Flags
    removed: Int64s
    near_root: Int64s
    no_subjects: Int64s


def build_graph(tables: Sequence[ItemEdges], options: GraphOptions) -> ClassGraph:
    """Prune the graph that the P31 and P279 edges of some tables make; no two tables may have the same item."""
    tables = tables or [ItemEdges.of_entities([])]
    whole = _prune(tables, options)
    # The new number of each class: kept ones become nodes, all others are PRUNED. In ``whole_up`` and ``other_classes``
    # hidden classes, pruned ones that are below a kept one, have the numbers after all nodes.
    count, hidden_count = int(whole.is_kept.sum()), int(whole.is_hidden.sum())
    node = np.where(whole.is_kept, np.cumsum(whole.is_kept, dtype=np.uint32) - np.uint32(1), PRUNED)
    node_or_hidden = node.copy()
    node_or_hidden[whole.is_hidden] = count + np.arange(hidden_count, dtype=np.uint32)
    # The items that are instances of a node, and what else items are instances of.
    nodes = whole.nodes[whole.is_kept]
    nodes_of = [node[index_of] for index_of in whole.nodes_of]
    items, sitelinks, classes, class_sitelinks = _gather_instances(tables, nodes_of, nodes, whole.removed)
    other_classes, outside = _other_classes(tables, whole, node_or_hidden, items)
    # The P279 edges, by new numbers: between nodes alone, and between nodes and hidden classes.
    has_superclass = np.zeros(len(whole.nodes), dtype=bool)
    has_superclass[whole.subs] = True
    edges = list[CsrRows]()
    for new_number, size in ((node, count), (node_or_hidden, count + hidden_count)):
        subs, supers = new_number[whole.subs], new_number[whole.supers]
        is_left = (subs != PRUNED) & (supers != PRUNED)
        edges.append(CsrRows.from_pairs(subs[is_left], supers[is_left], size))
    up, whole_up = edges
    return ClassGraph(
        nodes=nodes,
        depth=whole.depth[whole.is_kept],
        class_sitelinks=class_sitelinks,
        types=has_superclass[whole.is_kept],
        up=up,
        down=up.reverse(count),
        hidden=whole.nodes[whole.is_hidden],
        whole_up=whole_up,
        items=items,
        sitelinks=sitelinks,
        classes=classes,
        other_classes=other_classes,
        outside=outside,
        instances=by_prominence(classes, sitelinks, count),
        removed=whole.removed,
        no_subjects=whole.no_subjects,
    )


def _prune(tables: Sequence[ItemEdges], options: GraphOptions) -> _AllClasses:
    """Collect all classes of all tables by QID number, with the P279 edges between them, and say which are pruned.

    Pruned are the classes of disambiguation pages and of Wikimedia's internal pages, all below them, and their
    instances, as well as every class within ``root_distance`` steps below the root.
    """
    # All classes: what an edge leads to, what has a superclass, and what the options name, which is removed even if it
    # is only an item.
    page_classes = [qid_number(qid) for qid in (*options.disambiguation, *options.internal)]
    roots = [qid_number(options.root)] if options.root else []
    named = csr.narrow(np.array(sorted([*page_classes, *roots]), dtype=np.int64))
    counts = [table.subclass_of.counts() for table in tables]
    subclasses = [table.items[count > 0] for table, count in zip(tables, counts, strict=True)]
    nodes = distinct(np.concatenate([*(table.classes for table in tables), *subclasses, named])).astype(np.int64)
    # The P279 edges of all tables, from ``subs`` to ``supers``, as indices in ``nodes``.
    nodes_of = [np.searchsorted(nodes, table.classes).astype(np.uint32) for table in tables]
    own_nodes = [np.searchsorted(nodes, numbers).astype(np.uint32) for numbers in subclasses]
    subs = np.concatenate([np.repeat(own, count[count > 0]) for own, count in zip(own_nodes, counts, strict=True)])
    tables_and_nodes = list(zip(tables, nodes_of, strict=True))
    supers = np.concatenate([node_of[table.subclass_of.targets] for table, node_of in tables_and_nodes])
    # Pruned are classes near the root, and those at or below a class of pages.
    down = CsrRows.from_pairs(supers, subs, len(nodes))
    depth = csr.steps_from(down, np.searchsorted(nodes, np.array(roots, dtype=np.int64)))
    of_pages = csr.steps_from(down, np.searchsorted(nodes, np.array(page_classes, dtype=np.int64))) >= 0
    is_pruned = of_pages | ((depth >= 0) & (depth <= options.root_distance))
    # The pages themselves, the instances of those classes, may be classes, too.
    pages = [_edges_to(table, of_pages[node_of])[0] for table, node_of in tables_and_nodes]
    page_numbers = distinct(np.concatenate(pages).astype(np.int64))
    page_nodes, is_class = csr.indices_of(page_numbers, nodes)
    is_pruned[page_nodes[is_class]] = True
    # A pruned class below a kept one is hidden, not forgotten: it still says what is above and below what.
    kept_with_pruned_below = distinct(supers[is_pruned[subs] & ~is_pruned[supers]])
    return _AllClasses(
        nodes=nodes,
        subs=subs,
        supers=supers,
        nodes_of=nodes_of,
        depth=depth,
        is_kept=~is_pruned,
        is_hidden=is_pruned & (csr.steps_from(down, kept_with_pruned_below) >= 0),
        removed=distinct(np.concatenate([nodes[is_pruned], page_numbers])),
        near_root=np.setdiff1d(nodes[is_pruned & ~of_pages], page_numbers, assume_unique=True),
        no_subjects=nodes[of_pages],
    )


def _edges_to(table: ItemEdges, flagged: Flags) -> tuple[Ints, Ints]:
    """The P31 edges of a table to any of its flagged classes: the numbers of the items, the indices of the classes."""
    hits = np.flatnonzero(flagged[table.instance_of.targets])
    offsets = table.instance_of.offsets
    rows = np.searchsorted(offsets, hits.astype(offsets.dtype), side="right") - 1
    return table.items[rows], table.instance_of.targets[hits]


def _other_classes(
    tables: Sequence[ItemEdges], whole: _AllClasses, new_number: npt.NDArray[np.uint32], items: Ints
) -> tuple[SparseRows, CsrRows]:
    """What items are instances of besides the nodes that the graph has for them.

    First the further classes of each of ``items``: hidden ones (pruned, but below a kept class), and any at a rank that
    is not the best. Then all classes of items that are not in the graph: they have such classes alone, or are
    themselves classes near the root. ``new_number`` has the number in the result of each class of ``whole``, or PRUNED.
    """
    owners, targets = list[Ints](), list[Ints]()
    outside_items, outside_classes = list[Ints](), list[Ints]()
    for table, index_of in zip(tables, whole.nodes_of, strict=True):
        # All (QID number of an item, further class) pairs. A class that ``whole`` lacks is above no other.
        of_hidden, hidden = _edges_to(table, whole.is_hidden[index_of])
        indices, is_known = csr.indices_of(table.other_classes, whole.nodes)
        numbers = np.concatenate([of_hidden, table.other_items[is_known]])
        classes = np.concatenate([new_number[index_of[hidden]], new_number[indices[is_known]]])
        numbers, classes = numbers[classes != PRUNED], classes[classes != PRUNED]
        # Pairs with an item of the graph.
        rows, in_graph = csr.indices_of(numbers, items)
        owners.append(rows[in_graph])
        targets.append(classes[in_graph])
        # Pairs with an item outside it, but for pages and their classes: these are removed, and not near the root.
        is_removed, is_near = (csr.indices_of(numbers, known)[1] for known in (whole.removed, whole.near_root))
        is_outside = ~in_graph & (~is_removed | is_near)
        # The classes near the root that are items themselves, with all that they are instances of.
        rows, is_item = csr.indices_of(whole.near_root, table.items)
        stated = table.instance_of.take(rows[is_item])
        stated_classes = new_number[index_of[stated.targets]]
        is_left = stated_classes != PRUNED
        outside_items += [numbers[is_outside], whole.near_root[is_item][stated.sources()[is_left]]]
        outside_classes += [classes[is_outside], stated_classes[is_left]]
    count, ranks = csr.rank_keys(np.concatenate(outside_items))
    outside_rows = CsrRows.from_pairs(ranks, np.concatenate(outside_classes), count)
    return SparseRows.from_pairs(np.concatenate(owners), np.concatenate(targets)), outside_rows


# About how many items are in a span: a few megabytes.
_SPAN: Final = 1 << 18
# The ends of spans are chosen from every 64th item of each table.
_SAMPLE: Final = 1 << 6


def _gather_instances(
    tables: Sequence[ItemEdges], nodes_of: Sequence[npt.NDArray[np.uint32]], nodes: Int64s, removed: Int64s
) -> tuple[Ints, npt.NDArray[np.int32], CsrRows, npt.NDArray[np.int32]]:
    """Merge the items of all tables, but for those without a class in the graph and those ``removed`` (QID numbers).

    Returns their QID numbers, ascending, their sitelinks, and rows of their nodes; then for each of ``nodes`` (the QID
    numbers of classes) the sitelinks of its own item, or -1. ``nodes_of`` has for each table the node of each of its
    classes, or ``PRUNED``. The items of a table ascend, so a span of QID numbers is a slice of every table. One span is
    merged at a time: it is small enough to be sorted within the CPU cache, and arrays of all items are written once.
    """
    # The QID numbers at which spans begin: each number of the sample is for _SAMPLE items, so a span has about _SPAN.
    sample = np.sort(np.concatenate([table.items[::_SAMPLE] for table in tables]))
    bounds = sample[:: _SPAN // _SAMPLE][1:]
    # The positions in each of these arrays at which the same spans begin and end.
    node_cuts, removed_cuts, *table_cuts = (
        [0, *np.searchsorted(numbers, bounds).tolist(), len(numbers)]
        for numbers in (nodes, removed, *(table.items for table in tables))
    )
    class_sitelinks = np.full(len(nodes), -1, dtype=np.int32)
    # The arrays of the result, filled from the front; pages that are never written take no memory.
    most_items = sum(len(table.items) for table in tables)
    most_pairs = sum(len(table.instance_of.targets) for table in tables)
    wide = any(table.items.dtype.itemsize > 4 for table in tables)
    all_items: Ints = np.empty(most_items, dtype=np.int64 if wide else np.uint32)
    all_sitelinks = np.empty(most_items, dtype=np.int32)
    all_offsets: Ints = np.zeros(most_items + 1, dtype=np.int64 if most_pairs >> 32 else np.uint32)
    all_targets: Ints = np.empty(most_pairs, dtype=np.uint32)
    begin = begin_pairs = 0
    for span in range(len(bounds) + 1):
        numbers, sitelinks, rows = _merge([slice(*cuts[span : span + 2]) for cuts in table_cuts], tables, nodes_of)
        # The sitelinks of classes in the span; one that edges merely lead to is no item of a table, and keeps -1.
        node_span = slice(*node_cuts[span : span + 2])
        indices, found = csr.indices_of(nodes[node_span], numbers)
        class_sitelinks[node_span][found] = sitelinks[indices[found]]
        # The items that are not removed and still have a node, with the nodes that they still have.
        indices, found = csr.indices_of(removed[slice(*removed_cuts[span : span + 2])], numbers)
        is_removed = np.zeros(len(numbers), dtype=bool)
        is_removed[indices[found]] = True
        rows = rows.keep((rows.targets != PRUNED) & ~np.repeat(is_removed, rows.counts()))
        counts = rows.counts()
        has_node = counts > 0
        end, end_pairs = begin + int(np.count_nonzero(has_node)), begin_pairs + len(rows.targets)
        all_items[begin:end], all_sitelinks[begin:end] = numbers[has_node], sitelinks[has_node]
        all_offsets[begin + 1 : end + 1] = csr.offsets_of(counts[has_node])[1:] + begin_pairs
        all_targets[begin_pairs:end_pairs] = rows.targets
        begin, begin_pairs = end, end_pairs
    classes = CsrRows(all_offsets[: begin + 1], all_targets[:begin_pairs])
    return all_items[:begin], all_sitelinks[:begin], classes, class_sitelinks


def _merge(
    spans: Sequence[slice], tables: Sequence[ItemEdges], nodes_of: Sequence[npt.NDArray[np.uint32]]
) -> tuple[Ints, npt.NDArray[np.int32], CsrRows]:
    """The items in one slice of each table, sorted by QID number: their numbers, sitelinks, and rows of their classes.

    ``nodes_of`` has for each table the node of each of its classes, or ``PRUNED``. No item is in two tables.
    """
    columns = []  # of each table the numbers, the sitelinks, how many classes each item has, and these classes
    for span, table, node_of in zip(spans, tables, nodes_of, strict=True):
        offsets = table.instance_of.offsets[span.start : span.stop + 1]
        nodes = node_of[table.instance_of.targets[offsets[0] : offsets[-1]]]
        columns.append((table.items[span], table.sitelinks[span], np.diff(offsets), nodes))
    numbers, sitelinks, counts, nodes = map(np.concatenate, zip(*columns, strict=True))
    order = csr.sorted_order(numbers)
    return numbers[order], sitelinks[order], CsrRows(csr.offsets_of(counts), nodes).take(order)


# A class, sitelinks and an item are sorted as one key of this many bits; Wikidata needs 57 of them: 22, 9 and 26.
KEY_BITS: Final = 64
# Keys are computed for this many items at a time, so that little besides the keys needs memory.
_KEYED: Final = 1 << 18


def by_prominence(classes: CsrRows, sitelinks: npt.NDArray[np.int32], count: int) -> CsrRows:
    """The items of each of ``count`` nodes, most sitelinks first, ties by number (items are in number order).

    ``classes`` has the nodes of each item. One sort of packed keys gives the rows; with two bits for sitelinks, of
    which 3 is the most, and two for items, item 2 of node 1 with 3 sitelinks has the key 1|00|10:

    >>> classes = CsrRows.from_pairs(np.array([0, 1, 2, 2]), np.array([1, 1, 0, 1]), count=3)
    >>> by_prominence(classes, np.array([1, 1, 3], dtype=np.int32), count=2).row(1).tolist()
    [2, 0, 1]
    """
    offsets = csr.offsets_of(np.bincount(classes.targets, minlength=count))
    item_bits, link_bits = len(classes).bit_length(), int(sitelinks.max(initial=0)).bit_length()
    if count.bit_length() + link_bits + item_bits > KEY_BITS:
        owners = classes.sources()  # keys would not fit
        return CsrRows(offsets, owners[np.lexsort((owners, -sitelinks[owners], classes.targets))])
    # From the highest bits: node, sitelinks (inverted), item.
    most = np.uint64((1 << link_bits) - 1)
    keys = np.empty(len(classes.targets), dtype=np.uint64)
    for first in range(0, len(classes), _KEYED):
        numbers = np.arange(first, min(first + _KEYED, len(classes)), dtype=np.uint64)
        item_keys = (most - sitelinks[first : first + _KEYED].astype(np.uint64)) << np.uint64(item_bits) | numbers
        begins = classes.offsets[first : first + _KEYED + 1]
        here = slice(int(begins[0]), int(begins[-1]))
        keys[here] = classes.targets[here].astype(np.uint64) << np.uint64(item_bits + link_bits)
        keys[here] |= np.repeat(item_keys, np.diff(begins))
    keys.sort()
    items = np.empty(len(keys), dtype=np.uint32)
    np.bitwise_and(keys, np.uint64((1 << item_bits) - 1), out=items, casting="unsafe")
    return CsrRows(offsets, items)
