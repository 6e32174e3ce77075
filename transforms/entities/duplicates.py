"""Items that a dump holds more than once: which of their rows is the latest revision, and which rows it supersedes.

The row with the highest ``lastrevid`` stays, among equal ones the row whose content has the greatest hash: neither the
order of files and ranges nor the number of workers matters. Only the rows of repeated items are looked at:

    row                         lastrevid   content
    certain-000000, row 3: Q6   4           …           superseded
    certain-000002, row 0: Q6   9           hash 2f…    superseded
    certain-000005, row 7: Q6   9           hash c1…    the latest revision
"""

from collections.abc import Iterable, Iterator
from typing import Final

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.ipc import decode, encode, encode_numbers
from wikisem.arrow.numbers import differs_from_previous, distinct, is_in
from wikisem.arrow.qids import qid_buckets, qid_numbers
from wikisem.schemas import ENTITIES
from wikisem.transforms.entities.item_files import ItemFile, read_numbers
from wikisem.transforms.io.parquet import read_batches
from wikisem.transforms.io.scratch import Scratch
from wikisem.wikidata.selection import CERTAINTIES, Certainty, content_hash

_LATEST_FIRST: Final = [
    ("number", "ascending"),
    ("lastrevid", "descending"),
    ("content", "descending"),
    ("certainty", "ascending"),
    ("part", "ascending"),
    ("row", "ascending"),
]


class FindDuplicates(beam.DoFn):
    """From each file its rows of items that come more than once, in buckets: what decides, and where they are."""

    def __init__(self, scratch: Scratch, repeated: str) -> None:
        self._scratch, self._repeated = scratch, repeated

    def process(self, element: tuple[Certainty, int]) -> Iterator[tuple[int, bytes]]:
        """Look at the rows of one file."""
        file = ItemFile(*element)
        repeated = read_numbers(self._repeated)
        begin = 0
        for table in read_batches(file.path(self._scratch), ENTITIES.names):
            duplicates = find_duplicates(table, repeated, file, begin)
            numbers = duplicates["number"].to_numpy()
            yield from ((bucket, encode(duplicates.take(pa.array(rows)))) for bucket, rows in qid_buckets(numbers))
            begin += table.num_rows


def find_duplicates(table: pa.Table, repeated: np.ndarray, file: ItemFile, begin: int) -> pa.Table:
    """The rows of ``repeated`` items among those of a file from row ``begin`` on."""
    numbers = qid_numbers(table["qid"])
    rows = np.flatnonzero(is_in(numbers, repeated))
    found = table.take(pa.array(rows))
    return pa.table(
        {
            "number": numbers[rows],
            "lastrevid": found["lastrevid"],
            "content": pa.array([content_hash(row) for row in found.to_pylist()], pa.binary()),
            "certainty": pa.array([file.certainty] * rows.size, pa.string()),
            "part": pa.array([file.part] * rows.size, pa.int64()),
            "row": rows + begin,
        }
    )


class ChooseLatestRevision(beam.DoFn):
    """From each bucket of duplicates the superseded rows of each file, under the name of the file."""

    def process(self, element: tuple[int, Iterable[bytes]]) -> Iterator[tuple[str, bytes]]:
        """Let the latest revision of each item stay."""
        _, batches = element
        superseded = superseded_rows(pa.concat_tables([decode(batch) for batch in batches]))
        for certainty in CERTAINTIES:
            rows = superseded.filter(pc.equal(superseded["certainty"], certainty))
            for part in distinct(rows["part"].to_numpy()).tolist():
                chosen = rows.filter(pc.equal(rows["part"], part))
                yield ItemFile(certainty, part).name, encode_numbers(chosen["row"].to_numpy())


def superseded_rows(duplicates: pa.Table) -> pa.Table:
    """All rows but that of the latest revision of each item."""
    ordered = duplicates.sort_by(_LATEST_FIRST)
    return ordered.filter(pa.array(~differs_from_previous(ordered["number"].to_numpy())))
