"""A file read forwards with the part in hand open to random access, and the blocks of a file that is not compressed."""

from collections.abc import Iterator
from typing import BinaryIO, Final

from wikisem.dumps.model import Piece, Range

STEP: Final = 1 << 20


def size_of(source: BinaryIO) -> int:
    """The size of an open file in bytes."""
    source.seek(0, 2)
    return source.tell()


class Tape:
    """The bytes of a file from ``base`` on, as far as they have been read."""

    def __init__(self, source: BinaryIO, start: int, step: int = STEP) -> None:
        self._source, self._step = source, step
        self.seek(start)

    def seek(self, offset: int) -> None:
        """Go to an offset and forget what was in hand."""
        self.base, self.data = offset, b""

    @property
    def end(self) -> int:
        """The offset behind the last byte in hand."""
        return self.base + len(self.data)

    def grow(self) -> bool:
        """Read on; False once there is nothing more."""
        self._source.seek(self.end)  # others may read the same file in between
        more = self._source.read(self._step)
        self.data += more
        return len(more) > 0

    def drop(self, offset: int) -> None:
        """Forget what stands before an offset."""
        self.data = self.data[max(0, offset - self.base) :]
        self.base = max(self.base, offset)

    def slice(self, start: int, stop: int) -> bytes:
        """Bytes ``start`` to ``stop`` of the file, as many of them as there are; forgotten ones are read again."""
        if start < self.base:
            self._source.seek(start)
            return self._source.read(stop - start)
        while self.end < stop and self.grow():
            pass
        return self.data[start - self.base : stop - self.base]

    def take(self) -> bytes:
        """All that is in hand, or the next piece of the file; b"" at its end."""
        if not self.data:
            self.grow()
        data, self.base, self.data = self.data, self.end, b""
        return data

    def back(self, data: bytes) -> None:
        """Put back what ``take`` gave and nobody used."""
        if data:
            self.base, self.data = self.base - len(data), data + self.data

    def skip_zeros(self) -> None:
        """Go to the next byte that is not 0, or to the end."""
        while not (rest := self.data.lstrip(b"\0")):
            self.drop(self.end)
            if not self.grow():
                return
        self.drop(self.end - len(rest))


def read_plain(range_: Range, source: BinaryIO, chunk_bytes: int) -> Iterator[Piece]:
    """The text of the range, then the text behind it, for as long as somebody asks."""
    tape = Tape(source, range_.start, chunk_bytes)
    while tape.base < range_.stop:
        offset, data = tape.base, tape.take()
        if not data:
            return
        inside = data[: range_.stop - offset]
        yield Piece(inside, 0, offset, inside=True)
        tape.back(data[len(inside) :])
    tail = Tape(source, range_.stop, STEP // 16)
    while data := tail.take():
        yield Piece(data, 0, tail.base - len(data), inside=False)
