"""The anchor dictionary of a wiki: from counted links to the surface form of a page, τ = argmax over s of P(s | page).

All functions work on Arrow columns. "Mentions" are rows of ``schemas.MENTIONS`` (title, anchor, count), "redirects"
rows of ``schemas.REDIRECTS`` (source, target). ``count_links`` does the whole of it for one dump file.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.buckets import hash_strings, sort_by, sort_mentions, sum_rows
from wikisem.arrow.columns import MapLookup, Numbers, distinct, is_in, qid_numbers, union
from wikisem.dumps import Damage, Range, plan_ranges, read_records
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.links import scan
from wikisem.links.markup import Positions
from wikisem.recipes.options import SurfaceOptions
from wikisem.records import Counts, UnreadableRecord, report_unreadable
from wikisem.schemas import ITEM_NAMES, MENTIONS, NAMES, REDIRECTS, SURFACES
from wikisem.surfaces import cleaning
from wikisem.wikipedia.languages import SiteInfo, language_profile
from wikisem.wikipedia.variants import TitleVariants, conversion_of, variant_of
from wikisem.wikipedia.xml_pages import find_siteinfo
from wikisem.wikis import known_language, label_codes, name_codes, wiki_of

_OnUnreadable = Callable[[UnreadableRecord], object] | None


def count_links(
    path: str | PathLike[str],
    language: str,
    *,
    link_trail: bool = False,
    on_unreadable: Callable[[UnreadableRecord], object] | None = None,
) -> pa.Table:
    """Count the links of one Wikipedia dump file (.xml, .bz2, .gz, .zst): a table of ``title``, ``anchor``, ``count``.

    These are the rows of the mentions stage, made in memory without Beam, by title, then the most frequent anchor
    first. Redirects are resolved, and so are titles in another script of the wiki (Chinese ones if OpenCC is
    installed). If a page comes more than once, the newest revision counts. ``link_trail`` counts ``[[bus]]es`` as
    "buses". ``on_unreadable`` is called with each page that could not be read; without it, the first one raises
    DamagedInputError. Raises MissingInputError if there is no file, DamagedInputError if it is not a dump.
    """
    file = fspath(path)
    try:
        ranges = plan_ranges(file)
    except FileNotFoundError as error:
        raise MissingInputError(f"expected a dump file, saw none at {file}") from error
    code = known_language(language)
    profile, head = language_profile(code), find_siteinfo(file, ranges)
    if head is None:
        raise DamagedInputError(f"{file}: expected the head of a MediaWiki dump, saw none that can be decoded")
    site = replace(head, language=code, aliases=profile.namespace_aliases)
    trail = profile.link_trail if link_trail else ""
    parts = list(_scan(ranges, site, trail, on_unreadable, copies={}))
    versions, chunk = scan.in_parts(part.versions for part in parts)
    if (repeated := scan.superseded(versions, chunk)).any():
        # All is read again, without the copies that do not count; what is unreadable has been reported already.
        _, _, starts = versions
        copies = {number: starts[repeated & (chunk == number)] for number in distinct(chunk[repeated]).tolist()}
        parts = list(_scan(ranges, site, trail, lambda _: None, copies))
    redirects = pa.concat_tables([REDIRECTS.empty_table(), *(part.redirects for part in parts)])
    mentions = sum_rows([part.mentions for part in parts], MENTIONS)
    if conversion_of(code):
        pages = StringSet(union(hashes_of(part.titles) for part in parts))
        variants = TitleVariants(code, site.first_letter)
        mentions = convert_titles(mentions, "title", pages, variants)
        redirects = convert_titles(redirects, "target", pages, variants)
    redirected = follow_redirects(sum_rows([mentions], MENTIONS), deduplicate_redirects(redirects))
    return sort_mentions(add_redirected(*redirected))


def _scan(
    ranges: list[Range], site: SiteInfo, trail: str, on_unreadable: _OnUnreadable, copies: Mapping[int, Positions]
) -> Iterator[scan.ChunkLinks]:
    """Yield the links of each chunk; ``copies`` says where pages to leave out begin in the chunk of each number."""
    with_titles, number = bool(conversion_of(site.language)), -1
    for range_ in ranges:
        for chunk in read_records(range_, delimiter=scan.PAGE_END, chunk_bytes=scan.CHUNK_BYTES, closing=scan.DUMP_END):
            if isinstance(chunk, Damage):
                report_unreadable(UnreadableRecord(scan.STAGE, chunk.reason, chunk.where, chunk.detail), on_unreadable)
                continue
            number += 1
            data = scan.without_pages(chunk.data, copies.get(number, np.empty(0, np.int64)))
            links = scan.scan_chunk(data, site, trail, chunk.location, with_titles)
            for record in links.unreadable:
                report_unreadable(record, on_unreadable)
            yield links


def deduplicate_redirects(redirects: pa.Table) -> pa.Table:
    """Return each redirect page once, by source, with its first target by code point; none to itself."""
    elsewhere = redirects.filter(pc.not_equal(redirects["source"], redirects["target"]))
    ordered = sort_by(elsewhere.select(REDIRECTS.names), [("source", "ascending"), ("target", "ascending")])
    return _first_of_each(ordered, "source")


def follow_redirects(rows: pa.Table, redirects: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Rows whose ``title`` is no redirect, and rows whose title is one, under the title that it leads to.

    Only one step is followed, as in MediaWiki: if a redirect leads to a redirect, a reader ends on the second redirect
    page, and so do the rows (https://www.mediawiki.org/wiki/Help:Redirects, "Double redirects", 2026-11). A redirect to
    a section leads to the section's page, and one to a page that does not exist to the missing page's title.

    >>> links = pa.table({"title": ["Moon", "Luna"], "anchor": ["moon", "luna"], "count": [5, 2]})
    >>> direct, redirected = follow_redirects(links, pa.table({"source": ["Luna"], "target": ["Moon"]}))
    >>> redirected.to_pylist()
    [{'title': 'Moon', 'anchor': 'luna', 'count': 2}]
    >>> add_redirected(direct, redirected)["anchor"].to_pylist()
    ['moon', 'luna']
    """
    redirect = pc.index_in(rows["title"], value_set=redirects["source"].combine_chunks())
    is_redirect = redirect.is_valid()
    redirected = rows.filter(is_redirect)
    targets = redirects["target"].take(redirect.filter(is_redirect))
    column = redirected.schema.get_field_index("title")
    return rows.filter(pc.invert(is_redirect)), redirected.set_column(column, "title", targets)


