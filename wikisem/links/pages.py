"""The pages of a chunk as columns: which are articles, where their text lies, and which need the careful path.

A page is *regular* when it has the layout of MediaWiki's own exporter: one ``<title>``, ``<ns>`` and ``<revision>``
each, text that is one run of characters, and no entities but ``&lt; &gt; &amp; &quot;``. Only the first ``<text>`` is
read; what follows in schema 0.11 are the other slots.
"""

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from wikisem.links.positions import Keys, Marks, Mask, Places, keys_at, starting_with

_REDIRECT: Final = re.compile(rb'<redirect title="([^"<>]*)" ?/>')
# Longer than any <text> tag that the exporter writes.
_TAG_BYTES: Final = 128
_KNOWN_ENTITIES: Final = (b"&lt;", b"&gt;", b"&amp;", b"&quot;")


@dataclass(frozen=True, slots=True)
class PageTable:
    """Places in a chunk, one row a page: the page, its title, and its text if it is a regular page of namespace 0.

    ``main`` says which pages lie in namespace 0 or may do so, ``regular`` whether the other columns can be trusted,
    ``redirect`` where ``<redirect`` stands (-1 where it does not), ``deleted`` whether the text was.
    """

    starts: Places
    ends: Places
    whole: Mask
    main: Mask
    regular: Mask
    deleted: Mask
    redirect: Places
    title_starts: Places
    title_ends: Places
    text_starts: Places
    text_ends: Places


@dataclass(frozen=True, slots=True)
class _Tags:
    """The tags of a chunk and the rows of the page table, both as indexes into ``places``."""

    places: Places
    keys: Keys
    first: Places
    last: Places

    def of(self, name: bytes) -> tuple[Places, Places]:
        """How many tags that start so each page has, and the index of its first (0 where there is none)."""
        found = np.flatnonzero(starting_with(self.keys, name))
        low, high = np.searchsorted(found, self.first), np.searchsorted(found, self.last)
        if not len(found):
            return high - low, np.zeros(len(low), np.int64)
        return high - low, np.where(high > low, found[np.minimum(low, len(found) - 1)], 0)


def read_pages(marks: Marks, entities: Keys) -> PageTable:
    """The page table of a chunk; ``entities`` are the keys at its ``&``."""
    keys = keys_at(marks.chunk, marks.tags)
    opens = np.flatnonzero(starting_with(keys, b"<page>") | starting_with(keys, b"<page "))
    closes = np.flatnonzero(starting_with(keys, b"</page>"))
    tags = _Tags(marks.tags, keys, opens, _last_tags(opens, closes, len(keys)))
    whole = np.isin(tags.last, closes)
    starts = marks.tags[opens]
    ends = np.append(marks.tags, len(marks.data))[tags.last] + whole * len(b"</page>")
    spaces, space = tags.of(b"<ns>")
    redirects, redirect = tags.of(b"<redirec")
    titles, title = tags.of(b"<title>")
    texts, text = tags.of(b"<text")
    main = (spaces != 1) | starting_with(keys[space], b"<ns>0<")
    regular = whole & (titles == 1) & (spaces == 1) & (tags.of(b"<revisio")[0] == 1) & (texts >= 1)
    regular &= starting_with(keys[_next(title, keys)], b"</title>") & ~_odd_entities(marks, entities, starts, ends)
    text_starts, text_ends, closed = _texts(marks, text)
    regular &= closed | starting_with(keys[_next(text, keys)], b"</text>")
    return PageTable(
        starts=starts,
        ends=ends,
        whole=whole,
        main=main,
        regular=regular,
        deleted=_deleted(marks, text, text_starts, regular & main & closed),
        redirect=np.where(redirects > 0, marks.tags[redirect], -1),
        title_starts=marks.tags[title] + len(b"<title>"),
        title_ends=marks.tags[_next(title, keys)],
        text_starts=text_starts,
        text_ends=text_ends,
    )


def _last_tags(opens: Places, closes: Places, tags: int) -> Places:
    """The index of the tag that ends each page: its ``</page>``, else the next ``<page>``, else the end."""
    following = np.append(opens[1:], tags)
    places = np.searchsorted(closes, opens)
    closing = np.append(closes, tags)[places]
    last: Places = np.minimum(closing, following)
    return last


def _next(index: Places, keys: Keys) -> Places:
    return np.minimum(index + 1, len(keys) - 1)


def _odd_entities(marks: Marks, entities: Keys, starts: Places, ends: Places) -> Mask:
    """Which pages hold an entity that the exporter does not write, such as ``&#91;`` for a bracket."""
    known = np.zeros(len(entities), np.bool_)
    for entity in _KNOWN_ENTITIES:
        known |= starting_with(entities, entity)
    odd = marks.entities[~known]
    mask: Mask = np.searchsorted(odd, starts) < np.searchsorted(odd, ends)
    return mask


def _texts(marks: Marks, text: Places) -> tuple[Places, Places, Mask]:
    """Where the text behind each ``<text>`` tag starts and ends, and whether the tag closes itself."""
    chunk, opening = marks.chunk, marks.tags[text]
    window = opening[:, None] + np.arange(_TAG_BYTES)
    closes = chunk[np.minimum(window, len(chunk) - 1)] == ord(">")
    starts = opening + np.argmax(closes, axis=1) + 1
    for row in np.flatnonzero(~closes.any(axis=1)):
        starts[row] = marks.data.find(b">", opening[row]) + 1
    closed: Mask = chunk[starts - 2] == ord("/")
    return starts, np.where(closed, starts, marks.tags[np.minimum(text + 1, len(marks.tags) - 1)]), closed


def _deleted(marks: Marks, text: Places, starts: Places, closed: Mask) -> Mask:
    """Which of the texts that are one tag were deleted; the others are empty."""
    deleted = np.zeros(len(text), np.bool_)
    for row in np.flatnonzero(closed):
        deleted[row] = b" deleted=" in marks.data[marks.tags[text[row]] : starts[row]]
    return deleted


def redirect_of(data: bytes, place: int) -> bytes | None:
    """The title in the ``<redirect title="..." />`` at a place, as XML; None for another form."""
    found = _REDIRECT.match(data, place)
    return found.group(1) if found else None
