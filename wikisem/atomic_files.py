"""Files on this machine that are seen whole or not at all, even by a process that looks while they are written."""

import io
import re
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from wikisem.errors import OutputError

_PART: Final = re.compile(r"\.[0-9a-f]{32}\.part")


class UnfinishedFile(io.BufferedIOBase):
    """A new file that nobody sees before ``close``, which ends with a call of ``publish``.

    Where an error ends the context, or nobody closes the file, ``discard`` is called instead.
    """

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
        """How many bytes have been written."""
        return self._sink.tell()

    def close(self) -> None:
        """Write the rest and publish the file; discard it where that fails."""
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


def remove_unfinished(folder: Path) -> None:
    """Remove the unfinished files that killed processes left in a folder, not in those below it."""
    for part in folder.glob(".*.part"):
        if _PART.fullmatch(part.name):
            part.unlink(missing_ok=True)


def whole_file(path: Path) -> BinaryIO:
    """A new file to write to; it takes its name, and the place of an older one, when it is closed.

    Its folder is made. Every writer has an unfinished file to itself, so threads and processes may write the same path
    at once: the last one to finish wins. OutputError when the file cannot be made, written or given its name; what the
    caller raises in its context, errors of reading included, passes through as it is. Nothing unfinished stays.
    """
    with _reported(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{uuid.uuid4().hex}.part")
        raw = _Raw(part, path)
    sink = io.BufferedWriter(raw)

    def publish() -> None:
        sink.close()
        with _reported(path):
            part.replace(path)

    def discard() -> None:
        raw.close()
        part.unlink(missing_ok=True)

    return cast(BinaryIO, UnfinishedFile(cast(BinaryIO, sink), publish, discard))


def write_files(folder: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write files below a folder, each whole, in the order given: what names others comes after them."""
    for name, data in files:
        with whole_file(folder / name) as sink:
            sink.write(data)


def write_text(path: Path, parts: Iterable[str]) -> None:
    """Write strings one after the other, in UTF-8, to a file that is seen whole or not at all."""
    with whole_file(path) as sink:
        sink.writelines(part.encode() for part in parts)


class _Raw(io.FileIO):
    """An unfinished file whose errors name the file that it will be."""

    def __init__(self, part: Path, path: Path) -> None:
        super().__init__(str(part), "xb")
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
