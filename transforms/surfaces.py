"""Stage 3: the surface form of each item in a language, from the anchor dictionary, else from the recipe's fallback.

The dictionary lies on disk in buckets by title, so that only items travel: to the bucket of their sitelink's title,
where its redirects are known, and on to that of the page where they end. What breaks ties, the totals of anchors, is
summed in a second look at the dictionary, for the tied anchors alone.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

import apache_beam as beam
import orjson
import pyarrow as pa
import pyarrow.compute as pc
from apache_beam.pvalue import AsList, TaggedOutput

from transforms.files import create_binary, list_files, match
from transforms.parquet import bucket_path, read_batches, read_parquet, write_parquet
from transforms.runtime import Runtime
from transforms.shuffle import from_batches, to_buckets
from transforms.tally import sum_counts, write_counts
from transforms.workplace import Workplace
from wikisem.anchors import ANCHOR_TOTALS, CANDIDATES, break_ties, follow_redirects, leading, tied_anchors
from wikisem.batches import decode, encode
from wikisem.buckets import BUCKETS, add_up
from wikisem.languages import label_codes, wiki_of
from wikisem.naming import ITEMS, Fallback, count_named, items_of, sort_items, surfaces_of
from wikisem.recipe import SurfaceOptions
from wikisem.records import Counts

STAGE: Final = "surfaces"
TIED: Final = pa.schema([("anchor", pa.string())])


def resolve_surfaces(
    entities: str, mentions: str | None, language: str, options: SurfaceOptions, workplace: Workplace, runtime: Runtime
) -> Counts:
    """Name the items that have a page or a label in the language, into ``done/*.parquet`` of schemas.SURFACES.

    ``mentions`` is the folder that ``count_mentions`` left; without it there is the fallback alone. Items named by
    their page lie in the page's bucket, all others in the number of their entities file, both by QID.
    ``done/summary.json`` says how many came from anchors, labels and titles. Counts are items; left out are those that
    neither a link nor the fallback names (``no-name``), and those without a page where no label is asked for
    (``no-page``). Raises MissingInputError.
    """
    files = match([f"{entities}/*.parquet"])
    languages = (*label_codes(language), "mul")
    read = ReadItems(wiki_of(language), languages, options.fallback, mentions is not None, workplace)

    def construct(pipeline: beam.Pipeline) -> None:
        items = pipeline | "entities" >> beam.Create(list(enumerate(files))) | "read items" >> beam.ParDo(read)
        if mentions is not None:
            _name_pages(items, mentions, options, workplace)

    counts = f"{workplace.parts}/counts/*.json"
    runtime.run(construct, label=f"{STAGE} {language}", parts=counts, total=len(files) + (BUCKETS if mentions else 0))
    _summarise(workplace)
    return sum_counts(counts)


def _name_pages(items: beam.PCollection, mentions: str, options: SurfaceOptions, workplace: Workplace) -> None:
    """From items in the buckets of their sitelinks to finished files."""
    found = (
        items
        | "meet redirects" >> beam.GroupByKey()
        | "follow sitelinks" >> beam.ParDo(FollowSitelinks(mentions))
        | "meet pages" >> beam.GroupByKey()
        | "find candidates"
        >> beam.ParDo(FindCandidates(mentions, options.minimum_count)).with_outputs("tied", main="pages")
    )
    totals = (
        items.pipeline
        | "dictionary" >> beam.Create(range(BUCKETS))
        | "count tied anchors" >> beam.ParDo(CountTied(mentions), AsList(found.tied))
    )
    found.pages | "name items" >> beam.ParDo(NameItems(options.fallback, workplace), AsList(totals))


def _summarise(workplace: Workplace) -> None:
    """Count the finished rows by source."""
    sources: Counter[str] = Counter(anchor=0, label=0, title=0)
    for path in list_files(f"{workplace.done}/*.parquet"):
        for pair in pc.value_counts(read_parquet(path, ["source"])["source"]).to_pylist():
            sources[pair["values"]] += pair["counts"]
    with create_binary(f"{workplace.done}/summary.json") as sink:
        sink.write(orjson.dumps(sources, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE))


class ReadItems(beam.DoFn):
    """A numbered file of entities to batches of the items that have a page; the others are named on the spot.

    Without a dictionary there are no pages to ask, and all are.
    """

    def __init__(
        self, wiki: str, languages: Sequence[str], fallback: Fallback, with_mentions: bool, workplace: Workplace
    ) -> None:
        self._wiki, self._languages, self._fallback = wiki, languages, fallback
        self._with_mentions, self._workplace = with_mentions, workplace

    def process(self, numbered: tuple[int, str]) -> Iterator[tuple[int, bytes]]:
        """Give out the items to look up, write the others."""
        number, path = numbered
        others = [ITEMS.empty_table()]
        for entities in read_batches(path, ["qid", "titles", "labels"]):
            items = items_of(entities, self._wiki, self._languages)
            asks = pc.and_(items["title"].is_valid(), self._with_mentions)
            yield from to_buckets(items.filter(asks), "title")
            others.append(items.filter(pc.invert(asks)))
        items = pa.concat_tables(others)
        _finish(items, CANDIDATES.empty_table(), self._fallback, self._workplace, f"fallback-{number:05d}")


class FollowSitelinks(beam.DoFn):
    """The items of a bucket to the buckets of the pages where their sitelinks end."""

    def __init__(self, mentions: str) -> None:
        self._redirects = f"{mentions}/redirects"

    def process(self, grouped: tuple[int, Iterable[bytes]]) -> Iterator[tuple[int, bytes]]:
        """Follow the redirects of the bucket, one step."""
        bucket, batches = grouped
        redirects = read_parquet(bucket_path(self._redirects, bucket))
        stayed, moved = follow_redirects(from_batches(batches, ITEMS), redirects)
        yield bucket, encode(stayed)
        yield from to_buckets(moved, "title")


class FindCandidates(beam.DoFn):
    """The items of a bucket beside the candidates of their pages; under the tag ``tied`` the anchors to look up."""

    def __init__(self, mentions: str, minimum_count: int) -> None:
        self._mentions, self._minimum_count = mentions, minimum_count

    def process(
        self, grouped: tuple[int, Iterable[bytes]]
    ) -> Iterator[tuple[int, tuple[bytes, bytes]] | TaggedOutput[Literal["tied"], bytes]]:
        """Look the bucket's pages up."""
        bucket, batches = grouped
        items = from_batches(batches, ITEMS)
        mentions = read_parquet(bucket_path(self._mentions, bucket))
        candidates = leading(mentions, pc.unique(items["title"]), self._minimum_count)
        yield TaggedOutput("tied", encode(pa.table([tied_anchors(candidates)], TIED)))
        yield bucket, (encode(items), encode(candidates))


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


class NameItems(beam.DoFn):
    """The items of a bucket and their candidates to the bucket's file of surface forms."""

    def __init__(self, fallback: Fallback, workplace: Workplace) -> None:
        self._fallback, self._workplace = fallback, workplace

    def process(self, found: tuple[int, tuple[bytes, bytes]], totals: list[bytes]) -> None:
        """Break the ties and write."""
        bucket, (items, candidates) = found
        chosen = break_ties(decode(candidates), add_up([from_batches(totals, ANCHOR_TOTALS)], ANCHOR_TOTALS))
        _finish(decode(items), chosen, self._fallback, self._workplace, f"bucket-{bucket:02d}-of-{BUCKETS}")


def _finish(items: pa.Table, chosen: pa.Table, fallback: Fallback, workplace: Workplace, name: str) -> None:
    surfaces = surfaces_of(sort_items(items), chosen, fallback)
    write_parquet(f"{workplace.done}/{name}.parquet", surfaces)
    write_counts(f"{workplace.parts}/counts/{name}.json", count_named(items, surfaces))
