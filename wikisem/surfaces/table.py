"""The surface forms of one language, laid out for looking up: arrays mapped into memory."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.qids import qid_numbers
from wikisem.errors import DamagedInputError
from wikisem.graph.array_types import Int64s, Ints
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import CsrRows, offsets_of
from wikisem.graph.sorting import indices_of, sorted_order
from wikisem.ids import qid_of
from wikisem.records import Member

# The columns of schemas.SURFACES that a member of a group shows, and the item.
COLUMNS: Final = ("qid", "surface", "source", "count", "total")

SOURCES: Final = ("anchor", "label", "title")

# Text is moved for so many names at a time.
_CHUNK: Final = 1 << 17


@dataclass(frozen=True, slots=True)
class SurfaceTable:
    """Surface forms of a language: row i is the one of item ``items[i]``, an index into the graph.

    Its UTF-8 is ``text[offsets[i]:offsets[i + 1]]``, its source ``SOURCES[sources[i]]``; ``numbers`` and ``sitelinks``
    are the item's own. Rows are in any order until ``in_order`` has sorted them by item.
    """

    items: npt.NDArray[np.uint32]
    numbers: Int64s
    sitelinks: npt.NDArray[np.int32]
    offsets: Int64s
    text: npt.NDArray[np.uint8]
    sources: npt.NDArray[np.int8]
    counts: Int64s
    totals: Int64s

    @staticmethod
    def of_table(table: pa.Table, graph: ClassGraph) -> "SurfaceTable":
        """The names of items in the graph, from the columns of ``COLUMNS``; DamagedInputError for what is no name."""
        numbers = qid_numbers(table["qid"])
        indices, here = indices_of(numbers, graph.items)
        table, items = table.filter(pa.array(here)).combine_chunks(), indices[here].astype(np.uint32)
        offsets, text = _texts(table["surface"])
        return SurfaceTable(
            items,
            numbers[here],
            graph.sitelinks[items],
            offsets,
            text,
            _source_codes(table["source"]),
            table["count"].to_numpy(),
            table["total"].to_numpy(),
        )

    @staticmethod
    def merge(parts: Sequence["SurfaceTable"]) -> "SurfaceTable":
        """The surface forms of several tables as one."""
        shifts = offsets_of(np.array([len(part.text) for part in parts], dtype=np.int64))
        offsets = [part.offsets[:-1] + shift for part, shift in zip(parts, shifts, strict=False)]
        joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in SurfaceTable.__slots__}
        return SurfaceTable(**{**joined, "offsets": np.concatenate([*offsets, shifts[-1:]])})

    def take(self, rows: Ints) -> "SurfaceTable":
        """Some rows, in the order given."""
        text = CsrRows(self.offsets, self.text)
        chunks = [text.take(rows[begin : begin + _CHUNK]) for begin in range(0, len(rows), _CHUNK)]
        return SurfaceTable(
            self.items[rows],
            self.numbers[rows],
            self.sitelinks[rows],
            offsets_of(self.offsets[rows + 1] - self.offsets[rows]),
            np.concatenate([self.text[:0], *(chunk.targets for chunk in chunks)]),
            self.sources[rows],
            self.counts[rows],
            self.totals[rows],
        )

    def in_order(self) -> "SurfaceTable":
        """The same rows in the order of their items."""
        return self.take(sorted_order(self.items))

    def __len__(self) -> int:
        return len(self.items)

    def members(self, rows: Ints) -> list[Member]:
        """The items of some rows under their surface forms."""
        columns = (column[rows].tolist() for column in (self.sources, self.counts, self.totals, self.sitelinks))
        return [
            Member(qid_of(number), surface, SOURCES[source], count, total, links)
            for number, surface, source, count, total, links in zip(
                self.numbers[rows].tolist(), self.texts(rows), *columns, strict=True
            )
        ]

    def member(self, item: int) -> Member | None:
        """The item with this index in the graph, if a table in the order of items has it."""
        row = np.searchsorted(self.items, np.array([item], dtype=self.items.dtype))
        here = row < len(self) and self.items[row[0]] == item
        return self.members(row)[0] if here else None

    def texts(self, rows: Ints) -> Iterator[str]:
        """The surface forms of some rows."""
        text = self.text.data
        bounds = zip(self.offsets[rows].tolist(), self.offsets[rows + 1].tolist(), strict=True)
        return (str(text[begin:end], "utf-8") for begin, end in bounds)

    def sample(self, count: int) -> Iterable[str]:
        """The surface forms of the first rows."""
        return self.texts(np.arange(min(count, len(self))))


def _texts(texts: pa.ChunkedArray) -> tuple[Int64s, npt.NDArray[np.uint8]]:
    """The bytes of all strings one after the other, and where each begins."""
    array = texts.cast(pa.large_string()).combine_chunks()
    array = array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
    _, bounds, text = array.buffers()
    offsets: Int64s = np.frombuffer(bounds, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    return offsets - offsets[0], np.frombuffer(text or b"", dtype=np.uint8)[offsets[0] : offsets[-1]]


def _source_codes(sources: pa.ChunkedArray) -> npt.NDArray[np.int8]:
    codes = pc.index_in(sources, pa.array(SOURCES))
    if codes.null_count:
        strange = sources.filter(pc.is_null(codes))[0]
        raise DamagedInputError(f"expected surface forms from one of {', '.join(SOURCES)}, saw {strange}")
    numbers: npt.NDArray[np.int8] = codes.to_numpy().astype(np.int8)
    return numbers
