"""The values that the reading of ranges passes around."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

Form = Literal["plain", "gzip", "bzip2", "zstd"]
Opener = Callable[[str], BinaryIO]


@dataclass(frozen=True, slots=True)
class Range:
    """Bytes ``start`` to ``stop`` (not included) of a file in one of the forms that dumps come in.

    A compressed range holds the units (bzip2 blocks, gzip members, zstd frames) whose first byte lies inside it.
    """

    path: str
    form: Form
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole records, delimiters included, and where they stand.

    ``unit`` is the byte offset in the file of the bzip2 block, gzip member or zstd frame in which the first record
    begins (0 in plain files), ``offset`` the place of that record in the text from there on.
    """

    data: bytes
    path: str
    unit: int
    offset: int

    @property
    def where(self) -> str:
        """The place of the first record, see ``place``."""
        return self.place(0)

    def place(self, position: int) -> str:
        """The place of ``data[position]``: ``path:offset``, or ``path:unit+offset`` where the file is compressed."""
        return place(self.path, self.unit, self.offset + position)


@dataclass(frozen=True, slots=True)
class Damage:
    """A part of a file that could not be decoded, or the piece of a record that such a part tore off.

    ``lost`` tells whether text may be missing here; it is false where only a checksum or a file's end is wrong.
    """

    reason: str
    where: str
    detail: str
    lost: bool = True


@dataclass(frozen=True, slots=True)
class Piece:
    """Decoded text from one unit; ``inside`` is false for text behind the range, read to finish its last record."""

    data: bytes
    unit: int
    offset: int
    inside: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """Damage among the pieces; ``inside`` is false where it lies behind the range, which leaves it to others."""

    damage: Damage
    inside: bool


def place(path: str, unit: int, offset: int) -> str:
    """``path:offset``, or ``path:unit+offset`` for text that is not at the beginning of its file."""
    return f"{path}:{unit}+{offset}" if unit else f"{path}:{offset}"


def open_plain(path: str) -> BinaryIO:
    """A local file, the opener that is used where none is given."""
    return Path(path).open("rb")
