"""The blocks of a range of a file that is not compressed."""

from collections.abc import Iterator
from typing import BinaryIO

from wikisem.dumps.lookahead import STEP, Lookahead
from wikisem.dumps.model import Block, Range


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
