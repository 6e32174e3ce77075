"""Stage 1: a Wikidata dump to the items that the method reads.

Each range of the dump is read once, into files of rows. What decides about rows from afar, ids that come twice and
what edges lead to, travels as numbers; then most files of rows are finished as they are, by giving them their name.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import apache_beam as beam

from wikisem.arrow.numbers import Numbers, repeated, union
from wikisem.dumps import Range, plan_ranges
from wikisem.errors import DamagedInputError
from wikisem.records import Counts
from wikisem.transforms.entities.choice import (
    ChooseWinners,
    FindRivals,
    FindTargets,
    KeepRows,
    Rows,
    WriteNumbers,
    rows_files,
)
from wikisem.transforms.entities.ranges import STAGE, ReadRange
from wikisem.transforms.io.counts import sum_counts
from wikisem.transforms.io.files import list_files, match, open_binary, size_of
from wikisem.transforms.io.runtime import Runtime, StageContext
from wikisem.transforms.io.scratch import Scratch
from wikisem.wikidata.reader import EntityReader
from wikisem.wikidata.values import Fields

# What other stages and category sets need of statements: country, continent, capital, currency, administrative unit,
# part of, facet of, capital of, demonym (https://www.wikidata.org/wiki/Wikidata:List_of_properties, 2026-09).
PROPERTIES: Final = ("P17", "P30", "P36", "P38", "P131", "P361", "P1269", "P1376", "P1549")
# A range is large enough that its start does not count and small enough that many workers end together; it depends on
# the dump alone, never on the workers. The largest hold some 500 MB of text in a compressed dump.
_LEAST_RANGES: Final = 16
_SMALLEST_BYTES: Final = 1 << 22
_LARGEST_BYTES: Final = 1 << 25
# Fewer files of rows than this are finished sooner than more worker processes would have started.
_MANY_FILES: Final = 256


@dataclass(frozen=True, slots=True)
class EntityOptions:
    """What is kept of an item (see ``wikidata_values.Fields``), and of which items.

    ``linked_only`` leaves out items with no sitelink, no P279 and no edge towards them.
    """

    labels: tuple[str, ...] | None = None
    properties: tuple[str, ...] = PROPERTIES
    ranks: Literal["best", "not-deprecated"] = "best"
    linked_only: bool = False


def read_entities(inputs: Sequence[str], options: EntityOptions, context: StageContext) -> Counts:
    """Read dumps, or the parts of one, into ``published/*.parquet`` of schemas.ENTITIES.

    Counts are lines with a record. Every item that has P31 or P279, or is a target of either, is kept. Left out, by
    reason: what is no item ("property", "lexeme", "mediainfo", "redirect", "other-entity"), "duplicate" (a higher
    revision was found), "no-class", "unlinked" (``linked_only``). Raises MissingInputError, and DamagedInputError where
    no item is left.
    """
    scratch, runtime = context.scratch, context.runtime
    ranges = list(enumerate(_plan(inputs)))
    counts = f"{scratch.parts}/counts/*.json"
    read = ReadRange(
        EntityReader(Fields(options.labels, options.properties, options.ranks)), options.linked_only, scratch
    )

    def read_ranges(pipeline: beam.Pipeline) -> None:
        found = _spread(pipeline, ranges) | "read" >> beam.ParDo(read).with_outputs("targets", main="items")
        _write_numbers(found.items, "repeated", repeated, scratch)
        _write_numbers(found.targets, "targets", union, scratch)

    runtime.run(read_ranges, label=STAGE, parts=counts, total=len(ranges))
    files = rows_files(scratch)
    if len(files) < _MANY_FILES:
        runtime = replace(runtime, workers=1)
    targets = _choose_rows(files, scratch, runtime)

    def keep_rows(pipeline: beam.Pipeline) -> None:
        _spread(pipeline, files) | "keep" >> beam.ParDo(KeepRows(scratch, targets))

    runtime.run(keep_rows, label=f"{STAGE}: finish", parts=f"{scratch.parts}/counts/keep-*.json", total=len(files))
    found = sum_counts(counts)
    found.check(STAGE)
    if not found.kept:
        raise DamagedInputError(_nothing_found(inputs, found))
    return found


def _choose_rows(files: list[Rows], scratch: Scratch, runtime: Runtime) -> str:
    """Find the rows that lose against others of their item, and what the others lead to: the pattern of its files."""
    if not list_files(f"{scratch.parts}/repeated/*.parquet"):
        return f"{scratch.parts}/targets/*.parquet"

    def find_losers(pipeline: beam.Pipeline) -> None:
        rivals = _spread(pipeline, files) | "rivals" >> beam.ParDo(
            FindRivals(scratch, f"{scratch.parts}/repeated/*.parquet")
        )
        losers = rivals | "meet" >> beam.GroupByKey() | "choose" >> beam.ParDo(ChooseWinners())
        _write_numbers(losers, "losers", union, scratch)

    def find_targets(pipeline: beam.Pipeline) -> None:
        targets = _spread(pipeline, files) | "targets" >> beam.ParDo(FindTargets(scratch))
        _write_numbers(targets, "targets-of-winners", union, scratch)

    runtime.run(find_losers, label=f"{STAGE}: duplicates")
    runtime.run(find_targets, label=f"{STAGE}: targets")
    return f"{scratch.parts}/targets-of-winners/*.parquet"


def _spread(pipeline: beam.Pipeline, elements: Sequence[object]) -> beam.PCollection:
    return pipeline | "elements" >> beam.Create(elements, reshuffle=False) | "spread" >> beam.Reshuffle()


def _write_numbers(
    numbers: beam.PCollection, name: str, merge: Callable[[Iterable[Numbers]], Numbers], scratch: Scratch
) -> None:
    write = WriteNumbers(f"{scratch.parts}/{name}", merge)
    numbers | f"group {name}" >> beam.GroupByKey() | f"write {name}" >> beam.ParDo(write)


def _plan(inputs: Sequence[str]) -> list[Range]:
    paths = match(inputs)
    total = sum(size_of(path) for path in paths)
    target = min(max(total // _LEAST_RANGES, _SMALLEST_BYTES), _LARGEST_BYTES)
    return [range_ for path in paths for range_ in plan_ranges(path, open_binary, target)]


def _nothing_found(inputs: Sequence[str], counts: Counts) -> str:
    reasons = {**counts.left_out, **counts.rejected}
    seen = ", ".join(f"{number} {reason}" for reason, number in sorted(reasons.items())) or "no line with a record"
    return f"expected items of a Wikidata JSON dump in {', '.join(inputs)}, saw {seen}"
