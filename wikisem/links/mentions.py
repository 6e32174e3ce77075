"""Reading the contents of brackets as mentions: the article that each leads to, and the words that it shows.

Distinct contents are read by column; only those that columns cannot decide are read one by one, as wikitext.
"""

import re
from functools import cache
from typing import Final
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.links import markup
from wikisem.links.markup import Bytes, Contents, Mask, Positions, cut_out
from wikisem.records import Link
from wikisem.schemas import MENTIONS
from wikisem.wikipedia.languages import SiteInfo
from wikisem.wikipedia.titles import LONGEST, URL, composed, leads_away, read_title, unescape, upper_first
from wikisem.wikipedia.wikitext import SPACES, UNSEEN, Work, anchor_text, visible
from wikisem.wikipedia.xml_pages import unescape_xml

_SPACE: Final = ord(" ")
# Brackets and braces may belong to a template, or to the end of a link, and change where a title ends.
_BRACKETS: Final = list(b"{}[]")
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# A title or an anchor is plain text if it has none of these.
_MARKUP: Final = ("&", "''", "{", "}", "[", "]", "%", "_", "  ", "./", "/.", "//", "~~~", "\ufffd")
_IRREGULAR: Final = tuple(markup.encode() for markup in (*_MARKUP, *SPACES, *UNSEEN))


def read_contents(contents: pa.Array, counts: Positions, site: SiteInfo, work: Work | None = None) -> pa.Table:
    """Read distinct contents of innermost brackets (XML in UTF-8), with their counts, as (title, anchor, count) rows.

    Links that lead to no article, or show nothing, leave no row. A link has a row for each way in which it was
    written: merging chunks adds them up. ``work`` counts what is read one by one.

    Of these contents the first is read by column, the second leads to no article, the third has its anchor read alone,
    and the fourth is read alone as a whole:

    >>> site = SiteInfo("enwiki", "en", namespaces={6: "File"})
    >>> contents = pa.array(["bus#x|Buses", "File:a.png|b", "car|''fast'' car", " sea"])
    >>> mentions = read_contents(contents, np.array([5, 1, 1, 2]), site).to_pydict()
    >>> mentions["title"], mentions["anchor"], mentions["count"]
    (['Bus', 'Car', 'Sea'], ['Buses', 'fast car', 'sea'], [5, 1, 2])
    """
    work = work or Work()
    if not len(contents):
        return MENTIONS.empty_table()
    parts = markup.locate_parts(contents)
    regular, with_markup, irregular = _divide(parts, site)
    by_column = pa.table([*_cut_links(parts, regular, site), counts[regular]], schema=MENTIONS)

    titles, anchors = _cut_links(parts, with_markup, site)
    written = anchors.to_pylist()
    work.read(written)
    shown = [anchor_text(_COMMENT.sub("", unescape_xml(anchor)), work) or None for anchor in written]
    by_title = pa.table([titles, shown, counts[with_markup]], schema=MENTIONS)
    if by_title["anchor"].null_count:  # anchors that show nothing
        by_title = by_title.filter(by_title["anchor"].is_valid())

    texts = contents.take(pa.array(irregular)).to_pylist()
    work.read(texts)
    links = [read_link(unescape_xml(text), site, work) for text in texts]
    found = [(*link, count) for link, count in zip(links, counts[irregular].tolist(), strict=True) if link]
    read_alone = pa.table([list(column) for column in zip(*found, strict=True)] or [[], [], []], schema=MENTIONS)
    return pa.concat_tables([by_column, by_title, read_alone])


def _divide(parts: Contents, site: SiteInfo) -> tuple[Positions, Positions, Positions]:
    """Divide contents by how they are read: in columns, with the anchor alone as wikitext, or all of it as wikitext.

    Returns the indices of each kind. Contents that are no links to an article are in none of them.
    """
    # Prefixes such as ``File:`` lead away from articles. A colon at the start, as in [[:bus]], is no part of one; such
    # contents are read one by one. Each distinct prefix is judged once: True, False, or None if it cannot be said.
    irregular = parts.at(parts.starts) == ord(":")
    starts = parts.starts + irregular
    colons = markup.first_position(parts.data == ord(":"), starts, parts.title_ends)
    prefixed = np.flatnonzero(colons < parts.title_ends)
    prefixes = cut_out(parts.data, starts[prefixed], colons[prefixed], pa.string()).dictionary_encode()
    verdicts, codes = [leads_away(one, site) for one in prefixes.dictionary.to_pylist()], prefixes.indices.to_numpy()
    is_away = np.zeros(len(parts.starts), np.bool_)
    is_away[prefixed] = np.array([verdict is True for verdict in verdicts], np.bool_)[codes]
    irregular[prefixed] |= np.array([verdict is None for verdict in verdicts], np.bool_)[codes]
    # The positions of characters that NFC may change, and those of markup that columns cannot read.
    marks, hits = markup.find_marks(parts, _IRREGULAR)
    irregular |= markup.not_composed(parts, marks)
    # Markup in the anchor does not concern the title, unless it is a bracket, which may end the title or the link.
    content_of_hit = np.searchsorted(parts.ends, hits, side="right")
    in_anchor = (hits > parts.bars[content_of_hit]) & ~np.isin(parts.data[hits], _BRACKETS)
    with_markup = np.zeros(len(parts.starts), np.bool_)
    irregular[content_of_hit[~in_anchor]] = with_markup[content_of_hit[in_anchor]] = True
    # Blanks at an end of the title or of the anchor.
    has_bar = parts.bars < parts.ends
    ends_blank = parts.at(parts.ends - 1) == _SPACE
    with_markup |= has_bar & (ends_blank | (parts.at(parts.bars + 1) == _SPACE))
    irregular |= (parts.at(parts.starts) == _SPACE) | (parts.at(parts.title_ends - 1) == _SPACE)
    irregular |= ends_blank & ~has_bar
    # Titles that begin as relative paths do, or are longer than MediaWiki allows.
    irregular |= np.isin(parts.data[parts.starts], list(b"./")) | (parts.title_ends - parts.starts > LONGEST)
    # A link without a title leads nowhere, and one with nothing after its bar shows nothing.
    regular = ~irregular & (parts.title_ends > parts.starts) & (parts.bars + 1 != parts.ends)
    masks = (regular & ~with_markup, regular & with_markup, irregular)
    by_column, but_anchor, alone = (np.flatnonzero(mask & ~is_away) for mask in masks)
    return by_column, but_anchor, alone


