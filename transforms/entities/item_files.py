"""The files of items that each range leaves in the scratch folder, and the files of numbers that say what stays."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, cast

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq

from wikisem.arrow.ipc import decode_numbers
from wikisem.arrow.numbers import Numbers, union
from wikisem.records import Counts
from wikisem.schemas import ENTITIES
from wikisem.transforms.io.counts import files_left, write_counts
from wikisem.transforms.io.files import create_binary, exists
from wikisem.transforms.io.parquet import read_parquet, write_parquet
from wikisem.transforms.io.scratch import Scratch
from wikisem.wikidata.selection import Certainty

# Rows are written once this many bytes of them have gathered, which bounds what a worker holds.
_HELD_BYTES: Final = 1 << 25


class ItemFile(NamedTuple):
    """The items of one certainty from one range; there is no file where there are no such items."""

    certainty: Certainty
    part: int

    @property
    def name(self) -> str:
        """What files about these items are called."""
        return f"{self.certainty}-{self.part:06}"

    def path(self, scratch: Scratch) -> str:
        """Where the items are."""
        return f"{scratch.parts}/{self.certainty}/{self.part:06}.parquet"

    def superseded(self, scratch: Scratch) -> str:
        """Where the numbers of the rows are that a later revision supersedes; no file where there are none."""
        return f"{scratch.parts}/superseded/{self.name}.parquet"

    def counts(self, scratch: Scratch) -> str:
        """Where it is counted how many of the items stay."""
        return f"{scratch.parts}/counts/keep-{self.name}.json"


def item_file(name: str) -> ItemFile:
    """The file of a name.

    >>> item_file("certain-000012")
    ItemFile(certainty='certain', part=12)
    """
    certainty, _, part = name.partition("-")
    return ItemFile(cast(Certainty, certainty), int(part))


class ItemWriter:
    """A Parquet file of items that is made when the first ones come, and written while more do."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._held: list[pa.Table] = []
        self._size = 0
        self._writer: pq.ParquetWriter | None = None

    def add(self, table: pa.Table) -> None:
        """Take rows in, and write when enough have gathered."""
        self._held.append(table)
        self._size += table.nbytes
        if self._size > _HELD_BYTES:
            self._write()

    def close(self) -> bool:
        """Write what is left; whether there is a file."""
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
            self._writer = pq.ParquetWriter(self._sink, ENTITIES, compression="zstd", use_dictionary=False)
        self._writer.write_table(pa.concat_tables(self._held).combine_chunks())
        self._held, self._size = [], 0


class WriteNumbers(beam.DoFn):
    """(name, encoded numbers) to one file for each name: the numbers that ``merge`` makes of them, if any.

    Yields the names of the files.
    """

    def __init__(self, folder: str, merge: Callable[[Iterable[Numbers]], Numbers]) -> None:
        self._folder, self._merge = folder, merge

    def process(self, element: tuple[object, Iterable[bytes]]) -> Iterator[tuple[None, str]]:
        """Write one file."""
        name, batches = element
        numbers = self._merge(decode_numbers(batch) for batch in batches)
        if numbers.size:
            write_parquet(f"{self._folder}/{name}.parquet", pa.table({"number": numbers}))
            yield None, f"{name}.parquet"


class WriteIndex(beam.DoFn):
    """The names of all files of numbers to a file that ``read_numbers`` reads; no file where there are none."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def process(self, element: tuple[None, Iterable[str]]) -> None:
        """Write the index."""
        write_counts(f"{self._folder}/index.json", Counts(), sorted(element[1]))


def has_numbers(folder: str) -> bool:
    """Whether there is a file of numbers in a folder."""
    return exists(f"{folder}/index.json")


def read_numbers(folder: str) -> Numbers:
    """The numbers in all files of a folder, ascending, each once; none where there is no file."""
    names = files_left([f"{folder}/index.json"]) if has_numbers(folder) else []
    return union(read_parquet(f"{folder}/{name}")["number"].to_numpy() for name in names)
