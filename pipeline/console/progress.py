"""Progress for people: a bar on a terminal, plain lines elsewhere, always on stderr."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from wikisem.pipeline.console.byte_progress import progress_words
from wikisem.pipeline.console.terminal import error_console, log

_LOOK: Final = 0.5  # seconds between two looks at the finished parts
_PATIENCE: Final = 2.0  # seconds for the last look, at a file system that may not answer
_LINE: Final = 30.0  # seconds between two plain lines


class _Work(NamedTuple):
    """What there is to do, and how to see how much of it is done: parts, and bytes if ``size`` is not 0.

    ``more`` says what else is known, as of the last call of ``done``.
    """

    label: str
    done: Callable[[], int]
    total: int
    read: Callable[[], int]
    size: int
    more: Callable[[], str]

    def parts(self) -> str:
        """Parts that are done, and what else is known."""
        done = self.done()
        return ", ".join(filter(None, [self.more(), f"{done} of {self.total or '?'} parts"]))


@contextmanager
def progress(
    label: str,
    done: Callable[[], int],
    total: int,
    read: Callable[[], int] = lambda: 0,
    size: int = 0,
    more: Callable[[], str] = str,
) -> Iterator[None]:
    """Show how many of ``total`` parts are done, and of ``size`` bytes read; the ``progress`` of a Runtime.

    Bytes tell of progress inside a part: one gzip member of 100 GB is a single one. They are only shown if there is a
    size, and once some were read: on other machines nobody counts them.
    """
    stop = threading.Event()
    show = _bar if sys.stderr.isatty() else _lines
    thread = threading.Thread(target=show, args=(_Work(label, done, total, read, size, more), stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(_PATIENCE)


def _bar(work: _Work, stop: threading.Event) -> None:
    columns: list[ProgressColumn] = [SpinnerColumn(), TextColumn("{task.description}"), BarColumn()]
    if work.size:
        columns += [TextColumn("{task.fields[parts]}"), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn()]
    else:
        columns += [MofNCompleteColumn()]
    with Progress(*columns, TimeElapsedColumn(), console=error_console, transient=True) as bar:
        task = bar.add_task(work.label, total=work.size or work.total or None, parts="")
        while not stop.wait(_LOOK):
            parts = work.done()
            completed = min(work.read(), work.size) if work.size else parts
            shown = f"{work.more()} {parts}/{work.total}".strip()
            bar.update(task, completed=completed, parts=shown)


def _lines(work: _Work, stop: threading.Event) -> None:
    begin = last = time.monotonic()
    log(work.label)
    while not stop.wait(_LOOK):
        if time.monotonic() - last >= _LINE:
            last = time.monotonic()
            words = words_of_work(work.parts(), work.read(), work.size, last - begin)
            log(f"{work.label}: {words}")


def words_of_work(parts: str, read: int, size: int, seconds: float) -> str:
    """Parts and bytes, their rate, the time that is left for them, and the time that has passed.

    >>> words_of_work("2 of 12 languages, 3 of 40 parts", 30_000_000_000, 100_000_000_000, 600.0)
    '2 of 12 languages, 3 of 40 parts, 30.0 GB of 100 GB, 50.0 MB/s, 23 min 20 s left, 600 s'
    """
    words = [parts]
    if size and read:
        words.append(progress_words(0, min(read, size), size, seconds))
    return ", ".join([*words, f"{seconds:.0f} s"])
