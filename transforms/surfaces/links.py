"""How many links of a whole wiki have each anchor, for the anchors that surface forms may be chosen from.

The dictionary is in buckets by title, and an anchor's links are in all of them. So each bucket is read once more: it
keeps the anchors whose hash is wanted, sums their links, and writes the sums by anchor. They are added up there, and
written back for the buckets of the pages that want them. 7 million pages want about as many anchors, whose hashes take
56 MB of a file that all workers of a machine share.
"""

from collections.abc import Iterator
from typing import Final

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.buckets import split, sum_up
from wikisem.arrow.ipc import decode_numbers, encode_numbers
from wikisem.graph.store import open_arrays
from wikisem.surfaces.anchors import ANCHOR_TOTALS
from wikisem.surfaces.one_script import write_in
from wikisem.surfaces.wanted import WantedAnchors, hashes_of
from wikisem.transforms.io.arrays import local_folder, save_arrays
from wikisem.transforms.io.bucket_files import (
    BucketFile,
    create_bucket_file,
    part_path,
    part_paths,
    read_bucket,
    read_rows,
    table_of,
)
from wikisem.transforms.io.parquet import bucket_path, read_parquet
from wikisem.transforms.io.shuffle import Done, Task, WhenAllDone, done, tasks_of
from wikisem.transforms.surfaces.files import SurfaceFiles
from wikisem.wikipedia.variants import variant_of

STAGE: Final = "surfaces"
# Fewer than there are buckets of pages: each of these has a batch for each of those and back, and with 256 by 256 of
# them most would be tiny.
_PAGE_BUCKETS: Final = 4
_WANTED: Final = pa.schema([("anchor", pa.string())])
_HASHES: Final = "hashes"


class CountLinks(beam.PTransform):
    """Buckets of pages that wrote which anchors they want, to the same buckets when the links of these are there."""

    def __init__(self, files: SurfaceFiles) -> None:
        super().__init__()
        self._files = files

    def expand(self, pages: beam.PCollection) -> beam.PCollection:
        """Gather what is wanted, read the dictionary, add up, and write it back."""
        files = self._files
        return (
            pages
            | "all wanted" >> WhenAllDone(STAGE, tasks_of(dict.fromkeys(files.buckets, 1)))
            | "save wanted" >> beam.ParDo(SaveWanted(files))
            | "all saved" >> WhenAllDone(STAGE, tasks_of(files.buckets))
            | "count" >> beam.ParDo(CountBucket(files))
            | "all sums" >> WhenAllDone(STAGE, tasks_of({key: _anchor_buckets(n) for key, n in files.buckets.items()}))
            | "add links" >> beam.ParDo(AddLinks(files))
            | "all links" >> WhenAllDone(STAGE, tasks_of(files.buckets))
        )


def add_wanted(pages: BucketFile, anchors: pa.Array, buckets: int) -> None:
    """Write the anchors that a bucket of pages wants into its file, one of ``buckets``: them and their hashes."""
    table = pa.table([anchors], _WANTED)
    pages.add_rows((_wanted(bucket), rows) for bucket, rows in split(table, "anchor", _anchor_buckets(buckets)))
    pages.add(_HASHES, encode_numbers(np.sort(hashes_of(anchors))))


def read_links(files: SurfaceFiles, language: str, bucket: int) -> pa.Table:
    """The links of the anchors that a bucket of pages wants, as ANCHOR_TOTALS."""
    paths = part_paths(files.links(language), _anchor_buckets(files.buckets[language]))
    return table_of(read_rows(paths, [bucket]), ANCHOR_TOTALS)


def _anchor_buckets(buckets: int) -> int:
    """How many buckets of anchors there are for so many of pages.

    >>> [_anchor_buckets(buckets) for buckets in (1, 8, 64, 256)]
    [1, 2, 16, 64]
    """
    return -(-buckets // _PAGE_BUCKETS)


def _wanted(bucket: int) -> str:
    return f"wanted-{bucket}"


class SaveWanted(beam.DoFn):
    """The hashes of all buckets of pages to a folder that workers can map into memory."""

    def __init__(self, files: SurfaceFiles) -> None:
        self._files = files

    def process(self, task: Task) -> Iterator[Done]:
        """Merge and write."""
        language = task[0]
        paths = part_paths(self._files.pages(language), self._files.buckets[language])
        hashes = (decode_numbers(batch) for path in paths for batch in read_bucket(path, [_HASHES]))
        save_arrays(WantedAnchors.of(hashes), self._files.wanted(language))
        yield done(language, 0, 1)


class CountBucket(beam.DoFn):
    """A bucket of the dictionary to the links of wanted anchors in it, by anchor."""

    def __init__(self, files: SurfaceFiles) -> None:
        self._files = files

    def process(self, task: Task) -> Iterator[Done]:
        """Read, filter and sum; if no anchor is wanted, nothing is read."""
        language, bucket, buckets = task
        wanted = open_arrays(WantedAnchors, local_folder(self._files.wanted(language)))
        with create_bucket_file(part_path(self._files.sums(language), bucket)) as sums:
            if wanted.hashes.size:
                path = bucket_path(self._files.mentions[language], bucket, buckets)
                links = read_parquet(path, ANCHOR_TOTALS.names)
                anchors = write_in(variant_of(self._files.options.variant, language), links["anchor"])
                found = wanted.count(links.set_column(0, "anchor", anchors))
                sums.add_rows(split(found, "anchor", _anchor_buckets(buckets)))
        yield done(language, bucket, buckets)


class AddLinks(beam.DoFn):
    """The sums of a bucket of anchors, added up, to the buckets of pages that want them."""

    def __init__(self, files: SurfaceFiles) -> None:
        self._files = files

    def process(self, task: Task) -> Iterator[Done]:
        """Add up, look up, and write."""
        language, bucket, buckets = task
        sums = part_paths(self._files.sums(language), self._files.buckets[language])
        totals = sum_up(read_rows(sums, [bucket]), ANCHOR_TOTALS)
        anchors = totals["anchor"].combine_chunks()
        with create_bucket_file(part_path(self._files.links(language), bucket)) as links:
            for pages, path in enumerate(part_paths(self._files.pages(language), self._files.buckets[language])):
                wanted = table_of(read_rows([path], [_wanted(bucket)]), _WANTED)["anchor"]
                found = totals["count"].take(pc.index_in(wanted, value_set=anchors))
                links.add_rows([(pages, pa.table([wanted, found], ANCHOR_TOTALS))])
        yield done(language, bucket, buckets)
