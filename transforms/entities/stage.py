"""Stage 1: a Wikidata dump to the items that the method reads.

Each range of the dump is read once, into files of items. Whether an item stays can depend on other ranges: its id may
come twice, and edges elsewhere may lead to it. So ids and targets are shuffled as numbers, through bucket files, and
then most files of items are finished as they are, by giving them a second name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import apache_beam as beam

from wikisem.arrow.item_index import index_folder, index_name
from wikisem.arrow.numbers import repeated, union
from wikisem.arrow.qids import QID_BUCKETS
from wikisem.dumps import Range, plan_ranges
from wikisem.errors import DamagedInputError
from wikisem.records import Counts
from wikisem.transforms.entities.duplicates import ChooseLatestRevision, FindDuplicates
from wikisem.transforms.entities.item_files import ItemFile, item_file
from wikisem.transforms.entities.keep import FindTargets, IndexItems, KeepItems, latest_numbers
from wikisem.transforms.entities.number_files import Merge, MergeNumbers, merged_folder, read_numbers
from wikisem.transforms.entities.read_range import (
    ITEMS,
    STAGE,
    TARGETS,
    ReadRange,
    numbers_folder,
    range_rejects,
    read_counts,
)
from wikisem.transforms.io.counts import files_left, require_files, sum_counts, sum_ranges
from wikisem.transforms.io.files import match, open_binary, size_of
from wikisem.transforms.io.runtime import Runtime, StageContext
from wikisem.transforms.io.scratch import Scratch
from wikisem.transforms.io.shuffle import Task, WhenAllDone, tasks_of
from wikisem.wikidata.chunk_reader import check_head
from wikisem.wikidata.entity_reader import EntityReader
from wikisem.wikidata.item_values import DEFAULT_PROPERTIES, Fields

# Of the rules by which this stage works and of the form of its files: raise it with any change to what it leaves.
VERSION: Final = 2
# A range is large enough that finding its start costs little, and small enough that many workers end together. It
# depends on the dump alone, never on the workers. The largest hold some 500 MB of text in a compressed dump.
_LEAST_RANGES: Final = 16
_SMALLEST_BYTES: Final = 1 << 22
_LARGEST_BYTES: Final = 1 << 25
# The items of smaller dumps, about a million where these are compressed, have one index file; else one a bucket.
_LARGE_INDEX_BYTES: Final = 1 << 28
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
    """Read dumps, or the parts of one, into ``published/*.parquet`` of schemas.ENTITIES, with an index of them.

    Counts are lines with a record. Every item that has P31 or P279, or is a target of either, is kept. Left out, by
    reason: what is no item ("property", "lexeme", "mediainfo", "redirect", "other-entity"), "duplicate" (a higher
    revision was found), "no-class", "unlinked" (``linked_only``). Raises MissingInputError, and DamagedInputError where
    no item is left.
    """
    scratch, runtime = context.scratch, context.runtime
    planned, closing = _plan(inputs)
    ranges = list(enumerate(planned))
    if not ranges:
        raise DamagedInputError(_nothing_found(inputs, Counts()))
    reader = EntityReader(Fields(options.labels, options.properties, options.ranks))
    numbers = numbers_folder(scratch)

    def read_ranges(pipeline: beam.Pipeline) -> None:
        read = _spread(pipeline, ranges) | "read" >> beam.ParDo(
            ReadRange(reader, options.linked_only, len(ranges), closing, scratch)
        )
        _merge_numbers(read, numbers, len(ranges), {ITEMS: repeated, TARGETS: union})

    counts, size = f"{scratch.parts}/counts/read-*.json", sum(range_.stop - range_.start for _, range_ in ranges)
    runtime.run(read_ranges, label=STAGE, parts=counts, total=len(ranges), size=size)
    done = [read_counts(scratch, part) for part, _ in ranges]
    # The certain ones first: they are the larger ones.
    files = sorted(map(item_file, files_left(done)))
    if len(files) < _MANY_FILES:
        runtime = replace(runtime, workers=1)
    duplicates = bool(read_numbers(merged_folder(numbers, ITEMS)).size)
    targets = _find_targets(files, scratch, runtime) if duplicates else merged_folder(numbers, TARGETS)

    buckets = QID_BUCKETS if size > _LARGE_INDEX_BYTES else 1

    def keep_rows(pipeline: beam.Pipeline) -> None:
        (
            _spread(pipeline, _numbered(files))
            | "keep" >> beam.ParDo(KeepItems(scratch, targets, duplicates, len(files), buckets))
            | "all places" >> WhenAllDone(STAGE, tasks_of({STAGE: buckets}))
            | "index" >> beam.ParDo(IndexItems(scratch, files))
        )

    runtime.run(keep_rows, label=f"{STAGE}: finish", parts=f"{scratch.parts}/counts/keep-*.json", total=len(files))
    kept = [file.counts(scratch) for file in files]
    require_files(scratch.published, files_left(kept))
    found = sum_ranges(done, STAGE, range_rejects(scratch, len(done))) + sum_counts(kept)
    found.check(STAGE)
    if not found.kept:
        raise DamagedInputError(_nothing_found(inputs, found))
    require_files(index_folder(scratch.published), [index_name(bucket, buckets) for bucket in range(buckets)])
    return found


def _find_targets(files: list[ItemFile], scratch: Scratch, runtime: Runtime) -> str:
    """Find superseded rows and what the edges of all others lead to; the folder of these targets."""
    repeated_items, latest = merged_folder(numbers_folder(scratch), ITEMS), latest_numbers(scratch)

    def find_superseded(pipeline: beam.Pipeline) -> None:
        (
            _spread(pipeline, _numbered(files))
            | "duplicates" >> beam.ParDo(FindDuplicates(scratch, repeated_items, len(files)))
            | "all duplicates" >> WhenAllDone(STAGE, tasks_of({STAGE: QID_BUCKETS}))
            | "choose" >> beam.ParDo(ChooseLatestRevision(scratch, len(files)))
        )

    def find_targets(pipeline: beam.Pipeline) -> None:
        found = _spread(pipeline, _numbered(files)) | "targets" >> beam.ParDo(FindTargets(scratch, len(files)))
        _merge_numbers(found, latest, len(files), {TARGETS: union})

    runtime.run(find_superseded, label=f"{STAGE}: duplicates")
    runtime.run(find_targets, label=f"{STAGE}: targets")
    return merged_folder(latest, TARGETS)


def _numbered(files: Sequence[ItemFile]) -> list[tuple[object, ...]]:
    return [(number, *file) for number, file in enumerate(files)]


def _spread(pipeline: beam.Pipeline, elements: Sequence[tuple[object, ...]]) -> beam.PCollection:
    return pipeline | "elements" >> beam.Create(elements, reshuffle=False) | "spread" >> beam.Reshuffle()


def _merge_numbers(done: beam.PCollection, folder: str, parts: int, merges: Mapping[str, Merge]) -> None:
    """What so many parts say when their numbers are in bucket files, to the merged numbers of each kind."""

    def list_tasks(key: str, weights: Sequence[int]) -> list[Task]:
        del key, weights
        return [(kind, bucket, QID_BUCKETS) for kind in merges for bucket in range(QID_BUCKETS)]

    _ = (
        done
        | "all numbers" >> WhenAllDone(STAGE, list_tasks)
        | "merge" >> beam.ParDo(MergeNumbers(folder, parts, merges))
    )


def _plan(inputs: Sequence[str]) -> tuple[list[Range], bytes]:
    """The ranges of all files, and what each file ends with: of an array that was cut into files only one has a "]"."""
    paths = match(inputs)
    total = sum(size_of(path) for path in paths)
    target = min(max(total // _LEAST_RANGES, _SMALLEST_BYTES), _LARGEST_BYTES)
    planned = {path: plan_ranges(path, open_binary, target) for path in paths}
    closings = {check_head(ranges, open_binary) for ranges in planned.values()}
    closing = closings.pop() if len(closings) == 1 else b""
    return [range_ for ranges in planned.values() for range_ in ranges], closing


def _nothing_found(inputs: Sequence[str], counts: Counts) -> str:
    reasons = {**counts.left_out, **counts.rejected}
    seen = ", ".join(f"{number} {reason}" for reason, number in sorted(reasons.items())) or "no line with a record"
    return f"expected items of a Wikidata JSON dump in {', '.join(inputs)}, saw {seen}"
