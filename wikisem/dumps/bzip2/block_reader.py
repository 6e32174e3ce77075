"""Reading the blocks of a range of a bzip2 file, of one stream or many, and checking that each stream is complete.

docs/architecture.md tells about the decoder in C, which only accepts what ``bz2`` accepts. The format has no
specification of its own; the facts are those of bzip2 1.0.8, compress.c and decompress.c.
"""

import bz2
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from types import ModuleType
from typing import BinaryIO, Final, NamedTuple

import numpy as np

from wikisem.dumps.model import STEP, BadRegion, Block, Damage, Lookahead, Range, Retries, format_location

# Marks, and decoding one block on its own: in C where that could be compiled, else in Python.

BLOCK_MARK: Final = 0x314159265359
END_MARK: Final = 0x177245385090
MARK_BITS: Final = 48
MARK_BYTES: Final = 6
# For each bit offset in a byte, the bytes that the mark fills wholly there.
_CORES: Final = {
    mark: [mark.to_bytes(6, "big"), *((mark << (8 - bit)).to_bytes(7, "big")[1:6] for bit in range(1, 8))]
    for mark in (BLOCK_MARK, END_MARK)
}
# 900,000 symbols of at most 20 bits, and the tables before them.
BLOCK_LIMIT: Final = 2_300_000
# A block of any level fits the largest.
_LARGEST: Final = b"BZh9"
# The first response of a decoder is searched in steps of this many bytes, then byte by byte.
_RESPONSE: Final = 1 << 14


class DecodedBlock(NamedTuple):
    """The text of a block, and how many bits of the file it takes."""

    text: bytes
    bits: int


try:
    from wikisem.dumps.bzip2 import _native
except ImportError:  # there was no compiler where wikisem was installed
    native: ModuleType | None = None
else:
    native = _native


def decoder_name() -> str:
    """Return the name, for people, of what decodes bzip2 here."""
    if native is None:
        return "Python's bz2, for wikisem was installed without a C compiler"
    return f"wikisem's decoder in C ({native.BlockDecoder().instructions})"


def find_marks(data: bytes, mark: int, start: int = 0) -> list[int]:
    """Return the bit offsets from byte ``start`` of ``data`` on at which a mark is, in ascending order."""
    if native is None:
        return find_marks_in_python(data[start:], mark)
    return native.find_marks(memoryview(data)[start:], mark)


def find_marks_in_python(data: bytes, mark: int) -> list[int]:
    """Return the bit offsets in ``data`` at which a mark begins, in ascending order."""
    found = []
    # A mark from bit b of a byte on has the whole bytes ``_CORES[mark][b]``: where these are, all bits are compared.
    for bit, core in enumerate(_CORES[mark]):
        byte = data.find(core)
        while byte >= 0:
            # Unless the mark begins with a whole byte, it begins in the byte before, which may be before the data.
            start = 8 * byte if bit == 0 else 8 * (byte - 1) + bit
            if start >= 0 and bits_at(data, start) == mark:
                found.append(start)
            byte = data.find(core, byte + 1)
    return sorted(found)


def bits_at(data: bytes, start: int, width: int = MARK_BITS) -> int:
    """Return the bits from bit ``start`` on, as a number; -1 where fewer than ``width`` are left."""
    first, bit = divmod(start, 8)
    size = (bit + width + 7) // 8
    if start + width > 8 * len(data):
        return -1
    return int.from_bytes(data[first : first + size], "big") >> (8 * size - bit - width) & ((1 << width) - 1)


def align(data: bytes, bit: int) -> bytes:
    """Return the data without its first ``bit`` bits (0 to 7); zero bits fill up the last byte."""
    if bit == 0:
        return data
    words = np.frombuffer(data, dtype=np.uint8)
    moved = words << bit
    moved[:-1] |= words[1:] >> (8 - bit)
    return moved.tobytes()


def decode_to(block: bytes, bits: int) -> bytes | None:
    """The text of an aligned block of exactly ``bits`` bits, its checksum verified; None if it is not such a block."""
    # As a stream: a footer follows the block, the end mark and the checksum of the stream, which for one block is the
    # block's own: the 32 bits after its mark.
    whole, rest = divmod(bits, 8)
    footer = END_MARK << 32 | int.from_bytes(block[6:10], "big")
    last = block[whole] >> (8 - rest) if rest else 0
    tail = (last << 80 | footer) << (-rest % 8)
    decoder = bz2.BZ2Decompressor()
    try:
        text = decoder.decompress(_LARGEST + block[:whole] + tail.to_bytes(10 + (rest > 0), "big"))
    except OSError:
        return None
    return text if decoder.eof and not decoder.unused_data else None


