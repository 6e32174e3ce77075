"""What the readers of ranges pass around: ranges in, blocks and bad regions in between, chunks and damage out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, Literal, NamedTuple

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

    >>> format_location("dump.json.gz", 0, 17)
    'dump.json.gz:17'
    >>> format_location("dump.json.gz", 4096, 17)  # 17 bytes into the text of the gzip member at byte 4096
    'dump.json.gz:4096+17'
    """
    return f"{path}:{segment}+{offset}" if segment else f"{path}:{offset}"
