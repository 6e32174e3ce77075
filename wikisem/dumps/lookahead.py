"""Reading a file forwards, with random access to bytes that were read but not used yet; and reading plain ranges."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from wikisem.dumps.model import Block, Range

STEP: Final = 1 << 20
# The most readings that fail, one inside the other, before all that they have read is skipped.
_MOST: Final = 8


def size_of(source: BinaryIO) -> int:
    """Return the size of an open file in bytes."""
    source.seek(0, 2)
    return source.tell()


class Lookahead:
    """The bytes of a file that have been read, from ``base`` on.

    Moving costs nothing: bytes in front of ``base`` are dropped when the next ones are read.

    >>> import io
    >>> ahead = Lookahead(io.BytesIO(b"abcdefgh"), start=2, step=3)
    >>> ahead.slice(3, 6), ahead.base, ahead.end  # looking ahead moves nothing
    (b'def', 2, 8)
    >>> ahead.discard(4)
    >>> ahead.read_buffered(3), ahead.base
    (b'efg', 7)
    >>> ahead.seek(ahead.base - 2)
    >>> ahead.read_buffered(), ahead.read_buffered()
    (b'fgh', b'')
    """

    def __init__(self, source: BinaryIO, start: int, step: int = STEP) -> None:
        self._source, self._step = source, step
        self.base = self._start = start
        self._data = b""

    @property
    def end(self) -> int:
        """The offset after the last byte that was read."""
        return max(self.base, self._start + len(self._data))

    def seek(self, offset: int) -> None:
        """Go to an offset; bytes around it that were read are kept."""
        if not self._start <= offset <= self._start + len(self._data):
            self._start, self._data = offset, b""
        self.base = offset

    def fill(self) -> bool:
        """Read on; False at the end of the file."""
        end = self.end
        self._source.seek(end)  # others may read the same file in between
        more = self._source.read(self._step)
        kept = memoryview(self._data)[self.base - self._start :]
        self._data = b"".join((kept, more)) if kept else more
        self._start = self.base
        return len(more) > 0

    def discard(self, offset: int) -> None:
        """Forget the bytes in front of an offset; if it has not been reached yet, nothing in between is read."""
        self.base = max(self.base, offset)

    def slice(self, start: int, stop: int) -> bytes:
        """Bytes ``start`` to ``stop`` of the file, as many of them as there are; forgotten ones are read again."""
        data, first = self.view(start, stop)
        return data[first : first + max(0, stop - start)]

    def view(self, start: int, stop: int) -> tuple[bytes, int]:
        """Data that holds what ``slice`` gives, copied only if it must be read again, and where in it that begins."""
        if start < self._start or (start < self.base and stop > self._start + len(self._data)):
            self._source.seek(start)
            return self._source.read(stop - start), 0
        while self.end < stop and self.fill():
            pass
        return self._data, start - self._start

    def find(self, mark: bytes, limit: int = sys.maxsize) -> int | None:
        """Go to the next place before ``limit`` where these bytes begin, and give its offset; None if there is none."""
        while self.base < limit:
            found = self._data.find(mark, self.base - self._start, limit - self._start + len(mark) - 1)
            if found >= 0:
                self.base = self._start + found
                return self.base
            self.discard(self.end - len(mark) + 1)
            if not self.fill():
                return None
        return None

    def read_buffered(self, most: int | None = None) -> bytes:
        """Return up to ``most`` bytes that were read and not used, or else the next of the file; b"" at its end."""
        if self.base >= self._start + len(self._data):
            self.fill()
        first = self.base - self._start
        data = self._data[first : None if most is None else first + most]
        self.base += len(data)
        return data

    def skip_zeros(self) -> None:
        """Go to the next byte that is not 0, or to the end."""
        while self.slice(self.base, self.base + 1) == b"\0" and (data := self.read_buffered()):
            self.seek(self.base - len(data.lstrip(b"\0")))


@dataclass
class Retries:
    """Limits how often bytes of a file are decoded without success, however many false heads of segments they have.

    After ``_MOST`` failed readings in a row that have each begun inside the ones before, the search for a head goes on
    where the furthest of them ended.

    >>> retries = Retries()
    >>> for head in range(10, 70, 10):
    ...     retries.failed(head, 1000)
    >>> retries.next_after(60)
    61
    >>> for head in range(70, 90, 10):
    ...     retries.failed(head, 1000)
    >>> retries.next_after(80), retries.has_skipped
    (1000, True)
    """

    has_skipped: bool = False
    _furthest: int = 0
    _count: int = 0

    def failed(self, start: int, stop: int) -> None:
        """Note that the bytes from ``start`` to ``stop`` were decoded without success."""
        self._count = self._count + 1 if start < self._furthest else 1
        self._furthest = max(self._furthest, stop)

    def is_worth(self, start: int) -> bool:
        """Return whether to decode from an offset on."""
        return self._count < _MOST or start >= self._furthest

    def next_after(self, head: int) -> int:
        """Return where to look for the next head after one that failed."""
        if self.is_worth(head + 1):
            return head + 1
        self.has_skipped = True
        return self._furthest


def read_plain(range_: Range, source: BinaryIO, chunk_bytes: int) -> Iterator[Block]:
    """Yield the text of the range, then the text after it, for as long as the caller asks for more."""
    ahead = Lookahead(source, range_.start, chunk_bytes)
    while ahead.base < range_.stop:
        offset, data = ahead.base, ahead.read_buffered()
        if not data:
            return
        yield Block(data[: range_.stop - offset], 0, offset, inside=True)
    tail = Lookahead(source, range_.stop, STEP // 16)
    while data := tail.read_buffered():
        yield Block(data, 0, tail.base - len(data), inside=False)
