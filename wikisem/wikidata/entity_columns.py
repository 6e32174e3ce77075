"""Items as growing columns of ``schemas.ENTITIES``: flat lists of values, and where every item's values end.

Three items with the classes [Q5], [] and [Q7, Q8] are ``values`` = [Q5, Q7, Q8] and ``ends`` = [0, 1, 1, 3]: the
classes of item i are ``values[ends[i]:ends[i + 1]]``.
"""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from wikisem.schemas import ENTITIES, STATEMENT
from wikisem.wikidata.item_values import EntityRow


class ListColumn:
    """Lists of strings."""

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
    """Maps from strings to strings."""

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
        self.other_instance_of = ListColumn()

    def __len__(self) -> int:
        return len(self.qids)

    def add(self, row: EntityRow) -> None:
        """Append one item; ``line_columns`` appends many at a time."""
        qid, instance_of, subclass_of, sitelinks, titles, labels, lastrevid, statements, others = row
        self.qids.append(qid)
        self.instance_of.add(instance_of)
        self.subclass_of.add(subclass_of)
        self.sitelinks.append(sitelinks)
        self.titles.add(titles)
        self.labels.add(labels)
        self.revisions.append(lastrevid)
        self.statements.add(statements)
        self.other_instance_of.add(others)

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
            "other_instance_of": self.other_instance_of.array(),
        }
        return pa.Table.from_arrays([columns[name] for name in ENTITIES.names], schema=ENTITIES)
