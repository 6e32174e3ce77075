"""The surface forms of one language, laid out for looking up: arrays mapped into memory."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
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
from wikisem.graph.sorting import sorted_order
from wikisem.ids import qid_of
from wikisem.records import Member

# The columns of schemas.SURFACES that a member of a group shows, and the item.
COLUMNS: Final = ("qid", "surface", "source", "count", "total")

SOURCES: Final = ("anchor", "label", "title")


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


@dataclass(frozen=True, slots=True)
class NameRows:
    """Named items by their place in the graph (ascending), and the row of each in the names of all parts."""

    items: npt.NDArray[np.uint32]
    rows: npt.NDArray[np.uint32]

    @staticmethod
    def of(graph: Graph, numbers: Ints) -> "NameRows":
        """The rows of those item numbers that are in the graph."""
        order = sorted_order(numbers)
        ordered = numbers[order]
        if not len(graph.items):
            return NameRows(order[:0], order[:0])
        # In order and of the same width, as numpy looks numbers up fastest.
        asked = np.minimum(ordered, graph.items[-1]).astype(graph.items.dtype)
        places = np.searchsorted(graph.items, asked).astype(np.uint32)
        here = graph.items[places] == ordered
        return NameRows(places[here], order[here])


class NameTable:
    """Looks up the surface forms of items, which are known by their place in the graph."""

    def __init__(self, graph: Graph, rows: NameRows, parts: Sequence[Names]) -> None:
        self._graph, self._parts = graph, parts
        self.items, self._rows = rows.items, rows.rows
        self._starts: Index = offsets_of(np.array([len(part.numbers) for part in parts], dtype=np.int64))

    def __len__(self) -> int:
        return len(self.items)

    def member(self, item: int) -> Member | None:
        """An item under its surface form, if it has one."""
        places = self._find(np.array([item]))
        return next(iter(self.members_at(places[places >= 0])), None)

    def members_at(self, places: Ints) -> list[Member]:
        """The items at some places in ``items``."""
        rows = self._rows[places].astype(np.int64)
        parts = np.searchsorted(self._starts, rows, side="right") - 1
        called = np.empty(len(rows), dtype=object)
        for number in np.unique(parts).tolist():
            asked = np.flatnonzero(parts == number)
            names = self._parts[number].called(rows[asked] - self._starts[number])
            for place, name in zip(asked.tolist(), names, strict=True):
                called[place] = name
        items = self.items[places]
        numbers, sitelinks = self._graph.items[items].tolist(), self._graph.sitelinks[items].tolist()
        return [
            Member(qid_of(number), surface, source, count, total, links)
            for number, (surface, source, count, total), links in zip(numbers, called, sitelinks, strict=True)
        ]

    def leading(self, rows: Rows, nodes: Ints, count: int) -> list[list[Member]]:
        """For each of the nodes the first ``count`` items of its row that have a surface form."""
        places = [self._leading(rows.row(node), count) for node in nodes.tolist()]
        members = iter(self.members_at(np.concatenate([np.zeros(0, dtype=np.int64), *places])))
        return [list(islice(members, len(each))) for each in places]

    def _leading(self, items: Ints, count: int) -> Index:
        """The places of the first ``count`` of the items that have a surface form."""
        found: Index = np.zeros(0, dtype=np.int64)
        look = 4 * count
        for begin in range(0, len(items), look):
            places = self._find(items[begin : begin + look])
            found = np.concatenate([found, places[places >= 0]])
            if len(found) >= count:
                break
        return found[:count]

    def sample(self, count: int) -> Iterable[str]:
        """The surface forms of the items with the lowest numbers."""
        return (member.surface for member in self.members_at(np.arange(min(count, len(self)))))

    def _find(self, items: Ints) -> Index:
        # Of the same width: numpy would widen the whole table for every look-up.
        places = np.searchsorted(self.items, items.astype(self.items.dtype, copy=False))
        places[places == len(self.items)] = 0
        missing = self.items[places] != items if len(self.items) else np.ones(len(items), dtype=bool)
        return np.where(missing, -1, places)
