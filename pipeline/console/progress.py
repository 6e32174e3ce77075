"""Progress for people on standard error, of parts or of bytes: a bar on a terminal, plain lines elsewhere."""

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

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

_LOOK: Final = 0.5  # seconds between two looks at what is done
_LINE: Final = 30.0  # seconds between two plain lines
_PATIENCE: Final = 2.0  # seconds for the last look, at a file system that may not answer
_UNITS: Final = ("bytes", "kB", "MB", "GB", "TB")


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

    ``more`` says what else is known, as of the last call of ``done``. Bytes show progress inside a part: one gzip
    member of 100 GB is a single one. They are only shown if there is a size, and once some were read: on other machines
    nobody counts them.
    """

    def look() -> tuple[int, str]:
        parts = done()
        return min(read(), size) if size else parts, f"{more()} {parts}/{total}".strip()

    def words(seconds: float) -> str:
        parts = f"{done()} of {total or '?'} parts"
        return words_of_work(", ".join(filter(None, [more(), parts])), read(), size, seconds)

    columns: list[ProgressColumn] = [SpinnerColumn(), TextColumn("{task.description}"), BarColumn()]
    if size:
        columns += [TextColumn("{task.fields[parts]}"), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn()]
    else:
        columns += [MofNCompleteColumn()]
    with _watched(label, [*columns, TimeElapsedColumn()], look, words, size or total, patience=_PATIENCE):
        yield


@contextmanager
def byte_progress(label: str, total: int, done: int = 0) -> Iterator[Callable[[int], None]]:
    """Show bytes as they come, of which ``done`` of ``total`` are there; yields what to call with a number of them.

    Several threads may call it.
    """
    now, lock = done, threading.Lock()

    def add(count: int) -> None:
        nonlocal now
        with lock:
            now += count

    def words(seconds: float) -> str:
        return progress_words(done, now, total, seconds)

    columns = [TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()]
    with _watched(label, [*columns, TimeRemainingColumn()], lambda: (now, ""), words, total, done):
        yield add


@contextmanager
def _watched(
    label: str,
    columns: Sequence[ProgressColumn],
    look: Callable[[], tuple[int, str]],
    words: Callable[[float], str],
    total: int,
    first: int = 0,
    patience: float | None = None,
) -> Iterator[None]:
    """Look at work from a thread of its own, and show it until the context ends.

    ``look`` gives how much of ``total`` is done, of which ``first`` was done before, and the parts for a bar; ``words``
    gives a plain line, from the seconds that have passed. ``patience`` is how long the end waits for the last look.
    """
    stop = threading.Event()

    def bar() -> None:
        with Progress(*columns, console=error_console, transient=True) as shown:
            task = shown.add_task(label, total=total or None, completed=first, parts="")
            while not stop.wait(_LOOK):
                completed, parts = look()
                shown.update(task, completed=completed, parts=parts)

    def lines() -> None:
        begin = last = time.monotonic()
        log(label)
        while not stop.wait(_LOOK):
            if time.monotonic() - last >= _LINE:
                last = time.monotonic()
                log(f"{label}: {words(last - begin)}")

    thread = threading.Thread(target=bar if sys.stderr.isatty() else lines, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(patience)


def words_of_work(parts: str, read: int, size: int, seconds: float) -> str:
    """Parts and bytes, their rate, the time that is left for them, and the time that has passed.

    >>> words_of_work("2 of 12 languages, 3 of 40 parts", 30_000_000_000, 100_000_000_000, 600.0)
    '2 of 12 languages, 3 of 40 parts, 30.0 GB of 100 GB, 50.0 MB/s, 23 min 20 s left, 600 s'
    """
    words = [parts]
    if size and read:
        words.append(progress_words(0, min(read, size), size, seconds))
    return ", ".join([*words, f"{seconds:.0f} s"])


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
