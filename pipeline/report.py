"""What a command did, for people: a closing table of what went in, was kept, was left out and was rejected, and why."""

import sys
from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console
from rich.table import Table

from pipeline.state import Record


def print_records(records: Iterable[Record], output: str) -> None:
    """Print the closing table and, last, where the output lies."""
    table = Table(title="what went in and what came out", title_justify="left")
    table.add_column("stage")
    for name in ("in", "kept", "left out", "rejected"):
        table.add_column(name, justify="right")
    table.add_column("why")
    for record in records:
        table.add_row(*_row(record))
    make_console().print(table)
    print(f"output: {output}")  # noqa: T201 - the command line speaks to people


def make_console() -> Console:
    """Standard output: as wide as a terminal is, else as wide as its tables want."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 160)


def _row(record: Record) -> Sequence[str]:
    counts = record.counts
    left_out, rejected = sum(counts.left_out.values()), sum(counts.rejected.values())
    why = ", ".join(filter(None, [_reasons(record.facts.get("sources", {})), *map(_reasons, _both(record))]))
    return [record.unit, f"{counts.read:,}", f"{counts.kept:,}", f"{left_out:,}", f"{rejected:,}", why]


def _both(record: Record) -> list[Mapping[str, int]]:
    return [record.counts.left_out, record.counts.rejected]


def _reasons(counts: Mapping[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {count:,}" for name, count in ordered if count)
