"""Chunks of dump lines into tables of items, with an account of every line."""

from collections import Counter
from collections.abc import Iterator
from typing import Final, Literal

import pyarrow as pa

from wikisem.entity_columns import EntityColumns
from wikisem.ranges import Chunk, Damage
from wikisem.records import Counts, Reject
from wikisem.wikidata import EntityReader, record_lines
from wikisem.wikidata_values import LeftOut, Row

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
        self._left_out: Counter[str] = Counter()
        self.rejects: list[Reject] = []
        self._clear()

    def read(self, chunk: Chunk | Damage) -> Iterator[tuple[Kind, pa.Table]]:
        """Take in the lines of a chunk; what comes out, now and then, are tables of ``schemas.ENTITIES``."""
        if isinstance(chunk, Damage):
            self.rejects.append(Reject(self._stage, chunk.reason, chunk.where, chunk.detail))
            return
        for position, line in record_lines(chunk.data):
            found = self._reader.read_row(line)
            if isinstance(found, tuple):
                self._columns["sure" if self._is_sure(found) else "rest"].add(found)
            elif isinstance(found, LeftOut):
                self._left_out[found.reason] += 1
            else:
                self.rejects.append(Reject(self._stage, found.reason, chunk.place(position), found.detail))
        self._held += len(chunk.data)
        if self._held > _HELD_BYTES:
            yield from self.finish()

    def finish(self) -> Iterator[tuple[Kind, pa.Table]]:
        """The items that have not come out yet."""
        yield from ((kind, items.table()) for kind, items in self._columns.items() if len(items))
        self._clear()

    def _clear(self) -> None:
        self._columns: dict[Kind, EntityColumns] = {"sure": EntityColumns(), "rest": EntityColumns()}
        self._held = 0

    def _is_sure(self, row: Row) -> bool:
        _, instance_of, subclass_of, sitelinks, *_ = row
        return bool(subclass_of) or bool(instance_of and (sitelinks or not self._linked_only))

    def counts(self) -> Counts:
        """The lines that were no items; what becomes of the items is counted where it is decided."""
        rejected = Counter(reject.reason for reject in self.rejects)
        read = sum(self._left_out.values()) + len(self.rejects)
        return Counts(read, 0, dict(self._left_out), dict(rejected))
