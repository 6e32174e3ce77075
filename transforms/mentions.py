"""Stage 2: the links of Wikipedia dumps, counted into the anchor dictionary of each language.

Each range of a dump is scanned and summed in one worker, which leaves its rows in bucket files by the title they lead
to. When all ranges of a language are there, its buckets are merged, as many as its articles ask for.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import pairwise
from typing import Final, NamedTuple

import apache_beam as beam
import numpy as np
import orjson

from wikisem.arrow.buckets import BYTES_OF_PAGE, MAX_HELD, BucketedRows, buckets_for, sort_mentions, split, sum_rows
from wikisem.arrow.columns import Numbers, decode_numbers, distinct, encode_numbers, join, union
from wikisem.arrow.parquet import bucket_name, bucket_path, write_parquet
from wikisem.dumps import Chunk, Damage, Range, StreamPart, plan_ranges, read_records
from wikisem.errors import DamagedInputError, MissingInputError, StageError
from wikisem.files import list_files, match, open_binary, read_binary, remove, replace_file
from wikisem.graph.store import open_arrays, save_arrays
from wikisem.layout import Scratch, link_letters_path, pages_folder, redirects_folder, siteinfo_path
from wikisem.links import scan
from wikisem.records import Counts, UnreadableRecord
from wikisem.schemas import MENTIONS, REDIRECTS
from wikisem.surfaces import link_counts
from wikisem.transforms.io import counts as part_counts
from wikisem.transforms.io import shuffle as bulk
from wikisem.transforms.io.runtime import StageContext, label_of
from wikisem.transforms.io.shuffle import Done, Sent, Shuffle, Task, create_bucket_file, done, same_tasks, tasks_of
from wikisem.typed_json import decode_json
from wikisem.wikipedia.languages import LanguageProfile, SiteInfo, language_profile
from wikisem.wikipedia.learning import ENOUGH, Evidence, LinkLetters, ProfileFile, count_link_letters, find_profile
from wikisem.wikipedia.variants import TitleVariants, conversion_of
from wikisem.wikipedia.xml_pages import find_siteinfo


class Wiki(NamedTuple):
    """How a wiki is read, in how many ``ranges``; its rows are shuffled into ``buckets``, and finished in ``folder``.

    ``variants`` are set if titles without a page are converted; hashes of the titles of pages are then in ``titles``.
    """

    folder: str
    titles: str
    site: SiteInfo
    trail: str
    ranges: int
    buckets: int
    variants: TitleVariants | None = None


class Counting(NamedTuple):
    """What the steps share; ``again`` names, by language, the ranges that are scanned again, without repeated pages."""

    scratch: Scratch
    shuffle: Shuffle
    wikis: Mapping[str, Wiki]
    again: Mapping[str, Collection[int]] | None = None


_VERSIONS: Final = "versions"  # the bucket of a range's versions


def scan_range(numbered: tuple[str, int, Range], work: Counting) -> Iterator[Done | Sent]:
    """Scan a numbered range of a dump: send its links and redirects to buckets by title, and hashes of its titles.

    Files get its counts, its unreadable pages and the versions of its pages: id, revision, and the byte of the range's
    text at which each page begins, by which ``find_repeats`` finds pages that come twice. In a second pass
    (``work.again``) these copies become blanks before a range is scanned, and a range without copies is only reported
    as done. The weight of a range is its number of articles.
    """
    language, number, part = numbered
    wiki, scratch = work.wikis[language], work.scratch
    # Named by the number of the range, so that a range that Beam scans again counts once.
    counts_file = scratch.counts_of(language, number)
    if work.again is not None and number not in work.again[language]:
        yield done(language, number, wiki.ranges, weight=part_counts.sum_counts([counts_file]).kept)
        return
    # The bytes of the range's text at which copies begin. ``scan`` counts bytes from the beginning of each piece.
    repeats = join([]) if work.again is None else read_repeats(scratch, language, number)
    mentions = BucketedRows("title", schema=MENTIONS, buckets=wiki.buckets)
    # Gathered too: to encode and to read a batch takes as long as two hundred redirects.
    redirects = BucketedRows("source", buckets=wiki.buckets)
    # Titles in another script than that of their page are converted by a step of its own.
    kind, redirects_kind = ("unconverted", "unconverted-redirects") if wiki.variants else ("mentions", "redirects")
    counts, unreadable, streams = Counts(), list[UnreadableRecord](), list[StreamPart]()
    versions, bytes_scanned = [scan.NO_VERSIONS], 0
    with work.shuffle.sender("scan", language, number) as sender:
        for piece in _read_range(part, language, streams):
            if isinstance(piece, Damage):
                unreadable.append(UnreadableRecord(scan.STAGE, piece.reason, piece.where, piece.detail))
                counts += Counts(read=1, unreadable={piece.reason: 1})
                continue
            data = scan.without_pages(piece.data, repeats - bytes_scanned)
            links = scan.scan_chunk(data, wiki.site, wiki.trail, piece.location, with_titles=True)
            unreadable.extend(links.unreadable)
            counts += links.pages
            versions.append(np.add(links.versions, [[0], [0], [bytes_scanned]]))
            bytes_scanned += len(data)
            yield from sender.add_rows(kind, mentions.add(links.mentions))
            yield from sender.add_rows(redirects_kind, redirects.add(links.redirects))
            if links.titles:
                yield from sender.add("titles", 0, encode_numbers(link_counts.hashes_of(links.titles)))
        yield from sender.add_rows(kind, mentions.rest())
        yield from sender.add_rows(redirects_kind, redirects.rest())
    # Write the versions in the order of the pages, and what else the range gave.
    ids, revisions, starts = np.hstack(versions)
    order = np.argsort(starts)
    ids = ids[order]
    with create_bucket_file(bulk.part_path(scratch.versions(language), number)) as file:
        file.add(_VERSIONS, encode_numbers(np.concatenate([ids, revisions[order], starts[order]])))
    counts += Counts(repeats.size, left_out={"duplicate": repeats.size} if repeats.size else {})
    part_counts.write_unreadable(scratch.unreadable(f"{scan.STAGE}/{language}", number), unreadable)
    # How many page ids there are, the lowest and the highest, and 1 if they ascend: ``find_repeats`` compares these.
    span = [ids.size, int(ids.min()), int(ids.max()), int((ids[1:] > ids[:-1]).all())] if ids.size else [0, 0, -1, 1]
    part_counts.write_counts(counts_file, counts, streams=streams, span=span)
    yield done(language, number, parts=wiki.ranges, weight=counts.kept)  # the next step waits for all parts


def _read_range(part: Range, language: str, streams: list[StreamPart]) -> Iterator[Chunk | Damage]:
    try:
        yield from read_records(
            part, part_counts.open_counted, scan.PAGE_END, scan.CHUNK_BYTES, scan.DUMP_END, streams.append
        )
    except OSError as error:
        raise StageError(f"{scan.STAGE}/{language}: expected to read {part.path}, saw {error}") from error


def merge_buckets(scanned: beam.PCollection, work: Counting) -> None:
    """Once all ranges are scanned, merge their links into each wiki's anchor dictionary, a bucket of titles at a time.

        Moon  moon  5 |  bucket of "Moon"                      | Moon  luna  2
        Luna  luna  2 |  bucket of "Luna", a redirect to Moon  | (goes on to the bucket of "Moon")

    A bucket knows the redirects among its own titles, and sends rows under one to the bucket of its target. Scanned
    rows are shuffled into as many buckets as the size of the dump asks for. The dictionary has as many as the number of
    its articles asks for, which is the same however the dump is compressed or cut.
    """
    shuffle, wikis = work.shuffle, work.wikis
    # An exchange waits for all parts of a step, and then begins tasks: here one for each bucket or, of titles, wiki.
    buckets = tasks_of({language: wiki.buckets for language, wiki in wikis.items()})
    saved = (
        scanned
        | "all titles" >> shuffle.exchange(scan.STAGE, tasks_of(dict.fromkeys(wikis, 1)), "scan/titles")
        | "save titles" >> beam.FlatMap(save_titles, work)
    )
    inputs, tasks = [scanned], buckets
    # Where a wiki has several scripts, titles become those of pages first; the other wikis pass.
    if any(wiki.variants for wiki in wikis.values()):
        converted = (
            (saved, scanned)
            | "all saved" >> shuffle.exchange(scan.STAGE, buckets, "scan/unconverted", "scan/unconverted-redirects")
            | "convert titles" >> beam.FlatMap(convert_bucket, work)
        )
        inputs, tasks = [converted, scanned], same_tasks
    kinds = [f"{step}/{name}" for step in ("scan", "convert") for name in ("mentions", "redirects")]
    followed = ("follow/direct", "follow/redirected", "follow/redirects")
    _ = (
        tuple(inputs)
        | "all ranges" >> shuffle.exchange(scan.STAGE, tasks, *kinds)
        | "follow redirects" >> beam.FlatMap(follow_bucket, work)
        # Each part knows the number of all articles of the language, which decides how many buckets its dictionary has.
        | "all buckets"
        >> shuffle.exchange(
            scan.STAGE, lambda code, articles: tasks_of({code: buckets_for(max(articles))})(code, articles), *followed
        )
        | "add redirected" >> beam.Map(write_bucket, work)
    )


def follow_bucket(task: Task, work: Counting) -> Iterator[Done | Sent]:
    """Send the links and redirects of a bucket on to the dictionary's buckets: links to a redirect to its target's.

    The task's weight is the number of articles of the wiki, which decides how many buckets the dictionary has.
    """
    shuffle, wiki, articles = work.shuffle, work.wikis[task.key], task.weight
    buckets = buckets_for(articles)
    # The rows come from all ranges, or from the buckets of the step that converted their titles.
    step, parts = ("convert", range(wiki.buckets)) if wiki.variants else ("scan", range(wiki.ranges))
    redirects = link_counts.deduplicate_redirects(shuffle.read_table(task, f"{step}/redirects", REDIRECTS, parts))
    rows = sum_rows(shuffle.read_rows(task, f"{step}/mentions", parts), MENTIONS, MAX_HELD)
    direct, redirected = link_counts.follow_redirects(rows, redirects)
    with shuffle.sender("follow", task.key, task.bucket) as sender:
        for name, rows, column in (("direct", direct, "title"), ("redirects", redirects, "source")):
            # Numbers of buckets are powers of two: this bucket is divided into several of the dictionary, or is in one.
            divided = split(rows, column, buckets) if buckets > task.buckets else [(task.bucket % buckets, rows)]
            yield from sender.add_rows(name, divided)
        yield from sender.add_rows("redirected", split(redirected, "title", buckets))
    yield done(task.key, task.bucket, parts=task.buckets, weight=articles)  # the next step waits for all parts


def write_bucket(task: Task, work: Counting) -> None:
    """Write a bucket of the dictionary: links to its titles, those by redirects included, and redirects by source."""
    shuffle, wiki = work.shuffle, work.wikis[task.key]
    # The dictionary has fewer or more buckets than the step before; a title is in the one of its hash % their number.
    # So bucket 1 of 2 gets its rows from buckets 1, 3, 5 and 7 of 8, and bucket 5 of 8 from bucket 1 of 2.
    sources = range(task.bucket % wiki.buckets, wiki.buckets, task.buckets)
    redirects = shuffle.read_table(task, "follow/redirects", REDIRECTS, sources).sort_by("source")
    write_parquet(bucket_path(redirects_folder(wiki.folder), task.bucket, task.buckets), redirects, dictionaries=False)
    redirected = sum_rows(shuffle.read_rows(task, "follow/redirected", range(wiki.buckets)), MENTIONS)
    direct = shuffle.read_table(task, "follow/direct", MENTIONS, sources)
    mentions = sort_mentions(link_counts.add_redirected(direct, redirected))
    write_parquet(bucket_path(wiki.folder, task.bucket, task.buckets), mentions, dictionaries=False)


def save_titles(task: Task, work: Counting) -> Iterator[Done]:
    """Write the hashes of the titles of all pages of a wiki into one array, which workers map into memory."""
    wiki = work.wikis[task.key]
    titles = map(decode_numbers, work.shuffle.read(task, "scan/titles", range(wiki.ranges)))
    pages = link_counts.StringSet(union(titles))
    save_arrays(pages, pages_folder(wiki.folder))  # for the next stages
    if wiki.variants:  # for ``convert_bucket``
        save_arrays(pages, wiki.titles)
    yield done(task.key, 0, parts=1, weight=task.weight)


def convert_bucket(task: Task, work: Counting) -> Iterator[Done | Sent]:
    """Replace titles in another script than that of their page in the links and the redirect targets of a bucket.

        Niš  Нишу  5 |  bucket of "Niš", which is no page  | (goes on to the bucket of "Ниш", which is one)

    Sitelinks need no conversion: Wikibase asks the wiki for the converted title when it saves one (``converttitles`` in
    MediaWiki's ``MediaWikiPageNameNormalizer``, 2026-11).
    """
    wiki, shuffle = work.wikis[task.key], work.shuffle
    if variants := wiki.variants:  # else the wiki has one script
        pages = open_arrays(link_counts.StringSet, wiki.titles)
        mentions = sum_rows(shuffle.read_rows(task, "scan/unconverted", range(wiki.ranges)), MENTIONS, MAX_HELD)
        mentions = link_counts.convert_titles(mentions, "title", pages, variants)
        redirects = shuffle.read_table(task, "scan/unconverted-redirects", REDIRECTS, range(wiki.ranges))
        redirects = link_counts.convert_titles(redirects, "target", pages, variants)
        # A link goes to the bucket of its new title; a redirect stays in that of its source, which is as it was.
        with shuffle.sender("convert", task.key, task.bucket) as sender:
            yield from sender.add_rows("mentions", split(mentions, "title", task.buckets))
            yield from sender.add_rows("redirects", [(task.bucket, redirects)])
    yield done(task.key, task.bucket, parts=task.buckets, weight=task.weight)


_AT_ONCE: Final = 1 << 22  # pages that are compared at a time, in some 300 MB of memory


def find_repeats(scratch: Scratch, language: str, ranges: int) -> frozenset[int]:
    """Find the pages that come twice in a dump, and return the numbers of the ranges with copies that do not count.

    The newest revision counts, else the first copy; where the others begin is written for ``read_repeats``. A plain and
    a multistream dump have the same pages, and parts may overlap. Files are sorted by page id, so only ranges whose ids
    overlap are compared:

        a.xml    range 0   1 to 400      overlaps range 2
                 range 1   401 to 900
        b.xml    range 2   380 to 400    overlaps range 0: their versions say which pages come twice
    """
    spans = [part_counts.read_json(scratch.counts_of(language, number))["span"] for number in range(ranges)]
    sizes, lowest, highest, ascends = np.array(spans).T  # of each range: how many page ids, ..., 1 if they ascend
    # Ranges by lowest id: one is suspect if its ids overlap those of any before it or of the next, or do not ascend.
    by_lowest = np.argsort(lowest, kind="stable")
    by_lowest = by_lowest[sizes[by_lowest] > 0]
    begins, ends = lowest[by_lowest], highest[by_lowest]
    is_suspect = ascends[by_lowest] == 0
    is_suspect[1:] |= begins[1:] <= np.maximum.accumulate(ends)[:-1]
    is_suspect[:-1] |= begins[1:] <= ends[:-1]
    if not (suspects := np.sort(by_lowest[is_suspect])).size:
        return frozenset()
    # Compare the versions of pages in all suspects, some four million at a time: those with ids from low up to high.
    copies: dict[int, list[Numbers]] = {}
    steps = -(-int(sizes[suspects].sum()) // _AT_ONCE)
    edges = np.linspace(lowest[suspects].min(), highest[suspects].max() + 1, steps + 1).astype(np.int64)
    for low, high in pairwise(edges):
        overlapping = suspects[(lowest[suspects] < high) & (highest[suspects] >= low)].tolist()
        tables = []
        for number in overlapping:
            (batch,) = bulk.read_bucket(bulk.part_path(scratch.versions(language), number), [_VERSIONS])
            table = decode_numbers(batch).reshape(len(scan.NO_VERSIONS), -1)  # a row each: ids, revisions, starts
            ids, _, _ = table
            tables.append(table[:, (ids >= low) & (ids < high)])
        versions, table_of = scan.in_parts(tables)
        is_dropped = scan.superseded(versions, table_of)
        _, _, starts = versions
        for index in distinct(table_of[is_dropped]).tolist():  # of a range in ``overlapping``
            copies.setdefault(overlapping[index], []).append(starts[is_dropped & (table_of == index)])
    with create_bucket_file(scratch.repeats(language)) as file:
        for number, starts in sorted(copies.items()):
            file.add(number, encode_numbers(distinct(join(starts))))
    return frozenset(copies)


def read_repeats(scratch: Scratch, language: str, number: int) -> Numbers:
    """Where the copies that do not count begin in the text of a range, ascending."""
    return join(map(decode_numbers, bulk.read_bucket(scratch.repeats(language), [number])))


VERSION: Final = 4  # of the stage's output; raise it when that changes
# The index beside a multistream dump (https://meta.wikimedia.org/wiki/Data_dumps/Dump_format, 2026-11). The
# streams are found by their own marks, so that it is never needed, and a glob may well take it in.
_INDEX: Final = re.compile(r"-multistream-index\d*\.txt(?:-p\d+p\d+)?(?:\.bz2)?$")


def read_dump(inputs: Sequence[str], profile: LanguageProfile) -> tuple[SiteInfo, list[Range]]:
    """The wiki that a dump is of, and the ranges of its files: paths, globs and URLs, of which index files are skipped.

    A file with a damaged head counts as a part of the same dump. Raises MissingInputError if there is no file,
    DamagedInputError if one is not a dump, or of another wiki than the first.
    """
    paths = [path for path in match(inputs) if not _INDEX.search(path)]
    if not paths:
        raise MissingInputError(f"expected a dump with pages, saw only the index files {', '.join(inputs)}")
    ranges_of = {path: plan_ranges(path, open_binary) for path in paths}
    heads = ((path, find_siteinfo(path, ranges, open_binary)) for path, ranges in ranges_of.items())
    sites = [(path, site) for path, site in heads if site is not None]
    if not sites:
        raise DamagedInputError(f"{paths[0]}: expected the head of a MediaWiki dump, saw none that can be decoded")
    first, wiki = sites[0]
    for path, site in sites:
        if site.dbname != wiki.dbname:
            raise DamagedInputError(
                f"expected parts of one dump, saw {first} of {wiki.dbname} and {path} of {site.dbname}"
            )
    site_in_language = replace(wiki, language=profile.code, aliases=profile.namespace_aliases)
    return site_in_language, [part for ranges in ranges_of.values() for part in ranges]


_CHUNK: Final = 1 << 19  # bytes, less than a block of bzip2 has, so that no block is decoded without use


def sample_link_letters(
    site: SiteInfo, ranges: Sequence[Range], repeats: Callable[[int], Numbers] = lambda _: join([])
) -> LinkLetters:
    """Count the letters right before and after the first 10,000 links of a dump; they decide how links are read.

    Pages that do not count, copies of others, are left out: ``repeats`` takes the number of a range, and returns at
    which bytes of its text they begin.
    """
    found = LinkLetters()
    for number, part in enumerate(ranges):
        left_out = repeats(number)
        for piece in read_records(part, open_binary, scan.PAGE_END, _CHUNK):
            if isinstance(piece, Chunk):
                text = scan.without_pages(piece.data, left_out).decode(errors="replace")
                left_out = left_out - len(piece.data)  # counted from the start of the next piece
                found += count_link_letters(text, site, ENOUGH - found.links)
            if found.links >= ENOUGH:
                return found
    return found


def read_link_letters(folder: str) -> LinkLetters:
    """The letters at a wiki's links; empty for mentions that were counted without."""
    path = link_letters_path(folder)
    if not list_files(path):
        return LinkLetters()
    return decode_json(read_binary(path), LinkLetters, path, "the letters at links")


def count_mentions(
    dumps: Mapping[str, Sequence[str]],
    link_trail: bool,
    folders: Mapping[str, str],
    context: StageContext,
    profiles: Mapping[str, ProfileFile] | None = None,
) -> dict[str, Counts]:
    """Count the links of the dump of each language into ``*.parquet`` of schemas.MENTIONS in its folder.

    Beside them are ``siteinfo.json``, the letters at a sample of links, ``redirects/*.parquet`` of schemas.REDIRECTS
    and the hashes of all titles. All are in buckets by (source) title, the same however the dump is compressed or
    cut. If a page comes more than once, the newest revision counts; the others are left out as "duplicate".
    ``profiles`` are the profile files that were given or edited. Returns how many pages were read, kept and left out; a
    damaged part of a file counts as one unreadable page. Raises MissingInputError and DamagedInputError.
    """
    scratch, given = context.scratch, profiles or {}
    sites = {language: read_dump(paths, language_profile(language)) for language, paths in sorted(dumps.items())}
    for language, (site, _) in sites.items():
        replace_file(siteinfo_path(folders[language]), site.to_json().encode())

    def describe(language: str, titles: str, sample: LinkLetters) -> Wiki:
        """Say how a wiki is read; write the letters at a ``sample`` of its links, by which its link trail is found."""
        (site, ranges), folder = sites[language], folders[language]
        letters = {**asdict(sample), "trail": dict(sorted(sample.trail.items()))}
        replace_file(link_letters_path(folder), orjson.dumps(letters))
        trail = ""  # which letters after ``]]`` belong to the link, as a regular expression
        if link_trail:
            trail = find_profile(language, evidence=Evidence(sample), given=given.get(language)).profile.link_trail
        variants = TitleVariants(language, site.first_letter) if conversion_of(language) else None
        buckets = buckets_for(sum(part.stop - part.start for part in ranges) // BYTES_OF_PAGE)
        return Wiki(folder, titles, site, trail, len(ranges), buckets, variants)

    wikis = {
        language: describe(language, scratch.page_titles(language), sample_link_letters(*dump))
        for language, dump in sites.items()
    }
    _scan(sites, wikis, context)
    # Where pages came more than once, count again without the copies, which the new sample leaves out, too.
    again: dict[str, Collection[int]] = {}
    for language, wiki in wikis.items():
        if repeats := find_repeats(scratch, language, wiki.ranges):
            sample = sample_link_letters(*sites[language], repeats=partial(read_repeats, scratch, language))
            wikis[language] = describe(language, scratch.page_titles_again(language), sample)
            # Ranges without copies need no scan if what they sent is still there, in files, and would be the same.
            stays = wikis[language].trail == wiki.trail and not context.shuffle.by_engine
            again[language] = repeats if stays else range(wiki.ranges)
            # Files that were merged with the copies go: without these a wiki may have fewer buckets.
            for folder in (wiki.folder, redirects_folder(wiki.folder)):
                for path in list_files(f"{folder}/*.parquet"):
                    remove(path)
    if again:
        _scan(sites, {language: wikis[language] for language in again}, context, again)
    return {language: sum_wiki(language, wiki, scratch) for language, wiki in wikis.items()}


def sum_wiki(language: str, wiki: Wiki, scratch: Scratch) -> Counts:
    """The counts of all ranges of a wiki; StageError unless all its files were written."""
    paths = (scratch.counts_of(language, number) for number in range(wiki.ranges))
    counts = part_counts.sum_ranges(paths, scan.STAGE, scratch.unreadable(f"{scan.STAGE}/{language}", wiki.ranges))
    buckets = buckets_for(counts.kept)
    names = [bucket_name(bucket, buckets) for bucket in range(buckets)]
    part_counts.require_files(wiki.folder, names)
    part_counts.require_files(redirects_folder(wiki.folder), names)
    part_counts.require_files(pages_folder(wiki.folder), ["hashes.npy"])
    return counts


def _scan(
    sites: Mapping[str, tuple[SiteInfo, Sequence[Range]]],
    wikis: Mapping[str, Wiki],
    context: StageContext,
    again: Mapping[str, Collection[int]] | None = None,
) -> None:
    """Scan the ranges of some wikis and merge their links into dictionaries, in one pipeline.

    In a second pass, ``again`` has the numbers of the ranges to scan without pages that do not count; all are merged.
    """
    work = Counting(context.scratch, context.shuffle, wikis, again)
    ranges = [(language, number, part) for language in wikis for number, part in enumerate(sites[language][1])]
    todo = [part for language, number, part in ranges if again is None or number in again[language]]
    size, label = sum(part.stop - part.start for part in todo), label_of(scan.STAGE, list(wikis))
    if again is None:
        parts, languages = work.scratch.counts("*"), {language: wiki.ranges for language, wiki in wikis.items()}
        begun = context.runtime.pipeline(label=label, parts=parts, total=len(ranges), size=size, languages=languages)
    else:  # counts of all ranges are there already, and show no progress
        begun = context.runtime.pipeline(label=f"{label}: without repeated pages", size=size)
    with begun as pipeline:
        merge_buckets(pipeline | "ranges" >> beam.Create(ranges) | "scan" >> beam.FlatMap(scan_range, work), work)
