"""Local files that other processes see whole or not at all, even while they are written."""

import errno
import fcntl
import io
import os
import re
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from wikisem.errors import OutputError

_THREADS: Final = 16
_PART: Final = re.compile(r"\.[0-9a-f]{32}\.part")


class UnfinishedFile(io.BufferedIOBase):
    """A new file that ``close`` ends with ``publish``; if an error ends the context, ``discard`` is called instead."""

    def __init__(self, sink: BinaryIO, publish: Callable[[], None], discard: Callable[[], None]) -> None:
        super().__init__()
        self._sink, self._publish, self._discard = sink, publish, discard

    def writable(self) -> bool:
        """It can be written."""
        return True

    def write(self, data: Any, /) -> int:
        """Write all of the bytes and return how many."""
        return self._sink.write(data)

    def tell(self) -> int:
        """Return how many bytes have been written."""
        return self._sink.tell()

    def close(self) -> None:
        """Write the rest and publish the file; discard it if that fails."""
        if self.closed:
            return
        super().close()
        try:
            self._publish()
        except BaseException:
            self._discard()
            raise

    def discard(self) -> None:
        """Leave nothing of the file."""
        if not self.closed:
            super().close()
            self._discard()

    def __exit__(self, kind: object, *rest: object) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def __del__(self) -> None:
        self.discard()


def find_abandoned(folder: Path) -> list[Path]:
    """Return the unfinished files in a folder that killed processes left: a process that writes one holds its lock."""
    abandoned = []
    no_link = os.O_NOFOLLOW | os.O_NONBLOCK
    for part in (path for path in folder.glob(".*.part") if _PART.fullmatch(path.name)):
        with suppress(OSError), open(part, "rb", opener=lambda path, flags: os.open(path, flags | no_link)) as source:
            fcntl.flock(source, fcntl.LOCK_EX | fcntl.LOCK_NB)
            abandoned.append(part)
    return abandoned


def whole_file(path: Path, durable: bool = False) -> BinaryIO:
    """Return a new file to write to; when it is closed, it gets its name and replaces an older file.

    If it is ``durable``, it survives a loss of power from then on. Its folder is made. Threads and processes may write
    the same path at once: the last one to finish wins. OutputError if the file cannot be made, written or given its
    name. Nothing unfinished stays.
    """
    with _reported(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{uuid.uuid4().hex}.part")
        raw = _Raw(part, path)
    sink = io.BufferedWriter(raw)

    def publish() -> None:
        """Close the part and give it the name of the file; if ``durable``, both are on the disk when it returns."""
        if durable:
            sink.flush()
            with _reported(path):
                os.fsync(raw.fileno())
        sink.close()
        with _reported(path):
            part.replace(path)
            if durable:
                _sync(path.parent)

    def discard() -> None:
        raw.close()
        part.unlink(missing_ok=True)

    return cast(BinaryIO, UnfinishedFile(cast(BinaryIO, sink), publish, discard))


def sync_files(root: Path, paths: Iterable[Path]) -> None:
    """Write files below a folder, with their names and folders, through to the disk; OutputError if that fails."""
    listed = list(paths)
    folders = {folder for path in listed for folder in path.parents if folder.is_relative_to(root)}
    # A disk writes many files together in little more time than one file.
    with _reported(root), ThreadPoolExecutor(_THREADS) as pool:
        for some in (listed, folders):
            list(pool.map(_sync, some))  # raises the first error


def _sync(path: Path) -> None:
    """Write a file or a folder through to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        # Some network file systems cannot write a folder through, and report it.
        if error.errno != errno.EINVAL or not path.is_dir():
            raise
    finally:
        os.close(handle)


class _Raw(io.FileIO):
    """An unfinished file whose errors name the file that it will be."""

    def __init__(self, part: Path, path: Path) -> None:
        super().__init__(str(part), "xb")
        self._path = path
        with suppress(OSError):  # a file system without locks: files that a killed process leaves there stay
            fcntl.flock(self, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def write(self, data: Any, /) -> int:
        """Write some of the bytes and return how many; OutputError when the disk is full."""
        with _reported(self._path):
            return super().write(data)


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"expected to write {path}, saw {error}") from error
