"""Chunks of dump lines into tables of items, with an account of every line."""

from collections import Counter
from collections.abc import Iterator
from typing import Literal

import pyarrow as pa

from wikisem.entity_columns import EntityColumns
from wikisem.ranges import Chunk, Damage
from wikisem.records import Counts, Entity, Reject
from wikisem.wikidata import EntityReader
from wikisem.wikidata_values import LeftOut

Kind = Literal["sure", "rest"]


class ChunkReader:
    """Reads the chunks of a range; ``rejects`` and ``counts`` tell of what were no items.

    Items of the kind "sure" are kept whatever else the dump holds, the "rest" only if some edge leads to them. An item
    is sure with a class or a superclass; with ``linked_only`` a class alone is not enough, it needs a sitelink too.
    """

    def __init__(self, reader: EntityReader, linked_only: bool, stage: str) -> None:
        self._reader, self._linked_only, self._stage = reader, linked_only, stage
        self._left_out: Counter[str] = Counter()
        self.rejects: list[Reject] = []

    def read(self, chunk: Chunk | Damage) -> Iterator[tuple[Kind, pa.Table]]:
        """The items of a chunk as tables of ``schemas.ENTITIES``; damage is noted."""
        if isinstance(chunk, Damage):
            self.rejects.append(Reject(self._stage, chunk.reason, chunk.where, chunk.detail))
            return
        columns: dict[Kind, EntityColumns] = {"sure": EntityColumns(), "rest": EntityColumns()}
        position = 0
        for line in chunk.data.split(b"\n"):
            found = self._reader.read(line)
            if isinstance(found, Entity):
                columns["sure" if self._is_sure(found) else "rest"].add(found)
            elif isinstance(found, LeftOut):
                self._left_out[found.reason] += 1
            elif found is not None:
                self.rejects.append(Reject(self._stage, found.reason, chunk.place(position), found.detail))
            position += len(line) + 1
        yield from ((kind, items.table()) for kind, items in columns.items() if len(items))

    def _is_sure(self, entity: Entity) -> bool:
        if self._linked_only and not entity.sitelinks:
            return bool(entity.subclass_of)
        return bool(entity.instance_of or entity.subclass_of)

    def counts(self) -> Counts:
        """The lines that were no items; what becomes of the items is counted where it is decided."""
        rejected = Counter(reject.reason for reject in self.rejects)
        read = sum(self._left_out.values()) + len(self.rejects)
        return Counts(read, 0, dict(self._left_out), dict(rejected))
