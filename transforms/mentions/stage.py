"""Stage 2: the links of Wikipedia dumps, counted into the anchor dictionary of each language.

All languages are counted in one pipeline. Each range of a dump is scanned and summed in one worker, which leaves its
rows in bucket files by the title they lead to. When all ranges of a language are there, its buckets are merged, each in
one worker: how many it has depends on how many articles it has.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import apache_beam as beam
import orjson

from wikisem.arrow.buckets import buckets_for, buckets_for_bytes
from wikisem.arrow.columns import Numbers, join
from wikisem.arrow.parquet import bucket_name
from wikisem.dumps import Chunk, Range, plan_ranges, read_records
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.files import list_files, match, open_binary, remove, replace_file
from wikisem.layout import Scratch, link_letters_path, pages_folder, redirects_folder, siteinfo_path
from wikisem.links.repeats import without_pages
from wikisem.links.scan import PAGE_END, STAGE
from wikisem.records import Counts
from wikisem.transforms.io.counts import require_files, sum_ranges
from wikisem.transforms.io.runtime import StageContext, label_of
from wikisem.transforms.mentions.count import (
    Counting,
    Wiki,
    find_repeats,
    merge_buckets,
    range_counts,
    read_repeats,
    scan_range,
)
from wikisem.typed_json import decode_json
from wikisem.wikipedia.dump_head import find_siteinfo
from wikisem.wikipedia.languages import LanguageProfile, language_profile
from wikisem.wikipedia.learning import ENOUGH, Evidence, LinkLetters, ProfileFile, count_link_letters, find_profile
from wikisem.wikipedia.siteinfo import SiteInfo
from wikisem.wikipedia.variants import TitleVariants, conversion_of

# Of the rules by which this stage works and of the form of its files: raise it with any change to what it leaves.
VERSION: Final = 4


# The files of a dump: which of them hold pages, which wiki they are of, and how they are cut.

# The index beside a multistream dump (https://meta.wikimedia.org/wiki/Data_dumps/Dump_format, 2026-11). The
# streams are found by their own marks, so that it is never needed, and a glob may well take it in.
_INDEX: Final = re.compile(r"-multistream-index\d*\.txt(?:-p\d+p\d+)?(?:\.bz2)?$")


@dataclass(frozen=True, slots=True)
class WikipediaDump:
    """The wiki that a dump is of, and the ranges that its files are cut into."""

    site: SiteInfo
    ranges: tuple[Range, ...]


def read_dump(inputs: Sequence[str], profile: LanguageProfile) -> WikipediaDump:
    """Look at the files of a dump: paths, globs and URLs, in any order; index files of multistream dumps are skipped.

    A file with a damaged head counts as a part of the same dump, and is read as far as possible. Raises
    MissingInputError if there is no file, DamagedInputError if one is not a dump, or of another wiki than the first.
    """
    paths = [path for path in match(inputs) if not _INDEX.search(path)]
    if not paths:
        raise MissingInputError(f"expected a dump with pages, saw only the index files {', '.join(inputs)}")
    cut = {path: plan_ranges(path, open_binary) for path in paths}
    heads = ((path, find_siteinfo(path, ranges, open_binary)) for path, ranges in cut.items())
    sites = [(path, site) for path, site in heads if site is not None]
    if not sites:
        raise DamagedInputError(f"{paths[0]}: expected the head of a MediaWiki dump, saw none that can be decoded")
    first, wiki = sites[0]
    for path, site in sites:
        if site.dbname != wiki.dbname:
            raise DamagedInputError(
                f"expected parts of one dump, saw {first} of {wiki.dbname} and {path} of {site.dbname}"
            )
    known = wiki.with_language(profile.code, profile.namespace_aliases)
    return WikipediaDump(known, tuple(part for ranges in cut.values() for part in ranges))


# Less than a block of bzip2 has, so that none is decoded in vain.
_CHUNK: Final = 1 << 19


def sample_link_letters(dump: WikipediaDump, repeats: Callable[[int], Numbers] = lambda _: join([])) -> LinkLetters:
    """The letters at the first 10,000 links of a dump, or of all; how it is cut makes no difference.

    They are read first, since they decide the trail of links. ``repeats`` says where, in a numbered range, pages begin
    that do not count.
    """
    found = LinkLetters()
    for number, part in enumerate(dump.ranges):
        left_out = repeats(number)
        for piece in read_records(part, open_binary, PAGE_END, _CHUNK):
            if isinstance(piece, Chunk):
                text = without_pages(piece.data, left_out).decode(errors="replace")
                left_out = left_out - len(piece.data)
                found += count_link_letters(text, dump.site, ENOUGH - found.links)
            if found.links >= ENOUGH:
                return found
    return found


def write_link_letters(folder: str, found: LinkLetters) -> None:
    """Write the letters at a wiki's links beside its mentions, for the stages that follow."""
    replace_file(link_letters_path(folder), orjson.dumps(found.to_plain()))


