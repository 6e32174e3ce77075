"""Which rows of the files of items stay, and the finished files of these; most are finished by a second name.

``selection`` says which: the latest revision of an item that comes more than once, if an edge makes the item stay. An
index says where each of them is.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.ipc import decode_numbers, encode_numbers
from wikisem.arrow.item_index import index_folder, index_name, write_index
from wikisem.arrow.numbers import Numbers, is_in, join, union
from wikisem.arrow.qids import qid_numbers
from wikisem.records import Counts
from wikisem.schemas import ENTITIES
from wikisem.transforms.entities.duplicates import latest_rows, read_superseded
from wikisem.transforms.entities.item_files import ItemFile, ItemWriter
from wikisem.transforms.entities.number_files import add_numbers, read_numbers
from wikisem.transforms.entities.read_range import STAGE, TARGETS
from wikisem.transforms.io.bucket_files import create_bucket_file, part_path, part_paths, read_bucket
from wikisem.transforms.io.counts import write_counts
from wikisem.transforms.io.files import copy, create_binary
from wikisem.transforms.io.parquet import read_row_groups, write_parquet
from wikisem.transforms.io.scratch import Scratch
from wikisem.transforms.io.shuffle import Done, Task, done
from wikisem.wikidata.selection import Certainty, count_unlinked, edge_targets


def latest_numbers(scratch: Scratch) -> str:
    """The bucket files of the numbers of all that the edges of latest rows lead to, one for each file of items."""
    return f"{scratch.parts}/latest"


class FindTargets(beam.DoFn):
    """From each of so many files the numbers of all that the edges of its latest rows lead to."""

    def __init__(self, scratch: Scratch, files: int) -> None:
        self._scratch, self._files = scratch, files

    def process(self, element: tuple[int, Certainty, int]) -> Iterator[Done]:
        """Look at the edges of one file."""
        number, file = element[0], ItemFile(*element[1:])
        superseded = read_superseded(self._scratch, file)
        tables = latest_rows(self._scratch, file, ["instance_of", "subclass_of"], superseded)
        with create_bucket_file(part_path(latest_numbers(self._scratch), number)) as found:
            add_numbers(found, TARGETS, union(edge_targets(table) for _, table in tables))
        yield done(STAGE, number, self._files)


class KeepItems(beam.DoFn):
    """Each of so many files of items to a finished file of those that stay, the counts of both, and their numbers.

    ``targets`` is the folder of what all edges lead to; ``duplicates`` says that some rows are superseded. The numbers
    go to ``buckets`` buckets of a bucket file, one batch for each row group of the finished file.
    """

    def __init__(self, scratch: Scratch, targets: str, duplicates: bool, files: int, buckets: int) -> None:
        self._scratch, self._folder, self._duplicates = scratch, targets, duplicates
        self._files, self._buckets = files, buckets
        self._targets: Numbers | None = None

    def process(self, element: tuple[int, Certainty, int]) -> Iterator[Done]:
        """Finish one file."""
        number, file = element[0], ItemFile(*element[1:])
        superseded = read_superseded(self._scratch, file) if self._duplicates else join([])
        if file.certainty == "certain" and not superseded.size:
            kept = self._write_numbers(number, file.path(self._scratch))
            copy(file.path(self._scratch), f"{self._scratch.published}/{file.finished}")
            counts, written = Counts(kept, kept), [file.finished]
        else:
            counts, written = self._rewrite(file, superseded)
            finished = f"{self._scratch.published}/{file.finished}"
            self._write_numbers(number, finished if file.finished in written else "")
        counts.check(STAGE)
        write_counts(file.counts(self._scratch), counts, written)
        yield done(STAGE, number, self._files)

    def _write_numbers(self, number: int, path: str) -> int:
        """Write the numbers of the items in a file, if there is one, and return how many they are."""
        size = 0
        with create_bucket_file(part_path(_places(self._scratch), number)) as found:
            for table in read_row_groups(path, ["qid"]) if path else ():
                numbers = np.sort(qid_numbers(table["qid"]))
                residues, size = numbers % self._buckets, size + len(numbers)
                for bucket in range(self._buckets):
                    found.add(bucket, encode_numbers(numbers[residues == bucket]))
        return size

    def _rewrite(self, file: ItemFile, superseded: Numbers) -> tuple[Counts, list[str]]:
        """Write the rows that stay, and count the unlinked ones; the counts, and the files that came of it."""
        folder = self._scratch.published
        targets = self._read_targets() if file.certainty == "undecided" else None
        writer, kept, left_out = ItemWriter(f"{folder}/{file.finished}"), 0, Counter[str]()
        unlinked: list[pa.Table] = []
        for dropped_rows, table in latest_rows(self._scratch, file, ENTITIES.names, superseded):
            left_out["duplicate"] += dropped_rows
            if targets is not None:
                is_target = is_in(qid_numbers(table["qid"]), targets)
                dropped, table = table.filter(pa.array(~is_target)), table.filter(pa.array(is_target))
                unlinked.append(count_unlinked([dropped]))
                with_class = pc.sum(unlinked[-1]["items"]).as_py() or 0
                left_out["no-class"] += dropped.num_rows - with_class
                left_out["unlinked"] += with_class
            writer.add(table)
            kept += table.num_rows
        written = [file.finished] if writer.close() else []
        if left_out["unlinked"]:
            write_parquet(f"{folder}/{file.unlinked}", count_unlinked(unlinked))
            written.append(file.unlinked)
        found = {reason: number for reason, number in left_out.items() if number}
        return Counts(kept + sum(found.values()), kept, found), written

    def _read_targets(self) -> Numbers:
        """What all edges lead to: some million numbers, which all files of a worker need."""
        if self._targets is None:
            self._targets = read_numbers(self._folder)
        return self._targets


class IndexItems(beam.DoFn):
    """The numbers in one bucket of all finished files to that bucket of their index."""

    def __init__(self, scratch: Scratch, files: Sequence[ItemFile]) -> None:
        self._scratch, self._files = scratch, files

    def process(self, task: Task) -> None:
        """Read, sort and write."""
        _, bucket, buckets = task
        paths = part_paths(_places(self._scratch), len(self._files))
        with create_binary(f"{index_folder(self._scratch.published)}/{index_name(bucket, buckets)}") as sink:
            found = [map(decode_numbers, read_bucket(path, [bucket])) for path in paths]
            write_index(sink, [file.finished for file in self._files], found)


def _places(scratch: Scratch) -> str:
    """The bucket files of the numbers in finished files, one for each file of items."""
    return f"{scratch.parts}/places"
