"""Progress for people: a bar on a terminal, plain lines elsewhere, always on stderr.

Bytes for people: how many of how many, how fast, and how long it will take.
"""

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

from wikisem.pipeline.console.terminal import error_console, log

_UNITS: Final = ("bytes", "kB", "MB", "GB", "TB")


@contextmanager
def byte_progress(label: str, total: int, done: int = 0) -> Iterator[Callable[[int], None]]:
    """Show bytes as they come, of which ``done`` of ``total`` are there; yields what to call with a number of them."""
    counter = _Counter(done)
    stop = threading.Event()
    show = _bar_of_bytes if sys.stderr.isatty() else _lines_of_bytes
    thread = threading.Thread(target=show, args=(label, counter, total, stop), daemon=True)
    thread.start()
    try:
        yield counter.add
    finally:
        stop.set()
        thread.join()


class _Counter:
    """Bytes that several threads count."""

    def __init__(self, value: int) -> None:
        self.value = value
        self.first = value
        self._lock = threading.Lock()

    def add(self, count: int) -> None:
        with self._lock:
            self.value += count


def _bar_of_bytes(label: str, counter: _Counter, total: int, stop: threading.Event) -> None:
    columns = [TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()]
    with Progress(*columns, TimeRemainingColumn(), console=error_console, transient=True) as bar:
        task = bar.add_task(label, total=total or None, completed=counter.value)
        while not stop.wait(_LOOK):
            bar.update(task, completed=counter.value)


def _lines_of_bytes(label: str, counter: _Counter, total: int, stop: threading.Event) -> None:
    begin = last = time.monotonic()
    log(label)
    while not stop.wait(_LOOK):
        if time.monotonic() - last >= _LINE:
            last = time.monotonic()
            log(f"{label}: {progress_words(counter.first, counter.value, total, last - begin)}")


def progress_words(first: int, now: int, total: int, seconds: float) -> str:
    """Bytes done, their rate since the run began, and the time that is left at that rate.

    >>> progress_words(0, 30_000_000, 120_000_000, 30.0)
    '30.0 MB of 120 MB, 1.00 MB/s, 1 min 30 s left'
    """
    rate = (now - first) / seconds if seconds else 0.0
    words = f"{format_bytes(now)} of {format_bytes(total) if total else '?'}, {format_bytes(int(rate))}/s"
    return f"{words}, {format_seconds((total - now) / rate)} left" if rate > 0 and total > now else words


def format_bytes(count: int) -> str:
    """Bytes with three digits, in powers of 1,000 as servers and shops count them.

    >>> [format_bytes(count) for count in (0, 999, 1_234_567, 103_222_517_992)]
    ['0 bytes', '999 bytes', '1.23 MB', '103 GB']
    """
    value, unit = float(count), 0
    while value >= 999.5 and unit + 1 < len(_UNITS):
        value, unit = value / 1000, unit + 1
    digits = max(0, 2 - (value >= 9.995) - (value >= 99.95)) if unit else 0
    return f"{value:.{digits}f} {_UNITS[unit]}"


def format_seconds(seconds: float) -> str:
    """A time with its two largest units.

    >>> [format_seconds(seconds) for seconds in (5, 65, 3_700, 90_000)]
    ['5 s', '1 min 5 s', '1 h 1 min', '1 d 1 h']
    """
    rest = round(seconds)
    words: list[str] = []
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")):
        count, rest = divmod(rest, size)
        words += [f"{count} {unit}"] if count or words else []
    return " ".join(words[:2]) or "0 s"


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
