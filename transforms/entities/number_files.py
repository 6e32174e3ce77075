"""Item numbers in bucket files: what each part of the work found, and what is made of all that parts found.

The numbers of all items are 115 million (2026-09), too many for Beam's shuffle of a local run.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import apache_beam as beam
import numpy as np

from wikisem.arrow.ipc import decode_numbers, encode_numbers
from wikisem.arrow.numbers import Numbers, union
from wikisem.arrow.qids import QID_BUCKETS, qid_buckets
from wikisem.transforms.io.bucket_files import BucketFile, create_bucket_file, part_path, part_paths, read_bucket
from wikisem.transforms.io.shuffle import Task

_ALL: Final = "all"
Merge = Callable[[Iterable[Numbers]], Numbers]


def add_numbers(file: BucketFile, kind: str, numbers: Numbers) -> None:
    """Write item numbers of a kind into the bucket file of a part."""
    for bucket, found in qid_buckets(numbers):
        file.add(_bucket(kind, bucket), encode_numbers(np.sort(numbers[found])))


def _bucket(kind: str, bucket: int) -> str:
    return f"{kind}-{bucket}"


class MergeNumbers(beam.DoFn):
    """The numbers of a kind in one bucket of all parts to what the kind's function makes of them.

    Part files are in ``folder``; what is made of a kind is in a folder beside it that has the name of the kind.
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
    """Where ``MergeNumbers`` writes what it makes of a kind."""
    return f"{folder}-{kind}"


def read_numbers(folder: str) -> Numbers:
    """The numbers that ``MergeNumbers`` left in a folder, ascending, each once."""
    return union(_read(folder))


def _read(folder: str) -> Iterator[Numbers]:
    for path in part_paths(folder, QID_BUCKETS):
        yield from map(decode_numbers, read_bucket(path, [_ALL]))
