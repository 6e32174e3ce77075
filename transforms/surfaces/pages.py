"""Items in the buckets of their sitelinks to the surface forms of the pages that these lead to.

The dictionary is on disk in buckets by title, so that only items move: to the bucket of their sitelink's title, where
its redirects are known, and on to that of the page it leads to. What the bucket finds of them waits on disk, and
``links.py`` counts the links of their anchors in all buckets meanwhile.
"""

from collections.abc import Iterator
from typing import Final

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.buckets import split
from wikisem.surfaces.anchors import (
    TOP_ANCHORS,
    add_links,
    break_ties,
    follow_redirects,
    title_anchors,
    top_anchors,
)
from wikisem.surfaces.naming import ITEMS, name_items, sort_items
from wikisem.surfaces.one_script import mentions_in
from wikisem.transforms.io.bucket_files import create_bucket_file, part_path, part_paths, read_rows, table_of
from wikisem.transforms.io.parquet import bucket_name, bucket_path, read_parquet
from wikisem.transforms.io.shuffle import Done, Task, WhenAllDone, done, same_tasks
from wikisem.transforms.surfaces.files import SurfaceFiles
from wikisem.transforms.surfaces.links import STAGE, CountLinks, add_wanted, read_links
from wikisem.transforms.surfaces.tallies import write_tallies
from wikisem.wikipedia.variants import variant_of

_PARTS: Final = {"items": ITEMS, "top": TOP_ANCHORS, "titled": TOP_ANCHORS}


class ResolvePages(beam.PTransform):
    """Parts of the entities whose items are in bucket files, to finished files; there are so many ``parts``."""

    def __init__(self, files: SurfaceFiles, parts: int) -> None:
        super().__init__()
        self._files, self._parts = files, parts

    def expand(self, read: beam.PCollection) -> beam.PCollection:
        """Follow sitelinks, find the anchors of pages, count their links, and write."""
        files = self._files
        return (
            read
            | "all items" >> WhenAllDone(STAGE, self._buckets)
            | "follow sitelinks" >> beam.ParDo(FollowSitelinks(files, self._parts))
            | "all followed" >> WhenAllDone(STAGE, same_tasks)
            | "find anchors" >> beam.ParDo(FindAnchors(files))
            | "count links" >> CountLinks(files)
            | "write surfaces" >> beam.ParDo(WriteSurfaces(files))
        )

    def _buckets(self, key: str, weights: object) -> list[Task]:
        """The buckets of all languages, for all of them are read at once."""
        del key, weights
        buckets = self._files.buckets
        return [(language, bucket, buckets[language]) for language in buckets for bucket in range(buckets[language])]


class FollowSitelinks(beam.DoFn):
    """The items of a bucket to the buckets of the pages that they lead to, nearly all of them to its own."""

    def __init__(self, files: SurfaceFiles, parts: int) -> None:
        self._files, self._parts = files, parts

    def process(self, task: Task) -> Iterator[Done]:
        """Follow the redirects of the bucket, one step."""
        language, bucket, buckets = task
        files = self._files
        items = table_of(read_rows(part_paths(files.items(language), self._parts), [bucket]), ITEMS)
        redirects = read_parquet(bucket_path(f"{files.mentions[language]}/redirects", bucket, buckets))
        direct, redirected = follow_redirects(items, redirects)
        with create_bucket_file(part_path(files.followed(language), bucket)) as followed:
            followed.add_rows([(bucket, direct)])
            followed.add_rows(split(redirected, "title", buckets))
        yield done(language, bucket, buckets)


class FindAnchors(beam.DoFn):
    """The items of a bucket, with the anchors of their pages that may be chosen, to a file that says what it wants."""

    def __init__(self, files: SurfaceFiles) -> None:
        self._files = files

    def process(self, task: Task) -> Iterator[Done]:
        """Look the bucket's pages up."""
        language, bucket, buckets = task
        files, options = self._files, self._files.options
        items = sort_items(table_of(read_rows(part_paths(files.followed(language), buckets), [bucket]), ITEMS))
        titles = pc.unique(items["title"])
        mentions = read_parquet(bucket_path(files.mentions[language], bucket, buckets))
        if variant := variant_of(options.variant, language):
            mentions = mentions_in(variant, mentions.filter(pc.is_in(mentions["title"], value_set=titles)))
        top = top_anchors(mentions, titles, options.minimum_count, variant)
        wants_titles = options.form == "dictionary"
        titled = title_anchors(mentions, titles, variant) if wants_titles else TOP_ANCHORS.empty_table()
        anchors = pc.unique(pa.chunked_array([*top["surface"].chunks, *titled["surface"].chunks], pa.string()))
        with create_bucket_file(part_path(files.pages(language), bucket)) as pages:
            pages.add_rows(zip(_PARTS, (items, top, titled), strict=True))
            add_wanted(pages, anchors, buckets)
        yield done(language, bucket, buckets)


class WriteSurfaces(beam.DoFn):
    """The links of the anchors of a bucket, with what waits on disk, to the bucket's file of surface forms."""

    def __init__(self, files: SurfaceFiles) -> None:
        self._files = files

    def process(self, task: Task) -> None:
        """Break the ties and write."""
        language, bucket, buckets = task
        files = self._files
        path = part_path(files.pages(language), bucket)
        items, top, titled = (table_of(read_rows([path], [name]), schema) for name, schema in _PARTS.items())
        totals = read_links(files, language, bucket)
        chosen, titled = break_ties(top, totals), add_links(titled, totals)
        named = name_items(items, chosen, titled, files.options, language)
        counts = files.write_part(named, language, bucket_name(bucket, buckets))
        write_tallies(files.bucket_tally(language, bucket), {language: counts})
