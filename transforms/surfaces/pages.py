"""Items in the buckets of their sitelinks to the surface forms of the pages that these lead to.

The dictionary is on disk in buckets by title, so that only items are shuffled: to the bucket of their sitelink's title,
where its redirects are known, and on to that of the page it leads to. What the bucket finds of them waits on disk, and
``links.py`` counts the links of their anchors in all buckets meanwhile.
"""

from collections.abc import Iterable, Iterator
from typing import Final, Literal

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc
from apache_beam.pvalue import TaggedOutput

from wikisem.arrow.buckets import BUCKETS
from wikisem.arrow.ipc import decode, encode
from wikisem.recipes.options import SurfaceOptions
from wikisem.records import Counts
from wikisem.schemas import SURFACES
from wikisem.surfaces.anchors import (
    ANCHOR_TOTALS,
    TOP_ANCHORS,
    add_links,
    break_ties,
    follow_redirects,
    title_anchors,
    top_anchors,
)
from wikisem.surfaces.naming import ITEMS, count_items, count_refused, name_items, sort_items
from wikisem.transforms.io.counts import write_counts
from wikisem.transforms.io.files import create_binary, open_binary
from wikisem.transforms.io.parquet import bucket_path, read_parquet, write_parquet
from wikisem.transforms.io.scratch import Scratch
from wikisem.transforms.io.shuffle import from_batches, to_buckets
from wikisem.transforms.surfaces.links import WANTED, Batch, CountLinks, to_anchor_buckets

_PARTS: Final = ("items", "top", "titled")


class ResolvePages(beam.PTransform):
    """Batches of items, in the buckets of their sitelinks, to finished files."""

    def __init__(self, mentions: str, language: str, options: SurfaceOptions, scratch: Scratch) -> None:
        super().__init__()
        self._mentions, self._language, self._options, self._scratch = mentions, language, options, scratch

    def expand(self, items: beam.PCollection) -> beam.PCollection:
        """Follow sitelinks, find the anchors of pages, count their links, and write."""
        find = FindAnchors(self._mentions, self._options, self._scratch)
        pages = (
            items
            | "group by sitelink" >> beam.GroupByKey()
            | "follow sitelinks" >> beam.ParDo(FollowSitelinks(self._mentions))
            | "group by page" >> beam.GroupByKey()
            | "find anchors" >> beam.ParDo(find).with_outputs("wanted", main="pages")
        )
        links = pages.wanted | "count links" >> CountLinks(self._mentions, self._scratch)
        return (
            (pages.pages, links)
            | "links by page" >> beam.Flatten()
            | "group links" >> beam.GroupByKey()
            | "write surfaces" >> beam.ParDo(WriteSurfaces(self._language, self._options, self._scratch))
        )


class FollowSitelinks(beam.DoFn):
    """The items of a bucket to the buckets of the pages that their sitelinks lead to."""

    def __init__(self, mentions: str) -> None:
        self._redirects = f"{mentions}/redirects"

    def process(self, grouped: tuple[int, Iterable[bytes]]) -> Iterator[Batch]:
        """Follow the redirects of the bucket, one step."""
        bucket, batches = grouped
        redirects = read_parquet(bucket_path(self._redirects, bucket))
        direct, redirected = follow_redirects(from_batches(batches, ITEMS), redirects)
        yield bucket, encode(direct)
        yield from to_buckets(redirected, "title")


class FindAnchors(beam.DoFn):
    """The items of a bucket, with the anchors of their pages that may be chosen, to files.

    Gives out an empty batch for the bucket, so that it is finished even if it wants no links counted, and under the tag
    ``wanted`` the anchors, in buckets of their own, with the bucket that wants them.
    """

    def __init__(self, mentions: str, options: SurfaceOptions, scratch: Scratch) -> None:
        self._mentions, self._options, self._scratch = mentions, options, scratch

    def process(self, grouped: tuple[int, Iterable[bytes]]) -> Iterator[Batch | TaggedOutput[Literal["wanted"], Batch]]:
        """Look the bucket's pages up."""
        bucket, batches = grouped
        items = from_batches(batches, ITEMS)
        titles = pc.unique(items["title"])
        mentions = read_parquet(bucket_path(self._mentions, bucket))
        top = top_anchors(mentions, titles, self._options.minimum_count)
        wants_titles = self._options.form == "dictionary"
        titled = title_anchors(mentions, titles) if wants_titles else TOP_ANCHORS.empty_table()
        for name, table in zip(_PARTS, (items, top, titled), strict=True):
            with create_binary(_part_path(self._scratch, name, bucket)) as sink:
                sink.write(encode(table))
        surfaces = pc.unique(pa.chunked_array([*top["surface"].chunks, *titled["surface"].chunks], pa.string()))
        wanted = pa.table([surfaces, pa.repeat(pa.scalar(bucket, pa.int16()), len(surfaces))], WANTED)
        for batch in to_anchor_buckets(wanted):
            yield TaggedOutput("wanted", batch)
        yield bucket, b""


class WriteSurfaces(beam.DoFn):
    """The links of the anchors of a bucket, with what waits on disk, to the bucket's file of surface forms."""

    def __init__(self, language: str, options: SurfaceOptions, scratch: Scratch) -> None:
        self._language, self._options, self._scratch = language, options, scratch

    def process(self, grouped: tuple[int, Iterable[bytes]]) -> None:
        """Break the ties and write."""
        bucket, batches = grouped
        totals = from_batches(filter(None, batches), ANCHOR_TOTALS)
        items, top, titled = (self._read(name, bucket) for name in _PARTS)
        chosen, titled = break_ties(top, totals), add_links(titled, totals)
        named = name_items(sort_items(items), chosen, titled, self._options, self._language)
        write_surfaces(named, self._scratch, f"bucket-{bucket:02d}-of-{BUCKETS}")

    def _read(self, name: str, bucket: int) -> pa.Table:
        with open_binary(_part_path(self._scratch, name, bucket)) as source:
            return decode(source.read())


def _part_path(scratch: Scratch, name: str, bucket: int) -> str:
    return f"{scratch.parts}/{name}/{bucket:02d}.arrow"


def write_surfaces(named: pa.Table, scratch: Scratch, name: str) -> None:
    """Write the rows of items that have a surface form, and what became of the others, as one part of the stage."""
    surfaces = named.filter(named["surface"].is_valid()).select(SURFACES.names)
    write_parquet(f"{scratch.published}/{name}.parquet", surfaces)
    write_counts(f"{scratch.parts}/refused/{name}.json", Counts(left_out=count_refused(named)))
    write_counts(f"{scratch.parts}/counts/{name}.json", count_items(named))
