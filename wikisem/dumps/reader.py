"""Pieces of text into chunks of whole records, each record in exactly one range.

A range owns what begins behind the first delimiter at or after its start (the first range: behind its start), up to
the end of the first delimiter that begins at or after its stop. So neighbours agree without talking to each other,
even where a delimiter, a record or a unit lies across their border.
"""

from collections.abc import Iterator
from typing import BinaryIO, Final

from wikisem.dumps.bzip2.reader import read_blocks
from wikisem.dumps.codecs import CODECS
from wikisem.dumps.members import read_members
from wikisem.dumps.model import Chunk, Damage, Gap, Opener, Piece, Range, open_plain, place
from wikisem.dumps.stream import read_plain

# The longest items of Wikidata are about 5 MB, the longest pages of Wikipedia 2 MB (2026-09). What is this long has
# lost its delimiters, and must not fill the memory of a worker.
RECORD_LIMIT: Final = 1 << 26


def read_records(
    range_: Range, open_binary: Opener = open_plain, delimiter: bytes = b"\n", chunk_bytes: int = 8 << 20
) -> Iterator[Chunk | Damage]:
    """The records of a range in chunks of about ``chunk_bytes``, and the damage that was met on the way.

    A record ends with the delimiter; the last one of a file may lack it.
    """
    with open_binary(range_.path) as source:
        assembler = _Assembler(range_, delimiter, chunk_bytes)
        for piece in _pieces(range_, source, chunk_bytes):
            yield from assembler.tear(piece) if isinstance(piece, Gap) else assembler.add(piece)
            if assembler.done:
                return
        yield from assembler.finish()


def _pieces(range_: Range, source: BinaryIO, chunk_bytes: int) -> Iterator[Piece | Gap]:
    if range_.form == "plain":
        return read_plain(range_, source, chunk_bytes)
    if range_.form == "bzip2":
        return read_blocks(range_, source)
    return read_members(range_, CODECS[range_.form], source, chunk_bytes)


class _Assembler:
    """Text that has come in and has not gone out yet; ``done`` once the range's last record has."""

    def __init__(self, range_: Range, delimiter: bytes, chunk_bytes: int) -> None:
        self._path, self._delimiter, self._chunk_bytes = range_.path, delimiter, chunk_bytes
        self._parts: list[bytes] = []
        self._size = self._unit = self._offset = 0
        self._known = 0  # up to here the text behind the range holds no delimiter
        self._skipping = range_.start > 0  # text up to the next delimiter belongs to a record of somebody else
        self._outside = False
        self.done = False

    def add(self, piece: Piece) -> Iterator[Chunk | Damage]:
        """Take a piece in, and give out whole records once there are enough of them."""
        if not piece.inside:
            yield from self._add_outside(piece)
            return
        self._append(piece.data, piece.unit, piece.offset)
        if self._skipping:
            self._skip()
        if self._size >= self._chunk_bytes:
            yield from self._flush()

    def _add_outside(self, piece: Piece) -> Iterator[Chunk | Damage]:
        if not self._outside:
            yield from self._flush()
            self._outside, self._known = True, self._size
        self._append(piece.data, piece.unit, piece.offset)
        if self._skipping:
            self._skip_outside()
            if self._skipping:
                return
        text = self._join()
        found = text.find(self._delimiter, self._known)
        if found >= 0:
            self.done = True
            yield self._chunk(text[: found + len(self._delimiter)])
        else:
            self._known = max(self._known, len(text) - len(self._delimiter) + 1)
            yield from self._limit()

    def _skip_outside(self) -> None:
        """Only a delimiter that begins inside makes what follows ours; its end may lie in any later piece."""
        text = self._join()
        found = text.find(self._delimiter)
        if 0 <= found < self._known:
            self._skipping, self._known = False, 0
            self._keep(text, found + len(self._delimiter))
        else:
            self.done = len(text) >= self._known + len(self._delimiter) - 1

    def tear(self, gap: Gap) -> Iterator[Chunk | Damage]:
        """Take note of damage: what was whole goes out, the record that was begun is lost with it."""
        if gap.damage.lost:
            yield from self._flush()
            yield from self._tear("the rest of it cannot be decoded")
            self._skipping = True
            self.done = not gap.inside
        if gap.inside:
            yield gap.damage

    def finish(self) -> Iterator[Chunk | Damage]:
        """The end of the file: what is left is its last record, without a delimiter."""
        if not self._skipping:
            yield from self._flush()
            if self._size:
                yield self._chunk(self._join())

    def _append(self, data: bytes, unit: int, offset: int) -> None:
        if not self._parts:
            self._unit, self._offset = unit, offset
        self._parts.append(data)
        self._size += len(data)

    def _join(self) -> bytes:
        text = b"".join(self._parts)
        self._parts = [text]
        return text

    def _skip(self) -> None:
        text = self._join()
        found = text.find(self._delimiter)
        self._skipping = found < 0
        # The beginning of a delimiter may be all that has come of it.
        self._keep(text, max(0, len(text) - len(self._delimiter) + 1) if found < 0 else found + len(self._delimiter))

    def _keep(self, text: bytes, start: int) -> None:
        self._offset += start
        self._parts = [text[start:]] if start < len(text) else []
        self._size = len(text) - start

    def _flush(self) -> Iterator[Chunk | Damage]:
        if self._skipping or not self._size:
            return
        if self._delimiter not in self._parts[-1]:  # it may lie across two parts
            self._join()
        *before, last = self._parts
        stop = last.rfind(self._delimiter) + len(self._delimiter)
        if stop >= len(self._delimiter):
            yield self._chunk(b"".join([*before, memoryview(last)[:stop]]))
            self._offset += self._size - len(last)
            self._keep(last, stop)
        yield from self._limit()

    def _limit(self) -> Iterator[Damage]:
        if self._size > RECORD_LIMIT:
            yield from self._tear(f"it has more than {RECORD_LIMIT} bytes")
            self._skipping, self.done = True, self._outside

    def _tear(self, why: str) -> Iterator[Damage]:
        text = self._join() if not self._skipping else b""
        if text.strip():
            detail = f"{why}: {len(text)} bytes of a record that begins with {text[:80]!r}"
            yield Damage("torn-record", place(self._path, self._unit, self._offset), detail)
        self._parts, self._size = [], 0

    def _chunk(self, text: bytes) -> Chunk:
        return Chunk(text, self._path, self._unit, self._offset)