def add_redirected(direct: pa.Table, redirected: pa.Table) -> pa.Table:
    """Summed mentions of pages, and those that redirects lead to them, as one summed table."""
    shared = pc.is_in(direct["title"], value_set=pc.unique(redirected["title"]))
    # Nearly all pages have no redirect that leads to them: their mentions need no second sum.
    return pa.concat_tables([direct.filter(pc.invert(shared)), sum_rows([direct.filter(shared), redirected], MENTIONS)])


@dataclass(frozen=True, slots=True)
class StringSet:
    """A set of titles or anchors as ascending hashes; one string in 10**12 or so that is not in the set matches one."""

    hashes: Numbers

    def has(self, strings: pa.StringArray) -> npt.NDArray[np.bool_]:
        """Return whether each string is in the set."""
        return is_in(hashes_of(strings), self.hashes)


def hashes_of(strings: pa.StringArray | Sequence[str]) -> Numbers:
    """Return the hash of each string, shape ``(n,)``."""
    array = strings if isinstance(strings, pa.Array) else pa.array(strings, pa.string())
    return hash_strings(array).view(np.int64)


def convert_titles(rows: pa.Table, column: str, pages: StringSet, variants: TitleVariants) -> pa.Table:
    """Replace each title in a column that is no page by the first of its variants (in another script) that is one.

    >>> pages = StringSet(union([hashes_of(["Ниш", "Novi Sad"])]))
    >>> links = pa.table({"title": ["Niš", "Novi Sad", "Sofija"], "count": [3, 2, 1]})
    >>> convert_titles(links, "title", pages, TitleVariants("sr"))["title"].to_pylist()
    ['Ниш', 'Novi Sad', 'Sofija']
    """
    distinct = pc.unique(rows[column])
    missing = distinct.filter(pa.array(~pages.has(distinct))).to_pylist()
    found: dict[str, str] = {}
    for written in variants.of(missing):
        for row in np.flatnonzero(pages.has(pa.array(written, pa.string()))).tolist():
            found.setdefault(missing[row], written[row])  # the first variant wins
    conversion = pc.index_in(rows[column], value_set=pa.array(list(found), pa.string()))
    converted = pc.coalesce(pa.array(list(found.values()), pa.string()).take(conversion), rows[column])
    return rows.set_column(rows.schema.get_field_index(column), column, converted)


