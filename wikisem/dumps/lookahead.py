"""A file read forwards, with the bytes that were read but not used open to random access; and plain ranges, read so."""

from collections.abc import Iterator
from typing import BinaryIO, Final

from wikisem.dumps.model import Block, Range

STEP: Final = 1 << 20


def size_of(source: BinaryIO) -> int:
    """The size of an open file in bytes."""
    source.seek(0, 2)
    return source.tell()


class Lookahead:
    """The bytes of a file from ``base`` on, as far as they have been read.

    >>> import io
    >>> ahead = Lookahead(io.BytesIO(b"abcdefgh"), start=2, step=3)
    >>> ahead.slice(3, 6), ahead.base, ahead.end  # looking ahead moves nothing
    (b'def', 2, 8)
    >>> ahead.discard(4)
    >>> data = ahead.read_buffered()
    >>> data, ahead.base
    (b'efgh', 8)
    >>> ahead.unread(b"gh")
    >>> ahead.read_buffered(), ahead.read_buffered()
    (b'gh', b'')
    """

    def __init__(self, source: BinaryIO, start: int, step: int = STEP) -> None:
        self._source, self._step = source, step
        self.seek(start)

    def seek(self, offset: int) -> None:
        """Go to an offset, and forget what was read."""
        self.base, self.data, self._needed = offset, b"", offset

    @property
    def end(self) -> int:
        """The offset after the last byte that was read."""
        return self.base + len(self.data)

    def fill(self) -> bool:
        """Read on; False at the end of the file."""
        self._source.seek(self.end)  # others may read the same file in between
        more = self._source.read(self._step)
        kept = memoryview(self.data)[max(0, self._needed - self.base) :]
        self.base += len(self.data) - len(kept)
        self.data = b"".join((kept, more)) if kept else more
        return len(more) > 0

    def release(self, offset: int) -> None:
        """Forget the bytes in front of an offset when the next ones are read, which copies those that stay anyway."""
        self._needed = max(self._needed, offset)

    def discard(self, offset: int) -> None:
        """Forget the bytes in front of an offset; where it has not been reached, nothing in between is read."""
        self.data = self.data[max(0, offset - self.base) :]
        self.base = max(self.base, offset)

    def slice(self, start: int, stop: int) -> bytes:
        """Bytes ``start`` to ``stop`` of the file, as many of them as there are; forgotten ones are read again."""
        if start < max(self.base, self._needed):
            self._source.seek(start)
            return self._source.read(stop - start)
        while self.end < stop and self.fill():
            pass
        return self.data[start - self.base : stop - self.base]

    def view(self, start: int, stop: int) -> tuple[bytes, int]:
        """Data that holds what ``slice`` gives, copied only if it must be read again, and where in it that begins."""
        if start < max(self.base, self._needed):
            return self.slice(start, stop), 0
        while self.end < stop and self.fill():
            pass
        return self.data, start - self.base

    def read_buffered(self) -> bytes:
        """All that was read and not used, or the next bytes of the file if there is nothing; b"" at its end."""
        if not self.data:
            self.fill()
        data, self.base, self.data = self.data, self.end, b""
        return data

    def unread(self, data: bytes) -> None:
        """Put back the end of what ``read_buffered`` gave."""
        if data:
            self.base, self.data = self.base - len(data), data + self.data

    def skip_zeros(self) -> None:
        """Go to the next byte that is not 0, or to the end."""
        while not (rest := self.data.lstrip(b"\0")):
            self.discard(self.end)
            if not self.fill():
                return
        self.discard(self.end - len(rest))


def read_plain(range_: Range, source: BinaryIO, chunk_bytes: int) -> Iterator[Block]:
    """The text of the range, then the text after it, for as long as the caller asks for more."""
    ahead = Lookahead(source, range_.start, chunk_bytes)
    while ahead.base < range_.stop:
        offset, data = ahead.base, ahead.read_buffered()
        if not data:
            return
        inside = data[: range_.stop - offset]
        yield Block(inside, 0, offset, inside=True)
        ahead.unread(data[len(inside) :])
    tail = Lookahead(source, range_.stop, STEP // 16)
    while data := tail.read_buffered():
        yield Block(data, 0, tail.base - len(data), inside=False)
