"""One report, printed as its reader asks for it, and written to the file of --output in the form of its suffix."""

import argparse
import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson
from rich.console import Group, RenderableType
from rich.table import Table

from wikisem import __version__
from wikisem.datasets.files import csv_cell
from wikisem.errors import MissingInputError, UsageError
from wikisem.files import path_of, replace_file
from wikisem.outputs.report.page import Block, Plot, Sheet, report_markdown, report_page
from wikisem.pipeline.command_options import argument
from wikisem.pipeline.console.terminal import log, make_console, print_json, print_line, print_notes, shown

Row = Mapping[str, Any]
_SUFFIXES: Final = (".md", ".csv", ".json", ".html")


@dataclass(frozen=True, slots=True)
class Report:
    """Scores in every form, each made only when it is asked for.

    ``notes`` are what a reader of JSON should know, ``plots`` are drawn on the HTML page. ``unscored`` says what was
    expected where nothing could be scored, which is an error once the report is out.
    """

    title: str
    tables: Callable[[], Iterable[RenderableType]]
    objects: Callable[[], Iterable[Row]]
    rows: Callable[[], Iterable[Row]]
    plots: Callable[[], Sequence[Plot]] = tuple
    notes: Sequence[str] = ()
    unscored: str = ""


def add_report_file(parser: argparse.ArgumentParser) -> None:
    """Declare --output for a command that reports scores."""
    parser.add_argument(
        "--output",
        type=argument(report_file),
        metavar="FILE",
        help="write the report to this file, too: .md, .csv, .json, or .html with plots",
    )


def report_file(text: str) -> Path:
    """A file for a report, with the suffix of a form that can be written; others are refused before any work."""
    if Path(text).suffix not in _SUFFIXES:
        raise UsageError(f"expected a file that ends in {', '.join(_SUFFIXES)}, saw {text!r}")
    return path_of(text)


def deliver(report: Report, arguments: argparse.Namespace) -> None:
    """Print a report as tables, or as --json or --csv ask for it, and write the file of --output.

    MissingInputError after that if nothing could be scored.
    """
    if arguments.output:  # first, so that a reader who goes away (`| head`) costs nothing
        replace_file(str(arguments.output), _form(report, arguments.output.suffix).encode())
        log(f"the report is {arguments.output}")
    if getattr(arguments, "csv", False):
        print_line(csv_text(report.rows()).removesuffix("\n"))
    elif arguments.json:
        for one in report.objects():
            print_json(one)
        print_notes(report.notes)
    else:
        console = make_console()
        for part in report.tables():
            console.print(part)
    if report.unscored:
        raise MissingInputError(f"expected {report.unscored}, saw none")


def _form(report: Report, suffix: str) -> str:
    if suffix == ".csv":
        return csv_text(report.rows())
    if suffix == ".json":
        whole = {"version": __version__, "scores": list(report.objects()), "notes": report.notes}
        return orjson.dumps(whole, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
    made = f"made by wikisem {__version__}"
    blocks = [block for table in report.tables() for block in _blocks(table)]
    if suffix == ".md":
        return report_markdown(report.title, blocks, made)
    return report_page(report.title, blocks, report.plots(), made)


def _blocks(found: RenderableType) -> Iterator[Block]:
    """The tables and lines of what a console prints."""
    if isinstance(found, Group):
        for part in found.renderables:
            yield from _blocks(part)
    elif isinstance(found, Table):
        header = [shown(str(column.header)) for column in found.columns]
        cells = [[shown(str(cell)) for cell in column.cells] for column in found.columns]
        numbers = [column.justify == "right" for column in found.columns]
        yield Sheet(header, list(zip(*cells, strict=True)), numbers, shown(str(found.title or "")))
    elif str(found).strip():
        yield shown(str(found))


def csv_text(rows: Iterable[Row]) -> str:
    """Rows under one header: every column that any row has, in the order in which they first come."""
    listed = list(rows)
    columns = list(dict.fromkeys(column for row in listed for column in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for row in listed:
        writer.writerow({name: csv_cell(shown(cell)) if isinstance(cell, str) else cell for name, cell in row.items()})
    return text.getvalue()
