"""Waiting for all parts of the work, and the tasks that follow: Beam's shuffle carries numbers, files the rows.

A part says that it is done by yielding ``(key, (number, parts, weight))``: which of how many parts of the key it is,
and how much it holds.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import apache_beam as beam

from wikisem.errors import StageError

# What a part yields: its key, and its number, how many parts there are, and its weight.
Done = tuple[str, tuple[int, int, int]]
# What follows when all are done: a language or a kind of work, one of its buckets, and how many it has.
Task = tuple[str, int, int]
Tasks = Callable[[str, Sequence[int]], Iterable[Task]]


def done(key: str, number: int, parts: int, weight: int = 0) -> Done:
    """What a part yields when its files are written."""
    return key, (number, parts, weight)


class WhenAllDone(beam.PTransform):
    """What the parts of each key yield, to the tasks that can begin when all of them are done, spread over workers.

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
    """A key with all its parts to the tasks that follow; StageError if a part is missing."""

    def __init__(self, stage: str, tasks: Tasks) -> None:
        self._stage, self._tasks = stage, tasks

    def process(self, grouped: tuple[str, Iterable[tuple[int, int, int]]]) -> Iterator[Task]:
        """Check that every part is there. One that comes twice, as some runners may hand it on, counts once."""
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
