"""Barriers between the steps of a stage, and what is shuffled in bulk between them: through files, or by the engine.

A step works in numbered parts. Its parts send batches of rows, as compressed Arrow, to the buckets of later steps. They
go one of two ways, which give the same buckets:

- through *bucket files* in scratch, so that Beam's shuffle carries the numbers of parts alone: the local runners hold
  what it carries in memory, several times over;
- through the engine's shuffle, as values of a ``GroupByKey`` on buckets.

Either way the tasks of a bucket begin when all parts are done, and read its batches in the order of the parts.
"""

import os
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, count
from operator import itemgetter
from typing import Any, BinaryIO, Final, NamedTuple

import apache_beam as beam
import orjson
import pyarrow as pa
from isal.isal_zlib import crc32  # zlib's checksum in a thirteenth of the time (2026-11)

from wikisem.arrow.columns import decode, encode
from wikisem.errors import StageError
from wikisem.files import create_binary, open_binary

# What a part yields when it has sent its last batch: its key; its number, how many parts the key has, and its weight.
Done = tuple[str, tuple[int, int, int]]
# Of a batch in the engine's shuffle: the key and number of its task; its kind, the key and number of the part that
# sent it, its place in what that part sent, and its bytes.
Sent = tuple[tuple[str, int], tuple[str, str, int, int, bytes]]


class Task(NamedTuple):
    """What follows when all parts are done: a language or a kind of work, one of its buckets, and how many it has.

    ``weight`` is the sum of what its parts weigh. Where the engine shuffles, ``received`` has the batches that were
    sent to the bucket by kind and by key and number of the part, in their order; it is None where they are in files.
    """

    key: str
    bucket: int
    buckets: int
    weight: int = 0
    received: Mapping[tuple[str, str, int], Sequence[bytes]] | None = None


Tasks = Callable[[str, Sequence[int]], Iterable[Task]]


def done(key: str, number: int, parts: int, weight: int = 0) -> Done:
    """What part ``number`` of the ``parts`` that a key has yields when it has sent its last batch."""
    return key, (number, parts, weight)


def list_tasks(grouped: tuple[str, Iterable[tuple[int, int, int]]], stage: str, tasks: Tasks) -> Iterable[Task]:
    """Plan the tasks that follow when all parts of a key have ended (``done``); StageError if a part is missing."""
    key, ended = grouped
    weights, planned = dict[int, int](), 0  # by number of the part, so that one that Beam ran twice counts once
    for number, parts, weight in ended:
        planned, weights[number] = max(planned, parts), weight
    if missing := sorted(set(range(planned)) - weights.keys()):
        raise StageError(
            f"{stage} {key}".rstrip() + f": expected all of {planned} parts, saw none with the number "
            f"{', '.join(map(str, missing[:5]))}; run the command again"
        )
    return tasks(key, [weights[number] for number in range(planned)])


def same_tasks(key: str, weights: Sequence[int]) -> list[Task]:
    """A task for each part, of its weight: what is done in buckets goes on in the same buckets."""
    return [Task(key, number, len(weights), weight) for number, weight in enumerate(weights)]


def tasks_of(buckets: Mapping[str, int]) -> Tasks:
    """A function that plans a task for each bucket of a key, whose weight is the sum of those of the parts before it.

    >>> [(task.key, task.bucket, task.buckets, task.weight) for task in tasks_of({"de": 2})("de", [3, 4])]
    [('de', 0, 2, 7), ('de', 1, 2, 7)]
    """
    return lambda key, weights: [Task(key, bucket, buckets[key], sum(weights)) for bucket in range(buckets[key])]


