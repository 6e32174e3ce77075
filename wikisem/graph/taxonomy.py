"""The class graph of Wikidata by QID: what is above, below, an instance of, or near a class.

The graph is the pruned one of the method (see ``wikisem.graph.class_graph``); with ``GraphOptions(root="",
disambiguation=())`` it is all of Wikidata's P31 and P279. On disk each array is one .npy file, which is mapped into the
memory of every process that opens it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from wikisem.arrow.columns import distinct, qids_of
from wikisem.errors import UnknownItemError, optional_module
from wikisem.files import read_if_there
from wikisem.graph.class_graph import ClassGraph, ItemEdges, build_graph
from wikisem.graph.csr import CsrRows, Ints, closure, indices_of
from wikisem.graph.distance import PREFIX, ContractedGraph, contract_graph, distance_between
from wikisem.graph.store import open_arrays, save_arrays
from wikisem.ids import qid_number, qid_of
from wikisem.layout import find_folder
from wikisem.recipes.options import GraphOptions
from wikisem.records import Entity


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """The class graph of Wikidata; it takes and returns QIDs as strings, lists in the order of their numbers.

    Every method raises UnknownItemError, a KeyError that names the QID, for an item that is neither a class nor an
    instance of a class in the graph, and BadIdError for a string that is not a QID.

    >>> taxonomy = Taxonomy.of_entities([
    ...     Entity("Q42", instance_of=("Q1028181",)),
    ...     Entity("Q1028181", subclass_of=("Q483501",)),
    ...     Entity("Q36180", subclass_of=("Q482980",)),
    ...     Entity("Q482980", subclass_of=("Q483501",)),
    ... ])
    >>> taxonomy.below("Q483501")
    ['Q36180', 'Q482980', 'Q1028181']
    >>> taxonomy.instances_below("Q483501")
    ['Q42']
    >>> taxonomy.distance("Q1028181", "Q36180")
    3
    """

    graph: ClassGraph
    contracted: ContractedGraph

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Taxonomy":
        """Open the class graph of an output folder; arrays are memory-mapped, and only the row offsets are read.

        ``path`` is OUT, ``OUT/taxonomy``, the folder in it that holds the arrays, or one that ``save`` wrote. Raises
        MissingInputError when no class graph is there, DamagedInputError when it cannot be read.
        """
        folder = find_folder(str(path), "taxonomy", read_if_there)
        return cls(open_arrays(ClassGraph, folder), open_arrays(ContractedGraph, folder, PREFIX))

    @classmethod
    def of_entities(cls, entities: Iterable[Entity], options: GraphOptions | None = None) -> "Taxonomy":
        """Build the graph of some items in memory, pruned as the options say."""
        graph = build_graph([ItemEdges.of_entities(entities)], options or GraphOptions())
        return cls(graph, contract_graph(graph))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the graph to a folder that ``load`` opens."""
        save_arrays(self.graph, str(path))
        save_arrays(self.contracted, str(path), PREFIX)

    def superclasses(self, qid: str) -> list[str]:
        """P(v): the direct superclasses of a class; empty for an item that is not a class."""
        return self._qids(self._row(self.graph.up, qid))

    def subclasses(self, qid: str) -> list[str]:
        """P⁻¹(v): the direct subclasses of a class; empty for an item that is not a class."""
        return self._qids(self._row(self.graph.down, qid))

    def above(self, qid: str) -> list[str]:
        """All superclasses, transitively (``wdt:P279+``), without the class itself even when it is on a cycle."""
        return self._beyond(self.graph.up, qid)

    def below(self, qid: str) -> list[str]:
        """All subclasses, transitively (``^wdt:P279+``), without the class itself even when it is on a cycle."""
        return self._beyond(self.graph.down, qid)

    def instances(self, qid: str) -> list[str]:
        """I(v): the items that are an instance of the class itself."""
        return qids_of(self.graph.items[np.sort(self._row(self.graph.instances, qid))].astype(np.int64))

    def most_linked(self, qid: str, count: int) -> list[tuple[str, int]]:
        """The first ``count`` of I(v) with their sitelinks, most sitelinks first, then by number."""
        items = self._row(self.graph.instances, qid)[:count]
        numbers, sitelinks = self.graph.items[items].tolist(), self.graph.sitelinks[items].tolist()
        return [(qid_of(number), links) for number, links in zip(numbers, sitelinks, strict=True)]

    def instances_below(self, qid: str) -> list[str]:
        """I*(v): the instances of the class and of everything below it."""
        node = self._node(qid)
        if node is None:
            return []
        items = distinct(self.graph.instances.take(closure(self.graph.down, node)).targets)
        return qids_of(self.graph.items[items].astype(np.int64))

    def classes(self, qid: str) -> list[str]:
        """The classes that an item is a direct instance of; empty for a class that is not an instance."""
        item = _index(self.graph.items, qid)
        if item is None:
            self._node(qid)  # it is at least a class
            return []
        return self._qids(self.graph.classes.row(item))

    def whole_superclasses(self, qid: str) -> list[str]:
        """The direct superclasses of a class before pruning, with the pruned ones that lead to a class in the graph.

        ``qid`` may also be such a pruned class; empty for anything else that is not a class in the graph.
        """
        graph = self.graph
        node, hidden = _index(graph.nodes, qid), _index(graph.hidden, qid)
        if node is None and hidden is not None:
            node = len(graph.nodes) + hidden
        return [] if node is None else self._whole_qids(graph.whole_up.row(node))

    def whole_classes(self, qid: str) -> list[str]:
        """What an item is an instance of before pruning, at any sound rank; pruned classes as above."""
        item = _index(self.graph.items, qid)
        if item is None:
            return []
        others = self.graph.other_classes.take(np.array([item])).targets
        return self._whole_qids(distinct(np.concatenate([self.graph.classes.row(item), others])))

    def depth(self, qid: str) -> int | None:
        """Steps from the root down to a class before anything was pruned; None if the root is not above it."""
        node = self._node(qid)
        depth = -1 if node is None else int(self.graph.depth[node])
        return None if depth < 0 else depth

    def distance(self, one: str, other: str, limit: int | None = None) -> int | None:
        """d(a, b): steps over P279 edges in both directions; None beyond ``limit`` or without a path."""
        first, second = self._node(one), self._node(other)
        if one == other:
            return 0
        if first is None or second is None:
            return None
        return distance_between(self.graph, self.contracted, first, second, limit)

    def to_networkx(self, around: str, radius: int = 1) -> Any:
        """The classes within ``radius`` steps of one, as a ``networkx.DiGraph``, edges from sub- to superclass."""
        nx = optional_module("networkx", "to_networkx", "figures")
        neighbourhood = nx.DiGraph()
        neighbourhood.add_node(around)
        node = self._node(around)
        frontier: Ints = np.array([] if node is None else [node], dtype=np.int64)
        seen = set(frontier.tolist())
        for _ in range(radius):
            up, down = self.graph.up.take(frontier), self.graph.down.take(frontier)
            lower = np.concatenate([frontier[up.sources()], down.targets])
            upper = np.concatenate([up.targets, frontier[down.sources()]])
            edges = zip(self.graph.nodes[lower].tolist(), self.graph.nodes[upper].tolist(), strict=True)
            neighbourhood.add_edges_from((qid_of(low), qid_of(high)) for low, high in edges)
            fresh = {*lower.tolist(), *upper.tolist()} - seen
            seen |= fresh
            frontier = np.array(sorted(fresh), dtype=np.int64)
        return neighbourhood

    def __contains__(self, qid: str) -> bool:
        try:
            self._node(qid)
        except UnknownItemError:
            return False
        return True

    def _beyond(self, rows: CsrRows, qid: str) -> list[str]:
        node = self._node(qid)
        if node is None:
            return []
        nodes = closure(rows, node)
        return self._qids(nodes[nodes != node])

    def _row(self, rows: CsrRows, qid: str) -> Ints:
        node = self._node(qid)
        return np.zeros(0, dtype=np.int64) if node is None else rows.row(node)

    def _node(self, qid: str) -> int | None:
        """The node of a class; None for an instance that is not a class."""
        node = _index(self.graph.nodes, qid)
        if node is None and _index(self.graph.items, qid) is None:
            pruned = _index(self.graph.removed, qid) is not None
            raise UnknownItemError(f"expected an item of the class graph, saw {qid}" + (", pruned" if pruned else ""))
        return node

    def _qids(self, nodes: Ints) -> list[str]:
        return qids_of(self.graph.nodes[np.sort(nodes)])

    def _whole_qids(self, nodes: Ints) -> list[str]:
        count = len(self.graph.nodes)
        kept, hidden = self.graph.nodes[nodes[nodes < count]], self.graph.hidden[nodes[nodes >= count] - count]
        return qids_of(np.sort(np.concatenate([kept, hidden])))


def _index(numbers: Ints, qid: str) -> int | None:
    number = qid_number(qid)
    if number >= 2**63:
        return None
    indices, found = indices_of(np.array([number]), numbers)
    return int(indices[0]) if found[0] else None
