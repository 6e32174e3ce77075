"""What a command prints: tables on standard output, plain lines for people on standard error."""

import sys
from collections.abc import Sequence
from typing import Any, Final

import orjson
from rich.console import Console

_PLAIN_WIDTH: Final = 160

error_console: Final = Console(stderr=True, highlight=False, soft_wrap=True)


def make_console() -> Console:
    """Standard output: as wide as the terminal, or 160 columns where it is a file or a pipe.

    Words of the data are not markup: "[red]" and ":smile:" are printed as they are.
    """
    return Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else _PLAIN_WIDTH)


def log(text: str) -> None:
    """One plain line on standard error."""
    error_console.print(text, markup=False)


def print_line(text: str) -> None:
    """One plain line on standard output, never wrapped or coloured, for people and programs."""
    print(text)  # noqa: T201 - the command line speaks to people and programs


def print_json(value: Any, *, indented: bool = False) -> None:
    """One JSON value on standard output, on a line of its own unless it is indented."""
    print_line(orjson.dumps(value, option=orjson.OPT_INDENT_2 if indented else 0).decode())


def print_notes(notes: Sequence[str]) -> None:
    """What a reader of JSON should know beside it, on standard error."""
    for note in notes:
        log(f"note: {note}")
