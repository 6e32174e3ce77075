"""Twenty million (title, anchor) pairs through a shuffle: batches in hash buckets beside one element a pair.

``python -m benchmarks.shuffle`` writes docs/benchmarks/shuffle.md. The batches go the way of the mentions stage: summed
in the mapper, split, grouped, merged, sorted and written as Parquet. ``CombinePerKey`` gets a twentieth of the pairs,
since all of them would take it a quarter of an hour, and writes nothing.
"""

import argparse
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.report import Call, compare, table, write_section
from benchmarks.tree import peak_of_tree
from transforms.parquet import bucket_path, read_batches, write_parquet
from transforms.runtime import Runtime
from transforms.shuffle import from_batches
from wikisem.batches import encode
from wikisem.buckets import Adder, add_up
from wikisem.ordering import sort_mentions
from wikisem.schemas import MENTIONS

FILES = 20
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
        write_parquet(f"{folder}/{number:02d}.parquet", pa.table([titles, anchors, ones], schema=MENTIONS))


class ReadSummed(beam.DoFn):
    """A file to its batches, as the mentions stage gives them out."""

    def process(self, path: str) -> Iterator[tuple[int, bytes]]:
        """Sum and split."""
        adder = Adder(MENTIONS, "title")
        for rows in read_batches(path, MENTIONS.names):
            yield from ((bucket, encode(summed)) for bucket, summed in adder.add(rows))
        yield from ((bucket, encode(summed)) for bucket, summed in adder.rest())


class WriteSummed(beam.DoFn):
    """A bucket to its file."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def process(self, grouped: tuple[int, Iterable[bytes]]) -> None:
        """Merge, sort and write."""
        bucket, batches = grouped
        merged = add_up([from_batches(batches, MENTIONS)], MENTIONS)
        write_parquet(bucket_path(self._folder, bucket), sort_mentions(merged))


class ReadPairs(beam.DoFn):
    """A file to one element a pair."""

    def process(self, path: str) -> Iterator[tuple[tuple[str, str], int]]:
        """Give every pair out."""
        for rows in read_batches(path, MENTIONS.names):
            columns = [rows[name].to_pylist() for name in MENTIONS.names]
            yield from (((title, anchor), count) for title, anchor, count in zip(*columns, strict=True))


def start(workers: int) -> None:
    """Start the workers and do nothing: what every run pays before it begins."""
    Runtime(workers=workers).run(
        lambda pipeline: pipeline | beam.Create([(n, n) for n in range(4)]) | beam.GroupByKey(), label="start"
    )


def batches(folder: str, workers: int) -> None:
    """Batches in buckets."""
    with tempfile.TemporaryDirectory() as done:
        Runtime(workers=workers).run(
            lambda pipeline: (
                pipeline
                | beam.Create(paths(folder))
                | beam.ParDo(ReadSummed())
                | beam.GroupByKey()
                | beam.ParDo(WriteSummed(done))
            ),
            label="batches",
        )


def combine(folder: str, workers: int) -> None:
    """One element a pair, of one file."""
    Runtime(workers=workers).run(
        lambda pipeline: pipeline | beam.Create(paths(folder)[:1]) | beam.ParDo(ReadPairs()) | beam.CombinePerKey(sum),
        label="CombinePerKey",
    )


def paths(folder: str) -> list[str]:
    """The files of pairs."""
    return sorted(str(path) for path in Path(folder).glob("*.parquet"))


def main() -> None:
    """Measure, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=20_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="wikisem-shuffle-")
    try:
        write_pairs(Path(folder), arguments.pairs, arguments.pairs // 2)
        _report(folder, arguments.pairs, arguments.rounds)
    finally:
        shutil.rmtree(folder)


def _report(folder: str, pairs: int, rounds: int) -> None:
    ways = {
        "CombinePerKey, one element a pair": (combine, pairs // FILES),
        "64 buckets of Arrow batches": (batches, pairs),
    }
    each = [(name, way, amount, workers) for name, (way, amount) in ways.items() for workers in (1, WORKERS)]
    starts = {workers: f"start {workers}" for workers in (1, WORKERS)}
    results = compare(
        {
            **{starts[workers]: Call(start, (workers,)) for workers in starts},
            **{f"{name} {workers}": Call(way, (folder, workers)) for name, way, _, workers in each},
        },
        rounds,
    )
    rows = []
    for name, way, amount, workers in each:
        seconds, begun = results[f"{name} {workers}"].seconds, results[starts[workers]].seconds
        peak = peak_of_tree(way, folder, workers)
        rates = [f"{amount / took / 1e6:.2f}" for took in (seconds - begun, seconds)]
        rows.append([name, str(workers), f"{amount / 1e6:.0f} M", f"{seconds:.1f}", *rates, f"{peak / 2**30:.2f}"])
    header = ["way", "workers", "pairs", "s", "M pairs/s", "with start-up", "peak GB"]
    write_section(
        "shuffle",
        "Counting pairs through a shuffle",
        _text(table(header, rows), pairs, rounds),
        ["apache-beam", "numpy", "pyarrow"],
    )


def _text(measured: str, pairs: int, rounds: int) -> str:
    return f"""
`python -m benchmarks.shuffle`: {pairs / 1e6:.0f} M (title, anchor) pairs in {FILES} Parquet files, half of them
distinct, four anchors to a title, on the local runner; medians of {rounds} interleaved rounds. The batches are read,
summed, split, shuffled, merged, sorted and written as Parquet, as the mentions stage does it; `CombinePerKey` sums one
file's pairs and writes nothing. Memory is that of all processes together at the highest moment. Start-up is the time
of a pipeline that does nothing, which is taken off in the first of the two rates.

{measured}
"""


if __name__ == "__main__":
    main()
