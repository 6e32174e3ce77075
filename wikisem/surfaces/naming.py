"""From items to surface forms: the most frequent anchor of links to an item's page, or the recipe's fallback."""

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.buckets import hash_strings, sort_by
from wikisem.arrow.columns import MapLookup, qid_numbers
from wikisem.recipes.options import SurfaceOptions
from wikisem.records import Counts
from wikisem.schemas import ITEM_NAMES, SURFACES
from wikisem.surfaces import cleaning
from wikisem.surfaces.link_counts import lower_first
from wikisem.wikipedia.variants import variant_of
from wikisem.wikis import label_codes, name_codes, wiki_of

# What is sent of an item to the bucket of its page: title and label in the language, either of which may be null, and
# the code of a label that is not of the language itself.
ITEMS: Final = pa.schema(
    [("qid", pa.string()), ("title", pa.string()), ("label", pa.string()), ("label_language", pa.string())]
)

# The columns of a chosen anchor.
_EVIDENCE: Final = ("surface", "count", "total", "links")


class NamedItems:
    """Entities whose titles and labels are looked up in many languages."""

    def __init__(self, entities: pa.Table) -> None:
        self._qids = entities["qid"].combine_chunks()
        self._titles, self._labels = MapLookup(entities["titles"]), MapLookup(entities["labels"])

    def of(self, language: str, variant: str = "") -> pa.Table:
        """Return the items that have a page in the language's wiki, if it has one, or a label, as ITEMS.

        A label in the variant goes before others of the language. Titles are in NFC, as the titles of pages are.
        """
        label, code = cleaning.first_label(self._labels, name_codes(language, variant))
        own_codes = pa.array(label_codes(language, variant), pa.string())
        foreign = pc.if_else(pc.is_in(code, value_set=own_codes), None, code)
        title = cleaning.compose(self._titles.lookup(wiki_of(language) or ""))
        items = pa.table([self._qids, title, label, foreign], schema=ITEMS)
        return items.filter(pc.or_(title.is_valid(), label.is_valid()))


def hash_names(items: pa.Table, entities: pa.Table, language: str, options: SurfaceOptions) -> pa.Table:
    """Return the labels of ITEMS, and the aliases in the language or under ``mul`` of their entities, as ITEM_NAMES.

    Each is hashed as the surface form that a label would be; of entities without a sitelink there are none.
    """
    linked = entities.filter(pc.greater(entities["sitelinks"], 0))
    qids, aliases = linked["qid"].combine_chunks(), MapLookup(linked["aliases"])
    variant = variant_of(options.variant, language)
    columns = ["qid", "label", "label_language"]
    labels = [items.filter(pc.is_in(items["qid"], value_set=qids)).select(columns)]
    for code in name_codes(language, variant):
        lists = aliases.lookup(code)
        texts, owners = cleaning.tidy(lists.flatten()), qids.take(pc.list_parent_indices(lists))
        is_own = code in label_codes(language, variant)
        codes = pa.nulls(len(texts), pa.string()) if is_own else pa.repeat(code, len(texts))
        labels.append(pa.table([owners, texts, codes], columns))
    names = pa.concat_tables(labels)
    # As the surface form that a label would be; what would have none is no name.
    names = names.set_column(1, "label", _fallbacks(names, options, variant)).drop_columns("label_language").drop_null()
    sitelinks = linked["sitelinks"].take(pc.index_in(names["qid"], value_set=qids))
    hashes = hash_strings(names["label"].combine_chunks())
    table = pa.table([qid_numbers(names["qid"]), sitelinks, hashes], schema=ITEM_NAMES)
    return table.group_by(ITEM_NAMES.names, use_threads=False).aggregate([])  # each once


def sort_items(items: pa.Table) -> pa.Table:
    """Rows in the order of the numbers of their QIDs."""
    digits = items.append_column("digits", pc.binary_length(items["qid"]))
    return sort_by(digits, [("digits", "ascending"), ("qid", "ascending")]).select(items.column_names)


