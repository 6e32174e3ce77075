"""The decoded blocks of a range of a bzip2 file: one stream or many, any level, blocks at any bit offset.

A block begins at its mark, and the decoder in C reads it from there and finds its end. What that refuses (everything,
where it could not be compiled) is decoded by Python's ``bz2``, as a stream of one block that ends where the next mark
begins. The marks are 48 bits and can occur by chance inside a block. A block that does not end at the next mark is
decoded again without knowing its end: either that finds its real end, or the block is damaged.
"""

import re
from collections import deque
from collections.abc import Iterator
from typing import BinaryIO, Final

from wikisem.dumps.bzip2.bits import BLOCK_MARK, END_MARK, MARK_BYTES, align, bits_at
from wikisem.dumps.bzip2.decoder import BLOCK_LIMIT, DecodedBlock, decode_to, decode_without_end
from wikisem.dumps.bzip2.native_decoder import NativeDecoder, find_marks
from wikisem.dumps.lookahead import STEP, Lookahead
from wikisem.dumps.model import BadRegion, Block, Damage, Range, format_location

HEADER: Final = re.compile(rb"BZh[1-9]")
# What is between the blocks of two neighbouring streams: the end mark, a checksum, bits up to a whole byte, a header.
_BORDER_BYTES: Final = 6 + 4 + 1 + 4
_EMPTY_STREAMS: Final = rb"(?:BZh[1-9]\x17\x72\x45\x38\x50\x90\0\0\0\0)*"
_BEFORE_BLOCK: Final = re.compile(_EMPTY_STREAMS + rb"BZh[1-9]")
_BEFORE_END: Final = re.compile(_EMPTY_STREAMS + rb"\0*")
# How much of the compressed file is kept in memory where there are no marks: more than a block.
_KEEP: Final = 6 << 20
# So much is read at a time: each reading copies what is in hand.
_STEP: Final = 2 << 20
# Fewer bytes cannot hold a block: mark, checksum and the tables that even one symbol needs.
_SMALLEST: Final = 34


def read_blocks(range_: Range, source: BinaryIO) -> Iterator[Block | BadRegion]:
    """The blocks that begin in the range, then those after it, for as long as the caller asks for more."""
    blocks = _BlockScanner(range_.path, source, range_.start)
    mark = blocks.mark_from(8 * range_.start)
    first = range_.start > 0
    if not first and (damage := blocks.border(0, mark)):
        yield BadRegion(damage, inside=True)
    while mark is not None:
        inside = mark // 8 < range_.stop
        block = blocks.read(mark)
        following = blocks.mark_from(mark + (block.bits if block else 1))
        if block:
            yield Block(block.text, mark // 8, 0, inside)
            damage = blocks.border(mark + block.bits, following)
        else:
            damage = None if first and _is_false(range_, source, mark) else blocks.damage(mark, following)
        if damage:
            yield BadRegion(damage, inside)
        mark, first = following, False


def _is_false(range_: Range, source: BinaryIO, mark: int) -> bool:
    """Whether the first mark of a range is inside a block that begins before the range, so that it is no mark."""
    start = max(0, range_.start - BLOCK_LIMIT)
    blocks = _BlockScanner(range_.path, source, start)
    before = None
    following = blocks.mark_from(8 * start)
    while following is not None and following < mark:
        before, following = following, blocks.mark_from(following + 1)
    block = blocks.read(before) if before is not None else None
    return block is not None and before is not None and before + block.bits > mark


class _BlockScanner:
    """The marks of a file from some byte on, and the blocks at them; positions are bits of the file."""

    def __init__(self, path: str, source: BinaryIO, start: int) -> None:
        self._path, self._ahead = path, Lookahead(source, start, _STEP)
        self._decoder = NativeDecoder()
        self._marks: deque[int] = deque()
        self._scanned = start  # every mark that begins before this byte has been found

    def mark_from(self, bit: int) -> int | None:
        """The first block mark at or after a bit; the marks before it are forgotten."""
        while True:
            while self._marks and self._marks[0] < bit:
                self._marks.popleft()
            if self._marks:
                return self._marks[0]
            if not self._scan():
                return None

    def _scan(self) -> bool:
        if self._ahead.end - self._scanned <= MARK_BYTES and not self._ahead.fill():
            return False
        data, at = self._ahead.view(self._scanned, self._ahead.end)
        last = self._marks[-1] if self._marks else -1
        found = (8 * self._scanned + bit for bit in find_marks(data, BLOCK_MARK, at))
        self._marks.extend(mark for mark in found if mark > last)
        self._scanned = max(self._scanned, self._ahead.end - MARK_BYTES)
        self._ahead.release(self._ahead.end - _KEEP)
        return True

    def read(self, mark: int) -> DecodedBlock | None:
        """The block at a mark, or None where it cannot be decoded."""
        self._ahead.release(mark // 8)
        data, at = self._ahead.view(mark // 8, mark // 8 + BLOCK_LIMIT)
        return self._decoder.decode(data, 8 * at + mark % 8) or self._read_slowly(mark)

    def _read_slowly(self, mark: int) -> DecodedBlock | None:
        """The same with Python's ``bz2``, which reads whole streams only."""
        for end in self._ends(mark, self._second_mark()):
            data = self._ahead.slice(mark // 8, (end + 7) // 8)
            text = decode_to(align(data, mark % 8), end - mark)
            if text is not None:
                return DecodedBlock(text, end - mark)
        return decode_without_end(self._from(mark))

    def _second_mark(self) -> int | None:
        while len(self._marks) < 2 and self._scan():
            pass
        return self._marks[1] if len(self._marks) > 1 else None

    def _ends(self, mark: int, following: int | None) -> list[int]:
        """Where the block at a mark probably ends: at the next mark, or at an end mark right before that."""
        if following is None:
            return [mark + bit for bit in find_marks(self._from(mark), END_MARK)]
        if following % 8:
            return [following]
        start = max(mark // 8, following // 8 - _BORDER_BYTES)
        border = self._ahead.slice(start, following // 8)
        return [*(8 * start + bit for bit in find_marks(border, END_MARK)), following]

    def _from(self, mark: int) -> bytes:
        return align(self._ahead.slice(mark // 8, mark // 8 + BLOCK_LIMIT), mark % 8)

    def border(self, end: int, following: int | None) -> Damage | None:
        """The damage between the end of a block (or the beginning of the file) and the next mark, if there is any."""
        if end == following:
            return None
        start = end
        if end:
            if bits_at(self._ahead.slice(end // 8, end // 8 + 8), end % 8) != END_MARK:
                return self._damage_between("undecodable" if following else "truncated", end, following)
            start = end + 80 + (-end % 8)
        stop = start // 8 + STEP if following is None else (following + 7) // 8
        between = self._ahead.slice(start // 8, stop)
        expected = _BEFORE_END if following is None else _BEFORE_BLOCK
        return None if expected.fullmatch(between) else self._damage_between("garbage", start, following)

    def damage(self, mark: int, following: int | None) -> Damage:
        """The damage to report for a block that cannot be decoded."""
        truncated = following is None and not find_marks(self._from(mark), END_MARK)
        return self._damage_between("truncated" if truncated else "undecodable", mark, following)

    def _damage_between(self, reason: str, start: int, stop: int | None) -> Damage:
        until = "its end" if stop is None else f"byte {(stop + 7) // 8}"
        detail = f"expected bzip2 blocks, saw none that can be decoded from byte {start // 8} of the file to {until}"
        lost = reason != "garbage" if stop is None else stop - start >= 8 * _SMALLEST
        return Damage(reason, format_location(self._path, start // 8, 0), detail, lost)
