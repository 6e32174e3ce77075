"""One pass over a chunk: the contents of its links, its redirects, and the pages that only an XML parser can read."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from wikisem.links.brackets import innermost_links, span_of, with_trails
from wikisem.links.contents import cut_out
from wikisem.links.pages import PageTable, read_pages, redirect_of
from wikisem.links.positions import Markup, Mask, Positions, find_markup, heads_at
from wikisem.links.skipped import possible_openers, skipped_spans
from wikisem.wikipedia.siteinfo import SiteInfo
from wikisem.wikipedia.work import Work
from wikisem.wikipedia.xml_pages import marks_redirects


@dataclass(slots=True)
class Extraction:
    """What a chunk holds, as written in the XML.

    ``contents`` of the innermost brackets of ``articles`` pages, ``redirects`` from title to title, ``titles`` of all
    pages of namespace 0, and ``versions`` of all pages with ids (see ``links.repeats``); ``left_out`` counts pages by
    reason, and ``unread`` holds the start and end of each page that is none of these.
    """

    contents: pa.Array
    titles: pa.Array
    versions: Positions
    articles: int = 0
    redirects: list[tuple[str, str]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    unread: list[tuple[int, int]] = field(default_factory=list)


def extract(data: bytes, site: SiteInfo, trail: str, work: Work) -> Extraction:
    """Read a chunk; ``trail`` is a regular expression for the letters after ``]]`` that belong to a content."""
    markup = find_markup(data)
    entities = heads_at(markup.chunk, markup.entities)
    pages = read_pages(markup, entities)
    openers = markup.entities[possible_openers(entities)]
    articles, extraction = _classify(data, pages, site)
    try:
        extraction.contents = _contents(markup, openers, pages, articles, trail, work)
    except pa.ArrowInvalid:  # a link that is no UTF-8
        articles, broken = _by_encoding(data, pages, articles)
        extraction.unread += _spans(pages, broken)
        extraction.versions = extraction.versions[:, ~np.isin(extraction.versions[2], pages.starts[broken])]
        extraction.contents = _contents(markup, openers, pages, articles, trail, work)
    extraction.articles = len(articles)
    return extraction


def _classify(data: bytes, pages: PageTable, site: SiteInfo) -> tuple[Positions, Extraction]:
    """The rows of the articles, and an extraction that holds every other page."""
    texts = pages.regular & pages.main & ~pages.deleted
    marked = texts & (pages.redirect >= 0)
    unread = ~pages.whole | (pages.main & ~pages.regular)
    if not marks_redirects(site):
        unread |= texts & ~marked & _starts_with_hash(data, pages)
    redirects = []
    for row in np.flatnonzero(marked).tolist():
        pair = _redirect(data, pages, row)
        unread[row] = pair is None
        redirects += [pair] if pair else []
    left_out = {
        "namespace": int(np.count_nonzero(pages.whole & ~pages.main)),
        "deleted": int(np.count_nonzero(pages.regular & pages.main & pages.deleted)),
    }
    known = np.flatnonzero(pages.regular & pages.main & ~unread)
    titles = cut_out(data, pages.title_starts[known], pages.title_ends[known])
    identified = np.flatnonzero(pages.regular & ~unread & (pages.ids[0] >= 0))
    versions = np.vstack([pages.ids[:, identified], pages.starts[identified]])
    none = pa.array([], pa.string())
    spans = _spans(pages, np.flatnonzero(unread))
    extraction = Extraction(none, titles, versions, 0, redirects, Counter(left_out), spans)
    return np.flatnonzero(texts & ~marked & ~unread), extraction


def _starts_with_hash(data: bytes, pages: PageTable) -> Mask:
    """Which texts begin with ``#``; those that begin with many blanks may."""
    first = [data[start : start + 20].lstrip()[:1] for start in pages.text_starts.tolist()]
    mask: Mask = np.isin(np.array(first, "S1"), [b"#", b""])
    return mask


def _redirect(data: bytes, pages: PageTable, row: int) -> tuple[str, str] | None:
    """The title of a redirect and the title in its mark, both as XML; None where only an XML parser can tell."""
    target = redirect_of(data, int(pages.redirect[row]))
    try:
        source = data[pages.title_starts[row] : pages.title_ends[row]].decode()
        return None if target is None else (source, target.decode())
    except UnicodeDecodeError:
        return None


def _contents(
    markup: Markup, openers: Positions, pages: PageTable, articles: Positions, trail: str, work: Work
) -> pa.Array:
    """The contents of the innermost brackets of some pages, outside skipped spans; ArrowInvalid if one is no UTF-8."""
    starts, ends = pages.text_starts[articles], pages.text_ends[articles]
    texts = span_of(openers, starts, ends)
    openers, texts = openers[texts >= 0], texts[texts >= 0]
    work.look_at(len(openers))
    skipped = skipped_spans(markup.data, openers, ends[texts])
    texts = span_of(markup.brackets, starts, ends)
    texts[span_of(markup.brackets, *skipped) >= 0] = -1
    link_starts, link_ends = innermost_links(markup, texts)
    link_ends = with_trails(markup, link_ends, trail) if trail else link_ends
    return cut_out(markup.data, link_starts, link_ends).cast(pa.string())


def _by_encoding(data: bytes, pages: PageTable, articles: Positions) -> tuple[Positions, Positions]:
    """The articles whose text is UTF-8, and those whose text is not."""
    readable = np.ones(len(articles), np.bool_)
    for number, row in enumerate(articles):
        try:
            data[pages.text_starts[row] : pages.text_ends[row]].decode()
        except UnicodeDecodeError:
            readable[number] = False
    return articles[readable], articles[~readable]


def _spans(pages: PageTable, rows: Positions) -> list[tuple[int, int]]:
    return list(zip(pages.starts[rows].tolist(), pages.ends[rows].tolist(), strict=True))
