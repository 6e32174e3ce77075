"""What the readers of ranges pass around: ranges in, blocks and bad regions in between, chunks and damage out."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, Final, Literal, NamedTuple

Compression = Literal["plain", "gzip", "bzip2", "zstd"]
Opener = Callable[[str], BinaryIO]


@dataclass(frozen=True, slots=True)
class Range:
    """Bytes ``start`` to ``stop`` (not included) of a file, plain or compressed.

    A compressed range holds the segments whose first byte is in it. A segment is the smallest part of a file that
    decodes on its own: a bzip2 block, a gzip member or a zstd frame.
    """

    path: str
    compression: Compression
    start: int
    stop: int


class Chunk(NamedTuple):
    """Whole records, delimiters included, and where they are in the file.

    ``segment`` is the byte offset in the file of the segment in which the first record begins (0 in plain files),
    ``offset`` the offset of that record in the text that is decoded from there on.
    """

    data: bytes
    path: str
    segment: int
    offset: int

    def location(self, position: int) -> str:
        """Return the location of ``data[position]``, see ``format_location``."""
        return format_location(self.path, self.segment, self.offset + position)


class Damage(NamedTuple):
    """A part of a file that cannot be decoded, or what it cut off of a record; ``lost`` if text may be missing."""

    reason: str
    where: str
    detail: str
    lost: bool = True


class Block(NamedTuple):
    """Text decoded from one segment; ``inside`` is false after the range, where text only completes its last record."""

    data: bytes
    segment: int
    offset: int
    inside: bool


class BadRegion(NamedTuple):
    """Damage between two blocks; ``inside`` is false after the range, whose damage is reported by the next range."""

    damage: Damage
    inside: bool


def format_location(path: str, segment: int, offset: int) -> str:
    """Return where a record is: ``path:offset`` in the first segment of a file, ``path:segment+offset`` in the others.

    A segment decodes on its own: a gzip member, for example. It is named by the byte of the file at which it begins.

    >>> format_location("dump.json.gz", 0, 17)
    'dump.json.gz:17'
    >>> format_location("dump.json.gz", 4096, 17)  # 17 bytes into the text of the gzip member at byte 4096
    'dump.json.gz:4096+17'
    """
    return f"{path}:{segment}+{offset}" if segment else f"{path}:{offset}"


STEP: Final = 1 << 20
# The most readings that fail, one inside the other, before all that they have read is skipped.
_MOST: Final = 8


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
        self.base = self._data_start = start  # offsets in the file: of what comes next, and of the first byte of data
        self._data = b""

    @property
    def end(self) -> int:
        """The offset after the last byte that was read."""
        return max(self.base, self._data_start + len(self._data))

    def seek(self, offset: int) -> None:
        """Go to an offset; bytes around it that were read are kept."""
        if not self._data_start <= offset <= self._data_start + len(self._data):
            self._data_start, self._data = offset, b""
        self.base = offset

    def fill(self) -> bool:
        """Read the next bytes of the file, and drop those in front of ``base``; False if it has ended."""
        end = self.end
        self._source.seek(end)  # others may read the same file in between
        more = self._source.read(self._step)
        kept = memoryview(self._data)[self.base - self._data_start :]
        self._data = b"".join((kept, more)) if kept else more
        self._data_start = self.base
        return len(more) > 0

    def discard(self, offset: int) -> None:
        """Forget the bytes in front of an offset; if it has not been reached yet, nothing in between is read."""
        self.base = max(self.base, offset)

    def slice(self, start: int, stop: int) -> bytes:
        """Return bytes ``start`` to ``stop`` of the file, or those that it has; forgotten ones are read again."""
        data, first = self.view(start, stop)
        return data[first : first + max(0, stop - start)]

    def view(self, start: int, stop: int) -> tuple[bytes, int]:
        """Return bytes that hold what ``slice`` gives, without a copy, and the index in them at which that begins."""
        # Bytes that are not in hand any more, or would be dropped by reading on, are read again.
        if start < self._data_start or (start < self.base and stop > self._data_start + len(self._data)):
            self._source.seek(start)
            return self._source.read(stop - start), 0
        while self.end < stop and self.fill():
            pass
        return self._data, start - self._data_start

    def find(self, mark: bytes, limit: int = sys.maxsize) -> int | None:
        """Go to the next ``mark`` that begins before byte ``limit``, and return its offset; None if there is none."""
        last_stop = limit + len(mark) - 1  # where a mark ends that begins in the last byte before the limit
        while self.base < limit:
            found = self._data.find(mark, self.base - self._data_start, last_stop - self._data_start)
            if found >= 0:
                self.base = self._data_start + found
                return self.base
            self.discard(self.end - len(mark) + 1)  # all but the last bytes, which may begin a mark
            if not self.fill():
                return None
        return None

    def read_buffered(self, most: int | None = None) -> bytes:
        """Return up to ``most`` bytes that were read and not used, or else the next of the file; b"" at its end."""
        if self.base >= self._data_start + len(self._data):
            self.fill()
        first = self.base - self._data_start
        data = self._data[first : None if most is None else first + most]
        self.base += len(data)
        return data


@dataclass
class Retries:
    """Limits how often bytes of a file are decoded without success, however many false heads of segments they have.

    After ``_MOST`` failed readings in a row that have each begun inside the ones before, the search for a head goes on
    where the furthest of them ended.

    >>> retries = Retries()
    >>> [retries.failed(head, 1000) for head in range(10, 90, 10)]
    [11, 21, 31, 41, 51, 61, 71, 1000]
    >>> retries.has_skipped
    True
    """

    has_skipped: bool = False
    _furthest_stop: int = 0
    _count: int = 0

    def failed(self, start: int, stop: int) -> int:
        """Note that bytes ``start`` to ``stop`` do not decode; return the offset from which to look for the next head.

        That is the byte after ``start``, or after too many failures in a row the end of all that they have read.
        """
        self._count = self._count + 1 if start < self._furthest_stop else 1
        self._furthest_stop = max(self._furthest_stop, stop)
        if self.is_worth(start + 1):
            return start + 1
        self.has_skipped = True
        return self._furthest_stop

    def is_worth(self, start: int) -> bool:
        """Return whether to decode from an offset on."""
        return self._count < _MOST or start >= self._furthest_stop
