"""From items to surface forms: the anchor that most often links to the page, else the recipe's fallback, else none."""

from collections.abc import Sequence
from typing import Final, Literal

import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.ordering import sort_by
from wikisem.records import Counts
from wikisem.schemas import SURFACES

Fallback = Literal["none", "label", "title"]

# What is sent of an item to its page's bucket: page title and label in the language, either of which may be null.
ITEMS: Final = pa.schema([("qid", pa.string()), ("title", pa.string()), ("label", pa.string())])

# "Rīga (pilsieta)" names Rīga. CJK titles may use the full-width signs, as MediaWiki's own pipe trick allows
# (Parser::pstPass2, MediaWiki 1.43, 2026-11).
_TRAILING_PARENTHESIS: Final = r"[ \x{3000}]*[(（][^()（）]*[)）]$"


def items_of(entities: pa.Table, wiki: str, languages: Sequence[str]) -> pa.Table:
    """The items that have a page in the wiki or a label in the first of the languages that has one, as ITEMS."""
    labels = [_value_of(entities["labels"], code) for code in languages]
    label = _tidy(pc.coalesce(*labels))
    title = _value_of(entities["titles"], wiki)
    items = pa.table([entities["qid"], title, label], schema=ITEMS)
    return items.filter(pc.or_(title.is_valid(), label.is_valid()))


def _value_of(column: pa.ChunkedArray, key: str) -> pa.ChunkedArray:
    return pc.map_lookup(column, pa.scalar(key), "first")


def _tidy(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Each run of white space as one space and none at the ends, as anchors have it; null where nothing is left."""
    tidy = pc.utf8_trim_whitespace(pc.replace_substring_regex(texts, r"[\s\pZ]+", " "))
    return pc.if_else(pc.equal(tidy, ""), None, tidy)


def sort_items(items: pa.Table) -> pa.Table:
    """The items by the number of their QID."""
    digits = items.append_column("digits", pc.binary_length(items["qid"]))
    return sort_by(digits, [("digits", "ascending"), ("qid", "ascending")]).select(ITEMS.names)


def surfaces_of(items: pa.Table, chosen: pa.Table, fallback: Fallback) -> pa.Table:
    """The rows of SURFACES for ITEMS, in their order; an item without a surface form has no row.

    ``chosen`` (TOP_ANCHORS) holds one anchor for each page that has any. For a fallback, count and total are 0.
    """
    at = pc.index_in(items["title"], value_set=chosen["title"].combine_chunks(), skip_nulls=True)
    linked = at.is_valid()
    surface = pc.coalesce(chosen["surface"].take(at), _fall_back(items, fallback))
    numbers = [pc.fill_null(chosen[name].take(at), 0) for name in ("count", "total")]
    source = pc.if_else(linked, "anchor", fallback)
    rows = pa.table([items["qid"], items["title"], surface, *numbers, source], schema=SURFACES)
    return rows.filter(surface.is_valid())


def count_items(items: pa.Table, surfaces: pa.Table) -> Counts:
    """What became of the items: kept, or left out for lack of a page or of any surface form."""
    left_out = items.filter(pc.invert(pc.is_in(items["qid"], value_set=surfaces["qid"].combine_chunks())))
    pages = len(left_out) - left_out["title"].null_count
    reasons = {"no-name": pages, "no-page": len(left_out) - pages}
    return Counts(len(items), len(surfaces), {reason: count for reason, count in reasons.items() if count})


def _fall_back(items: pa.Table, fallback: Fallback) -> pa.ChunkedArray:
    if fallback == "label":
        return items["label"]
    if fallback == "title":
        return plain_title(items["title"])
    return pa.chunked_array([pa.nulls(items.num_rows, pa.string())])


def plain_title(titles: pa.ChunkedArray) -> pa.ChunkedArray:
    """Titles without a trailing parenthesis; a title that is nothing else stays as it is."""
    plain = pc.replace_substring_regex(titles, _TRAILING_PARENTHESIS, "")
    return pc.if_else(pc.equal(plain, ""), titles, plain)
