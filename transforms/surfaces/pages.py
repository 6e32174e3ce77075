"""The steps of the surfaces stage that look pages up: items in the buckets of their sitelinks to the surface forms.

The dictionary is on disk in buckets by title, so only items move: to the bucket of their sitelink's title, where its
redirects are known, and on to that of the page it leads to. The anchors found there wait on disk while their links are
counted in all buckets.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Final, NamedTuple

import apache_beam as beam
import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.buckets import split, sum_up
from wikisem.arrow.columns import decode_numbers, encode_numbers
from wikisem.files import replace_file
from wikisem.graph.store import open_arrays
from wikisem.layout import SurfaceScratch, redirects_folder
from wikisem.recipes.options import SurfaceOptions
from wikisem.records import Counts
from wikisem.schemas import SURFACES
from wikisem.surfaces.cleaning import mentions_in, write_in
from wikisem.surfaces.link_counts import (
    ANCHOR_TOTALS,
    TOP_ANCHORS,
    WantedAnchors,
    add_links,
    break_ties,
    follow_redirects,
    hashes_of,
    title_anchors,
    top_anchors,
)
from wikisem.surfaces.naming import ITEMS, count_items, count_refused, name_items, sort_items
from wikisem.transforms.io.arrays import local_folder, save_arrays
from wikisem.transforms.io.counts import read_json
from wikisem.transforms.io.parquet import bucket_name, bucket_path, read_parquet, write_parquet
from wikisem.transforms.io.shuffle import (
    BucketFile,
    Done,
    Task,
    WhenAllDone,
    create_bucket_file,
    done,
    part_path,
    part_paths,
    read_bucket,
    read_rows,
    same_tasks,
    table_of,
    tasks_of,
)
from wikisem.wikipedia.variants import variant_of

STAGE: Final = "surfaces"


class Dictionary(NamedTuple):
    """The anchor dictionary of a language: the folder of its mentions, and how many buckets they are in."""

    folder: str
    buckets: int


def fallback_name(number: int) -> str:
    """The file of the items that have no page to look up, of one part of the entities."""
    return f"fallback-{number:05d}.parquet"


def write_part(folder: str, name: str, named: pa.Table) -> "SurfaceCounts":
    """Write the rows of items that have a surface form as one file of a language, and count all items by outcome."""
    write_parquet(f"{folder}/{name}", named.filter(named["surface"].is_valid()).select(SURFACES.names))
    return count_named(named)


# From items to the surface forms of their pages.

_PARTS: Final = {"items": ITEMS, "top": TOP_ANCHORS, "titled": TOP_ANCHORS}


class ResolvePages(beam.PTransform):
    """Find the surface forms of the items that all ``parts`` of the entities left in bucket files.

    They are written to the folder of their language.
    """

    def __init__(
        self,
        scratch: SurfaceScratch,
        dictionaries: Mapping[str, Dictionary],
        folders: Mapping[str, str],
        options: SurfaceOptions,
        parts: int,
    ) -> None:
        super().__init__()
        self._scratch, self._dictionaries, self._folders = scratch, dictionaries, folders
        self._options, self._parts = options, parts

    def expand(self, read: beam.PCollection) -> beam.PCollection:
        """Follow sitelinks, find the anchors of pages, count their links, and write."""
        scratch, dictionaries, options = self._scratch, self._dictionaries, self._options
        return (
            read
            | "all items" >> WhenAllDone(STAGE, self._buckets)
            | "follow sitelinks" >> beam.ParDo(FollowSitelinks(scratch, dictionaries, self._parts))
            | "all followed" >> WhenAllDone(STAGE, same_tasks)
            | "find anchors" >> beam.ParDo(FindAnchors(scratch, dictionaries, options))
            | "count links" >> CountLinks(scratch, dictionaries, options.variant)
            | "write surfaces" >> beam.ParDo(WriteSurfaces(scratch, self._folders, options))
        )

    def _buckets(self, key: str, weights: object) -> list[Task]:
        """The buckets of all languages, for all of them are read at once."""
        del key, weights
        return [
            (language, bucket, buckets)
            for language, (_, buckets) in self._dictionaries.items()
            for bucket in range(buckets)
        ]


class FollowSitelinks(beam.DoFn):
    """Move the items of a bucket to the buckets of the pages that they lead to, which is nearly always their own."""

    def __init__(self, scratch: SurfaceScratch, dictionaries: Mapping[str, Dictionary], parts: int) -> None:
        self._scratch, self._dictionaries, self._parts = scratch, dictionaries, parts

    def process(self, task: Task) -> Iterator[Done]:
        """Follow the redirects of the bucket, one step."""
        language, bucket, buckets = task
        scratch, folder = self._scratch, redirects_folder(self._dictionaries[language].folder)
        items = table_of(read_rows(part_paths(scratch.items(language), self._parts), [bucket]), ITEMS)
        redirects = read_parquet(bucket_path(folder, bucket, buckets))
        direct, redirected = follow_redirects(items, redirects)
        with create_bucket_file(part_path(scratch.followed(language), bucket)) as followed:
            followed.add_rows([(bucket, direct)])
            followed.add_rows(split(redirected, "title", buckets))
        yield done(language, bucket, buckets)


class FindAnchors(beam.DoFn):
    """Find the anchors that may be chosen for the items of a bucket; write both, and the anchors that need a count."""

    def __init__(
        self, scratch: SurfaceScratch, dictionaries: Mapping[str, Dictionary], options: SurfaceOptions
    ) -> None:
        self._scratch, self._dictionaries, self._options = scratch, dictionaries, options

    def process(self, task: Task) -> Iterator[Done]:
        """Look the bucket's pages up."""
        language, bucket, buckets = task
        scratch, options = self._scratch, self._options
        items = sort_items(table_of(read_rows(part_paths(scratch.followed(language), buckets), [bucket]), ITEMS))
        titles = pc.unique(items["title"])
        mentions = read_parquet(bucket_path(self._dictionaries[language].folder, bucket, buckets))
        if variant := variant_of(options.variant, language):
            mentions = mentions_in(variant, mentions.filter(pc.is_in(mentions["title"], value_set=titles)))
        top = top_anchors(mentions, titles, options.minimum_count, variant)
        wants_titles = options.form == "dictionary"
        titled = title_anchors(mentions, titles, variant) if wants_titles else TOP_ANCHORS.empty_table()
        anchors = pc.unique(pa.chunked_array([*top["surface"].chunks, *titled["surface"].chunks], pa.string()))
        with create_bucket_file(part_path(scratch.pages(language), bucket)) as pages:
            pages.add_rows(zip(_PARTS, (items, top, titled), strict=True))
            add_wanted(pages, anchors, buckets)
        yield done(language, bucket, buckets)