def _cut_links(parts: Contents, rows: Positions, site: SiteInfo) -> tuple[pa.Array, pa.Array]:
    """Return the titles and the anchors of some contents; without a bar the whole content is the anchor."""
    starts, ends, bars = parts.starts[rows], parts.ends[rows], parts.bars[rows]
    titles = cut_out(parts.data, starts, parts.title_ends[rows], pa.string())
    anchors = cut_out(parts.data, np.where(bars < ends, bars + 1, starts), ends, pa.string())
    return capitalise(titles, site.language) if site.first_letter else titles, anchors


def capitalise(titles: pa.Array, language: str) -> pa.Array:
    """The titles with their first letters in upper case, as most wikis have them (``upper_first``); none may be empty.

    >>> capitalise(pa.array(["bus", "Car", "\u00df"]), "en").to_pylist()
    ['Bus', 'Car', '\u00df']
    """
    _, offsets, buffer = titles.buffers()
    starts = np.frombuffer(offsets, np.int32)[titles.offset :][: len(titles)]
    data = np.frombuffer(buffer or b"", np.uint8).copy()
    # Letters of ASCII are replaced in place, in half the time of splitting and joining with Arrow (2026-11).
    upper, is_longer = _upper_bytes(language)
    first_bytes = data[starts]
    data[starts] = upper[first_bytes]
    raised = pa.Array.from_buffers(titles.type, len(titles), [None, offsets, pa.py_buffer(data)], offset=titles.offset)
    if not is_longer[first_bytes].any():
        return raised
    # Few titles begin with other letters: these are split, and each distinct letter is looked at once.
    rest = pa.array(is_longer[first_bytes])
    lower = titles.filter(rest)
    letters = pc.utf8_slice_codeunits(lower, 0, 1).dictionary_encode()
    capitals = pa.array([upper_first(letter, language) for letter in letters.dictionary.to_pylist()], pa.string())
    rest_raised = pc.binary_join_element_wise(capitals.take(letters.indices), pc.utf8_slice_codeunits(lower, 1), "")
    return pc.replace_with_mask(raised, rest, rest_raised)


@cache
def _upper_bytes(language: str) -> tuple[Bytes, Mask]:
    """Return the upper case of each byte, and which bytes begin a letter that is more than a byte, or becomes more."""
    upper, is_longer = np.arange(256, dtype=np.uint8), np.ones(256, np.bool_)
    for byte in range(0x80):
        letter = ord(upper_first(chr(byte), language))
        if letter < 0x80:
            upper[byte], is_longer[byte] = letter, False
    return upper, is_longer


def read_link(content: str, site: SiteInfo, work: Work | None = None) -> Link | None:
    """Return the link between ``[[`` and ``]]``; None if it leads to no article or shows no text.

    Characters after a ``]]`` in the content are the trail of the link.

    >>> site = SiteInfo("enwiki", "en", namespaces={6: "File"})
    >>> read_link("moon&amp;sun#x|the ''moon''{{ref}} ]]s", site)
    Link(target='Moon&sun', anchor='the moons')
    >>> read_link(":Category:Moons|moons", site)
    """
    inside, _, trail = content.rpartition("]]")
    if not inside or ">" in trail:  # brackets in a comment or similar, which ends with one
        inside, trail = content, ""
    # {{!}} is how templates write a bar.
    shown = _COMMENT.sub("", inside) if "<!--" in inside else inside
    target, bar, anchor = shown.replace("{{!}}", "|").partition("|")
    link = make_link(target, anchor if bar else None, site, work)
    return Link(link.target, composed(link.anchor + trail)) if link and trail else link


def make_link(target: str, anchor: str | None, site: SiteInfo, work: Work | None = None) -> Link | None:
    """Return the link from the wikitext of its target and of its anchor, which is None if there is no bar.

    None if it leads to no article of this wiki, or shows no text.
    """
    if "\n" in target or (("//" in target or ":" in target) and URL.match(target.strip())):
        return None
    written = unquote(target)  # MediaWiki reads %-escapes in links
    title = read_title(written, site)
    if title is None or title.namespace != 0:
        return None
    if anchor is None:  # it shows its target, without the colon that only keeps it a link
        shown = visible(unescape(written).strip().removeprefix(":").replace("_", " "))
    else:
        shown = anchor_text(anchor, work)
    return Link(title.text, shown) if shown else None
