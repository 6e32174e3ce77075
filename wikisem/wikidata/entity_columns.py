"""Decoded lines of a dump as a table of items in the columns of ``schemas.ENTITIES``, and which of the items stay."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final, Literal

import msgspec
import numpy as np
import numpy.typing as npt
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.columns import Numbers, differs_from_previous, is_in, qid_numbers, union
from wikisem.schemas import ENTITIES, RELATION, STATEMENT, UNLINKED
from wikisem.wikidata import line_types
from wikisem.wikidata.line_types import is_wikipedia, item_number, property_number, target_id

# P31 and P279 name the classes of an item; its signature names its other properties.
_CLASS_PROPERTIES: Final = (31, 279)
_NO_CLAIMS: Final = line_types.Claims({}, ())


@dataclass(eq=False)
class _Lists:
    """A column of lists: all their values one after the other, and where those of each row end.

    The classes [Q5], [] and [Q7, Q8] of three items are ``values`` = [Q5, Q7, Q8] and ``ends`` = [0, 1, 1, 3]: those of
    item i are ``values[ends[i]:ends[i + 1]]``. In maps and in relations each value has one of ``keys``.
    """

    ends: list[int] = field(default_factory=lambda: [0])
    keys: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def array(self, values: pa.Array | None = None) -> pa.ListArray:
        """Return the column, its values in this form; by default they are strings."""
        values = pa.array(self.values, pa.string()) if values is None else values
        return pa.ListArray.from_arrays(pa.array(self.ends, pa.int32()), values)

    def map(self, values: pa.Array | None = None) -> pa.MapArray:
        """Return the column as maps from strings to values in this form; by default they are strings."""
        values = pa.array(self.values, pa.string()) if values is None else values
        return pa.MapArray.from_arrays(pa.array(self.ends, pa.int32()), pa.array(self.keys, pa.string()), values)

    def properties(self) -> pa.ListArray:
        """Return the numbers of the properties, but for P31 and P279, of each row, ascending; ``values`` are ids."""
        keys, is_kept = self._property_keys(self.values)
        keys = np.sort(keys[is_kept])
        # Row i << 32 is the least key that row i can have.
        ends = np.searchsorted(keys, np.arange(len(self.ends)) << 32)
        return pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), pa.array(keys.astype(np.int32)))

    def relations(self) -> pa.ListArray:
        """Return the (property, item) pairs of each row, but for P31 and P279, by number: ascending, each once."""
        # A key is row << 32 | number of the property; those of P31 and P279 are not kept.
        keys, is_kept = self._property_keys(self.keys)
        items = _numbers(self.values, item_number)
        is_kept &= items > 0
        keys, items = keys[is_kept], items[is_kept]
        order = np.lexsort((items, keys))  # by row, then property, then item
        keys, items = keys[order], items[order]
        is_first = differs_from_previous(keys) | differs_from_previous(items)
        keys, items = keys[is_first], items[is_first]
        # A row ends before the least key of the next one; like ``self.ends``, these begin with 0.
        ends = np.searchsorted(keys, np.arange(len(self.ends)) << 32)
        numbers = [pa.array(keys.astype(np.int32)), pa.array(items)]  # the low 32 bits of a key are the property
        relations = pa.StructArray.from_arrays(numbers, fields=list(RELATION))
        return pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), relations)

    def _property_keys(self, ids: Sequence[str]) -> tuple[Numbers, npt.NDArray[np.bool_]]:
        """Return for each id of a property ``row << 32 | number``, and whether it is kept here."""
        # All ids are turned into numbers at once, which takes half as long as one by one.
        rows, numbers = np.repeat(np.arange(len(self.ends) - 1), np.diff(self.ends)), _numbers(ids, property_number)
        return rows << 32 | numbers, ~np.isin(numbers, (0, *_CLASS_PROPERTIES))


def _numbers(ids: Sequence[str], number_of: Callable[[str], int]) -> Numbers:
    """Return the number of each id, found once for each that differs."""
    coded = pa.array(ids, pa.string()).dictionary_encode()
    return np.fromiter(map(number_of, coded.dictionary.to_pylist()), np.int64)[coded.indices.to_numpy()]


class EntityColumns:
    """The columns of ``schemas.ENTITIES``: ranks chosen, labels and titles sorted, values reduced to ids and strings.

    A column is filled for many lines at once, which takes a third less time than making a row of each item in between.
    """

    def __init__(self, fields: line_types.Fields) -> None:
        """Begin with empty columns, each of which gets one value, list or map for each item that is added."""
        self._fields, self._codes = fields, fields.label_codes  # languages to keep, None for all
        # Whether statements below the best rank are left out, and the properties whose statements are a column.
        self._best, self._asked = fields.ranks == "best", frozenset(fields.properties)
        self._qids, self._sitelinks, self._revisions = list[str](), list[int](), list[int]()
        # Classes (P31), superclasses (P279), and the classes of normal rank of an item that has preferred ones.
        self._instance_of, self._subclass_of, self._other_instance_of = _Lists(), _Lists(), _Lists()
        # Statements asked for: (property, value, language). Of all: the properties, and those with an item as value.
        self._statements, self._properties, self._relations = _Lists(), _Lists(), _Lists()
        # Maps: titles by site, labels by language, and aliases from languages to lists, which are a column, too.
        self._titles, self._labels, self._aliases, self._aliases_by_code = _Lists(), _Lists(), _Lists(), _Lists()
        self._descriptions = list[str | None]()

    def table(self) -> pa.Table:
        """Return the items so far as a table, in the order in which they were added."""
        parts = list(zip(*self._statements.values, strict=True)) or [()] * len(STATEMENT)
        statements = [pa.array(part, pa.string()) for part in parts]
        columns = [
            pa.array(self._qids, pa.string()),
            self._instance_of.array(),
            self._subclass_of.array(),
            pa.array(self._sitelinks, pa.int32()),
            self._titles.map(),
            self._labels.map(),
            pa.array(self._revisions, pa.int64()),
            self._statements.array(pa.StructArray.from_arrays(statements, fields=list(STATEMENT))),
            self._other_instance_of.array(),
            self._properties.properties(),
            self._relations.relations(),
            self._aliases.map(self._aliases_by_code.array()),
            pa.array(self._descriptions, pa.string()),
        ]
        return pa.Table.from_arrays(columns, schema=ENTITIES)

    def extend(self, lines: Sequence[line_types.Line]) -> None:
        """Append the items of these lines, in order."""
        claims: list[line_types.Claims] = [line.claims or _NO_CLAIMS for line in lines]
        self._qids += [line.id for line in lines]
        self._add_items(self._instance_of, [line_claims.statements.get("P31") for line_claims in claims])
        self._add_items(self._subclass_of, [line_claims.statements.get("P279") for line_claims in claims])
        self._sitelinks += [len(line.sitelinks) for line in lines]
        self._add_names(lines)
        self._revisions += [line.lastrevid for line in lines]
        self._add_statements(lines, claims)

    def _add_names(self, lines: Sequence[line_types.Line]) -> None:
        """Append for each item its titles by site, labels and aliases by language (both sorted), and description."""
        titles, labels, aliases, alias_lists = self._titles, self._labels, self._aliases, self._aliases_by_code
        codes = self._codes  # if only these languages are read, labels and aliases are structs, else dicts by language
        for line in lines:
            # Titles. One stays even where a badge says that the page is a redirect (Q70893996, Q70894304): links to a
            # redirect are counted for its target, which is the page that such a sitelink means.
            if isinstance(sitelinks := line.sitelinks, dict):
                sites = [site for site in sorted(sitelinks) if is_wikipedia(site)]
                titles.keys.extend(sites)
                titles.values.extend([sitelinks[site].title for site in sites])
            titles.ends.append(len(titles.keys))
            # Labels.
            if line.labels and codes is None:
                own_codes = sorted(line.labels)
                labels.keys.extend(own_codes)
                labels.values.extend([line.labels[code].value for code in own_codes])
            elif line.labels:
                for code, label in zip(codes or (), msgspec.structs.astuple(line.labels), strict=True):
                    if label is not None:
                        labels.keys.append(code)
                        labels.values.append(label.value)
            labels.ends.append(len(labels.keys))
            # Aliases, only of items with a sitelink.
            by_code: Iterable[tuple[str, list[line_types.Label] | None]] = ()
            if self._fields.aliases and line.sitelinks and line.aliases:
                values = () if codes is None else msgspec.structs.astuple(line.aliases)
                by_code = sorted(line.aliases.items()) if codes is None else zip(codes, values, strict=True)
            for code, found in by_code:
                if found:
                    aliases.keys.append(code)
                    alias_lists.values.extend(sorted({alias.value for alias in found}))
                    alias_lists.ends.append(len(alias_lists.values))
            aliases.ends.append(len(aliases.keys))
            # The English description.
            is_described = self._fields.signatures and isinstance(line.descriptions, line_types.Descriptions)
            text: line_types.Label | None = line.descriptions.en if is_described else None
            self._descriptions.append(None if text is None else text.value)

    def _add_items(self, column: _Lists, statements_of_items: Sequence[list[line_types.LineStatement] | None]) -> None:
        """Append for each item the items that its statements have as values, ascending."""
        for statements in statements_of_items:
            if statements:
                qids = [_qid(value) for value in ranked_values(statements, self._best)]
                if len(qids) > 1:
                    numbers = sorted({item_number(qid) for qid in qids} - {0})  # 0: no item
                    column.values.extend([f"Q{number}" for number in numbers])
                elif qids and qids[0]:  # most have one
                    column.values.append(qids[0])
            column.ends.append(len(column.values))

    def _add_statements(self, lines: Sequence[line_types.Line], claims: Sequence[line_types.Claims]) -> None:
        """Append for each item its statements that are asked for, and, if it has a sitelink, relations and signature.

        Relations are its statements about items, of the ranks that count. Its signature is the ids of all its
        properties, whatever their ranks and values.
        """
        other_classes, statements, signatures = self._other_instance_of, self._statements, self._properties
        related_by, related_items = self._relations.keys, self._relations.values
        for line, line_claims in zip(lines, claims, strict=True):
            # Its classes of normal rank beside preferred ones; nearly always there are none.
            classes = line_claims.statements.get("P31") if self._best else None
            if classes and len(classes) > 1 and any(statement.rank == "preferred" for statement in classes):
                preferred = {item_number(_qid(value)) for value in ranked_values(classes, best=True)}
                not_deprecated = {item_number(_qid(value)) for value in ranked_values(classes, best=False)}
                numbers = sorted(not_deprecated - preferred - {0})
                other_classes.values.extend([f"Q{number}" for number in numbers])
            other_classes.ends.append(len(other_classes.values))
            # Statements that are asked for, as property, value and language; relations, as property and item.
            is_related, asked = self._fields.relations and bool(line.sitelinks), set[tuple[str, str, str]]()
            for name, found in line_claims.statements.items():
                is_asked = name in self._asked
                for value in ranked_values(found, self._best) if found and (is_asked or is_related) else ():
                    if isinstance(value, str):
                        text, qid, language = value, "", ""
                    else:
                        qid = _qid(value)
                        text, language = (qid, "") if qid else (value.text, value.language)
                        if is_related and qid:
                            related_by.append(name)
                            related_items.append(qid)
                    if is_asked and text:
                        asked.add((name, text, language))
            statements.values.extend(sorted(asked))
            statements.ends.append(len(statements.values))
            self._relations.ends.append(len(related_items))
            # The signature.
            if self._fields.signatures and line.sitelinks:
                signatures.values.extend(line_claims.properties)
            signatures.ends.append(len(signatures.values))


def ranked_values(statements: list[line_types.LineStatement], best: bool) -> list[line_types.Value | str]:
    """Return the known values of statements that are not deprecated, with ``best`` only those of the best rank."""
    if len(statements) == 1:  # most
        [statement] = statements
        data = statement.mainsnak.datavalue
        sound = statement.rank != "deprecated" and statement.mainsnak.snaktype == "value"
        return [data.value] if data is not None and sound else []
    best = best and any(statement.rank == "preferred" for statement in statements)
    return [
        snak.datavalue.value
        for statement in statements
        if (rank := statement.rank) != "deprecated"
        and (rank == "preferred" or not best)
        and (snak := statement.mainsnak).datavalue is not None
        and snak.snaktype == "value"
    ]


def _qid(value: line_types.Value | str) -> str:
    """Return the id of a value that is an item, else ""."""
    if isinstance(value, str):
        return ""
    if value.id:
        return target_id(value.id)
    return f"Q{value.numeric_id}" if value.numeric_id and value.entity_type == "item" else ""


# Whether it is certain that an item stays; the names are those of files in OUT/entities.
Certainty = Literal["certain", "undecided"]
CERTAINTIES: Final[tuple[Certainty, ...]] = ("certain", "undecided")


def split_by_certainty(table: pa.Table, linked_only: bool) -> Iterator[tuple[Certainty, pa.Table]]:
    """Yield the items that always stay, and those that only stay if an edge (P31 or P279) leads to them.

    An item is certain if it has a class or a superclass; with ``linked_only``, an item with a class also needs a
    sitelink. Tables without rows are not yielded.

        Q1   P31 Q5            certain: it has a class
        Q5   no edges          undecided in its own table; it stays because Q1 leads to it
        Q9   no edges          undecided; nothing leads to it, so it is left out
    """
    classes, superclasses = (pc.list_value_length(table[name]) for name in ("instance_of", "subclass_of"))
    has_class, has_superclass = pc.greater(classes, 0), pc.greater(superclasses, 0)
    if linked_only:
        has_class = pc.and_(has_class, pc.greater(table["sitelinks"], 0))
    certain = pc.or_(has_class, has_superclass)
    all_certain = pc.all(certain).as_py()  # as in nearly all tables
    parts = [table] if all_certain else [table.filter(certain), table.filter(pc.invert(certain))]
    yield from ((certainty, rows) for certainty, rows in zip(CERTAINTIES, parts, strict=False) if rows.num_rows)


def edge_targets(table: pa.Table) -> Numbers:
    """Return the numbers of all items that an ``instance_of`` or ``subclass_of`` of the table leads to, ascending."""
    found = [pc.unique(pc.list_flatten(table[name].combine_chunks())) for name in ("instance_of", "subclass_of")]
    return union(map(qid_numbers, found))


def count_unlinked(tables: Iterable[pa.Table]) -> pa.Table:
    """Return how many items have each distinct list of classes (P31), as ``schemas.UNLINKED``, ordered.

    For items without a sitelink that a run leaves out: shares of all instances of a class depend on them, too. A table
    has a row for each item (``ENTITIES``), or is a count itself (``UNLINKED``); items without a class do not count.
    """
    with_class = (table.filter(pc.greater(pc.list_value_length(table["instance_of"]), 0)) for table in tables)
    return _count_alike(pa.concat_tables([UNLINKED.empty_table(), *map(_count_alike, with_class)]))


def _count_alike(table: pa.Table) -> pa.Table:
    """Return the distinct lists of classes of a table, ordered, and how many items (rows, or ``items``) have each."""
    classes = table["instance_of"].combine_chunks()
    # Lists cannot be grouped, so they are joined into strings; one row of each group has the list itself.
    items = table["items"] if "items" in table.column_names else np.ones(len(table), dtype=np.int64)
    keys = pa.table({"classes": pc.binary_join(classes, " "), "items": items, "row": np.arange(len(table))})
    sums = keys.group_by("classes", use_threads=False).aggregate([("items", "sum"), ("row", "min")]).sort_by("classes")
    return pa.table([classes.take(sums["row_min"].combine_chunks()), sums["items_sum"]], schema=UNLINKED)


def duplicate_rows(table: pa.Table, repeated: Numbers) -> pa.Table:
    """Return number, revision, hash of the content and place ``row`` of each row of the ``repeated`` items (sorted)."""
    numbers = qid_numbers(table["qid"])
    rows = np.flatnonzero(is_in(numbers, repeated))
    found = table.take(pa.array(rows))
    hashes = pa.array(map(content_hash, found.to_pylist()), pa.binary())
    return pa.table({"number": numbers[rows], "lastrevid": found["lastrevid"], "content": hashes, "row": rows})


def superseded_rows(duplicates: pa.Table, *places: str) -> pa.Table:
    """Return all of ``duplicate_rows`` but that of the latest revision of each item.

    The row with the highest ``lastrevid`` stays, then the one with the greatest hash of its content, then the first by
    the columns ``places``. So neither the order of files and ranges nor the number of workers matters.

        row                         lastrevid   content
        certain-000000, row 3: Q6   4           …           superseded
        certain-000002, row 0: Q6   9           hash 2f…    superseded
        certain-000005, row 7: Q6   9           hash c1…    the latest revision
    """
    latest_first = [("number", "ascending"), ("lastrevid", "descending"), ("content", "descending")]
    ordered = duplicates.sort_by(latest_first + [(name, "ascending") for name in places])
    return ordered.filter(pa.array(~differs_from_previous(ordered["number"].to_numpy())))


def content_hash(row: Mapping[str, object]) -> bytes:
    """Return a digest of a row's values: of two rows of an item with the same revision, the greater digest stays."""
    # Columns that a run may leave empty come last, so that the choice is the same with and without them.
    last = ("properties", "relations", "aliases", "description")
    parts = [{name: value for name, value in row.items() if name not in last}, *map(row.get, last)]
    return b"".join(blake2b(orjson.dumps(part), digest_size=16).digest() for part in parts)
