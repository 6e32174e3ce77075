"""Bits of a bzip2 file: finding its marks at any bit offset, and moving blocks to byte borders.

The format has no specification of its own; the facts are those of bzip2 1.0.8, compress.c and decompress.c.
"""

from typing import Final

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


def find_marks(data: bytes, mark: int) -> list[int]:
    """The bit offsets in ``data`` at which a mark begins, in ascending order."""
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
    """The bits from bit ``start`` on, as a number; -1 where fewer than ``width`` are left."""
    first, bit = divmod(start, 8)
    size = (bit + width + 7) // 8
    if start + width > 8 * len(data):
        return -1
    return int.from_bytes(data[first : first + size], "big") >> (8 * size - bit - width) & ((1 << width) - 1)


def align(data: bytes, bit: int) -> bytes:
    """The data without its first ``bit`` bits (0 to 7); zero bits fill up the last byte."""
    if bit == 0:
        return data
    words = np.frombuffer(data, dtype=np.uint8)
    moved = words << bit
    moved[:-1] |= words[1:] >> (8 - bit)
    return moved.tobytes()
