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

# A surface form that may be the argmax of its page; a page with several is tied.
CANDIDATES: Final = pa.schema(
    [("title", pa.string()), ("surface", pa.string()), ("count", pa.int64()), ("total", pa.int64())]
)
ANCHOR_TOTALS: Final = pa.schema([("anchor", pa.string()), ("count", pa.int64())])


def settle_redirects(redirects: pa.Table) -> pa.Table:
    """Each redirect page once, by source; a page that names itself leads nowhere and is dropped.

    A source that came with several targets (parts of different dumps) keeps the first by code point.
    """
    elsewhere = redirects.filter(pc.not_equal(redirects["source"], redirects["target"]))
    ordered = sort_by(elsewhere.select(REDIRECTS.names), [("source", "ascending"), ("target", "ascending")])
    return _first_of_each(ordered, "source")


def follow_redirects(rows: pa.Table, redirects: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Rows whose ``title`` is a page of its own, and rows that a redirect moves, under the title it names.

    One step, as MediaWiki does: where a redirect leads to a redirect, a reader ends on the second redirect page and so
    do the rows (https://www.mediawiki.org/wiki/Help:Redirects, "Double redirects", 2026-11). A redirect to a section
    moves rows to the section's page, and one to a page that does not exist moves them to the missing page's title.
    """
    at = pc.index_in(rows["title"], value_set=redirects["source"].combine_chunks())
    moves = at.is_valid()
    moved = rows.filter(moves)
    titles = redirects["target"].take(at.filter(moves))
    return rows.filter(pc.invert(moves)), moved.set_column(moved.schema.get_field_index("title"), "title", titles)


def merge_moved(stayed: pa.Table, moved: pa.Table) -> pa.Table:
    """Summed mentions of pages of their own, and mentions that redirects moved to them, as one summed table."""
    met = pc.is_in(stayed["title"], value_set=pc.unique(moved["title"]))
    # Nearly all titles meet nothing that moved: they need no second sum.
    return pa.concat_tables([stayed.filter(pc.invert(met)), add_up([stayed.filter(met), moved], MENTIONS)])


def leading(mentions: pa.Table, titles: pa.Array, minimum_count: int = 1) -> pa.Table:
    """The most frequent anchors of each of the ``titles``, as CANDIDATES sorted by title and surface.

    ``total`` counts all links to the page, those under rare anchors too. An anchor with fewer than ``minimum_count``
    links is no candidate. Where several have the same count and one is the page's title, it alone stays; the others
    wait for ``break_ties``.
    """
    of_titles = mentions.filter(pc.is_in(mentions["title"], value_set=titles))
    pages = of_titles.group_by("title", use_threads=False).aggregate([("count", "sum"), ("count", "max")])
    at = pc.index_in(of_titles["title"], value_set=pages["title"].combine_chunks())
    rows = of_titles.append_column("total", pages["count_sum"].take(at))
    most = pc.and_(pc.equal(rows["count"], pages["count_max"].take(at)), pc.greater_equal(rows["count"], minimum_count))
    candidates = rows.filter(most).rename_columns(["title", "surface", "count", "total"]).cast(CANDIDATES)
    return sort_by(_prefer_title(candidates), [("title", "ascending"), ("surface", "ascending")])


def _prefer_title(candidates: pa.Table) -> pa.Table:
    """Without the rivals of a surface form that is the page's title."""
    same = pc.equal(candidates["title"], candidates["surface"])
    settled = pc.is_in(candidates["title"], value_set=candidates["title"].filter(same).combine_chunks())
    return candidates.filter(pc.or_(same, pc.invert(settled)))


def tied_anchors(candidates: pa.Table) -> pa.Array:
    """The surface forms of pages that have more than one candidate, each once, sorted."""
    pages = candidates.group_by("title", use_threads=False).aggregate([("surface", "count")])
    tied = pages["title"].filter(pc.greater(pages["surface_count"], 1)).combine_chunks()
    surfaces = pc.unique(candidates["surface"].filter(pc.is_in(candidates["title"], value_set=tied)))
    return surfaces.take(pc.sort_indices(surfaces))


def break_ties(candidates: pa.Table, totals: pa.Table) -> pa.Table:
    """One candidate for each page: the one with the highest P(page | s), then the first by code point.

    ``totals`` (ANCHOR_TOTALS) must hold how many links of the whole wiki have each tied anchor. Tied candidates have
    the same count, so that the highest P(page | s) = count / total(s) is the lowest total(s).
    """
    at = pc.index_in(candidates["surface"], value_set=totals["anchor"].combine_chunks())
    spread = pc.fill_null(totals["count"].take(at), 0)  # null for a page without a tie, which needs no total
    order = [("title", "ascending"), ("spread", "ascending"), ("surface", "ascending")]
    ordered = sort_by(candidates.append_column("spread", spread), order)
    return _first_of_each(ordered.select(CANDIDATES.names), "title")


def _first_of_each(ordered: pa.Table, column: str) -> pa.Table:
    """The first of the rows that share a value in a column that the table is sorted by."""
    values = ordered[column].combine_chunks()
    if len(values) < 2:
        return ordered
    changes = pc.not_equal(values[1:], values[:-1])
    return ordered.filter(pa.concat_arrays([pa.array([True]), changes]))
