"""Certificates, contradictions and levels of groups of any data set whose items are known, by the class graph of a run.

A build writes what it found into its groups (``wikisem.graph.outlier_sets.overlap``). Here all of it is found again, by
the whole graph of the same dump or of another one, whatever the groups say of themselves.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from wikisem.arrow.columns import distinct
from wikisem.arrow.parquet import read_parquet
from wikisem.errors import MissingInputError
from wikisem.files import list_files, read_if_there
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import CsrRows, Ints, indices_of, pairs_from
from wikisem.graph.outlier_sets.class_lists import CountedLists
from wikisem.graph.outlier_sets.neighbourhood import AncestorIndex, build_ancestor_index
from wikisem.graph.outlier_sets.overlap import MOST_SHARED, Overlap, OverlapIndex, build_overlap_index, count_lists
from wikisem.graph.store import open_arrays
from wikisem.ids import is_qid, qid_number
from wikisem.layout import ENTITIES, TAXONOMY, find_folder, record_path, unlinked_folder
from wikisem.records import Group, Member

# The strength that certificates are asked for where a recipe asks for none.
STRENGTH: Final = 8

# What is asked of a group, as ``wikisem check`` lists it.
Rule: TypeAlias = Literal["certificate", "contradiction", "levels", "no-instance"]


def find_unproven(
    groups: Sequence[Group], output: str, strength: int, name: Callable[[str], str] = str
) -> Iterator[tuple[Group, Rule, str]]:
    """Each group with a rule and what breaks it: an outlier without a certificate, a member with a contradiction.

    A *certificate* is a class of the outlier that shares no instance with the group's class, though both have
    ``strength`` instances; a *contradiction* is the only instance that two classes share. Other rules are that all
    items of a group are types, or none is, and that members are instances of its class. ``output`` is the OUT of a run,
    ``name`` names a class by its QID. MissingInputError if it has no class graph, or no word has a known item.
    """
    known = [group for group in groups if is_qid(group.id) and any(one.id for one in group.members)]
    if not known:
        raise MissingInputError("expected groups with the QIDs of classes and items for --taxonomy, saw words alone")
    if read_if_there(record_path(output, ENTITIES)) is None:  # which count the items that nothing links to
        raise MissingInputError(f"{output}: expected the output folder of a run, saw no record of its entities")
    # The classes of all items of the dump, each distinct list of them with the number of its items.
    graph = open_arrays(ClassGraph, find_folder(output, TAXONOMY, read_if_there))
    unlinked = list_files(f"{unlinked_folder(find_folder(output, ENTITIES, read_if_there))}/*.parquet")
    tables = [CountedLists.of_table(graph, read_parquet(path)) for path in unlinked]
    all_lists = count_lists(graph, CountedLists.join(tables))
    # The items in the groups, by number and by index in the graph, with the classes (nodes) that they state.
    numbers = distinct(_numbers_of(one.id for group in known for one in group.members if one.id))
    items, in_graph = indices_of(numbers, graph.items)
    numbers, items = numbers[in_graph], items[in_graph]
    stated = graph.stated(items)
    # What is above all of these classes and those of the groups, and what to count from how many instances they share.
    nodes, is_node = indices_of(_numbers_of(group.id for group in known), graph.nodes)
    group_nodes = distinct(nodes[is_node])
    terminals = distinct(np.concatenate([group_nodes, all_lists.classes.targets, stated.targets]))
    ancestors = build_ancestor_index(graph.whole_up, terminals)
    stated_rows = CsrRows(stated.offsets, ancestors.node_to_row[stated.targets])
    index = build_overlap_index(all_lists, ancestors, group_nodes, stated_rows, graph.is_type(items))
    overlap = Overlap(graph, ancestors, index, strength)
    proofs = _Proofs(graph, ancestors, index, overlap, strength, name, numbers, items)
    for group in known:
        yield from ((group, rule, detail) for rule, detail in proofs.broken(group))


@dataclass(frozen=True)
class _Proofs:
    """What is asked of the whole graph: ``numbers`` are its items that are in groups, ascending, ``items`` their rows.

    Row i of the pool of ``index`` has the classes of item i.
    """

    graph: ClassGraph
    ancestors: AncestorIndex
    index: OverlapIndex
    overlap: Overlap
    strength: int
    name: Callable[[str], str]
    numbers: Ints
    items: Ints

    def broken(self, group: Group) -> Iterator[tuple[Rule, str]]:
        """The rules that a group breaks, each with what breaks it in words.

        An outlier's *certificate* is a class of it that shares no instance with the group's class: one that the graph
        lacks has none, and of a word without id nothing is asked. Its *level*, type or individual, has to be that of
        most members, so that members of both, a fault of their own, do not make every outlier one, too.
        """
        (node,), (is_node,) = indices_of(_numbers_of([group.id]), self.graph.nodes)
        if not is_node:
            yield "certificate", f"expected a class of the class graph, saw {group.id}"
            return
        # By QID, the row of each item of the group in the arrays of the index, and whether it is a type.
        qids = [one.id for one in group.members if one.id]
        found, is_known = indices_of(_numbers_of(qids), self.numbers)
        rows = {qid: row for qid, row, known in zip(qids, found.tolist(), is_known.tolist(), strict=True) if known}
        is_type = {qid: bool(self.index.is_type[row]) for qid, row in rows.items()}
        members = [one for one in group.cluster if one.id in rows]
        types = [one for one in members if is_type[one.id]]
        if 0 < len(types) < len(members):
            named = ", ".join(one.name for one in types)
            yield "levels", f"{len(types)} of {len(members)} members are types, the others individuals: {named}"
        # The rules on members, then those on outliers.
        yield from self._members(int(node), members, rows)
        are_types = 2 * len(types) > len(members)
        for outlier in group.outliers:
            if outlier.id not in rows:
                if outlier.id:
                    yield "certificate", f"{outlier.name} is not in the class graph"
                continue
            if fault := self._fault(int(node), rows[outlier.id]):
                yield "certificate", f"{outlier.name}: {fault}"
            if members and is_type[outlier.id] != are_types:
                own, theirs = ("a type", "individuals") if is_type[outlier.id] else ("an individual", "types")
                yield "levels", f"{outlier.name} is {own}, most members are {theirs}"

    def _members(self, node: int, members: Sequence[Member], rows: dict[str, int]) -> Iterator[tuple[Rule, str]]:
        """Members that are no instance of the class (a node), and those that are the only one of it and another class.

        ``rows`` has the row of each member, by its QID, in the arrays of the index.
        """
        # A member is an instance if the class is above one it states. Classes of a cycle are one component.
        stated = self.index.pool.take(np.array([rows[one.id] for one in members], dtype=np.int64))
        positions, above = pairs_from(self.ancestors.component_parents, stated.sources(), stated.targets)
        are_instances = set(positions[above == self.ancestors.component_of(np.array([node]))[0]].tolist())
        for position, member in enumerate(members):
            if position not in are_instances:
                yield "no-instance", f"member {member.name} is no instance of the class, nor of one below it"
        instances = [member for position, member in enumerate(members) if position in are_instances]
        items = self.items[[rows[one.id] for one in instances]]
        # For each the other class (node), or -1; the positions are those of the one class that is asked about.
        excluding = self.overlap.contradictions(np.array([node]))(np.zeros(len(items), dtype=np.int64), items)
        for member, other in zip(instances, excluding.tolist(), strict=True):
            if other >= 0:
                name = self.name(self.graph.qid(other))
                yield "contradiction", f"member {member.name} is the only instance of both the class and {name}"

    def _fault(self, node: int, row: int) -> str:
        """Why an outlier, by its row in the index, is not proven to be no instance of a class (node); empty if it is.

        The proof, a *certificate*, is a class that it is an instance of and that shares no instance with ``node``. None
        of its direct classes may share MOST_SHARED or more of its instances.
        """
        if self.overlap.certificate(node, row) is None:
            return f"no class of it with more than {self.strength} instances is without an instance of the class"
        # Of each direct class that shares any: how many instances it shares, and has besides the outlier. Classes are
        # components: those of a cycle are one.
        _, components, shared_counts = self.overlap.shared(np.array([node]))
        own = distinct(self.index.pool.row(row))
        own = own[np.isin(own, components)]
        shared, others = shared_counts[np.searchsorted(components, own)], self.index.instances[own] - 1
        too_close = np.flatnonzero(shared >= MOST_SHARED * others)
        if not len(too_close):
            return ""
        first = too_close[0]
        named = self.name(self.graph.qid(int(self.ancestors.row_to_node[self.ancestors.component_starts[own[first]]])))
        return f"{shared[first]:,} of {others[first]:,} other instances of its class {named} are of the class"


def _numbers_of(qids: Iterable[str]) -> Ints:
    """The numbers of classes or items; -1 for one that no graph can have."""
    numbers = [qid_number(qid) for qid in qids]
    return np.array([number if number < 2**63 else -1 for number in numbers], dtype=np.int64)
