"""The anchor dictionary of a wiki, from counted links to the surface form of a page: τ = argmax over s of P(s | page).

All functions are pure and work on Arrow columns. "Mentions" are rows of ``schemas.MENTIONS`` (title, anchor, count),
"redirects" rows of ``schemas.REDIRECTS`` (source, target).
"""

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.buckets import add_up
from wikisem.arrow.ordering import sort_by
from wikisem.schemas import MENTIONS, REDIRECTS
from wikisem.surfaces.cleaning import without_parenthesis
from wikisem.surfaces.one_script import write_in

# The most frequent anchors of pages; a page with several is tied.
TOP_ANCHORS: Final = pa.schema(
    [("title", pa.string()), ("surface", pa.string()), ("count", pa.int64()), ("total", pa.int64())]
)
_LAST: Final = [("surface", "ascending")]
ANCHOR_TOTALS: Final = pa.schema([("anchor", pa.string()), ("count", pa.int64())])
# One anchor of each page, with ``links``, the number of links of the whole wiki that have it.
CHOSEN_ANCHORS: Final = TOP_ANCHORS.append(pa.field("links", pa.int64()))


def deduplicate_redirects(redirects: pa.Table) -> pa.Table:
    """Each redirect page once, by source; a redirect to itself is dropped.

    A source that came with several targets (parts of different dumps) keeps the first by code point.
    """
    elsewhere = redirects.filter(pc.not_equal(redirects["source"], redirects["target"]))
    ordered = sort_by(elsewhere.select(REDIRECTS.names), [("source", "ascending"), ("target", "ascending")])
    return _first_of_each(ordered, "source")


