"""Which classes are near which, and which are below which: bitsets carried over the class graph, 64 classes at a time.

Class i of those asked for has bit i of a 64-bit integer, and every node of the graph a set of these bits. Both searches
run on an index: the part of the graph that can matter for outlier sets.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.arrow.columns import distinct
from wikisem.graph import csr
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import Bitsets, CsrRows, Flags, Int64s, Ints

WIDTH: Final = 64
# The first targets of all rows are united column by column, up to this many; the rest of longer rows in one call.
_COLUMNS: Final = 12


@dataclass(frozen=True, slots=True)
class RowUnion:
    """Rows laid out so that few numpy calls unite the bitsets of the targets of every row, without a loop over rows.

    ``order`` are the rows that are not empty, longest first, so that those with a j-th target are always the first of
    them. ``columns[j]`` has the j-th target of every row that has one; ``rest`` is what long rows have beyond the
    columns, and ``starts`` is where each of them begins there; ``count`` is the number of all rows. ``reduceat`` alone
    would do, but it takes longer to begin a row than to read the one or two targets of most rows.

    With three classes, a graph in which node 2 leads to nodes 0 and 1, and classes 0 and 2 set on nodes 0 and 1:

    >>> bitsets = set_bits(3, np.array([0, 1]), np.array([0, 2]))
    >>> bitsets.tolist()                                              # node 0: {0}, node 1: {2}, node 2: {}
    [1, 4, 0]
    >>> rows = CsrRows.from_pairs(np.array([2, 2]), np.array([0, 1]), count=3)
    >>> RowUnion.of(rows).union(bitsets).tolist()                     # node 2: {0, 2}
    [0, 0, 5]
    """

    order: Int64s
    columns: tuple[Int64s, ...]
    rest: Int64s
    starts: Int64s
    count: int

    @staticmethod
    def of(rows: CsrRows) -> "RowUnion":
        """Lay rows out: the first targets of all rows as columns, and what long rows have beyond these as a rest.

        With two columns, rows [7], [] and [4, 5, 6] have the order [2, 0], columns [4, 7] and [5], and the rest [6].
        """
        # The rows that are not empty, longest first: those with a j-th target are the first of them.
        counts = rows.counts()
        order: Int64s = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
        counts, begins, targets = counts[order], rows.offsets[order].astype(np.int64), rows.targets.astype(np.int64)
        *with_column, with_rest = [int(np.count_nonzero(counts > column)) for column in range(_COLUMNS + 1)]
        tails = CsrRows.slices(begins[:with_rest] + _COLUMNS, begins[:with_rest] + counts[:with_rest], targets)
        return RowUnion(
            order=order,
            columns=tuple(targets[begins[:size] + column] for column, size in enumerate(with_column) if size),
            rest=tails.targets.astype(np.int64),
            starts=tails.offsets[:-1].astype(np.int64),
            count=len(rows),
        )

    def union(self, bitsets: Bitsets) -> Bitsets:
        """For each row the union (bitwise or) of the bitsets of its targets; target t has ``bitsets[t]``."""
        united = np.zeros(self.count, dtype=np.uint64)
        if len(self.order):
            # All targets are in range; with "clip" numpy does not check them before it begins.
            found: Bitsets = bitsets.take(self.columns[0], mode="clip")
            # Column j has the j-th target of all rows that have one. Rows come longest first, so these are the first.
            for column in self.columns[1:]:
                found[: len(column)] |= bitsets.take(column, mode="clip")
            if len(self.rest):
                found[: len(self.starts)] |= np.bitwise_or.reduceat(bitsets.take(self.rest, mode="clip"), self.starts)
            united[self.order] = found
        return united


@dataclass(eq=False, slots=True)
class BitPlanes:
    """The bitsets of many rows, laid out so that one bit of all of them is read quickly."""

    bitsets: Bitsets
    _planes: npt.NDArray[np.uint8] | None = None

    def rows_with(self, bit: int) -> Int64s:
        """All rows that have the bit, ascending."""
        if self._planes is None:
            # Eight planes with one byte for each row: reading one bit of all rows takes an eighth of the memory.
            shifted = [(self.bitsets >> np.uint64(shift)).astype(np.uint8) for shift in range(0, WIDTH, 8)]
            self._planes = np.stack(shifted)
        return np.flatnonzero((self._planes[bit // 8] & np.uint8(1 << bit % 8)) != 0)


def contains(bitsets: Bitsets, bits: Ints | np.uint64) -> Flags:
    """Whether each bitset has its bit; both arrays are broadcast against each other."""
    flags: Flags = (bitsets & (np.uint64(1) << bits.astype(np.uint64))) != 0
    return flags


def set_bits(count: int, rows: Ints, bits: Ints) -> Bitsets:
    """Bitsets of ``count`` rows in which row ``rows[i]`` has bit ``bits[i]``; negative rows are ignored."""
    bitsets = np.zeros(count, dtype=np.uint64)
    is_row = rows >= 0
    np.bitwise_or.at(bitsets, rows[is_row], np.uint64(1) << bits[is_row].astype(np.uint64))
    return bitsets


# Each round strips what the previous one exposed; after these, little is left to strip.
_ROUNDS: Final = 4
# Pushing a bitset to a neighbour takes about this many times as long as pulling one from a neighbour.
_PUSH_COST: Final = 6


@dataclass(frozen=True, slots=True)
class NeighbourhoodIndex:
    """The stripped graph: ``node_to_row`` gives the row of each node of the class graph, -1 if it was stripped.

    ``edges_1`` lead to the rows one step away, ``edges_2`` to those two steps away through a class that was stripped.

    Only paths between *ends* matter: the classes of the outlier pool and the parents of the candidate classes. A class
    that is not an end and has one neighbour is on no path between ends, so it is dropped. One with two neighbours is
    only passed through, so an edge of length two replaces it, one edge for all the classes with the same two
    neighbours. This changes no distance between ends, and most of the four million classes are dropped. With ends A
    and D:

        A ─ b ─ C ─ D        b has two neighbours: A ═══ C, an edge of length two
                │
                e            e has one neighbour: dropped
    """

    node_to_row: Ints
    edges_1: CsrRows
    edges_2: CsrRows


def build_neighbourhood_index(graph: ClassGraph, ends: Ints) -> NeighbourhoodIndex:
    """Strip the graph of both directions of P279 to what distances between the ``ends`` (nodes) depend on.

    Each round drops dead ends, then puts an edge of length two in place of a node that is only passed through.
    ``edges_1`` are the edges of length one, ``edges_2`` those of length two, from row to row; row i is node
    ``nodes[i]``. Every round numbers the rows anew.
    """
    count = len(graph.nodes)
    nodes: Ints = np.arange(count)
    is_end: Flags = np.zeros(count, dtype=bool)
    is_end[ends] = True
    edges_1 = CsrRows.undirected(graph.up.sources(), graph.up.targets, count)
    edges_2 = CsrRows.undirected(nodes[:0], nodes[:0], count)
    for _ in range(_ROUNDS):
        # Dead ends: nodes that are not ends and have fewer than two neighbours, and what then has too few as well.
        neighbours = edges_1.merged(edges_2)
        kept, degrees = np.ones(len(neighbours), dtype=bool), neighbours.counts()
        frontier: Ints = np.flatnonzero(~is_end & (degrees < 2))
        while len(frontier):
            kept[frontier] = False
            touched = neighbours.take(frontier).targets
            np.subtract.at(degrees, touched, 1)
            frontier = distinct(touched[(degrees[touched] < 2) & kept[touched] & ~is_end[touched]])
        # The edges between the kept nodes, which get new row numbers.
        kept_rows, new_row = np.flatnonzero(kept), np.cumsum(kept) - 1
        inner = [rows.keep(kept[rows.targets]) for rows in (edges_1.take(kept_rows), edges_2.take(kept_rows))]
        edges_1, edges_2 = (CsrRows(rows.offsets, new_row[rows.targets]) for rows in inner)
        is_end, nodes = is_end[kept], nodes[kept]
        # Passed through: no ends, with exactly two neighbours, one step away, neither of which is such a node itself.
        is_passed_through: Flags = ~is_end & (edges_1.counts() == 2) & (edges_2.counts() == 0)
        both = edges_1.take(np.flatnonzero(is_passed_through)).targets.reshape(-1, 2)
        is_passed_through[is_passed_through] = ~is_passed_through[both].any(axis=1)
        if not is_passed_through.any():
            break
        # An edge of length two replaces each unless there is a shorter one. Its row stays, empty, until the next round.
        both = edges_1.take(np.flatnonzero(is_passed_through)).targets.reshape(-1, 2)
        bridges = CsrRows.undirected(both[:, 0], both[:, 1], len(edges_1))
        sources, targets = edges_1.sources(), edges_1.targets
        stays = ~is_passed_through[sources] & ~is_passed_through[targets]
        edges_1 = CsrRows.from_pairs(sources[stays], targets[stays], len(edges_1))
        edges_2 = edges_2.merged(bridges).without(edges_1)
    return NeighbourhoodIndex(_new_numbers(nodes, count), edges_1, edges_2)


class NeighbourhoodSearch:
    """A stripped graph prepared to say which of the ``ends`` are nearer than ``distance`` to something.

    In the example of ``NeighbourhoodIndex``, a bit set on A reaches C in step 2, D in step 3.
    """

    def __init__(self, index: NeighbourhoodIndex, distance: int, ends: Ints) -> None:
        """Prepare to search from any rows of the index for the ``ends`` (nodes) fewer than ``distance`` steps away."""
        self.rows = len(index.edges_1)
        self._steps = distance - 1
        self._ends: Int64s = index.node_to_row[ends].astype(np.int64)
        # The edges of length one and two as one set of rows: with n rows, target n + i is row i, but two steps away.
        one, two = index.edges_1, index.edges_2
        sources = np.concatenate([one.sources(), two.sources()])
        targets = np.concatenate([one.targets.astype(np.int64), two.targets.astype(np.int64) + self.rows])
        self._neighbours = CsrRows.from_pairs(sources, targets, self.rows)
        self._degrees = self._neighbours.counts()
        self._pull_all = RowUnion.of(self._neighbours)
        # Only the ends are read, so the last step is taken for them alone.
        self._pull_ends = RowUnion.of(self._neighbours.take(self._ends))

    def near(self, bitsets: Bitsets) -> Bitsets:
        """For each end the union of the bitsets of all rows fewer than ``distance`` steps away.

        A row is a class of the index, and row i has ``bitsets[i]``. At each step, a row gets the bits that neighbours
        one step away have now, and those that the ones two steps away had a step before. The latter are row i as
        neighbour n + i, of n rows, so that both are read from one array: the bitsets of now, then of a step before.
        """
        size, neighbours = self.rows, self._neighbours
        now_and_before = np.concatenate([bitsets, np.zeros_like(bitsets)])
        for _ in range(self._steps - 1):
            # If many rows have bits, all rows pull them from their neighbours; if few have, only these push theirs.
            frontier = np.flatnonzero(now_and_before != 0)
            degrees = self._degrees[frontier % size]
            if _PUSH_COST * int(degrees.sum()) > len(neighbours.targets):
                received = self._pull_all.union(now_and_before)
            else:
                # Edges have no direction, so the row of a node also lists the rows that it pushes to. Bits of now go
                # over edges of length one, those of a step before over edges of length two.
                rows = neighbours.take(frontier % size)
                over_edge = np.repeat(frontier >= size, degrees) == (rows.targets >= size)
                pushed = np.repeat(now_and_before[frontier], degrees)
                received = np.zeros(size, dtype=np.uint64)
                np.bitwise_or.at(received, rows.targets[over_edge] % size, pushed[over_edge])
            now = now_and_before[:size] | received
            now_and_before[size:] = now_and_before[:size]
            now_and_before[:size] = now
        of_ends: Bitsets = now_and_before[self._ends]
        return of_ends | self._pull_ends.union(now_and_before) if self._steps else of_ends


@dataclass(frozen=True, slots=True)
class AncestorIndex:
    """The graph above the terminals. Its *rows* are nodes ordered by level, then by component.

    The terminals are the classes of the outlier pool, and in the whole graph also the items of the pool that are
    classes, and the candidates. Cycles are collapsed into components, and every component is on a level below all its
    parents, so that one pass over the levels carries bitsets from the top to the bottom. With B and C below A, D below
    B and C, and bit 0 set on B:

        level 0      A {}
        level 1    B {0}  C {}
        level 2      D {0}          D is below B, C is not

    ``node_to_row`` gives the row of each node of the class graph, -1 if it has none; ``row_to_node`` leads back.
    ``parents`` are the P279 edges from row to row. ``component`` is each row's component, ``component_starts`` the
    first row of each component, ``component_parents`` the P279 edges between components. Level i is the components
    ``level_starts[i]:level_starts[i + 1]``.
    """

    node_to_row: Ints
    row_to_node: Ints
    parents: CsrRows
    component: Ints
    component_starts: Int64s
    level_starts: Int64s
    component_parents: CsrRows

    def component_of(self, nodes: Ints) -> Ints:
        """The component of each node of the class graph; all of them must have a row."""
        found: Ints = self.component[self.node_to_row[nodes]]
        return found


def build_ancestor_index(up: CsrRows, terminals: Ints) -> AncestorIndex:
    """Order the terminals (nodes) and everything above them from the top down; ``up`` has the P279 edges of all nodes.

    Every class comes after all that is above it. Classes on a cycle are above each other and share a component.
    """
    # What is reached going up, numbered from 0 in the order of nodes, with the edges between these.
    size, nodes = len(up), np.flatnonzero(csr.steps_from(up, terminals) >= 0)
    reached = up.take(nodes)
    up = CsrRows(reached.offsets, _new_numbers(nodes, size)[reached.targets])
    # The component of each, and the edges between different components, which have no cycle.
    count, component = csr.rank_keys(csr.components(up))
    children, parents = component[up.sources()], component[up.targets]
    component_up = CsrRows.from_pairs(children[children != parents], parents[children != parents], count)
    # New numbers: components by level from the top, then rows by component.
    level = csr.levels(component_up)
    by_level = np.argsort(level, kind="stable")
    new_component = _new_numbers(by_level, count)
    order = np.argsort(new_component[component], kind="stable")
    row_parents, component_parents = up.take(order), component_up.take(by_level)
    return AncestorIndex(
        node_to_row=_new_numbers(nodes[order], size),
        row_to_node=nodes[order],
        parents=CsrRows(row_parents.offsets, _new_numbers(order, len(order))[row_parents.targets]),
        component=new_component[component][order],
        component_starts=csr.offsets_of(np.bincount(new_component[component], minlength=count))[:-1],
        level_starts=csr.offsets_of(np.bincount(level)),
        component_parents=CsrRows(component_parents.offsets, new_component[component_parents.targets]),
    )


def _new_numbers(old: Ints, count: int) -> Ints:
    """For each of ``count`` old numbers its index in ``old``, or -1."""
    numbers = np.full(count, -1, dtype=np.int32)
    numbers[old] = np.arange(len(old), dtype=np.int32)
    return numbers


class DownwardPass:
    """An ancestor index prepared to carry bitsets down: from ``parents`` to their children, or to all below."""

    def __init__(self, index: AncestorIndex) -> None:
        self.rows = len(index.parents)
        self.parents = RowUnion.of(index.parents)
        self._starts = index.component_starts
        self._parent_offsets = index.component_parents.offsets
        self._parent_targets = index.component_parents.targets.astype(np.int64)
        self._levels = [int(start) for start in index.level_starts]

    def propagate_down(self, bitsets: Bitsets) -> Bitsets:
        """For each component (the classes on a cycle, or one class) the union of its bitsets and of all those above it.

        ``bitsets`` has one for each row, a class; rows are in the order of their components, and these by level. If A,
        with bit 0, is above B, with bit 1, A has bit 0 in the result, and B has both.
        """
        if not self.rows:
            return bitsets
        # The union of the rows of each component, which begin at ``_starts``.
        found: Bitsets = np.bitwise_or.reduceat(bitsets, self._starts)
        # From the top down, the components first to end, a level, take over what their parents have. Level 0 has none;
        # on every other level each component has at least one, so that no slice given to ``reduceat`` is empty.
        offsets = self._parent_offsets
        for first, end in zip(self._levels[1:-1], self._levels[2:], strict=True):
            begin = offsets[first]
            of_parents = found[self._parent_targets[begin : offsets[end]]]
            found[first:end] |= np.bitwise_or.reduceat(of_parents, offsets[first:end] - begin)
        return found
