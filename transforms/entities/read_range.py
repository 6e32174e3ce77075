"""One range of a dump into files of its items, and the numbers of these and of what their edges lead to.

This is the only look at the dump. Only numbers are shuffled, through bucket files; items wait where they are. Each
range leaves two files of them, by ``selection.Certainty``, so that most of them need not be written again.
"""

from collections.abc import Iterator
from typing import Final

import apache_beam as beam
import pyarrow as pa

from wikisem.arrow.numbers import Numbers, join, union
from wikisem.arrow.qids import qid_numbers
from wikisem.dumps import Range, StreamPart, read_records
from wikisem.transforms.entities.item_files import ItemFile, ItemWriter
from wikisem.transforms.entities.number_files import add_numbers
from wikisem.transforms.io.bucket_files import create_bucket_file, part_path
from wikisem.transforms.io.bytes_read import open_counted
from wikisem.transforms.io.counts import write_counts, write_rejects
from wikisem.transforms.io.scratch import Scratch
from wikisem.transforms.io.shuffle import Done, done
from wikisem.wikidata.chunk_reader import ChunkReader
from wikisem.wikidata.entity_reader import EntityReader
from wikisem.wikidata.selection import CERTAINTIES, Certainty, edge_targets

STAGE: Final = "entities"
# The kinds of numbers that a range finds: those of its items, and those of what their edges lead to.
ITEMS: Final = "items"
TARGETS: Final = "targets"
# Text is decoded, split and parsed while it is still in the processor's cache.
_CHUNK_BYTES: Final = 1 << 18


def numbers_folder(scratch: Scratch) -> str:
    """The bucket files of numbers, one for each range."""
    return f"{scratch.parts}/numbers"


def read_counts(scratch: Scratch, part: int) -> str:
    """Where it is counted what a range held beside items; it also names the files of its items."""
    return f"{scratch.parts}/counts/read-{part:06}.json"


def range_rejects(scratch: Scratch, part: int) -> str:
    """What could not be read of a range; under the number after the last one, of all ranges together."""
    return f"{scratch.rejects_of(STAGE)}/{part:06}.jsonl"


class ReadRange(beam.DoFn):
    """(part, range) to files of items, of counts and rejects, and of the numbers of the items and of their targets."""

    def __init__(self, reader: EntityReader, linked_only: bool, ranges: int, closing: bytes, scratch: Scratch) -> None:
        self._reader, self._linked_only, self._ranges, self._scratch = reader, linked_only, ranges, scratch
        self._closing = closing

    def process(self, element: tuple[int, Range]) -> Iterator[Done]:
        """Read one range to its end, whatever it holds."""
        part, range_ = element
        chunks = ChunkReader(self._reader, self._linked_only, STAGE)
        writers = {certainty: ItemWriter(ItemFile(certainty, part).path(self._scratch)) for certainty in CERTAINTIES}
        numbers: list[Numbers] = []
        targets: list[Numbers] = []
        streams: list[StreamPart] = []
        for certainty, table in _tables(range_, self._closing, chunks, streams):
            writers[certainty].add(table)
            numbers.append(qid_numbers(table["qid"]))
            targets.append(edge_targets(table))
        files = [ItemFile(certainty, part).name for certainty, writer in writers.items() if writer.close()]
        write_rejects(range_rejects(self._scratch, part), chunks.rejects)
        write_counts(read_counts(self._scratch, part), chunks.counts(), files, streams)
        with create_bucket_file(part_path(numbers_folder(self._scratch), part)) as found:
            add_numbers(found, ITEMS, join(numbers))
            add_numbers(found, TARGETS, union(targets))
        yield done(STAGE, part, self._ranges)


def _tables(
    range_: Range, closing: bytes, chunks: ChunkReader, streams: list[StreamPart]
) -> Iterator[tuple[Certainty, pa.Table]]:
    found = read_records(range_, open_counted, chunk_bytes=_CHUNK_BYTES, closing=closing, on_stream=streams.append)
    for chunk in found:
        yield from chunks.read(chunk)
    yield from chunks.finish()