class WriteSurfaces(beam.DoFn):
    """Choose the surface forms of a bucket from its items and anchors, which wait on disk, and their links."""

    def __init__(self, scratch: SurfaceScratch, folders: Mapping[str, str], options: SurfaceOptions) -> None:
        self._scratch, self._folders, self._options = scratch, folders, options

    def process(self, task: Task) -> None:
        """Break the ties and write."""
        language, bucket, buckets = task
        path = part_path(self._scratch.pages(language), bucket)
        items, top, titled = (table_of(read_rows([path], [name]), schema) for name, schema in _PARTS.items())
        totals = read_links(self._scratch, task)
        chosen, titled = break_ties(top, totals), add_links(titled, totals)
        named = name_items(items, chosen, titled, self._options, language)
        counts = write_part(self._folders[language], bucket_name(bucket, buckets), named)
        write_surface_counts(bucket_counts(self._scratch, language, bucket), {language: counts})


# How many links of a whole wiki have each anchor.

# There is one bucket of anchors for this many buckets of pages. Each bucket of pages writes a batch for each bucket of
# anchors, and the other way round: with 256 by 256, most batches would be tiny.
_PAGE_BUCKETS: Final = 4
_WANTED: Final = pa.schema([("anchor", pa.string())])
_HASHES: Final = "hashes"


