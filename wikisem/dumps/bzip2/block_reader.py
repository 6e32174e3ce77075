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

BLOCK_MARK: Final = 0x314159265359
END_MARK: Final = 0x177245385090
MARK_BITS: Final = 48
MARK_BYTES: Final = 6
# For each bit of a byte at which a mark can begin, the bytes that it fills wholly then.
_CORES: Final = {
    mark: [mark.to_bytes(6, "big"), *((mark << (8 - bit)).to_bytes(7, "big")[1:6] for bit in range(1, 8))]
    for mark in (BLOCK_MARK, END_MARK)
}
# 900,000 symbols of at most 20 bits, and the tables before them.
BLOCK_LIMIT: Final = 2_300_000
# What a stream begins with: at the highest level, in which a block of any level fits.
_STREAM_HEADER: Final = b"BZh9"
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
    # The 48 bits (m) of a mark can begin at any bit of a byte. If that is bit 3, they fill five bytes, called its core:
    #     ...mmmmm mmmmmmmm mmmmmmmm mmmmmmmm mmmmmmmm mmmmmmmm mmm.....
    # Cores are searched as bytes; where one is found, all 48 bits are compared. At bit 0 the core is the whole mark.
    for bit, core in enumerate(_CORES[mark]):
        byte = data.find(core)
        while byte >= 0:
            # At other bits, the mark begins in the byte before its core, which may be before the data.
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
    """Return the text of the block in the first ``bits`` bits of ``block``; None if they are not a whole, sound one.

    ``bz2`` only decodes streams. So the block is made into a stream of one block, whose checksum is the block's own:

        header, 4 bytes | block: mark, 48 bits; checksum, 32 bits; ... | end mark, 48 bits | checksum, 32 bits | padding
    """
    whole_bytes, bits_left = divmod(bits, 8)
    footer = END_MARK << 32 | int.from_bytes(block[6:10], "big")  # 80 bits
    # The footer follows the last bit of the block, within a byte: the tail has the bits left, the footer and padding.
    last_bits = block[whole_bytes] >> (8 - bits_left) if bits_left else 0
    tail = (last_bits << 80 | footer) << (-bits_left % 8)
    decoder = bz2.BZ2Decompressor()
    try:
        text = decoder.decompress(_STREAM_HEADER + block[:whole_bytes] + tail.to_bytes(10 + (bits_left > 0), "big"))
    except OSError:
        return None
    return text if decoder.eof and not decoder.unused_data else None


def decode_without_end(data: bytes) -> DecodedBlock | None:
    """Return the block with which data begins, whatever comes after it; None if there is no whole one.

    bzip2 returns nothing before it has read a block to its last bit, and looks at the next mark only then: so the
    shortest prefix of the data for which it returns text ends in the block's last byte. The bit is found by trial.
    """
    near_end = _offset_of_response(data, 0, _RESPONSE)[0]
    last_byte, has_text = _offset_of_response(data, near_end, 1)
    for bits in range(8 * last_byte + 1, 8 * last_byte + 9) if has_text else ():
        text = decode_to(data, bits)
        if text is not None:
            return DecodedBlock(text, bits)
    return None


def _offset_of_response(data: bytes, start: int, step: int) -> tuple[int, bool]:
    """Feed a decoder a block, from byte ``start`` on in steps of ``step`` bytes, until it returns text or fails.

    Return the offset of the step to which it responded, and whether it returned text.
    """
    decoder = bz2.BZ2Decompressor()
    decoder.decompress(_STREAM_HEADER + data[:start])
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
    of 0. So a range that begins inside a stream can say what it makes of a checksum that it does not know:

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
        """Note that a stream ends at a byte of the file with a checksum; return damage if its blocks have another."""
        damage = None
        if self.fresh:  # all its blocks are in this range: ``fold`` is their checksum
            damage = _compare(self.path, checksum, byte, self.fold, self.known)
        else:  # it began in an earlier range: ``join_streams`` has the blocks of all
            self.end = StreamEnd(checksum, byte, self.blocks, self.fold, self.known)
        self.fresh, self.blocks, self.fold, self.known = True, 0, 0, True  # the next block begins a new stream
        return damage