def decode_without_end(data: bytes) -> DecodedBlock | None:
    """Return the block at the beginning of aligned data that goes on after it; None if there is no whole one.

    bzip2 returns nothing before it has read a block to its last bit, and looks at the next mark only then: so the
    shortest prefix of the data for which it returns text ends in the last byte of the block.
    """
    first = _step_of_response(data, 0, _RESPONSE)[0]
    last, has_text = _step_of_response(data, first, 1)
    for length in range(8 * last + 1, 8 * last + 9) if has_text else ():
        text = decode_to(data, length)
        if text is not None:
            return DecodedBlock(text, length)
    return None


def _step_of_response(data: bytes, start: int, step: int) -> tuple[int, bool]:
    """The first step from ``start`` on for which a decoder returns anything, and whether that is text, not an error."""
    decoder = bz2.BZ2Decompressor()
    decoder.decompress(_LARGEST + data[:start])
    for offset in range(start, len(data), step):
        try:
            if decoder.decompress(data[offset : offset + step]):
                return offset, True
        except OSError:
            return offset, False
    return len(data), False


HEADER: Final = re.compile(rb"BZh[1-9]")

# What is between the blocks of two neighbouring streams: the end mark, a checksum, bits up to a whole byte, a header.
_BORDER_BYTES: Final = 6 + 4 + 1 + 4
_EMPTY_STREAMS: Final = re.compile(rb"(?:BZh[1-9]\x17\x72\x45\x38\x50\x90\0\0\0\0)+")
_CHECKSUM_BITS: Final = 32
# How much of the compressed file is kept in memory where there are no marks: more than a block.
_KEEP: Final = 6 << 20
# Bytes per read: each read copies all that is in hand.
_STEP: Final = 2 << 20
# The bytes of the smallest block: mark, checksum and the tables that even one symbol needs.
_SMALLEST: Final = 34


class StreamEnd(NamedTuple):
    """The end of a stream that began before a range: the checksum there, its byte, and the blocks from the range on."""

    checksum: int
    byte: int
    blocks: int
    fold: int
    known: bool


@dataclass(slots=True)
class StreamPart:
    """The checksums of the streams of a range, which show if a block is missing, comes twice, or is out of place.

    The ranges of a file need to know of each other the first ``end`` in a range, and the blocks after the last.
    ``fresh`` says that the first of these begins a stream, ``known`` that all of them were decoded.

    A stream ends with the checksum c of those of its blocks: from 0 on, ``c = rotl(c, 1) ^ block`` for each (bzip2
    1.0.8, decompress.c). That is linear: n blocks make ``rotl(c, n) ^ fold`` of any c, where ``fold`` is what they make
    of 0. So a range that begins inside a stream can say what it does to a checksum that it does not know:

        range    blocks and | ends                       known at once    left to the ranges together
        first    a  b  c  |  d  e                        a b c            d e
        second   f  g                                                     f g
        third    h  |  i  j  |                           i j              h, and what c has to be there
    """

    path: str
    start: int
    fresh: bool
    blocks: int = 0
    fold: int = 0
    known: bool = True
    end: StreamEnd | None = None

    def end_stream(self, checksum: int, byte: int) -> Damage | None:
        """End the stream, whose checksum at byte ``byte`` is this; return damage if its blocks have another one."""
        damage = None
        if self.fresh:
            damage = _compare(self.path, checksum, byte, self.fold, self.known)
        else:
            self.end = StreamEnd(checksum, byte, self.blocks, self.fold, self.known)
        self.fresh, self.blocks, self.fold, self.known = True, 0, 0, True
        return damage


def join_streams(parts: Iterable[StreamPart]) -> Iterator[Damage]:
    """Check the streams that several ranges share by their checksums, from the parts of all ranges of some files."""
    fold, known = 0, True
    for part in sorted(parts, key=lambda part: (part.path, part.start)):
        if end := part.end:
            seen = _rotate(fold, end.blocks) ^ end.fold
            if damage := _compare(part.path, end.checksum, end.byte, seen, known and end.known):
                yield damage
        if part.fresh:  # as the first one of each file is
            fold, known = 0, True
        fold, known = _rotate(fold, part.blocks) ^ part.fold, known and part.known


def _rotate(checksum: int, bits: int) -> int:
    bits %= 32
    return (checksum << bits | checksum >> (32 - bits)) & 0xFFFFFFFF


def _compare(path: str, checksum: int, byte: int, seen: int, known: bool) -> Damage | None:
    """Return damage if the checksum of a stream is known and is not that of its blocks."""
    if not known or seen == checksum:
        return None
    detail = (
        f"expected blocks with the checksum {checksum:08x} of their bzip2 stream, which ends in byte {byte} of the "
        f"file, saw {seen:08x}: some are missing, there twice, or out of order"
    )
    return Damage("checksum", format_location(path, byte, 0), detail, lost=False)


