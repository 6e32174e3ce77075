"""One pass over a chunk: what stands in its links, its redirects, and the pages that only an XML parser can read."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from wikisem.links.brackets import innermost, span_of, with_trails
from wikisem.links.contents import slices
from wikisem.links.pages import PageTable, read_pages, redirect_of
from wikisem.links.positions import Marks, Mask, Places, find_marks, keys_at
from wikisem.links.skipped import candidates, dead_spans
from wikisem.wikipedia.siteinfo import SiteInfo
from wikisem.wikipedia.xml_pages import marks_redirects


@dataclass(slots=True)
class Extract:
    """What a chunk holds, as it stands in the XML.

    ``contents`` of the innermost brackets of ``articles`` pages, ``redirects`` from title to title; ``left_out``
    counts pages by reason, and ``unread`` says where those lie that are none of these.
    """

    contents: pa.Array
    articles: int = 0
    redirects: list[tuple[str, str]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    unread: list[tuple[int, int]] = field(default_factory=list)


def extract(data: bytes, site: SiteInfo, trail: str) -> Extract:
    """Read a chunk; ``trail`` is a regular expression for the letters behind ``]]`` that belong to a content."""
    marks = find_marks(data)
    entities = keys_at(marks.chunk, marks.entities)
    pages = read_pages(marks, entities)
    openers = marks.entities[candidates(entities)]
    articles, found = _sort_out(data, pages, site)
    try:
        found.contents = _contents(marks, openers, pages, articles, trail)
    except pa.ArrowInvalid:  # a link that is no UTF-8
        articles, broken = _by_encoding(data, pages, articles)
        found.unread += _spans(pages, broken)
        found.contents = _contents(marks, openers, pages, articles, trail)
    found.articles = len(articles)
    return found


def _sort_out(data: bytes, pages: PageTable, site: SiteInfo) -> tuple[Places, Extract]:
    """The rows of the articles, and every other page where it belongs."""
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
    found = Extract(pa.array([], pa.string()), 0, redirects, Counter(left_out), _spans(pages, np.flatnonzero(unread)))
    return np.flatnonzero(texts & ~marked & ~unread), found


def _starts_with_hash(data: bytes, pages: PageTable) -> Mask:
    heads = [data[start : start + 20].lstrip()[:1] for start in pages.text_starts.tolist()]
    mask: Mask = np.array(heads, "S1") == b"#"
    return mask


def _redirect(data: bytes, pages: PageTable, row: int) -> tuple[str, str] | None:
    """The title of a redirect and the title in its mark, both as XML; None for the careful path."""
    target = redirect_of(data, int(pages.redirect[row]))
    try:
        source = data[pages.title_starts[row] : pages.title_ends[row]].decode()
        return None if target is None else (source, target.decode())
    except UnicodeDecodeError:
        return None


def _contents(marks: Marks, openers: Places, pages: PageTable, articles: Places, trail: str) -> pa.Array:
    """What stands in the innermost brackets of some pages, outside dead spans; ArrowInvalid if it is no UTF-8."""
    starts, ends = pages.text_starts[articles], pages.text_ends[articles]
    texts = span_of(openers, starts, ends)
    dead = dead_spans(marks.data, openers[texts >= 0], ends[texts[texts >= 0]])
    texts = span_of(marks.brackets, starts, ends)
    live = (texts >= 0) & (span_of(marks.brackets, *dead) < 0)
    links, stops = innermost(marks, live, texts)
    stops = with_trails(marks, stops, trail) if trail else stops
    return slices(marks.data, links, stops, pa.binary()).cast(pa.string())


def _by_encoding(data: bytes, pages: PageTable, articles: Places) -> tuple[Places, Places]:
    """The articles whose text is UTF-8, and those whose text is not."""
    readable = np.ones(len(articles), np.bool_)
    for place, row in enumerate(articles):
        try:
            data[pages.text_starts[row] : pages.text_ends[row]].decode()
        except UnicodeDecodeError:
            readable[place] = False
    return articles[readable], articles[~readable]


def _spans(pages: PageTable, rows: Places) -> list[tuple[int, int]]:
    return list(zip(pages.starts[rows].tolist(), pages.ends[rows].tolist(), strict=True))
