"""The files that a data set consists of: one file, those of a folder, those in a tar archive, or the groups of a run.

A folder that has a folder ``groups`` is a run's OUT or a release: its groups are the data set, and nothing else in it
is. Where two files have one name but for the suffix, as those of a run do, the first in ``SUFFIXES`` counts.
"""

import lzma
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

# Files that come with a release and are no test groups.
_PAPERS: Final = ("readme", "license", "licence", "citation", "changelog", "notice")
_GROUPS: Final = "groups"


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of a data set: its path below the data set, the words that name it in messages, and how to read it."""

    path: PurePosixPath
    where: str
    read: Callable[[], bytes]


def data_files(path: Path) -> list[DataFile]:
    """The file itself, or the data set files in and below a folder or in an archive, in order of path.

    Hidden files and those of a release that hold no groups (README.txt) are left out. Raises MissingInputError where
    there is none, DamagedInputError for an archive that cannot be read.
    """
    if path.is_file() and not is_archive(path):
        return [DataFile(PurePosixPath(path.name), str(path), path.read_bytes)]
    if path.is_dir():
        found: Iterable[DataFile] = (
            DataFile(PurePosixPath(file.relative_to(path)), str(file), file.read_bytes)
            for file in path.rglob("*")
            if _is_data(PurePosixPath(file.relative_to(path))) and file.is_file()
        )
    elif path.is_file():
        found = _members(path)
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
    hidden = any(part.startswith(".") for part in path.parts)
    paper = path.suffix == ".txt" and path.stem.lower() in _PAPERS
    return path.suffix in SUFFIXES and not hidden and not paper


def _members(archive: Path) -> Iterator[DataFile]:
    """The data files of an archive, read as they come, because going back in a compressed one starts it anew."""
    try:
        with tarfile.open(archive) as stream:
            for member in stream:
                path = PurePosixPath(member.name)
                if member.isfile() and _is_data(path) and (held := stream.extractfile(member)) is not None:
                    yield DataFile(path, f"{archive}/{member.name}", partial(bytes, held.read()))
    except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, OSError) as error:
        raise DamagedInputError(f"{archive}: expected a whole tar archive, saw {error}") from error


def _chosen(files: list[DataFile]) -> list[DataFile]:
    inside = [file for file in files if file.path.parent.name == _GROUPS and file.path.suffix != ".txt"]
    by_name: dict[PurePosixPath, DataFile] = {}
    for file in sorted(inside or files, key=lambda file: SUFFIXES.index(file.path.suffix)):
        key = file.path if file.path.suffix == ".txt" else file.path.with_suffix("")
        by_name.setdefault(key, file)
    return sorted(by_name.values(), key=lambda file: file.path.parts)
