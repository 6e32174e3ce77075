"""How many bytes of its inputs a run on this machine has read, while it reads: for progress, and for nothing else.

A process tells what it has read every few megabytes, by eight bytes through a pipe, which several can write to at once.
It never waits: when the pipe is full because nobody looks, the number is told with the next one.
"""

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, BinaryIO, Final, Self, cast

from wikisem.transforms.io.files import open_binary

_STEP: Final = 1 << 22
_NUMBER: Final = struct.Struct("=q")


class BytesRead:
    """The sum of what all processes tell that have ``writer``."""

    def __init__(self) -> None:
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)
        os.set_blocking(self.writer, False)
        self._sum = 0

    def total(self) -> int:
        """How many bytes were read since the last ``reset``, as far as is told."""
        with suppress(BlockingIOError):
            while told := os.read(self._reader, _NUMBER.size << 10):
                self._sum += sum(number for (number,) in _NUMBER.iter_unpack(told))
        return self._sum

    def reset(self) -> None:
        """Begin at 0."""
        self.total()
        self._sum = 0

    def close(self) -> None:
        """Close the pipe."""
        os.close(self._reader)
        os.close(self.writer)


class _Teller:
    """Where this process tells what it has read: a pipe, or nowhere."""

    def __init__(self) -> None:
        self.begin(-1)

    def begin(self, pipe: int) -> None:
        """Tell what is read from now on."""
        self.pipe = pipe
        self._untold = 0

    def add(self, count: int, least: int = _STEP) -> None:
        """Count bytes, and tell them when there are enough."""
        self._untold += count
        if self._untold >= least and self.pipe >= 0:
            with suppress(OSError):  # full, or closed
                os.write(self.pipe, _NUMBER.pack(self._untold))
                self._untold = 0


_teller: Final = _Teller()


def tell(pipe: int) -> None:
    """Let this process tell what it reads to a ``BytesRead.writer``; -1 for nobody."""
    _teller.begin(pipe)


@contextmanager
def count_here() -> Iterator[BytesRead]:
    """While inside, count what this process reads."""
    bytes_read = BytesRead()
    tell(bytes_read.writer)
    try:
        yield bytes_read
    finally:
        tell(-1)
        bytes_read.close()


def open_counted(path: str) -> BinaryIO:
    """A file as ``open_binary`` opens it, whose bytes are counted as they are read."""
    return cast(BinaryIO, _Counted(open_binary(path)))


class _Counted:
    def __init__(self, source: BinaryIO) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _teller.add(0, least=1)
        self._source.__exit__(kind, error, trace)

    def read(self, size: int = -1) -> bytes:
        data = self._source.read(size)
        _teller.add(len(data))
        return data
