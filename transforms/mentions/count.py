"""The steps of the mentions stage, which scan ranges of dumps into bucket files and merge the buckets of a language.

Each range leaves its mentions and redirects in bucket files by title, and each bucket of a language becomes a file of
its anchor dictionary. In between, titles in another script are converted, redirects followed, and repeated pages found.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import apache_beam as beam
import numpy as np
import pyarrow as pa

from wikisem.arrow.buckets import Adder, Gatherer, add_up, buckets_for, finest, sort_mentions, split, sum_up
from wikisem.arrow.columns import Numbers, decode_numbers, distinct, encode_numbers, join
from wikisem.dumps import Chunk, Damage, Range, StreamPart, read_records
from wikisem.errors import StageError
from wikisem.graph.store import open_arrays
from wikisem.layout import MentionScratch, redirects_folder
from wikisem.links.markup import Positions
from wikisem.links.repeats import NO_VERSIONS, in_parts, moved, superseded, without_pages
from wikisem.links.scan import CHUNK_BYTES, DUMP_END, PAGE_END, STAGE, scan_chunk
from wikisem.records import Counts, UnreadableRecord
from wikisem.schemas import MENTIONS, REDIRECTS
from wikisem.surfaces.link_counts import (
    PageTitles,
    add_redirected,
    convert_titles,
    deduplicate_redirects,
    find_conversions,
    follow_redirects,
    hashes_of_titles,
)
from wikisem.transforms.io.arrays import local_folder, save_arrays
from wikisem.transforms.io.counts import open_counted, read_json, sum_counts, write_counts, write_unreadable
from wikisem.transforms.io.parquet import bucket_path, write_parquet
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
)
from wikisem.wikipedia.siteinfo import SiteInfo
from wikisem.wikipedia.variants import TitleVariants

# A range of a dump to bucket files.


@dataclass(frozen=True)
class Wiki:
    """How a wiki is read: what it says of itself, the letters after a link that belong to its anchor, its ranges.

    ``folder`` is where its finished files are written. ``variants`` are set if titles without a page are converted.
    """

    folder: str
    site: SiteInfo
    trail: str
    ranges: int
    variants: TitleVariants | None = None


class ScanRange(beam.DoFn):
    """Scan a numbered range of a language into bucket files, unreadable records and counts; its weight is its articles.

    ``again`` names ranges that were scanned before and are now scanned without repeated pages.
    """

    def __init__(
        self, scratch: MentionScratch, wikis: Mapping[str, Wiki], again: Mapping[str, Collection[int]] | None = None
    ) -> None:
        self._scratch, self._wikis, self._again = scratch, wikis, again

    def process(self, numbered: tuple[str, int, Range]) -> Iterator[Done]:
        """Scan the chunks of a range, and write their rows by bucket."""
        language, number, part = numbered
        wiki, scratch = self._wikis[language], self._scratch
        if self._again is not None and number not in self._again[language]:
            kept = sum_counts([scratch.range_counts(language, number)]).kept
            yield done(language, number, wiki.ranges, kept)
            return
        repeats = join([]) if self._again is None else read_repeats(scratch, language, number)
        adder, gatherer = Adder(MENTIONS, "title"), Gatherer("source")
        counts, unreadable, streams = Counts(), list[UnreadableRecord](), list[StreamPart]()
        versions, size = [NO_VERSIONS], 0
        with (
            create_bucket_file(part_path(scratch.mentions(language), number)) as mentions,
            create_bucket_file(part_path(scratch.redirects(language), number)) as redirects,
        ):
            for piece in _read_range(part, language, streams):
                if isinstance(piece, Damage):
                    unreadable.append(UnreadableRecord(STAGE, piece.reason, piece.where, piece.detail))
                    counts += Counts(read=1, unreadable={piece.reason: 1})
                    continue
                data = without_pages(piece.data, repeats - size)
                links = scan_chunk(data, wiki.site, wiki.trail, piece.location, wiki.variants is not None)
                unreadable.extend(links.unreadable)
                counts += links.pages
                versions.append(moved(links.versions, size))
                size += len(data)
                mentions.add_rows(adder.add(links.mentions))
                # Gathered too: to encode and to read a batch takes as long as two hundred redirects.
                redirects.add_rows(gatherer.add(links.redirects))
                if links.titles:
                    redirects.add(_TITLES, encode_numbers(hashes_of_titles(links.titles)))
            mentions.add_rows(adder.rest())
            redirects.add_rows(gatherer.rest())
            span = add_versions(redirects, np.hstack(versions))
        counts += Counts(repeats.size, left_out={"duplicate": repeats.size} if repeats.size else {})
        write_unreadable(scratch.unreadable(f"{STAGE}/{language}", number), unreadable)
        write_counts(scratch.range_counts(language, number), counts, streams=streams, span=span)
        yield done(language, number, wiki.ranges, counts.kept)


def _read_range(part: Range, language: str, streams: list[StreamPart]) -> Iterator[Chunk | Damage]:
    """The chunks of a range, whose streams are added; StageError says in which language a dump could not be read."""
    try:
        yield from read_records(part, open_counted, PAGE_END, CHUNK_BYTES, DUMP_END, streams.append)
    except OSError as error:
        raise StageError(f"{STAGE}/{language}: expected to read {part.path}, saw {error}") from error


# The bucket files of all ranges to the anchor dictionary.

# In the bucket file of a bucket, its mentions that name their page directly; other names are numbers of buckets.
_DIRECT: Final = "direct"


class MergeBuckets(beam.PTransform):
    """Once all ranges are scanned, merge them into the anchor dictionary of each language, a bucket at a time.

        Moon  moon  5 |  bucket of "Moon"                      | Moon  luna  2
        Luna  luna  2 |  bucket of "Luna", a redirect to Moon  | (goes on to the bucket of "Moon")

    A bucket knows the redirects among its own titles. Rows under one are sent on, also through bucket files, to the
    bucket of the page that it leads to; nearly all rows wait in the same file. In languages with several scripts,
    titles without a page are converted first.
    """

    def __init__(self, scratch: MentionScratch, wikis: Mapping[str, Wiki], again: bool) -> None:
        super().__init__()
        self._scratch, self._wikis, self._again = scratch, wikis, again

    def expand(self, scanned: beam.PCollection) -> beam.PCollection:
        """Convert titles, follow redirects, and add up what they lead to each page."""
        buckets: beam.PTransform = WhenAllDone(STAGE, buckets_of_pages)
        if any(wiki.variants for wiki in self._wikis.values()):
            buckets = ConvertTitles(self._scratch, self._wikis, self._again)
        return (
            scanned
            | "all ranges" >> buckets
            | "follow redirects" >> beam.ParDo(FollowRedirects(self._scratch, self._wikis))
            | "all buckets" >> WhenAllDone(STAGE, same_tasks)
            | "add redirected" >> beam.ParDo(AddRedirected(self._scratch, self._wikis))
        )


def buckets_of_pages(language: str, pages: Sequence[int]) -> list[Task]:
    """The buckets of a language, by the articles of its ranges: however the dump is cut, they are the same."""
    buckets = buckets_for(sum(pages))
    return [(language, bucket, buckets) for bucket in range(buckets)]


class FollowRedirects(beam.DoFn):
    """Send the mentions of a bucket that lead to redirects on to the redirects' targets; the others wait in a file."""

    def __init__(self, scratch: MentionScratch, wikis: Mapping[str, Wiki]) -> None:
        self._scratch, self._wikis = scratch, wikis

    def process(self, task: Task) -> Iterator[Done]:
        """Sum the bucket, write its redirects, direct and redirected mentions."""
        language, bucket, buckets = task
        scratch, wiki = self._scratch, self._wikis[language]
        if wiki.variants:
            rows, redirects = read_converted(scratch, task)
        else:
            rows, redirects = read_scanned(scratch, wiki.ranges, task)
        redirects = deduplicate_redirects(redirects)
        direct, redirected = follow_redirects(sum_up(rows, MENTIONS), redirects)
        write_parquet(bucket_path(redirects_folder(wiki.folder), bucket, buckets), redirects, False)
        with create_bucket_file(part_path(scratch.followed(language), bucket)) as followed:
            followed.add_rows([(_DIRECT, direct)])
            followed.add_rows(split(redirected, "title", buckets))
        yield done(language, bucket, buckets)


