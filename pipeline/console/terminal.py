"""The output of commands: tables on standard output, plain lines for people on standard error, figures in files."""

import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import orjson
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from wikisem.errors import optional_module
from wikisem.redaction import redacted

_PLAIN_WIDTH: Final = 160
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
    """Standard output: as wide as the terminal, or 160 columns for a file or a pipe.

    Words of the data are not markup: "[red]" and ":smile:" are printed as they are.
    """
    width = None if sys.stdout.isatty() else _PLAIN_WIDTH
    return _SafeConsole(highlight=False, markup=False, emoji=False, width=width)


class _PartedTable(Table):
    """A table with more numbers than fit beside its words is printed in parts, each with all rows and their words."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Columns of numbers take the room that they need, those of words fold, but not below ``_NARROWEST``."""
        wide = options.update(width=_WIDEST)
        needed = [
            max(Measurement.get(console, wide, cell).maximum for cell in (column.header, *column.cells)) + 3
            for column in self.columns
        ]  # with padding and border
        words = sum(column.no_wrap is False for column in self.columns)
        parts, left = [[]], 0  # type: list[list[int]], int
        for index in range(words, len(needed)):
            if parts[-1] and needed[index] > left:
                parts.append([])
            if not parts[-1]:
                left = options.max_width - 1 - sum(min(room, _NARROWEST) for room in needed[:words])
            parts[-1].append(index)
            left -= needed[index]
        if len(parts) == 1:
            yield from super().__rich_console__(console, options)
            return
        title = self.title
        for part in parts:
            columns = [self.columns[index] for index in (*range(words), *part)]
            table = Table(*(column.copy() for column in columns), title=title, title_justify=self.title_justify)
            for row, *cells in zip(self.rows, *(column.cells for column in columns), strict=True):
                table.add_row(*cells, end_section=row.end_section)
            yield table
            title = None


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
    """Say on standard error that a server is asked again after so many seconds."""
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
    """Let a command speak whatever it was started with: a character that an encoding lacks is escaped.

    A closed stream is replaced, so that no file of ours gets its number: the null device is read as nothing, takes what
    goes to standard error, and refuses what goes to standard output, where words are what was asked for.
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