def name_items(items: pa.Table, chosen: pa.Table, titled: pa.Table, options: SurfaceOptions, language: str) -> pa.Table:
    """Return the columns of SURFACES for ITEMS, in their order, and ``refused``, why an item's anchor was refused.

    ``chosen`` and ``titled`` (CHOSEN_ANCHORS) hold the most frequent anchor of each page that has one, and the anchor
    that is its title. ``surface`` is null for an item without a surface form. For a fallback, count and total
    are 0 and links is null.
    """
    variant = variant_of(options.variant, language)
    anchor = _of_pages(items, chosen)
    form, form_source = anchor, pc.if_else(anchor["surface"].is_valid(), "anchor", None)
    if options.form == "dictionary":
        form, form_source = _dictionary_forms(items, anchor, _of_pages(items, titled), variant)

    # Why the form is refused; of several reasons the last one here. Links to the page and P(s | page) are those of the
    # most frequent anchor: if they are low, the page is rare or has no settled name. P(page | s) is that of the form
    # that would be shown.
    page_share = pc.divide(pc.cast(form["count"], "float64"), form["links"])
    refusals = {
        "script": _in_other_script(form["surface"], options, language),
        "low-page-share": pc.less(page_share, options.minimum_page_share),
        "low-share": pc.less(pc.divide(pc.cast(anchor["count"], "float64"), anchor["total"]), options.minimum_share),
        "few-links": pc.less(anchor["total"], options.minimum_total),
    }
    refused: pa.Scalar | pa.ChunkedArray = pa.scalar(None, pa.string())
    for reason, refuses in refusals.items():
        refused = pc.if_else(pc.fill_null(refuses, False), reason, refused)

    fallback = _fallbacks(items, options, variant)
    stray = _in_other_script(fallback, options, language)

    keeps = pc.and_(form["surface"].is_valid(), refused.is_null())
    surface = pc.if_else(keeps, form["surface"], pc.if_else(stray, None, fallback))
    source = pc.if_else(keeps, form_source, options.fallback)
    is_anchor = pc.equal(source, "anchor")
    count, total = (pc.if_else(is_anchor, form[name], 0) for name in ("count", "total"))
    links, page_share = (pc.if_else(is_anchor, column, None) for column in (form["links"], page_share))
    # ``take``, because if_else of a slice that is all null makes an invalid column in pyarrow 16 to 20 (2026-11).
    from_label = pc.if_else(pc.equal(source, "label"), pa.array(np.arange(len(items))), None)
    label_language = items["label_language"].take(from_label)
    columns = [items["qid"], items["title"], surface, count, total, source, links, page_share, label_language]
    reasons = pc.coalesce(refused, pc.if_else(pc.and_not(stray, keeps), "script", None))
    return pa.table(columns, schema=SURFACES).append_column("refused", reasons)


def _fallbacks(items: pa.Table, options: SurfaceOptions, variant: str) -> pa.ChunkedArray:
    """The label or the title of each item, in the variant; labels of other languages stay as they are."""
    if options.fallback == "title":
        return cleaning.write_in(variant, cleaning.tidy(cleaning.without_parenthesis(items["title"])))
    if options.fallback == "none":
        return pa.chunked_array([pa.nulls(items.num_rows, pa.string())])
    labels = cleaning.without_parenthesis(items["label"]) if options.clean_labels else items["label"]
    return pc.if_else(items["label_language"].is_null(), cleaning.write_in(variant, labels), labels)


def _of_pages(items: pa.Table, anchors: pa.Table) -> pa.Table:
    """The evidence for the page of each item, from a table with one anchor for each page; null where it has none."""
    rows = pc.index_in(items["title"], value_set=anchors["title"].combine_chunks(), skip_nulls=True)
    return anchors.select(_EVIDENCE).take(rows)


def _dictionary_forms(
    items: pa.Table, anchor: pa.Table, titled: pa.Table, variant: str
) -> tuple[pa.Table, pa.ChunkedArray]:
    """The title in place of each anchor that is another form of it; its source is "title" where no link shows it."""
    plain = cleaning.write_in(variant, cleaning.without_parenthesis(items["title"]))
    differs = pc.and_(
        pc.not_equal(lower_first(anchor["surface"]), lower_first(plain)),
        pc.fill_null(pc.not_equal(anchor["surface"], cleaning.write_in(variant, items["label"])), True),
    )
    pairs = zip(anchor["surface"].to_pylist(), plain.to_pylist(), differs.to_pylist(), strict=True)
    changed = pa.array(
        [bool(asked) and cleaning.is_form_of(surface, title) for surface, title, asked in pairs], pa.bool_()
    )
    columns = [pc.if_else(changed, titled[name], anchor[name]) for name in _EVIDENCE]
    source = pc.if_else(pc.and_(changed, pc.equal(titled["count"], 0)), "title", "anchor")
    return pa.table(columns, names=list(_EVIDENCE)), pc.if_else(anchor["surface"].is_valid(), source, None)


def _in_other_script(surfaces: pa.ChunkedArray, options: SurfaceOptions, language: str) -> pa.Array:
    if not options.script:
        return pa.repeat(False, len(surfaces))
    is_own = cleaning.own_script(language).fullmatch
    return pa.array([text is not None and is_own(text) is None for text in surfaces.to_pylist()], pa.bool_())


def count_items(named: pa.Table) -> tuple[Counts, dict[str, int]]:
    """Count the items that were kept, and left out because their anchor was refused or they have no page or no link.

    Also count the refusals by reason, including those of items that a fallback named.
    """
    left_out = named.filter(named["surface"].is_null())
    lacking = pc.if_else(left_out["title"].is_valid(), "no-name", "no-page")
    reasons, refusals = (
        {pair["values"]: pair["counts"] for pair in pc.value_counts(column).to_pylist()}
        for column in (pc.coalesce(left_out["refused"], lacking), pc.drop_null(named["refused"]))
    )
    return Counts(len(named), len(named) - len(left_out), dict(sorted(reasons.items()))), refusals
