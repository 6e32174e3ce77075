"""One Wikipedia dump file as an anchor dictionary in memory: the rows that the mentions stage writes, without Beam."""

from collections.abc import Callable, Iterator
from os import PathLike, fspath

import pyarrow as pa

from wikisem.arrow.buckets import add_up
from wikisem.arrow.ordering import sort_mentions
from wikisem.dumps import Damage, Range, plan_ranges, read_records
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.links.scan import CHUNK_BYTES, DUMP_END, PAGE_END, STAGE, ChunkLinks, scan_chunk
from wikisem.records import Reject, report_reject
from wikisem.schemas import MENTIONS, REDIRECTS
from wikisem.surfaces.anchors import add_redirected, deduplicate_redirects, follow_redirects
from wikisem.wikipedia.languages import language_profile
from wikisem.wikipedia.siteinfo import find_siteinfo
from wikisem.wikis import known_language


def count_links(
    path: str | PathLike[str],
    language: str,
    *,
    link_trail: bool = False,
    on_reject: Callable[[Reject], object] | None = None,
) -> pa.Table:
    """Count the links of one Wikipedia dump file (.xml, .bz2, .gz, .zst) into a table of ``schemas.MENTIONS``.

    One row for each title and anchor, redirects resolved, sorted by title, then the most frequent anchor first.
    ``link_trail`` counts ``[[bus]]es`` as "buses". ``on_reject`` is called with each page that could not be read;
    without it, the first one raises DamagedInputError. MissingInputError if there is no file, DamagedInputError if it
    is no dump.
    """
    file = fspath(path)
    try:
        ranges = plan_ranges(file)
    except FileNotFoundError as error:
        raise MissingInputError(f"expected a dump file, saw none at {file}") from error
    parts = list(_scan(file, ranges, known_language(language), link_trail, on_reject))
    redirects = deduplicate_redirects(pa.concat_tables([REDIRECTS.empty_table(), *(part.redirects for part in parts)]))
    counted = add_up([part.mentions for part in parts], MENTIONS)
    return sort_mentions(add_redirected(*follow_redirects(counted, redirects)))


def _scan(
    file: str, ranges: list[Range], language: str, link_trail: bool, on_reject: Callable[[Reject], object] | None
) -> Iterator[ChunkLinks]:
    site = find_siteinfo(file, ranges)
    if site is None:
        raise DamagedInputError(f"{file}: expected the head of a MediaWiki dump, saw none that can be decoded")
    known = language_profile(language)
    site = site.with_language(language, known.namespace_aliases)
    for range_ in ranges:
        for chunk in read_records(range_, delimiter=PAGE_END, chunk_bytes=CHUNK_BYTES, closing=DUMP_END):
            if isinstance(chunk, Damage):
                report_reject(Reject(STAGE, chunk.reason, chunk.where, chunk.detail), on_reject)
                continue
            links = scan_chunk(chunk.data, site, known.link_trail if link_trail else "", chunk.where)
            for reject in links.rejects:
                report_reject(reject, on_reject)
            yield links
