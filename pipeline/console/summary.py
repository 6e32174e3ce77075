"""What a command did, for people: a closing table of what went in, was kept, was left out and was rejected, and why."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rich.table import Table

from wikisem.pipeline.build.ledger import Record
from wikisem.pipeline.build.manifest import ENGLISH
from wikisem.pipeline.build.run import Run
from wikisem.pipeline.console.next_command import FIRST_RECIPE, browse_command, next_command
from wikisem.pipeline.console.terminal import log, make_console, print_line

# Reasons of wikisem.dumps for a bad region of a file; all other reasons are those of one record.
BAD_REGIONS: Final = frozenset({"checksum", "garbage", "truncated", "undecodable"})


def print_summary(records: Sequence[Record], output: str, following: str = "") -> int:
    """Print the closing table, the next command to type and, last, where the output is; return the exit code.

    ``following`` is the next command; without it, it is the page of the groups, if there are any.

    Only a record that could not be read is dropped. A part of a dump that could not be decoded, or that is missing at
    its end, hides an unknown number of records: all that could be decoded is used, and the exit code is 1, like gzip's.
    """
    _print_table(records)
    unread = [record for record in records if record.unreadable]
    for record in unread:
        log(f"warning: {record.unit}: {_reasons(record.counts.rejected)} could not be read; see {output}/rejects")
    damaged = [record.unit for record in unread if BAD_REGIONS & set(record.counts.rejected)]
    if damaged:
        log(
            f"wikisem: {', '.join(damaged)}: expected whole dumps, saw damaged ones; what was whole is used, "
            f"and {output}/rejects says where something is lost"
        )
    if not following and any(record.unit.startswith("groups/") and record.counts.kept for record in records):
        following = browse_command(output)
    if following:
        print_line(f"next: {following}")
    print_line(f"output: {output}")
    return 1 if damaged else 0


def print_stage_summary(records: Sequence[Record], run: Run, recipe: str = FIRST_RECIPE) -> int:
    """The summary of a stage that was run by itself; the next command is that of what OUT still lacks."""
    units = [record.unit for record in run.ledger.records()]
    return print_summary(records, run.output, next_command(units, run.output, recipe))


def _print_table(records: Iterable[Record]) -> None:
    table = Table(title="what went in and what came out", title_justify="left")
    table.add_column("stage")
    for name in ("in", "kept", "left out", "rejected"):
        table.add_column(name, justify="right")
    table.add_column("why")
    for record in records:
        table.add_row(*_row(record))
    make_console().print(table)


def _row(record: Record) -> Sequence[str]:
    counts = record.counts
    left_out, rejected = sum(counts.left_out.values()), sum(counts.rejected.values())
    reasons = [record.facts.get("sources", {}), *_both(record)]
    english = len(record.facts.get(ENGLISH, ()))
    why = ", ".join(filter(None, [*map(_reasons, reasons), f"class labels in English {english:,}" if english else ""]))
    return [record.unit, f"{counts.read:,}", f"{counts.kept:,}", f"{left_out:,}", f"{rejected:,}", why]


def _both(record: Record) -> list[Mapping[str, int]]:
    return [record.counts.left_out, record.counts.rejected]


def _reasons(counts: Mapping[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {count:,}" for name, count in ordered if count)
