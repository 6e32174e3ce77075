"""Files through Beam's file systems, so that local paths, gs://, s3:// and hdfs:// read and write alike."""

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, cast

from apache_beam.io.filesystem import BeamIOError, CompressionTypes
from apache_beam.io.filesystems import FileSystems

from wikisem.errors import MissingInputError, OutputError


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


def match(patterns: Sequence[str]) -> list[str]:
    """The files that paths, globs and URLs name, sorted, each once; MissingInputError names a pattern without any."""
    found: set[str] = set()
    for pattern in patterns:
        paths = _match_one(pattern)
        if not paths:
            raise MissingInputError(f"expected a file, a glob or a URL that names one, saw {pattern!r} and found none")
        found.update(paths)
    return sorted(found)


def list_files(pattern: str) -> list[str]:
    """The files that a pattern names, sorted; an empty list where there is none."""
    return sorted(_match_one(pattern))


def weigh(path: str) -> tuple[int, float]:
    """The size of a file in bytes and when it was last changed, in seconds since 1970."""
    try:
        metadata = FileSystems.get_filesystem(path).metadata(path)
    except BeamIOError as error:
        raise MissingInputError(f"expected a file that can be read, saw {path!r}: {error}") from error
    return int(metadata.size_in_bytes), float(metadata.last_updated_in_seconds or 0)


def size_of(path: str) -> int:
    """The size of a file in bytes."""
    return weigh(path)[0]


def _match_one(pattern: str) -> list[str]:
    try:
        # A name may hold a bracket or a star of its own: what is there as written is meant as written.
        if "://" not in pattern and Path(pattern).is_file():
            return [pattern]
        return [entry.path for entry in FileSystems.match([pattern])[0].metadata_list]
    except BeamIOError as error:
        raise MissingInputError(f"expected to list {pattern!r}, saw {error}") from error


def make_folder(folder: str) -> None:
    """Make a folder and those above it; one that is there already is fine. OutputError when it cannot be made."""
    if not folder or FileSystems.exists(folder):
        return
    try:
        FileSystems.mkdirs(folder)
    except OSError as error:
        # Two workers may make the same folder at once: only a folder that is still missing is a failure.
        if not FileSystems.exists(folder):
            raise OutputError(f"expected to write to {folder!r}, saw {error}") from error


def remove(path: str) -> None:
    """Remove a file or a whole folder, if it is there."""
    if FileSystems.exists(path):
        FileSystems.delete([path])


def rename(source: str, target: str) -> None:
    """Give a file or folder its final name; on a local disk this is one step that cannot be seen half done."""
    make_folder(target.rstrip("/").rpartition("/")[0])
    FileSystems.rename([source], [target])
