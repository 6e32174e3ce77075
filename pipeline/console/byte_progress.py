"""Bytes for people: how many of how many, how fast, and how long it will take."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from wikisem.pipeline.console.terminal import error_console, log

_LOOK: Final = 0.5  # seconds between two looks at the bytes
_LINE: Final = 30.0  # seconds between two plain lines
_UNITS: Final = ("bytes", "kB", "MB", "GB", "TB")


@contextmanager
def byte_progress(label: str, total: int, done: int = 0) -> Iterator[Callable[[int], None]]:
    """Show bytes as they come, of which ``done`` of ``total`` are there; yields what to call with a number of them."""
    counter = _Counter(done)
    stop = threading.Event()
    show = _bar if sys.stderr.isatty() else _lines
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


def _bar(label: str, counter: _Counter, total: int, stop: threading.Event) -> None:
    columns = [TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()]
    with Progress(*columns, TimeRemainingColumn(), console=error_console, transient=True) as bar:
        task = bar.add_task(label, total=total or None, completed=counter.value)
        while not stop.wait(_LOOK):
            bar.update(task, completed=counter.value)


def _lines(label: str, counter: _Counter, total: int, stop: threading.Event) -> None:
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
