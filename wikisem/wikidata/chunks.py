"""Chunks of dump lines into tables of items, with an account of every line."""

from collections import Counter
from collections.abc import Iterator
from typing import Final, Literal

import pyarrow as pa
import pyarrow.compute as pc

from wikisem.dumps import Chunk, Damage
from wikisem.records import Counts, Reject
from wikisem.wikidata.columns import EntityColumns, LineColumns
from wikisem.wikidata.reader import EntityReader, record_lines
from wikisem.wikidata.types import Line
from wikisem.wikidata.values import LeftOut

Kind = Literal["sure", "rest"]
# Items become a table when they were read from so much text: Python values take several times the room of columns.
_HELD_BYTES: Final = 1 << 25


class ChunkReader:
    """Reads the chunks of a range; ``rejects`` and ``counts`` tell of what were no items.

    Items of the kind "sure" are kept whatever else the dump holds, the "rest" only if some edge leads to them. An item
    is sure with a class or a superclass; with ``linked_only`` a class alone is not enough, it needs a sitelink too.
    """

    def __init__(self, reader: EntityReader, linked_only: bool, stage: str) -> None:
        self._reader, self._linked_only, self._stage = reader, linked_only, stage
        self._lines = LineColumns(reader.fields)
        self._left_out: Counter[str] = Counter()
        self.rejects: list[Reject] = []
        self._clear()

    def read(self, chunk: Chunk | Damage) -> Iterator[tuple[Kind, pa.Table]]:
        """Take in the lines of a chunk; what comes out, now and then, are tables of ``schemas.ENTITIES``."""
        if isinstance(chunk, Damage):
            self.rejects.append(Reject(self._stage, chunk.reason, chunk.where, chunk.detail))
            return
        lines: list[Line] = []
        for position, line in record_lines(chunk.data):
            found = self._reader.read(line)
            if isinstance(found, Line):
                lines.append(found)
            elif isinstance(found, tuple):  # few are, and they may stand before the others of their chunk
                self._columns.add(found)
            elif isinstance(found, LeftOut):
                self._left_out[found.reason] += 1
            else:
                self.rejects.append(Reject(self._stage, found.reason, chunk.location(position), found.detail))
        self._lines.extend(self._columns, lines)
        self._held += len(chunk.data)
        if self._held > _HELD_BYTES:
            yield from self.finish()

    def finish(self) -> Iterator[tuple[Kind, pa.Table]]:
        """The items that have not come out yet."""
        if len(self._columns):
            table = self._columns.table()
            sure = self._are_sure(table)
            yield from ((kind, rows) for kind, rows in _parted(table, sure) if rows.num_rows)
        self._clear()

    def _clear(self) -> None:
        self._columns = EntityColumns()
        self._held = 0

    def _are_sure(self, table: pa.Table) -> pa.ChunkedArray:
        classes, superclasses = (pc.list_value_length(table[name]) for name in ("instance_of", "subclass_of"))
        has_class, has_superclass = pc.greater(classes, 0), pc.greater(superclasses, 0)
        if self._linked_only:
            has_class = pc.and_(has_class, pc.greater(table["sitelinks"], 0))
        return pc.or_(has_class, has_superclass)

    def counts(self) -> Counts:
        """The lines that were no items; what becomes of the items is counted where it is decided."""
        rejected = Counter(reject.reason for reject in self.rejects)
        read = sum(self._left_out.values()) + len(self.rejects)
        return Counts(read, 0, dict(self._left_out), dict(rejected))


def _parted(table: pa.Table, sure: pa.ChunkedArray) -> Iterator[tuple[Kind, pa.Table]]:
    if pc.all(sure).as_py():  # as nearly all tables are
        yield "sure", table
        return
    yield "sure", table.filter(sure)
    yield "rest", table.filter(pc.invert(sure))
