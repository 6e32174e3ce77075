"""Statements that make a class: all but all of its instances have them, and few other items do.

*Member state of the United Nations* is a class, and *member of: United Nations* a statement. Denmark has the statement
and is an instance of something else, so the graph alone takes it for an outlier of the class. A statement makes a class
if, of the items in the graph,

1. at least ``minimum`` instances of the class have it, as many as a cluster needs;
2. of the instances that have any statement of the property, at least nine tenths have this one;
3. of all items that have the statement, at least half are instances of the class.

With 193 instances, 190 of which say what they are a member of:

    member of         instances   all items    share   share of all
    United Nations    188         197          .99     .95             makes the class
    Interpol          185         196          .97     .94             makes the class
    African Union     54          55           .28     .98             does not: (2)
    Universe, say     190         4,000        1.0     .05             does not: (3)

Nine tenths leaves room for what Wikidata lacks, and a property that few instances have cannot speak for the others: it
bars only items that have that very statement.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.numbers import differs_from_previous, distinct
from wikisem.arrow.qids import qid_numbers
from wikisem.graph.array_types import Int64s, Ints
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import SparseRows
from wikisem.graph.sorting import PairKeys, first_of, indices_of, pack_pairs, second_of, sort_pairs

# Nearly all instances: this share of those that have any statement of the property.
_NEARLY_ALL: Final = 9, 10
# Few others: this share of all that have the statement are instances.
_MOST: Final = 1, 2
# A statement is one number: the property by its index, then the item that is the value.
_VALUE_BITS: Final = 56


@dataclass(frozen=True, slots=True)
class ItemStatements:
    """Statements whose value is an item: of each the number of its item, and the property and value as one key."""

    items: Int64s
    keys: Int64s

    @staticmethod
    def of_table(table: pa.Table, properties: Iterable[str]) -> "ItemStatements":
        """Those of some properties, from the columns ``qid`` and ``statements`` of ``schemas.ENTITIES``."""
        lists = table["statements"].combine_chunks()
        lists = lists.chunk(0) if isinstance(lists, pa.ChunkedArray) else lists
        parents, flat = pc.list_parent_indices(lists), pc.list_flatten(lists)
        names = pc.index_in(flat.field("property"), pa.array(list(properties), pa.string()))
        wanted = pc.and_(pc.is_valid(names), pc.match_substring_regex(flat.field("value"), "^Q[1-9][0-9]{0,15}$"))
        wanted = pc.fill_null(wanted, False)
        numbers = qid_numbers(flat.field("value").filter(wanted))
        keys = names.filter(wanted).to_numpy().astype(np.int64) << _VALUE_BITS | numbers
        return ItemStatements(qid_numbers(table["qid"].take(parents.filter(wanted))), keys)


def class_making(graph: ClassGraph, statements: ItemStatements, minimum: int) -> tuple[SparseRows, SparseRows]:
    """For each node the numbers of the statements that make it, and for each item those it has of these statements."""
    items, found = indices_of(statements.items, graph.items)
    known = distinct(statements.keys[found])
    property_of = known >> _VALUE_BITS
    having = sort_pairs(pack_pairs(np.searchsorted(known, statements.keys[found]), items[found]))
    made, nodes, inside = _count_by_class(graph, having)
    speaking = sort_pairs(pack_pairs(property_of[first_of(having)], second_of(having)))
    properties, speakers, with_any = _count_by_class(graph, speaking)
    indices = np.searchsorted(pack_pairs(properties, speakers), pack_pairs(property_of[made], nodes))
    everywhere = np.bincount(first_of(having), minlength=len(known))[made]
    nearly_all = _NEARLY_ALL[1] * inside >= _NEARLY_ALL[0] * with_any[indices]
    makes = (inside >= minimum) & nearly_all & (_MOST[1] * inside >= _MOST[0] * everywhere)
    used = np.isin(first_of(having), made[makes])
    return (
        SparseRows.from_pairs(nodes[makes], made[makes]),
        SparseRows.from_pairs(second_of(having)[used], first_of(having)[used]),
    )


def _count_by_class(graph: ClassGraph, pairs: PairKeys) -> tuple[Ints, Ints, Int64s]:
    """From distinct (what, item), ascending: every (what, node), and how many instances of the node are in a pair."""
    classes = graph.classes.take(second_of(pairs))
    keys = pack_pairs(first_of(pairs)[classes.sources()], classes.targets)
    keys.sort()
    starts = np.flatnonzero(differs_from_previous(keys))
    return first_of(keys[starts]), second_of(keys[starts]), np.diff(np.append(starts, len(keys)))
