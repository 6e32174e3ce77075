"""One range of a dump into the rows of its items, their numbers and those of edge targets: the only look at the dump.

Only numbers travel through shuffles, for whole items would not fit in memory. Rows lie in two files for each range,
by the kinds of ``dump_chunks``, so that most of them need not be written again.
"""

from collections.abc import Iterator
from typing import Final, Literal

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.pvalue import TaggedOutput

from wikisem.arrow.ipc import encode_numbers
from wikisem.arrow.numbers import Numbers, join, union
from wikisem.arrow.qids import qid_buckets, qid_numbers
from wikisem.dumps import Range, read_records
from wikisem.schemas import ENTITIES
from wikisem.transforms.io.counts import write_counts, write_rejects
from wikisem.transforms.io.files import create_binary, open_binary
from wikisem.transforms.io.scratch import Scratch
from wikisem.wikidata.chunks import ChunkReader, Kind
from wikisem.wikidata.reader import EntityReader
from wikisem.wikidata.selection import edge_targets

STAGE: Final = "entities"
KINDS: Final[tuple[Kind, ...]] = ("sure", "rest")
# Rows go to disk when so much of them has gathered, which bounds what a worker holds.
_HELD_BYTES: Final = 1 << 25
# Text is decoded, split and parsed while it is still in the processor's cache.
_CHUNK_BYTES: Final = 1 << 18


def rows_path(scratch: Scratch, kind: Kind, part: int) -> str:
    """The rows of one kind from one range; there is no file where there are no rows."""
    return f"{scratch.parts}/{kind}/{part:06}.parquet"


def to_buckets(numbers: Numbers) -> Iterator[tuple[int, bytes]]:
    """Numbers as (bucket, packed numbers)."""
    for bucket, found in qid_buckets(numbers):
        yield bucket, encode_numbers(np.sort(numbers[found]))


class ReadRange(beam.DoFn):
    """(part, range) to files of rows, counts and rejects; yields the numbers of the items, and tagged the targets'."""

    def __init__(self, reader: EntityReader, linked_only: bool, scratch: Scratch) -> None:
        self._reader, self._linked_only, self._scratch = reader, linked_only, scratch

    def process(
        self, element: tuple[int, Range]
    ) -> Iterator[tuple[int, bytes] | TaggedOutput[Literal["targets"], tuple[int, bytes]]]:
        """Read one range to its end, whatever stands in it."""
        part, range_ = element
        chunks = ChunkReader(self._reader, self._linked_only, STAGE)
        rows = {kind: RowsFile(rows_path(self._scratch, kind, part)) for kind in KINDS}
        numbers: list[Numbers] = []
        targets: list[Numbers] = []
        for kind, table in _tables(range_, chunks):
            rows[kind].add(table)
            numbers.append(qid_numbers(table["qid"]))
            targets.append(edge_targets(table))
        for file in rows.values():
            file.close()
        write_rejects(f"{self._scratch.rejects}/{part:06}.jsonl", chunks.rejects)
        write_counts(f"{self._scratch.parts}/counts/read-{part:06}.json", chunks.counts())
        yield from to_buckets(join(numbers))
        yield from (TaggedOutput("targets", bucket) for bucket in to_buckets(union(targets)))


def _tables(range_: Range, chunks: ChunkReader) -> Iterator[tuple[Kind, pa.Table]]:
    for chunk in read_records(range_, open_binary, chunk_bytes=_CHUNK_BYTES):
        yield from chunks.read(chunk)
    yield from chunks.finish()


class RowsFile:
    """A Parquet file of items that is made when rows come, and written while they do."""

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

    def close(self) -> None:
        """Write what is left."""
        if self._held:
            self._write()
        if self._writer is not None:
            self._writer.close()
            self._sink.close()

    def _write(self) -> None:
        if self._writer is None:
            self._sink = create_binary(self._path)
            # Hardly a value comes twice: dictionaries would make the files larger, and slower to write.
            self._writer = pq.ParquetWriter(self._sink, ENTITIES, compression="zstd", use_dictionary=False)
        self._writer.write_table(pa.concat_tables(self._held).combine_chunks())
        self._held, self._size = [], 0
