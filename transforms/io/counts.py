"""The counts and unreadable records of a stage's parts, in files; counts are added up when the pipeline is over.

Beam's own metrics count a bundle that is run again twice. Parts are read by name, so that a missing one is an error,
and also name their other files, if these depend on the data.
"""

import os
import struct
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, Self, cast

import msgspec

from wikisem.dumps import StreamPart, join_streams
from wikisem.errors import StageError
from wikisem.files import exists, open_binary, read_binary, replace_file, sizes_below
from wikisem.records import Counts, UnreadableRecord


def write_counts(
    path: str,
    counts: Counts,
    files: Sequence[str] = (),
    streams: Sequence[StreamPart] = (),
    span: Sequence[int] = (),
    highest: int = 0,
) -> None:
    """Write one part's counts, the names of the files that it left, and the compressed streams that it read parts of.

    ``span`` is of a range of a Wikipedia dump: how many page ids it has, the lowest, the highest, and 1 if they ascend.
    ``highest`` is of a range of a Wikidata dump: the highest number of an item.
    """
    values = {"counts": counts, "files": [*files], "streams": [*streams], "span": [*span], "highest": highest}
    replace_file(path, msgspec.json.encode(values, order="sorted"))


def sum_counts(paths: Iterable[str]) -> Counts:
    """The sum of the counts of parts; StageError where one of them is missing."""
    return sum((Counts(**read_json(path)["counts"]) for path in paths), Counts())


def sum_ranges(paths: Iterable[str], stage: str, unreadable: str) -> Counts:
    """The sum of the counts of all ranges, and of damage between ranges, which is written to ``unreadable``."""
    listed = list(paths)
    streams = [msgspec.convert(each, StreamPart) for path in listed for each in read_json(path)["streams"]]
    found = [UnreadableRecord(stage, each.reason, each.where, each.detail) for each in join_streams(streams)]
    write_unreadable(unreadable, found)
    return sum_counts(listed) + Counts(len(found), unreadable=dict(Counter(each.reason for each in found)))


def files_left(paths: Iterable[str]) -> list[str]:
    """The names of the files that parts left, in the order of the parts; StageError where one of them is missing."""
    return [name for path in paths for name in read_json(path)["files"]]


def require_files(folder: str, names: Iterable[str]) -> None:
    """Raise StageError unless all these files are below a folder."""
    known = sizes_below(folder)
    for name in names:
        # On some stores a list may lack what was just written; a question for one object never does.
        if name not in known and not exists(f"{folder}/{name}"):
            raise StageError(f"expected every part of the work to be written, saw no {folder}/{name}")


def read_json(path: str, kind: Any = Any) -> Any:
    """The file that a part of the work wrote about itself, as a ``kind``; StageError if it is missing."""
    if not exists(path):
        raise StageError(f"expected the counts of every part of the work, saw no {path}")
    return msgspec.json.decode(read_binary(path), type=kind)


def write_unreadable(path: str, unreadable: Iterable[UnreadableRecord]) -> None:
    """Write unreadable records as JSON lines; without any, no file is made."""
    if lines := b"".join(record.as_line() for record in unreadable):
        replace_file(path, lines)


# How many bytes of its inputs a run on this machine reads is counted for progress, and for nothing else.
_STEP: Final = 1 << 22
_NUMBER: Final = struct.Struct("=q")


class BytesRead:
    """The sum of the reports of all processes that have ``writer``."""

    def __init__(self) -> None:
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)
        os.set_blocking(self.writer, False)
        self._sum = 0

    def total(self) -> int:
        """How many bytes were read, as far as is reported."""
        with suppress(BlockingIOError):
            while reported := os.read(self._reader, _NUMBER.size << 10):
                self._sum += sum(number for (number,) in _NUMBER.iter_unpack(reported))
        return self._sum

    def close(self) -> None:
        """Close the pipe."""
        os.close(self._reader)
        os.close(self.writer)


class _Reporter:
    """Reports what this process has read through a pipe that several may share; a full pipe gets it next time."""

    pipe, unreported = -1, 0

    def add(self, count: int, least: int = _STEP) -> None:
        """Count bytes, and report them when there are enough."""
        self.unreported += count
        if self.unreported >= least and self.pipe >= 0:
            with suppress(OSError):  # full, or closed
                os.write(self.pipe, _NUMBER.pack(self.unreported))
                self.unreported = 0


_reporter: Final = _Reporter()


def report_bytes_to(pipe: int) -> None:
    """Let this process report what it reads from now on to a ``BytesRead.writer``; -1 for no reports."""
    _reporter.pipe, _reporter.unreported = pipe, 0


@dataclass(eq=False)
class _Counted:
    source: BinaryIO

    def __getattr__(self, name: str) -> Any:
        return getattr(self.source, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        _reporter.add(0, least=1)
        self.source.close()

    def read(self, size: int = -1) -> bytes:
        data = self.source.read(size)
        _reporter.add(len(data))
        return data


def open_counted(path: str) -> BinaryIO:
    """A file as ``open_binary`` opens it; its bytes are counted as they are read."""
    return cast(BinaryIO, _Counted(open_binary(path)))
