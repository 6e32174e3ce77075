"""Files by path or URL, through Beam's file systems, so that local paths, gs://, s3:// and hdfs:// work alike.

On this machine a path is taken as written: a folder may have a bracket, a star or a question mark in its name.
"""

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final, cast

from apache_beam.io.filesystem import BeamIOError, CompressionTypes, FileSystem
from apache_beam.io.filesystems import FileSystems

from wikisem.atomic_files import whole_file
from wikisem.errors import MissingInputError, OutputError
from wikisem.transforms.io.addresses import check_address, is_local

_GLOB: Final = re.compile(r"[*?\[]")


def open_binary(path: str) -> BinaryIO:
    """The raw bytes of a file, seekable, never decompressed on the way; the opener that wikisem.dumps takes."""
    return cast(
        BinaryIO,
        FileSystems.open(path, "application/octet-stream", compression_type=CompressionTypes.UNCOMPRESSED),
    )


def create_binary(path: str) -> BinaryIO:
    """A new file to write raw bytes to; its folder is made where the file system has folders."""
    make_folder(path.rpartition("/")[0])
    return cast(
        BinaryIO,
        FileSystems.create(path, "application/octet-stream", compression_type=CompressionTypes.UNCOMPRESSED),
    )


def replace_file(path: str, data: bytes) -> None:
    """Write a whole file in one step, in place of an earlier one: a reader sees the old bytes or the new ones.

    An object store shows an object only once it was written to its end. Raises OutputError.
    """
    if is_local(path):
        with whole_file(Path(path)) as sink:
            sink.write(data)
        return
    try:
        with create_binary(path) as remote:
            remote.write(data)
    except OSError as error:
        raise OutputError(f"expected to write {path}, saw {error}") from error


def match(patterns: Sequence[str]) -> list[str]:
    """The files that paths, globs and URLs name, sorted, each once.

    Raises MissingInputError for a pattern that names no file, UsageError for a URL that cannot be opened.
    """
    found: set[str] = set()
    for pattern in patterns:
        paths = list_files(check_address(pattern))
        if not paths:
            raise MissingInputError(f"expected a file, or a glob or URL that matches one, saw none for {pattern!r}")
        found.update(paths)
    return sorted(found)


def list_files(pattern: str) -> list[str]:
    """The files that match a path, glob or URL, sorted; an empty list where there is none.

    ``*`` is any part of a name, ``**`` any part of a path, ``?`` and ``[ab]`` one character. On this machine a glob
    begins below the deepest folder that exists as written: in ``runs[1]/entities/*.parquet`` only the star is a glob
    when there is a folder ``runs[1]/entities``.
    """
    if is_local(pattern):
        return sorted(_match_local(pattern))
    try:
        return sorted(entry.path for entry in FileSystems.match([pattern])[0].metadata_list)
    except BeamIOError as error:
        raise MissingInputError(f"expected to list {pattern!r}, saw {error}") from error


def _match_local(pattern: str) -> Iterator[str]:
    if os.path.isfile(pattern):  # noqa: PTH113 - a Path would change how the path is written
        yield pattern
        return
    folder, rest = _split_at_folder(pattern)
    if not _GLOB.search(rest):
        return
    expression = re.compile(FileSystem.translate_pattern(rest))
    deep = "**" in rest or "/" in rest
    prefix = folder if folder.endswith("/") or not folder else f"{folder}/"
    for root, below, names in os.walk(folder or "."):
        if not deep:
            below.clear()
        inside = os.path.relpath(root, folder or ".")
        for name in names:
            path = name if inside == "." else f"{inside}/{name}"
            if expression.match(path):
                yield prefix + path


def _split_at_folder(pattern: str) -> tuple[str, str]:
    """The deepest folder of a pattern that exists as written, and what follows it."""
    folder, rest = pattern, ""
    while folder not in {"", "/"} and not Path(folder).is_dir():
        folder, _, name = folder.rpartition("/")
        rest = f"{name}/{rest}" if rest else name
        if not folder and pattern.startswith("/"):
            folder = "/"
    return folder, rest


def size_and_time(path: str) -> tuple[int, float]:
    """The size of a file in bytes and when it was last changed, in seconds since 1970."""
    try:
        metadata = FileSystems.get_filesystem(path).metadata(path)
    except BeamIOError as error:
        raise MissingInputError(f"expected a file that can be read, saw {path!r}: {error}") from error
    return int(metadata.size_in_bytes), float(metadata.last_updated_in_seconds or 0)


def size_of(path: str) -> int:
    """The size of a file in bytes."""
    return size_and_time(path)[0]


def exists(path: str) -> bool:
    """Whether there is a file, or on a file system with folders a folder, of exactly this name."""
    return bool(FileSystems.exists(path))


def make_folder(folder: str) -> None:
    """Make a folder and those above it; one that is there already is fine. OutputError when it cannot be made."""
    if not folder or exists(folder):
        return
    try:
        FileSystems.mkdirs(folder)
    except OSError as error:
        # Two workers may make the same folder at once: only a folder that is still missing is a failure.
        if not exists(folder):
            raise OutputError(f"expected to make the folder {folder!r}, saw {error}") from error


def remove(path: str) -> None:
    """Remove a file, if it is there."""
    if is_local(path):
        Path(path).unlink(missing_ok=True)
    elif exists(path):
        FileSystems.delete([path])


def remove_folder(folder: str) -> None:
    """Remove all files below a folder, one by one, for an object store has no folders; if there are any."""
    if not is_local(folder):
        for path in list_files(f"{folder}/**"):
            remove(path)
    elif Path(folder).is_dir():
        shutil.rmtree(folder)


def replace(source: str, target: str) -> None:
    """Give a file its final name, in place of what has that name; on this machine in one step."""
    make_folder(target.rpartition("/")[0])
    if is_local(source):
        Path(source).replace(target)
    else:
        remove(target)
        FileSystems.rename([source], [target])