# The most frequent anchors of pages; a page with several is tied.
TOP_ANCHORS: Final = pa.schema(
    [("title", pa.string()), ("surface", pa.string()), ("count", pa.int64()), ("total", pa.int64())]
)
PAGE_ITEMS: Final = pa.schema([("title", pa.string()), ("number", pa.int64())])
ANCHOR_TOTALS: Final = pa.schema([("anchor", pa.string()), ("count", pa.int64())])
# One anchor of each page, with ``links``, the number of links of the whole wiki that have it.
CHOSEN_ANCHORS: Final = TOP_ANCHORS.append(pa.field("links", pa.int64()))
_LAST: Final = [("surface", "ascending")]


def top_anchors(mentions: pa.Table, titles: pa.Array, minimum_count: int = 1, variant: str = "") -> pa.Table:
    """Return the most frequent anchors of each of the ``titles``, as TOP_ANCHORS sorted by title and surface.

    ``total`` counts all links to the page, also with rare anchors. An anchor with fewer than ``minimum_count`` links is
    never a top anchor. If several tie and one is the page's title, only the title stays; ``break_ties`` decides between
    the others. ``variant`` is the variant of all anchors, if they were converted.
    """
    of_titles = mentions.filter(pc.is_in(mentions["title"], value_set=titles))
    pages = of_titles.group_by("title", use_threads=False).aggregate([("count", "sum"), ("count", "max")])
    page = pc.index_in(of_titles["title"], value_set=pages["title"].combine_chunks())
    rows = of_titles.append_column("total", pages["count_sum"].take(page))
    is_most = pc.equal(rows["count"], pages["count_max"].take(page))
    top = rows.filter(pc.and_(is_most, pc.greater_equal(rows["count"], minimum_count)))
    top = top.rename_columns(["title", "surface", "count", "total"]).cast(TOP_ANCHORS)
    # Of a page with an anchor that is its title, only that one stays.
    is_title = pc.equal(cleaning.write_in(variant, top["title"]), top["surface"])
    decided = pc.is_in(top["title"], value_set=top["title"].filter(is_title).combine_chunks())
    top = top.filter(pc.or_(is_title, pc.invert(decided)))
    return sort_by(top, [("title", "ascending"), ("surface", "ascending")])


