"""Which items stay, and which of their revisions.

Those with a class or a superclass stay, and those that such an item's edges lead to:

    Q1   P31 Q5            certain: it has a class
    Q5   no edges          undecided in its own table; it stays because Q1 leads to it
    Q9   no edges          undecided; nothing leads to it, so it is left out

With ``linked_only``, an item that has a class and no sitelink is undecided too. Where it is left out, its classes and
statements are counted with those of its like (``count_unlinked``): shares of all instances of a class depend on them.

Of an item that comes more than once, the row with the highest ``lastrevid`` stays, among equal ones the row whose
content has the greatest hash: neither the order of files and ranges nor the number of workers matters.

    row                         lastrevid   content
    certain-000000, row 3: Q6   4           …           superseded
    certain-000002, row 0: Q6   9           hash 2f…    superseded
    certain-000005, row 7: Q6   9           hash c1…    the latest revision
"""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Final, Literal

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.numbers import Numbers, differs_from_previous, is_in, union
from wikisem.arrow.qids import qid_numbers
from wikisem.schemas import UNLINKED

Certainty = Literal["certain", "undecided"]
CERTAINTIES: Final[tuple[Certainty, ...]] = ("certain", "undecided")


def split_by_certainty(table: pa.Table, linked_only: bool) -> Iterator[tuple[Certainty, pa.Table]]:
    """The items that stay whatever else the dump holds, and those that stay only if some edge leads to them.

    An item is certain if it has a class or a superclass; with ``linked_only`` a class alone is not enough, it needs a
    sitelink too. Tables without rows do not come.
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
    """The numbers of all items that an ``instance_of`` or ``subclass_of`` of the table leads to, ascending."""
    found = [pc.unique(pc.list_flatten(table[name].combine_chunks())) for name in ("instance_of", "subclass_of")]
    return union(map(qid_numbers, found))


def count_unlinked(tables: Iterable[pa.Table]) -> pa.Table:
    """How many items have each distinct pair of classes and statements, as ``schemas.UNLINKED``, ordered.

    The tables have the columns of ``schemas.ENTITIES``, or are of ``UNLINKED`` themselves; items without a class are
    not counted.
    """
    with_class = (table.filter(pc.greater(pc.list_value_length(table["instance_of"]), 0)) for table in tables)
    return _count_alike(pa.concat_tables([UNLINKED.empty_table(), *map(_count_alike, with_class)]))


def _count_alike(table: pa.Table) -> pa.Table:
    classes, statements = (table[name].combine_chunks() for name in ("instance_of", "statements"))
    texts = pc.binary_join_element_wise(*pc.list_flatten(statements).flatten(), "\t")
    starts = pc.subtract(statements.offsets, statements.offsets[0])
    keys = pa.table(
        {
            "classes": pc.binary_join(classes, " "),
            "statements": pc.binary_join(pa.ListArray.from_arrays(starts, texts), "\n"),
            "items": table["items"] if "items" in table.column_names else np.ones(len(table), dtype=np.int64),
            "row": np.arange(len(table)),
        }
    )
    found = keys.group_by(["classes", "statements"], use_threads=False).aggregate([("items", "sum"), ("row", "min")])
    found = found.sort_by([("classes", "ascending"), ("statements", "ascending")])
    rows = found["row_min"].combine_chunks()
    return pa.table([classes.take(rows), statements.take(rows), found["items_sum"]], schema=UNLINKED)


def duplicate_rows(table: pa.Table, repeated: Numbers) -> pa.Table:
    """What decides between the rows of ``repeated`` items (ascending numbers): number, lastrevid, content hash.

    ``row`` is the place of each in the table.
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
    """All of ``duplicate_rows`` but that of the latest revision of each item.

    Of rows that are the same in all that decides, the first stays, by the columns ``places`` that say where it is.
    """
    latest_first = [("number", "ascending"), ("lastrevid", "descending"), ("content", "descending")]
    ordered = duplicates.sort_by(latest_first + [(name, "ascending") for name in places])
    return ordered.filter(pa.array(~differs_from_previous(ordered["number"].to_numpy())))


def content_hash(row: object) -> bytes:
    """A digest of a row's values: it decides between rows of one item with the same revision."""
    return blake2b(orjson.dumps(row), digest_size=16).digest()
