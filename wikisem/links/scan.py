"""A chunk of XML in, its links counted out.

The steps are the other modules of the room: find the markup (``positions``), table the pages (``pages``), leave out
skipped spans (``skipped``), pair the brackets (``brackets``), count their contents (``contents``), and only then read
them (``mentions``). Pages whose layout is not the exporter's are read by an XML parser, written anew
in that layout, and then scanned like the others.

Only the bad page is dropped when one cannot be read or takes more work than a page may: whatever was raised, the pages
are read again in smaller and smaller parts until the bad one is alone, and that one is rejected.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

import numpy as np
import pyarrow as pa

from wikisem.errors import DamagedInputError
from wikisem.links.contents import count_distinct
from wikisem.links.extract import Extraction, extract
from wikisem.links.mentions import read_contents
from wikisem.links.positions import Positions
from wikisem.links.repeats import NO_VERSIONS, moved
from wikisem.records import Counts, Page, Reject
from wikisem.schemas import MENTIONS, REDIRECTS
from wikisem.wikipedia.siteinfo import SiteInfo
from wikisem.wikipedia.titles import composed, read_title
from wikisem.wikipedia.work import TooCostlyError, Work
from wikisem.wikipedia.xml_pages import LAYOUT, canonical, read_page, unescape_xml

# The stage that reads links, as rejects name it, and the end of the records that it reads.
STAGE: Final = "mentions"
PAGE_END: Final = b"</page>"
# What a whole dump ends with.
DUMP_END: Final = b"</mediawiki>"

# The size of chunk that was read fastest of 1, 2, 4, 8 and 16 MiB (2026-11).
CHUNK_BYTES: Final = 4 << 20

_PAGE: Final = re.compile(rb"<page[ >]")
# Into so many parts a chunk is cut that holds a bad page: three cuts find it among thousands.
_PARTS: Final = 16
_SHOWN: Final = 200
# Where a byte of a chunk is, as ``Chunk.location`` says it.
Locate = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class ChunkLinks:
    """The links of a chunk: ``mentions`` (title, anchor, count), ``redirects`` (source, target), both of namespace 0.

    A mention has a row for each way in which it was written, such as ``[[bus]]`` and ``[[Bus|bus]]``: sum them up.
    ``titles`` are those of all pages of namespace 0, redirects too, where they were asked for; ``versions`` say of all
    pages with ids which revisions they are, and where in the chunk they begin (see ``links.repeats``).

    ``pages`` counts pages: kept are the articles, left out ``namespace``, ``redirect``, ``redirect-elsewhere`` (to
    another namespace or wiki) and ``deleted``, rejected what ``rejects`` describes: ``bad-page``, ``too-costly``.
    ``steps`` is the work that they took, see ``wikipedia.work``.
    """

    mentions: pa.Table
    redirects: pa.Table
    pages: Counts
    rejects: tuple[Reject, ...] = ()
    titles: Sequence[str] = ()
    versions: Positions = field(default_factory=lambda: NO_VERSIONS)
    steps: int = 0


def scan_chunk(
    data: bytes, site: SiteInfo, trail: str = "", locate: Locate = str, with_titles: bool = False
) -> ChunkLinks:
    """Count the links of the articles in a chunk of XML that was cut after a ``</page>``.

    ``trail`` is a regular expression for the letters after ``]]`` that count for the anchor, "" for none; ``locate``
    says where in the dump a byte of the chunk is, for rejects. A (title, anchor) has a row for each way in which it was
    written.
    """
    try:
        return _scan(data, site, trail, locate, with_titles)
    except MemoryError:
        raise
    except Exception as error:  # the one guard for all that a page may make our code or a library raise
        starts = [page.start() for page in _PAGE.finditer(data)]
        if not starts:
            raise
        if len(starts) == 1:
            return _rejected(error, locate(starts[0]))
    cuts = [0, *starts[:: -(-len(starts) // _PARTS)][1:], len(data)]
    parts = [
        scan_chunk(data[start:end], site, trail, _after(start, locate), with_titles) for start, end in pairwise(cuts)
    ]
    return _joined(parts, cuts)


def _after(start: int, locate: Locate) -> Locate:
    return lambda position: locate(start + position)


def _rejected(error: Exception, where: str) -> ChunkLinks:
    """A page that raised an error, and nothing else."""
    reason, detail = "too-costly", str(error)
    if not isinstance(error, TooCostlyError):
        reason, detail = "bad-page", f"expected a page that can be read, saw {type(error).__name__}: {error}"[:_SHOWN]
    reject = Reject(STAGE, reason, where, detail)
    return ChunkLinks(
        MENTIONS.empty_table(), REDIRECTS.empty_table(), Counts(1, rejected={reason: 1}), rejects=(reject,)
    )


def _joined(parts: list[ChunkLinks], starts: list[int]) -> ChunkLinks:
    return ChunkLinks(
        pa.concat_tables([part.mentions for part in parts]),
        pa.concat_tables([part.redirects for part in parts]),
        sum((part.pages for part in parts), Counts()),
        tuple(reject for part in parts for reject in part.rejects),
        [title for part in parts for title in part.titles],
        np.hstack([moved(part.versions, start) for part, start in zip(parts, starts, strict=False)]),
        sum(part.steps for part in parts),
    )


def _scan(data: bytes, site: SiteInfo, trail: str, locate: Locate, with_titles: bool) -> ChunkLinks:
    work = Work()
    extracted = [extract(data, site, trail, work)]
    rejects: list[Reject] = []
    versions = extracted[0].versions
    if extracted[0].unread:
        pages, rejects = _parse(data, extracted[0].unread, site, locate, work)
        extracted[0].left_out["deleted"] += sum(page.deleted for page in pages.values())
        rewritten = b"".join(canonical(page) for page in pages.values() if not page.deleted)
        extracted.append(extract(rewritten, replace(site, version=LAYOUT), trail, work))
        versions = np.hstack([versions, _versions(pages)])
        if extracted[1].unread:
            raise DamagedInputError("expected a page that can be written in the exporter's layout, saw one that cannot")
    contents, counts = count_distinct(pa.concat_arrays([each.contents for each in extracted]))
    redirects, elsewhere = _redirects(extracted, site)
    left_out = sum((each.left_out for each in extracted), Counter())
    left_out.update({"redirect": redirects.num_rows, "redirect-elsewhere": elsewhere})
    counted = _counts(sum(each.articles for each in extracted), left_out, len(rejects))
    titles = _titles(extracted) if with_titles else ()
    mentions = read_contents(contents, counts, site, work)
    return ChunkLinks(mentions, redirects, counted, tuple(rejects), titles, versions, work.steps)


def _titles(extracted: list[Extraction]) -> list[str]:
    """The titles of pages, as they are after their XML is read; one that is no UTF-8 is none."""
    raw = [title for each in extracted for title in each.titles.to_pylist()]
    return [composed(unescape_xml(title.decode(errors="replace"))) for title in raw]


def _parse(
    data: bytes, spans: list[tuple[int, int]], site: SiteInfo, locate: Locate, work: Work
) -> tuple[dict[int, Page], list[Reject]]:
    """Pages through an XML parser, by where they start, and those that are no pages."""
    pages: dict[int, Page] = {}
    rejects: list[Reject] = []
    for start, end in spans:
        work.parse_xml(data[start:end])
        try:
            pages[start] = read_page(data[start:end], site)
        except DamagedInputError as error:
            rejects.append(Reject(STAGE, "bad-page", locate(start), str(error)))
    return pages, rejects


def _versions(pages: Mapping[int, Page]) -> Positions:
    found = [(*page.version, start) for start, page in pages.items() if page.version]
    return np.array(found, np.int64).reshape(-1, len(NO_VERSIONS)).T


def _redirects(extracted: list[Extraction], site: SiteInfo) -> tuple[pa.Table, int]:
    """Redirects from article to article, and the number of those that lead elsewhere."""
    pairs = [
        (composed(unescape_xml(source)), _article(unescape_xml(target), site))
        for each in extracted
        for source, target in each.redirects
    ]
    kept = [(source, target) for source, target in pairs if target]
    columns = [[source for source, _ in kept], [target for _, target in kept]]
    return pa.table(columns, schema=REDIRECTS), len(pairs) - len(kept)


def _article(written: str, site: SiteInfo) -> str:
    """The article that a redirect leads to, its section dropped; "" for what is none."""
    title = read_title(written, site)
    return title.text if title and title.namespace == 0 else ""


def _counts(articles: int, left_out: Counter[str], rejected: int) -> Counts:
    """The counts of a chunk, reasons that did not occur left out."""
    reasons = {reason: number for reason, number in sorted(left_out.items()) if number}
    read = articles + sum(reasons.values()) + rejected
    return Counts(read, articles, reasons, {"bad-page": rejected} if rejected else {})
