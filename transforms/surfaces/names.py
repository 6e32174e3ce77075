"""The names of the pages of a wiki: its anchor dictionary, with both probabilities of each pair and the pages' items.

The dictionary is in buckets by title, so that P(anchor | page) is known in a bucket, but the links of an anchor are in
all of them. So the buckets send their anchors to buckets by anchor, where they are added up and sent back, as in the
surfaces stage; there only the anchors that may be chosen take this way, here all of them do. A task holds one bucket of
pages or of anchors, however large the wiki is.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Final

import apache_beam as beam
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.buckets import add_up, split
from wikisem.arrow.columns import MapLookup, qid_numbers
from wikisem.arrow.parquet import bucket_name, bucket_path, count_buckets, read_parquet, write_parquet
from wikisem.files import replace_file
from wikisem.layout import NAMES as STAGE
from wikisem.layout import SurfaceScratch
from wikisem.recipes.options import SurfaceOptions
from wikisem.records import Counts
from wikisem.surfaces.cleaning import compose
from wikisem.surfaces.link_counts import ANCHOR_TOTALS, PAGE_ITEMS, name_pages
from wikisem.transforms.io.counts import read_json, require_files
from wikisem.transforms.io.runtime import StageContext, label_of
from wikisem.transforms.io.shuffle import Done, Sent, Task, done, table_of, tasks_of
from wikisem.transforms.surfaces.pages import (
    ALL_PARTS,
    AddLinks,
    Dictionary,
    Lookup,
    LookupStep,
    anchor_buckets,
    bucket_counts,
)
from wikisem.transforms.surfaces.stage import item_parts
from wikisem.wikis import wiki_of

# Of the rules by which this stage works and of the form of its files: raise it with any change to what it leaves.
VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class NameCounts:
    """Of a language: its pairs of page and anchor, its pages, and its pages with an item."""

    pairs: Counts
    pages: int
    items: int


def write_names(
    entities: str, mentions: Mapping[str, str], folders: Mapping[str, str], context: StageContext
) -> dict[str, NameCounts]:
    """Write the names of each language into its folder, ``*.parquet`` of schemas.NAMES, by bucket as its mentions.

    ``mentions`` has the folders of ``count_mentions``. Raises MissingInputError.
    """
    parts = item_parts(entities)
    dictionaries = {code: Dictionary(folder, count_buckets(folder)) for code, folder in sorted(mentions.items())}
    scratch, shuffle = SurfaceScratch.of(context.scratch), context.shuffle
    lookup = Lookup(scratch, shuffle, dictionaries, folders, SurfaceOptions(), len(parts))
    buckets = lookup.buckets

    def construct(pipeline: beam.Pipeline) -> None:
        read = (
            pipeline
            | "entities" >> beam.Create(list(enumerate(parts)))
            | "read titles" >> beam.ParDo(ReadTitles(lookup))
        )
        added = (
            read
            | "all titles" >> shuffle.exchange(STAGE, lookup.all_buckets)
            | "count anchors" >> beam.ParDo(CountAnchors(lookup))
            | "all sums"
            >> shuffle.exchange(STAGE, tasks_of({code: anchor_buckets(n) for code, n in buckets.items()}), _SUMS)
            | "add links" >> beam.ParDo(AddLinks(lookup, _SUMS))
        )
        _ = (
            (added, read)
            | "all links" >> shuffle.exchange(STAGE, tasks_of(buckets), _LINKS, _TITLES)
            | "write names" >> beam.ParDo(WriteNames(lookup))
        )

    context.runtime.run(
        construct, label=label_of(STAGE, list(folders)), parts=scratch.counts("*"), total=sum(buckets.values())
    )
    return {code: _sum_up(scratch, code, folders[code], number) for code, number in buckets.items()}


_TITLES: Final = "read/titles"
_SUMS: Final = "count/sums"
_LINKS: Final = "add/links"


class ReadTitles(LookupStep):
    """Send the numbers of the items in a numbered part of the entities to the buckets of their pages, in each language.

    A sitelink to a redirect names the redirect, and not the page where it leads: that is another item's, or none's.
    """

    def process(self, numbered: tuple[int, list[str]]) -> Iterator[Done | Sent]:
        """Read the part, once for all languages."""
        (number, paths), buckets = numbered, self._lookup.buckets
        found: dict[str, list[pa.Table]] = {language: [PAGE_ITEMS.empty_table()] for language in buckets}
        for path in paths:
            items = read_parquet(path, ["qid", "titles"])
            titles, numbers = MapLookup(items["titles"]), pa.array(qid_numbers(items["qid"]))
            for language, tables in found.items():
                rows = pa.table([compose(titles.lookup(wiki_of(language) or "")), numbers], schema=PAGE_ITEMS)
                tables.append(rows.filter(rows["title"].is_valid()))
        with self._shuffle.sender("read", ALL_PARTS, number) as sender:
            for language, tables in found.items():
                rows = split(pa.concat_tables(tables), "title", buckets[language])
                yield from sender.add_rows("titles", rows, language)
        yield done(ALL_PARTS, number, self._lookup.parts)


class CountAnchors(LookupStep):
    """Send the links of each anchor in a bucket of pages to its bucket of anchors."""

    def process(self, task: Task) -> Iterator[Done | Sent]:
        """Read, sum and send."""
        language, bucket, buckets = task[:3]
        sums = add_up([self._lookup.read_mentions(task, ANCHOR_TOTALS.names)], ANCHOR_TOTALS)
        with self._shuffle.sender("count", language, bucket) as sender:
            yield from sender.add_rows("sums", split(sums, "anchor", anchor_buckets(buckets)))
        yield done(language, bucket, buckets)


class WriteNames(LookupStep):
    """Write the names of a bucket of pages from its mentions, the links of their anchors and the items of its pages."""

    def process(self, task: Task) -> None:
        """Join and write."""
        language, bucket, buckets = task[:3]
        lookup, shuffle = self._lookup, self._shuffle
        items = table_of(shuffle.read_rows(task, _TITLES, range(lookup.parts), ALL_PARTS), PAGE_ITEMS)
        totals = table_of(shuffle.read_rows(task, _LINKS, range(anchor_buckets(buckets))), ANCHOR_TOTALS)
        names = name_pages(lookup.read_mentions(task), totals, items)
        write_parquet(bucket_path(lookup.folders[language], bucket, buckets), names, dictionaries=False)
        pages = pc.count_distinct(names["title"]).as_py()
        linked = pc.count_distinct(names.filter(names["qid"].is_valid())["title"]).as_py()
        counts = NameCounts(Counts(len(names), len(names)), pages, linked)
        replace_file(bucket_counts(lookup.scratch, language, bucket), orjson.dumps(asdict(counts)))


def _sum_up(scratch: SurfaceScratch, language: str, folder: str, buckets: int) -> NameCounts:
    """The counts of a language; StageError unless every bucket left its file."""
    require_files(folder, [bucket_name(bucket, buckets) for bucket in range(buckets)])
    found = [read_json(bucket_counts(scratch, language, bucket)) for bucket in range(buckets)]
    pairs = sum((Counts(**one["pairs"]) for one in found), Counts())
    sums = sum((Counter(pages=one["pages"], items=one["items"]) for one in found), Counter[str]())
    return NameCounts(pairs, sums["pages"], sums["items"])
