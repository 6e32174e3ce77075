"""Barriers between the steps of a stage, and the bucket files that carry what is shuffled in bulk.

A part of the work writes its rows to a bucket file and yields only its number, so that Beam's shuffle carries numbers
alone. When all parts of a key are done, the tasks that read their files begin.
"""

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import BinaryIO, Final, NoReturn

import apache_beam as beam
import orjson
import pyarrow as pa
from isal.isal_zlib import crc32  # zlib's checksum in a thirteenth of the time (2026-11)

from wikisem.arrow.columns import decode, encode
from wikisem.errors import StageError
from wikisem.files import create_binary, exists, open_binary

# Waiting for all parts, and the tasks that follow.

# What a part yields: its key; its number, how many parts the key has, and how much this one holds (its weight).
Done = tuple[str, tuple[int, int, int]]
# What follows when all are done: a language or a kind of work, one of its buckets, and how many it has.
Task = tuple[str, int, int]
Tasks = Callable[[str, Sequence[int]], Iterable[Task]]


def done(key: str, number: int, parts: int, weight: int = 0) -> Done:
    """What a part yields when its files are written."""
    return key, (number, parts, weight)


class WhenAllDone(beam.PTransform):
    """Begin the tasks of each key when all its parts are done, spread over workers.

    ``tasks`` takes a key and the weights of its parts, in their order.
    """

    def __init__(self, stage: str, tasks: Tasks) -> None:
        super().__init__()
        self._list = ListTasks(stage, tasks)

    def expand(self, parts: beam.PCollection) -> beam.PCollection:
        """Group by key, check, and spread."""
        return (
            parts
            | "all parts" >> beam.GroupByKey()
            | "list tasks" >> beam.ParDo(self._list)
            | "spread tasks" >> beam.Reshuffle()
        )


class ListTasks(beam.DoFn):
    """List the tasks that follow all parts of a key; StageError if a part is missing."""

    def __init__(self, stage: str, tasks: Tasks) -> None:
        self._stage, self._tasks = stage, tasks

    def process(self, grouped: tuple[str, Iterable[tuple[int, int, int]]]) -> Iterator[Task]:
        """Check that every part is there. A part that a runner hands on twice counts once."""
        key, parts = grouped
        found = {number: (planned, weight) for number, planned, weight in parts}
        planned = max(planned for planned, _ in found.values())
        if missing := sorted(set(range(planned)) - found.keys()):
            raise StageError(
                f"{self._stage} {key}".rstrip() + f": expected all of {planned} parts, saw none with the number "
                f"{', '.join(map(str, missing[:5]))}; run the command again"
            )
        yield from self._tasks(key, [found[number][1] for number in range(planned)])


def same_tasks(key: str, weights: Sequence[int]) -> list[Task]:
    """A task for each part: what is done in buckets goes on in the same buckets."""
    return [(key, number, len(weights)) for number in range(len(weights))]


def tasks_of(buckets: Mapping[str, int]) -> Tasks:
    """As many tasks for each key as it has buckets.

    >>> tasks_of({"de": 2})("de", [0])
    [('de', 0, 2), ('de', 1, 2)]
    """

    def list_tasks(key: str, weights: Sequence[int]) -> list[Task]:
        del weights
        return [(key, bucket, buckets[key]) for bucket in range(buckets[key])]

    return list_tasks


# Bucket files.

# The end of a file: the length of the index, its checksum, and a mark that shows that the file is whole.
_TAIL: Final = struct.Struct("<QI8s")
_MARK: Final = b"BUCKETS1"


