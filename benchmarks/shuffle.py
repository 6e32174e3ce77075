"""Twenty million (title, anchor) pairs shuffled: batches of Arrow in files or by the engine, beside one element a pair.

``python -m benchmarks.shuffle`` writes its section of docs/benchmarks.md. The pairs go the way of the mentions stage:
summed in the mapper, split, sent, merged, sorted and written as Parquet. ``CombinePerKey`` gets a quarter of a million,
since all of them would take it a quarter of an hour, and writes nothing. ``--engines`` measures both ways of sending
on each engine that is here, with fewer pairs; see tests/engines.
"""

import argparse
import itertools
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.report import Call, compare, table, write_section
from benchmarks.tree import Watched, peak_of_tree, watch_tree
from tests.engines.engines import engines
from wikisem.arrow.buckets import BUCKETS, MAX_HELD, BucketedRows, sort_mentions, sum_rows
from wikisem.arrow.parquet import bucket_path, write_parquet
from wikisem.schemas import MENTIONS
from wikisem.transforms.io.runtime import Runtime
from wikisem.transforms.io.shuffle import Done, Sent, Shuffle, Task, done, tasks_of

FILES = 20
CHUNK = 1 << 16  # about the pairs of 8 MB of XML
COMBINED_CHUNKS = 4
WORKERS = 2


