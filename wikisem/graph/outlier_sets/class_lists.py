"""What outlier sets are computed on: candidate classes, the outlier pool by list, and statements that make a class.

Items of the pool with the same list of classes are in the same outlier sets, so every set is computed on the distinct
lists (``PoolLists``).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.columns import differs_from_previous, distinct, qid_numbers
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import (
    CsrRows,
    Flags,
    Int64s,
    Ints,
    PairKeys,
    SparseRows,
    first_of,
    indices_of,
    offsets_of,
    pack_pairs,
    rank_keys,
    second_of,
    sort_pairs,
)

# Candidate classes, and the instances that lead their clusters.


@dataclass(frozen=True, slots=True)
class CandidateClasses:
    """The candidate classes of a language (``nodes``, ascending), and the instances that may become their clusters.

    The targets of ``leading`` are items of the graph as ``candidate_classes`` makes it, rows of the language's table of
    surface forms in ``LanguageInputs``.
    """

    nodes: Int64s
    leading: CsrRows


def candidate_classes(graph: ClassGraph, has_surface: Flags, minimum: int, size: int) -> CandidateClasses:
    """The nodes with at least ``minimum`` instances that have a surface form, and the first ``size`` of these.

    ``has_surface`` is one flag for each item of the graph. First come the instances with most sitelinks.
    """
    hits = np.flatnonzero(has_surface[graph.instances.targets])
    begins = np.searchsorted(hits, graph.instances.offsets)
    counts = np.diff(begins)
    nodes = np.flatnonzero(counts >= minimum)
    ends = begins[nodes] + np.minimum(counts[nodes], size)
    first = CsrRows(np.stack([begins[nodes], ends], axis=1).reshape(-1), hits).take(2 * np.arange(len(nodes)))
    return CandidateClasses(nodes, CsrRows(first.offsets, graph.instances.targets[first.targets]))


# The outlier pool by list of classes.

# The node of an item that is not a class.
NO_NODE: Final = -1
NO_STATEMENTS: Final = SparseRows.from_pairs(np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.uint32))


@dataclass(frozen=True, slots=True)
class PoolLists:
    """What the items on each list of the outlier pool have in common.

    ``classes`` are the nodes they are an instance of, ``others`` those at a sound rank that is not the best,
    ``statements`` the numbers of their class-making statements; ``nodes`` is the node that the one item of a list is
    itself, or ``NO_NODE``.

    A few items differ in more than their classes: one is a class itself, one is an instance of something at a rank that
    is not the best, one has a statement that makes a class. These get lists of their own, so that a list is all that
    any rule needs:

        Q90 Paris      instance of Q515 (city)                                  list 0
        Q64 Berlin     instance of Q515                                         list 0
        Q585 Oslo      instance of Q515; of Q1549591 (big city), not preferred  list 1
    """

    classes: CsrRows
    others: CsrRows
    statements: CsrRows
    nodes: Int64s

    def __len__(self) -> int:
        return len(self.nodes)


def outlier_pool(
    graph: ClassGraph, by_language: Iterable[Ints], statements: SparseRows = NO_STATEMENTS
) -> tuple[Ints, Int64s, PoolLists]:
    """All items (ascending) that may be an outlier in some language, the number of each item's list, and the lists.

    ``statements`` has the numbers of the class-making statements of items of the graph.
    """
    items = distinct(np.concatenate([np.zeros(0, dtype=np.uint32), *by_language]))
    classes, others, made = graph.classes.take(items), graph.other_classes.take(items), statements.take(items)
    nodes, is_node = indices_of(graph.items[items], graph.nodes)
    nodes[~is_node] = NO_NODE
    # What items differ in besides their classes, as one more number; 0 for nothing, as most have.
    apart = np.flatnonzero(is_node | (others.counts() > 0) | (made.counts() > 0))
    further = np.zeros(len(items), dtype=np.int64)
    further[apart] = 1 + _distinct_rows(others.take(apart), made.take(apart), nodes[apart], len(graph.nodes))
    count, numbers = rank_keys(pack_pairs(class_lists(classes)[0], further))
    example = np.zeros(count, dtype=np.int64)
    example[numbers] = np.arange(len(items))
    return items, numbers, PoolLists(classes.take(example), others.take(example), made.take(example), nodes[example])


def _distinct_rows(others: CsrRows, made: CsrRows, nodes: Int64s, node_count: int) -> Int64s:
    """A number for each row of all three: the same where all three are equal."""
    owners = np.arange(len(nodes))
    # Nodes of three kinds share one range of numbers: other classes, the items' own nodes, then statements.
    sources = np.concatenate([others.sources(), owners, made.sources()])
    kinds = [others.targets, nodes + 1 + node_count, made.targets.astype(np.int64) + 2 * node_count + 2]
    numbers, _ = class_lists(CsrRows.from_pairs(sources, np.concatenate(kinds), len(nodes)))
    return numbers


def class_lists(rows: CsrRows) -> tuple[Int64s, CsrRows]:
    """For each row the number of its list, and the distinct lists; rows must be sorted.

    Lists are compared exactly, not by hash: each round extends the prefix of every row by one class, and numbers the
    distinct prefixes.

    >>> rows = CsrRows(np.array([0, 2, 3, 5]), np.array([4, 6, 4, 4, 6]))    # [4, 6], [4], [4, 6]
    >>> numbers, lists = class_lists(rows)
    >>> numbers.tolist(), [lists.row(number).tolist() for number in range(len(lists))]
    ([1, 0, 1], [[4], [4, 6]])
    """
    counts = rows.counts()
    prefix = np.zeros(len(rows), dtype=np.int64)
    known = 1
    for step in range(int(counts.max(initial=0))):
        longer = np.flatnonzero(counts > step)
        count, ranks = rank_keys(pack_pairs(prefix[longer], rows.targets[rows.offsets[longer] + step]))
        prefix[longer] = known + ranks
        known += count
    count, numbers = rank_keys(prefix.astype(np.uint64))
    example = np.zeros(count, dtype=np.int64)
    example[numbers] = np.arange(len(rows))
    return numbers, rows.take(example)


# What shares of a class are counted over: the statements of its instances, and the instances that nothing links to.

# A statement is one number: the property by its index, then the item that is the value.
_VALUE_BITS: Final = 56


@dataclass(frozen=True, slots=True)
class ItemStatements:
    """Statements whose value is an item: of each the number of its item, and the property and value as one key."""

    items: Int64s
    keys: Int64s

    @staticmethod
    def of_columns(items: Int64s, statements: pa.ChunkedArray, properties: Sequence[str]) -> "ItemStatements":
        """The statements of some properties, from item numbers and ``statements`` as in ``schemas.ENTITIES``."""
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


@dataclass(frozen=True, slots=True)
class UnlinkedItems:
    """Items that are not in the graph because nothing links to them, with one row for all equal ones.

    Row i is ``counts[i]`` items whose nodes are row i of ``classes``; ``statements.items`` are rows, all of whose items
    have the statement. Most items of Wikidata have no sitelink. They can neither be named nor drawn, but how many
    instances of a class have another class, or a certain statement, depends on them:

        items   classes                     statements
        4,120   Q13442814 (article)         none
           31   Q5 (human)                  member of: Royal Society
            2   Q5 (human), Q19595382       none
    """

    counts: Int64s
    classes: CsrRows
    statements: ItemStatements

    @staticmethod
    def of_table(graph: ClassGraph, table: pa.Table, properties: Sequence[str]) -> "UnlinkedItems":
        """From rows of ``schemas.UNLINKED``, with the statements of some properties.

        As in the graph, an item that has lost all its nodes does not count, nor does a page without a subject.
        """
        numbers, lists = np.arange(len(table)), table["instance_of"].combine_chunks()
        coded = lists.flatten().dictionary_encode()
        known = qid_numbers(coded.dictionary)
        nodes, is_node = indices_of(known, graph.nodes)
        _, no_subject = indices_of(known, graph.no_subjects)
        codes, owners = coded.indices.to_numpy(), np.repeat(numbers, np.diff(lists.offsets))
        counted = np.ones(len(table), dtype=bool)
        counted[owners[no_subject[codes]]] = False
        kept = is_node[codes] & counted[owners]
        classes = CsrRows.from_pairs(owners[kept], nodes[codes[kept]], len(table))
        rows = np.flatnonzero(classes.counts())
        statements = ItemStatements.of_columns(numbers, table["statements"], properties)
        indices, found = indices_of(statements.items, rows)
        return UnlinkedItems(
            table["items"].to_numpy()[rows],
            classes.take(rows),
            ItemStatements(indices[found], statements.keys[found]),
        )

    @staticmethod
    def join(parts: Sequence["UnlinkedItems"]) -> "UnlinkedItems":
        """The items of several tables as one; those with the same classes and no statement are one row."""
        none = np.zeros(0, dtype=np.int64)
        begins = offsets_of(np.array([len(part.counts) for part in parts], dtype=np.int64))
        counts = np.concatenate([none, *(part.counts for part in parts)])
        targets = np.concatenate([none.astype(np.uint32), *(part.classes.targets for part in parts)])
        classes = CsrRows(offsets_of(np.concatenate([none, *(part.classes.counts() for part in parts)])), targets)
        statements = ItemStatements.join(
            [
                ItemStatements(part.statements.items + begin, part.statements.keys)
                for part, begin in zip(parts, begins[:-1], strict=True)
            ]
        )
        silent = np.ones(len(counts), dtype=bool)
        silent[statements.items] = False
        speaking = np.flatnonzero(~silent)
        list_of, lists = class_lists(classes.take(np.flatnonzero(silent)))
        together = np.bincount(list_of, counts[silent], minlength=len(lists)).astype(np.int64)
        said = classes.take(speaking)
        return UnlinkedItems(
            np.concatenate([counts[speaking], together]),
            CsrRows(
                offsets_of(np.concatenate([said.counts(), lists.counts()])),
                np.concatenate([said.targets, lists.targets]),
            ),
            ItemStatements(np.searchsorted(speaking, statements.items), statements.keys),
        )


NO_UNLINKED: Final = UnlinkedItems.join([])

# Statements that make a class: nearly all of its instances have them, and few other items do.

# Nearly all instances: this share of the instances that have any statement of the property.
_NEARLY_ALL: Final = 9, 10
# Few others: this share of all that have the statement are instances.
_MOST: Final = 1, 2
_Keys = TypeVar("_Keys", PairKeys, Int64s)


def class_making_statements(
    graph: ClassGraph, statements: ItemStatements, minimum: int, unlinked: UnlinkedItems = NO_UNLINKED
) -> tuple[SparseRows, SparseRows]:
    """For each node the numbers of the statements that make it, and for each item which of these statements it has.

    *Member state of the United Nations* is a class, and *member of: United Nations* a statement. Denmark has the
    statement and is an instance of something else, so the graph alone takes it for an outlier of the class. A statement
    makes a class if, of the items in the graph and the ``unlinked`` ones,

    1. at least ``minimum`` instances of the class have it, as many as a cluster needs;
    2. of the instances that have any statement of the property, at least nine tenths have this one;
    3. of all items that have the statement, at least half are instances of the class.

    With 193 instances, 190 of which have a *member of*:

        member of         instances   all items    share   share of all
        United Nations    188         197          .99     .95             makes the class
        Interpol          185         196          .97     .94             makes the class
        African Union     54          55           .28     .98             does not: (2)
        Universe, say     190         4,000        1.0     .05             does not: (3)

    Nine tenths allows for missing statements. If few instances have a property, it only excludes items with that
    statement.
    """
    items, found = indices_of(statements.items, graph.items)
    holders = [
        _Holders(graph.classes, items[found], statements.keys[found]),
        _Holders(unlinked.classes, unlinked.statements.items, unlinked.statements.keys, unlinked.counts),
    ]
    keys, numbers = _together(holder.count_keys() for holder in holders)
    frequent = keys[numbers >= minimum]  # only these can make a class
    having = [holder.having(frequent) for holder in holders]
    pairs, inside = _together(holder.by_class(one) for holder, one in zip(holders, having, strict=True))
    enough = inside >= minimum
    made, nodes, inside = first_of(pairs[enough]), second_of(pairs[enough]), inside[enough]
    speakers, with_any = _together(holder.by_class(holder.speaking()) for holder in holders)
    property_of = frequent >> _VALUE_BITS
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

    Row i is ``numbers[i]`` equal items, or one item if there are no numbers.
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
        return sort_pairs(pack_pairs(self.keys >> _VALUE_BITS, self.rows))

    def by_class(self, pairs: PairKeys) -> tuple[PairKeys, Int64s]:
        """From distinct (what, row): every (what, node), and how many instances of the node have it."""
        classes = self.classes.take(second_of(pairs))
        keys = pack_pairs(first_of(pairs)[classes.sources()], classes.targets)
        return _add_up(keys, None if self.numbers is None else self.numbers[second_of(pairs)][classes.sources()])

    def count(self, pairs: PairKeys, length: int) -> Int64s:
        """How many items have each of ``length`` statements, from their (statement, row)."""
        numbers = None if self.numbers is None else self.numbers[second_of(pairs)]
        return np.bincount(first_of(pairs), numbers, minlength=length).astype(np.int64)


def _together(parts: Iterable[tuple[_Keys, Int64s]]) -> tuple[_Keys, Int64s]:
    keys, numbers = zip(*parts, strict=True)
    return _add_up(np.concatenate(keys), np.concatenate(numbers))


def _add_up(keys: _Keys, numbers: Int64s | None) -> tuple[_Keys, Int64s]:
    """The distinct keys, ascending, and the sum of each one's numbers; without numbers, how often each occurs."""
    if numbers is None:
        ordered = np.sort(keys)
        starts = np.flatnonzero(differs_from_previous(ordered))
        return ordered[starts], np.diff(np.append(starts, len(ordered)))
    count, ranks = rank_keys(keys)
    known = np.empty(count, dtype=keys.dtype)
    known[ranks] = keys
    # Floating-point sums are exact up to 2**53.
    return known, np.bincount(ranks, numbers, minlength=count).astype(np.int64)
