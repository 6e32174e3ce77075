"""The names of the pages of a wiki: its anchor dictionary, with both probabilities of each pair and the pages' items.

The dictionary is in buckets by title, so that P(anchor | page) is known in a bucket, but the links of an anchor are in
all of them. So the buckets send their anchors to buckets by anchor, where they are added up and sent back, as in the
surfaces stage; there only the anchors that may be chosen take this way, here all of them do. A task holds one bucket of
pages or of anchors, however large the wiki is.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Final

import apache_beam as beam
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.buckets import split, sum_rows
from wikisem.arrow.columns import MapLookup, qid_numbers
from wikisem.arrow.parquet import bucket_name, bucket_path, count_buckets, read_parquet, write_parquet
from wikisem.files import replace_file
from wikisem.layout import NAMES as STAGE
from wikisem.recipes.options import SurfaceOptions
from wikisem.records import Counts
from wikisem.surfaces.cleaning import compose
from wikisem.surfaces.link_counts import ANCHOR_TOTALS, PAGE_ITEMS, name_pages
from wikisem.transforms.io.counts import read_json, require_files
from wikisem.transforms.io.runtime import StageContext, label_of
from wikisem.transforms.io.shuffle import Done, Sent, Task, done, table_of, tasks_of
from wikisem.transforms.surfaces.pages import (
    ALL_PARTS,
    Dictionary,
    PagesContext,
    anchor_buckets,
    bucket_counts,
    send_links,
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
    scratch, shuffle = context.scratch, context.shuffle
    pages = PagesContext(scratch, shuffle, dictionaries, folders, SurfaceOptions(), len(parts))
    buckets = pages.buckets
    anchors = tasks_of({code: anchor_buckets(number) for code, number in buckets.items()})

    def construct(pipeline: beam.Pipeline) -> None:
        read = (
            pipeline
            | "entities" >> beam.Create(list(enumerate(parts)))
            | "read titles" >> beam.FlatMap(read_titles, pages)
        )
        added = (
            read
            | "all titles" >> shuffle.exchange(STAGE, pages.all_buckets)
            | "count anchors" >> beam.FlatMap(count_anchors, pages)
            | "all sums" >> shuffle.exchange(STAGE, anchors, _SUMS)
            | "add links" >> beam.FlatMap(send_links, pages, _SUMS)
        )
        _ = (
            (added, read)
            | "all links" >> shuffle.exchange(STAGE, tasks_of(buckets), _LINKS, _TITLES)
            | "write names" >> beam.Map(write_bucket, pages)
        )

    label, total = label_of(STAGE, list(folders)), sum(buckets.values())
    context.runtime.run(construct, label=label, parts=scratch.counts("*"), total=total)
    found: dict[str, NameCounts] = {}
    for code, number in buckets.items():
        require_files(folders[code], [bucket_name(bucket, number) for bucket in range(number)])
        counts = [read_json(bucket_counts(scratch, code, bucket)) for bucket in range(number)]
        pairs = sum((Counts(**one["pairs"]) for one in counts), Counts())
        found[code] = NameCounts(pairs, sum(one["pages"] for one in counts), sum(one["items"] for one in counts))
    return found


_TITLES: Final = "read/titles"
_SUMS: Final = "count/sums"
_LINKS: Final = "add/links"


def read_titles(numbered: tuple[int, list[str]], pages: PagesContext) -> Iterator[Done | Sent]:
    """Send the numbers of the items in a numbered part of the entities to the buckets of their pages, in each language.

    A sitelink to a redirect names the redirect, and not the page where it leads: that is another item's, or none's.
    """
    (number, paths), buckets = numbered, pages.buckets
    found: dict[str, list[pa.Table]] = {language: [PAGE_ITEMS.empty_table()] for language in buckets}
    for path in paths:
        items = read_parquet(path, ["qid", "titles"])
        titles, numbers = MapLookup(items["titles"]), pa.array(qid_numbers(items["qid"]))
        for language, tables in found.items():
            rows = pa.table([compose(titles.lookup(wiki_of(language) or "")), numbers], schema=PAGE_ITEMS)
            tables.append(rows.filter(rows["title"].is_valid()))
    with pages.shuffle.sender("read", ALL_PARTS, number) as sender:
        for language, tables in found.items():
            rows = split(pa.concat_tables(tables), "title", buckets[language])
            yield from sender.add_rows("titles", rows, language)
    yield done(ALL_PARTS, number, pages.parts)


def count_anchors(task: Task, pages: PagesContext) -> Iterator[Done | Sent]:
    """Send the links of each anchor in a bucket of pages to its bucket of anchors."""
    language, bucket, buckets = task[:3]
    sums = sum_rows([pages.read_mentions(task, ANCHOR_TOTALS.names)], ANCHOR_TOTALS)
    with pages.shuffle.sender("count", language, bucket) as sender:
        yield from sender.add_rows("sums", split(sums, "anchor", anchor_buckets(buckets)))
    yield done(language, bucket, buckets)


def write_bucket(task: Task, pages: PagesContext) -> None:
    """Write the names of a bucket of pages from its mentions, the links of their anchors and the items of its pages."""
    language, bucket, buckets = task[:3]
    items = table_of(pages.shuffle.read_rows(task, _TITLES, range(pages.parts), ALL_PARTS), PAGE_ITEMS)
    totals = table_of(pages.shuffle.read_rows(task, _LINKS, range(anchor_buckets(buckets))), ANCHOR_TOTALS)
    names = name_pages(pages.read_mentions(task), totals, items)
    write_parquet(bucket_path(pages.folders[language], bucket, buckets), names, dictionaries=False)
    titles = pc.count_distinct(names["title"]).as_py()
    linked = pc.count_distinct(names.filter(names["qid"].is_valid())["title"]).as_py()
    counts = NameCounts(Counts(len(names), len(names)), titles, linked)
    replace_file(bucket_counts(pages.scratch, language, bucket), orjson.dumps(asdict(counts)))