def follow_redirects(rows: pa.Table, redirects: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Rows whose ``title`` is that of a page, and rows whose title is a redirect, under the title it leads to.

    One step, as MediaWiki does: where a redirect leads to a redirect, a reader ends on the second redirect page and so
    do the rows (https://www.mediawiki.org/wiki/Help:Redirects, "Double redirects", 2026-11). A redirect to a section
    leads to the section's page, and one to a page that does not exist to the missing page's title.

    >>> links = pa.table({"title": ["Moon", "Luna"], "anchor": ["moon", "luna"], "count": [5, 2]})
    >>> direct, redirected = follow_redirects(links, pa.table({"source": ["Luna"], "target": ["Moon"]}))
    >>> redirected.to_pylist()
    [{'title': 'Moon', 'anchor': 'luna', 'count': 2}]
    >>> add_redirected(direct, redirected)["anchor"].to_pylist()
    ['moon', 'luna']
    """
    at = pc.index_in(rows["title"], value_set=redirects["source"].combine_chunks())
    is_redirect = at.is_valid()
    redirected = rows.filter(is_redirect)
    targets = redirects["target"].take(at.filter(is_redirect))
    column = redirected.schema.get_field_index("title")
    return rows.filter(pc.invert(is_redirect)), redirected.set_column(column, "title", targets)


def add_redirected(direct: pa.Table, redirected: pa.Table) -> pa.Table:
    """Summed mentions of pages, and those that redirects lead to them, as one summed table."""
    shared = pc.is_in(direct["title"], value_set=pc.unique(redirected["title"]))
    # To nearly all pages no redirect leads: their mentions need no second sum.
    return pa.concat_tables([direct.filter(pc.invert(shared)), add_up([direct.filter(shared), redirected], MENTIONS)])


def top_anchors(mentions: pa.Table, titles: pa.Array, minimum_count: int = 1, variant: str = "") -> pa.Table:
    """The most frequent anchors of each of the ``titles``, as TOP_ANCHORS sorted by title and surface.

    ``total`` counts all links to the page, those under rare anchors too. An anchor with fewer than ``minimum_count``
    links is never a top anchor. Where several have the same count and one is the page's title, it alone stays;
    ``break_ties`` decides between the others. ``variant`` is the one that all anchors are in, if they are in one.
    """
    of_titles = mentions.filter(pc.is_in(mentions["title"], value_set=titles))
    pages = of_titles.group_by("title", use_threads=False).aggregate([("count", "sum"), ("count", "max")])
    at = pc.index_in(of_titles["title"], value_set=pages["title"].combine_chunks())
    rows = of_titles.append_column("total", pages["count_sum"].take(at))
    most = pc.and_(pc.equal(rows["count"], pages["count_max"].take(at)), pc.greater_equal(rows["count"], minimum_count))
    top = rows.filter(most).rename_columns(["title", "surface", "count", "total"]).cast(TOP_ANCHORS)
    return sort_by(_prefer_title(top, variant), [("title", "ascending"), ("surface", "ascending")])


def _prefer_title(top: pa.Table, variant: str) -> pa.Table:
    """Where one of a page's anchors is its title, that one alone."""
    is_title = pc.equal(write_in(variant, top["title"]), top["surface"])
    decided = pc.is_in(top["title"], value_set=top["title"].filter(is_title).combine_chunks())
    return top.filter(pc.or_(is_title, pc.invert(decided)))


def title_anchors(mentions: pa.Table, titles: pa.Array, variant: str = "") -> pa.Table:
    """For each of the ``titles`` that is linked, the title itself as TOP_ANCHORS, with its links as an anchor.

    The title's trailing parenthesis and the case of its first letter do not count; the most frequent such anchor is
    taken, then the first by code point. Where there is none, it is the title without parenthesis, with a count of 0.

    >>> pages, anchors = ["Oak (tree)", "Oak (tree)", "Elm"], ["oaks", "oak", "elms"]
    >>> links = pa.table({"title": pages, "anchor": anchors, "count": [5, 2, 3]})
    >>> [(row["surface"], row["count"]) for row in title_anchors(links, pa.array(["Oak (tree)", "Elm"])).to_pylist()]
    [('Elm', 0), ('oak', 2)]
    """
    of_titles = mentions.filter(pc.is_in(mentions["title"], value_set=titles))
    plain = write_in(variant, without_parenthesis(of_titles["title"]))
    is_title = pc.equal(lower_first(of_titles["anchor"]), lower_first(plain))
    pages = of_titles.group_by("title", use_threads=False).aggregate([("count", "sum")])
    total = pages["count_sum"].take(pc.index_in(of_titles["title"], value_set=pages["title"].combine_chunks()))
    surface, count = pc.if_else(is_title, of_titles["anchor"], plain), pc.if_else(is_title, of_titles["count"], 0)
    table = pa.table([of_titles["title"], surface, count, total], schema=TOP_ANCHORS)
    return _first_of_each(sort_by(table, [("title", "ascending"), ("count", "descending"), *_LAST]), "title")


def break_ties(top: pa.Table, totals: pa.Table) -> pa.Table:
    """One anchor for each page, as CHOSEN_ANCHORS: that with the highest P(page | s), then the first by code point.

    ``totals`` (ANCHOR_TOTALS) holds how many links of the whole wiki have each of the anchors. Tied anchors have the
    same count, so that the highest P(page | s) = count / total(s) is the lowest total(s).
    """
    ordered = sort_by(add_links(top, totals), [("title", "ascending"), ("links", "ascending"), *_LAST])
    return _first_of_each(ordered, "title")


def add_links(anchors: pa.Table, totals: pa.Table) -> pa.Table:
    """TOP_ANCHORS as CHOSEN_ANCHORS, by what ``totals`` (ANCHOR_TOTALS) holds; null for an anchor that it lacks."""
    at = pc.index_in(anchors["surface"], value_set=totals["anchor"].combine_chunks())
    return anchors.append_column("links", totals["count"].take(at)).cast(CHOSEN_ANCHORS)


def lower_first(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Strings with their first letter in lower case."""
    first, rest = pc.utf8_slice_codeunits(texts, 0, 1), pc.utf8_slice_codeunits(texts, 1)
    return pc.binary_join_element_wise(pc.utf8_lower(first), rest, "")


def _first_of_each(ordered: pa.Table, column: str) -> pa.Table:
    """The first of the rows that share a value in a column that the table is sorted by."""
    values = ordered[column].combine_chunks()
    if len(values) < 2:
        return ordered
    changes = pc.not_equal(values[1:], values[:-1])
    return ordered.filter(pa.concat_arrays([pa.array([True]), changes]))