def title_anchors(mentions: pa.Table, titles: pa.Array, variant: str = "") -> pa.Table:
    """For each linked page of ``titles``, the anchor that is its title, and how many links to the page have it.

    The title's trailing parenthesis and the case of its first letter do not count. The most frequent such anchor is
    taken, then the first by code point; without one, the title without parenthesis, with a count of 0. Titles are first
    written in the ``variant`` of the language that anchors are in, if any. Returns TOP_ANCHORS, one row a page.

    >>> pages, anchors = ["Oak (tree)", "Oak (tree)", "Elm"], ["oaks", "oak", "elms"]
    >>> links = pa.table({"title": pages, "anchor": anchors, "count": [5, 2, 3]})
    >>> [(row["surface"], row["count"]) for row in title_anchors(links, pa.array(["Oak (tree)", "Elm"])).to_pylist()]
    [('Elm', 0), ('oak', 2)]
    """
    of_titles = mentions.filter(pc.is_in(mentions["title"], value_set=titles))
    plain = cleaning.write_in(variant, cleaning.without_parenthesis(of_titles["title"]))
    is_title = pc.equal(lower_first(of_titles["anchor"]), lower_first(plain))
    pages = of_titles.group_by("title", use_threads=False).aggregate([("count", "sum")])
    total = pages["count_sum"].take(pc.index_in(of_titles["title"], value_set=pages["title"].combine_chunks()))
    surface, count = pc.if_else(is_title, of_titles["anchor"], plain), pc.if_else(is_title, of_titles["count"], 0)
    table = pa.table([of_titles["title"], surface, count, total], schema=TOP_ANCHORS)
    return _first_of_each(sort_by(table, [("title", "ascending"), ("count", "descending"), *_LAST]), "title")


def break_ties(top: pa.Table, totals: pa.Table) -> pa.Table:
    """Choose one of the most frequent anchors s of each page (TOP_ANCHORS): that with the highest P(page | s).

    Of equal ones it is the first by code point. ``totals`` (anchor, count) has how many links of the whole wiki have
    each anchor, which becomes the column ``links`` of CHOSEN_ANCHORS, null for an anchor that it lacks. All anchors of
    a page have the same count, so that the highest P(page | s) = count / links is where links are fewest.
    """
    anchor = pc.index_in(top["surface"], value_set=totals["anchor"].combine_chunks())
    anchors = top.append_column("links", totals["count"].take(anchor)).cast(CHOSEN_ANCHORS)
    return _first_of_each(sort_by(anchors, [("title", "ascending"), ("links", "ascending"), *_LAST]), "title")


def name_pages(mentions: pa.Table, totals: pa.Table, items: pa.Table) -> pa.Table:
    """Give each mention (title, anchor, count) the item of its page, and its shares of the anchor's and page's links.

    Returns ``schemas.NAMES``; of a page, all mentions must be there. ``totals`` (anchor, count) are of the whole wiki,
    ``items`` (title, number) has the item of each page. A page that several items claim is that of the lowest number.

    >>> links = pa.table({"title": ["Oak", "Oak"], "anchor": ["oak", "tree"], "count": [3, 1]})
    >>> totals = pa.table({"anchor": ["oak", "tree"], "count": [3, 10]})
    >>> named = name_pages(links, totals, pa.table({"title": ["Oak"], "number": [12004]}))
    >>> named["qid"].to_pylist(), named["anchor_share"].to_pylist(), named["page_share"].to_pylist()
    (['Q12004', 'Q12004'], [0.75, 0.25], [1.0, 0.1])
    """
    title, count = mentions["title"], mentions["count"]
    pages = mentions.group_by("title", use_threads=False).aggregate([("count", "sum")])
    of_page = pages["count_sum"].take(pc.index_in(title, value_set=pages["title"].combine_chunks()))
    of_anchor = totals["count"].take(pc.index_in(mentions["anchor"], value_set=totals["anchor"].combine_chunks()))
    first = _first_of_each(sort_by(items, [("title", "ascending"), ("number", "ascending")]), "title")
    number = first["number"].take(pc.index_in(title, value_set=first["title"].combine_chunks()))
    qid = pc.binary_join_element_wise("Q", pc.cast(number, pa.string()), "")
    shares = (pc.divide(pc.cast(count, pa.float64()), pc.cast(whole, pa.float64())) for whole in (of_page, of_anchor))
    return pa.table([title, qid, mentions["anchor"], count, of_page, of_anchor, *shares], schema=NAMES)


