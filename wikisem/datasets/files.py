"""The files that a data set consists of, and how their bytes become text, lines and rows."""

import bz2
import csv
import gzip
import hashlib
import io
import lzma
import os
import re
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from io import BufferedIOBase
from itertools import count
from pathlib import Path, PurePath, PurePosixPath
from typing import Final
from urllib.parse import urlsplit

import msgspec

from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.files import is_web, path_of
from wikisem.layout import MANIFEST
from wikisem.limits import LARGEST_SET
from wikisem.records import Count
from wikisem.typed_json import decode_json

# What commands read of a release, of all the files that its manifest lists.
_READ: Final = re.compile(r"(groups|rejected|walls|categories)/[\w-]+\.(parquet|jsonl)", re.ASCII)
# The set that comes with wikisem, which `wikisem sample` writes as a release, and the name by which it is read.
SAMPLE: Final = Path(__file__).parent / "sample"
_ON_THE_HUB: Final = re.compile(r"[\w-][\w.-]*/[\w.-]+", re.ASCII)
_kept: list[tempfile.TemporaryDirectory[str]] = []  # each goes when the process ends
SUFFIXES: Final = (".txt", ".jsonl", ".parquet")
# Read where the file itself is named: in a folder, such files may be of anything, as answers and scores are.
TABLES: Final = (".csv", ".tsv")
ARCHIVES: Final = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
# Files that come with a release and are not test groups.
_PAPERS: Final = ("readme", "license", "licence", "citation", "changelog", "notice")
_GROUPS: Final = "groups"
# What the decoders of gzip and bzip2 raise where a file is damaged.
UNPACKING_ERRORS: Final = (OSError, EOFError, zlib.error)
_MAGIC: Final[Mapping[str, bytes]] = {".gz": b"\x1f\x8b", ".bz2": b"BZh"}
# Control characters (C0 and C1 without tabs and ends of lines), and marks that turn the direction of what follows.
CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_FORMULA: Final = re.compile(r"(^|[;,\t\r\n|])(?=\s*[=+\-@＝＋－＠])")


class _Listed(msgspec.Struct):
    size: Count
    sha256: str


class _Listing(msgspec.Struct):
    files: dict[str, _Listed] = {}


def data_set_path(text: str | os.PathLike[str]) -> Path:
    """Return where a data set is read from: a path on this machine, or a URL whose driver lists files.

    "sample" is the set that comes with wikisem, unless there is such a file or folder. At http:// or https:// are a
    release, whose manifest.json lists its files, or a single file: what commands read of it is copied to a temporary
    folder, once in a process and checked by SHA-256. UsageError for a URL that cannot be opened, MissingInputError for
    one where nothing is, and for the name of a set on the Hugging Face Hub.
    """
    address = os.fspath(text)
    if not address.strip():
        raise UsageError(f"expected a path or a URL, saw {address!r}")
    if is_web(address):
        return _copy_of(address.rstrip("/"))
    path = path_of(text)
    if address == SAMPLE.name and not path.exists():
        return SAMPLE
    if _ON_THE_HUB.fullmatch(address) and not (path.exists() or path.parent.exists()):
        advice = f"one on the Hugging Face Hub is hf://datasets/{address}"
        raise MissingInputError(f"expected a data set, saw nothing at {address}; {advice}")
    return path