class AddRedirected(beam.DoFn):
    """Add the mentions that redirects sent to a bucket to its direct ones, and write its file of the dictionary."""

    def __init__(self, scratch: MentionScratch, wikis: Mapping[str, Wiki]) -> None:
        self._scratch, self._wikis = scratch, wikis

    def process(self, task: Task) -> None:
        """Add up, sort and write."""
        language, bucket, buckets = task
        followed = self._scratch.followed(language)
        redirected = add_up(read_rows(part_paths(followed, buckets), [bucket]), MENTIONS)
        direct = table_of(read_rows([part_path(followed, bucket)], [_DIRECT]), MENTIONS)
        mentions = sort_mentions(add_redirected(direct, redirected))
        write_parquet(bucket_path(self._wikis[language].folder, bucket, buckets), mentions, False)


def read_scanned(scratch: MentionScratch, ranges: int, task: Task) -> tuple[Iterator[pa.Table], pa.Table]:
    """The mentions and redirects of a bucket, as the ranges left them."""
    language, bucket, buckets = task
    keys = finest(bucket, buckets)
    mentions = read_rows(part_paths(scratch.mentions(language), ranges), keys)
    return mentions, table_of(read_rows(part_paths(scratch.redirects(language), ranges), keys), REDIRECTS)


# Titles in another script than that of their page.