# What is sent of an item to the bucket of its page: title and label in the language, either of which may be null, and
# the code of a label that is not of the language itself.
ITEMS: Final = pa.schema(
    [("qid", pa.string()), ("title", pa.string()), ("label", pa.string()), ("label_language", pa.string())]
)
_EVIDENCE: Final = ("surface", "count", "total", "links")


class NamedItems:
    """Entities whose titles and labels are looked up in many languages."""

    def __init__(self, entities: pa.Table) -> None:
        self._qids = entities["qid"].combine_chunks()
        self._titles, self._labels = MapLookup(entities["titles"]), MapLookup(entities["labels"])

    def of(self, language: str, variant: str = "") -> pa.Table:
        """Return ITEMS: the entities with a page in the language's wiki, if it has one, or a label for the language.

        A label in the variant goes before others of the language. Titles are in NFC, as the titles of pages are.
        """
        label, code = cleaning.first_label(self._labels, name_codes(language, variant))
        own_codes = pa.array(label_codes(language, variant), pa.string())
        foreign = pc.if_else(pc.is_in(code, value_set=own_codes), None, code)
        title = cleaning.compose(self._titles.lookup(wiki_of(language) or ""))
        items = pa.table([self._qids, title, label, foreign], schema=ITEMS)
        return items.filter(pc.or_(title.is_valid(), label.is_valid()))


def hash_names(items: pa.Table, entities: pa.Table, language: str, options: SurfaceOptions) -> pa.Table:
    """Hash all names that items with a sitelink have in a language: the labels of ``items``, and aliases of entities.

    Aliases are those in the language and in ``mul``, for all languages. Each name is written as the surface form that
    a label would be. Returns ITEM_NAMES (the item's number, its sitelinks, the hash), each row once.
    """
    linked = entities.filter(pc.greater(entities["sitelinks"], 0))
    qids, aliases = linked["qid"].combine_chunks(), MapLookup(linked["aliases"])
    variant = variant_of(options.variant, language)
    columns = ["qid", "label", "label_language"]
    labels = [items.filter(pc.is_in(items["qid"], value_set=qids)).select(columns)]
    for code in name_codes(language, variant):
        lists = aliases.lookup(code)
        texts, owners = cleaning.tidy(lists.flatten()), qids.take(pc.list_parent_indices(lists))
        # Null marks a name of the language itself, as in ITEMS.
        is_own = code in label_codes(language, variant)
        codes = pa.nulls(len(texts), pa.string()) if is_own else pa.repeat(code, len(texts))
        labels.append(pa.table([owners, texts, codes], columns))
    names = pa.concat_tables(labels)
    # A label that would give no surface form is no name.
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
    """Choose the surface form of each item: an anchor of links to its page, or if that is refused, the fallback.

    ``items`` are ITEMS; ``chosen`` and ``titled`` (CHOSEN_ANCHORS) have the most frequent anchor of each linked page,
    and the anchor that is its title. Returns SURFACES in the order of items, and a column ``refused``: why an anchor
    was. ``surface`` is null for an item without a surface form. For a fallback, count and total are 0, links is null.
    """
    # The rows of both tables for the page of each item, null where there is none.
    anchor, title = (
        table.select(_EVIDENCE).take(pc.index_in(items["title"], table["title"].combine_chunks(), skip_nulls=True))
        for table in (chosen, titled)
    )
    # The form that would be shown: the most frequent anchor, or its dictionary form.
    variant = variant_of(options.variant, language)
    form, form_source = anchor, pc.if_else(anchor["surface"].is_valid(), "anchor", None)
    if options.form == "dictionary":
        form, form_source = _dictionary_forms(items, anchor, title, variant)
    # Why it is refused; of several reasons the last one here. Links to the page and P(s | page) are those of the most
    # frequent anchor: if they are low, the page is rare or has no settled name. P(page | s) is that of the form.
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
    # The label or title that takes its place, unless it is in another script.
    fallback = _fallbacks(items, options, variant)
    fallback_is_odd = _in_other_script(fallback, options, language)
    is_form = pc.and_(form["surface"].is_valid(), refused.is_null())
    surface = pc.if_else(is_form, form["surface"], pc.if_else(fallback_is_odd, None, fallback))
    source = pc.if_else(is_form, form_source, options.fallback)
    is_anchor = pc.equal(source, "anchor")
    count, total = (pc.if_else(is_anchor, form[name], 0) for name in ("count", "total"))
    links, page_share = (pc.if_else(is_anchor, column, None) for column in (form["links"], page_share))
    # ``take``, because if_else of a slice that is all null makes an invalid column in pyarrow 16 to 20 (2026-11).
    from_label = pc.if_else(pc.equal(source, "label"), pa.array(np.arange(len(items))), None)
    label_language = items["label_language"].take(from_label)
    columns = [items["qid"], items["title"], surface, count, total, source, links, page_share, label_language]
    reasons = pc.coalesce(refused, pc.if_else(pc.and_not(fallback_is_odd, is_form), "script", None))
    return pa.table(columns, schema=SURFACES).append_column("refused", reasons)


