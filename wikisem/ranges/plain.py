"""Pieces of a file that is not compressed."""

from collections.abc import Iterator
from typing import BinaryIO

from wikisem.ranges.model import Piece, Range
from wikisem.ranges.tape import STEP, Tape


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
