"""Progress for people: a bar on a terminal, plain lines elsewhere, always on stderr."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

_LOOK: Final = 0.5  # seconds between two looks at the finished parts
_LINE: Final = 30.0  # seconds between two plain lines

console: Final = Console(stderr=True, highlight=False, soft_wrap=True)


def log(text: str) -> None:
    """One plain line on stderr."""
    console.print(text, markup=False)


@contextmanager
def watch(label: str, done: Callable[[], int], total: int) -> Iterator[None]:
    """Show how many of ``total`` parts are done until the context is left; the shape that Runtime wants."""
    stop = threading.Event()
    show = _bar if sys.stderr.isatty() else _lines
    thread = threading.Thread(target=show, args=(label, done, total, stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _bar(label: str, done: Callable[[], int], total: int, stop: threading.Event) -> None:
    columns = [
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    ]
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(label, total=total or None)
        while not stop.wait(_LOOK):
            progress.update(task, completed=done())


def _lines(label: str, done: Callable[[], int], total: int, stop: threading.Event) -> None:
    begin = last = time.monotonic()
    log(label)
    while not stop.wait(_LOOK):
        if time.monotonic() - last >= _LINE:
            last = time.monotonic()
            log(f"{label}: {done()} of {total or '?'} parts, {last - begin:.0f} s")
