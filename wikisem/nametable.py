"""The surface forms of one language, laid out for looking up: arrays mapped into memory."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.errors import DamagedInputError
from wikisem.graph.build import Graph
from wikisem.graph.edges import places_of, qid_numbers
from wikisem.graph.kinds import Index, Ints
from wikisem.graph.rows import Rows, offsets_of
from wikisem.graph.sorting import sorted_order
from wikisem.ids import qid_of
from wikisem.records import Member

# The columns of schemas.SURFACES that a member of a group shows, and the item.
COLUMNS: Final = ("qid", "surface", "source", "count", "total")

SOURCES: Final = ("anchor", "label", "title")

# Text is moved for so many names at a time.
_CHUNK: Final = 1 << 17


@dataclass(frozen=True, slots=True)
class Names:
    """Surface forms of a language, in any order: row i is what item ``items[i]``, a place in the graph, is called.

    Its UTF-8 is ``text[offsets[i]:offsets[i + 1]]``, its source ``SOURCES[sources[i]]``.
    """

    items: npt.NDArray[np.uint32]
    offsets: Index
    text: npt.NDArray[np.uint8]
    sources: npt.NDArray[np.int8]
    counts: Index
    totals: Index

    @staticmethod
    def of_table(table: pa.Table, graph: Graph) -> "Names":
        """The names of items in the graph, from the columns of ``COLUMNS``; DamagedInputError for what is no name."""
        places, here = places_of(qid_numbers(table["qid"]), graph.items)
        table = table.filter(pa.array(here)).combine_chunks()
        offsets, text = _texts(table["surface"])
        return Names(
            places[here].astype(np.uint32),
            offsets,
            text,
            _source_codes(table["source"]),
            table["count"].to_numpy(),
            table["total"].to_numpy(),
        )

    @staticmethod
    def merge(parts: Sequence["Names"]) -> "Names":
        """The names of several parts as one."""
        shifts = offsets_of(np.array([len(part.text) for part in parts], dtype=np.int64))
        offsets = [part.offsets[:-1] + shift for part, shift in zip(parts, shifts, strict=False)]
        joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in Names.__slots__}
        return Names(**{**joined, "offsets": np.concatenate([*offsets, shifts[-1:]])})

    def take(self, rows: Ints) -> "Names":
        """Some rows, in the order given."""
        text = Rows(self.offsets, self.text)
        chunks = [text.take(rows[begin : begin + _CHUNK]) for begin in range(0, len(rows), _CHUNK)]
        return Names(
            self.items[rows],
            offsets_of(self.offsets[rows + 1] - self.offsets[rows]),
            np.concatenate([self.text[:0], *(chunk.targets for chunk in chunks)]),
            self.sources[rows],
            self.counts[rows],
            self.totals[rows],
        )

    def called(self, rows: Ints) -> list[tuple[str, str, int, int]]:
        """Surface form, source, count and total of some rows."""
        text = self.text.data
        bounds = zip(self.offsets[rows].tolist(), self.offsets[rows + 1].tolist(), strict=True)
        surfaces = [str(text[begin:end], "utf-8") for begin, end in bounds]
        sources = [SOURCES[code] for code in self.sources[rows].tolist()]
        return list(zip(surfaces, sources, self.counts[rows].tolist(), self.totals[rows].tolist(), strict=True))


def _texts(texts: pa.ChunkedArray) -> tuple[Index, npt.NDArray[np.uint8]]:
    """The bytes of all texts one behind the other, and where each begins."""
    array = texts.cast(pa.large_string()).combine_chunks()
    array = array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
    _, bounds, text = array.buffers()
    offsets: Index = np.frombuffer(bounds, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    return offsets - offsets[0], np.frombuffer(text or b"", dtype=np.uint8)[offsets[0] : offsets[-1]]


def _source_codes(sources: pa.ChunkedArray) -> npt.NDArray[np.int8]:
    codes = pc.index_in(sources, pa.array(SOURCES))
    if codes.null_count:
        strange = sources.filter(pc.is_null(codes))[0]
        raise DamagedInputError(f"expected surface forms from one of {', '.join(SOURCES)}, saw {strange}")
    numbers: npt.NDArray[np.int8] = codes.to_numpy().astype(np.int8)
    return numbers


@dataclass(frozen=True, slots=True)
class NameTable:
    """Surface forms in the order of their items, each with the number of its item and the sitelinks that it has."""

    numbers: Ints
    sitelinks: npt.NDArray[np.int32]
    names: Names

    @staticmethod
    def of(graph: Graph, names: Names) -> "NameTable":
        """The table of names in any order, one an item."""
        names = names.take(sorted_order(names.items))
        return NameTable(graph.items[names.items], graph.sitelinks[names.items], names)

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def items(self) -> npt.NDArray[np.uint32]:
        """The item of each row by its place in the graph, ascending."""
        return self.names.items

    def members(self, rows: Ints) -> list[Member]:
        """The items of some rows."""
        numbers, sitelinks = self.numbers[rows].tolist(), self.sitelinks[rows].tolist()
        return [
            Member(qid_of(number), surface, source, count, total, links)
            for number, (surface, source, count, total), links in zip(
                numbers, self.names.called(rows), sitelinks, strict=True
            )
        ]

    def member(self, item: int) -> Member | None:
        """The item at a place in the graph, if it has a row."""
        row = np.searchsorted(self.items, np.array([item], dtype=self.items.dtype))
        here = row < len(self) and self.items[row[0]] == item
        return self.members(row)[0] if here else None

    def sample(self, count: int) -> Iterable[str]:
        """The surface forms of the items with the lowest numbers."""
        return (member.surface for member in self.members(np.arange(min(count, len(self)))))
