"""Decoded lines of a dump as a table of items in the columns of ``schemas.ENTITIES``, and which of the items stay.

An item stays if it has a class or a superclass, or if an edge of such an item leads to it; of several revisions of an
item the latest stays.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any, Final, Generic, Literal, TypeVar

import msgspec
import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.columns import Numbers, differs_from_previous, is_in, qid_numbers, union
from wikisem.schemas import ENTITIES, RELATION, STATEMENT, UNLINKED
from wikisem.wikidata.line_types import (
    Claims,
    Fields,
    Line,
    LineStatement,
    Value,
    is_wikipedia,
    item_number,
    property_number,
    sorted_qids,
    target_id,
)

# Columns that grow.

# P31 and P279 name the classes of an item; its signature names its other properties.
_CLASS_PROPERTIES: Final = (31, 279)

T = TypeVar("T")


class ScalarColumn(list[Any]):
    """One value for each item."""

    def __init__(self, kind: pa.DataType) -> None:
        super().__init__()
        self._kind = kind

    def array(self) -> pa.Array:
        """Return the column."""
        return pa.array(self, self._kind)


class _Lists(Generic[T]):
    """A column of lists: all their values one after the other, and where the values of each list end.

    The classes [Q5], [] and [Q7, Q8] of three items are ``values`` = [Q5, Q7, Q8] and ``ends`` = [0, 1, 1, 3]: those of
    item i are ``values[ends[i]:ends[i + 1]]``.
    """

    def __init__(self) -> None:
        self.ends, self.values = [0], list[T]()

    def add(self, values: Iterable[T]) -> None:
        """Append one list."""
        self.values.extend(values)
        self.ends.append(len(self.values))


class ListColumn(_Lists[str]):
    """Lists of strings."""

    def array(self) -> pa.ListArray:
        """Return the column."""
        return pa.ListArray.from_arrays(pa.array(self.ends, pa.int32()), pa.array(self.values, pa.string()))


class SignatureColumn(_Lists[str]):
    """Lists of property ids, which become signatures all at once: that takes half as long as one by one.

    A property counts whatever the ranks and values of its statements. Looking at these would take much longer.
    """

    def array(self) -> pa.ListArray:
        """Return the numbers of the properties of each list, ascending, without P31, P279 and what is no property."""
        ends = np.array(self.ends)
        numbers = _numbers(self.values, property_number)
        rows = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        signed = np.sort((rows << 32 | numbers)[~np.isin(numbers, (0, *_CLASS_PROPERTIES))])
        ends = np.searchsorted(signed, np.arange(len(ends)) << 32)
        return pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), pa.array(signed.astype(np.int32)))


class RelationColumn(_Lists[str]):
    """Lists of (property, item), as ids that become numbers all at once."""

    def __init__(self) -> None:
        super().__init__()
        self.items = list[str]()

    def array(self) -> pa.ListArray:
        """Return the numbers of both, ascending and each once, without P31, P279 and what is no property or no item."""
        rows = np.repeat(np.arange(len(self.ends) - 1), np.diff(self.ends))
        properties, items = _numbers(self.values, property_number), _numbers(self.items, item_number)
        kept = (items > 0) & ~np.isin(properties, (0, *_CLASS_PROPERTIES))
        keys, items = (rows << 32 | properties)[kept], items[kept]
        order = np.lexsort((items, keys))
        keys, items = keys[order], items[order]
        first = differs_from_previous(keys) | differs_from_previous(items)
        keys, items = keys[first], items[first]
        ends = np.searchsorted(keys, np.arange(len(self.ends)) << 32)
        parts = [pa.array(keys.astype(np.int32)), pa.array(items)]
        return pa.ListArray.from_arrays(
            pa.array(ends.astype(np.int32)), pa.StructArray.from_arrays(parts, fields=list(RELATION))
        )


def _numbers(ids: Sequence[str], number_of: Callable[[str], int]) -> Numbers:
    """Return the number of each id, found once for each that differs."""
    coded = pa.array(ids, pa.string()).dictionary_encode()
    found: Numbers = np.fromiter(map(number_of, coded.dictionary.to_pylist()), np.int64)[coded.indices.to_numpy()]
    return found


class MapColumn:
    """Maps from strings to strings."""

    def __init__(self) -> None:
        self.ends, self.keys, self.values = [0], list[str](), list[str]()

    def add(self, values: Mapping[str, str]) -> None:
        """Append one map."""
        self.keys.extend(values)
        self.values.extend(values.values())
        self.ends.append(len(self.keys))

    def array(self) -> pa.MapArray:
        """Return the column."""
        keys, values = pa.array(self.keys, pa.string()), pa.array(self.values, pa.string())
        return pa.MapArray.from_arrays(pa.array(self.ends, pa.int32()), keys, values)


class StatementColumn(_Lists[tuple[str, str, str]]):
    """Lists of statements."""

    def array(self) -> pa.ListArray:
        """Return the column."""
        parts = list(zip(*self.values, strict=True)) or [()] * len(STATEMENT)
        structs = pa.StructArray.from_arrays([pa.array(part, pa.string()) for part in parts], fields=list(STATEMENT))
        return pa.ListArray.from_arrays(pa.array(self.ends, pa.int32()), structs)


@dataclass(eq=False)
class EntityColumns:
    """The columns of ``schemas.ENTITIES`` for some items, in its order."""

    qids: ScalarColumn = field(default_factory=partial(ScalarColumn, pa.string()))
    instance_of: ListColumn = field(default_factory=ListColumn)
    subclass_of: ListColumn = field(default_factory=ListColumn)
    sitelinks: ScalarColumn = field(default_factory=partial(ScalarColumn, pa.int32()))
    titles: MapColumn = field(default_factory=MapColumn)
    labels: MapColumn = field(default_factory=MapColumn)
    revisions: ScalarColumn = field(default_factory=partial(ScalarColumn, pa.int64()))
    statements: StatementColumn = field(default_factory=StatementColumn)
    other_instance_of: ListColumn = field(default_factory=ListColumn)
    properties: SignatureColumn = field(default_factory=SignatureColumn)
    relations: RelationColumn = field(default_factory=RelationColumn)

    def __len__(self) -> int:
        return len(self.qids)

    def table(self) -> pa.Table:
        """Return the items so far as a table, in the order in which they were added."""
        return pa.Table.from_arrays([column.array() for column in vars(self).values()], schema=ENTITIES)


# From decoded lines to columns.

_NO_CLAIMS: Final = Claims({}, ())


class LineColumns:
    """Appends lines to columns: ranks chosen, labels and titles sorted, values reduced to ids and strings.

    A column is filled for many lines at once, which takes a third less time than making a row of each item in between.
    """

    def __init__(self, fields: Fields) -> None:
        self._codes, self._best = fields.label_codes, fields.ranks == "best"
        self._signatures, self._related = fields.signatures, fields.relations
        self._asked = frozenset(fields.properties)

    def extend(self, columns: EntityColumns, lines: Sequence[Line]) -> None:
        """Append the items of these lines, in order."""
        claims: list[Claims] = [line.claims or _NO_CLAIMS for line in lines]
        classes = [found.statements.get("P31") for found in claims]
        columns.qids += [line.id for line in lines]
        self._items(columns.instance_of, classes)
        self._items(columns.subclass_of, [found.statements.get("P279") for found in claims])
        columns.sitelinks += [len(line.sitelinks) for line in lines]
        # A sitelink keeps its title even where a badge says that the page is a redirect (Q70893996, Q70894304): links
        # to a redirect are counted for its target, which is the page that such a sitelink means.
        for line in lines:
            if isinstance(sitelinks := line.sitelinks, dict):
                sites = [site for site in sorted(sitelinks) if is_wikipedia(site)]
                columns.titles.keys.extend(sites)
                columns.titles.values.extend([sitelinks[site].title for site in sites])
            columns.titles.ends.append(len(columns.titles.keys))
        self._labels(columns.labels, lines)
        columns.revisions += [line.lastrevid for line in lines]
        for line, found, class_statements in zip(lines, claims, classes, strict=True):
            columns.statements.add(self._statements(found.statements))
            columns.other_instance_of.add(self._others(class_statements))
            columns.properties.add(found.properties if self._signatures and line.sitelinks else ())
            self._relations(columns.relations, found.statements if self._related and line.sitelinks else {})

    def _items(self, column: ListColumn, found: Sequence[list[LineStatement] | None]) -> None:
        for statements in found:
            if statements:
                qids = [_qid(value) for value in ranked_values(statements, self._best)]
                if len(qids) > 1:
                    column.values.extend(sorted_qids(map(item_number, qids)))
                elif qids and qids[0]:  # most have one
                    column.values.append(qids[0])
            column.ends.append(len(column.values))

    def _others(self, statements: list[LineStatement] | None) -> tuple[str, ...]:
        """Return the items at sound ranks that are not among the best; nearly always there are none."""
        if not self._best or not statements or len(statements) == 1:
            return ()
        if all(statement.rank != "preferred" for statement in statements):
            return ()
        best = {item_number(_qid(value)) for value in ranked_values(statements, self._best)}
        sound = {item_number(_qid(value)) for value in ranked_values(statements, best=False)}
        return sorted_qids(sound - best)

    def _relations(self, column: RelationColumn, found: Mapping[str, list[LineStatement] | None]) -> None:
        """Append all statements about items."""
        identifiers, items = column.values, column.items
        for identifier, statements in found.items():
            if not statements:
                continue
            for value in ranked_values(statements, self._best):
                if type(value) is Value and (qid := value.id or _qid(value)):
                    identifiers.append(identifier)
                    items.append(qid)
        column.ends.append(len(identifiers))

    def _labels(self, column: MapColumn, lines: Sequence[Line]) -> None:
        if self._codes is None:
            for line in lines:
                column.add({code: line.labels[code].value for code in sorted(line.labels)} if line.labels else {})
            return
        for line in lines:
            if line.labels:
                for code, label in zip(self._codes, msgspec.structs.astuple(line.labels), strict=True):
                    if label is not None:
                        column.keys.append(code)
                        column.values.append(label.value)
            column.ends.append(len(column.keys))

    def _statements(self, found: Mapping[str, list[LineStatement] | None]) -> list[tuple[str, str, str]]:
        asked: list[tuple[str, str, str]] = []
        for name, statements in found.items():
            for value in ranked_values(statements, self._best) if name in self._asked and statements else ():
                if isinstance(value, str):
                    asked.append((name, value, ""))
                elif qid := _qid(value):
                    asked.append((name, qid, ""))
                else:
                    asked.append((name, value.text, value.language))
        return sorted({statement for statement in asked if statement[1]}) if asked else asked


def ranked_values(statements: list[LineStatement], best: bool) -> list[Value | str]:
    """Return the values of statements that are not deprecated, with ``best`` only those of the best rank.

    Statements of an unknown value or of no value are left out.
    """
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


def _qid(value: Value | str) -> str:
    """Return the id of a value that is an item, else ""."""
    if isinstance(value, str):
        return ""
    if value.id:
        return target_id(value.id)
    return f"Q{value.numeric_id}" if value.numeric_id and value.entity_type == "item" else ""


# Which items stay.

# Whether it is certain that an item stays; the names are those of files in OUT/entities.
Certainty = Literal["certain", "undecided"]
CERTAINTIES: Final[tuple[Certainty, ...]] = ("certain", "undecided")


def split_by_certainty(table: pa.Table, linked_only: bool) -> Iterator[tuple[Certainty, pa.Table]]:
    """Yield the items that always stay, and those that only stay if an edge leads to them.

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
    """Return how many items have each distinct list of classes, as ``schemas.UNLINKED``, ordered.

    For items that ``linked_only`` leaves out, since shares of all instances of a class depend on them. The tables have
    the columns of ``schemas.ENTITIES`` or of ``UNLINKED``; items without a class are not counted.
    """
    with_class = (table.filter(pc.greater(pc.list_value_length(table["instance_of"]), 0)) for table in tables)
    return _count_alike(pa.concat_tables([UNLINKED.empty_table(), *map(_count_alike, with_class)]))


