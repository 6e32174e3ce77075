"""Which items stay: those with a class or a superclass, and those that such an item's edges lead to.

Q1   P31 Q5            certain: it has a class
Q5   no edges          undecided in its own table; it stays because Q1 leads to it
Q9   no edges          undecided; nothing leads to it, so it is left out
"""

from collections.abc import Iterator
from hashlib import blake2b
from typing import Final, Literal

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.numbers import Numbers, union
from wikisem.arrow.qids import qid_numbers

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


def content_hash(row: object) -> bytes:
    """A digest of a row's values: it decides between rows of one item with the same revision."""
    return blake2b(orjson.dumps(row), digest_size=16).digest()