def read_blocks(
    range_: Range, source: BinaryIO, on_stream: Callable[[StreamPart], object] = lambda _: None
) -> Iterator[Block | BadRegion]:
    """Yield the blocks that begin in the range, then those after it, for as long as the caller asks for more.

    Streams may have any level. A block begins with a mark, at any bit of the file: ``mark`` and ``following`` are the
    bits of two marks that follow each other. ``on_stream`` is called with the part of the range in its streams once
    its own blocks are read.
    """
    blocks = _BlockScanner(range_.path, source, range_.start)
    streams = StreamPart(range_.path, range_.start, fresh=range_.start == 0)
    mark = blocks.mark_from(8 * range_.start)
    # The first marks of a range may be bits of a block that begins before it, and no marks at all: until one block has
    # been read, a mark without one is damage only if it is not in front of the end of that block.
    inside, may_be_false, end_before = True, range_.start > 0, None
    if not may_be_false and (damage := blocks.border(0, mark)):
        streams.known = False
        yield BadRegion(damage, inside)
    while mark is not None:
        if inside and mark // 8 >= range_.stop:
            inside = False
            on_stream(replace(streams))
        block = blocks.read(mark)
        _, checksum = blocks.mark_at(mark)
        following = blocks.mark_from(mark + (block.bits if block else 1))
        if block:
            yield Block(block.text, segment=mark // 8, offset=0, inside=inside)
            may_be_false = False
            streams.blocks, streams.fold = streams.blocks + 1, _rotate(streams.fold, 1) ^ checksum
            end = mark + block.bits
            damage = blocks.border(end, following)
            end_mark, of_stream = blocks.mark_at(end)
            if end_mark == END_MARK and of_stream >= 0 and (wrong := streams.end_stream(of_stream, end // 8)):
                yield BadRegion(wrong, inside)
        else:
            if may_be_false:
                end_before = _end_of_block_before(range_, source) if end_before is None else end_before
                may_be_false = mark < end_before
            damage = None if may_be_false else blocks.damage(mark, following)
        if damage:
            streams.known = False  # so that the checksum of the stream does not report it again
            yield BadRegion(damage, inside)
        mark = following
    if inside:
        on_stream(replace(streams))


def _end_of_block_before(range_: Range, source: BinaryIO) -> int:
    """The bit where the last block in front of a range ends, which may be inside the range; 0 if there is none."""
    start = max(0, range_.start - BLOCK_LIMIT)
    blocks = _BlockScanner(range_.path, source, start)
    mark, end = blocks.mark_from(8 * start), 0
    while mark is not None and mark < 8 * range_.start:
        block = blocks.read(mark)
        end = mark + block.bits if block else end
        mark = blocks.mark_from(end if block else mark + 1)
    return end


class _BlockScanner:
    """The marks of a file from some byte on, and the blocks at them; positions are bits of the file.

    A block begins at its mark, and the decoder in C reads it from there and finds its end. What that refuses
    (everything, where it could not be compiled) is decoded by Python's ``bz2``, as a stream of one block that ends
    where the next mark begins. The marks are 48 bits and can occur by chance inside a block. A block that does not end
    at the next mark is decoded again without knowing its end: either that finds its real end, or the block is damaged.
    """

    def __init__(self, path: str, source: BinaryIO, start: int) -> None:
        self._path, self._ahead = path, Lookahead(source, start, _STEP)
        self._native = native.BlockDecoder() if native else None  # 31 MB, for one thread at a time
        self._retries = Retries()
        self._marks: deque[int] = deque()
        self._scanned = start  # every mark that begins before this byte has been found

    def mark_from(self, bit: int) -> int | None:
        """Return the first block mark at or after a bit; the marks before it are forgotten."""
        while True:
            while self._marks and self._marks[0] < bit:
                self._marks.popleft()
            if self._marks:
                return self._marks[0]
            if not self._scan():
                return None

    def _scan(self) -> bool:
        """Find the marks in the next bytes; False at the end of the file."""
        if self._ahead.end - self._scanned <= MARK_BYTES and not self._ahead.fill():
            return False
        data, first = self._ahead.view(self._scanned, self._ahead.end)
        last = self._marks[-1] if self._marks else -1
        found = (8 * self._scanned + bit for bit in find_marks(data, BLOCK_MARK, first))
        self._marks.extend(mark for mark in found if mark > last)
        # The last bytes may begin a mark that ends in the next ones.
        self._scanned = max(self._scanned, self._ahead.end - MARK_BYTES)
        self._ahead.discard(self._ahead.end - _KEEP)
        return True

    def read(self, mark: int) -> DecodedBlock | None:
        """Return the block at a mark, or None where it cannot be decoded.

        First up to the next mark, which nearly always is the end of the block; only then beyond that mark.
        """
        self._ahead.discard(mark // 8)
        while len(self._marks) < 2 and self._scanned < mark // 8 + BLOCK_LIMIT and self._scan():
            pass
        following = self._marks[1] if len(self._marks) > 1 else None
        if block := self._decode(mark, following):
            return block
        # Python's ``bz2`` must know where the block ends: at the next mark, or at an end mark before it.
        if following is None:
            ends = [mark + bit for bit in find_marks(self._from(mark), END_MARK)[:1]]
        elif following % 8:  # the first mark of a stream begins with a whole byte: this one is in the same stream
            ends = [following]
        else:
            start = max(mark // 8, following // 8 - _BORDER_BYTES)
            border = self._ahead.slice(start, following // 8)
            ends = [*(8 * start + bit for bit in find_marks(border, END_MARK)), following]
        for end in ends:
            text = decode_to(align(self._ahead.slice(mark // 8, (end + 7) // 8), mark % 8), end - mark)
            if text is not None:
                return DecodedBlock(text, end - mark)
        if not self._retries.is_worth(mark):
            return None
        block = self._decode(mark, None) or decode_without_end(self._from(mark))
        if block is None:
            self._retries.failed(mark, mark + 8 * BLOCK_LIMIT)
        return block

    def _decode(self, mark: int, following: int | None) -> DecodedBlock | None:
        """Decode in C, up to the next mark if it is known; None where ``bz2`` has to be asked."""
        if self._native is None:
            return None
        size = BLOCK_LIMIT if following is None else min(BLOCK_LIMIT, (following + 7) // 8 - mark // 8)
        data, first = self._ahead.view(mark // 8, mark // 8 + size)
        start = 8 * first + mark % 8
        try:
            text, end = self._native.decode(memoryview(data)[: first + size], start)
        except ValueError:
            return None
        # A longer block has code lengths that go up and down without need; ``decode_without_end`` has the same limit.
        return DecodedBlock(text, end - start) if end - start < 8 * BLOCK_LIMIT else None

    def _from(self, mark: int) -> bytes:
        return align(self._ahead.slice(mark // 8, mark // 8 + BLOCK_LIMIT), mark % 8)

    def border(self, end: int, following: int | None) -> Damage | None:
        """The damage between the end of a block (or the beginning of the file) and the next mark, if there is any."""
        if end == following:
            return None
        start = end
        if end:
            mark, checksum = self.mark_at(end)
            if mark != END_MARK:
                return self._damage_between("undecodable" if following else "truncated", end, following)
            start = end + MARK_BITS + _CHECKSUM_BITS + (-end % 8)
            if checksum < 0:
                detail = f"expected the checksum of a bzip2 stream after byte {end // 8} of the file, saw its end"
                return Damage("truncated", format_location(self._path, end // 8, 0), detail, lost=False)
        # Anything is foreign but empty streams, then a header before the mark, or zeros at the end.
        start, stop = start // 8, sys.maxsize if following is None else (following + 7) // 8
        while streams := _EMPTY_STREAMS.match(self._ahead.slice(start, min(stop, start + STEP))):
            start += streams.end()
        if following is not None:
            is_header = HEADER.fullmatch(self._ahead.slice(start, min(stop, start + 5)))
            return None if is_header else self._damage_between("garbage", 8 * start, following)
        while zeros := self._ahead.slice(start, start + STEP):
            if rest := zeros.lstrip(b"\0"):
                return self._damage_between("garbage", 8 * (start + len(zeros) - len(rest)), following)
            start += len(zeros)
        return None

    def mark_at(self, bit: int) -> tuple[int, int]:
        """Return the mark at a bit, and the checksum of its block or stream; -1 for what the file ends before."""
        data = self._ahead.slice(bit // 8, (bit + MARK_BITS + _CHECKSUM_BITS + 7) // 8)
        return bits_at(data, bit % 8), bits_at(data, bit % 8 + MARK_BITS, _CHECKSUM_BITS)

    def damage(self, mark: int, following: int | None) -> Damage:
        """Return the damage to report for a block that cannot be decoded."""
        truncated = following is None and not find_marks(self._from(mark), END_MARK)
        return self._damage_between("truncated" if truncated else "undecodable", mark, following)

    def _damage_between(self, reason: str, start: int, stop: int | None) -> Damage:
        until = "its end" if stop is None else f"byte {(stop + 7) // 8}"
        detail = f"expected bzip2 blocks, saw none that can be decoded from byte {start // 8} of the file to {until}"
        lost = reason != "garbage" if stop is None else stop - start >= 8 * _SMALLEST
        return Damage(reason, format_location(self._path, start // 8, 0), detail, lost)
