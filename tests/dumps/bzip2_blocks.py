"""bzip2 blocks bit by bit, with anything in them: what encoders never write, decoders must bear all the same.

A slow reading of the format's definition, for tests.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

BLOCK_MARK = 0x314159265359
END_MARK = 0x177245385090
RUNA, RUNB = 0, 1
GROUP = 50


def bits_of(value: int, width: int) -> str:
    """A number as so many bits."""
    return f"{value:0{width}b}" if width else ""


def to_bytes(bits: str) -> bytes:
    """Bits as bytes, the last one filled up with zeros."""
    bits += "0" * (-len(bits) % 8)
    return int("1" + bits, 2).to_bytes(len(bits) // 8 + 1, "big")[1:]


def checksum_of(text: bytes) -> int:
    """bzip2's CRC-32, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in text:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (0x04C11DB7 if crc >> 31 else 0)) & 0xFFFFFFFF
    return crc ^ 0xFFFFFFFF


def last_column(text: bytes) -> tuple[bytes, int]:
    """The Burrows-Wheeler transform: the last bytes of the sorted rotations, and the row of the text itself."""
    rows = sorted(range(len(text)), key=lambda start: text[start:] + text[:start])
    return bytes(text[start - 1] for start in rows), rows.index(0)


def first_text(column: bytes, origin: int) -> bytes:
    """The inverse transform of any column, also of one that no text has: as many steps as it has rows."""
    following = sorted(range(len(column)), key=lambda row: column[row])  # a stable sort
    text, row = bytearray(), following[origin]
    for _ in column:
        text.append(column[row])
        row = following[row]
    return bytes(text)


def expand_runs(text: bytes) -> bytes | None:
    """The text without its first run lengths; None if it ends after four equal bytes."""
    out, at = bytearray(), 0
    while at < len(text):
        if text[at : at + 4] == text[at : at + 1] * 4:
            if at + 4 == len(text):
                return None
            out += text[at : at + 4] + text[at : at + 1] * text[at + 4]
            at += 5
        else:
            out.append(text[at])
            at += 1
    return bytes(out)


def symbols_of(column: bytes) -> list[int]:
    """Positions moved to front and run lengths, with the end of the block."""
    order, symbols, run = sorted(set(column)), list[int](), 0
    end = len(order) + 1
    for byte in column:
        position = order.index(byte)
        if position == 0:
            run += 1
            continue
        symbols += [*digits_of(run), position + 1]
        run = 0
        order.insert(0, order.pop(position))
    return [*symbols, *digits_of(run), end]


def digits_of(run: int) -> list[int]:
    """A run length in digits that are worth 1 and 2."""
    digits = []
    while run:
        digits.append(RUNB if run % 2 == 0 else RUNA)
        run = (run - (2 if run % 2 == 0 else 1)) // 2
    return digits


def codes_of(lengths: Sequence[int]) -> dict[int, str]:
    """The canonical code of each symbol; the words of an over-subscribed code are cut off at the top."""
    codes, code, before = {}, 0, 0
    for length, symbol in sorted((length, symbol) for symbol, length in enumerate(lengths)):
        code <<= length - before
        codes[symbol] = bits_of(code % (1 << length), length)
        code, before = code + 1, length
    return codes


def even_lengths(alphabet: int) -> list[int]:
    """Code lengths of a code that has room for so many symbols, all alike."""
    return [max(1, (alphabet - 1).bit_length())] * alphabet


@dataclass
class BlockParts:
    """All that a block holds; ``bits`` writes it."""

    used: list[int]
    symbols: list[int]
    origin: int
    checksum: int
    randomised: int = 0
    tables: list[list[int]] = field(default_factory=list)
    selectors: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tables = self.tables or [even_lengths(len(self.used) + 2)] * 2
        self.selectors = self.selectors or [0] * -(-len(self.symbols) // GROUP)

    def bits(self) -> str:
        """The block from its mark to the end of its last symbol."""
        return "".join([self._head(), *self._selectors(), *map(_table, self.tables), *self._codes()])

    def _head(self) -> str:
        rows = [sum(1 << 15 - low for low in range(16) if 16 * high + low in self.used) for high in range(16)]
        return (
            bits_of(BLOCK_MARK, 48)
            + bits_of(self.checksum, 32)
            + bits_of(self.randomised, 1)
            + bits_of(self.origin, 24)
            + "".join("1" if row else "0" for row in rows)
            + "".join(bits_of(row, 16) for row in rows if row)
            + bits_of(len(self.tables), 3)
            + bits_of(len(self.selectors), 15)
        )

    def _selectors(self) -> list[str]:
        order, out = list(range(6)), []
        for selector in self.selectors:
            position = order.index(selector)
            order.insert(0, order.pop(position))
            out.append("1" * position + "0")
        return out

    def _codes(self) -> list[str]:
        codes = [codes_of(table) for table in self.tables]
        groups = [self.symbols[start : start + GROUP] for start in range(0, len(self.symbols), GROUP)]
        named = self.selectors + self.selectors[-1:] * len(groups)  # there may be too few of them
        return [codes[table][symbol] for table, group in zip(named, groups, strict=False) for symbol in group]


def _table(lengths: Sequence[int]) -> str:
    out, now = [bits_of(lengths[0], 5)], lengths[0]
    for length in lengths:
        out.append(("10" if length > now else "11") * abs(length - now) + "0")
        now = length
    return "".join(out)


def block_of_column(column: bytes, origin: int, text: bytes) -> BlockParts:
    """A block with a column as it is, which claims to hold a text."""
    return BlockParts(sorted(set(column)), symbols_of(column), origin, checksum_of(text))


def stream_of(block: str, checksum: int) -> bytes:
    """A whole file of one block."""
    return b"BZh9" + to_bytes(block + bits_of(END_MARK, 48) + bits_of(checksum, 32))