# The most rows of a batch: an element of an engine's shuffle then has a few megabytes at most.
_BATCH_ROWS: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Shuffle:
    """How the steps of a stage send batches of kinds ``<step>/<name>``: by the engine, or in files in ``folder``."""

    folder: str
    by_engine: bool = False

    @contextmanager
    def sender(self, step: str, key: str, number: int) -> Iterator["Sender"]:
        """What a part of a step sends; the part has a key of its own, which may be empty, and a number."""
        if self.by_engine:
            yield Sender(step, key, number)
        else:
            with create_bucket_file(part_path(self._folder(step, key), number)) as file:
                yield Sender(step, key, number, file)

    def exchange(self, stage: str, tasks: Tasks, *kinds: str) -> beam.PTransform:
        """What begins tasks when the first step has ended, and delivers batches of these kinds from all steps."""
        return Exchange(stage, tasks, kinds if self.by_engine else ())

    def read_parts(
        self, task: Task, kind: str, parts: Iterable[int], key: str | None = None
    ) -> Iterator[Iterable[bytes]]:
        """Yield, for each part, its batches of a kind, ``<step>/<name>``, for the task's bucket.

        ``key`` is that of the parts, by default the task's own.
        """
        key_of_parts = task.key if key is None else key
        step, _, name = kind.partition("/")
        for number in parts:
            if task.received is None:  # they are in the part's bucket file
                path = part_path(self._folder(step, key_of_parts), number)
                yield read_bucket(path, [f"{name}/{task.key}/{task.bucket}"])
            else:
                yield task.received.get((kind, key_of_parts, number), ())

    def read(self, task: Task, kind: str, parts: Iterable[int], key: str | None = None) -> Iterator[bytes]:
        """All batches of a kind that a bucket received, in the order of the parts."""
        return chain.from_iterable(self.read_parts(task, kind, parts, key))

    def read_rows(self, task: Task, kind: str, parts: Iterable[int], key: str | None = None) -> Iterator[pa.Table]:
        """The same as tables."""
        return map(decode, self.read(task, kind, parts, key))

    def read_table(
        self, task: Task, kind: str, schema: pa.Schema, parts: Iterable[int], key: str | None = None
    ) -> pa.Table:
        """All of these as one table, which is empty without batches."""
        return pa.concat_tables([schema.empty_table(), *self.read_rows(task, kind, parts, key)])

    def _folder(self, step: str, key: str) -> str:
        return f"{self.folder}/{step}/{key}".removesuffix("/")


@dataclass(slots=True)
class Sender:
    """Sends the batches of one part of a step; the part has to yield what this returns, nothing for a file."""

    step: str
    key: str
    number: int
    file: "BucketFile | None" = None
    _places: Iterator[int] = field(default_factory=count)

    def add(self, name: str, bucket: int, batch: bytes, key: str | None = None) -> list[Sent]:
        """Send a batch to a bucket, of the part's own key by default."""
        to = self.key if key is None else key
        if self.file is None:
            return [((to, bucket), (f"{self.step}/{name}", self.key, self.number, next(self._places), batch))]
        self.file.add(f"{name}/{to}/{bucket}", batch)
        return []

    def add_rows(self, name: str, parts: Iterable[tuple[int, pa.Table]], key: str | None = None) -> list[Sent]:
        """Send tables of rows, each to its bucket, in batches; ``key`` says whose bucket, by default the part's own."""
        return [
            sent
            for bucket, rows in parts
            for start in range(0, rows.num_rows, _BATCH_ROWS)
            for sent in self.add(name, bucket, encode(rows.slice(start, _BATCH_ROWS)), key)
        ]


@dataclass(eq=False)
class Exchange(beam.PTransform):
    """Begin the tasks of each key when all its parts are done, spread over workers, with the batches of ``kinds``.

    ``tasks`` takes a key and the weights of its parts, in their order.
    """

    stage: str
    tasks: Tasks
    kinds: Sequence[str]

    def expand(self, steps: Any) -> beam.PCollection:
        """Return the tasks of the next step, made when no part of the first is missing, with the batches sent to them.

        ``steps`` is what one step emits, or a tuple of what several do: pairs of a key and a value for Beam. Only of
        the first step does it matter which parts are done.
        """
        steps, kinds = steps if isinstance(steps, tuple) else (steps,), frozenset(self.kinds)
        tasks = (
            steps[0]
            | "done" >> beam.Filter(lambda pair: isinstance(pair[0], str))  # ``Done`` has a str as key, ``Sent`` a pair
            | "all parts" >> beam.GroupByKey()
            | "list tasks" >> beam.FlatMap(list_tasks, self.stage, self.tasks)
        )
        if not kinds:  # batches, if any, are in files, which the tasks read
            return tasks | "spread tasks" >> beam.Reshuffle()
        addressed = tasks | "address" >> beam.Map(lambda task: ((task.key, task.bucket), task))
        sent = [  # the value of a batch begins with its kind
            step | f"sent {number}" >> beam.Filter(lambda pair, kinds: pair[1][0] in kinds, kinds)
            for number, step in enumerate(steps)
        ]
        return (
            (addressed, *sent)
            | "tasks and batches" >> beam.Flatten()
            | "shuffle" >> beam.GroupByKey()
            | "deliver" >> beam.Map(_deliver)
        )


