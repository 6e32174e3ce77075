"""Item files of the entities stage, and bucket files of item numbers: how they are named, written, merged and read."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple, cast

import apache_beam as beam
import numpy as np
import pyarrow as pa

from wikisem.arrow.checked_parquet import CheckedWriter
from wikisem.arrow.columns import QID_BUCKETS, Numbers, decode_numbers, encode_numbers, qid_buckets, union
from wikisem.files import create_binary
from wikisem.layout import UNLINKED, EntityScratch
from wikisem.schemas import ENTITIES
from wikisem.transforms.io.shuffle import BucketFile, Task, create_bucket_file, part_path, part_paths, read_bucket
from wikisem.wikidata.entity_columns import Certainty

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

    def path(self, scratch: EntityScratch) -> str:
        """The file of the items as the range left them."""
        return scratch.items(self.certainty, self.part)

    def counts(self, scratch: EntityScratch) -> str:
        """The file of the counts of items that stay."""
        return scratch.counts(f"keep-{self.name}")


def item_file(name: str) -> ItemFile:
    """The file of a name.

    >>> item_file("certain-000012")
    ItemFile(certainty='certain', part=12)
    """
    certainty, _, part = name.partition("-")
    return ItemFile(cast(Certainty, certainty), int(part))


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


# Item numbers by kind. All items are 115 million (2026-09), too many for Beam's shuffle of a local run.

_ALL: Final = "all"
Merge = Callable[[Iterable[Numbers]], Numbers]


def add_numbers(file: BucketFile, kind: str, numbers: Numbers) -> None:
    """Write item numbers of a kind into the bucket file of a part."""
    for bucket, found in qid_buckets(numbers):
        file.add(_bucket(kind, bucket), encode_numbers(np.sort(numbers[found])))


def _bucket(kind: str, bucket: int) -> str:
    return f"{kind}-{bucket}"


class MergeNumbers(beam.DoFn):
    """Merge the numbers of a kind in one bucket of all parts by the function of that kind.

    Part files are in ``folder``; the merged numbers of a kind are in ``merged_folder``.
    """

    def __init__(self, folder: str, parts: int, merges: Mapping[str, Merge]) -> None:
        self._folder, self._parts, self._merges = folder, parts, merges

    def process(self, task: Task) -> None:
        """Read, merge and write."""
        kind, bucket, _ = task
        batches = (
            batch
            for path in part_paths(self._folder, self._parts)
            for batch in read_bucket(path, [_bucket(kind, bucket)])
        )
        merged = self._merges[kind](map(decode_numbers, batches))
        with create_bucket_file(part_path(merged_folder(self._folder, kind), bucket)) as file:
            file.add(_ALL, encode_numbers(merged))


def merged_folder(folder: str, kind: str) -> str:
    """Where ``MergeNumbers`` writes the merged numbers of a kind."""
    return f"{folder}-{kind}"


def read_numbers(folder: str) -> Numbers:
    """The numbers that ``MergeNumbers`` left in a folder, ascending, each once."""
    paths = part_paths(folder, QID_BUCKETS)
    return union(decode_numbers(batch) for path in paths for batch in read_bucket(path, [_ALL]))
