"""The marks of a bzip2 file, and decoding one block on its own: in C where that could be compiled, else in Python.

docs/architecture.md tells about the decoder in C, which only accepts what ``bz2`` accepts. The format has no
specification of its own; the facts are those of bzip2 1.0.8, compress.c and decompress.c.
"""

import bz2
from types import ModuleType
from typing import Final, NamedTuple

import numpy as np

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
_HEADER: Final = b"BZh9"
# The first response of a decoder is searched in steps of this many bytes, then byte by byte.
_STEP: Final = 1 << 14


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
    for bit, core in enumerate(_CORES[mark]):
        byte = data.find(core)
        while byte >= 0:
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
        text = decoder.decompress(_HEADER + block[:whole] + tail.to_bytes(10 + (rest > 0), "big"))
    except OSError:
        return None
    return text if decoder.eof and not decoder.unused_data else None


def decode_without_end(data: bytes) -> DecodedBlock | None:
    """Return the block at the beginning of aligned data that goes on after it; None if there is no whole one.

    bzip2 returns nothing before it has read a block to its last bit, and looks at the next mark only then: so the
    shortest prefix of the data for which it returns text ends in the last byte of the block.
    """
    first = _step_of_response(data, 0, _STEP)[0]
    last, has_text = _step_of_response(data, first, 1)
    for length in range(8 * last + 1, 8 * last + 9) if has_text else ():
        text = decode_to(data, length)
        if text is not None:
            return DecodedBlock(text, length)
    return None


def _step_of_response(data: bytes, start: int, step: int) -> tuple[int, bool]:
    """The first step from ``start`` on for which a decoder returns anything, and whether that is text, not an error."""
    decoder = bz2.BZ2Decompressor()
    decoder.decompress(_HEADER + data[:start])
    for offset in range(start, len(data), step):
        try:
            if decoder.decompress(data[offset : offset + step]):
                return offset, True
        except OSError:
            return offset, False
    return len(data), False