def _deliver(grouped: tuple[tuple[str, int], Iterable[Any]]) -> Task:
    """Return the task of a bucket with the batches that parts sent to it; Beam delivers all together, in any order."""
    (key_of_task, bucket), values = grouped
    tasks, batches = list[Task](), dict[tuple[str, str, int, int], bytes]()
    for value in values:
        if isinstance(value, Task):
            tasks.append(value)
        else:  # a batch, by its part and its place in what that sent: one that Beam delivers twice counts once
            kind, key_of_part, part, place, batch = value
            batches[kind, key_of_part, part, place] = batch
    if not tasks:
        raise StageError(f"expected a task for bucket {bucket} of {key_of_task!r}, saw only batches for it")
    received: dict[tuple[str, str, int], list[bytes]] = {}
    for (kind, key_of_part, part, _), batch in sorted(batches.items(), key=itemgetter(0)):
        received.setdefault((kind, key_of_part, part), []).append(batch)
    return tasks[0]._replace(received=received)


# The end of a file: the length of the index, its checksum, and a mark that shows that the file is whole.
_TAIL: Final = struct.Struct("<QI8s")
_MARK: Final = b"BUCKETS1"


@dataclass
class BucketFile:
    """A bucket file that is being written; it holds only the places of what was added.

    A part of the work writes one file: its batches, and an index that says where the batches of each bucket are.

        batch of a | batch of b | batch of a | {"a": [[0, 9, crc], [15, 7, crc]], "b": [[9, 6, crc]]} | tail

    Its name and bytes depend on the part alone: a bundle that is run again writes the same file again.
    """

    sink: BinaryIO
    index: dict[str, list[tuple[int, int, int]]] = field(default_factory=dict)
    end: int = 0

    def add(self, bucket: int | str, batch: bytes) -> None:
        """Write a batch of a bucket."""
        self.index.setdefault(str(bucket), []).append((self.end, len(batch), crc32(batch)))
        self.sink.write(batch)
        self.end += len(batch)


@contextmanager
def create_bucket_file(path: str) -> Iterator[BucketFile]:
    """A new bucket file; if an exception cuts it short, it has no index and cannot be read."""
    with create_binary(path) as sink:
        file = BucketFile(sink)
        yield file
        index = orjson.dumps(file.index)
        sink.write(index + _TAIL.pack(len(index), crc32(index), _MARK))


def part_path(folder: str, number: int) -> str:
    """The bucket file of one numbered part of the work."""
    return f"{folder}/{number:05d}.buckets"


def read_bucket(path: str, buckets: Iterable[int | str]) -> Iterator[bytes]:
    """Yield the batches of some buckets in a file, bucket by bucket; StageError for a file that is not whole."""
    # The file is batches, an index that says where those of a bucket are, and a tail that says how long the index is.
    try:
        with open_binary(path) as source:
            size = source.seek(0, os.SEEK_END)
            if size < _TAIL.size:
                raise ValueError(f"{size} bytes")
            source.seek(size - _TAIL.size)
            length, checksum, mark = _TAIL.unpack(source.read(_TAIL.size))
            if mark != _MARK or length > size - _TAIL.size:
                raise ValueError("no index at its end")
            source.seek(size - _TAIL.size - length)
            data = source.read(length)
            if crc32(data) != checksum:
                raise ValueError("a damaged index")
            index: dict[str, list[tuple[int, int, int]]] = orjson.loads(data)  # start, length and checksum of batches
            for start, length, checksum in (place for bucket in buckets for place in index.get(str(bucket), ())):
                source.seek(start)
                batch = source.read(length)
                if crc32(batch) != checksum:
                    raise ValueError(f"a damaged batch at byte {start}")
                yield batch
    except OSError as error:
        raise StageError(f"expected a bucket file, saw {path} that cannot be read: {error}") from error
    except ValueError as error:
        raise StageError(f"{path}: expected a whole bucket file, saw {error}; run the command again") from error
