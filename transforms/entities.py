"""Stage 1: a Wikidata dump to the items that the method reads.

Each range of the dump is read once, into files of items. Whether an item stays can depend on other ranges: its id may
come twice, and edges elsewhere may lead to it. So the numbers of items and targets are shuffled, and the items are not.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final, NamedTuple

import apache_beam as beam
import msgspec
import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow import columns
from wikisem.arrow.buckets import write_index
from wikisem.arrow.columns import QID_BUCKETS, Numbers, decode_numbers, encode_numbers, join, qid_numbers
from wikisem.arrow.parquet import CheckedWriter, bucket_name, read_batches, read_row_groups, write_parquet
from wikisem.dumps import Range, StreamPart, plan_ranges, read_records
from wikisem.errors import DamagedInputError
from wikisem.files import copy, create_binary, match, open_binary, replace_file, size_and_time
from wikisem.layout import UNLINKED, Scratch, index_folder, property_labels_path
from wikisem.records import Counts
from wikisem.schemas import ENTITIES, PROPERTY_LABELS
from wikisem.transforms.io import counts as part_counts
from wikisem.transforms.io import shuffle as bulk
from wikisem.transforms.io.runtime import StageContext
from wikisem.transforms.io.shuffle import Done, Sender, Sent, Shuffle, Task, create_bucket_file, done, tasks_of
from wikisem.wikidata import entity_columns
from wikisem.wikidata.entity_reader import ChunkReader, EntityReader, check_head
from wikisem.wikidata.entity_tables import EntityTables, IdRange
from wikisem.wikidata.line_types import DEFAULT_PROPERTIES, Fields, PropertyLine
from wikisem.wikidata.table_reader import TableReader


class ItemFile(NamedTuple):
    """A file of items from one range: of those that are "certain" to stay in the output, or of the "undecided" ones."""

    certainty: entity_columns.Certainty
    part: int

    @property
    def name(self) -> str:
        """The stem of the names of files about these items, among them the finished one of the items that stay."""
        return f"{self.certainty}-{self.part:06}"


_HELD_BYTES: Final = 1 << 25  # of rows that a worker gathers before it writes them
ROW_GROUP: Final = 1 << 13  # items: to look one up reads the labels of all of them


@dataclass
class ItemWriter:
    """A Parquet file of items, made when the first items come and written as more come."""

    path: str
    _held: list[pa.Table] = field(default_factory=list, init=False)
    _size: int = field(default=0, init=False)
    _writer: CheckedWriter | None = field(default=None, init=False)

    def add(self, *tables: pa.Table, most: int = _HELD_BYTES) -> None:
        """Take rows, and write all that are held once they are more than ``most`` bytes."""
        self._held += tables
        self._size += sum(table.nbytes for table in tables)
        if not self._held or self._size <= most:
            return
        if self._writer is None:
            self._sink = create_binary(self.path)
            # Few values repeat: dictionaries would make the files larger, and slower to write.
            self._writer = CheckedWriter(self._sink, ENTITIES, dictionaries=False, rows=ROW_GROUP)
        self._writer.write(pa.concat_tables(self._held))
        self._held, self._size = [], 0

    def close(self) -> bool:
        """Write what is left, and return whether there is a file."""
        self.add(most=-1)
        if self._writer is None:
            return False
        self._writer.close()
        self._sink.close()
        return True


_PROPERTIES: Final = "properties"


def write_property_labels(scratch: Scratch, files: Sequence[str]) -> None:
    """Write the labels of properties as ``schemas.PROPERTY_LABELS``: number of the property, language code, label.

    The ``files`` that are named ``properties-<range>`` have a record for each line of the dump about a property. If one
    has several lines, the highest revision counts.
    """
    parts = [int(part) for name, _, part in (file.partition("-") for file in files) if name == _PROPERTIES]
    records = chain.from_iterable(part_counts.read_json(scratch.properties(part)) for part in parts)
    lines = [msgspec.convert(record, PropertyLine) for record in records]
    lines.sort(key=lambda line: (line.number, line.revision, sorted(line.labels.items())))
    latest = {line.number: line.labels for line in lines}  # the last line of a property wins
    rows = [(number, *label) for number, labels in latest.items() for label in sorted(labels.items())]
    arrays = [pa.array([row[column] for row in rows], field.type) for column, field in enumerate(PROPERTY_LABELS)]
    write_parquet(property_labels_path(scratch.finished), pa.Table.from_arrays(arrays, schema=PROPERTY_LABELS))


_ALL: Final = "all"
Merge = Callable[[Iterable[Numbers]], Numbers]


def send_numbers(sender: Sender, kind: str, numbers: Numbers) -> Iterator[Sent]:
    """Send item numbers of a kind, which is the key of their tasks."""
    for bucket, found in columns.qid_buckets(numbers):
        yield from sender.add("numbers", bucket, encode_numbers(np.sort(numbers[found])), kind)


def exchange_numbers(
    done: beam.PCollection, context: StageContext, step: str, parts: int, merges: Mapping[str, Merge]
) -> None:
    """Once all parts of a step have sent their numbers, merge those of each kind by the function of that kind."""
    tasks = [Task(kind, bucket, QID_BUCKETS) for kind in merges for bucket in range(QID_BUCKETS)]
    sent = done | "all numbers" >> context.shuffle.exchange(STAGE, lambda *_: tasks, f"{step}/numbers")
    _ = sent | "merge" >> beam.Map(merge_numbers, context.scratch, context.shuffle, step, parts, merges)


def merge_numbers(
    task: Task, scratch: Scratch, shuffle: Shuffle, step: str, parts: int, merges: Mapping[str, Merge]
) -> None:
    """Merge what all parts of a step sent to one bucket into a bucket file of ``Scratch.merged``."""
    merged = merges[task.key](map(decode_numbers, shuffle.read(task, f"{step}/numbers", range(parts), "")))
    with create_bucket_file(bulk.part_path(scratch.merged(step, task.key), task.bucket)) as file:
        file.add(_ALL, encode_numbers(merged))


def read_numbers(folder: str, key: str = _ALL) -> Numbers:
    """The numbers that ``merge_numbers``, or of rows ``choose_latest``, left in a folder, ascending, each once."""
    paths = (bulk.part_path(folder, bucket) for bucket in range(QID_BUCKETS))
    return columns.union(decode_numbers(batch) for path in paths for batch in bulk.read_bucket(path, [key]))


STAGE: Final = "entities"
VERSION: Final = 7  # of the stage's output; raise it when that changes
# The kinds of numbers that a range finds: those of its items, and those of what their edges lead to.
ITEMS: Final = "items"
TARGETS: Final = "targets"
# The steps that find them: of a range, and of a file of items where rows are superseded.
_READ: Final = "read"
_LATEST: Final = "latest"
# Text is decoded, split and parsed while it is still in the processor's cache.
_CHUNK_BYTES: Final = 1 << 18
# A range is large enough that finding its start costs little, and small enough that many workers end together. It
# depends on the dump alone, never on the workers. The largest hold some 500 MB of text in a compressed dump.
_LEAST_RANGES: Final = 16
_SMALLEST_BYTES: Final = 1 << 22
_LARGEST_BYTES: Final = 1 << 25
# The items of smaller dumps, about a million where these are compressed, have one index file; else one a bucket.
_LARGE_INDEX_BYTES: Final = 1 << 28
_MANY_FILES: Final = 256  # of fewer, one process has finished all before more workers would start


@dataclass(frozen=True, slots=True)
class EntityOptions(Fields):
    """Which fields are kept, and of which items: ``linked_only`` drops those with no sitelink, P279 or edge to them."""

    properties: tuple[str, ...] = DEFAULT_PROPERTIES
    linked_only: bool = False


class Reading(NamedTuple):
    """What is read, and how: ``size`` is its bytes, ``closing`` how each file of a dump ends."""

    source: EntityReader | EntityTables
    ranges: Sequence[Range | IdRange]
    size: int
    closing: bytes = b""


def plan_reading(inputs: Sequence[str] | EntityTables, options: EntityOptions) -> Reading:
    """Divide the input into ranges for workers: item ids of public tables, or bytes of the files of a dump."""
    if isinstance(inputs, EntityTables):
        size = sum(group.size for file in inputs.files for group in file.groups)
        return Reading(inputs, list(inputs.ranges()), size)
    files = match(inputs)
    total = sum(size_and_time(path)[0] for path in files)
    bytes_of_range = min(max(total // _LEAST_RANGES, _SMALLEST_BYTES), _LARGEST_BYTES)
    by_file = [plan_ranges(path, open_binary, bytes_of_range) for path in files]
    # A dump is JSON lines, or an array, which ends with "]". If one was cut into files, only the last has a "]".
    closings = {check_head(ranges, open_binary) for ranges in by_file}
    ranges = list(chain.from_iterable(by_file))
    size = sum(found.stop - found.start for found in ranges)
    return Reading(EntityReader(options), ranges, size, closings.pop() if len(closings) == 1 else b"")


def read_entities(
    inputs: Sequence[str] | EntityTables, options: EntityOptions, context: StageContext
) -> tuple[Counts, int]:
    """Read dumps, or the parts of one, or public tables into ``finished/*.parquet`` of schemas.ENTITIES.

    An index of them and labels of properties are written beside them. Returns counts of lines with a record (of tables:
    of entities, and of rows that cannot be read), and the highest number of an item, kept or not. Every item that has
    P31 or P279, or is a target of either, is kept. Left out, by reason: entities that are not items ("property",
    "lexeme", "mediainfo", "redirect", "other-entity"), "duplicate" (a higher revision was found), "no-class",
    "unlinked" (``linked_only``). Raises MissingInputError, and DamagedInputError if no item is left.
    """
    # Read all ranges, and merge the numbers of items and targets that they found.
    scratch = context.scratch
    reading = plan_reading(inputs, options)
    names = sorted({file.folder for file in inputs.files}) if isinstance(inputs, EntityTables) else inputs
    expected = f"expected items of a Wikidata dump in {', '.join(names)}, saw"
    ranges = list(enumerate(reading.ranges))
    if not ranges:
        raise DamagedInputError(f"{expected} no line with a record")
    parts = scratch.counts("read-*")
    with context.runtime.pipeline(label=STAGE, parts=parts, total=len(ranges), size=reading.size) as pipeline:
        shared = (scratch, context.shuffle, len(ranges), reading._replace(ranges=()), options)
        read = pipeline | "elements" >> beam.Create(ranges) | "read" >> beam.FlatMap(read_range, *shared)
        exchange_numbers(read, context, _READ, len(ranges), {ITEMS: columns.repeated, TARGETS: columns.union})
    # Finish the files that ranges left: "certain-<range>" and "undecided-<range>"; "properties-<range>" is for later.
    range_counts = [scratch.counts_of("read", part) for part, _ in ranges]
    left = part_counts.files_left(range_counts)
    named = [name.partition("-")[::2] for name in left]
    # The certain ones first: they are the larger ones.
    files = sorted(ItemFile(kind, int(part)) for kind, part in named if kind in entity_columns.CERTAINTIES)
    buckets = QID_BUCKETS if reading.size > _LARGE_INDEX_BYTES else 1
    finish_files(FileWork(scratch, context.shuffle, files), context, buckets)
    # Check that all is there, and count what was kept and left out.
    kept_counts = [scratch.counts(f"keep-{file.name}") for file in files]
    part_counts.require_files(scratch.finished, part_counts.files_left(kept_counts))
    read_counts = part_counts.sum_ranges(range_counts, STAGE, scratch.unreadable(STAGE, len(range_counts)))
    found = read_counts + part_counts.sum_counts(kept_counts)
    found.check(STAGE)
    if not found.kept:
        reasons = sorted({**found.left_out, **found.unreadable}.items())
        seen = ", ".join(f"{number} {reason}" for reason, number in reasons) or "no line with a record"
        raise DamagedInputError(f"{expected} {seen}")
    write_property_labels(scratch, left)
    index_files = [bucket_name(bucket, buckets) for bucket in range(buckets)]
    part_counts.require_files(index_folder(scratch.finished), index_files)
    return found, max(part_counts.read_json(path)["highest"] for path in range_counts)


def read_range(
    numbered: tuple[int, Any], scratch: Scratch, shuffle: Shuffle, ranges: int, reading: Reading, options: EntityOptions
) -> Iterator[Done | Sent]:
    """Read a numbered range of the input into two files of items: those "certain" to stay, and the "undecided" ones.

    Sent are the numbers of its items, which show what comes twice, and of the targets of their edges (P31 and P279): an
    undecided item stays if it is a target.
    """
    part, range_ = numbered
    writers = {certainty: ItemWriter(scratch.items(certainty, part)) for certainty in entity_columns.CERTAINTIES}
    numbers, targets, streams = list[Numbers](), list[Numbers](), list[StreamPart]()
    reader: TableReader | ChunkReader
    if isinstance(reading.source, EntityTables):
        reader = TableReader(reading.source, options, options.linked_only, STAGE)
        tables = reader.read(range_, part_counts.open_counted)
    else:
        reader = ChunkReader(reading.source, options.linked_only, STAGE)
        opened = part_counts.open_counted
        chunks = read_records(range_, opened, b"\n", _CHUNK_BYTES, reading.closing, streams.append)
        tables = chain(chain.from_iterable(map(reader.read, chunks)), reader.finish())
    # Write the items by certainty, and the file that says what else was found and written.
    for certainty, table in tables:
        writers[certainty].add(table)
        numbers.append(qid_numbers(table["qid"]))
        targets.append(entity_columns.edge_targets(table))
    files = [ItemFile(certainty, part).name for certainty, writer in writers.items() if writer.close()]
    part_counts.write_unreadable(scratch.unreadable(STAGE, part), reader.unreadable)
    if reader.properties:  # most ranges have no line about a property
        replace_file(scratch.properties(part), orjson.dumps(reader.properties))
        files.append(f"{_PROPERTIES}-{part}")
    highest = max((int(found.max()) for found in numbers if found.size), default=0)
    # Items are counted later, when it is known which stay.
    part_counts.write_counts(scratch.counts_of("read", part), reader.counts(), files, streams, highest=highest)
    with shuffle.sender(_READ, key="", number=part) as sender:
        yield from send_numbers(sender, ITEMS, join(numbers))
        yield from send_numbers(sender, TARGETS, columns.union(targets))
    yield done(STAGE, part, parts=ranges)  # the next step waits for all parts


class FileWork(NamedTuple):
    """What the steps that go through the files of items share; each is given the number of one of ``files``."""

    scratch: Scratch
    shuffle: Shuffle
    files: Sequence[ItemFile]


def finish_files(work: FileWork, context: StageContext, buckets: int) -> None:
    """Write the items that stay, only the latest row of each, and an index of them in ``buckets`` files by number."""
    scratch, shuffle, numbers = context.scratch, context.shuffle, range(len(work.files))
    runtime = context.runtime if len(numbers) >= _MANY_FILES else replace(context.runtime, workers=1)
    duplicates = bool(read_numbers(scratch.merged(_READ, ITEMS)).size)  # whether some item has several rows
    if duplicates:  # find the superseded rows (all but an item's latest), and the targets of the edges of the others
        with runtime.pipeline(label=f"{STAGE}: duplicates") as pipeline:
            _ = (
                pipeline
                | "elements" >> beam.Create(numbers)
                | "duplicates" >> beam.FlatMap(send_duplicates, work)
                | "all duplicates" >> shuffle.exchange(STAGE, tasks_of({STAGE: QID_BUCKETS}), "duplicates/rows")
                | "choose" >> beam.Map(choose_latest, work)
            )
        with runtime.pipeline(label=f"{STAGE}: targets") as pipeline:
            sent = pipeline | "elements" >> beam.Create(numbers) | "targets" >> beam.FlatMap(send_targets, work)
            exchange_numbers(sent, context, _LATEST, len(numbers), {TARGETS: columns.union})
    targets = scratch.merged(_LATEST if duplicates else _READ, TARGETS)
    parts = scratch.counts("keep-*")
    with runtime.pipeline(label=f"{STAGE}: finish", parts=parts, total=len(numbers)) as pipeline:
        _ = (
            pipeline
            | "elements" >> beam.Create(numbers)
            | "keep" >> beam.ParDo(KeepItems(work, targets, duplicates, buckets))
            | "all places" >> shuffle.exchange(STAGE, tasks_of({STAGE: buckets}), "keep/places")
            | "index" >> beam.Map(index_items, work)
        )


# The columns of duplicates that say where a row is.
_POSITION: Final = ("certainty", "part", "row")


def send_duplicates(number: int, work: FileWork) -> Iterator[Done | Sent]:
    """Send revision, hash and position of the rows in a file whose items have several rows, to buckets by item."""
    repeated, file = read_numbers(work.scratch.merged(_READ, ITEMS)), work.files[number]
    begin = 0  # the number of the batch's first row in the file
    with work.shuffle.sender("duplicates", STAGE, number) as sender:
        for table in read_batches(work.scratch.items(*file), ENTITIES.names):
            found = entity_columns.duplicate_rows(table, repeated)
            rows_in_file = pa.array(found["row"].to_numpy() + begin)
            position = [pa.repeat(str(file.certainty), len(found)), pa.repeat(file.part, len(found)), rows_in_file]
            duplicates = found.drop_columns(["row"])
            for name, values in zip(_POSITION, position, strict=True):
                duplicates = duplicates.append_column(name, values)
            buckets = columns.qid_buckets(duplicates["number"].to_numpy())
            yield from sender.add_rows("rows", [(bucket, duplicates.take(pa.array(rows))) for bucket, rows in buckets])
            begin += table.num_rows
    yield done(STAGE, number, parts=len(work.files))  # the next step waits for all parts


def choose_latest(task: Task, work: FileWork) -> None:
    """Write, by file, the numbers of the superseded rows in a bucket of duplicates: all but the latest of each item."""
    duplicates = list(work.shuffle.read_rows(task, "duplicates/rows", range(len(work.files))))
    with create_bucket_file(bulk.part_path(work.scratch.superseded(), task.bucket)) as file_rows:
        if not duplicates:
            return
        superseded = entity_columns.superseded_rows(pa.concat_tables(duplicates), *_POSITION)
        parts = set(pc.unique(superseded["part"]).to_pylist())  # of the files that have any
        for file in (file for file in work.files if file.part in parts):
            is_certainty = pc.equal(superseded["certainty"], file.certainty)
            is_of_file = pc.and_(pc.equal(superseded["part"], file.part), is_certainty)
            rows = superseded.filter(is_of_file)["row"].to_numpy()
            if rows.size:
                file_rows.add(file.name, encode_numbers(np.sort(rows)))


def send_targets(number: int, work: FileWork) -> Iterator[Done | Sent]:
    """Send the numbers of the items that the edges (P31, P279) in a file lead to, but not from superseded rows."""
    file = work.files[number]
    superseded = read_numbers(work.scratch.superseded(), file.name)  # numbers of rows whose item has a later row
    tables = latest_rows(work.scratch, file, ["instance_of", "subclass_of"], superseded)
    with work.shuffle.sender(_LATEST, key="", number=number) as sender:
        targets = columns.union(entity_columns.edge_targets(table) for _, table in tables)
        yield from send_numbers(sender, TARGETS, targets)
    yield done(STAGE, number, parts=len(work.files))  # the next step waits for all parts


@dataclass(eq=False)
class KeepItems(beam.DoFn):
    """Finish files of items one by one: write the items that stay, all counts, and the numbers of these items.

    The latest revision of an item stays if it is certain or if an edge leads to it. ``targets`` is the folder of what
    all edges lead to, some million numbers, which a worker reads once for all its files; ``duplicates`` says that some
    rows are superseded. The numbers are sent to ``buckets`` buckets, one batch for each row group of a finished file.
    """

    work: FileWork
    targets: str
    duplicates: bool
    buckets: int
    _known: Numbers | None = field(default=None, init=False)

    def process(self, number: int) -> Iterator[Done | Sent]:
        """Copy a file of items if all of them stay, or else write those that do; send their numbers to the index."""
        scratch, file = self.work.scratch, self.work.files[number]
        superseded = read_numbers(scratch.superseded(), file.name) if self.duplicates else join([])
        # Of a "certain" file all items stay, of an "undecided" one the targets of edges; superseded rows never do.
        name, is_copied = f"{file.name}.parquet", file.certainty == "certain" and not superseded.size
        if is_copied:
            copy(scratch.items(*file), f"{scratch.finished}/{name}")
            counts, written = Counts(), [name]  # counted below
        else:
            counts, written = self._rewrite(file, superseded)
        with self.work.shuffle.sender("keep", STAGE, number) as sender:
            for table in read_row_groups(f"{scratch.finished}/{name}", ["qid"]) if name in written else ():
                numbers = np.sort(qid_numbers(table["qid"]))
                bucket_of = numbers % self.buckets  # of the index, which says in which row group an item is
                for bucket in range(self.buckets):
                    yield from sender.add("places", bucket, encode_numbers(numbers[bucket_of == bucket]))
                if is_copied:
                    counts += Counts(len(numbers), len(numbers))
        counts.check(STAGE)
        part_counts.write_counts(scratch.counts(f"keep-{file.name}"), counts, written)
        yield done(STAGE, number, parts=len(self.work.files))  # the next step waits for all parts

    def _rewrite(self, file: ItemFile, superseded: Numbers) -> tuple[Counts, list[str]]:
        """Write the rows of a file that stay, and return the counts of all its rows and the names of files written."""
        folder = self.work.scratch.finished
        targets: Numbers | None = None
        if file.certainty == "undecided":  # of these items only the targets of edges stay
            targets = self._known = read_numbers(self.targets) if self._known is None else self._known
        writer, kept, left_out = ItemWriter(f"{folder}/{file.name}.parquet"), 0, Counter[str]()
        unlinked: list[pa.Table] = []  # for each list of classes, how many dropped items have it
        for dropped_rows, table in latest_rows(self.work.scratch, file, ENTITIES.names, superseded):
            left_out["duplicate"] += dropped_rows
            if targets is not None:
                is_target = columns.is_in(qid_numbers(table["qid"]), targets)
                dropped, table = table.filter(pa.array(~is_target)), table.filter(pa.array(is_target))
                unlinked.append(entity_columns.count_unlinked([dropped]))
                with_class = pc.sum(unlinked[-1]["items"]).as_py() or 0
                left_out["no-class"] += dropped.num_rows - with_class
                left_out["unlinked"] += with_class  # without a sitelink, or they would be certain
            writer.add(table)
            kept += table.num_rows
        written = [f"{file.name}.parquet"] if writer.close() else []
        if left_out["unlinked"]:  # shares of all instances of a class count these, too
            written.append(f"{UNLINKED}/{file.name}.parquet")
            write_parquet(f"{folder}/{written[-1]}", entity_columns.count_unlinked(unlinked))
        reasons = {reason: number for reason, number in left_out.items() if number}
        return Counts(kept + sum(reasons.values()), kept, reasons), written


def index_items(task: Task, work: FileWork) -> None:
    """Write a bucket of the index of all finished files from the numbers in that bucket."""
    parts = work.shuffle.read_parts(task, "keep/places", range(len(work.files)))
    with create_binary(f"{index_folder(work.scratch.finished)}/{bucket_name(task.bucket, task.buckets)}") as sink:
        found = [map(decode_numbers, batches) for batches in parts]
        write_index(sink, [f"{file.name}.parquet" for file in work.files], found)


def latest_rows(
    scratch: Scratch, file: ItemFile, names: list[str], superseded: Numbers
) -> Iterator[tuple[int, pa.Table]]:
    """Yield the rows of a file in batches without the ``superseded`` ones (row numbers), after how many these were."""
    begin = 0  # the number of the batch's first row in the file
    for table in read_batches(scratch.items(*file), names):
        is_superseded = columns.is_in(np.arange(begin, begin + table.num_rows), superseded)
        begin += table.num_rows
        yield int(is_superseded.sum()), table.filter(pa.array(~is_superseded)) if is_superseded.any() else table
