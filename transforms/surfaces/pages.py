"""The steps of the surfaces stage that look pages up: items in the buckets of their sitelinks to the surface forms.

The dictionary is on disk in buckets by title, so only items move: to the bucket of their sitelink's title, where its
redirects are known, and on to that of the page it leads to. The anchors found there wait while their links are counted
in all buckets.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Final, NamedTuple

import apache_beam as beam
import msgspec
import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.buckets import MAX_HELD, split, sum_rows
from wikisem.arrow.columns import decode, decode_numbers, encode_numbers
from wikisem.arrow.parquet import bucket_name, bucket_path, read_parquet, write_parquet
from wikisem.files import replace_file
from wikisem.graph.store import open_arrays, save_arrays
from wikisem.layout import SURFACES as STAGE
from wikisem.layout import Scratch, pages_folder, redirects_folder
from wikisem.recipes.options import SurfaceOptions
from wikisem.records import Counts
from wikisem.schemas import SURFACES
from wikisem.surfaces.cleaning import mentions_in, write_in
from wikisem.surfaces.link_counts import (
    ANCHOR_TOTALS,
    TOP_ANCHORS,
    PageTitles,
    WantedAnchors,
    add_links,
    break_ties,
    follow_redirects,
    hashes_of,
    title_anchors,
    top_anchors,
)
from wikisem.surfaces.naming import ITEMS, count_items, count_refused, name_items, sort_items
from wikisem.transforms.io.counts import read_json
from wikisem.transforms.io.shuffle import Done, Sent, Shuffle, Task, done, same_tasks, table_of, tasks_of
from wikisem.wikipedia.variants import variant_of

# The key of all parts of the entities: what follows needs all of them, in every language.
ALL_PARTS: Final = ""


class Dictionary(NamedTuple):
    """The anchor dictionary of a language: the folder of its mentions, and how many buckets they are in."""

    folder: str
    buckets: int


@dataclass(frozen=True, slots=True)
class PagesContext:
    """All that the steps share which look pages up: where they write, how they send rows, and what they look up.

    ``folders`` are those of the finished files by language, ``parts`` is how many the entities are in.
    """

    scratch: Scratch
    shuffle: Shuffle
    dictionaries: Mapping[str, Dictionary]
    folders: Mapping[str, str]
    options: SurfaceOptions
    parts: int

    @property
    def buckets(self) -> dict[str, int]:
        """How many buckets the pages of each language are in."""
        return {language: dictionary.buckets for language, dictionary in self.dictionaries.items()}

    def all_buckets(self, key: str, weights: object) -> list[Task]:
        """The buckets of pages of all languages: what is sent to them comes from the entities, for all at once."""
        del key, weights
        return [Task(code, bucket, buckets) for code, buckets in self.buckets.items() for bucket in range(buckets)]

    def read_mentions(self, task: Task, columns: Sequence[str] | None = None) -> pa.Table:
        """The bucket of the dictionary that a task is about."""
        return read_parquet(bucket_path(self.dictionaries[task.key].folder, task.bucket, task.buckets), columns)


def fallback_name(number: int) -> str:
    """The file of the items that have no page to look up, of one part of the entities."""
    return f"fallback-{number:05d}.parquet"


def write_part(folder: str, name: str, named: pa.Table) -> "SurfaceCounts":
    """Write the rows of items that have a surface form as one file of a language, and count all items by outcome."""
    write_parquet(f"{folder}/{name}", named.filter(named["surface"].is_valid()).select(SURFACES.names))
    return count_named(named)


# From items to the surface forms of their pages.

# What waits for the links of anchors: the items of a bucket, and the anchors of their pages.
_WAITING: Final = {"find/items": ITEMS, "find/top": TOP_ANCHORS, "find/titled": TOP_ANCHORS}
_LINKS: Final = "add/links"


def resolve_pages(read: beam.PCollection, pages: PagesContext) -> None:
    """Find the surface forms of the items that all parts of the entities sent to the buckets of their titles.

    They are written to the folder of their language.
    """
    shuffle = pages.shuffle
    found = (
        read
        | "all items" >> shuffle.exchange(STAGE, pages.all_buckets, "read/items")
        | "follow sitelinks" >> beam.FlatMap(follow_sitelinks, pages)
        | "all followed" >> shuffle.exchange(STAGE, same_tasks, "follow/items")
        | "find anchors" >> beam.FlatMap(find_anchors, pages)
    )
    _ = (
        (count_links(found, pages), found)
        | "all links" >> shuffle.exchange(STAGE, tasks_of(pages.buckets), *_WAITING, _LINKS)
        | "write surfaces" >> beam.Map(write_surfaces, pages)
    )


def follow_sitelinks(task: Task, pages: PagesContext) -> Iterator[Done | Sent]:
    """Move the items of a bucket to the buckets of the pages that they lead to, which is nearly always their own.

    The redirects of the bucket are followed one step.
    """
    language, bucket, buckets = task[:3]
    items = table_of(pages.shuffle.read_rows(task, "read/items", range(pages.parts), ALL_PARTS), ITEMS)
    folder = redirects_folder(pages.dictionaries[language].folder)
    direct, redirected = follow_redirects(items, read_parquet(bucket_path(folder, bucket, buckets)))
    with pages.shuffle.sender("follow", language, bucket) as sender:
        yield from sender.add_rows("items", [(bucket, direct)])
        yield from sender.add_rows("items", split(redirected, "title", buckets))
    yield done(language, bucket, buckets)


def find_anchors(task: Task, pages: PagesContext) -> Iterator[Done | Sent]:
    """Send the items of a bucket and the anchors that may be chosen for them; both wait for the links of these anchors.

    The anchors also go to the buckets of anchors, and their hashes to one place.
    """
    language, bucket, buckets = task[:3]
    options = pages.options
    items = sort_items(table_of(pages.shuffle.read_rows(task, "follow/items", range(buckets)), ITEMS))
    titles = pc.unique(items["title"])
    mentions = pages.read_mentions(task)
    if variant := variant_of(options.variant, language):
        mentions = mentions_in(variant, mentions.filter(pc.is_in(mentions["title"], value_set=titles)))
    top = top_anchors(mentions, titles, options.minimum_count, variant)
    wants_titles = options.form == "dictionary"
    titled = title_anchors(mentions, titles, variant) if wants_titles else TOP_ANCHORS.empty_table()
    anchors = pc.unique(pa.chunked_array([*top["surface"].chunks, *titled["surface"].chunks], pa.string()))
    with pages.shuffle.sender("find", language, bucket) as sender:
        for name, rows in {"items": items, "top": top, "titled": titled}.items():
            yield from sender.add_rows(name, [(bucket, rows)])
        yield from sender.add_rows("wanted", split(pa.table([anchors], _WANTED), "anchor", anchor_buckets(buckets)))
        yield from sender.add("hashes", 0, encode_numbers(np.sort(hashes_of(anchors))))
    yield done(language, bucket, buckets)


def write_surfaces(task: Task, pages: PagesContext) -> None:
    """Choose the surface forms of a bucket from its items and anchors, which waited, and their links."""
    language, bucket, buckets = task[:3]
    read_rows = partial(pages.shuffle.read_rows, task)
    items, top, titled = (table_of(read_rows(kind, [bucket]), schema) for kind, schema in _WAITING.items())
    totals = table_of(read_rows(_LINKS, range(anchor_buckets(buckets))), ANCHOR_TOTALS)
    chosen, titled = break_ties(top, totals), add_links(titled, totals)
    named = name_items(items, chosen, titled, pages.options, language)
    counts = write_part(pages.folders[language], bucket_name(bucket, buckets), named)
    titles = open_arrays(PageTitles, pages_folder(pages.dictionaries[language].folder))
    counts = replace(counts, pages=count_pages(top, titles))
    write_surface_counts(bucket_counts(pages.scratch, language, bucket), {language: counts})


# How many links of a whole wiki have each anchor.

# There is one bucket of anchors for this many buckets of pages. Each bucket of pages writes a batch for each bucket of
# anchors, and the other way round: with 256 by 256, most batches would be tiny.
_PAGE_BUCKETS: Final = 4
_WANTED: Final = pa.schema([("anchor", pa.string())])


def count_links(found: beam.PCollection, pages: PagesContext) -> beam.PCollection:
    """Count the links of the anchors that buckets of pages want, and send them there; its parts are those of anchors.

    These are the anchors that surface forms may be chosen from. The dictionary is in buckets by title, and an anchor's
    links are in all of them. So each bucket is read once more: it keeps the anchors whose hash is wanted, sums their
    links, and sends the sums to buckets by anchor. They are added up there, and sent back to the buckets of the pages
    that want them. 7 million pages want about as many anchors, whose hashes take 56 MB of a file that all workers of a
    machine share.
    """
    shuffle, buckets = pages.shuffle, pages.buckets
    counted = (
        found
        | "all wanted" >> shuffle.exchange(STAGE, tasks_of(dict.fromkeys(buckets, 1)), "find/hashes")
        | "save wanted" >> beam.FlatMap(save_wanted, pages)
        | "all saved" >> shuffle.exchange(STAGE, tasks_of(buckets))
        | "count" >> beam.FlatMap(count_bucket, pages)
    )
    anchors = tasks_of({language: anchor_buckets(number) for language, number in buckets.items()})
    return (
        (counted, found)
        | "all sums" >> shuffle.exchange(STAGE, anchors, "count/sums", "find/wanted")
        | "add links" >> beam.FlatMap(send_links, pages, "find/wanted")
    )


def save_wanted(task: Task, pages: PagesContext) -> Iterator[Done]:
    """Merge the hashes of all buckets of pages, to be mapped into memory."""
    hashes = pages.shuffle.read(task, "find/hashes", range(pages.buckets[task.key]))
    save_arrays(WantedAnchors.of(map(decode_numbers, hashes)), pages.scratch.wanted(task.key))
    yield done(task.key, 0, 1)


def count_bucket(task: Task, pages: PagesContext) -> Iterator[Done | Sent]:
    """Count the links of wanted anchors in a bucket of the dictionary, by anchor."""
    language, bucket, buckets = task[:3]
    wanted = open_arrays(WantedAnchors, pages.scratch.wanted(language))
    with pages.shuffle.sender("count", language, bucket) as sender:
        if wanted.hashes.size:  # else nothing is read
            links = pages.read_mentions(task, ANCHOR_TOTALS.names)
            anchors = write_in(variant_of(pages.options.variant, language), links["anchor"])
            found = wanted.count(links.set_column(0, "anchor", anchors))
            yield from sender.add_rows("sums", split(found, "anchor", anchor_buckets(buckets)))
    yield done(language, bucket, buckets)


def send_links(task: Task, pages: PagesContext, wanted: str) -> Iterator[Done | Sent]:
    """Add up the sums of a bucket of anchors, and send them to the buckets of pages that want them.

    ``wanted`` is the kind of the batches that say which those are; they may be the sums themselves.
    """
    shuffle, numbers = pages.shuffle, range(pages.buckets[task.key])
    totals = sum_rows(shuffle.read_rows(task, "count/sums", numbers), ANCHOR_TOTALS, MAX_HELD)
    known = totals["anchor"].combine_chunks()
    with shuffle.sender("add", task.key, task.bucket) as sender:
        for bucket, batches in zip(numbers, shuffle.read_parts(task, wanted, numbers), strict=True):
            anchors = table_of((decode(batch).select(_WANTED.names) for batch in batches), _WANTED)["anchor"]
            found = totals["count"].take(pc.index_in(anchors, value_set=known))
            yield from sender.add_rows("links", [(bucket, pa.table([anchors, found], ANCHOR_TOTALS))])
    yield done(task.key, task.bucket, task.buckets)


def anchor_buckets(buckets: int) -> int:
    """The number of buckets of anchors for a number of buckets of pages.

    >>> [anchor_buckets(buckets) for buckets in (1, 8, 64, 256)]
    [1, 2, 16, 64]
    """
    return -(-buckets // _PAGE_BUCKETS)


# What became of the items of each language: one small file for each task, added up when the pipeline is over.


# How many of the best linked pages are named where the dump lacks them.
BEST_LINKED: Final = 1000


@dataclass(frozen=True, slots=True)
class PageCounts:
    """The pages that items have a sitelink to and links lead to: how many, how many of these the dump does not have.

    ``best`` are the best linked ones: the number of links, the title, and whether the page is missing. Nothing but
    links speaks of a missing page: a dump that was cut off, or that leaves pages out, looks whole without them.
    """

    linked: int = 0
    missing: int = 0
    best: tuple[tuple[int, str, bool], ...] = ()

    def __add__(self, other: "PageCounts") -> "PageCounts":
        best = sorted((*self.best, *other.best), key=lambda page: (-page[0], page[1]))
        return PageCounts(self.linked + other.linked, self.missing + other.missing, tuple(best[:BEST_LINKED]))


def count_pages(top: pa.Table, pages: PageTitles) -> PageCounts:
    """The counts of the linked pages of a bucket; ``top`` has their titles and how many links lead to each."""
    titles = pc.unique(top["title"])
    links = top["total"].take(pc.index_in(titles, value_set=top["title"].combine_chunks())).to_pylist()
    missing = (~pages.hold(titles)).tolist()
    best = tuple(zip(links, titles.to_pylist(), missing, strict=True))
    return PageCounts(len(best), sum(missing), best) + PageCounts()


@dataclass(frozen=True, slots=True)
class SurfaceCounts:
    """The counts of items, of the sources of surface forms, of the anchors that each rule refused, and of pages."""

    items: Counts = field(default_factory=Counts)
    sources: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)
    pages: PageCounts = field(default_factory=PageCounts)

    def __add__(self, other: "SurfaceCounts") -> "SurfaceCounts":
        return SurfaceCounts(
            self.items + other.items,
            dict(Counter(self.sources) + Counter(other.sources)),
            dict(Counter(self.refused) + Counter(other.refused)),
            self.pages + other.pages,
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


def part_counts(scratch: Scratch, number: int) -> str:
    """The counts of a part of the entities, in all languages."""
    return scratch.counts(f"read-{number:05d}")


def bucket_counts(scratch: Scratch, language: str, bucket: int) -> str:
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
            pages = msgspec.convert(found["pages"], PageCounts)
            counts = SurfaceCounts(Counts(**found["items"]), found["sources"], found["refused"], pages)
            sums[language] = sums.get(language, SurfaceCounts()) + counts
    return sums