# In the bucket file of a range's redirects, the hashes of the titles of its pages.
_TITLES: Final = "titles"
# In the bucket file of a bucket that was converted, its redirects; other names are numbers of buckets.
_REDIRECTS: Final = "redirects"


class ConvertTitles(beam.PTransform):
    """Once all ranges are scanned, let links under a title in another script count for its page; yields all buckets.

        Niš  Нишу  5 |  bucket of "Niš", which is no page  | (goes on to the bucket of "Ниш", which is one)

    The set of pages is only known from all ranges of a dump together. So each range leaves the hashes of its titles,
    which become one array that the workers of a machine share. Then each bucket looks up its titles and the targets of
    its redirects. Sitelinks need no conversion: Wikibase asks the wiki for the converted title when it saves one
    (``converttitles`` in MediaWiki's ``MediaWikiPageNameNormalizer``, 2026-11).
    """

    def __init__(self, scratch: MentionScratch, wikis: Mapping[str, Wiki], again: bool) -> None:
        super().__init__()
        self._scratch, self._wikis, self._again = scratch, wikis, again

    def expand(self, scanned: beam.PCollection) -> beam.PCollection:
        """Gather titles, and look up those of each bucket."""
        return (
            scanned
            | "all titles" >> WhenAllDone(STAGE, all_pages)
            | "save titles" >> beam.ParDo(SaveTitles(self._scratch, self._wikis, self._again))
            | "all saved" >> WhenAllDone(STAGE, buckets_of_pages)
            | "convert" >> beam.ParDo(ConvertBucket(self._scratch, self._wikis, self._again))
            | "all converted" >> WhenAllDone(STAGE, same_tasks)
        )


def all_pages(language: str, pages: Sequence[int]) -> list[Task]:
    """One task for each language; in place of its number of buckets it has that of its articles."""
    return [(language, 0, sum(pages))]


class SaveTitles(beam.DoFn):
    """Write the hashes of the titles of a language, to be mapped into memory; its weight is its pages."""

    def __init__(self, scratch: MentionScratch, wikis: Mapping[str, Wiki], again: bool) -> None:
        self._scratch, self._wikis, self._again = scratch, wikis, again

    def process(self, task: Task) -> Iterator[Done]:
        """Merge and write."""
        language, _, pages = task
        if self._wikis[language].variants:
            paths = part_paths(self._scratch.redirects(language), self._wikis[language].ranges)
            hashes = (decode_numbers(batch) for path in paths for batch in read_bucket(path, [_TITLES]))
            save_arrays(PageTitles.of(hashes), self._scratch.titles(language, self._again))
        yield done(language, 0, 1, pages)


class ConvertBucket(beam.DoFn):
    """Convert the titles of the mentions of a bucket to those of their pages, and the targets of its redirects."""

    def __init__(self, scratch: MentionScratch, wikis: Mapping[str, Wiki], again: bool) -> None:
        self._scratch, self._wikis, self._again = scratch, wikis, again

    def process(self, task: Task) -> Iterator[Done]:
        """Look up the titles without a page; a language without variants has nothing to do."""
        language, bucket, buckets = task
        if variants := self._wikis[language].variants:
            mentions, redirects = read_scanned(self._scratch, self._wikis[language].ranges, task)
            with create_bucket_file(part_path(self._scratch.converted(language), bucket)) as converted:
                rows = self._convert(sum_up(mentions, MENTIONS), "title", language, variants)
                converted.add_rows(split(rows, "title", buckets))
                converted.add_rows([(_REDIRECTS, self._convert(redirects, "target", language, variants))])
        yield done(language, bucket, buckets)

    def _convert(self, rows: pa.Table, column: str, language: str, variants: TitleVariants) -> pa.Table:
        pages = open_arrays(PageTitles, local_folder(self._scratch.titles(language, self._again)))
        return convert_titles(rows, find_conversions(rows[column], pages, variants), column)


