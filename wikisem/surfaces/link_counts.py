"""One Wikipedia dump file as an anchor dictionary in memory: the rows that the mentions stage writes, without Beam."""

from collections.abc import Callable, Iterator, Mapping
from os import PathLike, fspath

import pyarrow as pa

from wikisem.arrow.buckets import add_up
from wikisem.arrow.numbers import distinct
from wikisem.arrow.ordering import sort_mentions
from wikisem.dumps import Damage, Range, plan_ranges, read_records
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.links.positions import Positions
from wikisem.links.repeats import NO_VERSIONS, in_parts, superseded, without_pages
from wikisem.links.scan import CHUNK_BYTES, DUMP_END, PAGE_END, STAGE, ChunkLinks, scan_chunk
from wikisem.records import Reject, report_reject
from wikisem.schemas import MENTIONS, REDIRECTS
from wikisem.surfaces.anchors import add_redirected, deduplicate_redirects, follow_redirects
from wikisem.surfaces.conversions import PageTitles, convert_titles, find_conversions, hashes_of_titles
from wikisem.wikipedia.languages import language_profile
from wikisem.wikipedia.siteinfo import SiteInfo, find_siteinfo
from wikisem.wikipedia.variants import TitleVariants, conversion_of
from wikisem.wikis import known_language


def count_links(
    path: str | PathLike[str],
    language: str,
    *,
    link_trail: bool = False,
    on_reject: Callable[[Reject], object] | None = None,
) -> pa.Table:
    """Count the links of one Wikipedia dump file (.xml, .bz2, .gz, .zst) into a table of ``schemas.MENTIONS``.

    One row for each title and anchor, titles in other scripts (in Chinese, where OpenCC is installed) and redirects
    resolved, sorted by title, then the most frequent anchor first. Of a page that comes more than once the newest
    revision counts. ``link_trail`` counts ``[[bus]]es`` as "buses".
    ``on_reject`` is called with each page that could not be read; without it, the first one raises DamagedInputError.
    MissingInputError if there is no file, DamagedInputError if it is no dump.
    """
    file = fspath(path)
    try:
        ranges = plan_ranges(file)
    except FileNotFoundError as error:
        raise MissingInputError(f"expected a dump file, saw none at {file}") from error
    code = known_language(language)
    site = _find_site(file, ranges, code)
    trail = language_profile(code).link_trail if link_trail else ""
    parts = list(_scan(ranges, site, trail, on_reject))
    versions, chunk = in_parts(part.versions for part in parts)
    if (repeated := superseded(versions, chunk)).any():
        starts = {number: versions[2, repeated & (chunk == number)] for number in distinct(chunk[repeated]).tolist()}
        parts = list(_scan(ranges, site, trail, lambda _: None, starts))
    redirects = pa.concat_tables([REDIRECTS.empty_table(), *(part.redirects for part in parts)])
    counted = add_up([part.mentions for part in parts], MENTIONS)
    if conversion_of(code):
        pages = PageTitles.of(hashes_of_titles(part.titles) for part in parts)
        variants = TitleVariants(code, site.first_letter)
        counted = convert_titles(counted, find_conversions(counted["title"], pages, variants))
        redirects = convert_titles(redirects, find_conversions(redirects["target"], pages, variants), "target")
    redirected = follow_redirects(add_up([counted], MENTIONS), deduplicate_redirects(redirects))
    return sort_mentions(add_redirected(*redirected))


def _find_site(file: str, ranges: list[Range], language: str) -> SiteInfo:
    site = find_siteinfo(file, ranges)
    if site is None:
        raise DamagedInputError(f"{file}: expected the head of a MediaWiki dump, saw none that can be decoded")
    return site.with_language(language, language_profile(language).namespace_aliases)


def _scan(
    ranges: list[Range],
    site: SiteInfo,
    trail: str,
    on_reject: Callable[[Reject], object] | None,
    repeated: Mapping[int, Positions] | None = None,
) -> Iterator[ChunkLinks]:
    """The links of all chunks, without the ``repeated`` pages: where they begin, by the number of the chunk."""
    with_titles, number = bool(conversion_of(site.language)), -1
    for range_ in ranges:
        for chunk in read_records(range_, delimiter=PAGE_END, chunk_bytes=CHUNK_BYTES, closing=DUMP_END):
            if isinstance(chunk, Damage):
                report_reject(Reject(STAGE, chunk.reason, chunk.where, chunk.detail), on_reject)
                continue
            number += 1
            data = without_pages(chunk.data, (repeated or {}).get(number, NO_VERSIONS[2]))
            links = scan_chunk(data, site, trail, chunk.location, with_titles)
            for reject in links.rejects:
                report_reject(reject, on_reject)
            yield links