def _fallbacks(items: pa.Table, options: SurfaceOptions, variant: str) -> pa.ChunkedArray:
    """The label or the title of each item, in the variant; labels of other languages stay as they are."""
    if options.fallback == "title":
        return cleaning.write_in(variant, cleaning.tidy(cleaning.without_parenthesis(items["title"])))
    if options.fallback == "none":
        return pa.chunked_array([pa.nulls(items.num_rows, pa.string())])
    labels = cleaning.without_parenthesis(items["label"]) if options.clean_labels else items["label"]
    return pc.if_else(items["label_language"].is_null(), cleaning.write_in(variant, labels), labels)


def _dictionary_forms(
    items: pa.Table, anchor: pa.Table, titled: pa.Table, variant: str
) -> tuple[pa.Table, pa.ChunkedArray]:
    """Put the title of a page in place of an ``anchor`` that is an inflected form of it, such as a genitive.

    Rows are those of ``items``: ``anchor`` has the most frequent anchor of each one's page and its counts, ``titled``
    the title with its counts as an anchor. Returns the rows chosen, and the source of each: "title" if no link shows
    the title, else "anchor", and null for an item without an anchor.
    """
    plain = cleaning.write_in(variant, cleaning.without_parenthesis(items["title"]))
    # An anchor that is the title or the label is no inflected form.
    differs = pc.and_(
        pc.not_equal(lower_first(anchor["surface"]), lower_first(plain)),
        pc.fill_null(pc.not_equal(anchor["surface"], cleaning.write_in(variant, items["label"])), True),
    )
    pairs = zip(anchor["surface"].to_pylist(), plain.to_pylist(), differs.to_pylist(), strict=True)
    forms = [bool(may_be) and cleaning.is_form_of(surface, title) for surface, title, may_be in pairs]
    is_form = pa.array(forms, pa.bool_())
    columns = [pc.if_else(is_form, titled[name], anchor[name]) for name in _EVIDENCE]
    source = pc.if_else(pc.and_(is_form, pc.equal(titled["count"], 0)), "title", "anchor")
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


def lower_first(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Strings with their first letter in lower case."""
    first, rest = pc.utf8_slice_codeunits(texts, 0, 1), pc.utf8_slice_codeunits(texts, 1)
    return pc.binary_join_element_wise(pc.utf8_lower(first), rest, "")


def _first_of_each(ordered: pa.Table, column: str) -> pa.Table:
    """Return the first of the rows that share a value in a column that the table is sorted by."""
    values = ordered[column].combine_chunks()
    if len(values) < 2:
        return ordered
    changes = pc.not_equal(values[1:], values[:-1])
    return ordered.filter(pa.concat_arrays([pa.array([True]), changes]))