def write_pairs(folder: Path, pairs: int, distinct: int, seed: int = 500) -> None:
    """Each distinct pair once, the rest drawn so that some are frequent, shuffled over the files; four to a title."""
    rng = np.random.default_rng(seed)
    skewed = (distinct * rng.random(pairs - distinct) ** 3).astype(np.int64)
    numbers = np.concatenate([np.arange(distinct), skewed])
    rng.shuffle(numbers)
    for number, part in enumerate(np.array_split(numbers, FILES)):
        titles = pc.binary_join_element_wise("Article number", pa.array(part // 4).cast(pa.string()), " ")
        anchors = pc.binary_join_element_wise(pa.array(part).cast(pa.string()), "mentioned", " ")
        ones = pa.array(np.ones(len(part), np.int64))
        with pa.ipc.new_file(f"{folder}/{number:02d}.arrow", MENTIONS) as sink:
            sink.write_table(pa.table([titles, anchors, ones], schema=MENTIONS), max_chunksize=CHUNK)


def read(path: str) -> Iterator[pa.Table]:
    """The chunks of a file, mapped into memory: reading costs next to nothing."""
    with pa.memory_map(path) as source:
        file = pa.ipc.open_file(source)
        for number in range(file.num_record_batches):
            yield pa.Table.from_batches([file.get_batch(number)])


class SendSummed(beam.DoFn):
    """A file to its batches by bucket, as the mentions stage sends them."""

    def __init__(self, shuffle: Shuffle) -> None:
        self._shuffle = shuffle

    def process(self, numbered: tuple[int, str]) -> Iterator[Done | Sent]:
        """Sum, split and send."""
        number, path = numbered
        adder = BucketedRows("title", schema=MENTIONS)
        with self._shuffle.sender("sum", "pairs", number) as sender:
            for rows in read(path):
                yield from sender.add_rows("rows", adder.add(rows))
            yield from sender.add_rows("rows", adder.rest())
        yield done("pairs", number, FILES)


class Merge(beam.DoFn):
    """A bucket to its summed rows, and those to a file if there is a folder for it."""

    def __init__(self, shuffle: Shuffle, folder: str) -> None:
        self._shuffle, self._folder = shuffle, folder

    def process(self, task: Task) -> Iterator[int]:
        """Merge, and give out how many rows there are."""
        merged = sum_rows(self._shuffle.read_rows(task, "sum/rows", range(FILES)), MENTIONS, MAX_HELD)
        if self._folder:
            write_parquet(bucket_path(self._folder, task.bucket, task.buckets), sort_mentions(merged), False)
        yield merged.num_rows


class ReadPairs(beam.DoFn):
    """The first chunks of a file to one element a pair."""

    def process(self, path: str) -> Iterator[tuple[tuple[str, str], int]]:
        """Give their pairs out."""
        for rows in itertools.islice(read(path), COMBINED_CHUNKS):
            columns = [rows[name].to_pylist() for name in MENTIONS.names]
            yield from (((title, anchor), count) for title, anchor, count in zip(*columns, strict=True))


def start(workers: int) -> None:
    """Start the workers and do nothing: what every run pays before it begins."""
    with Runtime(workers=workers).pipeline(label="start") as pipeline:
        _ = pipeline | beam.Create([(n, n) for n in range(4)]) | beam.GroupByKey()


def count(folder: str, workers: int) -> None:
    """Bucket files."""
    _count(folder, Runtime(workers=workers), "")


def count_and_write(folder: str, workers: int) -> None:
    """The same, sorted and written as the anchor dictionary is."""
    with tempfile.TemporaryDirectory() as finished:
        _count(folder, Runtime(workers=workers), finished)


def count_on(folder: str, engine: str, by_engine: bool) -> None:
    """The same on an engine, which is started for it, and one of the two ways."""
    (chosen,) = [each for each in engines() if each.name == engine]
    with tempfile.TemporaryDirectory() as place, chosen.start(Path(place)) as options:
        Path(place, "finished").mkdir()
        _count(folder, Runtime(options, workers=chosen.workers), f"{place}/finished", by_engine)
        assert len(list(Path(place, "finished").iterdir())) == BUCKETS


def _count(folder: str, runtime: Runtime, finished: str, by_engine: bool = False) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        shuffle = Shuffle(scratch, by_engine)
        with runtime.pipeline(label="pairs") as pipeline:
            _ = (
                pipeline
                | beam.Create(list(enumerate(paths(folder))))
                | beam.ParDo(SendSummed(shuffle))
                | shuffle.exchange("count", tasks_of({"pairs": BUCKETS}), "sum/rows")
                | beam.ParDo(Merge(shuffle, finished))
            )


def combine(folder: str, workers: int) -> None:
    """One element a pair, of the first chunks of one file."""
    with Runtime(workers=workers).pipeline(label="CombinePerKey") as pipeline:
        _ = pipeline | beam.Create(paths(folder)[:1]) | beam.ParDo(ReadPairs()) | beam.CombinePerKey(sum)


def paths(folder: str) -> list[str]:
    """The files of pairs."""
    return sorted(str(path) for path in Path(folder).glob("*.arrow"))


def main() -> None:
    """Measure, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=20_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--engines", nargs="*", metavar="ENGINE", help="both ways on these, or on all that are here")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="wikisem-shuffle-")
    try:
        write_pairs(Path(folder), arguments.pairs, arguments.pairs // 2)
        if arguments.engines is None:
            _report(folder, arguments.pairs, arguments.rounds)
        else:
            print(_report_engines(folder, arguments.engines, arguments.rounds))
    finally:
        shutil.rmtree(folder)


def _report(folder: str, pairs: int, rounds: int) -> None:
    ways: dict[str, tuple[Callable[[str, int], None], int]] = {
        "CombinePerKey, one element a pair": (combine, min(pairs // FILES, COMBINED_CHUNKS * CHUNK)),
        f"bucket files of {BUCKETS} buckets": (count, pairs),
        "the same, sorted and written": (count_and_write, pairs),
    }
    each = [(name, workers) for name in ways for workers in (1, WORKERS)]
    starts = {f"start {workers}": Call(start, (workers,)) for workers in (1, WORKERS)}
    results = compare(
        {**starts, **{f"{name} {workers}": Call(ways[name][0], (folder, workers)) for name, workers in each}}, rounds
    )
    rows = []
    for name, workers in each:
        way, amount = ways[name]
        result, begun = results[f"{name} {workers}"], results[f"start {workers}"]
        rates = [amount / took / 1e6 for took in (result.seconds - begun.seconds, result.cpu - begun.cpu)]
        peak = peak_of_tree(way, folder, workers) / 2**30
        rows.append([name, str(workers), f"{amount / 1e6:.3g} M", *(f"{rate:.2f}" for rate in rates), f"{peak:.2f}"])
    header = ["way", "workers", "pairs", "M/s", "M per CPU second", "peak GB"]
    write_section("Shuffle", f"{_TEXT}\n\n{table(header, rows)}", ["apache-beam", "numpy", "pyarrow"])


def _report_engines(folder: str, names: Sequence[str], rounds: int) -> str:
    """Both ways on each engine, in turn: medians of all its processes, the servers' among them."""
    # Workers that an engine starts elsewhere find this module so.
    os.environ["PYTHONPATH"] = str(Path(__file__).parents[1])
    there = [each.name for each in engines() if not each.missing() and (each.name in names or not names)]
    ways = [(name, by_engine) for name in there for by_engine in (False, True)]
    found: dict[tuple[str, bool], list[Watched]] = {way: [] for way in ways}
    for number in range(rounds):
        for way in ways[:: -1 if number % 2 else 1]:
            found[way].append(watch_tree(Path(folder), count_on, folder, *way))
            print(f"round {number + 1}/{rounds}: {way}: {found[way][-1]}", file=sys.stderr)
    rows = []
    for (name, by_engine), runs in found.items():
        seconds, cpu = (statistics.median(getattr(run, field) for run in runs) for field in ("seconds", "cpu"))
        peak = max(run.peak for run in runs) / 2**30
        rows.append([name, "the engine" if by_engine else "files", f"{seconds:.1f}", f"{cpu:.1f}", f"{peak:.2f}"])
    return table(["engine", "shuffled by", "seconds", "CPU seconds", "peak GB"], rows)


_TEXT = (
    "Pairs of title and anchor, half of them distinct, on Beam's local runner, as in `wikisem mentions`: split by the "
    "hash of the title, written to bucket files, merged by column. Start-up is left out; memory is of all processes."
)


if __name__ == "__main__":
    # Workers look functions up by their module's name, which is not that of the module that is run.
    from benchmarks.shuffle import main as measure

    measure()
