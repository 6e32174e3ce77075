"""Text files that people keep: their encoding, their lines, and whether they hold JSON lines or plain text."""

import bz2
import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedIOBase
from itertools import count
from pathlib import Path, PurePath
from typing import Final

from wikisem.errors import DamagedInputError

# What the decoders of gzip and bzip2 raise where a file is damaged.
UNPACKING_ERRORS: Final = (OSError, EOFError, zlib.error)

_FORMULA: Final = re.compile(r"(^|[;,\t\r\n|])(?=\s*[=+\-@＝＋－＠])")
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


def lines_of(stream: BufferedIOBase, name: str, longest: int = 1 << 20, first: int = 1) -> Iterator[tuple[int, bytes]]:
    """The lines of a stream with their line feeds, counted from ``first``; DamagedInputError for one that is longer.

    So what has no end, or unpacks to far more than it is, is not gathered in memory.
    """
    for number in count(first):
        line = stream.readline(longest)
        if not line:
            return
        if len(line) == longest and not line.endswith(b"\n"):
            raise DamagedInputError(f"{name}:{number}: expected a line of at most {longest:,} bytes, saw a longer one")
        yield number, line


def csv_rows(text: str, where: str, delimiter: str = ",") -> tuple[list[str], Iterator[tuple[int, dict[str, str]]]]:
    """The columns of CSV with a header, and each row with the number of its last line; cells that lack are empty.

    DamagedInputError for what no reader of CSV takes.
    """
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restval="")

    def rows() -> Iterator[tuple[int, dict[str, str]]]:
        with _csv(reader, where):
            for row in reader:
                row.pop(None, None)  # cells beyond the header
                yield reader.line_num, row

    with _csv(reader, where):
        columns = list(reader.fieldnames or [])
    return columns, rows()


@contextmanager
def _csv(reader: "csv.DictReader[str]", where: str) -> Iterator[None]:
    try:
        yield
    except csv.Error as error:
        raise DamagedInputError(f"{where}:{reader.line_num}: expected CSV, saw {error}") from error


def csv_cell(text: str) -> str:
    """A string as a cell that no spreadsheet program takes for a formula: an apostrophe comes before what begins one.

    So it does after what such a program may take for the end of a cell, in whichever language it runs (OWASP, "CSV
    Injection", read 2026-11).

    >>> [csv_cell(text) for text in ("=1+1", "a; =1+1", "-5", "a-b")]
    ["'=1+1", "a;' =1+1", "'-5", 'a-b']
    """
    return _FORMULA.sub("\\1'", text)


def is_json_lines(file: PurePath, text: str) -> bool:
    """Whether a file holds JSON lines: its name ends in .jsonl, or its text begins with a brace."""
    return file.suffix == ".jsonl" or text.lstrip().startswith("{")


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines stripped of white space at both ends, counted from 1; only \\n and \\r\\n end one, as in JSON lines."""
    return enumerate((line.strip() for line in re.split(r"\r?\n", text)), start=1)
