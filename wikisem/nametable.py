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
from wikisem.graph.edges import qid_numbers
from wikisem.graph.kinds import Index, Ints
from wikisem.graph.rows import Rows, offsets_of
from wikisem.graph.sorting import inverse_of, sorted_order
from wikisem.ids import qid_of
from wikisem.records import Member

# The columns of schemas.SURFACES that a member of a group shows, and the item.
COLUMNS: Final = ("qid", "surface", "source", "count", "total")

SOURCES: Final = ("anchor", "label", "title")

# Text is moved for so many names at a time.
_CHUNK: Final = 1 << 17


@dataclass(frozen=True, slots=True)
class Names:
    """Some of the surface forms of a language, in any order: row i is what item number ``numbers[i]`` is called.

    Its UTF-8 is ``text[offsets[i]:offsets[i + 1]]``, its source ``SOURCES[sources[i]]``.
    """

    numbers: Index
    offsets: Index
    text: npt.NDArray[np.uint8]
    sources: npt.NDArray[np.int8]
    counts: Index
    totals: Index

    @staticmethod
    def of_table(table: pa.Table) -> "Names":
        """The names in a table with the columns of ``COLUMNS``; raises DamagedInputError for what cannot be one."""
        surfaces = table["surface"].combine_chunks().cast(pa.large_string())
        _, bounds, text = surfaces.buffers()
        offsets = np.frombuffer(bounds, dtype=np.int64)[surfaces.offset : surfaces.offset + len(surfaces) + 1]
        return Names(
            qid_numbers(table["qid"]),
            offsets - offsets[0],
            np.frombuffer(text or b"", dtype=np.uint8)[offsets[0] : offsets[-1]],
            _source_codes(table["source"]),
            table["count"].to_numpy(),
            table["total"].to_numpy(),
        )

    @staticmethod
    def merge(parts: Sequence["Names"]) -> "Names":
        """The names of several tables as one."""
        shifts = offsets_of(np.array([len(part.text) for part in parts], dtype=np.int64))
        offsets = [part.offsets[:-1] + shift for part, shift in zip(parts, shifts, strict=False)]
        joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in Names.__slots__}
        return Names(**{**joined, "offsets": np.concatenate([*offsets, shifts[-1:]])})

    @staticmethod
    def pick(parts: Sequence["Names"], rows: Ints) -> "Names":
        """Some rows of all parts together, in the order given; what is read of each part is read in its order."""
        starts = offsets_of(np.array([len(part.numbers) for part in parts], dtype=np.int64))
        order = sorted_order(rows)
        ordered = rows[order].astype(np.int64)
        edges = np.searchsorted(ordered, starts)
        asked = [ordered[first:end] - start for start, first, end in zip(starts, edges[:-1], edges[1:], strict=False)]
        picked = [part.take(each) for part, each in zip(parts, asked, strict=True)]
        return Names.merge(picked).take(inverse_of(order))

    def take(self, rows: Ints) -> "Names":
        """Some rows, in the order given."""
        text = Rows(self.offsets, self.text)
        chunks = [text.take(rows[begin : begin + _CHUNK]) for begin in range(0, len(rows), _CHUNK)]
        return Names(
            self.numbers[rows],
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


def _source_codes(sources: pa.ChunkedArray) -> npt.NDArray[np.int8]:
    codes = pc.index_in(sources, pa.array(SOURCES))
    if codes.null_count:
        strange = sources.filter(pc.is_null(codes))[0]
        raise DamagedInputError(f"expected surface forms from one of {', '.join(SOURCES)}, saw {strange}")
    numbers: npt.NDArray[np.int8] = codes.to_numpy().astype(np.int8)
    return numbers


def find_items(graph: Graph, numbers: Ints) -> tuple[Ints, Ints]:
    """The places in the graph of those item numbers that it has, ascending, and which of the numbers each is."""
    order = sorted_order(numbers)
    ordered = numbers[order]
    if not len(graph.items):
        return order[:0], order[:0]
    # In order and of the same width, as numpy looks numbers up fastest.
    asked = np.minimum(ordered, graph.items[-1]).astype(graph.items.dtype)
    places = np.searchsorted(graph.items, asked).astype(np.uint32)
    here = graph.items[places] == ordered
    return places[here], order[here]


@dataclass(frozen=True, slots=True)
class NameTable:
    """Surface forms by item: row i is item ``items[i]``, a place in the graph (ascending), with its sitelinks."""

    items: Ints
    sitelinks: npt.NDArray[np.int32]
    names: Names

    def __len__(self) -> int:
        return len(self.items)

    def members(self, rows: Ints) -> list[Member]:
        """The items of some rows."""
        numbers, sitelinks = self.names.numbers[rows].tolist(), self.sitelinks[rows].tolist()
        return [
            Member(qid_of(number), surface, source, count, total, links)
            for number, (surface, source, count, total), links in zip(
                numbers, self.names.called(rows), sitelinks, strict=True
            )
        ]

    def member(self, item: int) -> Member | None:
        """The item at a place in the graph, if it has a row."""
        row = np.searchsorted(self.items, np.array([item], dtype=self.items.dtype))
        here = row < len(self.items) and self.items[row[0]] == item
        return self.members(row)[0] if here else None

    def sample(self, count: int) -> Iterable[str]:
        """The surface forms of the items with the lowest numbers."""
        return (member.surface for member in self.members(np.arange(min(count, len(self)))))