def _count_alike(table: pa.Table) -> pa.Table:
    classes = table["instance_of"].combine_chunks()
    keys = pa.table(
        {
            "classes": pc.binary_join(classes, " "),
            "items": table["items"] if "items" in table.column_names else np.ones(len(table), dtype=np.int64),
            "row": np.arange(len(table)),
        }
    )
    found = keys.group_by("classes", use_threads=False).aggregate([("items", "sum"), ("row", "min")])
    found = found.sort_by("classes")
    return pa.table([classes.take(found["row_min"].combine_chunks()), found["items_sum"]], schema=UNLINKED)


# Which revision of an item stays.


def duplicate_rows(table: pa.Table, repeated: Numbers) -> pa.Table:
    """For each row of the ``repeated`` items (ascending numbers), what decides between them, and its place ``row``.

    That is the item's number, the revision ``lastrevid`` and the hash of the content.
    """
    numbers = qid_numbers(table["qid"])
    rows = np.flatnonzero(is_in(numbers, repeated))
    found = table.take(pa.array(rows))
    return pa.table(
        {
            "number": numbers[rows],
            "lastrevid": found["lastrevid"],
            "content": pa.array([content_hash(row) for row in found.to_pylist()], pa.binary()),
            "row": rows,
        }
    )


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
    """Return a digest of a row's values: it decides between rows of one item with the same revision.

    Its signature and relations come last, so that the choice is the same where none are recorded.
    """
    last = ("properties", "relations")
    parts = [{name: value for name, value in row.items() if name not in last}, *map(row.get, last)]
    return b"".join(blake2b(orjson.dumps(part), digest_size=16).digest() for part in parts)
