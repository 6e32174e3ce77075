"""Item files of the entities stage, and numbers of items: how they are named, written, sent, merged and read."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
import numpy as np
import orjson
import pyarrow as pa

from wikisem.arrow.checked_parquet import CheckedWriter
from wikisem.arrow.columns import QID_BUCKETS, Numbers, decode_numbers, encode_numbers, qid_buckets, union
from wikisem.arrow.parquet import write_parquet
from wikisem.files import create_binary, replace_file
from wikisem.layout import UNLINKED, Scratch, property_labels_path
from wikisem.schemas import ENTITIES, PROPERTY_LABELS
from wikisem.transforms.io.counts import read_json
from wikisem.transforms.io.shuffle import (
    Sender,
    Sent,
    Shuffle,
    Task,
    create_bucket_file,
    part_path,
    part_paths,
    read_bucket,
)
from wikisem.wikidata.entity_columns import CERTAINTIES, Certainty
from wikisem.wikidata.line_types import PropertyLine

# The items of one certainty from one range.


class ItemFile(NamedTuple):
    """The file of the items of one certainty from one range; without such items there is no file."""

    certainty: Certainty
    part: int

    @property
    def name(self) -> str:
        """The stem of the names of files about these items."""
        return f"{self.certainty}-{self.part:06}"

    @property
    def finished(self) -> str:
        """The file of the items that stay, below the folder of entities."""
        return f"{self.name}.parquet"

    @property
    def unlinked(self) -> str:
        """The file that counts the items left out as unlinked, below the folder of entities."""
        return f"{UNLINKED}/{self.name}.parquet"

    def counts(self, scratch: Scratch) -> str:
        """The file of the counts of items that stay."""
        return scratch.counts(f"keep-{self.name}")


def item_files(names: Iterable[str]) -> list[ItemFile]:
    """The files of items that have these names, in order; other names are passed over.

    >>> item_files(["undecided-000012", "certain-000012", "properties-12"])
    [ItemFile(certainty='certain', part=12), ItemFile(certainty='undecided', part=12)]
    """
    found = [name.partition("-")[::2] for name in names]
    return sorted(ItemFile(kind, int(part)) for kind, part in found if kind in CERTAINTIES)


# Rows are written once this many bytes of them have gathered, which bounds what a worker holds.
_HELD_BYTES: Final = 1 << 25
# An item that is looked up costs the labels of so many.
ROW_GROUP: Final = 1 << 13


class ItemWriter:
    """A Parquet file of items, made when the first items come and written as more come."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._held: list[pa.Table] = []
        self._size = 0
        self._writer: CheckedWriter | None = None

    def add(self, table: pa.Table) -> None:
        """Take rows in, and write when enough have gathered."""
        self._held.append(table)
        self._size += table.nbytes
        if self._size > _HELD_BYTES:
            self._write()

    def close(self) -> bool:
        """Write what is left, and return whether there is a file."""
        if self._held:
            self._write()
        if self._writer is None:
            return False
        self._writer.close()
        self._sink.close()
        return True

    def _write(self) -> None:
        if self._writer is None:
            self._sink = create_binary(self._path)
            # Few values repeat: dictionaries would make the files larger, and slower to write.
            self._writer = CheckedWriter(self._sink, ENTITIES, dictionaries=False, rows=ROW_GROUP)
        self._writer.write(pa.concat_tables(self._held))
        self._held, self._size = [], 0


# Labels of properties, which are some 14,000 (2026-11).

_PROPERTIES: Final = "properties"


def write_properties(scratch: Scratch, part: int, properties: Sequence[PropertyLine]) -> list[str]:
    """Write the properties that a range has lines of, and return the name of the file; most have none, and no file."""
    if not properties:
        return []
    replace_file(scratch.properties(part), orjson.dumps(properties))
    return [f"{_PROPERTIES}-{part}"]


def write_property_labels(scratch: Scratch, files: Sequence[str]) -> None:
    """Write the labels of properties as ``schemas.PROPERTY_LABELS``, from the files of ranges that are among these.

    Of several lines of a property that of the latest revision counts, then the one with the greatest labels.
    """
    parts = [int(part) for name, _, part in (file.partition("-") for file in files) if name == _PROPERTIES]
    found = [msgspec.convert(each, PropertyLine) for part in parts for each in read_json(scratch.properties(part))]
    found.sort(key=lambda line: (line.number, line.revision, sorted(line.labels.items())))
    latest = {line.number: line.labels for line in found}
    rows = [(number, *label) for number, labels in latest.items() for label in sorted(labels.items())]
    columns = [pa.array([row[at] for row in rows], field.type) for at, field in enumerate(PROPERTY_LABELS)]
    write_parquet(property_labels_path(scratch.finished), pa.Table.from_arrays(columns, schema=PROPERTY_LABELS))


# Item numbers by kind. All items are 115 million (2026-09).

_ALL: Final = "all"
Merge = Callable[[Iterable[Numbers]], Numbers]


def send_numbers(sender: Sender, kind: str, numbers: Numbers) -> Iterator[Sent]:
    """Send item numbers of a kind, which is the key of their tasks."""
    for bucket, found in qid_buckets(numbers):
        yield from sender.add("numbers", bucket, encode_numbers(np.sort(numbers[found])), kind)


def merge_numbers(
    task: Task, scratch: Scratch, shuffle: Shuffle, step: str, parts: int, merges: Mapping[str, Merge]
) -> None:
    """Merge the numbers of a kind that all parts of a step sent to one bucket, by the function of that kind.

    They are written to a bucket file of ``Scratch.merged``.
    """
    batches = shuffle.read(task, f"{step}/numbers", range(parts), "")
    merged = merges[task.key](map(decode_numbers, batches))
    with create_bucket_file(part_path(scratch.merged(step, task.key), task.bucket)) as file:
        file.add(_ALL, encode_numbers(merged))


def read_numbers(folder: str) -> Numbers:
    """The numbers that ``merge_numbers`` left in a folder, ascending, each once."""
    paths = part_paths(folder, QID_BUCKETS)
    return union(decode_numbers(batch) for path in paths for batch in read_bucket(path, [_ALL]))
