"""Text files that people keep: their encoding, their lines, and whether they hold JSON lines or plain text."""

import bz2
import gzip
import re
import zlib
from collections.abc import Iterator, Mapping
from io import BufferedIOBase
from pathlib import Path, PurePath
from typing import Final

from wikisem.errors import DamagedInputError

# What the decoders of gzip and bzip2 raise where a file is damaged.
UNPACKING_ERRORS: Final = (OSError, EOFError, zlib.error)

_MAGIC: Final[Mapping[str, bytes]] = {".gz": b"\x1f\x8b", ".bz2": b"BZh"}


def read_utf8(file: Path) -> str:
    """The text of a UTF-8 file, a byte order mark dropped; DamagedInputError names the first line that is no UTF-8."""
    return decode_utf8(file.read_bytes(), str(file))


def decode_utf8(data: bytes, where: str) -> str:
    """The text of UTF-8 bytes, a byte order mark dropped; DamagedInputError names the first line that is no UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DamagedInputError(f"{where}:{line}: expected UTF-8, saw {error}") from error


def compression(file: Path) -> str:
    """The suffix of the compression that a file has by its first bytes: ".gz", ".bz2", or "" for none."""
    with file.open("rb") as stream:
        start = stream.read(3)
    return next((suffix for suffix, magic in _MAGIC.items() if start.startswith(magic)), "")


def open_unpacked(file: Path) -> BufferedIOBase:
    """The bytes of a file, unpacked if it is .gz or .bz2, whatever it is called.

    Reading a damaged file raises one of UNPACKING_ERRORS.
    """
    packed = compression(file)
    if packed == ".gz":
        return gzip.open(file)
    return bz2.open(file) if packed else file.open("rb")


def is_json_lines(file: PurePath, text: str) -> bool:
    """Whether a file holds JSON lines: its name ends in .jsonl, or its text begins with a brace."""
    return file.suffix == ".jsonl" or text.lstrip().startswith("{")


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines stripped of white space at both ends, counted from 1; only \\n and \\r\\n end one, as in JSON lines."""
    return enumerate((line.strip() for line in re.split(r"\r?\n", text)), start=1)
