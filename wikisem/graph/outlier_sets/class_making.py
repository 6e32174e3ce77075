"""Statements that make a class: all but all of its instances have them, and few other items do.

*Member state of the United Nations* is a class, and *member of: United Nations* a statement. Denmark has the statement
and is an instance of something else, so the graph alone takes it for an outlier of the class. A statement makes a class
if, of the items in the graph and of those that nothing links to (``item_statements``),

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
from typing import Final, TypeVar

import numpy as np

from wikisem.arrow.numbers import differs_from_previous
from wikisem.graph.array_types import Int64s, Ints
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import CsrRows, SparseRows
from wikisem.graph.outlier_sets.item_statements import NO_UNLINKED, VALUE_BITS, ItemStatements, UnlinkedItems
from wikisem.graph.sorting import PairKeys, first_of, indices_of, pack_pairs, rank_keys, second_of, sort_pairs

# Nearly all instances: this share of those that have any statement of the property.
_NEARLY_ALL: Final = 9, 10
# Few others: this share of all that have the statement are instances.
_MOST: Final = 1, 2
_Keys = TypeVar("_Keys", PairKeys, Int64s)


def class_making(
    graph: ClassGraph, statements: ItemStatements, minimum: int, unlinked: UnlinkedItems = NO_UNLINKED
) -> tuple[SparseRows, SparseRows]:
    """For each node the numbers of the statements that make it, and for each item those it has of these statements."""
    items, found = indices_of(statements.items, graph.items)
    holders = [
        _Holders(graph.classes, items[found], statements.keys[found]),
        _Holders(unlinked.classes, unlinked.statements.items, unlinked.statements.keys, unlinked.counts),
    ]
    keys, numbers = _together(holder.count_keys() for holder in holders)
    frequent = keys[numbers >= minimum]  # no other one makes a class
    having = [holder.having(frequent) for holder in holders]
    pairs, inside = _together(holder.by_class(one) for holder, one in zip(holders, having, strict=True))
    enough = inside >= minimum
    made, nodes, inside = first_of(pairs[enough]), second_of(pairs[enough]), inside[enough]
    speakers, with_any = _together(holder.by_class(holder.speaking()) for holder in holders)
    property_of = frequent >> VALUE_BITS
    counts = [holder.count(one, len(frequent)) for holder, one in zip(holders, having, strict=True)]
    everywhere = counts[0] + counts[1]
    at = np.searchsorted(speakers, pack_pairs(property_of[made], nodes))
    nearly_all = _NEARLY_ALL[1] * inside >= _NEARLY_ALL[0] * with_any[at]
    makes = nearly_all & (_MOST[1] * inside >= _MOST[0] * everywhere[made])
    used = np.isin(first_of(having[0]), made[makes])
    return (
        SparseRows.from_pairs(nodes[makes], made[makes]),
        SparseRows.from_pairs(second_of(having[0])[used], first_of(having[0])[used]),
    )


@dataclass(frozen=True, slots=True)
class _Holders:
    """The keys of the statements of items, each beside the row that has the item's classes.

    Row i is ``numbers[i]`` items that are alike, or one where there are no numbers.
    """

    classes: CsrRows
    rows: Ints
    keys: Int64s
    numbers: Int64s | None = None

    def count_keys(self) -> tuple[Int64s, Int64s]:
        """Every key, and how many items have the statement; an item that has it twice may count twice."""
        return _add_up(self.keys, None if self.numbers is None else self.numbers[self.rows])

    def having(self, frequent: Int64s) -> PairKeys:
        """Every (statement, row) of the statements with these keys, as an index into them."""
        indices, found = indices_of(self.keys, frequent)
        return sort_pairs(pack_pairs(indices[found], self.rows[found]))

    def speaking(self) -> PairKeys:
        """Every (property, row) of all statements."""
        return sort_pairs(pack_pairs(self.keys >> VALUE_BITS, self.rows))

    def by_class(self, pairs: PairKeys) -> tuple[PairKeys, Int64s]:
        """From distinct (what, row): every (what, node), and how many instances of the node have it."""
        classes = self.classes.take(second_of(pairs))
        keys = pack_pairs(first_of(pairs)[classes.sources()], classes.targets)
        return _add_up(keys, None if self.numbers is None else self.numbers[second_of(pairs)][classes.sources()])

    def count(self, pairs: PairKeys, length: int) -> Int64s:
        """How many items have each of so many statements, from their (statement, row)."""
        numbers = None if self.numbers is None else self.numbers[second_of(pairs)]
        return np.bincount(first_of(pairs), numbers, minlength=length).astype(np.int64)


def _together(parts: Iterable[tuple[_Keys, Int64s]]) -> tuple[_Keys, Int64s]:
    keys, numbers = zip(*parts, strict=True)
    return _add_up(np.concatenate(keys), np.concatenate(numbers))


def _add_up(keys: _Keys, numbers: Int64s | None) -> tuple[_Keys, Int64s]:
    """The distinct keys, ascending, and the sum of the numbers of each; without numbers, how often each is there."""
    if numbers is None:
        ordered = np.sort(keys)
        starts = np.flatnonzero(differs_from_previous(ordered))
        return ordered[starts], np.diff(np.append(starts, len(ordered)))
    count, ranks = rank_keys(keys)
    known = np.empty(count, dtype=keys.dtype)
    known[ranks] = keys
    # Floating-point sums are exact up to 2**53.
    return known, np.bincount(ranks, numbers, minlength=count).astype(np.int64)