def join_streams(parts: Iterable[StreamPart]) -> Iterator[Damage]:
    """Compare the checksums of bzip2 streams that span several ranges with their blocks; yield damage if they differ.

    ``seen`` is the checksum of the blocks so far of the open stream; n more blocks, with the checksum ``fold`` on their
    own, make ``rotl(seen, n) ^ fold`` of it. ``known`` is false once a block of the stream could not be decoded.
    """
    seen, known = 0, True
    for part in sorted(parts, key=lambda part: (part.path, part.start)):
        if end := part.end:  # the open stream ends in this range
            at_end = _rotate(seen, end.blocks) ^ end.fold
            if damage := _compare(part.path, end.checksum, end.byte, at_end, known and end.known):
                yield damage
        if part.fresh:  # the last stream of this range begins in it; always so in the first range of a file
            seen, known = 0, True
        seen, known = _rotate(seen, part.blocks) ^ part.fold, known and part.known


def _rotate(checksum: int, bits: int) -> int:
    bits %= 32
    return (checksum << bits | checksum >> (32 - bits)) & 0xFFFFFFFF


def _compare(path: str, checksum: int, byte: int, seen: int, known: bool) -> Damage | None:
    """Return damage unless the checksum of a stream is ``seen``, that of its blocks, or that is not ``known``."""
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
    """Yield the bzip2 blocks that begin in the range, then those after it, for as long as the caller asks for more.

    A block begins with a mark of 48 bits, at any bit of the file: ``mark`` and ``following`` are the bits at which two
    neighbouring marks begin. ``on_stream`` gets the checksums of the blocks of the range once these are read.
    """
    blocks = _BlockScanner(range_.path, source, range_.start)
    streams = StreamPart(range_.path, range_.start, fresh=range_.start == 0)
    mark = blocks.mark_from(8 * range_.start)
    inside = True  # whether the mark is in the range
    # A block that begins before the range can reach into it, and have bits that look like marks. So, until a block of
    # the range has been read, a mark without one is damage only after the end of that block.
    may_be_false, end_of_block_before = range_.start > 0, None
    if not may_be_false and (damage := blocks.damage_after(0, mark)):
        streams.known = False
        yield BadRegion(damage, inside)
    while mark is not None:
        if inside and mark // 8 >= range_.stop:  # the blocks from here on only complete the last record
            inside = False
            on_stream(replace(streams))
        block = blocks.read(mark)
        _, checksum = blocks.mark_at(mark)
        following = blocks.mark_from(mark + (block.bits if block else 1))
        if block:
            yield Block(block.text, segment=mark // 8, offset=0, inside=inside)
            may_be_false = False
            # Its checksum is folded into that of its stream, which is compared where the stream ends.
            streams.blocks, streams.fold = streams.blocks + 1, _rotate(streams.fold, 1) ^ checksum
            end = mark + block.bits
            damage = blocks.damage_after(end, following)
            end_mark, expected = blocks.mark_at(end)
            if end_mark == END_MARK and expected >= 0 and (wrong := streams.end_stream(expected, end // 8)):
                yield BadRegion(wrong, inside)
        else:
            if may_be_false:
                if end_of_block_before is None:
                    end_of_block_before = _end_of_block_before(range_, source)
                may_be_false = mark < end_of_block_before
            damage = None if may_be_false else blocks.damage_at(mark, following)
        if damage:
            streams.known = False  # so that the checksum of the stream does not report the same again
            yield BadRegion(damage, inside)
        mark = following
    if inside:
        on_stream(replace(streams))


def _end_of_block_before(range_: Range, source: BinaryIO) -> int:
    """Return the bit of the file at which the last block that begins before a range ends; 0 if there is none."""
    # If it reaches into the range, it begins at most BLOCK_LIMIT bytes before that, the most that a block takes.
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

    What the decoder in C refuses (everything, where it could not be compiled) is decoded by Python's ``bz2``, as a
    stream of one block that ends where the next mark begins. A mark is 48 bits, which can occur inside a block, too.
    """

    def __init__(self, path: str, source: BinaryIO, start: int) -> None:
        self._path, self._ahead = path, Lookahead(source, start, _STEP)
        self._native = native.BlockDecoder() if native else None  # 31 MB, for one thread at a time
        self._retries = Retries()
        self._marks: deque[int] = deque()
        self._scanned = start  # every mark that begins before this byte has been found

    def mark_from(self, bit: int) -> int | None:
        """Return the bit of the first block mark at or after ``bit``, or None; the marks before it are forgotten."""
        while True:
            while self._marks and self._marks[0] < bit:
                self._marks.popleft()
            if self._marks:
                return self._marks[0]
            if not self._scan():
                return None

    def _scan(self) -> bool:
        """Find the marks in the next bytes and queue the bits at which they begin; False at the end of the file."""
        if self._ahead.end - self._scanned <= MARK_BYTES and not self._ahead.fill():
            return False
        data, start = self._ahead.view(self._scanned, self._ahead.end)  # the bytes to scan begin at data[start]
        last = self._marks[-1] if self._marks else -1
        found = (8 * self._scanned + bit for bit in find_marks(data, BLOCK_MARK, start))
        self._marks.extend(mark for mark in found if mark > last)
        # The last bytes may begin a mark that ends in the next ones: they are scanned again with these.
        self._scanned = max(self._scanned, self._ahead.end - MARK_BYTES)
        self._ahead.discard(self._ahead.end - _KEEP)  # so that a file without marks does not fill the memory
        return True

    def read(self, mark: int) -> DecodedBlock | None:
        """Return the block that begins at bit ``mark`` of the file; None if it cannot be decoded."""
        # First by the decoder in C, up to the next mark, where it nearly always ends.
        self._ahead.discard(mark // 8)
        while len(self._marks) < 2 and self._scanned < mark // 8 + BLOCK_LIMIT and self._scan():
            pass
        following = self._marks[1] if len(self._marks) > 1 else None
        if block := self._decode(mark, following):
            return block
        # Then by Python's ``bz2``, which must be told where the block ends: at the next mark, or, if it is the last one
        # of its stream, at the end mark in front of the next mark.
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
        # Last, beyond the next mark, which may be bits of this block that look like one. Else it is damaged.
        if not self._retries.is_worth(mark):
            return None
        block = self._decode(mark, None) or decode_without_end(self._from(mark))
        if block is None:
            self._retries.failed(mark, mark + 8 * BLOCK_LIMIT)
        return block

    def _decode(self, mark: int, following: int | None) -> DecodedBlock | None:
        """Decode the block from bit ``mark`` of the file in C, up to ``following`` if known; None if it is refused."""
        if self._native is None:
            return None
        size = BLOCK_LIMIT if following is None else min(BLOCK_LIMIT, (following + 7) // 8 - mark // 8)
        data, index = self._ahead.view(mark // 8, mark // 8 + size)
        start = 8 * index + mark % 8  # the mark's bit in ``data``
        try:
            text, end = self._native.decode(memoryview(data)[: index + size], start)
        except ValueError:
            return None
        # Only a block whose tables waste bits on purpose is longer; ``decode_without_end`` does not read it, either.
        return DecodedBlock(text, end - start) if end - start < 8 * BLOCK_LIMIT else None

    def _from(self, mark: int) -> bytes:
        return align(self._ahead.slice(mark // 8, mark // 8 + BLOCK_LIMIT), mark % 8)

    def damage_after(self, end: int, following: int | None) -> Damage | None:
        """Return the damage between the ``end`` of a block and the mark ``following`` it, if there is any.

        Both are bits of the file; ``end`` is 0 at its beginning, ``following`` None after the last mark. Between two
        streams there are an end mark of 48 bits, a checksum of 32, bits up to a whole byte, and a header of 4 bytes,
        which are no damage; nor are empty streams, and zeros at the end of the file.
        """
        if end == following:
            return None
        # The end of the stream.
        start = end
        if end:
            mark, checksum = self.mark_at(end)
            if mark != END_MARK:
                return self._damage_between("undecodable" if following else "truncated", end, following)
            start = end + MARK_BITS + _CHECKSUM_BITS + (-end % 8)
            if checksum < 0:
                detail = f"expected the checksum of a bzip2 stream after byte {end // 8} of the file, saw its end"
                return Damage("truncated", format_location(self._path, end // 8, 0), detail, lost=False)
        # Empty streams, then a header before the next mark, or zeros at the end of the file; here in whole bytes.
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

    def damage_at(self, mark: int, following: int | None) -> Damage:
        """Return the damage to report for a block that cannot be decoded."""
        truncated = following is None and not find_marks(self._from(mark), END_MARK)
        return self._damage_between("truncated" if truncated else "undecodable", mark, following)

    def _damage_between(self, reason: str, start: int, stop: int | None) -> Damage:
        until = "its end" if stop is None else f"byte {(stop + 7) // 8}"
        detail = f"expected bzip2 blocks, saw none that can be decoded from byte {start // 8} of the file to {until}"
        lost = reason != "garbage" if stop is None else stop - start >= 8 * _SMALLEST
        return Damage(reason, format_location(self._path, start // 8, 0), detail, lost)
