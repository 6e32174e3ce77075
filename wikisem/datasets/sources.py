"""The files that a data set consists of: one file, those of a folder, those in a tar archive, or the groups of a run.

A folder that has a folder ``groups`` is a run's OUT or a release: its groups are the data set, and nothing else in it
is. Where two files have one name but for the suffix, as those of a run do, the first in ``SUFFIXES`` counts.
"""

import lzma
import os
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final

from wikisem.errors import DamagedInputError, MissingInputError

SUFFIXES: Final = (".txt", ".jsonl", ".parquet")
ARCHIVES: Final = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")

# Several times what a set in all languages has; what an archive holds is read into memory.
_MOST_UNPACKED: Final = 1 << 30

# Files that come with a release and are no test groups.
_PAPERS: Final = ("readme", "license", "licence", "citation", "changelog", "notice")
_GROUPS: Final = "groups"


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of a data set: its path below the data set, the words that name it in messages, and how to read it.

    ``read_beside`` reads the side file of its folder, None where there is none.
    """

    path: PurePosixPath
    where: str
    read: Callable[[], bytes]
    read_beside: Callable[[], bytes | None]


def data_files(path: Path, side_file: str) -> list[DataFile]:
    """The file itself, or the data set files in and below a folder or in an archive, in order of path.

    ``side_file`` is the name of a file that says more of those beside it.

    Hidden files and those of a release that hold no groups (README.txt) are left out. Raises MissingInputError where
    there is none, DamagedInputError for an archive that cannot be read.
    """
    if path.is_file() and not is_archive(path):
        return [_file(path, path.parent, side_file)]
    if path.is_dir():
        found: Iterable[DataFile] = (
            _file(file, path, side_file)
            for file in path.rglob("*")
            if _is_data(PurePosixPath(file.relative_to(path))) and file.is_file()
        )
    elif path.is_file():
        found = _members(path, side_file)
    else:
        raise MissingInputError(f"expected a data set, a file or a folder of files, saw nothing at {path}")
    files = _chosen(sorted(found, key=lambda file: file.path.parts))
    if not files:
        raise MissingInputError(f"{path}: expected files that end in {', '.join(SUFFIXES)}, saw none")
    return files


def is_archive(path: Path) -> bool:
    """Whether the name is that of a tar archive."""
    return path.name.lower().endswith(ARCHIVES)


def data_set_name(path: Path) -> str:
    """The name of a data set: that of its file or folder without the suffix."""
    name = path.resolve().name
    endings = (*ARCHIVES, *SUFFIXES) if path.is_file() else ()
    ending = max((end for end in endings if name.lower().endswith(end)), key=len, default="")
    return name.removesuffix(name[len(name) - len(ending) :]) if ending else name


def _is_data(path: PurePosixPath) -> bool:
    if not str(path).isprintable() and any("\ud800" <= letter <= "\udfff" for letter in str(path)):
        raise DamagedInputError(f"expected names of files in UTF-8, saw {os.fsencode(path)!r}")
    hidden = any(part.startswith(".") for part in path.parts)
    paper = path.suffix == ".txt" and path.stem.lower() in _PAPERS
    return path.suffix in SUFFIXES and not hidden and not paper


def _file(file: Path, folder: Path, side_file: str) -> DataFile:
    beside = file.with_name(side_file)
    return DataFile(
        PurePosixPath(file.relative_to(folder)),
        str(file),
        file.read_bytes,
        lambda: beside.read_bytes() if beside.is_file() else None,
    )


def _members(archive: Path, side_file: str) -> Iterator[DataFile]:
    """The data files of an archive, read as they come, because going back in a compressed one starts it anew."""
    beside: dict[PurePosixPath, bytes] = {}
    try:
        with tarfile.open(archive) as stream:
            left = _MOST_UNPACKED
            for member in stream:
                path = PurePosixPath(member.name)
                if not member.isfile() or not (_is_data(path) or path.name == side_file):
                    continue
                left -= member.size
                if left < 0:  # whatever it takes in the archive, where holes and repetitions take nothing
                    raise DamagedInputError(
                        f"{archive}/{member.name}: expected at most {_MOST_UNPACKED:,} bytes in the files of an "
                        f"archive, saw {_MOST_UNPACKED - left:,}"
                    )
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


def _chosen(files: list[DataFile]) -> list[DataFile]:
    inside = [file for file in files if file.path.parent.name == _GROUPS and file.path.suffix != ".txt"]
    by_name: dict[PurePosixPath, DataFile] = {}
    for file in sorted(inside or files, key=lambda file: SUFFIXES.index(file.path.suffix)):
        key = file.path if file.path.suffix == ".txt" else file.path.with_suffix("")
        by_name.setdefault(key, file)
    return sorted(by_name.values(), key=lambda file: file.path.parts)