class CountLinks(beam.PTransform):
    """Count the links of the anchors that buckets of pages want, and yield these buckets when the counts are there.

    These are the anchors that surface forms may be chosen from. The dictionary is in buckets by title, and an anchor's
    links are in all of them. So each bucket is read once more: it keeps the anchors whose hash is wanted, sums their
    links, and writes the sums by anchor. They are added up there, and written back for the buckets of the pages that
    want them. 7 million pages want about as many anchors, whose hashes take 56 MB of a file that all workers of a
    machine share.
    """

    def __init__(self, scratch: SurfaceScratch, dictionaries: Mapping[str, Dictionary], variant: str) -> None:
        super().__init__()
        self._scratch, self._dictionaries, self._variant = scratch, dictionaries, variant

    def expand(self, pages: beam.PCollection) -> beam.PCollection:
        """Gather what is wanted, read the dictionary, add up, and write it back."""
        scratch, dictionaries = self._scratch, self._dictionaries
        buckets = {language: dictionary.buckets for language, dictionary in dictionaries.items()}
        return (
            pages
            | "all wanted" >> WhenAllDone(STAGE, tasks_of(dict.fromkeys(buckets, 1)))
            | "save wanted" >> beam.ParDo(SaveWanted(scratch, buckets))
            | "all saved" >> WhenAllDone(STAGE, tasks_of(buckets))
            | "count" >> beam.ParDo(CountBucket(scratch, dictionaries, self._variant))
            | "all sums" >> WhenAllDone(STAGE, tasks_of({key: _anchor_buckets(n) for key, n in buckets.items()}))
            | "add links" >> beam.ParDo(AddLinks(scratch, buckets))
            | "all links" >> WhenAllDone(STAGE, tasks_of(buckets))
        )


def add_wanted(pages: BucketFile, anchors: pa.Array, buckets: int) -> None:
    """Write the anchors that a bucket of pages wants into its file, one of ``buckets``: them and their hashes."""
    table = pa.table([anchors], _WANTED)
    pages.add_rows((_wanted(bucket), rows) for bucket, rows in split(table, "anchor", _anchor_buckets(buckets)))
    pages.add(_HASHES, encode_numbers(np.sort(hashes_of(anchors))))


class SaveWanted(beam.DoFn):
    """Merge the hashes of all buckets of pages, to be mapped into memory."""

    def __init__(self, scratch: SurfaceScratch, buckets: Mapping[str, int]) -> None:
        self._scratch, self._buckets = scratch, buckets

    def process(self, task: Task) -> Iterator[Done]:
        """Merge and write."""
        language = task[0]
        paths = part_paths(self._scratch.pages(language), self._buckets[language])
        hashes = (decode_numbers(batch) for path in paths for batch in read_bucket(path, [_HASHES]))
        save_arrays(WantedAnchors.of(hashes), self._scratch.wanted(language))
        yield done(language, 0, 1)


class CountBucket(beam.DoFn):
    """Count the links of wanted anchors in a bucket of the dictionary, by anchor."""

    def __init__(self, scratch: SurfaceScratch, dictionaries: Mapping[str, Dictionary], variant: str) -> None:
        self._scratch, self._dictionaries, self._variant = scratch, dictionaries, variant

    def process(self, task: Task) -> Iterator[Done]:
        """Read, filter and sum; if no anchor is wanted, nothing is read."""
        language, bucket, buckets = task
        wanted = open_arrays(WantedAnchors, local_folder(self._scratch.wanted(language)))
        with create_bucket_file(part_path(self._scratch.sums(language), bucket)) as sums:
            if wanted.hashes.size:
                path = bucket_path(self._dictionaries[language].folder, bucket, buckets)
                links = read_parquet(path, ANCHOR_TOTALS.names)
                anchors = write_in(variant_of(self._variant, language), links["anchor"])
                found = wanted.count(links.set_column(0, "anchor", anchors))
                sums.add_rows(split(found, "anchor", _anchor_buckets(buckets)))
        yield done(language, bucket, buckets)


