"""Which items stay: one row of each that came more than once, and no item without a class to which nothing leads.

The row with the highest ``lastrevid`` wins, among equal ones that whose content has the greatest hash: no order of
files, ranges or workers decides. What a row that lost leads to does not count.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from typing import Final

import apache_beam as beam
import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.ipc import decode, decode_numbers, encode, encode_numbers
from wikisem.arrow.numbers import Numbers, distinct, is_in, union
from wikisem.arrow.qids import qid_buckets, qid_numbers
from wikisem.records import Counts
from wikisem.schemas import ENTITIES
from wikisem.transforms.entities.ranges import KINDS, STAGE, RowsFile, rows_path, to_buckets
from wikisem.transforms.io.counts import write_counts
from wikisem.transforms.io.files import list_files, rename
from wikisem.transforms.io.parquet import read_batches, read_parquet, write_parquet
from wikisem.transforms.io.scratch import Scratch
from wikisem.wikidata.chunks import Kind
from wikisem.wikidata.selection import edge_targets

# A file of rows: its kind and its part.
Rows = tuple[Kind, int]
_BEST_FIRST: Final = [
    ("number", "ascending"),
    ("lastrevid", "descending"),
    ("content", "descending"),
    ("kind", "ascending"),
    ("part", "ascending"),
    ("row", "ascending"),
]


def rows_files(scratch: Scratch) -> list[Rows]:
    """All files of rows that the ranges left."""
    found = ((kind, list_files(f"{scratch.parts}/{kind}/*.parquet")) for kind in KINDS)
    return [(kind, int(path.rpartition("/")[2].partition(".")[0])) for kind, paths in found for path in paths]


class WriteNumbers(beam.DoFn):
    """(name, packed numbers) to one file for each name: the numbers that ``merge`` makes of them, if any."""

    def __init__(self, folder: str, merge: Callable[[Iterable[Numbers]], Numbers]) -> None:
        self._folder, self._merge = folder, merge

    def process(self, element: tuple[object, Iterable[bytes]]) -> None:
        """Write one file."""
        name, batches = element
        numbers = self._merge(decode_numbers(batch) for batch in batches)
        if numbers.size:
            write_parquet(f"{self._folder}/{name}.parquet", pa.table({"number": numbers}))


def read_numbers(pattern: str) -> Numbers:
    """The numbers in all files of a pattern, each once, sorted."""
    return union(read_parquet(path)["number"].to_numpy() for path in list_files(pattern))


class FindRivals(beam.DoFn):
    """A file of rows to its rows of items that come more than once, in buckets: what decides, and where they lie."""

    def __init__(self, scratch: Scratch, repeated: str) -> None:
        self._scratch, self._repeated = scratch, repeated

    def process(self, rows: Rows) -> Iterator[tuple[int, bytes]]:
        """Look at the rows of one file."""
        kind, part = rows
        repeated = read_numbers(self._repeated)
        begin = 0
        for table in read_batches(rows_path(self._scratch, kind, part), ENTITIES.names):
            numbers = qid_numbers(table["qid"])
            at = np.flatnonzero(is_in(numbers, repeated))
            found = table.take(pa.array(at))
            rivals = pa.table(
                {
                    "number": numbers[at],
                    "lastrevid": found["lastrevid"],
                    "content": pa.array([_hash(row) for row in found.to_pylist()], pa.binary()),
                    "kind": pa.array([kind] * at.size, pa.string()),
                    "part": pa.array([part] * at.size, pa.int64()),
                    "row": at + begin,
                }
            )
            yield from ((bucket, encode(rivals.take(pa.array(chosen)))) for bucket, chosen in qid_buckets(numbers[at]))
            begin += table.num_rows


def _hash(row: object) -> bytes:
    return blake2b(orjson.dumps(row), digest_size=16).digest()


class ChooseWinners(beam.DoFn):
    """A bucket of rivals to the rows of each file that lost, named as ``losers_path`` names them."""

    def process(self, element: tuple[int, Iterable[bytes]]) -> Iterator[tuple[str, bytes]]:
        """Let the best row of each item win."""
        _, batches = element
        rivals = pa.concat_tables([decode(batch) for batch in batches]).sort_by(_BEST_FIRST)
        numbers = rivals["number"].to_numpy()
        lost = rivals.filter(pa.array(np.concatenate([[False], numbers[1:] == numbers[:-1]])))
        for kind in KINDS:
            of_kind = lost.filter(pc.equal(lost["kind"], kind))
            for part in distinct(of_kind["part"].to_numpy()):
                chosen = of_kind.filter(pc.equal(of_kind["part"], part))
                yield f"{kind}-{part:06}", encode_numbers(chosen["row"].to_numpy())


def _without_losers(scratch: Scratch, rows: Rows, columns: list[str]) -> Iterator[tuple[int, pa.Table]]:
    """The rows of a file that did not lose, in batches; with each batch the number of its rows that did."""
    kind, part = rows
    losers = read_numbers(f"{scratch.parts}/losers/{kind}-{part:06}.parquet")
    begin = 0
    for table in read_batches(rows_path(scratch, kind, part), columns):
        lost = is_in(np.arange(begin, begin + table.num_rows), losers)
        begin += table.num_rows
        yield int(lost.sum()), table.filter(pa.array(~lost)) if lost.any() else table


class FindTargets(beam.DoFn):
    """A file of rows to the numbers of what its rows lead to, in buckets; rows that lost lead nowhere."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch

    def process(self, rows: Rows) -> Iterator[tuple[int, bytes]]:
        """Look at the edges of one file."""
        columns = ["instance_of", "subclass_of"]
        tables = (table for _, table in _without_losers(self._scratch, rows, columns))
        yield from to_buckets(union(edge_targets(table) for table in tables))


class KeepRows(beam.DoFn):
    """A file of rows to a finished file of those that stay, and the counts of both."""

    def __init__(self, scratch: Scratch, targets: str) -> None:
        self._scratch, self._targets = scratch, targets

    def process(self, rows: Rows) -> None:
        """Finish one file."""
        kind, part = rows
        name = f"{kind}-{part:06}"
        done = f"{self._scratch.published}/{name}.parquet"
        if kind == "sure" and not list_files(f"{self._scratch.parts}/losers/{name}.parquet"):
            kept = sum(table.num_rows for table in read_batches(rows_path(self._scratch, kind, part), ["sitelinks"]))
            rename(rows_path(self._scratch, kind, part), done)
            counts = Counts(kept, kept)
        else:
            counts = self._rewrite(rows, done)
        counts.check(STAGE)
        write_counts(f"{self._scratch.parts}/counts/keep-{name}.json", counts)

    def _rewrite(self, rows: Rows, done: str) -> Counts:
        targets = read_numbers(self._targets) if rows[0] == "rest" else None
        file, kept, left_out = RowsFile(done), 0, Counter[str]()
        for lost, table in _without_losers(self._scratch, rows, ENTITIES.names):
            left_out["duplicate"] += lost
            if targets is not None:
                unled = table.filter(pa.array(~is_in(qid_numbers(table["qid"]), targets)))
                table = table.filter(pa.array(is_in(qid_numbers(table["qid"]), targets)))
                classless = int(pc.sum(pc.equal(pc.list_value_length(unled["instance_of"]), 0)).as_py() or 0)
                left_out["no-class"] += classless
                left_out["unlinked"] += unled.num_rows - classless
            file.add(table)
            kept += table.num_rows
        file.close()
        found = {reason: number for reason, number in left_out.items() if number}
        return Counts(kept + sum(found.values()), kept, found)
