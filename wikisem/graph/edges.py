"""The edges of a dump as arrays of numbers: what one table of items gives, and what several give together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.errors import DamagedInputError
from wikisem.graph.kinds import Index, Ints
from wikisem.graph.rows import offsets_of
from wikisem.graph.sorting import sorted_order
from wikisem.records import Entity

# What the class graph reads of an item.
COLUMNS: Final = ("qid", "instance_of", "subclass_of", "sitelinks")


@dataclass(frozen=True, slots=True)
class Edges:
    """Items that are an instance or a subclass of something, by number, in any order.

    Item i (``items``, with ``sitelinks``, both of shape ``(n,)``) has ``counts[i]`` P31 edges; their targets stand one
    after another in ``codes``, as places in ``classes``. ``subs`` and ``supers`` are the two ends of each P279 edge.
    """

    items: Index
    sitelinks: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int32]
    codes: npt.NDArray[np.uint32]
    classes: Index
    subs: Index
    supers: Index

    @staticmethod
    def of_table(table: pa.Table) -> "Edges":
        """The edges of a table with the columns of ``COLUMNS``; raises DamagedInputError for impossible ids."""
        counts, parents = _lengths(table["instance_of"]), _lengths(table["subclass_of"])
        able = (counts > 0) | (parents > 0)
        numbers = qid_numbers(table["qid"])
        coded = _flat(table["instance_of"]).dictionary_encode()
        return Edges(
            numbers[able],
            table["sitelinks"].to_numpy().astype(np.int32)[able],
            counts[able],
            coded.indices.to_numpy().astype(np.uint32),
            qid_numbers(coded.dictionary),
            np.repeat(numbers, parents),
            qid_numbers(_flat(table["subclass_of"])),
        )

    @staticmethod
    def of_entities(entities: Iterable[Entity]) -> "Edges":
        """The edges of records."""
        rows = [{column: getattr(entity, column) for column in COLUMNS} for entity in entities]
        texts = pa.list_(pa.string())
        types = dict(zip(COLUMNS, (pa.string(), texts, texts, pa.int32()), strict=True))
        return Edges.of_table(pa.Table.from_pylist(rows, schema=pa.schema(types)))

    @staticmethod
    def merge(parts: Sequence["Edges"]) -> "Edges":
        """The edges of several tables as one; no item may stand in two of them."""
        shifts = offsets_of(np.array([len(part.classes) for part in parts], dtype=np.int64))
        codes = [part.codes + np.uint32(shift) for part, shift in zip(parts, shifts, strict=False)]
        joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in Edges.__slots__}
        return Edges(**{**joined, "codes": np.concatenate(codes)})


def qid_numbers(qids: pa.Array | pa.ChunkedArray) -> Index:
    """The numbers of many item ids: 28640 for "Q28640"; DamagedInputError when one is no item id below 2**63."""
    try:
        numbers: Index = pc.cast(pc.utf8_slice_codeunits(qids, 1), pa.int64()).to_numpy()
    except pa.ArrowInvalid as error:
        raise DamagedInputError(f"expected item ids such as Q28640, saw {error}") from error
    return numbers


def _lengths(lists: pa.ChunkedArray) -> npt.NDArray[np.int32]:
    counts: npt.NDArray[np.int32] = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
    return counts


def _flat(lists: pa.ChunkedArray) -> pa.Array:
    flat = pc.list_flatten(lists)
    return flat.combine_chunks() if isinstance(flat, pa.ChunkedArray) else flat


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
