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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.numbers import differs_from_previous
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
    def of_columns(items: Int64s, statements: pa.ChunkedArray, properties: Sequence[str]) -> "ItemStatements":
        """Those of some properties, from the numbers of items and their ``statements`` as in ``schemas.ENTITIES``."""
        lists = statements.combine_chunks()
        lists = lists.chunk(0) if isinstance(lists, pa.ChunkedArray) else lists
        flat = pc.list_flatten(lists)
        names = pc.index_in(flat.field("property"), pa.array(list(properties), pa.string()))
        wanted = pc.indices_nonzero(pc.is_valid(names))
        values = flat.field("value").take(wanted)
        is_item = pc.fill_null(pc.match_substring_regex(values, "^Q[1-9][0-9]{0,15}$"), False)
        wanted, values = wanted.filter(is_item), values.filter(is_item)
        owners = pc.list_parent_indices(lists).take(wanted).to_numpy()
        keys = names.take(wanted).to_numpy().astype(np.int64) << _VALUE_BITS | qid_numbers(values)
        return ItemStatements(items[owners], keys)

    @staticmethod
    def join(parts: Sequence["ItemStatements"]) -> "ItemStatements":
        """The statements of several tables as one."""
        none = np.zeros(0, dtype=np.int64)
        return ItemStatements(
            np.concatenate([none, *(part.items for part in parts)]),
            np.concatenate([none, *(part.keys for part in parts)]),
        )


def class_making(graph: ClassGraph, statements: ItemStatements, minimum: int) -> tuple[SparseRows, SparseRows]:
    """For each node the numbers of the statements that make it, and for each item those it has of these statements."""
    items, found = indices_of(statements.items, graph.items)
    items, keys = items[found], statements.keys[found]
    frequent = _frequent(keys, minimum)
    indices, is_frequent = indices_of(keys, frequent)
    having = sort_pairs(pack_pairs(indices[is_frequent], items[is_frequent]))
    made, nodes, inside = _count_by_class(graph, having)
    enough = inside >= minimum
    made, nodes, inside = made[enough], nodes[enough], inside[enough]
    speaking = sort_pairs(pack_pairs(keys >> _VALUE_BITS, items))
    properties, speakers, with_any = _count_by_class(graph, speaking)
    property_of, everywhere = frequent >> _VALUE_BITS, np.bincount(first_of(having), minlength=len(frequent))
    at = np.searchsorted(pack_pairs(properties, speakers), pack_pairs(property_of[made], nodes))
    nearly_all = _NEARLY_ALL[1] * inside >= _NEARLY_ALL[0] * with_any[at]
    makes = nearly_all & (_MOST[1] * inside >= _MOST[0] * everywhere[made])
    used = np.isin(first_of(having), made[makes])
    return (
        SparseRows.from_pairs(nodes[makes], made[makes]),
        SparseRows.from_pairs(second_of(having)[used], first_of(having)[used]),
    )


def _frequent(keys: Int64s, minimum: int) -> Int64s:
    """The statements that occur at least ``minimum`` times, ascending: no other one makes a class."""
    ordered = np.sort(keys)
    starts = np.flatnonzero(differs_from_previous(ordered))
    return ordered[starts[np.diff(np.append(starts, len(ordered))) >= minimum]]


def _count_by_class(graph: ClassGraph, pairs: PairKeys) -> tuple[Ints, Ints, Int64s]:
    """From distinct (what, item), ascending: every (what, node), and how many instances of the node are in a pair."""
    classes = graph.classes.take(second_of(pairs))
    keys = pack_pairs(first_of(pairs)[classes.sources()], classes.targets)
    keys.sort()
    starts = np.flatnonzero(differs_from_previous(keys))
    return first_of(keys[starts]), second_of(keys[starts]), np.diff(np.append(starts, len(keys)))