@cache
def _copy_of(url: str) -> Path:
    """Copy a file or a release from the Web to a folder of this process; DamagedInputError for another checksum."""
    from wikisem.web import below, read_web  # noqa: PLC0415 - a tenth of a second, for those who read from the web

    name = re.sub(r"[^\w.-]", "_", PurePosixPath(urlsplit(url).path).name).lstrip(".") or "set"
    folder = tempfile.TemporaryDirectory(prefix="wikisem-")
    _kept.append(folder)
    root = Path(folder.name) / name
    if name.endswith((*SUFFIXES, *TABLES, *ARCHIVES)):
        root.write_bytes(read_web(url, LARGEST_SET))
        return root
    # The files of a release that commands read, as its manifest lists them.
    where = below(url, MANIFEST)
    manifest = read_web(where)
    listing = decode_json(manifest, _Listing, where, "the manifest of a release")
    files = {path: listed for path, listed in listing.files.items() if _READ.fullmatch(path)}
    if not files:
        raise MissingInputError(f"{where}: expected the files of a release, saw none")
    if (size := sum(listed.size for listed in files.values())) > LARGEST_SET:
        raise DamagedInputError(f"{where}: expected files of at most {LARGEST_SET:,} bytes, saw {size:,}")
    root.mkdir()
    (root / MANIFEST).write_bytes(manifest)
    for path, listed in files.items():
        where = below(url, path)
        data = read_web(where, listed.size)
        if hashlib.sha256(data).hexdigest() != listed.sha256:
            raise DamagedInputError(f"{where}: expected SHA-256 {listed.sha256}, saw another in {len(data):,} bytes")
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(data)
    return root


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of a data set: its path below the data set, the words that name it in messages, and how to read it.

    ``read_beside`` reads the side file of its folder, and returns None if there is none.
    """

    path: PurePosixPath
    where: str
    read: Callable[[], bytes]
    read_beside: Callable[[], bytes | None]


def data_files(path: Path, side_file: str) -> list[DataFile]:
    """Return the file itself, or the data set files in and below a folder or in an archive, in order of path.

    A folder with a folder ``groups`` is a build's output or a release: only the JSON lines and Parquet in that folder
    are the data set, if there are any. If a .jsonl and a .parquet file differ in the suffix alone, the .jsonl file
    counts; .txt files all do. Hidden files and texts such as README.txt are left out. ``side_file`` is the name of a
    file with facts about the files beside it. Raises MissingInputError if there are no files, DamagedInputError for an
    archive that cannot be read.
    """
    if path.is_file() and not path.name.lower().endswith(ARCHIVES):
        return [_file(path, path.parent, side_file)]
    if path.is_dir():
        found = (file for file in path.rglob("*") if _is_data(PurePosixPath(file.relative_to(path))) and file.is_file())
        listed: Iterable[DataFile] = (_file(file, path, side_file) for file in found)
    elif path.is_file():
        listed = _members(path, side_file)
    else:
        raise MissingInputError(f"expected a data set, a file or a folder of files, saw nothing at {path}")
    files = list(listed)
    if not files:
        raise MissingInputError(f"{path}: expected files that end in {', '.join(SUFFIXES)}, saw none")
    in_groups = [file for file in files if file.path.parent.name == _GROUPS and file.path.suffix != ".txt"]
    # Of files of one name the first suffix counts: .jsonl before .parquet.
    by_name: dict[PurePosixPath, DataFile] = {}
    for file in sorted(in_groups or files, key=lambda file: (SUFFIXES.index(file.path.suffix), file.path.parts)):
        name = file.path if file.path.suffix == ".txt" else file.path.with_suffix("")
        by_name.setdefault(name, file)
    return sorted(by_name.values(), key=lambda file: file.path.parts)


def data_set_name(path: Path) -> str:
    """Return the name of a data set: that of its file or folder without the suffix."""
    name = path.resolve().name
    endings = (*ARCHIVES, *SUFFIXES, *TABLES) if path.is_file() else ()
    ending = max((end for end in endings if name.lower().endswith(end)), key=len, default="")
    return name[: len(name) - len(ending)]


def _is_data(path: PurePosixPath) -> bool:
    if not str(path).isprintable() and any("\ud800" <= letter <= "\udfff" for letter in str(path)):
        raise DamagedInputError(f"expected names of files in UTF-8, saw {os.fsencode(path)!r}")
    hidden = any(part.startswith(".") for part in path.parts)
    paper = path.suffix == ".txt" and path.stem.lower() in _PAPERS
    return path.suffix in SUFFIXES and not hidden and not paper


def _file(file: Path, folder: Path, side_file: str) -> DataFile:
    """A file of a data set in a folder, to be read when asked for, and so the side file with facts about it, if any."""
    beside = file.with_name(side_file)
    path = PurePosixPath(file.relative_to(folder))
    return DataFile(path, str(file), file.read_bytes, lambda: beside.read_bytes() if beside.is_file() else None)


def _members(archive: Path, side_file: str) -> Iterator[DataFile]:
    """The data files of an archive, read in its order, because going back in a compressed one means starting again."""
    beside: dict[PurePosixPath, bytes] = {}
    try:
        with archive.open("rb") as packed, tarfile.open(fileobj=packed) as stream:
            left = LARGEST_SET
            for member in stream:
                path = PurePosixPath(member.name)
                if not member.isfile() or not (_is_data(path) or path.name == side_file):
                    continue
                left -= member.size
                if left < 0:  # by unpacked sizes: in the archive, holes and repetitions take nothing
                    expected = f"expected at most {LARGEST_SET:,} bytes in the files of an archive"
                    raise DamagedInputError(f"{archive}/{member.name}: {expected}, saw {LARGEST_SET - left:,}")
                held = stream.extractfile(member)
                data = b"" if held is None else held.read()
                if path.name == side_file:
                    beside[path.parent] = data
                else:
                    where = f"{archive}/{member.name}"
                    yield DataFile(path, where, partial(bytes, data), partial(beside.get, path.parent))
    except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, OSError, ValueError) as error:
        if isinstance(error, DamagedInputError):
            raise
        raise DamagedInputError(f"{archive}: expected a whole tar archive, saw {error}") from error


def read_utf8(file: Path) -> str:
    """The text of a UTF-8 file without a byte order mark; DamagedInputError names the first line that is not UTF-8."""
    return decode_utf8(file.read_bytes(), str(file))


def decode_utf8(data: bytes, where: str) -> str:
    """The text of UTF-8 bytes without a byte order mark; DamagedInputError names the first line that is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DamagedInputError(f"{where}:{line}: expected UTF-8, saw {error}") from error


