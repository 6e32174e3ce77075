"""The class graph of Wikidata by QID: what is above, below, an instance of, or near a class.

The graph is the pruned one of the method (see ``wikisem.graph.class_graph``); with ``GraphOptions(root="",
disambiguation=())`` it is all of Wikidata's P31 and P279. ``wikisem.graph.store`` keeps its arrays on disk.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from wikisem.arrow.columns import distinct, qids_of
from wikisem.errors import UnknownItemError, optional_module
from wikisem.files import read_if_there
from wikisem.graph.class_graph import ClassGraph, ItemEdges, build_graph
from wikisem.graph.csr import CsrRows, Ints, closure, indices_of
from wikisem.graph.store import open_arrays, save_arrays
from wikisem.ids import qid_number, qid_of
from wikisem.layout import find_folder
from wikisem.recipes.options import GraphOptions
from wikisem.records import Entity

# The file names of a contracted graph begin with this, in the folder of the class graph.
PREFIX: Final = "contracted."


@dataclass(frozen=True, slots=True)
class ContractedGraph:
    """The class graph without leaves: 100,000 nodes in place of four million, on which distances are searched.

    A *leaf* has no subclasses and at most two superclasses. A path that passes through it enters from one superclass
    and leaves to the other, so one edge of length two between these replaces every leaf that they share, unless they
    are neighbours anyway. A path that ends at a leaf ends at one of its superclasses, a step earlier.

    ``kept_nodes`` (ascending) are the others, known by their index here. ``edges_1`` lead to the nodes one step away,
    up or down, ``edges_2`` to those two steps away through a leaf.

        before      one   other     d(one, other) = 2
                      \\   /
                       leaf          leaf ∉ kept_nodes

        contracted  one ═══ other    edges_2: length two
    """

    kept_nodes: Ints
    edges_1: CsrRows
    edges_2: CsrRows


def contract_graph(graph: ClassGraph) -> ContractedGraph:
    """Take out leaves (no children, at most two parents); this changes no distance between the other nodes."""
    parent_counts = graph.up.counts()  # of a leaf with more, each pair of parents would need an edge
    is_leaf = (graph.down.counts() == 0) & (parent_counts <= 2)
    kept = np.flatnonzero(~is_leaf).astype(np.uint32)
    index_of = np.cumsum(~is_leaf, dtype=np.uint32) - np.uint32(1)
    up = graph.up.take(kept)
    edges_1 = CsrRows.undirected(up.sources(), index_of[up.targets], len(kept))
    # For each leaf with two parents, an edge of length two joins these, unless they are neighbours anyway.
    parents = index_of[graph.up.take(np.flatnonzero(is_leaf & (parent_counts == 2))).targets].reshape(-1, 2)
    edges_2 = CsrRows.undirected(parents[:, 0], parents[:, 1], len(kept))
    return ContractedGraph(kept, edges_1, edges_2.without(edges_1))


class _Reach(NamedTuple):
    """How far a walk from one end has come, after a number of ``steps``.

    ``frontier`` are the nodes that it has come to in the last step, and ``seen`` has one number for each node: 0 before
    the walk comes there, then the number of steps plus 1. ``edges`` counts those that the next step follows.
    """

    steps: int
    frontier: Ints
    seen: npt.NDArray[np.int32]
    edges: int


def _walk(graph: ClassGraph, contracted: ContractedGraph, node: int) -> Iterator[_Reach]:
    """Walk from a node in all directions, a step at a time, and yield how far it has come after each step.

    Only the contracted graph is walked, which lacks leaves: a walk from a leaf begins at its superclasses, at step 1.
    ``edges_1`` lead to nodes one step away, ``edges_2`` to those two steps away. ``seen`` is the same array each time.
    """
    seen = np.zeros(len(contracted.kept_nodes), dtype=np.int32)
    previous: Ints = np.zeros(0, dtype=np.int64)
    # A number of the same width, because numpy would widen all of ``kept_nodes`` at every call otherwise.
    index = np.searchsorted(contracted.kept_nodes, np.uint32(node))
    is_kept = index < len(contracted.kept_nodes) and contracted.kept_nodes[index] == node
    frontier: Ints = np.array([index]) if is_kept else np.searchsorted(contracted.kept_nodes, graph.up.row(node))
    steps = 0 if is_kept else 1
    while len(previous) or len(frontier):
        seen[frontier] = steps + 1  # 0 is for nodes that are not seen yet
        ways = (contracted.edges_1, frontier), (contracted.edges_2, previous)
        edges = sum(int((rows.offsets[nodes + 1] - rows.offsets[nodes]).sum()) for rows, nodes in ways)
        yield _Reach(steps, frontier, seen, edges)
        # The next frontier is one step from this one, or two from the one before.
        beyond = np.concatenate([rows.take(nodes).targets for rows, nodes in ways])
        previous, frontier = frontier, distinct(beyond[seen[beyond] == 0])
        steps += 1


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
        return self._along(self.graph.up, qid)

    def subclasses(self, qid: str) -> list[str]:
        """P⁻¹(v): the direct subclasses of a class; empty for an item that is not a class."""
        return self._along(self.graph.down, qid)

    def above(self, qid: str) -> list[str]:
        """All superclasses, transitively (``wdt:P279+``), without the class itself even when it is on a cycle."""
        return self._along(self.graph.up, qid, transitively=True)

    def below(self, qid: str) -> list[str]:
        """All subclasses, transitively (``^wdt:P279+``), without the class itself even when it is on a cycle."""
        return self._along(self.graph.down, qid, transitively=True)

    def instances(self, qid: str) -> list[str]:
        """I(v): the items that are an instance of the class itself."""
        node = self._node(qid)
        items = self.graph.instances.row(node) if node is not None else self.graph.instances.targets[:0]
        return qids_of(self.graph.items[np.sort(items)].astype(np.int64))

    def most_linked(self, qid: str, count: int) -> list[tuple[str, int]]:
        """The first ``count`` instances of a class, I(v), and their sitelinks: most sitelinks first, then by number."""
        node = self._node(qid)
        if node is None:
            return []
        items = self.graph.instances.row(node)[:count]
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
        """The direct superclasses of a class before pruning: those in the graph, and pruned ones below such a class.

        ``qid`` may also be such a pruned class; empty for anything else that is not a class in the graph.
        """
        graph = self.graph
        node, hidden = _index(graph.nodes, qid), _index(graph.hidden, qid)
        if node is None and hidden is not None:  # pruned, and numbered after all nodes
            node = len(graph.nodes) + hidden
        return [] if node is None else self._qids(graph.whole_up.row(node))

    def whole_classes(self, qid: str) -> list[str]:
        """What an item is an instance of before pruning, at any sound rank; pruned classes as above."""
        item = _index(self.graph.items, qid)
        return [] if item is None else self._qids(self.graph.stated(np.array([item])).targets)

    def depth(self, qid: str) -> int | None:
        """Steps from the root down to a class before anything was pruned; None if the root is not above it."""
        node = self._node(qid)
        depth = -1 if node is None else int(self.graph.depth[node])
        return None if depth < 0 else depth

    def distance(self, one: str, other: str, limit: int | None = None) -> int | None:
        """d(a, b): steps over P279 edges in both directions; None beyond ``limit`` or without a path.

        A walk starts from each end, over edges of length one and two, and one of them takes a step at a time. After r
        steps from one end and s from the other, every path shorter than r + s has a node that both have seen.
        """
        first, second = self._node(one), self._node(other)
        if one == other:
            return 0
        if first is None or second is None:
            return None
        walks = [_walk(self.graph, self.contracted, node) for node in (first, second)]
        ends, mover = [next(walk, None) for walk in walks], 0
        while (moved := ends[mover]) is not None and (waiting := ends[1 - mover]) is not None:
            # The shortest path is the first through a node that one walk has just reached and the other has seen.
            met = waiting.seen[moved.frontier]  # 0 for a node not seen yet, else its steps from the other end, plus 1
            if met.any():
                found = moved.steps + int(met[met > 0].min()) - 1
                return found if limit is None or found <= limit else None
            if limit is not None and moved.steps + waiting.steps > limit:
                return None
            # The walk with fewer edges to follow moves, so that a class with very many neighbours is opened last.
            mover = mover if moved.edges <= waiting.edges else 1 - mover
            ends[mover] = next(walks[mover], None)
        return None

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
        return _index(self.graph.nodes, qid) is not None or _index(self.graph.items, qid) is not None

    def _along(self, rows: CsrRows, qid: str, *, transitively: bool = False) -> list[str]:
        """The classes to which the edges of a class lead, or all that can be reached along such edges but itself."""
        node = self._node(qid)
        if node is None:
            return []
        nodes = closure(rows, node) if transitively else rows.row(node)
        return self._qids(nodes[nodes != node])

    def _node(self, qid: str) -> int | None:
        """The node of a class; None for an instance that is not a class."""
        node = _index(self.graph.nodes, qid)
        if node is None and _index(self.graph.items, qid) is None:
            pruned = _index(self.graph.removed, qid) is not None
            raise UnknownItemError(f"expected an item of the class graph, saw {qid}" + (", pruned" if pruned else ""))
        return node

    def _qids(self, nodes: Ints) -> list[str]:
        """The QIDs of nodes and hidden classes, as ``ClassGraph`` numbers them, in the order of their numbers."""
        count = len(self.graph.nodes)
        kept, hidden = self.graph.nodes[nodes[nodes < count]], self.graph.hidden[nodes[nodes >= count] - count]
        return qids_of(np.sort(np.concatenate([kept, hidden])))


def _index(numbers: Ints, qid: str) -> int | None:
    number = qid_number(qid)
    if number >= 2**63:
        return None
    indices, found = indices_of(np.array([number]), numbers)
    return int(indices[0]) if found[0] else None