def read_converted(scratch: MentionScratch, task: Task) -> tuple[Iterator[pa.Table], pa.Table]:
    """The mentions and redirects of a bucket, after titles were converted."""
    language, bucket, buckets = task
    paths = part_paths(scratch.converted(language), buckets)
    return read_rows(paths, [bucket]), table_of(read_rows([paths[bucket]], [_REDIRECTS]), REDIRECTS)


# Pages that come more than once.

# In the bucket file of a range's redirects, the versions of its pages.
_VERSIONS: Final = "versions"
# So many pages are compared at a time, in some 300 MB of memory: more of them take more steps.
_AT_ONCE: Final = 1 << 22


def add_versions(file: BucketFile, versions: Positions) -> list[int]:
    """Write the versions of a range, and give their span: how many, the lowest and highest id, whether ids ascend."""
    versions = versions[:, np.argsort(versions[2])]
    file.add(_VERSIONS, encode_numbers(versions.ravel()))
    ids = versions[0]
    return [ids.size, int(ids.min()), int(ids.max()), int((ids[1:] > ids[:-1]).all())] if ids.size else [0, 0, -1, 1]


def find_repeats(scratch: MentionScratch, language: str, ranges: int) -> frozenset[int]:
    """The ranges with copies of pages that do not count; ``read_repeats`` then finds the copies in each.

    The files of a wiki may have pages more than once: a plain and a multistream dump, or parts that overlap. The files
    of a dump are sorted by page id, so spans of ids usually show that nothing repeats, and no version is read. Only
    ranges with overlapping spans can have copies of one page:

        a.xml    range 0   1 to 400      overlaps range 2
                 range 1   401 to 900
        b.xml    range 2   380 to 400    overlaps range 0: their versions say which pages come twice

    Ranges with such copies are then scanned again, without these.
    """
    spans = np.array([read_json(scratch.range_counts(language, number))["span"] for number in range(ranges)])
    if not (suspects := _overlapping(spans)).size:
        return frozenset()
    found: dict[int, list[Numbers]] = {}
    steps = -(-int(spans[suspects, 0].sum()) // _AT_ONCE)
    edges = np.linspace(spans[suspects, 1].min(), spans[suspects, 2].max() + 1, steps + 1).astype(np.int64)
    for low, high in pairwise(edges):
        near = suspects[(spans[suspects, 1] < high) & (spans[suspects, 2] >= low)].tolist()
        versions, part = in_parts(_read_versions(scratch, language, number, low, high) for number in near)
        dropped = superseded(versions, part)
        for row in distinct(part[dropped]).tolist():
            found.setdefault(near[row], []).append(versions[2, dropped & (part == row)])
    with create_bucket_file(scratch.repeats(language)) as file:
        for number, starts in sorted(found.items()):
            file.add(number, encode_numbers(distinct(join(starts))))
    return frozenset(found)


def _overlapping(spans: Positions) -> Positions:
    """The ranges whose ids do not ascend, or whose span overlaps that of another one."""
    ordered = np.argsort(spans[:, 1], kind="stable")
    ordered = ordered[spans[ordered, 0] > 0]
    _, lowest, highest, ascends = spans[ordered].T
    mask = ascends == 0
    mask[1:] |= lowest[1:] <= np.maximum.accumulate(highest)[:-1]
    mask[:-1] |= lowest[1:] <= highest[:-1]
    return np.sort(ordered[mask])


def _read_versions(scratch: MentionScratch, language: str, number: int, low: int, high: int) -> Positions:
    """The versions of a range whose page id is from ``low`` to below ``high``."""
    (batch,) = read_bucket(part_path(scratch.redirects(language), number), [_VERSIONS])
    versions = decode_numbers(batch).reshape(len(NO_VERSIONS), -1)
    return versions[:, (versions[0] >= low) & (versions[0] < high)]


def read_repeats(scratch: MentionScratch, language: str, number: int) -> Numbers:
    """Where the copies that do not count begin in the text of a range, ascending."""
    return join(map(decode_numbers, read_bucket(scratch.repeats(language), [number])))
