"""Distinct contents of brackets into targets and anchors, by column; the careful path reads the rest."""

from dataclasses import replace
from typing import Final

import ahocorasick_rs
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.links.contents import Rows, first_mark, slices, split_contents
from wikisem.links.letters import changes_width, first_points, raise_first
from wikisem.links.positions import Mask, Places
from wikisem.links.single import read_anchor, read_escaped
from wikisem.schemas import MENTIONS
from wikisem.wikipedia.siteinfo import SiteInfo
from wikisem.wikipedia.titles import LONGEST, leads_away
from wikisem.wikipedia.wikitext import SPACES, UNSEEN

_SPACE: Final = ord(" ")
# Those that a template, or the end of a link, is made of: they may change where a title ends.
_BRACKETS: Final = list(b"{}[]")
_MARKUP: Final = ("&", "''", "{", "}", "[", "]", "%", "_", "  ", "./", "/.", "//", "~~~", "\x7f", "\ufffd")
_ODD: Final = ahocorasick_rs.BytesAhoCorasick(
    [odd.encode() for odd in (*_MARKUP, *SPACES, *UNSEEN)],
    implementation=ahocorasick_rs.Implementation.ContiguousNFA,
)


def read_contents(contents: pa.Array, counts: Places, site: SiteInfo) -> pa.Table:
    """Distinct contents of innermost brackets, as XML in UTF-8, and their counts, into mentions (title, anchor, count).

    Links that lead to no article, or show nothing, leave no row; a link has a row for
    each way in which it was written, since whoever merges chunks sums up anyway.
    """
    if not len(contents):
        return MENTIONS.empty_table()
    rows = split_contents(contents)
    away, unclear = _prefixes(rows, site)
    odd, odd_anchors = _odd(rows, site)
    odd |= unclear
    clear = ~away & ~odd & (rows.titles > rows.starts) & (rows.bars + 1 != rows.ends)
    plain, marked = np.flatnonzero(clear & ~odd_anchors), np.flatnonzero(clear & odd_anchors)
    titles = _titles(rows, np.flatnonzero(clear), site)
    parts = [
        _mentions(titles, plain, _anchors(rows, plain), counts),
        _mentions(titles, marked, _read_anchors(_anchors(rows, marked)), counts),
        _careful(contents, np.flatnonzero(odd & ~away), counts, site),
    ]
    return pa.concat_tables(parts)


def _odd(rows: Rows, site: SiteInfo) -> tuple[Mask, Mask]:
    """Which rows the columns cannot read, and of which they can read the title but not the anchor."""
    hits = np.array([start for _, start, _ in _ODD.find_matches_as_indexes(rows.data)], np.int64)
    hit_rows = np.searchsorted(rows.ends, hits, side="right")
    in_anchor = (hits > rows.bars[hit_rows]) & ~np.isin(rows.data[hits], _BRACKETS)
    odd, odd_anchors = (np.zeros(len(rows.starts), np.bool_) for _ in range(2))
    odd[hit_rows[~in_anchor]] = odd_anchors[hit_rows[in_anchor]] = True
    piped = rows.bars < rows.ends
    last = rows.at(rows.ends - 1) == _SPACE
    odd_anchors |= piped & (last | (rows.at(rows.bars + 1) == _SPACE))
    odd |= (rows.at(rows.starts) == _SPACE) | (rows.at(rows.titles - 1) == _SPACE) | (last & ~piped)
    odd |= np.isin(rows.data[rows.starts], list(b"./"))
    odd |= rows.titles - rows.starts > LONGEST
    odd |= changes_width(first_points(rows.data, rows.starts), site.language) & site.first_letter
    return odd, odd_anchors


def _prefixes(rows: Rows, site: SiteInfo) -> tuple[Mask, Mask]:
    """Which rows lead away from the articles of this wiki by their prefix, and of which a prefix cannot say.

    A colon in front keeps a link to a category a link, and leads nowhere else.
    """
    unclear = rows.at(rows.starts) == ord(":")
    starts = rows.starts + unclear
    colons = first_mark(rows.data == ord(":"), starts, rows.titles)
    with_prefix = np.flatnonzero(colons < rows.titles)
    encoded = slices(rows.data, starts[with_prefix], colons[with_prefix], pa.string()).dictionary_encode()
    verdicts = [leads_away(prefix, site) for prefix in encoded.dictionary.to_pylist()]
    away = np.zeros(len(rows.starts), np.bool_)
    codes = encoded.indices.to_numpy()
    away[with_prefix] = np.array([verdict is True for verdict in verdicts], np.bool_)[codes]
    unclear[with_prefix] |= np.array([verdict is None for verdict in verdicts], np.bool_)[codes]
    return away, unclear


def _titles(rows: Rows, chosen: Places, site: SiteInfo) -> Rows:
    """The rows, with the first letters of the chosen ones as the wiki has them in titles."""
    if not site.first_letter:
        return rows
    data = rows.data.copy()
    raise_first(data, rows.starts[chosen], site.language)
    return replace(rows, data=data)


def _anchors(rows: Rows, chosen: Places) -> pa.Array:
    starts, ends, bars = rows.starts[chosen], rows.ends[chosen], rows.bars[chosen]
    return slices(rows.data, np.where(bars < ends, bars + 1, starts), ends, pa.string())


def _read_anchors(anchors: pa.Array) -> pa.Array:
    return pa.array([read_anchor(anchor) for anchor in anchors.to_pylist()], pa.string())


def _mentions(titles: Rows, chosen: Places, anchors: pa.Array, counts: Places) -> pa.Table:
    """Mentions of the chosen rows; those that show nothing leave no row."""
    texts = slices(titles.data, titles.starts[chosen], titles.titles[chosen], pa.string())
    mentions = pa.table([texts, anchors, counts[chosen]], schema=MENTIONS)
    return mentions if anchors.null_count == 0 else mentions.filter(pc.is_valid(mentions["anchor"]))


def _careful(contents: pa.Array, chosen: Places, counts: Places, site: SiteInfo) -> pa.Table:
    links = [read_escaped(content, site) for content in contents.take(pa.array(chosen)).to_pylist()]
    found = [
        (link.target, link.anchor, count) for link, count in zip(links, counts[chosen].tolist(), strict=True) if link
    ]
    return pa.table([list(column) for column in zip(*found, strict=True)] or [[], [], []], schema=MENTIONS)
