"""Items into the columns of ``schemas.ENTITIES``."""

from collections.abc import Mapping

import pyarrow as pa

from wikisem.records import Statement
from wikisem.schemas import ENTITIES, STATEMENT
from wikisem.wikidata_values import Row


class EntityColumns:
    """Items as growing columns: flat lists of values, and for each list and map where every item's values end."""

    def __init__(self) -> None:
        self._qids: list[str] = []
        self._sitelinks: list[int] = []
        self._revisions: list[int] = []
        self._instance_of, self._subclass_of = _List(), _List()
        self._titles, self._labels = _Map(), _Map()
        self._statements = _Statements()

    def __len__(self) -> int:
        return len(self._qids)

    def add(self, row: Row) -> None:
        """Append one item."""
        qid, instance_of, subclass_of, sitelinks, titles, labels, lastrevid, statements = row
        self._qids.append(qid)
        self._sitelinks.append(sitelinks)
        self._revisions.append(lastrevid)
        self._instance_of.add(instance_of)
        self._subclass_of.add(subclass_of)
        self._titles.add(titles)
        self._labels.add(labels)
        self._statements.add(statements)

    def table(self) -> pa.Table:
        """The items so far as a table, in the order in which they came."""
        columns = {
            "qid": pa.array(self._qids, pa.string()),
            "instance_of": self._instance_of.array(),
            "subclass_of": self._subclass_of.array(),
            "sitelinks": pa.array(self._sitelinks, pa.int32()),
            "titles": self._titles.array(),
            "labels": self._labels.array(),
            "lastrevid": pa.array(self._revisions, pa.int64()),
            "statements": self._statements.array(),
        }
        return pa.Table.from_arrays([columns[name] for name in ENTITIES.names], schema=ENTITIES)


class _List:
    def __init__(self) -> None:
        self._ends, self._values = [0], list[str]()

    def add(self, values: tuple[str, ...]) -> None:
        if values:
            self._values.extend(values)
        self._ends.append(len(self._values))

    def array(self) -> pa.ListArray:
        return pa.ListArray.from_arrays(pa.array(self._ends, pa.int32()), pa.array(self._values, pa.string()))


class _Map:
    def __init__(self) -> None:
        self._ends, self._keys, self._values = [0], list[str](), list[str]()

    def add(self, values: Mapping[str, str]) -> None:
        if values:
            self._keys.extend(values)
            self._values.extend(values.values())
        self._ends.append(len(self._keys))

    def array(self) -> pa.MapArray:
        keys, values = pa.array(self._keys, pa.string()), pa.array(self._values, pa.string())
        return pa.MapArray.from_arrays(pa.array(self._ends, pa.int32()), keys, values)


class _Statements:
    def __init__(self) -> None:
        self._ends = [0]
        self._columns: tuple[list[str], list[str], list[str]] = ([], [], [])

    def add(self, statements: tuple[Statement, ...]) -> None:
        properties, values, languages = self._columns
        for statement in statements:
            properties.append(statement.property)
            values.append(statement.value)
            languages.append(statement.language)
        self._ends.append(len(properties))

    def array(self) -> pa.ListArray:
        columns = [pa.array(column, pa.string()) for column in self._columns]
        structs = pa.StructArray.from_arrays(columns, fields=list(STATEMENT))
        return pa.ListArray.from_arrays(pa.array(self._ends, pa.int32()), structs)
