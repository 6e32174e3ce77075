"""The edges of a dump as arrays of numbers: what one table of items gives."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.errors import DamagedInputError
from wikisem.graph.csr import Rows
from wikisem.graph.sorting import distinct, narrow, sorted_order
from wikisem.graph.types import Index, Ints
from wikisem.records import Entity

# What the class graph reads of an item.
COLUMNS: Final = ("qid", "instance_of", "subclass_of", "sitelinks")


@dataclass(frozen=True, slots=True)
class Edges:
    """Items that are an instance or a subclass of something, by number, ascending.

    Row i of ``kinds`` has the P31 edges of item i (``items``, with ``sitelinks``, both of shape ``(n,)``), row i of
    ``supers`` its P279 edges without those to itself, which are none; both lead to places in ``classes``, the numbers
    of all that these edges lead to, ascending.
    """

    items: Ints
    sitelinks: npt.NDArray[np.int32]
    classes: Ints
    kinds: Rows
    supers: Rows

    @staticmethod
    def of_table(table: pa.Table) -> "Edges":
        """The edges of a table with the columns of ``COLUMNS``; raises DamagedInputError for impossible ids."""
        numbers = qid_numbers(table["qid"])
        owners, coded = _pairs(table["instance_of"])
        subs, parents = _pairs(table["subclass_of"])
        kinds, supers = qid_numbers(coded.dictionary), qid_numbers(parents.dictionary)[_indices(parents)]
        proper = supers != numbers[subs]
        classes = distinct(np.concatenate([kinds, supers[proper]]))
        order, place = _by_number(numbers, np.concatenate([owners, subs]))
        return Edges(
            narrow(numbers[order]),
            table["sitelinks"].to_numpy().astype(np.int32)[order],
            narrow(classes),
            _rows(place[owners], np.searchsorted(classes, kinds)[_indices(coded)], len(order)),
            _rows(place[subs[proper]], np.searchsorted(classes, supers[proper]), len(order)),
        )

    @staticmethod
    def of_entities(entities: Iterable[Entity]) -> "Edges":
        """The edges of records."""
        rows = [{column: getattr(entity, column) for column in COLUMNS} for entity in entities]
        texts = pa.list_(pa.string())
        types = dict(zip(COLUMNS, (pa.string(), texts, texts, pa.int32()), strict=True))
        return Edges.of_table(pa.Table.from_pylist(rows, schema=pa.schema(types)))


def qid_numbers(qids: pa.Array | pa.ChunkedArray) -> Index:
    """The numbers of many item ids: 28640 for "Q28640"; DamagedInputError when one is no item id below 2**63."""
    try:
        numbers: Index = pc.cast(pc.utf8_slice_codeunits(qids, 1), pa.int64()).to_numpy()
    except pa.ArrowInvalid as error:
        raise DamagedInputError(f"expected item ids such as Q28640, saw {error}") from error
    return numbers


def _pairs(lists: pa.ChunkedArray) -> tuple[npt.NDArray[np.uint32], pa.DictionaryArray]:
    """For each value of a column of lists the row it stands in, and the values, each distinct one written out once."""
    counts: Ints = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
    flat = pc.list_flatten(lists)
    coded = (flat.combine_chunks() if isinstance(flat, pa.ChunkedArray) else flat).dictionary_encode()
    return np.repeat(np.arange(len(counts), dtype=np.uint32), counts), coded


def _indices(coded: pa.DictionaryArray) -> npt.NDArray[np.int32]:
    indices: npt.NDArray[np.int32] = coded.indices.to_numpy()
    return indices


def _by_number(numbers: Index, owners: Ints) -> tuple[Ints, npt.NDArray[np.uint32]]:
    """The rows of a table that are owners, in the order of their numbers, and for each row its place among these."""
    able = np.zeros(len(numbers), dtype=bool)
    able[owners] = True
    rows = np.flatnonzero(able)
    order = rows[sorted_order(numbers[rows])]
    place = np.zeros(len(numbers), dtype=np.uint32)
    place[order] = np.arange(len(order), dtype=np.uint32)
    return order, place


def _rows(sources: Ints, targets: Ints, count: int) -> Rows:
    rows = Rows.from_pairs(sources, targets, count)
    return Rows(narrow(rows.offsets), rows.targets)


def places_of(numbers: Ints, known: Ints) -> tuple[Index, npt.NDArray[np.bool_]]:
    """Where each number stands in the sorted ``known``, and whether it stands there at all."""
    if not len(known):
        return np.zeros(len(numbers), dtype=np.int64), np.zeros(len(numbers), dtype=bool)
    # In order, so that one look-up finds in the cache what the one before it read; and of the same width, because
    # numpy would widen the whole of ``known`` otherwise.
    order = sorted_order(numbers)
    asked = np.minimum(numbers[order], known[-1]).astype(known.dtype)
    places = np.empty(len(numbers), dtype=np.int64)
    places[order] = np.searchsorted(known, asked)
    return places, known[places] == numbers
