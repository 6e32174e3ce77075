"""Which items stay, as far as one table of them can tell."""

import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.numbers import Numbers, union
from wikisem.arrow.qids import qid_numbers


def edge_targets(table: pa.Table) -> Numbers:
    """The numbers of all items that an ``instance_of`` or ``subclass_of`` of the table leads to, ascending."""
    found = [pc.unique(pc.list_flatten(table[name].combine_chunks())) for name in ("instance_of", "subclass_of")]
    return union(map(qid_numbers, found))
