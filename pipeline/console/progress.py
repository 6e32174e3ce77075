"""Progress for people: a bar on a terminal, plain lines elsewhere, always on stderr."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from wikisem.pipeline.console.terminal import error_console, log

_LOOK: Final = 0.5  # seconds between two looks at the finished parts
_PATIENCE: Final = 2.0  # seconds for the last look, at a file system that may not answer
_LINE: Final = 30.0  # seconds between two plain lines


@contextmanager
def progress(label: str, done: Callable[[], int], total: int) -> Iterator[None]:
    """Show how many of ``total`` parts are done until the context is left; the ``progress`` of a Runtime."""
    stop = threading.Event()
    show = _bar if sys.stderr.isatty() else _lines
    thread = threading.Thread(target=show, args=(label, done, total, stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(_PATIENCE)


def _bar(label: str, done: Callable[[], int], total: int, stop: threading.Event) -> None:
    columns = [
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    ]
    with Progress(*columns, console=error_console, transient=True) as bar:
        task = bar.add_task(label, total=total or None)
        while not stop.wait(_LOOK):
            bar.update(task, completed=done())


def _lines(label: str, done: Callable[[], int], total: int, stop: threading.Event) -> None:
    begin = last = time.monotonic()
    log(label)
    while not stop.wait(_LOOK):
        if time.monotonic() - last >= _LINE:
            last = time.monotonic()
            log(f"{label}: {done()} of {total or '?'} parts, {last - begin:.0f} s")
