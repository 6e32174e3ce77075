"""Items that come more than once: the rows of the files of items that a later revision supersedes."""

from collections.abc import Iterator, Sequence
from typing import Final

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.ipc import decode_numbers, encode_numbers
from wikisem.arrow.numbers import Numbers, distinct, is_in, union
from wikisem.arrow.qids import QID_BUCKETS, qid_buckets
from wikisem.schemas import ENTITIES
from wikisem.transforms.entities.item_files import ItemFile
from wikisem.transforms.entities.number_files import read_numbers
from wikisem.transforms.entities.read_range import STAGE
from wikisem.transforms.io.bucket_files import create_bucket_file, part_path, part_paths, read_bucket, read_rows
from wikisem.transforms.io.parquet import read_batches
from wikisem.transforms.io.scratch import Scratch
from wikisem.transforms.io.shuffle import Done, Task, done
from wikisem.wikidata.selection import CERTAINTIES, Certainty, duplicate_rows, superseded_rows

# The columns of duplicates that say where a row is.
_PLACES: Final = ("certainty", "part", "row")


class FindDuplicates(beam.DoFn):
    """From each of so many files its rows of items that come more than once: what decides, and where they are.

    They go to a bucket file by item; ``repeated`` is the folder of the numbers of these items.
    """

    def __init__(self, scratch: Scratch, repeated: str, files: int) -> None:
        self._scratch, self._repeated, self._files = scratch, repeated, files

    def process(self, element: tuple[int, Certainty, int]) -> Iterator[Done]:
        """Look at the rows of one file."""
        number, file = element[0], ItemFile(*element[1:])
        repeated = read_numbers(self._repeated)
        begin = 0
        with create_bucket_file(part_path(_duplicates(self._scratch), number)) as found:
            for table in read_batches(file.path(self._scratch), ENTITIES.names):
                duplicates = find_duplicates(table, repeated, file, begin)
                buckets = qid_buckets(duplicates["number"].to_numpy())
                found.add_rows((bucket, duplicates.take(pa.array(rows))) for bucket, rows in buckets)
                begin += table.num_rows
        yield done(STAGE, number, self._files)


def _duplicates(scratch: Scratch) -> str:
    return f"{scratch.parts}/duplicates"


def find_duplicates(table: pa.Table, repeated: Numbers, file: ItemFile, begin: int) -> pa.Table:
    """The ``duplicate_rows`` of a table that holds the rows of a file from ``begin`` on, with their place in it."""
    found = duplicate_rows(table, repeated)
    file_columns = {
        "certainty": pa.array([file.certainty] * found.num_rows, pa.string()),
        "part": pa.array([file.part] * found.num_rows, pa.int64()),
        "row": found["row"].to_numpy() + begin,
    }
    return pa.table({name: found[name] for name in ("number", "lastrevid", "content")} | file_columns)


class ChooseLatestRevision(beam.DoFn):
    """From each bucket of the duplicates of so many files the superseded rows of each file, by the file's name."""

    def __init__(self, scratch: Scratch, files: int) -> None:
        self._scratch, self._files = scratch, files

    def process(self, task: Task) -> None:
        """Let the latest revision of each item stay."""
        bucket = task[1]
        duplicates = list(read_rows(part_paths(_duplicates(self._scratch), self._files), [bucket]))
        with create_bucket_file(part_path(_superseded(self._scratch), bucket)) as found:
            for name, rows in superseded_by_file(duplicates):
                found.add(name, encode_numbers(rows))


def superseded_by_file(duplicates: Sequence[pa.Table]) -> Iterator[tuple[str, Numbers]]:
    """The names of files with the numbers of their rows that a later revision supersedes."""
    if not duplicates:
        return
    superseded = superseded_rows(pa.concat_tables(duplicates), *_PLACES)
    for certainty in CERTAINTIES:
        rows = superseded.filter(pc.equal(superseded["certainty"], certainty))
        for part in distinct(rows["part"].to_numpy()).tolist():
            chosen = rows.filter(pc.equal(rows["part"], part))
            yield ItemFile(certainty, part).name, np.sort(chosen["row"].to_numpy())


def _superseded(scratch: Scratch) -> str:
    return f"{scratch.parts}/superseded"


def read_superseded(scratch: Scratch, file: ItemFile) -> Numbers:
    """The numbers of the rows of a file that later revisions supersede."""
    paths = part_paths(_superseded(scratch), QID_BUCKETS)
    return union(decode_numbers(rows) for path in paths for rows in read_bucket(path, [file.name]))


def latest_rows(
    scratch: Scratch, file: ItemFile, columns: list[str], superseded: Numbers
) -> Iterator[tuple[int, pa.Table]]:
    """The rows of a file that are not superseded, in batches; with each batch how many of its rows are."""
    begin = 0
    for table in read_batches(file.path(scratch), columns):
        dropped = is_in(np.arange(begin, begin + table.num_rows), superseded)
        begin += table.num_rows
        yield int(dropped.sum()), table.filter(pa.array(~dropped)) if dropped.any() else table
