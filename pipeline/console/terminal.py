"""The output of commands: tables on standard output, plain lines for people on standard error, figures in files."""

import io
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import orjson
from rich import progress as bars
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from wikisem.errors import optional_module, redacted

# How narrow a column of words may become, with padding and border, before columns of numbers go to a table below.
_NARROWEST: Final = 23
_WIDEST: Final = 10_000
# What terminals take for commands: the controls of ASCII and Latin-1, but for the tab and the end of a line.
_CONTROLS: Final = {code: f"\\x{code:02x}" for code in [*range(32), *range(127, 160)] if chr(code) not in "\t\n"}
_JSON_CONTROLS: Final = re.compile(r"[\x7f-\x9f]")


def shown(text: str) -> str:
    """A string as it may be shown: it gives a terminal no command, and nobody the credentials of a URL.

    >>> shown("\\x1b[2Jred\\x07 s3://key:secret@bucket")
    '\\\\x1b[2Jred\\\\x07 s3://***@bucket'
    """
    return redacted(text).translate(_CONTROLS)


class _SafeConsole(Console):
    """A console that shows strings as ``shown`` does; what it writes itself, such as colours, is its own."""

    def render_str(self, text: str, **options: Any) -> Text:
        """A string as text, whose width in a table is then that of what is shown."""
        return super().render_str(shown(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The parts of anything, those that hold text made safe."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(shown(segment.text), segment.style)


error_console: Final = _SafeConsole(stderr=True, highlight=False, soft_wrap=True)


def make_console() -> Console:
    """Standard output, as wide as the terminal, or 160 columns for a file; words of the data are not markup."""
    width = None if sys.stdout.isatty() else 160
    return _SafeConsole(highlight=False, markup=False, emoji=False, width=width)


class _PartedTable(Table):
    """A table with more numbers than fit beside its words is printed in parts, each with all rows and their words."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Print the columns of words, which come first and may fold, beside as many columns of numbers as have room.

        The columns that do not fit go to further parts below, each with all words again; only the first has the title.
        """
        # The width that each column needs for its longest line, with padding and border.
        wide = options.update(width=_WIDEST)
        needed = [
            max(Measurement.get(console, wide, cell).maximum for cell in (column.header, *column.cells)) + 3
            for column in self.columns
        ]
        words = sum(column.no_wrap is False for column in self.columns)  # how many columns have words
        # The width that is left for numbers if the columns of words are as narrow as they may become.
        room = options.max_width - 1 - sum(min(width, _NARROWEST) for width in needed[:words])
        # Deal the columns of numbers, by index, to parts: at least one to each, and more while there is room.
        parts, room_left = [list[int]()], room
        for index, width in enumerate(needed[words:], start=words):
            if parts[-1] and width > room_left:
                parts.append([])
                room_left = room
            parts[-1].append(index)
            room_left -= width
        if len(parts) == 1:
            yield from super().__rich_console__(console, options)
            return
        for number, part in enumerate(parts):
            columns = [self.columns[index] for index in (*range(words), *part)]
            title = None if number else self.title
            table = Table(*(column.copy() for column in columns), title=title, title_justify=self.title_justify)
            for row, *cells in zip(self.rows, *(column.cells for column in columns), strict=True):
                table.add_row(*cells, end_section=row.end_section)
            yield table


def make_table(words: Iterable[str], numbers: Iterable[str] = (), **options: Any) -> Table:
    """A table whose first columns hold words, folded rather than cut, and whose other columns hold numbers."""
    columns = (Column(name, overflow="fold") for name in words)
    return _PartedTable(*columns, *number_columns(*numbers, no_wrap=True), **options)


def number_columns(*names: str, **options: Any) -> list[Column]:
    """The columns of a table that hold numbers, aligned on the right."""
    return [Column(name, justify="right", **options) for name in names]


def log(text: str) -> None:
    """One plain line on standard error; where that cannot be written, the work goes on without it."""
    with suppress(OSError):
        error_console.print(text, markup=False)


def log_pause(seconds: float) -> None:
    """Log that a server is asked again after this many seconds."""
    log(f"no answer yet; asking again in {seconds:.0f} s")


def print_line(text: str) -> None:
    """One plain line on standard output, never wrapped or coloured, for people and programs."""
    print(shown(text))  # noqa: T201 - the command line speaks to people and programs


def print_json(value: Any, *, indented: bool = False) -> None:
    """One JSON value on standard output, on a line of its own unless it is indented."""
    text = orjson.dumps(value, option=orjson.OPT_INDENT_2 if indented else 0).decode()
    # JSON escapes the controls of ASCII alone.
    print_line(_JSON_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def print_notes(notes: Sequence[str]) -> None:
    """What a reader of JSON should know beside it, on standard error."""
    for note in notes:
        log(f"note: {note}")


def prepare_streams() -> None:
    """Escape characters that an encoding lacks, and replace closed streams, so that no file of ours gets their number.

    The null device then reads as nothing, takes what goes to standard error, and refuses what goes to standard output.
    """
    for number, flags in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, flags)
            if null != number:
                os.dup2(null, number)
                os.close(null)
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115 - it is a number, and stays open
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def drawing_module(name: str, option: str) -> Any:
    """A module that draws with matplotlib; MissingExtraError names the option that needs it."""
    return optional_module(name, option, "figures", package="matplotlib")


def draw_plot(path: Path, draw: Callable[[Any], None]) -> None:
    """Give ``wikisem.evaluation.plot`` to a function that draws into ``path``; MissingExtraError without matplotlib."""
    draw(drawing_module("wikisem.evaluation.plot", "--plot"))
    log(f"the figure is {path}")


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
    """Show how far a pipeline is, until the context ends: ``done()`` of ``total`` parts, ``read()`` bytes of ``size``.

    With a size, the bar shows bytes: a part may be a gzip member of 100 GB. Workers on other machines do not report
    them. ``more()`` says what else is known, such as finished languages, as of the last call of ``done``.
    """

    def look() -> tuple[int, str]:
        parts = done()  # first, since ``more`` is as of this call
        return min(read(), size) if size else parts, f"{more()} {parts}/{total}".strip()

    columns: list[bars.ProgressColumn] = [bars.SpinnerColumn(), bars.TextColumn("{task.description}"), bars.BarColumn()]
    if size:
        columns += [bars.TextColumn("{task.fields[parts]}"), bars.DownloadColumn()]
        columns += [bars.TransferSpeedColumn(), bars.TimeRemainingColumn()]
    else:
        columns += [bars.MofNCompleteColumn()]
    columns += [bars.TimeElapsedColumn()]
    with _watched(
        label,
        columns,
        look,
        words=lambda seconds: words_of_work(done(), total, more(), read(), size, seconds),
        total=size or total,
        patience=_PATIENCE,
    ):
        yield


@contextmanager
def byte_progress(label: str, total: int, done: int = 0) -> Iterator[Callable[[int], None]]:
    """Show how many of ``total`` bytes are done: a bar on a terminal, else a line now and then, until the context ends.

    ``done`` bytes were there before the work began: they count as done, and not for the rate. Yields a function that
    adds a number of bytes, or takes some back if it is negative, and may be called from any thread.
    """
    done_now, lock = done, threading.Lock()

    def add(count: int) -> None:
        nonlocal done_now
        with lock:
            done_now += count

    columns = [bars.TextColumn("{task.description}"), bars.BarColumn(), bars.DownloadColumn()]
    columns += [bars.TransferSpeedColumn(), bars.TimeRemainingColumn()]
    with _watched(
        label,
        columns,
        look=lambda: (done_now, ""),
        words=lambda seconds: progress_words(done, done_now, total, seconds),
        total=total,
        first=done,
    ):
        yield add


@contextmanager
def _watched(
    label: str,
    columns: Sequence[bars.ProgressColumn],
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
        with bars.Progress(*columns, console=error_console, transient=True) as display:
            task = display.add_task(label, total=total or None, completed=first, parts="")
            while not stop.wait(_LOOK):
                completed, parts = look()
                display.update(task, completed=completed, parts=parts)

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


def words_of_work(done: int, total: int, more: str, read: int, size: int, seconds: float) -> str:
    """Parts that are ``done`` and bytes ``read``, their rate, the time that is left, and the seconds that have passed.

    >>> words_of_work(3, 40, "2 of 12 languages", 30_000_000_000, 100_000_000_000, 600.0)
    '2 of 12 languages, 3 of 40 parts, 30.0 GB of 100 GB, 50.0 MB/s, 23 min 20 s left, 600 s'
    """
    words = progress_words(0, min(read, size), size, seconds) if size and read else ""
    return ", ".join(filter(None, [more, f"{done} of {total or '?'} parts", words, f"{seconds:.0f} s"]))


def progress_words(first: int, now: int, total: int, seconds: float) -> str:
    """Bytes done, their rate since the run began, and the time that is left at that rate, in its two largest units.

    >>> progress_words(0, 30_000_000, 120_000_000, 30.0)
    '30.0 MB of 120 MB, 1.00 MB/s, 1 min 30 s left'
    """
    rate = (now - first) / seconds if seconds else 0.0
    words = f"{format_bytes(now)} of {format_bytes(total) if total else '?'}, {format_bytes(int(rate))}/s"
    if rate <= 0 or total <= now:
        return words
    rest, units = round((total - now) / rate), list[str]()
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")):
        count, rest = divmod(rest, size)
        units += [f"{count} {unit}"] if count or units else []
    return f"{words}, {' '.join(units[:2]) or '0 s'} left"


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
