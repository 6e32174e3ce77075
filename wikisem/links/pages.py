"""The pages of a chunk as columns: which are articles, where their text is, and which only an XML parser can read.

A page is *regular* when it has the layout of MediaWiki's own exporter: one ``<title>``, ``<ns>`` and ``<revision>``
each, ids of the page and of the revision where the exporter writes them (or no id at all), text that is one run of
characters, and no entities but ``&lt; &gt; &amp; &quot;``. Only the first ``<text>`` is read; the ones after it are the
other slots of schema 0.11.

>>> page = b"<page><title>A</title><ns>0</ns><revision><text>[[%s]]</text></revision></page>"
>>> from wikisem.links.positions import find_markup
>>> markup = find_markup(page % b"b" + page % b"&#98;")
>>> pages = read_pages(markup, heads_at(markup.chunk, markup.entities))
>>> pages.regular.tolist(), markup.data[pages.text_starts[0] : pages.text_ends[0]]
([True, False], b'[[b]]')
"""

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from wikisem.links.positions import Heads, Markup, Mask, Positions, heads_at, starting_with

_REDIRECT: Final = re.compile(rb'<redirect title="([^"<>]*)" ?/>')
# More digits than any id has, and no more than 64 bits hold.
_DIGITS: Final = 18
# Longer than any <text> tag that the exporter writes.
_TAG_BYTES: Final = 128
_KNOWN_ENTITIES: Final = (b"&lt;", b"&gt;", b"&amp;", b"&quot;")


@dataclass(frozen=True, slots=True)
class PageTable:
    """Positions in a chunk, one row a page: the page, its title, and its text if it is a regular page of namespace 0.

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


@dataclass(frozen=True, slots=True)
class _Tags:
    """The heads of a chunk's tags, and for each page the indexes of its first tag and of the one that ends it."""

    heads: Heads
    first: Positions
    last: Positions

    def starting_with(self, name: bytes) -> tuple[Positions, Positions]:
        """How many tags that start so each page has, and the index of its first (0 where there is none)."""
        tags = np.flatnonzero(starting_with(self.heads, name))
        low, high = np.searchsorted(tags, self.first), np.searchsorted(tags, self.last)
        if not len(tags):
            return high - low, np.zeros(len(low), np.int64)
        return high - low, np.where(high > low, tags[np.minimum(low, len(tags) - 1)], 0)


def read_pages(markup: Markup, entities: Heads) -> PageTable:
    """The page table of a chunk; ``entities`` are the heads at its ``&``."""
    heads = heads_at(markup.chunk, markup.tags)
    opens = np.flatnonzero(starting_with(heads, b"<page>") | starting_with(heads, b"<page "))
    closes = np.flatnonzero(starting_with(heads, b"</page>"))
    tags = _Tags(heads, opens, _last_tags(opens, closes, len(heads)))
    whole = np.isin(tags.last, closes)
    starts = markup.tags[opens]
    ends = np.append(markup.tags, len(markup.data))[tags.last] + whole * len(b"</page>")
    namespaces, namespace = tags.starting_with(b"<ns>")
    redirects, redirect = tags.starting_with(b"<redirec")
    titles, title = tags.starting_with(b"<title>")
    revisions, revision = tags.starting_with(b"<revisio")
    ids, first_id = tags.starting_with(b"<id")
    texts, text = tags.starting_with(b"<text")
    main = (namespaces != 1) | starting_with(heads[namespace], b"<ns>0<")
    regular = whole & (titles == 1) & (namespaces == 1) & (revisions == 1) & (texts >= 1)
    regular &= starting_with(heads[_next(title, heads)], b"</title>")
    # The tags of both ids, if the page has the exporter's layout.
    numbers = _ids(markup, heads, np.stack([first_id, _next(revision, heads)]))
    regular &= (ids == 0) | ((first_id < revision) & (numbers >= 0).all(axis=0))
    regular &= ~_has_other_entities(markup, entities, starts, ends)
    text_starts, text_ends, closed = _texts(markup, text, np.flatnonzero(regular))
    regular &= closed | starting_with(heads[_next(text, heads)], b"</text>")
    return PageTable(
        starts=starts,
        ends=ends,
        whole=whole,
        main=main,
        regular=regular,
        deleted=_deleted(markup, text, text_starts, regular & main & closed),
        redirect=np.where(redirects > 0, markup.tags[redirect], -1),
        ids=np.where(ids > 0, numbers, -1),
        title_starts=markup.tags[title] + len(b"<title>"),
        title_ends=markup.tags[_next(title, heads)],
        text_starts=text_starts,
        text_ends=text_ends,
    )


