"""One report, printed as its reader asks for it, and written to the file of --output in the form of its suffix."""

import argparse
import csv
import io
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import orjson
from rich.console import Console

from wikisem import __version__
from wikisem.datasets.files import csv_cell
from wikisem.errors import MissingInputError
from wikisem.evaluation.rows import Scores, logs_of
from wikisem.evaluation.tables import blocks_of, plots_of
from wikisem.files import replace_file, write_files
from wikisem.outputs.report import Block, Plot, Sheet, report_latex, report_markdown, report_page
from wikisem.pipeline.console.terminal import log, make_console, make_table, print_json, print_line, print_notes, shown

Row = Mapping[str, Any]


def deliver_scores(
    scores: Scores, title: str, arguments: argparse.Namespace, expected: str, plots: Sequence[Plot] = ()
) -> None:
    """Print and write the scores of a task; MissingInputError after that if none has a value, as ``expected`` says."""
    # A row has a score if it has an interval, from ``low`` up, or is combined of others; baselines do not count.
    has_scores = any(row.low is not None or row.metric == "combined" for row in scores.rows if row.task != "baseline")
    if folder := arguments.every_eval_ever:  # the folder for logs in the format of Every Eval Ever, one of each model
        epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
        logs = logs_of(scores.rows, int(epoch) if epoch.isdecimal() else int(time.time()))
        texts = [orjson.dumps(text, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE) for text in logs.values()]
        # A number keeps models apart whose names differ only in characters that a file cannot have.
        plain = (re.sub(r"[^\w.-]+", "_", model) for model in logs)
        names = [f"{number}-{name}.json" for number, name in enumerate(plain, start=1)]
        write_files(Path(folder), list(zip(names, texts, strict=True)))
        log(f"the logs are {folder}")
    deliver(
        arguments,
        title,
        lambda full: blocks_of(scores.rows, scores.notes, title, full),
        [msgspec.to_builtins(row) for row in scores.rows],
        plots=lambda: [*plots_of(scores.rows), *plots],
        notes=scores.notes,
        unscored="" if has_scores else expected,
    )


def deliver(
    arguments: argparse.Namespace,
    title: str,
    blocks: Callable[[bool], Iterable[Block]],
    objects: Sequence[Row],
    *,
    rows: Sequence[Row] = (),
    plots: Callable[[], Sequence[Plot]] = tuple,
    notes: Sequence[str] = (),
    unscored: str = "",
) -> None:
    """Write what a command found to the file of --output, in the form of its suffix, and print it: tables, JSON or CSV.

    ``blocks(full)`` makes tables and lines of text, ``full`` ones with all details. ``objects`` are the same as JSON
    objects, and as rows of CSV unless there are other ``rows``. ``notes`` are what a reader of JSON should know;
    ``plots`` are drawn on the HTML page. ``unscored`` says what was expected where nothing could be scored: a
    MissingInputError once the report is out.
    """
    if arguments.output:  # first, so that a reader who goes away (`| head`) costs nothing
        suffix = arguments.output.suffix
        if suffix == ".csv":
            text = csv_text(rows or objects)
        elif suffix == ".json":
            whole = {"version": __version__, "scores": objects, "notes": notes}
            text = orjson.dumps(whole, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
        else:
            safe, made = list[Block](), f"made by wikisem {__version__}"
            for block in blocks(True):  # each cell ``shown``: without controls of a terminal, or credentials
                if isinstance(block, str):
                    safe.append(shown(block))
                else:
                    cells = [list(map(shown, row)) for row in block.rows]
                    safe.append(Sheet(list(map(shown, block.header)), cells, block.numbers, shown(block.title)))
            if suffix == ".html":
                text = report_page(title, safe, plots(), made)
            else:
                text = (report_markdown if suffix == ".md" else report_latex)(title, safe, made)
        replace_file(str(arguments.output), text.encode())
        log(f"the report is {arguments.output}")
    # On standard output.
    if getattr(arguments, "csv", False):
        print_line(csv_text(rows or objects).removesuffix("\n"))
    elif arguments.json:
        for row in objects:
            print_json(row)
        print_notes(notes)
    else:
        console = make_console()
        for block in blocks(getattr(arguments, "full", False)):
            print_block(console, block)
    if unscored:
        raise MissingInputError(f"expected {unscored}, saw none")


def print_block(console: Console, block: Block) -> None:
    """Print a line, or a table below its title; columns of words come before those of numbers."""
    if isinstance(block, str):
        console.print(block)
        return
    if block.title:
        console.print(block.title)
    word_columns = block.numbers.count(False)
    table = make_table(block.header[:word_columns], block.header[word_columns:])
    for row in block.rows:
        table.add_row(*row)
    console.print(table)


def csv_text(rows: Iterable[Row]) -> str:
    """Write rows as CSV under one header: every column that any row has, in the order in which they first come."""
    listed = list(rows)
    columns = list(dict.fromkeys(column for row in listed for column in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for row in listed:
        writer.writerow({name: csv_cell(shown(cell)) if isinstance(cell, str) else cell for name, cell in row.items()})
    return text.getvalue()
