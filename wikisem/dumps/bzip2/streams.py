"""The checksums of bzip2 streams, which say whether a block is missing, comes twice, or has another one's place.

A stream ends with the checksum c of those of its blocks: from 0 on, ``c = rotl(c, 1) ^ block`` for each (bzip2 1.0.8,
decompress.c). That is linear: n blocks make ``rotl(c, n) ^ fold`` of any c, where ``fold`` is what they make of 0. So a
range that begins inside a stream can say what it does to a checksum that it does not know:

    range    blocks and | ends                       known at once    left to the ranges together
    first    a  b  c  |  d  e                        a b c            d e
    second   f  g                                                     f g
    third    h  |  i  j  |                           i j              h, and what c has to be there
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wikisem.dumps.model import Damage, Range, format_location


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """The end of a stream that began before a range: the checksum there, its byte, and the blocks from the range on."""

    checksum: int
    at: int
    blocks: int
    fold: int
    known: bool


@dataclass(frozen=True, slots=True)
class StreamPart:
    """What the ranges of a file have to know of each other: the first end in a range, and the blocks after the last.

    ``fresh`` says that the first of these begins a stream, ``known`` that all of them were decoded.
    """

    path: str
    start: int
    end: StreamEnd | None
    fresh: bool
    blocks: int
    fold: int
    known: bool


class StreamTally:
    """The checksums of the streams of a range, block by block."""

    def __init__(self, range_: Range) -> None:
        self._range = range_
        self._end: StreamEnd | None = None
        self._begin(range_.start == 0)

    def _begin(self, fresh: bool) -> None:
        self._fresh, self._blocks, self._fold, self._known = fresh, 0, 0, True

    def add(self, checksum: int) -> None:
        """Take in the checksum of a block."""
        self._blocks, self._fold = self._blocks + 1, _rotate(self._fold, 1) ^ checksum

    def lose(self) -> None:
        """Something of this stream cannot be decoded, which is told: its checksum would tell it again."""
        self._known = False

    def end(self, checksum: int, at: int) -> Damage | None:
        """The stream has ended, with this checksum at a byte; damage where its blocks have another one."""
        damage = None
        if self._fresh:
            damage = _compare(self._range.path, checksum, at, self._fold, self._known)
        else:
            self._end = StreamEnd(checksum, at, self._blocks, self._fold, self._known)
        self._begin(fresh=True)
        return damage

    def part(self) -> StreamPart:
        """What the other ranges have to know, when this one is over."""
        range_ = self._range
        return StreamPart(range_.path, range_.start, self._end, self._fresh, self._blocks, self._fold, self._known)


def join_streams(parts: Iterable[StreamPart]) -> Iterator[Damage]:
    """The damage of the streams that are in several ranges, from the parts of all ranges of a file, or of several."""
    fold, known = 0, True
    for part in sorted(parts, key=lambda one: (one.path, one.start)):
        if end := part.end:
            seen = _rotate(fold, end.blocks) ^ end.fold
            if damage := _compare(part.path, end.checksum, end.at, seen, known and end.known):
                yield damage
        if part.fresh:  # as the first one of each file is
            fold, known = 0, True
        fold, known = _rotate(fold, part.blocks) ^ part.fold, known and part.known


def _rotate(checksum: int, bits: int) -> int:
    bits %= 32
    return (checksum << bits | checksum >> (32 - bits)) & 0xFFFFFFFF


def _compare(path: str, checksum: int, at: int, seen: int, known: bool) -> Damage | None:
    if not known or seen == checksum:
        return None
    detail = (
        f"expected blocks with the checksum {checksum:08x} of their bzip2 stream, which ends in byte {at} of the file, "
        f"saw {seen:08x}: some are missing, there twice, or out of order"
    )
    return Damage("checksum", format_location(path, at, 0), detail, lost=False)
