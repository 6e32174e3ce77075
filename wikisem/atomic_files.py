"""Files on this machine that are seen whole or not at all, even by a process that looks while they are written."""

import io
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from wikisem.errors import OutputError


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A new file to write to; it takes its name, and the place of an older one, when the context ends without an error.

    Its folder is made. Every writer has an unfinished file to itself, so threads and processes may write the same path
    at once: the last one to finish wins. OutputError when the file cannot be made, written or given its name; what the
    caller raises inside the context, errors of reading included, passes through as it is. Nothing unfinished stays.
    """
    with _reported(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{uuid.uuid4().hex}.part")
    try:
        with _reported(path):
            raw = _Raw(part, path)
        with io.BufferedWriter(raw) as sink:
            yield sink
        with _reported(path):
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)


class _Raw(io.FileIO):
    """An unfinished file whose errors name the file that it will be."""

    def __init__(self, part: Path, path: Path) -> None:
        super().__init__(part, "xb")
        self._path = path

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
