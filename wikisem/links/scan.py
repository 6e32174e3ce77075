"""Reading the links of a chunk of Wikipedia XML, all of its pages at once.

Pages in the layout of MediaWiki's own exporter are read as columns: ``read_pages`` finds where they and their texts
are, ``extract`` the contents of their brackets, and ``mentions`` reads each distinct content once. Pages in another
layout go through an XML parser, are rewritten in the exporter's, and scanned like the others.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Final, NamedTuple, Self

import numpy as np
import pyarrow as pa

from wikisem.arrow.columns import differs_from_previous
from wikisem.errors import DamagedInputError
from wikisem.links import markup
from wikisem.links.markup import Heads, Markup, Mask, Positions
from wikisem.links.mentions import read_contents
from wikisem.records import Counts, Page, UnreadableRecord, unforeseen
from wikisem.schemas import MENTIONS, REDIRECTS
from wikisem.wikipedia.languages import SiteInfo
from wikisem.wikipedia.titles import composed, read_title
from wikisem.wikipedia.wikitext import OPENER, TAG, XML_BYTES, TooCostlyError, Work
from wikisem.wikipedia.xml_pages import LAYOUT, UNMARKED, canonical, read_page, unescape_xml

# The stage that reads links, by its name in unreadable records, and the end of the records that it reads.
STAGE: Final = "mentions"
PAGE_END: Final = b"</page>"
DUMP_END: Final = b"</mediawiki>"
# The size of chunk that was read fastest of 1, 2, 4, 8 and 16 MiB (2026-11).
CHUNK_BYTES: Final = 4 << 20
# Says where a byte of a chunk is, as ``Chunk.location`` does.
Locate = Callable[[int], str]
# A dump may have a page more than once. Of pages with an id, one copy counts: the newest, by the id of its revision,
# since these ascend with time. Versions are arrays of shape ``(3, n)``: the id of a page, that of its revision, and
# where the page begins in its text.
NO_VERSIONS: Final[Positions] = np.empty((3, 0), np.int64)


def in_parts(parts: Iterable[Positions]) -> tuple[Positions, Positions]:
    """Return the versions of several texts together, and for each the number of its text."""
    found = list(parts)
    numbers = np.repeat(np.arange(len(found)), [versions.shape[1] for versions in found])
    return np.hstack([NO_VERSIONS, *found]), numbers


def superseded(versions: Positions, part: Positions) -> Mask:
    """Which versions of pages do not count, because another one of the same page is newer, or equal and comes first.

    A version is a column: the ids of a page and of its revision, and where the page begins in text number ``part``.

    >>> superseded(np.array([[7, 8, 7], [70, 80, 71], [0, 23, 46]]), np.zeros(3, np.int64)).tolist()
    [True, False, False]
    """
    page, revision, start = versions
    latest_first = np.lexsort((start, part, -revision, page))
    mask = np.empty(len(page), np.bool_)
    # Of each page the first in this order counts.
    mask[latest_first] = ~differs_from_previous(page[latest_first])
    return mask


def without_pages(data: bytes, starts: Positions) -> bytes:
    """Return a chunk with blanks for the pages that begin at some bytes of it; starts outside the chunk are ignored.

    >>> page = b"<page><id>%d</id></page>"
    >>> without_pages(page % 7 + page % 8, np.array([0])) == b" " * 23 + page % 8
    True
    """
    inside = starts[(starts >= 0) & (starts < len(data))].tolist()
    if not inside:
        return data
    changed = bytearray(data)
    for start in inside:
        end = data.index(PAGE_END, start) + len(PAGE_END)
        changed[start:end] = b" " * (end - start)
    return bytes(changed)


class ChunkLinks(NamedTuple):
    """The links of a chunk: ``mentions`` (title, anchor, count), ``redirects`` (source, target), both of namespace 0.

    A mention has a row for each way in which it was written, such as ``[[bus]]`` and ``[[Bus|bus]]``: sum them up.
    ``titles`` are those of all pages of namespace 0, redirects too, where they were asked for; ``versions`` say of all
    pages with ids which revisions they are, and where in the chunk they begin (see ``NO_VERSIONS``). ``pages``
    counts pages: kept are the articles, left out ``namespace``, ``redirect``, ``redirect-elsewhere`` (to another
    namespace or wiki) and ``deleted``, unreadable those of ``unreadable``: ``bad-page``, ``too-costly``. ``steps`` is
    the work that they took, see ``wikitext.Work``.
    """

    mentions: pa.Table
    redirects: pa.Table
    pages: Counts
    unreadable: tuple[UnreadableRecord, ...] = ()
    titles: Sequence[str] = ()
    versions: Positions = NO_VERSIONS
    steps: int = 0


class Extraction(NamedTuple):
    """What a chunk holds, as written in the XML.

    ``contents`` of the innermost brackets of ``articles`` pages, ``redirects`` from title to title, ``titles`` of all
    pages of namespace 0, and ``versions`` of all pages with ids (see ``NO_VERSIONS``); ``left_out`` counts pages by
    reason, and ``unread`` holds the start and end of each page that only an XML parser can read.
    """

    contents: pa.Array
    titles: pa.Array
    versions: Positions
    articles: int
    redirects: list[tuple[str, str]]
    left_out: Counter[str]
    unread: list[tuple[int, int]]


_NOTHING: Final = Extraction(pa.array([], pa.string()), pa.array([], pa.binary()), NO_VERSIONS, 0, [], Counter(), [])


class PageTable(NamedTuple):
    """Positions in a chunk, one row a page: the page, its title, and its text if it is a regular page of namespace 0.

    A page is *regular* when it has the layout of MediaWiki's own exporter: one ``<title>``, ``<ns>`` and ``<revision>``
    each, ids of the page and of the revision where the exporter writes them (or no id at all), text that is one run of
    characters, and no entities but ``&lt; &gt; &amp; &quot;``. Only the first ``<text>`` is read; the ones after it are
    the other slots of schema 0.11.

    ``whole`` pages end with ``</page>``; ``main`` ones are in the main namespace (0) or may be; the other columns can
    only be trusted for ``regular`` ones: ``redirect`` is the position of ``<redirect`` (-1 where there is none),
    ``deleted`` says whether the text was deleted, ``ids`` are those of the page and of its revision, shape ``(2, n)``,
    -1 where there are none.
    """

    starts: Positions
    ends: Positions
    whole: Mask
    main: Mask
    regular: Mask
    deleted: Mask
    redirect: Positions
    ids: Positions
    title_starts: Positions
    title_ends: Positions
    text_starts: Positions
    text_ends: Positions


_PAGE: Final = re.compile(rb"<page[ >]")
# A chunk with a bad page is cut into this many parts: three cuts find it among thousands.
_PARTS: Final = 16


def scan_chunk(
    data: bytes, site: SiteInfo, trail: str = "", locate: Locate = str, with_titles: bool = False
) -> ChunkLinks:
    """Count the links of the articles in a chunk of XML that was cut after a ``</page>``.

    A page that cannot be read or takes too much work is dropped alone, as unreadable: the pages are read again in
    smaller and smaller parts until it is found. ``trail`` is a regular expression for the letters after ``]]`` that
    count for the anchor, "" for none; ``locate`` says where in the dump a byte of the chunk is, for unreadable records.
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
            reason, detail = "too-costly", str(error)
            if not isinstance(error, TooCostlyError):
                reason, detail = "bad-page", unforeseen("page", error)
            record = UnreadableRecord(STAGE, reason, locate(starts[0]), detail)
            counts = Counts(read=1, unreadable={reason: 1})
            return ChunkLinks(MENTIONS.empty_table(), REDIRECTS.empty_table(), counts, unreadable=(record,))
    pages_each = -(-len(starts) // _PARTS)  # rounded up
    cuts = [0, *starts[pages_each::pages_each], len(data)]
    parts = [
        scan_chunk(data[start:end], site, trail, partial(lambda by, at: locate(by + at), start), with_titles)
        for start, end in pairwise(cuts)
    ]
    return ChunkLinks(
        mentions=pa.concat_tables([part.mentions for part in parts]),
        redirects=pa.concat_tables([part.redirects for part in parts]),
        pages=sum((part.pages for part in parts), Counts()),
        unreadable=tuple(record for part in parts for record in part.unreadable),
        titles=[title for part in parts for title in part.titles],
        versions=np.hstack([np.add(part.versions, [[0], [0], [cut]]) for part, cut in zip(parts, cuts, strict=False)]),
        steps=sum(part.steps for part in parts),
    )


def _scan(data: bytes, site: SiteInfo, trail: str, locate: Locate, with_titles: bool) -> ChunkLinks:
    """Scan a chunk by its tags; pages that are not laid out as expected are read as XML, and scanned once rewritten."""
    # Pages in the layout of MediaWiki's exporter are read by tags; the others are rewritten in it, then read as well.
    work = Work()
    by_tags = extract(data, site, trail, work)
    pages, unreadable = _read_as_xml(data, by_tags.unread, site, locate, work)
    rewritten = b"".join(canonical(page) for page in pages.values() if not page.deleted)
    as_xml = extract(rewritten, replace(site, version=LAYOUT), trail, work) if rewritten else _NOTHING
    if as_xml.unread:
        raise DamagedInputError("expected a page that can be written in the exporter's layout, saw one that cannot")
    # Pages that are no articles are counted by reason; of these, redirects to an article of this wiki are returned.
    left_out = by_tags.left_out + as_xml.left_out
    left_out["deleted"] += sum(page.deleted for page in pages.values())
    sources, targets = list[str](), list[str]()
    for source, target in by_tags.redirects + as_xml.redirects:
        title = read_title(unescape_xml(target), site)
        left_out["redirect" if title and title.namespace == 0 else "redirect-elsewhere"] += 1
        if title and title.namespace == 0:
            sources.append(composed(unescape_xml(source)))
            targets.append(title.text)
    reasons = {reason: number for reason, number in sorted(left_out.items()) if number}
    articles = by_tags.articles + as_xml.articles
    read = articles + sum(reasons.values()) + len(unreadable)
    # The ids of a page and of its revision, and where it begins.
    xml_versions = [(*page.version, start) for start, page in pages.items() if page.version]
    # What is between the brackets of links: each distinct content is read once.
    contents = pa.concat_arrays([by_tags.contents, as_xml.contents]).dictionary_encode()
    counts = np.bincount(contents.indices.to_numpy(), minlength=len(contents.dictionary))
    # Bytes of titles that are not UTF-8 become replacement characters.
    titles = by_tags.titles.to_pylist() + as_xml.titles.to_pylist() if with_titles else []
    return ChunkLinks(
        mentions=read_contents(contents.dictionary, counts, site, work),
        redirects=pa.table([sources, targets], schema=REDIRECTS),
        pages=Counts(read, articles, reasons, {"bad-page": len(unreadable)} if unreadable else {}),
        unreadable=tuple(unreadable),
        titles=[composed(unescape_xml(title.decode(errors="replace"))) for title in titles],
        versions=np.hstack([by_tags.versions, np.array(xml_versions, np.int64).reshape(-1, len(NO_VERSIONS)).T]),
        steps=work.steps,
    )


def _read_as_xml(
    data: bytes, spans: Sequence[tuple[int, int]], site: SiteInfo, locate: Locate, work: Work
) -> tuple[dict[int, Page], list[UnreadableRecord]]:
    """Return the pages in some spans of a chunk, by where they start, and those that no XML parser can read."""
    pages, unreadable = dict[int, Page](), list[UnreadableRecord]()
    for start, end in spans:
        # The steps that parsing takes, by tags and bytes: TooCostlyError if they are too many.
        work.spend(TAG * data.count(b"<", start, end) + (end - start) // XML_BYTES)
        try:
            pages[start] = read_page(data[start:end], site)
        except DamagedInputError as error:
            unreadable.append(UnreadableRecord(STAGE, "bad-page", locate(start), str(error)))
    return pages, unreadable


_REDIRECT: Final = re.compile(rb'<redirect title="([^"<>]*)" ?/>')


def extract(data: bytes, site: SiteInfo, trail: str, work: Work) -> Extraction:
    """Extract redirects, titles and what is between the brackets of links from a chunk, and find pages to read as XML.

    Read are pages in the layout of MediaWiki's exporter (*regular* ones). ``trail`` is a regular expression for the
    letters after ``]]`` that belong to a link. Raises ArrowInvalid if what is between brackets is not UTF-8.
    """
    # Pages; those that are ``unread`` are left to an XML parser.
    found = markup.find_markup(data)
    entities = markup.heads_at(found.chunk, found.entities)
    pages = read_pages(found, entities)
    redirects, unread = _read_redirects(data, pages, site)
    main = pages.regular & pages.main
    articles = np.flatnonzero(main & ~pages.deleted & (pages.redirect < 0) & ~unread)
    titled = np.flatnonzero(main & ~unread)
    with_id = np.flatnonzero(pages.regular & ~unread & (pages.ids[0] >= 0))
    # What hides links in the articles' texts, such as comments, and begins with an opener: `&lt;` and a name.
    text_starts, text_ends = pages.text_starts[articles], pages.text_ends[articles]
    openers = found.entities[markup.possible_openers(entities)]
    text_of_opener = markup.span_of(openers, text_starts, text_ends)
    openers, text_of_opener = openers[text_of_opener >= 0], text_of_opener[text_of_opener >= 0]
    work.spend(OPENER * len(openers))
    skipped = markup.skipped_spans(data, openers, text_ends[text_of_opener])
    # The links: the brackets in these texts, but for the hidden ones.
    text_of_bracket = markup.span_of(found.brackets, text_starts, text_ends)
    text_of_bracket[markup.span_of(found.brackets, *skipped) >= 0] = -1
    link_starts, link_ends = markup.innermost_links(found, text_of_bracket)
    link_ends = markup.with_trails(found, link_ends, trail) if trail else link_ends
    left_out = {"namespace": pages.whole & ~pages.main, "deleted": main & pages.deleted}
    return Extraction(
        contents=markup.cut_out(data, link_starts, link_ends).cast(pa.string()),
        titles=markup.cut_out(data, pages.title_starts[titled], pages.title_ends[titled]),
        versions=np.vstack([pages.ids[:, with_id], pages.starts[with_id]]),
        articles=len(articles),
        redirects=redirects,
        left_out=Counter({reason: int(np.count_nonzero(rows)) for reason, rows in left_out.items()}),
        unread=list(zip(pages.starts[unread].tolist(), pages.ends[unread].tolist(), strict=True)),
    )


def _read_redirects(data: bytes, pages: PageTable, site: SiteInfo) -> tuple[list[tuple[str, str]], Mask]:
    """Return the redirects of a chunk, as (title, target) with entities of XML, and which pages need an XML parser.

    These are pages that are cut off, articles that are not laid out as expected (regular), and doubtful redirects.
    """
    needs_parser = ~pages.whole | (pages.main & ~pages.regular)
    has_text = pages.regular & pages.main & ~pages.deleted
    has_tag = has_text & (pages.redirect >= 0)
    if site.version in UNMARKED:
        # An old dump without ``<redirect>``: pages that begin with `#`, or with many blanks, may be redirects.
        first_bytes = [data[start : start + 20].lstrip()[:1] for start in pages.text_starts.tolist()]
        needs_parser |= has_text & ~has_tag & np.isin(np.array(first_bytes, "S1"), [b"#", b""])
    redirects = []
    for page in np.flatnonzero(has_tag).tolist():
        tag = _REDIRECT.match(data, int(pages.redirect[page]))
        needs_parser[page] = tag is None
        try:  # only an XML parser can tell what bytes that are not UTF-8 are
            source = data[pages.title_starts[page] : pages.title_ends[page]].decode()
            redirects += [(source, tag.group(1).decode())] if tag else []
        except UnicodeDecodeError:
            needs_parser[page] = True
    return redirects, needs_parser


# More digits than any id has, and no more than 64 bits hold.
_DIGITS: Final = 18
_KNOWN_ENTITIES: Final = (b"&lt;", b"&gt;", b"&amp;", b"&quot;")


class _Tags(NamedTuple):
    """The heads of a chunk's tags, and for each page the indexes of its first tag and of the one that ends it."""

    heads: Heads
    first: Positions
    last: Positions
    whole: Mask

    @classmethod
    def of(cls, heads: Heads) -> Self:
        """Find the pages among all tags of a chunk, given by their heads (the eight bytes from each ``<`` on).

        A page ends with its ``</page>`` (then it is whole), else before the next ``<page>``, else with the chunk.
        """
        first = np.flatnonzero(markup.starting_with(heads, b"<page>") | markup.starting_with(heads, b"<page "))
        closing = np.flatnonzero(markup.starting_with(heads, b"</page>"))
        next_first = np.append(first[1:], len(heads))
        next_closing = np.append(closing, len(heads))[np.searchsorted(closing, first)]
        last = np.minimum(next_closing, next_first)
        return cls(heads, first, last, whole=np.isin(last, closing))

    def starting_with(self, name: bytes) -> tuple[Positions, Positions]:
        """Return how many tags with this beginning each page has, and the index of the first (0 if there are none)."""
        tags = np.flatnonzero(markup.starting_with(self.heads, name))
        low, high = np.searchsorted(tags, self.first), np.searchsorted(tags, self.last)
        if not len(tags):
            return high - low, np.zeros(len(low), np.int64)
        return high - low, np.where(high > low, tags[np.minimum(low, len(tags) - 1)], 0)


def read_pages(found: Markup, entities: Heads) -> PageTable:
    """Find the pages of a chunk, where their titles and texts are, and which are laid out as by MediaWiki's exporter.

    ``entities`` are the eight bytes from each ``&`` on. The exporter would not write the entity of the second page:

    >>> page = b"<page><title>A</title><ns>0</ns><revision><text>[[%s]]</text></revision></page>"
    >>> found = markup.find_markup(page % b"b" + page % b"&#98;")
    >>> pages = read_pages(found, markup.heads_at(found.chunk, found.entities))
    >>> pages.regular.tolist(), found.data[pages.text_starts[0] : pages.text_ends[0]]
    ([True, False], b'[[b]]')
    """
    heads = markup.heads_at(found.chunk, found.tags)
    tags = _Tags.of(heads)
    starts = found.tags[tags.first]
    ends = np.append(found.tags, len(found.data))[tags.last] + tags.whole * len(b"</page>")
    # Of each kind of tag, how many each page has, and the index of the first of these among all tags of the chunk.
    namespace_count, namespace = tags.starting_with(b"<ns>")
    redirect_count, redirect = tags.starting_with(b"<redirec")
    title_count, title = tags.starting_with(b"<title>")
    revision_count, revision = tags.starting_with(b"<revisio")
    id_count, first_id = tags.starting_with(b"<id")
    text_count, text = tags.starting_with(b"<text")
    # A page whose namespace is not clear counts as an article until an XML parser has read it.
    main = (namespace_count != 1) | markup.starting_with(heads[namespace], b"<ns>0<")
    regular = tags.whole & (title_count == 1) & (namespace_count == 1) & (revision_count == 1) & (text_count >= 1)
    regular &= markup.starting_with(heads[_next(title, heads)], b"</title>")
    # The ids of the page and, in the tag after ``<revision>``, of its revision: both or none.
    ids = _ids(found, heads, np.stack([first_id, _next(revision, heads)]))
    regular &= (id_count == 0) | ((first_id < revision) & (ids >= 0).all(axis=0))
    # No entity but those that the exporter writes: not ``&#91;`` for a bracket.
    known = np.zeros(len(entities), np.bool_)
    for entity in _KNOWN_ENTITIES:
        known |= markup.starting_with(entities, entity)
    others = found.entities[~known]
    regular &= np.searchsorted(others, starts) == np.searchsorted(others, ends)
    # Texts that hold no tag, up to ``</text>``, or none at all: ``<text ... />`` of a page that is empty or deleted.
    text_starts, text_ends, closed = _texts(found, text, np.flatnonzero(regular))
    regular &= closed | markup.starting_with(heads[_next(text, heads)], b"</text>")
    deleted = np.zeros(len(text), np.bool_)
    for page in np.flatnonzero(regular & main & closed):
        deleted[page] = b" deleted=" in found.data[found.tags[text[page]] : text_starts[page]]
    return PageTable(
        starts=starts,
        ends=ends,
        whole=tags.whole,
        main=main,
        regular=regular,
        deleted=deleted,
        redirect=np.where(redirect_count > 0, found.tags[redirect], -1),
        ids=np.where(id_count > 0, ids, -1),
        title_starts=found.tags[title] + len(b"<title>"),
        title_ends=found.tags[_next(title, heads)],
        text_starts=text_starts,
        text_ends=text_ends,
    )


def _next(index: Positions, heads: Heads) -> Positions:
    return np.minimum(index + 1, len(heads) - 1)


def _ids(found: Markup, heads: Heads, tags: Positions) -> Positions:
    """Return the number in each of some tags (any shape of indices), as in ``<id>12</id>``; -1 where there is none."""
    if not tags.size:
        return tags
    following = _next(tags, heads)
    starts, ends = found.tags[tags] + len(b"<id>"), found.tags[following]
    is_id = markup.starting_with(heads[tags], b"<id>") & markup.starting_with(heads[following], b"</id>")
    lengths = np.where(is_id, ends - starts, 0)
    is_id &= (lengths > 0) & (lengths <= _DIGITS)
    # The digits of every number as a row as long as the longest: with three, those 3, 2 and 1 bytes before the end, for
    # hundreds, tens and ones. What is before a shorter number counts as 0.
    from_end = np.arange(-int(lengths[is_id].max(initial=1)), 0)
    digits = found.chunk[ends[..., None] + from_end].astype(np.int64) - ord("0")
    is_before = from_end < -lengths[..., None]
    is_id &= (is_before | ((digits >= 0) & (digits <= 9))).all(axis=-1)
    return np.where(is_id, np.where(is_before, 0, digits) @ 10 ** (-1 - from_end), -1)


def _texts(found: Markup, text: Positions, rows: Positions) -> tuple[Positions, Positions, Mask]:
    """Where the text after each ``<text>`` tag starts and ends, and whether the tag closes itself; for some rows."""
    starts, ends, closed = np.zeros(len(text), np.int64), np.zeros(len(text), np.int64), np.zeros(len(text), np.bool_)
    starts[rows] = [found.data.find(b">", opening) + 1 for opening in found.tags[text[rows]].tolist()]
    closed[rows] = found.chunk[starts[rows] - 2] == ord("/")
    ends[rows] = found.tags[np.minimum(text[rows] + 1, len(found.tags) - 1)]
    return starts, np.where(closed, starts, ends), closed