class AddLinks(beam.DoFn):
    """Add up the sums of a bucket of anchors, and write them for the buckets of pages that want them."""

    def __init__(self, scratch: SurfaceScratch, buckets: Mapping[str, int]) -> None:
        self._scratch, self._buckets = scratch, buckets

    def process(self, task: Task) -> Iterator[Done]:
        """Add up, look up, and write."""
        language, bucket, buckets = task
        sums = part_paths(self._scratch.sums(language), self._buckets[language])
        totals = sum_up(read_rows(sums, [bucket]), ANCHOR_TOTALS)
        anchors = totals["anchor"].combine_chunks()
        with create_bucket_file(part_path(self._scratch.links(language), bucket)) as links:
            for pages, path in enumerate(part_paths(self._scratch.pages(language), self._buckets[language])):
                wanted = table_of(read_rows([path], [_wanted(bucket)]), _WANTED)["anchor"]
                found = totals["count"].take(pc.index_in(wanted, value_set=anchors))
                links.add_rows([(pages, pa.table([wanted, found], ANCHOR_TOTALS))])
        yield done(language, bucket, buckets)


def read_links(scratch: SurfaceScratch, task: Task) -> pa.Table:
    """The links of the anchors that a bucket of pages wants, as ANCHOR_TOTALS."""
    language, bucket, buckets = task
    paths = part_paths(scratch.links(language), _anchor_buckets(buckets))
    return table_of(read_rows(paths, [bucket]), ANCHOR_TOTALS)


def _anchor_buckets(buckets: int) -> int:
    """The number of buckets of anchors for a number of buckets of pages.

    >>> [_anchor_buckets(buckets) for buckets in (1, 8, 64, 256)]
    [1, 2, 16, 64]
    """
    return -(-buckets // _PAGE_BUCKETS)


def _wanted(bucket: int) -> str:
    return f"wanted-{bucket}"


# What became of the items of each language: one small file for each task, added up when the pipeline is over.


@dataclass(frozen=True, slots=True)
class SurfaceCounts:
    """The counts of items, of the sources of surface forms, and of the anchors that each rule refused."""

    items: Counts = field(default_factory=Counts)
    sources: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: "SurfaceCounts") -> "SurfaceCounts":
        return SurfaceCounts(
            self.items + other.items,
            dict(Counter(self.sources) + Counter(other.sources)),
            dict(Counter(self.refused) + Counter(other.refused)),
        )

    @property
    def summary(self) -> dict[str, object]:
        """Every source, and the reasons for refusals if there were any."""
        sources = {"anchor": 0, "label": 0, "title": 0} | dict(self.sources)
        return {**sources, **({"refused": dict(sorted(self.refused.items()))} if self.refused else {})}


def count_named(named: pa.Table) -> SurfaceCounts:
    """The counts of the rows that ``name_items`` returns."""
    sources = pc.value_counts(pc.drop_null(named.filter(named["surface"].is_valid())["source"]))
    found = {pair["values"]: pair["counts"] for pair in sources.to_pylist()}
    return SurfaceCounts(count_items(named), found, count_refused(named))


def part_counts(scratch: SurfaceScratch, number: int) -> str:
    """The counts of a part of the entities, in all languages."""
    return scratch.counts(f"read-{number:05d}")


def bucket_counts(scratch: SurfaceScratch, language: str, bucket: int) -> str:
    """The counts of a bucket of a language."""
    return scratch.counts(f"{language}-{bucket:02d}")


def write_surface_counts(path: str, found: Mapping[str, SurfaceCounts]) -> None:
    """Write what a task counted in each language."""
    counts = {language: asdict(each) for language, each in found.items()}
    replace_file(path, orjson.dumps(counts, option=orjson.OPT_SORT_KEYS))


def sum_surface_counts(paths: Iterable[str]) -> dict[str, SurfaceCounts]:
    """The sums over all tasks by language; StageError if the counts of a task are missing."""
    sums: dict[str, SurfaceCounts] = {}
    for path in paths:
        for language, found in read_json(path).items():
            counts = SurfaceCounts(Counts(**found["items"]), found["sources"], found["refused"])
            sums[language] = sums.get(language, SurfaceCounts()) + counts
    return sums
