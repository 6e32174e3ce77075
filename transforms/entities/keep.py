"""Which rows of the files of items stay, and the finished files of these; most are finished by a second name.

``selection`` says which: the latest revision of an item that comes more than once, if an edge makes the item stay.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.ipc import decode, encode, encode_numbers
from wikisem.arrow.numbers import Numbers, distinct, is_in, union
from wikisem.arrow.qids import qid_buckets, qid_numbers
from wikisem.records import Counts
from wikisem.schemas import ENTITIES
from wikisem.transforms.entities.item_files import ItemFile, ItemWriter, read_numbers
from wikisem.transforms.entities.read_range import STAGE, numbers_by_bucket
from wikisem.transforms.io.counts import write_counts
from wikisem.transforms.io.files import copy, exists
from wikisem.transforms.io.parquet import read_batches, read_parquet
from wikisem.transforms.io.scratch import Scratch
from wikisem.wikidata.selection import CERTAINTIES, Certainty, duplicate_rows, edge_targets, superseded_rows

# The columns of duplicates that say where a row is.
_PLACES: Final = ("certainty", "part", "row")


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
    """From each bucket of duplicates the superseded rows of each file, under the name of the file."""

    def process(self, element: tuple[int, Iterable[bytes]]) -> Iterator[tuple[str, bytes]]:
        """Let the latest revision of each item stay."""
        _, batches = element
        superseded = superseded_rows(pa.concat_tables([decode(batch) for batch in batches]), *_PLACES)
        for certainty in CERTAINTIES:
            rows = superseded.filter(pc.equal(superseded["certainty"], certainty))
            for part in distinct(rows["part"].to_numpy()).tolist():
                chosen = rows.filter(pc.equal(rows["part"], part))
                yield ItemFile(certainty, part).name, encode_numbers(chosen["row"].to_numpy())


def _superseded(scratch: Scratch, file: ItemFile) -> Numbers:
    path = file.superseded(scratch)
    return union([read_parquet(path)["number"].to_numpy()] if exists(path) else [])


def _latest(scratch: Scratch, file: ItemFile, columns: list[str]) -> Iterator[tuple[int, pa.Table]]:
    """The rows of a file that are not superseded, in batches; with each batch how many of its rows are."""
    superseded = _superseded(scratch, file)
    begin = 0
    for table in read_batches(file.path(scratch), columns):
        dropped = is_in(np.arange(begin, begin + table.num_rows), superseded)
        begin += table.num_rows
        yield int(dropped.sum()), table.filter(pa.array(~dropped)) if dropped.any() else table


class FindTargets(beam.DoFn):
    """From each file the numbers of all that the edges of its latest rows lead to, in buckets."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch

    def process(self, element: tuple[Certainty, int]) -> Iterator[tuple[int, bytes]]:
        """Look at the edges of one file."""
        file = ItemFile(*element)
        tables = (table for _, table in _latest(self._scratch, file, ["instance_of", "subclass_of"]))
        yield from numbers_by_bucket(union(edge_targets(table) for table in tables))


class KeepItems(beam.DoFn):
    """A file of items to a finished file of those that stay, and the counts of both."""

    def __init__(self, scratch: Scratch, targets: str) -> None:
        self._scratch, self._targets = scratch, targets

    def process(self, element: tuple[Certainty, int]) -> None:
        """Finish one file."""
        file = ItemFile(*element)
        finished = f"{self._scratch.published}/{file.name}.parquet"
        if file.certainty == "certain" and not exists(file.superseded(self._scratch)):
            kept = sum(table.num_rows for table in read_batches(file.path(self._scratch), ["sitelinks"]))
            copy(file.path(self._scratch), finished)
            counts, written = Counts(kept, kept), True
        else:
            counts, written = self._rewrite(file, finished)
        counts.check(STAGE)
        write_counts(file.counts(self._scratch), counts, [f"{file.name}.parquet"] if written else [])

    def _rewrite(self, file: ItemFile, finished: str) -> tuple[Counts, bool]:
        """Write the rows that stay; their counts, and whether there are any."""
        targets = read_numbers(self._targets) if file.certainty == "undecided" else None
        writer, kept, left_out = ItemWriter(finished), 0, Counter[str]()
        for superseded, table in _latest(self._scratch, file, ENTITIES.names):
            left_out["duplicate"] += superseded
            if targets is not None:
                is_target = is_in(qid_numbers(table["qid"]), targets)
                dropped, table = table.filter(pa.array(~is_target)), table.filter(pa.array(is_target))
                classless = int(pc.sum(pc.equal(pc.list_value_length(dropped["instance_of"]), 0)).as_py() or 0)
                left_out["no-class"] += classless
                left_out["unlinked"] += dropped.num_rows - classless
            writer.add(table)
            kept += table.num_rows
        written = writer.close()
        found = {reason: number for reason, number in left_out.items() if number}
        return Counts(kept + sum(found.values()), kept, found), written
