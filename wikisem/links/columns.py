"""Distinct contents of brackets into targets and anchors, by column; the careful path reads the rest."""

from dataclasses import dataclass
from typing import Final

import ahocorasick_rs
import numpy as np
import pyarrow as pa

from wikisem.links.careful import read_escaped
from wikisem.links.contents import layout, slices
from wikisem.links.letters import changes_width, first_points, raise_first
from wikisem.links.marks import Bytes, Mask, Places
from wikisem.mediawiki import SiteInfo
from wikisem.schemas import MENTIONS
from wikisem.titles import LONGEST, leads_away
from wikisem.wikitext import SPACES, UNSEEN

_SPACE: Final = ord(" ")
_MARKUP: Final = ("&", "''", "{", "}", "[", "]", "%", "_", "  ", "./", "/.", "//", "~~~", "\x7f", "\ufffd")
_ODD: Final = ahocorasick_rs.BytesAhoCorasick(
    [odd.encode() for odd in (*_MARKUP, *SPACES, *UNSEEN)],
    implementation=ahocorasick_rs.Implementation.ContiguousNFA,
)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Contents in one run of bytes: where each starts and ends, its first bar, and where its title ends."""

    data: Bytes
    starts: Places
    ends: Places
    bars: Places
    titles: Places

    def at(self, places: Places) -> Bytes:
        """The byte at a place of each row, 0 where the row has none."""
        inside = (places >= self.starts) & (places < self.ends)
        return np.where(inside, self.data[np.where(inside, places, -1)], 0).astype(np.uint8)


def read_contents(contents: pa.Array, counts: Places, site: SiteInfo) -> pa.Table:
    """Distinct contents of innermost brackets, as XML in UTF-8, and their counts, into mentions (title, anchor, count).

    Links that lead to no article, or show nothing, leave no row; a link has a row for
    each way in which it was written, since whoever merges chunks sums up anyway.
    """
    if not len(contents):
        return MENTIONS.empty_table()
    rows = _split(contents)
    away, unclear = _prefixes(rows, site)
    odd = unclear | _odd(rows, site)
    plain = ~away & ~odd & (rows.titles > rows.starts) & (rows.bars + 1 != rows.ends)
    parts = [
        _plain(rows, np.flatnonzero(plain), counts, site),
        _careful(contents, np.flatnonzero(odd & ~away), counts, site),
    ]
    return pa.concat_tables(parts)


def _split(contents: pa.Array) -> _Rows:
    offsets, data = layout(contents)
    data = np.append(data, np.uint8(0))  # so that every row starts somewhere, empty ones too
    starts, ends = offsets[:-1].astype(np.int64), offsets[1:].astype(np.int64)
    bars = _first(data == ord("|"), starts, ends)
    return _Rows(data, starts, ends, bars, np.minimum(_first(data == ord("#"), starts, ends), bars))


def _first(mask: Mask, starts: Places, ends: Places) -> Places:
    """The first marked place of each row, its end where there is none."""
    places = np.flatnonzero(mask)
    following = np.append(places, np.iinfo(np.int64).max)[np.searchsorted(places, starts)]
    first: Places = np.minimum(following, ends)
    return first


def _odd(rows: _Rows, site: SiteInfo) -> Mask:
    """Which rows the columns cannot read."""
    hits = np.array([start for _, start, _ in _ODD.find_matches_as_indexes(rows.data)], np.int64)
    odd = np.zeros(len(rows.starts), np.bool_)
    odd[np.searchsorted(rows.ends, hits, side="right")] = True
    for place in (rows.starts, rows.titles - 1, rows.bars + 1, rows.ends - 1):
        odd |= rows.at(place) == _SPACE
    odd |= np.isin(rows.data[rows.starts], list(b"./"))
    odd |= rows.titles - rows.starts > LONGEST
    return odd | (changes_width(first_points(rows.data, rows.starts), site.language) & site.first_letter)


def _prefixes(rows: _Rows, site: SiteInfo) -> tuple[Mask, Mask]:
    """Which rows lead away from the articles of this wiki by their prefix, and of which a prefix cannot say."""
    colons = _first(rows.data == ord(":"), rows.starts, rows.titles)
    with_prefix = np.flatnonzero(colons < rows.titles)
    encoded = slices(rows.data, rows.starts[with_prefix], colons[with_prefix], pa.string()).dictionary_encode()
    verdicts = [leads_away(prefix, site) for prefix in encoded.dictionary.to_pylist()]
    away, unclear = (np.zeros(len(rows.starts), np.bool_) for _ in range(2))
    codes = encoded.indices.to_numpy()
    away[with_prefix] = np.array([verdict is True for verdict in verdicts], np.bool_)[codes]
    unclear[with_prefix] = np.array([verdict is None for verdict in verdicts], np.bool_)[codes]
    return away, unclear


def _plain(rows: _Rows, chosen: Places, counts: Places, site: SiteInfo) -> pa.Table:
    starts, ends, bars = rows.starts[chosen], rows.ends[chosen], rows.bars[chosen]
    anchors = slices(rows.data, np.where(bars < ends, bars + 1, starts), ends, pa.string())
    data = rows.data
    if site.first_letter:
        data = data.copy()
        raise_first(data, starts, site.language)
    titles = slices(data, starts, rows.titles[chosen], pa.string())
    return pa.table([titles, anchors, counts[chosen]], schema=MENTIONS)


def _careful(contents: pa.Array, chosen: Places, counts: Places, site: SiteInfo) -> pa.Table:
    links = [read_escaped(content, site) for content in contents.take(pa.array(chosen)).to_pylist()]
    found = [
        (link.target, link.anchor, count) for link, count in zip(links, counts[chosen].tolist(), strict=True) if link
    ]
    return pa.table([list(column) for column in zip(*found, strict=True)] or [[], [], []], schema=MENTIONS)
