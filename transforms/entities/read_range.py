"""One range of a dump into files of its items, and the numbers of these and of what their edges lead to.

This is the only look at the dump. Only numbers travel through shuffles, for whole items would not fit in memory. Each
range leaves two files, by ``selection.Certainty``, so that most of them need not be written again.
"""

from collections.abc import Iterator
from typing import Final, Literal

import apache_beam as beam
import numpy as np
import pyarrow as pa
from apache_beam.pvalue import TaggedOutput

from wikisem.arrow.ipc import encode_numbers
from wikisem.arrow.numbers import Numbers, join, union
from wikisem.arrow.qids import qid_buckets, qid_numbers
from wikisem.dumps import Range, read_records
from wikisem.transforms.entities.item_files import ItemFile, ItemWriter
from wikisem.transforms.io.counts import write_counts, write_rejects
from wikisem.transforms.io.files import open_binary
from wikisem.transforms.io.scratch import Scratch
from wikisem.wikidata.chunk_reader import ChunkReader
from wikisem.wikidata.entity_reader import EntityReader
from wikisem.wikidata.selection import CERTAINTIES, Certainty, edge_targets

STAGE: Final = "entities"
# Text is decoded, split and parsed while it is still in the processor's cache.
_CHUNK_BYTES: Final = 1 << 18


def numbers_by_bucket(numbers: Numbers) -> Iterator[tuple[int, bytes]]:
    """Item numbers as (bucket, encoded numbers)."""
    for bucket, found in qid_buckets(numbers):
        yield bucket, encode_numbers(np.sort(numbers[found]))


def read_counts(scratch: Scratch, part: int) -> str:
    """Where it is counted what a range held beside items; it also names the files of its items."""
    return f"{scratch.parts}/counts/read-{part:06}.json"


class ReadRange(beam.DoFn):
    """(part, range) to files of items, counts and rejects; yields the items' numbers, and tagged the targets'."""

    def __init__(self, reader: EntityReader, linked_only: bool, scratch: Scratch) -> None:
        self._reader, self._linked_only, self._scratch = reader, linked_only, scratch

    def process(
        self, element: tuple[int, Range]
    ) -> Iterator[tuple[int, bytes] | TaggedOutput[Literal["targets"], tuple[int, bytes]]]:
        """Read one range to its end, whatever it holds."""
        part, range_ = element
        chunks = ChunkReader(self._reader, self._linked_only, STAGE)
        writers = {certainty: ItemWriter(ItemFile(certainty, part).path(self._scratch)) for certainty in CERTAINTIES}
        numbers: list[Numbers] = []
        targets: list[Numbers] = []
        for certainty, table in _tables(range_, chunks):
            writers[certainty].add(table)
            numbers.append(qid_numbers(table["qid"]))
            targets.append(edge_targets(table))
        files = [ItemFile(certainty, part).name for certainty, writer in writers.items() if writer.close()]
        write_rejects(f"{self._scratch.rejects_of(STAGE)}/{part:06}.jsonl", chunks.rejects)
        write_counts(read_counts(self._scratch, part), chunks.counts(), files)
        yield from numbers_by_bucket(join(numbers))
        yield from (TaggedOutput("targets", bucket) for bucket in numbers_by_bucket(union(targets)))


def _tables(range_: Range, chunks: ChunkReader) -> Iterator[tuple[Certainty, pa.Table]]:
    for chunk in read_records(range_, open_binary, chunk_bytes=_CHUNK_BYTES):
        yield from chunks.read(chunk)
    yield from chunks.finish()
