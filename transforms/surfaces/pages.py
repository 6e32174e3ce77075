"""Items in the buckets of their sitelinks to the surface forms of the pages that these lead to.

The dictionary is on disk in buckets by title, so that only items are shuffled: to the bucket of their sitelink's title,
where its redirects are known, and on to that of the page it leads to. What breaks ties, the totals of anchors, is
summed in a second pass over the dictionary, for the tied anchors alone.
"""

from collections.abc import Iterable, Iterator
from typing import Final, Literal

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc
from apache_beam.pvalue import AsList, TaggedOutput

from wikisem.arrow.buckets import BUCKETS, add_up
from wikisem.arrow.ipc import decode, encode
from wikisem.recipes.options import SurfaceOptions
from wikisem.surfaces.anchors import ANCHOR_TOTALS, break_ties, follow_redirects, tied_anchors, top_anchors
from wikisem.surfaces.naming import ITEMS, Fallback, count_items, sort_items, surfaces_of
from wikisem.transforms.io.counts import write_counts
from wikisem.transforms.io.parquet import bucket_path, read_parquet, write_parquet
from wikisem.transforms.io.scratch import Scratch
from wikisem.transforms.io.shuffle import from_batches, to_buckets

TIED: Final = pa.schema([("anchor", pa.string())])

Batch = tuple[int, bytes]
PageRows = tuple[int, tuple[bytes, bytes]]  # bucket, (items, top anchors)


class ResolvePages(beam.PTransform):
    """Batches of items, in the buckets of their sitelinks, to finished files."""

    def __init__(self, mentions: str, options: SurfaceOptions, scratch: Scratch) -> None:
        super().__init__()
        self._mentions, self._options, self._scratch = mentions, options, scratch

    def expand(self, items: beam.PCollection) -> beam.PCollection:
        """Follow sitelinks, find the top anchors, count the tied ones, and write."""
        top = FindTopAnchors(self._mentions, self._options.minimum_count)
        resolved = (
            items
            | "group by sitelink" >> beam.GroupByKey()
            | "follow sitelinks" >> beam.ParDo(FollowSitelinks(self._mentions))
            | "group by page" >> beam.GroupByKey()
            | "find top anchors" >> beam.ParDo(top).with_outputs("tied", main="pages")
        )
        totals = (
            items.pipeline
            | "dictionary" >> beam.Create(range(BUCKETS))
            | "count tied anchors" >> beam.ParDo(CountTied(self._mentions), AsList(resolved.tied))
        )
        write = WriteSurfaces(self._options.fallback, self._scratch)
        return resolved.pages | "write surfaces" >> beam.ParDo(write, AsList(totals))


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


class FindTopAnchors(beam.DoFn):
    """The items of a bucket with the top anchors of their pages; under the tag ``tied`` the anchors to count."""

    def __init__(self, mentions: str, minimum_count: int) -> None:
        self._mentions, self._minimum_count = mentions, minimum_count

    def process(
        self, grouped: tuple[int, Iterable[bytes]]
    ) -> Iterator[PageRows | TaggedOutput[Literal["tied"], bytes]]:
        """Look the bucket's pages up."""
        bucket, batches = grouped
        items = from_batches(batches, ITEMS)
        mentions = read_parquet(bucket_path(self._mentions, bucket))
        top = top_anchors(mentions, pc.unique(items["title"]), self._minimum_count)
        yield TaggedOutput("tied", encode(pa.table([tied_anchors(top)], TIED)))
        yield bucket, (encode(items), encode(top))


class CountTied(beam.DoFn):
    """How many links of one bucket of the dictionary have each tied anchor."""

    def __init__(self, mentions: str) -> None:
        self._mentions = mentions

    def process(self, bucket: int, tied: list[bytes]) -> Iterator[bytes]:
        """Filter and sum; without ties nothing is read."""
        anchors = pc.unique(from_batches(tied, TIED)["anchor"])
        if len(anchors):
            rows = read_parquet(bucket_path(self._mentions, bucket), ["anchor", "count"])
            yield encode(add_up([rows.filter(pc.is_in(rows["anchor"], value_set=anchors))], ANCHOR_TOTALS))


class WriteSurfaces(beam.DoFn):
    """The items of a bucket and the top anchors of their pages to the bucket's file of surface forms."""

    def __init__(self, fallback: Fallback, scratch: Scratch) -> None:
        self._fallback, self._scratch = fallback, scratch

    def process(self, resolved: PageRows, totals: list[bytes]) -> None:
        """Break the ties and write."""
        bucket, (items, top) = resolved
        chosen = break_ties(decode(top), add_up([from_batches(totals, ANCHOR_TOTALS)], ANCHOR_TOTALS))
        write_surfaces(decode(items), chosen, self._fallback, self._scratch, f"bucket-{bucket:02d}-of-{BUCKETS}")


def write_surfaces(items: pa.Table, chosen: pa.Table, fallback: Fallback, scratch: Scratch, name: str) -> None:
    """Give items their surface forms, and write the rows and their counts as one part of the stage."""
    surfaces = surfaces_of(sort_items(items), chosen, fallback)
    write_parquet(f"{scratch.published}/{name}.parquet", surfaces)
    write_counts(f"{scratch.parts}/counts/{name}.json", count_items(items, surfaces))
