"""The P31 and P279 edges of one table of items, as arrays of numbers."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.numbers import distinct
from wikisem.arrow.qids import qid_numbers
from wikisem.graph.array_types import Int64s, Ints
from wikisem.graph.csr import CsrRows
from wikisem.graph.sorting import narrow, sorted_order
from wikisem.records import Entity

# The columns that the class graph needs.
COLUMNS: Final = ("qid", "instance_of", "subclass_of", "sitelinks", "other_instance_of")


@dataclass(frozen=True, slots=True)
class ItemEdges:
    """The items that are an instance or a subclass of something, by number, ascending.

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
        instances, kinds = _pairs(table["instance_of"])
        subs, parents = _pairs(table["subclass_of"])
        kind_numbers = qid_numbers(kinds.dictionary)
        supers = qid_numbers(parents.dictionary)[_indices(parents)]
        proper = supers != numbers[subs]
        classes = distinct(np.concatenate([kind_numbers, supers[proper]]))
        order, item_of_row = _by_number(numbers, np.concatenate([instances, subs]))
        return ItemEdges(
            narrow(numbers[order]),
            table["sitelinks"].to_numpy().astype(np.int32)[order],
            narrow(classes),
            _rows(item_of_row[instances], np.searchsorted(classes, kind_numbers)[_indices(kinds)], len(order)),
            _rows(item_of_row[subs[proper]], np.searchsorted(classes, supers[proper]), len(order)),
            *_other_edges(table, numbers),
        )

    @staticmethod
    def of_classes(columns: Iterable[pa.ChunkedArray]) -> "ItemEdges":
        """No item, and the classes that some ``instance_of`` columns lead to."""
        none = ItemEdges.of_entities([])
        classes = [qid_numbers(_pairs(column)[1].dictionary) for column in columns]
        return replace(none, classes=narrow(distinct(np.concatenate([none.classes, *classes]))))

    @staticmethod
    def of_entities(entities: Iterable[Entity]) -> "ItemEdges":
        """The edges of records."""
        rows = [{column: getattr(entity, column) for column in COLUMNS} for entity in entities]
        qids = pa.list_(pa.string())
        types = dict(zip(COLUMNS, (pa.string(), qids, qids, pa.int32(), qids), strict=True))
        return ItemEdges.of_table(pa.Table.from_pylist(rows, schema=pa.schema(types)))


def _other_edges(table: pa.Table, numbers: Int64s) -> tuple[Int64s, Int64s]:
    if "other_instance_of" not in table.column_names:
        return numbers[:0], numbers[:0]
    owners, others = _pairs(table["other_instance_of"])
    return numbers[owners], qid_numbers(others.dictionary)[_indices(others)]


def _pairs(lists: pa.ChunkedArray) -> tuple[npt.NDArray[np.uint32], pa.DictionaryArray]:
    """For each value of a column of lists its row, and all values, dictionary-encoded."""
    counts: Ints = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
    flat = pc.list_flatten(lists)
    coded = (flat.combine_chunks() if isinstance(flat, pa.ChunkedArray) else flat).dictionary_encode()
    return np.repeat(np.arange(len(counts), dtype=np.uint32), counts), coded


def _indices(coded: pa.DictionaryArray) -> npt.NDArray[np.int32]:
    indices: npt.NDArray[np.int32] = coded.indices.to_numpy()
    return indices


def _by_number(numbers: Int64s, owners: Ints) -> tuple[Ints, npt.NDArray[np.uint32]]:
    """The table's rows that own an edge, in the order of their numbers, and for each row its index among these."""
    has_edge = np.zeros(len(numbers), dtype=bool)
    has_edge[owners] = True
    rows = np.flatnonzero(has_edge)
    order = rows[sorted_order(numbers[rows])]
    item_of_row = np.zeros(len(numbers), dtype=np.uint32)
    item_of_row[order] = np.arange(len(order), dtype=np.uint32)
    return order, item_of_row


def _rows(sources: Ints, targets: Ints, count: int) -> CsrRows:
    rows = CsrRows.from_pairs(sources, targets, count)
    return CsrRows(narrow(rows.offsets), rows.targets)
