"""The surface forms of one language, laid out for looking up: an Arrow file mapped into memory, and its order."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from wikisem.graph.build import Graph
from wikisem.graph.kinds import Index, Ints
from wikisem.graph.rows import Rows, offsets_of
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
        self._graph, self._batches = graph, batches
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

    def member(self, item: int) -> Member | None:
        """An item under its surface form, if it has one."""
        places = self._find(np.array([item]))
        return next(iter(self.members_at(places[places >= 0])), None)

    def members_at(self, places: Ints) -> list[Member]:
        """The items at some places in ``items``."""
        if not len(places):
            return []
        rows = self._rows[places].astype(np.int64)
        order = np.argsort(rows)
        edges = np.searchsorted(rows[order], self._starts)
        parts = [
            batch.take(pa.array(rows[order[first:end]] - start))
            for batch, start, first, end in zip(self._batches, self._starts, edges[:-1], edges[1:], strict=False)
            if end > first
        ]
        back = np.argsort(order)
        columns = [
            np.concatenate([part.column(name).to_numpy(zero_copy_only=False) for part in parts])[back].tolist()
            for name in NAME
        ]
        items = self.items[places]
        numbers, sitelinks = self._graph.items[items].tolist(), self._graph.sitelinks[items].tolist()
        ids = [qid_of(number) for number in numbers]
        return [Member(*each) for each in zip(ids, *columns, sitelinks, strict=True)]

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