def compression(file: Path) -> str:
    """Return how a file is compressed, by its first bytes: ".gz", ".bz2", or "" if it is not."""
    with file.open("rb") as stream:
        start = stream.read(3)
    return next((suffix for suffix, magic in _MAGIC.items() if start.startswith(magic)), "")


def open_unpacked(file: Path) -> BufferedIOBase:
    """Return the bytes of a file, unpacked if it is gzip or bzip2; reading a damaged one raises UNPACKING_ERRORS."""
    packed = compression(file)
    if not packed:
        return file.open("rb")
    source = file if isinstance(file, Path) else file.open("rb")
    return gzip.open(source) if packed == ".gz" else bz2.open(source)


def lines_of(stream: BufferedIOBase, name: str, longest: int = 1 << 20, first: int = 1) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a stream, counted from ``first``; DamagedInputError for one of more than ``longest`` bytes."""
    for number in count(first):
        line = stream.readline(longest)
        if not line:
            return
        if len(line) == longest and not line.endswith(b"\n"):
            raise DamagedInputError(f"{name}:{number}: expected a line of at most {longest:,} bytes, saw a longer one")
        yield number, line


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines without white space at both ends, counted from 1; only \\n and \\r\\n end a line, as in JSON lines."""
    return enumerate((line.strip() for line in re.split(r"\r?\n", text)), start=1)


def filled_lines(text: str, where: object) -> Iterator[tuple[str, str]]:
    """The lines of ``numbered_lines`` that are not empty, each with its place."""
    return ((f"{where}:{number}", line) for number, line in numbered_lines(text) if line)


def words_beside(path: Path) -> list[str]:
    """The words of the rows of a matrix, a line each, in the file beside it that ends in .words; MissingInputError."""
    listed = path.with_suffix(".words")
    if not listed.is_file():
        raise MissingInputError(f"{path}: expected the words of its rows in {listed.name} beside it, saw none")
    return [word for _, word in numbered_lines(read_utf8(listed).removesuffix("\n"))]


def is_json_lines(file: PurePath, text: str) -> bool:
    """Return whether a file holds JSON lines: its name ends in .jsonl, or its text begins with a brace."""
    return file.suffix == ".jsonl" or text.lstrip().startswith("{")


def csv_rows(text: str, where: str, delimiter: str = ",") -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """The columns of CSV, and each row after its last line's number ("" for a missing cell); DamagedInputError."""
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restval="")
    rows = []
    try:
        for row in reader:
            row.pop(None, None)  # cells beyond the header
            rows.append((reader.line_num, row))
    except csv.Error as error:
        raise DamagedInputError(f"{where}:{reader.line_num}: expected CSV, saw {error}") from error
    return list(reader.fieldnames or []), rows


def csv_cell(text: str) -> str:
    """A string as a cell that no spreadsheet program takes for a formula: an apostrophe is put before its first sign.

    The same is done after every separator that such a program may take for the end of a cell, whatever language it
    runs in (OWASP, "CSV Injection", read 2026-11). Control characters and marks that turn the direction are left out.

    >>> [csv_cell(text) for text in ("=1+1", "a; =1+1", "-5", "a-b")]
    ["'=1+1", "a;' =1+1", "'-5", 'a-b']
    """
    return _FORMULA.sub("\\1'", CONTROLS.sub("", text))
