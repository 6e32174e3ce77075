"""How many links of a whole wiki have each anchor, for the anchors that surface forms may be chosen from.

The dictionary is in buckets by title, and an anchor's links are in all of them. So each bucket is read once more: it
keeps the anchors whose hash is wanted, sums their links, and sends the sums to buckets by anchor, where they are added
up and returned to the buckets of the pages that want them. A shuffle carries the anchors of items, never a dictionary:
7 million pages want about as many anchors, whose hashes take 56 MB of a file that all workers of a machine share.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc
from apache_beam.pvalue import AsList

from wikisem.arrow.buckets import BUCKETS, add_up, split
from wikisem.arrow.ipc import decode, encode
from wikisem.graph.store import open_arrays
from wikisem.surfaces.anchors import ANCHOR_TOTALS
from wikisem.surfaces.wanted import WantedAnchors, hashes_of
from wikisem.transforms.io.arrays import local_folder, save_arrays
from wikisem.transforms.io.parquet import bucket_path, read_parquet
from wikisem.transforms.io.scratch import Scratch
from wikisem.transforms.io.shuffle import from_batches

# An anchor, and the bucket of the dictionary whose pages want its links.
WANTED: Final = pa.schema([("anchor", pa.string()), ("pages", pa.int16())])

# Fewer than the buckets of pages: each of these sends a batch to each of those and back, and with 64 by 64 of them a
# small wiki spends most of its time on tiny batches (31,000 pages: 9.0 s of CPU, with 8 buckets 2.4 s; 2026-11).
ANCHOR_BUCKETS: Final = 8

Batch = tuple[int, bytes]


def to_anchor_buckets(table: pa.Table) -> Iterator[Batch]:
    """The rows as one batch for each bucket of their anchors."""
    return ((bucket, encode(rows)) for bucket, rows in split(table, "anchor", ANCHOR_BUCKETS))


class CountLinks(beam.PTransform):
    """Batches of WANTED, in buckets by anchor, to batches of ANCHOR_TOTALS, in the buckets that want them."""

    def __init__(self, mentions: str, scratch: Scratch) -> None:
        super().__init__()
        self._mentions, self._scratch = mentions, scratch

    def expand(self, wanted: beam.PCollection) -> beam.PCollection:
        """Hash what is wanted, read the dictionary, add up, and return."""
        folders = (
            wanted
            | "hash" >> beam.Map(_hash_wanted)
            | "all hashes" >> beam.GroupByKey()
            | "map hashes" >> beam.ParDo(SaveWanted(self._scratch))
        )
        sums = (
            wanted.pipeline
            | "dictionary" >> beam.Create(range(BUCKETS))
            | "count" >> beam.ParDo(CountBucket(self._mentions), AsList(folders))
        )
        return {"wanted": wanted, "sums": sums} | "group by anchor" >> beam.CoGroupByKey() | beam.ParDo(AddLinks())


def _hash_wanted(batch: Batch) -> tuple[None, bytes]:
    return None, encode(pa.table([hashes_of(decode(batch[1])["anchor"].combine_chunks())], names=["hash"]))


class SaveWanted(beam.DoFn):
    """All hashes to a folder that workers can map into memory."""

    def __init__(self, scratch: Scratch) -> None:
        self._folder = f"{scratch.parts}/wanted"

    def process(self, hashes: tuple[None, Iterable[bytes]]) -> Iterator[str]:
        """Merge and write; yields the folder."""
        save_arrays(WantedAnchors.of(decode(batch)["hash"].to_numpy() for batch in hashes[1]), self._folder)
        yield self._folder


class CountBucket(beam.DoFn):
    """The number of a bucket of the dictionary to the sums of its wanted anchors, in buckets by anchor."""

    def __init__(self, mentions: str) -> None:
        self._mentions = mentions

    def process(self, bucket: int, folders: Sequence[str]) -> Iterator[Batch]:
        """Read, filter and sum; if no anchor is wanted there is no folder, and nothing is read."""
        for folder in folders:
            wanted = open_arrays(WantedAnchors, local_folder(folder))
            rows = read_parquet(bucket_path(self._mentions, bucket), ANCHOR_TOTALS.names)
            yield from to_anchor_buckets(wanted.count(rows))


class AddLinks(beam.DoFn):
    """The sums of a bucket of anchors, added up, to the buckets of pages that want them."""

    def process(self, grouped: tuple[int, Mapping[str, Iterable[bytes]]]) -> Iterator[Batch]:
        """Add up, look up, and return."""
        totals = add_up([from_batches(grouped[1]["sums"], ANCHOR_TOTALS)], ANCHOR_TOTALS)
        wanted = from_batches(grouped[1]["wanted"], WANTED)
        links = totals["count"].take(pc.index_in(wanted["anchor"], value_set=totals["anchor"].combine_chunks()))
        for pages in pc.unique(wanted["pages"]).to_pylist():
            here = pc.equal(wanted["pages"], pages)
            answer = pa.table([wanted["anchor"].filter(here), links.filter(here)], schema=ANCHOR_TOTALS)
            yield pages, encode(answer)