def read_link_letters(folder: str) -> LinkLetters:
    """The letters at a wiki's links; empty for mentions that were counted without."""
    path = link_letters_path(folder)
    if not list_files(path):
        return LinkLetters()
    with open_binary(path) as source:
        return decode_json(source.read(), LinkLetters, path, "the letters at links")


# The stage.


def count_mentions(
    dumps: Mapping[str, Sequence[str]],
    link_trail: bool,
    folders: Mapping[str, str],
    context: StageContext,
    profiles: Mapping[str, ProfileFile] | None = None,
) -> dict[str, Counts]:
    """Count the links of the dump of each language, in one file or in parts, into ``*.parquet`` of schemas.MENTIONS.

    They are written to the folder of the language, beside ``siteinfo.json``, the letters at a sample of its links,
    ``redirects/*.parquet`` of schemas.REDIRECTS and the hashes of the titles of its pages. All are in buckets by
    (source) title, sorted, with the same bytes however the dump is compressed or cut. A link to a title that is only a
    page in another script counts for that page. If a page comes more than once, the newest revision counts; the others
    are left out as "duplicate". ``profiles`` are the profile files that were given or edited. Counts are pages; a
    damaged part of a file counts as one unreadable page, since how many it held is unknown. Raises MissingInputError
    and DamagedInputError.
    """
    scratch = context.scratch
    found = {language: read_dump(paths, language_profile(language)) for language, paths in sorted(dumps.items())}
    for language, dump in found.items():
        replace_file(siteinfo_path(folders[language]), dump.site.to_json().encode())
    given = profiles or {}

    def read_wiki(language: str, sample: LinkLetters) -> Wiki:
        write_link_letters(folders[language], sample)
        trail = ""
        if link_trail:
            trail = find_profile(language, evidence=Evidence(sample), given=given.get(language)).profile.link_trail
        dump, converts = found[language], conversion_of(language)
        variants = TitleVariants(language, dump.site.first_letter) if converts else None
        buckets = buckets_for_bytes(sum(part.stop - part.start for part in dump.ranges))
        return Wiki(folders[language], dump.site, trail, len(dump.ranges), buckets, variants)

    wikis = {language: read_wiki(language, sample_link_letters(dump)) for language, dump in found.items()}
    _scan(found, wikis, context)
    again: dict[str, Collection[int]] = {}
    for language, wiki in wikis.items():
        if repeats := find_repeats(scratch, language, wiki.ranges):
            sample = sample_link_letters(found[language], partial(read_repeats, scratch, language))
            wikis[language] = read_wiki(language, sample)
            # What the engine shuffled in one pipeline is gone in the next one.
            stays = wikis[language].trail == wiki.trail and not context.shuffle.by_engine
            again[language] = repeats if stays else range(wiki.ranges)
            # What was merged with repeated pages goes: without them a wiki may have fewer buckets.
            merged = [folders[language], redirects_folder(folders[language])]
            for path in [path for folder in merged for path in list_files(f"{folder}/*.parquet")]:
                remove(path)
    if again:
        chosen = {language: wikis[language] for language in again}
        _scan(found, chosen, context, again)
    return {language: _count(scratch, language, wiki) for language, wiki in wikis.items()}


def _scan(
    found: Mapping[str, WikipediaDump],
    wikis: Mapping[str, Wiki],
    context: StageContext,
    again: Mapping[str, Collection[int]] | None = None,
) -> None:
    """Scan the ranges of some wikis, or those that are to be scanned ``again``, and merge their buckets."""
    work = Counting(context.scratch, context.shuffle, wikis, again)
    ranges = [(language, number, part) for language in wikis for number, part in enumerate(found[language].ranges)]

    def construct(pipeline: beam.Pipeline) -> None:
        merge_buckets(pipeline | "ranges" >> beam.Create(ranges) | "scan" >> beam.FlatMap(scan_range, work), work)

    todo = [part for language, number, part in ranges if again is None or number in again[language]]
    size, label = sum(part.stop - part.start for part in todo), label_of(STAGE, list(wikis))
    if again is None:
        parts, languages = work.scratch.counts("*"), {language: wiki.ranges for language, wiki in wikis.items()}
        context.runtime.run(construct, label=label, parts=parts, total=len(ranges), size=size, languages=languages)
    else:
        context.runtime.run(construct, label=f"{label}: without repeated pages", size=size)


def _count(scratch: Scratch, language: str, wiki: Wiki) -> Counts:
    """The counts of a language; StageError unless every range and every bucket left its file."""
    paths = (range_counts(scratch, language, number) for number in range(wiki.ranges))
    counts = sum_ranges(paths, STAGE, scratch.unreadable(f"{STAGE}/{language}", wiki.ranges))
    buckets = buckets_for(counts.kept)
    names = [bucket_name(bucket, buckets) for bucket in range(buckets)]
    require_files(wiki.folder, names)
    require_files(redirects_folder(wiki.folder), names)
    require_files(pages_folder(wiki.folder), ["hashes.npy"])
    return counts
