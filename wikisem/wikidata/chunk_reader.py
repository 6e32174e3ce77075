"""Chunks of dump lines into tables of items, with an account of every line."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import pyarrow as pa

from wikisem.dumps import Chunk, Damage, Opener, Range, open_plain, read_head
from wikisem.errors import WrongDumpError
from wikisem.records import Counts, Reject
from wikisem.wikidata.entity_columns import EntityColumns
from wikisem.wikidata.entity_reader import EntityReader, read_lines
from wikisem.wikidata.item_values import LeftOutLine
from wikisem.wikidata.line_columns import LineColumns
from wikisem.wikidata.line_types import Line
from wikisem.wikidata.selection import Certainty, split_by_certainty

# Items become a table once they were read from this much text: Python values take several times the room of columns.
_HELD_BYTES: Final = 1 << 25
_SHOWN: Final = 40


def check_head(ranges: Sequence[Range], open_binary: Opener = open_plain) -> bytes:
    """What the file of these ranges has to end with: "]" if it begins with "[", nothing else if it is lines alone.

    Raise WrongDumpError if it begins as XML does: it is then not read to its end first.
    """
    head = read_head(ranges, open_binary).lstrip()
    if head.startswith(b"<"):
        message = f"{ranges[0].path}: expected Wikidata JSON lines, saw XML that begins with {head[:_SHOWN]!r}"
        raise WrongDumpError(message, "xml")
    return b"]" if head.startswith(b"[") else b""


class ChunkReader:
    """Reads the chunks of a range into tables of items; ``rejects`` and ``counts`` account for all other lines.

    ``selection.split_by_certainty`` says what ``linked_only`` means.
    """

    def __init__(self, reader: EntityReader, linked_only: bool, stage: str) -> None:
        self._reader, self._linked_only, self._stage = reader, linked_only, stage
        self._lines = LineColumns(reader.fields)
        self._left_out: Counter[str] = Counter()
        self.rejects: list[Reject] = []
        self._clear()

    def read(self, chunk: Chunk | Damage) -> Iterator[tuple[Certainty, pa.Table]]:
        """Take in the lines of a chunk; give out tables of ``schemas.ENTITIES`` once enough lines have come."""
        if isinstance(chunk, Damage):
            self.rejects.append(Reject(self._stage, chunk.reason, chunk.where, chunk.detail))
            return
        lines: list[Line] = []
        for position, found in read_lines(chunk.data, self._reader.read):
            if isinstance(found, Line):
                lines.append(found)
            elif isinstance(found, tuple):  # few are; they may come before the other items of their chunk
                self._columns.add(found)
            elif isinstance(found, LeftOutLine):
                self._left_out[found.reason] += 1
            else:
                self.rejects.append(Reject(self._stage, found.reason, chunk.location(position), found.detail))
        self._lines.extend(self._columns, lines)
        self._held += len(chunk.data)
        if self._held > _HELD_BYTES:
            yield from self.finish()

    def finish(self) -> Iterator[tuple[Certainty, pa.Table]]:
        """The items that have not come out yet."""
        if len(self._columns):
            yield from split_by_certainty(self._columns.table(), self._linked_only)
        self._clear()

    def _clear(self) -> None:
        self._columns = EntityColumns()
        self._held = 0

    def counts(self) -> Counts:
        """The lines that hold no item; items are counted where it is decided whether they stay."""
        rejected = Counter(reject.reason for reject in self.rejects)
        read = sum(self._left_out.values()) + len(self.rejects)
        return Counts(read, 0, dict(self._left_out), dict(rejected))