def _last_tags(opens: Positions, closes: Positions, tags: int) -> Positions:
    """The index of the tag that ends each page: its ``</page>``, else the next ``<page>``, else the end."""
    following = np.append(opens[1:], tags)
    closing = np.append(closes, tags)[np.searchsorted(closes, opens)]
    last: Positions = np.minimum(closing, following)
    return last


def _next(index: Positions, heads: Heads) -> Positions:
    return np.minimum(index + 1, len(heads) - 1)


def _ids(markup: Markup, heads: Heads, tags: Positions) -> Positions:
    """The numbers in ``<id>`` tags, by the index of the tag; -1 for another tag, and for what is no number."""
    if not tags.size:
        return tags
    following = _next(tags, heads)
    starts, ends = markup.tags[tags] + len(b"<id>"), markup.tags[following]
    whole = starting_with(heads[tags], b"<id>") & starting_with(heads[following], b"</id>")
    lengths = np.where(whole, ends - starts, 0)
    whole &= (lengths > 0) & (lengths <= _DIGITS)
    places = np.arange(-int(lengths[whole].max(initial=1)), 0)  # of digits, seen from the end of each number
    digits = markup.chunk[ends[..., None] + places].astype(np.int64) - ord("0")
    outside = places < -lengths[..., None]
    whole &= (outside | ((digits >= 0) & (digits <= 9))).all(axis=-1)
    return np.where(whole, np.where(outside, 0, digits) @ 10 ** (-1 - places), -1)


def _has_other_entities(markup: Markup, entities: Heads, starts: Positions, ends: Positions) -> Mask:
    """Which pages hold an entity that the exporter does not write, such as ``&#91;`` for a bracket."""
    known = np.zeros(len(entities), np.bool_)
    for entity in _KNOWN_ENTITIES:
        known |= starting_with(entities, entity)
    others = markup.entities[~known]
    mask: Mask = np.searchsorted(others, starts) < np.searchsorted(others, ends)
    return mask


def _texts(markup: Markup, text: Positions, rows: Positions) -> tuple[Positions, Positions, Mask]:
    """Where the text after each ``<text>`` tag starts and ends, and whether the tag closes itself; for some rows."""
    chunk, opening = markup.chunk, markup.tags[text[rows]]
    window = opening[:, None] + np.arange(_TAG_BYTES)
    ends_tag = chunk[np.minimum(window, len(chunk) - 1)] == ord(">")
    found = opening + np.argmax(ends_tag, axis=1) + 1
    for row in np.flatnonzero(~ends_tag.any(axis=1)):
        found[row] = markup.data.find(b">", opening[row]) + 1
    starts, ends, closed = np.zeros(len(text), np.int64), np.zeros(len(text), np.int64), np.zeros(len(text), np.bool_)
    closed[rows] = chunk[found - 2] == ord("/")
    starts[rows] = found
    ends[rows] = np.where(closed[rows], found, markup.tags[np.minimum(text[rows] + 1, len(markup.tags) - 1)])
    return starts, ends, closed


def _deleted(markup: Markup, text: Positions, starts: Positions, closed: Mask) -> Mask:
    """Which of the texts that are one tag were deleted; the others are empty."""
    deleted = np.zeros(len(text), np.bool_)
    for row in np.flatnonzero(closed):
        deleted[row] = b" deleted=" in markup.data[markup.tags[text[row]] : starts[row]]
    return deleted


def redirect_of(data: bytes, position: int) -> bytes | None:
    """The title in the ``<redirect title="..." />`` at a position, as XML; None for another form."""
    mark = _REDIRECT.match(data, position)
    return mark.group(1) if mark else None
