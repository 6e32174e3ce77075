"""Stage 1: a Wikidata dump to the items that the method reads.

Each range of the dump is read once, into files of items. Whether an item stays can depend on other ranges: its id may
come twice, and edges elsewhere may lead to it. So ids and targets travel as numbers, and then most files of items are
finished as they are, by giving them a second name.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import apache_beam as beam

from wikisem.arrow.numbers import Numbers, repeated, union
from wikisem.dumps import Range, plan_ranges
from wikisem.errors import DamagedInputError
from wikisem.records import Counts
from wikisem.transforms.entities.item_files import ItemFile, WriteIndex, WriteNumbers, has_numbers, item_file
from wikisem.transforms.entities.keep import ChooseLatestRevision, FindDuplicates, FindTargets, KeepItems
from wikisem.transforms.entities.read_range import STAGE, ReadRange, read_counts
from wikisem.transforms.io.counts import files_left, require_files, sum_counts
from wikisem.transforms.io.files import match, open_binary, size_of
from wikisem.transforms.io.runtime import Runtime, StageContext
from wikisem.transforms.io.scratch import Scratch
from wikisem.wikidata.chunk_reader import check_head
from wikisem.wikidata.entity_reader import EntityReader
from wikisem.wikidata.item_values import DEFAULT_PROPERTIES, Fields

# A range is large enough that finding its start costs little, and small enough that many workers end together. It
# depends on the dump alone, never on the workers. The largest hold some 500 MB of text in a compressed dump.
_LEAST_RANGES: Final = 16
_SMALLEST_BYTES: Final = 1 << 22
_LARGEST_BYTES: Final = 1 << 25
# Fewer files than this are finished sooner than more worker processes would have started.
_MANY_FILES: Final = 256


@dataclass(frozen=True, slots=True)
class EntityOptions:
    """What is kept of an item (see ``item_values.Fields``), and of which items.

    ``linked_only`` leaves out items with no sitelink, no P279 and no edge towards them.
    """

    labels: tuple[str, ...] | None = None
    properties: tuple[str, ...] = DEFAULT_PROPERTIES
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
    read = ReadRange(
        EntityReader(Fields(options.labels, options.properties, options.ranks)), options.linked_only, scratch
    )

    def read_ranges(pipeline: beam.Pipeline) -> None:
        found = _spread(pipeline, ranges) | "read" >> beam.ParDo(read).with_outputs("targets", main="items")
        _write_numbers(found.items, "repeated", repeated, scratch)
        _write_numbers(found.targets, "targets", union, scratch)

    runtime.run(read_ranges, label=STAGE, parts=f"{scratch.parts}/counts/read-*.json", total=len(ranges))
    done = [read_counts(scratch, part) for part, _ in ranges]
    # The certain ones first: they are the larger ones.
    files = sorted(map(item_file, files_left(done)))
    if len(files) < _MANY_FILES:
        runtime = replace(runtime, workers=1)
    targets = _find_targets(files, scratch, runtime)

    def keep_rows(pipeline: beam.Pipeline) -> None:
        _spread(pipeline, files) | "keep" >> beam.ParDo(KeepItems(scratch, targets))

    runtime.run(keep_rows, label=f"{STAGE}: finish", parts=f"{scratch.parts}/counts/keep-*.json", total=len(files))
    kept = [file.counts(scratch) for file in files]
    require_files(scratch.published, files_left(kept))
    found = sum_counts([*done, *kept])
    found.check(STAGE)
    if not found.kept:
        raise DamagedInputError(_nothing_found(inputs, found))
    return found


def _find_targets(files: list[ItemFile], scratch: Scratch, runtime: Runtime) -> str:
    """Find superseded rows and what the edges of all others lead to; the folder of the files with these targets."""
    repeated = f"{scratch.parts}/repeated"
    if not has_numbers(repeated):
        return f"{scratch.parts}/targets"

    def find_superseded(pipeline: beam.Pipeline) -> None:
        duplicates = _spread(pipeline, files) | "duplicates" >> beam.ParDo(FindDuplicates(scratch, repeated))
        superseded = duplicates | "group by item" >> beam.GroupByKey() | "choose" >> beam.ParDo(ChooseLatestRevision())
        _write_numbers(superseded, "superseded", union, scratch)

    def find_targets(pipeline: beam.Pipeline) -> None:
        targets = _spread(pipeline, files) | "targets" >> beam.ParDo(FindTargets(scratch))
        _write_numbers(targets, "targets-of-latest", union, scratch)

    runtime.run(find_superseded, label=f"{STAGE}: duplicates")
    runtime.run(find_targets, label=f"{STAGE}: targets")
    return f"{scratch.parts}/targets-of-latest"


def _spread(pipeline: beam.Pipeline, elements: Sequence[tuple[object, ...]]) -> beam.PCollection:
    # As plain tuples: Beam would make rows of its own of named ones.
    elements = [tuple(element) for element in elements]
    return pipeline | "elements" >> beam.Create(elements, reshuffle=False) | "spread" >> beam.Reshuffle()


def _write_numbers(
    numbers: beam.PCollection, name: str, merge: Callable[[Iterable[Numbers]], Numbers], scratch: Scratch
) -> None:
    folder = f"{scratch.parts}/{name}"
    (
        numbers
        | f"group {name}" >> beam.GroupByKey()
        | f"write {name}" >> beam.ParDo(WriteNumbers(folder, merge))
        | f"gather {name}" >> beam.GroupByKey()
        | f"index {name}" >> beam.ParDo(WriteIndex(folder))
    )


def _plan(inputs: Sequence[str]) -> list[Range]:
    paths = match(inputs)
    total = sum(size_of(path) for path in paths)
    target = min(max(total // _LEAST_RANGES, _SMALLEST_BYTES), _LARGEST_BYTES)
    planned = {path: plan_ranges(path, open_binary, target) for path in paths}
    for ranges in planned.values():
        check_head(ranges, open_binary)
    return [range_ for ranges in planned.values() for range_ in ranges]


def _nothing_found(inputs: Sequence[str], counts: Counts) -> str:
    reasons = {**counts.left_out, **counts.rejected}
    seen = ", ".join(f"{number} {reason}" for reason, number in sorted(reasons.items())) or "no line with a record"
    return f"expected items of a Wikidata JSON dump in {', '.join(inputs)}, saw {seen}"
