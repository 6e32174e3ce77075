"""The surface forms of one language, laid out for looking up: an Arrow file mapped into memory, and its order."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from wikisem.graph.build import Graph
from wikisem.graph.kinds import Index, Ints
from wikisem.graph.rows import offsets_of
from wikisem.graph.store import open_arrays
from wikisem.ids import qid_of
from wikisem.records import Member

# The columns of schemas.SURFACES that a member of a group shows.
NAME: Final = ("surface", "source", "count", "total")


@dataclass(frozen=True, slots=True)
class NameRows:
    """Named items by their place in the graph (ascending), and the row of each in the Arrow file."""

    items: npt.NDArray[np.uint32]
    rows: npt.NDArray[np.uint32]


class NameTable:
    """Looks up the surface forms of items, which are known by their place in the graph."""

    def __init__(self, graph: Graph, rows: NameRows, batches: list[Any]) -> None:
        self._graph = graph
        self._columns = [tuple(batch.column(name) for name in NAME) for batch in batches]
        self.items, self._rows = rows.items, rows.rows
        self._starts: Index = offsets_of(np.array([batch.num_rows for batch in batches], dtype=np.int64))

    @classmethod
    def open(cls, graph: Graph, folder: Path) -> "NameTable":
        """Map the files that stand in a folder: ``names.arrow`` and the arrays of NameRows."""
        with pa.memory_map(str(folder / "names.arrow")) as source, pa.ipc.open_file(source) as reader:
            batches = [reader.get_batch(number) for number in range(reader.num_record_batches)]
        return cls(graph, open_arrays(NameRows, folder), batches)

    def __len__(self) -> int:
        return len(self.items)

    def named(self, items: Ints) -> npt.NDArray[np.bool_]:
        """Which of the items have a surface form."""
        return self._find(items) >= 0

    def member(self, item: int) -> Member | None:
        """An item under its surface form, if it has one."""
        place = int(self._find(np.array([item]))[0])
        return None if place < 0 else self.member_at(place)

    def member_at(self, place: int) -> Member:
        """The item at a place in ``items``."""
        item, row = int(self.items[place]), int(self._rows[place])
        number = int(np.searchsorted(self._starts, row, side="right")) - 1
        at = row - int(self._starts[number])
        surface, source, count, total = (column[at].as_py() for column in self._columns[number])
        return Member(
            qid_of(int(self._graph.items[item])), surface, source, count, total, int(self._graph.sitelinks[item])
        )

    def leading(self, items: Ints, count: int) -> list[Member]:
        """The first ``count`` of the items that have a surface form."""
        found: list[int] = []
        look = 4 * count
        for begin in range(0, len(items), look):
            places = self._find(items[begin : begin + look])
            found.extend(places[places >= 0].tolist())
            if len(found) >= count:
                break
        return [self.member_at(place) for place in found[:count]]

    def sample(self, count: int) -> Iterable[str]:
        """The surface forms of the items with the lowest numbers."""
        return (self.member_at(place).surface for place in range(min(count, len(self))))

    def _find(self, items: Ints) -> Index:
        # Of the same width: numpy would widen the whole table for every look-up.
        places = np.searchsorted(self.items, items.astype(self.items.dtype, copy=False))
        places[places == len(self.items)] = 0
        missing = self.items[places] != items if len(self.items) else np.ones(len(items), dtype=bool)
        return np.where(missing, -1, places)
