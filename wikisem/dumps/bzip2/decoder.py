"""One bzip2 block, decoded on its own."""

import bz2
from dataclasses import dataclass
from typing import Final

from wikisem.dumps.bzip2.bits import END_MARK

# 900,000 symbols of at most 20 bits, and the tables before them.
BLOCK_LIMIT: Final = 2_300_000
# A block of any level fits the largest.
_HEADER: Final = b"BZh9"
# Where a decoder first returns anything is looked for in steps of so many bytes, then byte by byte.
_STEP: Final = 1 << 14


@dataclass(frozen=True, slots=True)
class DecodedBlock:
    """The text of a block, and how many bits of the file it takes."""

    text: bytes
    bits: int


def decode_to(block: bytes, bits: int) -> bytes | None:
    """The text of an aligned block of exactly ``bits`` bits, its checksum verified; None if it is no such block."""
    decoder = bz2.BZ2Decompressor()
    try:
        text = decoder.decompress(_as_stream(block, bits))
    except OSError:
        return None
    return text if decoder.eof and not decoder.unused_data else None


def _as_stream(block: bytes, bits: int) -> bytes:
    # The footer is the end mark and the checksum of the stream, which for one block is the block's own: the 32 bits
    # after its mark.
    whole, rest = divmod(bits, 8)
    footer = END_MARK << 32 | int.from_bytes(block[6:10], "big")
    last = block[whole] >> (8 - rest) if rest else 0
    tail = (last << 80 | footer) << (-rest % 8)
    return _HEADER + block[:whole] + tail.to_bytes(10 + (rest > 0), "big")


def decode_without_end(data: bytes) -> DecodedBlock | None:
    """The block at the beginning of aligned data that goes on after it; None if there is no whole one.

    bzip2 returns nothing before it has read a block to its last bit, and looks at the next mark only then: so the
    shortest prefix of the data for which it returns text ends in the last byte of the block.
    """
    first = _step_of_response(data, 0, _STEP)[0]
    last, has_text = _step_of_response(data, first, 1)
    for bits in range(8 * last + 1, 8 * last + 9) if has_text else ():
        text = decode_to(data, bits)
        if text is not None:
            return DecodedBlock(text, bits)
    return None


def _step_of_response(data: bytes, start: int, step: int) -> tuple[int, bool]:
    """The first step from ``start`` on for which a decoder returns anything, and whether that is text, not an error."""
    decoder = bz2.BZ2Decompressor()
    decoder.decompress(_HEADER + data[:start])
    for at in range(start, len(data), step):
        try:
            if decoder.decompress(data[at : at + step]):
                return at, True
        except OSError:
            return at, False
    return len(data), False
