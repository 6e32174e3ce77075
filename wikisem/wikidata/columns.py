"""Items as growing columns of ``schemas.ENTITIES``: flat lists of values, and where every item's values end.

Lines as they were decoded into columns: ranks chosen, labels and titles sorted, statements judged.

A column is filled for many lines at once, which takes a third less than making a row of each item in between.

A sitelink keeps its title even where a badge says that the page is a redirect (Q70893996, Q70894304): whoever counts
links follows redirects, and so reaches the page that such a sitelink means.
"""

from collections.abc import Mapping, Sequence

import msgspec
import pyarrow as pa

from wikisem.schemas import ENTITIES, STATEMENT
from wikisem.wikidata.types import Line, Statement, Value, claim_keys
from wikisem.wikidata.values import Fields, Row, is_wikipedia, item_number, sorted_qids, target_id


class ListColumn:
    """Lists of texts."""

    def __init__(self) -> None:
        self.ends, self.values = [0], list[str]()

    def add(self, values: Sequence[str]) -> None:
        """Append one list."""
        self.values.extend(values)
        self.ends.append(len(self.values))

    def array(self) -> pa.ListArray:
        """The column."""
        return pa.ListArray.from_arrays(pa.array(self.ends, pa.int32()), pa.array(self.values, pa.string()))


class MapColumn:
    """Maps of texts to texts."""

    def __init__(self) -> None:
        self.ends, self.keys, self.values = [0], list[str](), list[str]()

    def add(self, values: Mapping[str, str]) -> None:
        """Append one map."""
        self.keys.extend(values)
        self.values.extend(values.values())
        self.ends.append(len(self.keys))

    def array(self) -> pa.MapArray:
        """The column."""
        keys, values = pa.array(self.keys, pa.string()), pa.array(self.values, pa.string())
        return pa.MapArray.from_arrays(pa.array(self.ends, pa.int32()), keys, values)


class StatementColumn:
    """Lists of statements."""

    def __init__(self) -> None:
        self.ends, self.values = [0], list[tuple[str, str, str]]()

    def add(self, values: Sequence[tuple[str, str, str]]) -> None:
        """Append one list."""
        self.values.extend(values)
        self.ends.append(len(self.values))

    def array(self) -> pa.ListArray:
        """The column."""
        parts = list(zip(*self.values, strict=True)) or [()] * len(STATEMENT)
        structs = pa.StructArray.from_arrays([pa.array(part, pa.string()) for part in parts], fields=list(STATEMENT))
        return pa.ListArray.from_arrays(pa.array(self.ends, pa.int32()), structs)


class EntityColumns:
    """All columns of some items; each has had as many rows added as the others."""

    def __init__(self) -> None:
        self.qids: list[str] = []
        self.instance_of, self.subclass_of = ListColumn(), ListColumn()
        self.sitelinks: list[int] = []
        self.titles, self.labels = MapColumn(), MapColumn()
        self.revisions: list[int] = []
        self.statements = StatementColumn()

    def __len__(self) -> int:
        return len(self.qids)

    def add(self, row: Row) -> None:
        """Append one item; ``line_columns`` appends many at a time."""
        qid, instance_of, subclass_of, sitelinks, titles, labels, lastrevid, statements = row
        self.qids.append(qid)
        self.instance_of.add(instance_of)
        self.subclass_of.add(subclass_of)
        self.sitelinks.append(sitelinks)
        self.titles.add(titles)
        self.labels.add(labels)
        self.revisions.append(lastrevid)
        self.statements.add(statements)

    def table(self) -> pa.Table:
        """The items so far as a table, in the order in which they came."""
        columns = {
            "qid": pa.array(self.qids, pa.string()),
            "instance_of": self.instance_of.array(),
            "subclass_of": self.subclass_of.array(),
            "sitelinks": pa.array(self.sitelinks, pa.int32()),
            "titles": self.titles.array(),
            "labels": self.labels.array(),
            "lastrevid": pa.array(self.revisions, pa.int64()),
            "statements": self.statements.array(),
        }
        return pa.Table.from_arrays([columns[name] for name in ENTITIES.names], schema=ENTITIES)


# The statements of each property among a line's claims, in the order of ``claim_keys``.
_Claims = tuple[list[Statement] | None, ...]


class LineColumns:
    """Appends lines to columns, as the fields ask for it."""

    def __init__(self, fields: Fields) -> None:
        keys = claim_keys(fields)
        self._codes, self._best, self._no_claims = fields.label_codes, fields.ranks == "best", (None,) * len(keys)
        self._classes, self._superclasses = keys.index("P31"), keys.index("P279")
        self._asked = tuple(dict.fromkeys(fields.properties))

    def extend(self, columns: EntityColumns, lines: Sequence[Line]) -> None:
        """Append the items of these lines, in their order."""
        claims: list[_Claims] = [
            msgspec.structs.astuple(line.claims) if line.claims else self._no_claims for line in lines
        ]
        columns.qids += [line.id for line in lines]
        self._items(columns.instance_of, [found[self._classes] for found in claims])
        self._items(columns.subclass_of, [found[self._superclasses] for found in claims])
        columns.sitelinks += [len(line.sitelinks) for line in lines]
        _titles(columns.titles, lines)
        self._labels(columns.labels, lines)
        columns.revisions += [line.lastrevid for line in lines]
        for found in claims:
            asked = found[: len(self._asked)]
            columns.statements.add(self._statements(asked) if any(asked) else ())

    def _items(self, column: ListColumn, found: Sequence[list[Statement] | None]) -> None:
        for statements in found:
            if statements:
                qids = [_qid(value) for value in self._values(statements)]
                if len(qids) > 1:
                    column.values.extend(sorted_qids(map(item_number, qids)))
                elif qids and qids[0]:  # most have one
                    column.values.append(qids[0])
            column.ends.append(len(column.values))

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

    def _values(self, statements: list[Statement]) -> list[Value | str]:
        """The values of the best or of all sound ranks; unknown values and none have none."""
        best = self._best and len(statements) > 1 and any(each.rank == "preferred" for each in statements)
        return [
            snak.datavalue.value
            for statement in statements
            if (rank := statement.rank) != "deprecated"
            and (rank == "preferred" or not best)
            and (snak := statement.mainsnak).datavalue is not None
            and snak.snaktype == "value"
        ]

    def _statements(self, asked: _Claims) -> list[tuple[str, str, str]]:
        found = {
            (name, *_text(value))
            for name, statements in zip(self._asked, asked, strict=True)
            if statements
            for value in self._values(statements)
        }
        return sorted([each for each in found if each[1]])


def _titles(column: MapColumn, lines: Sequence[Line]) -> None:
    for line in lines:
        if isinstance(sitelinks := line.sitelinks, dict):
            sites = [site for site in sorted(sitelinks) if is_wikipedia(site)]
            column.keys.extend(sites)
            column.values.extend([sitelinks[site].title for site in sites])
        column.ends.append(len(column.keys))


def _qid(value: Value | str) -> str:
    """The item that a value is, "" if it is none."""
    if isinstance(value, str):
        return ""
    if value.id:
        return target_id(value.id)
    return f"Q{value.numeric_id}" if value.numeric_id and value.entity_type == "item" else ""


def _text(value: Value | str) -> tuple[str, str]:
    """An item or a text, and the language of a text that has one."""
    if isinstance(value, str):
        return value, ""
    qid = _qid(value)
    return (qid, "") if qid else (value.text, value.language)