class BucketFile:
    """A bucket file that is being written; it holds only the places of what was added.

    A part writes one file for its part of the work. Rows of a bucket are in *batches*, one for each time that the part
    let go of what it held, and an index at the end says where the batches of each bucket are:

        batch of a | batch of b | batch of a | {"a": [[0, 9, crc], [15, 7, crc]], "b": [[9, 6, crc]]} | tail

    The next step opens the files of all parts and reads its own bucket out of each. A file's name is made of its part's
    number, and its bytes of the part alone: a bundle that is run again writes the same file again.
    """

    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink
        self._index: dict[str, list[tuple[int, int, int]]] = {}
        self._end = 0

    def add(self, bucket: int | str, batch: bytes) -> None:
        """Write a batch of a bucket."""
        self._index.setdefault(str(bucket), []).append((self._end, len(batch), crc32(batch)))
        self._sink.write(batch)
        self._end += len(batch)

    def add_rows(self, parts: Iterable[tuple[int | str, pa.Table]]) -> None:
        """Write rows, each part of them as a batch of its bucket."""
        for bucket, rows in parts:
            self.add(bucket, encode(rows))

    def finish(self) -> None:
        """Write the index."""
        index = orjson.dumps(self._index)
        self._sink.write(index + _TAIL.pack(len(index), crc32(index), _MARK))


@contextmanager
def create_bucket_file(path: str) -> Iterator[BucketFile]:
    """A new bucket file; if an exception cuts it short, it has no index and cannot be read."""
    with create_binary(path) as sink:
        file = BucketFile(sink)
        yield file
        file.finish()


def part_path(folder: str, number: int) -> str:
    """The bucket file of one numbered part of the work."""
    return f"{folder}/{number:05d}.buckets"


def part_paths(folder: str, parts: int) -> list[str]:
    """The bucket files of all parts, in their order."""
    return [part_path(folder, number) for number in range(parts)]


def read_bucket(path: str, buckets: Iterable[int | str]) -> Iterator[bytes]:
    """The batches of some buckets in a file, bucket by bucket, in the order in which they were written.

    A bucket that the file does not have is empty. Raises StageError for a file that is missing, cut short or damaged.
    """
    try:
        with open_binary(path) as source:
            index = _read_index(path, source)
            for place in (place for bucket in buckets for place in index.get(str(bucket), ())):
                yield _read_batch(path, source, *place)
    except OSError as error:
        raise StageError(f"expected a bucket file, saw {path} that cannot be read: {error}") from error
    except Exception as error:  # of an object that is not there, stores raise errors of their own
        if isinstance(error, StageError) or exists(path):
            raise
        raise StageError(f"expected a bucket file, saw {path} that cannot be read: it is not there") from error


def _read_index(path: str, source: BinaryIO) -> dict[str, list[tuple[int, int, int]]]:
    size = source.seek(0, 2)
    if size < _TAIL.size:
        _refuse(path, f"{size} bytes")
    source.seek(size - _TAIL.size)
    length, checksum, mark = _TAIL.unpack(source.read(_TAIL.size))
    if mark != _MARK or length > size - _TAIL.size:
        _refuse(path, "no index at its end")
    source.seek(size - _TAIL.size - length)
    data = source.read(length)
    if crc32(data) != checksum:
        _refuse(path, "a damaged index")
    index: dict[str, list[tuple[int, int, int]]] = orjson.loads(data)
    return index


def _read_batch(path: str, source: BinaryIO, start: int, length: int, checksum: int) -> bytes:
    source.seek(start)
    batch = source.read(length)
    if crc32(batch) != checksum:
        _refuse(path, f"a damaged batch at byte {start}")
    return batch


def _refuse(path: str, seen: str) -> NoReturn:
    raise StageError(f"{path}: expected a whole bucket file, saw {seen}; run the command again")


def read_rows(paths: Iterable[str], buckets: Iterable[int | str]) -> Iterator[pa.Table]:
    """The rows of some buckets in the files of all parts, batch by batch."""
    return (decode(batch) for path in paths for batch in read_bucket(path, buckets))


def table_of(batches: Iterable[pa.Table], schema: pa.Schema) -> pa.Table:
    """All batches as one table, which is empty without batches."""
    return pa.concat_tables([schema.empty_table(), *batches])
