"""Graphs as arrays of numbers: compressed sparse rows, walks along them, and sorting and looking up large arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from wikisem.arrow.columns import differs_from_previous, distinct

# Indices of nodes or items, in any integer width.
Ints = npt.NDArray[np.integer[Any]]
# Offsets, item numbers and indices that must not overflow.
Int64s = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
# Sets of up to 64 classes each, one bit a class.
Bitsets = npt.NDArray[np.uint64]
# Two numbers below 2**32 share one unsigned 64-bit key: ``np.sort`` is vectorised for plain integers.
PairKeys = npt.NDArray[np.uint64]
_SHIFT: Final = np.uint64(32)
_LOW: Final = np.uint64(0xFFFFFFFF)


@dataclass(frozen=True, slots=True)
class CsrRows:
    """Row i is ``targets[offsets[i]:offsets[i + 1]]``; ``offsets`` has shape ``(n + 1,)``.

    >>> rows = CsrRows.from_pairs(np.array([2, 0, 2]), np.array([7, 5, 4]), count=3)
    >>> rows.offsets.tolist(), rows.targets.tolist()
    ([0, 1, 1, 3], [5, 4, 7])
    >>> [rows.row(node).tolist() for node in range(len(rows))]
    [[5], [], [4, 7]]
    """

    offsets: Ints
    targets: Ints

    @staticmethod
    def from_pairs(sources: Ints, targets: Ints, count: int) -> "CsrRows":
        """The rows of ``count`` nodes, each row sorted and without duplicates."""
        keys = sort_pairs(pack_pairs(sources, targets))
        targets = second_of(keys)
        keys >>= _SHIFT
        return CsrRows(offsets_of(np.bincount(keys.view(np.int64), minlength=count)), targets)

    @staticmethod
    def undirected(first: Ints, second: Ints, count: int) -> "CsrRows":
        """The rows of edges that can be followed in both directions."""
        return CsrRows.from_pairs(np.concatenate([first, second]), np.concatenate([second, first]), count)

    @staticmethod
    def join(parts: Sequence["CsrRows"]) -> "CsrRows":
        """The rows of all parts, one part after another."""
        counts = np.concatenate([part.counts() for part in parts])
        return CsrRows(offsets_of(counts), np.concatenate([part.targets for part in parts]))

    @staticmethod
    def slices(begins: Ints, ends: Ints, targets: Ints) -> "CsrRows":
        """Row i is ``targets[begins[i]:ends[i]]``; the slices are in order, and do not overlap."""
        # Every other row is one of these: the rows between have what is left out.
        return CsrRows(np.stack([begins, ends], axis=1).reshape(-1), targets).take(2 * np.arange(len(begins)))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def row(self, node: int) -> Ints:
        """The targets of one node, as a view."""
        return self.targets[self.offsets[node] : self.offsets[node + 1]]

    def counts(self) -> Int64s:
        """The number of targets of each node."""
        return np.diff(self.offsets)

    def sources(self) -> npt.NDArray[np.uint32]:
        """The source of each target, so that ``(sources(), targets)`` are the edges."""
        return np.repeat(np.arange(len(self), dtype=np.uint32), self.counts())

    def take(self, nodes: Ints) -> "CsrRows":
        """The rows of some nodes, in the order given."""
        starts = self.offsets[nodes].astype(np.int64)
        counts = self.offsets[nodes + 1] - starts
        offsets = offsets_of(counts)
        indices = np.repeat(starts - offsets[:-1], counts) + np.arange(offsets[-1])
        return CsrRows(offsets, self.targets[indices])

    def keep(self, wanted: Flags) -> "CsrRows":
        """The same rows with only the flagged targets (``wanted`` has the shape of ``targets``)."""
        running = offsets_of(wanted)
        return CsrRows(running[self.offsets], self.targets[wanted])

    def merged(self, others: "CsrRows") -> "CsrRows":
        """The same rows with the targets that the same row of ``others`` has as well; both must be sorted."""
        if not len(others.targets):
            return self
        sources = np.concatenate([self.sources(), others.sources()])
        return CsrRows.from_pairs(sources, np.concatenate([self.targets, others.targets]), len(self))

    def without(self, others: "CsrRows") -> "CsrRows":
        """The same rows without the targets that the same row of ``others`` has; both must be sorted."""
        asked, known = pack_pairs(self.sources(), self.targets), pack_pairs(others.sources(), others.targets)
        return self.keep(~are_known(asked, known))

    def reverse(self, count: int) -> "CsrRows":
        """For each of ``count`` targets the nodes that lead to it."""
        return CsrRows.from_pairs(self.targets, self.sources(), count)


NO_ROWS: Final = CsrRows(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.uint32))


@dataclass(frozen=True, slots=True)
class SparseRows:
    """Rows of which nearly all are empty: ``rows`` has only those of ``owners`` (ascending).

    >>> sparse = SparseRows.from_pairs(np.array([70, 20, 70]), np.array([1, 4, 3]))
    >>> sparse.owners.tolist(), sparse.take(np.array([70, 50])).row(0).tolist()
    ([20, 70], [1, 3])
    """

    owners: Ints
    rows: CsrRows

    @staticmethod
    def from_pairs(owners: Ints, targets: Ints) -> "SparseRows":
        """The rows of the owners that have any target."""
        known = distinct(owners)
        return SparseRows(known, CsrRows.from_pairs(np.searchsorted(known, owners), targets, len(known)))

    def take(self, asked: Ints) -> CsrRows:
        """The rows of some owners, in the order given; empty for numbers that are not owners."""
        indices, is_owner = indices_of(asked, self.owners)
        rows = self.rows.take(indices[is_owner])
        counts = np.zeros(len(asked), dtype=np.int64)
        counts[is_owner] = rows.counts()
        return CsrRows(offsets_of(counts), rows.targets)


def offsets_of(counts: Ints | Flags) -> Int64s:
    """Where each row begins, and where the last one ends."""
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def steps_from(rows: CsrRows, starts: Ints | Sequence[int]) -> npt.NDArray[np.int16]:
    """The number of steps to each node from the nearest start; -1 if no start leads there."""
    steps = np.full(len(rows), -1, dtype=np.int16)
    frontier: Ints = np.asarray(starts, dtype=np.int64)
    step = 0
    while len(frontier):
        steps[frontier] = step
        targets = rows.take(frontier).targets
        # Duplicates are dropped after the filter, because only few targets are still unvisited.
        frontier = distinct(targets[steps[targets] < 0])
        step += 1
    return steps


def closure(rows: CsrRows, start: int) -> Ints:
    """The nodes that can be reached from one node, itself included, in ascending order."""
    seen = np.zeros(len(rows), dtype=bool)  # costs little if little is reached: pages that nobody writes take no memory
    frontiers: list[Ints] = [np.array([start])]
    while len(frontiers[-1]):
        seen[frontiers[-1]] = True
        targets = rows.take(frontiers[-1]).targets
        frontiers.append(distinct(targets[~seen[targets]]))
    return np.sort(np.concatenate(frontiers))


def pairs_from(rows: CsrRows, owners: Ints, starts: Ints) -> tuple[Ints, Ints]:
    """Every (owner, node) pair such that the owner, from one of its starts, reaches the node along the edges ``rows``.

    All owners walk at once. In 0 → 1 → 2, where 2 leads back to 1, the owner 7 that starts at 1 reaches 1 and 2:

    >>> rows = CsrRows.from_pairs(np.array([0, 1, 2]), np.array([1, 2, 1]), count=3)
    >>> owners, nodes = pairs_from(rows, np.array([7, 8]), np.array([1, 0]))
    >>> list(zip(owners.tolist(), nodes.tolist()))
    [(7, 1), (7, 2), (8, 0), (8, 1), (8, 2)]
    """
    known = frontier = sort_pairs(pack_pairs(owners, starts))
    while len(frontier):
        next_nodes = rows.take(second_of(frontier))
        reached_now = sort_pairs(pack_pairs(first_of(frontier)[next_nodes.sources()], next_nodes.targets))
        frontier = reached_now[~are_known(reached_now, known)]
        known = sort_pairs(np.concatenate([known, frontier]))
    return first_of(known), second_of(known)


def components(up: CsrRows) -> npt.NDArray[np.uint32]:
    """For each node the lowest node of its strongly connected component; most nodes are alone in theirs.

    >>> cycle = CsrRows.from_pairs(np.array([1, 2, 3]), np.array([2, 1, 0]), count=4)
    >>> components(cycle).tolist()
    [0, 1, 1, 3]
    """
    # Imported here because it takes 0.2 s, and most commands do without it.
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    size = len(up)
    if not size:
        return np.zeros(0, dtype=np.uint32)
    matrix = csr_array((np.ones(len(up.targets)), up.targets.astype(np.int32), up.offsets), shape=(size, size))
    count, labels = connected_components(matrix, connection="strong")
    lowest = np.zeros(count, dtype=np.uint32)
    # Of several values for one label numpy keeps the last: the lowest node, when nodes come in descending order.
    lowest[labels[::-1]] = np.arange(size, dtype=np.uint32)[::-1]
    found: npt.NDArray[np.uint32] = lowest[labels]
    return found


def levels(up: CsrRows) -> npt.NDArray[np.int32]:
    """The length of the longest path up from each node of an acyclic graph, so that parents have lower levels.

    >>> levels(CsrRows.from_pairs(np.array([1, 2, 2]), np.array([0, 1, 0]), count=3)).tolist()
    [0, 1, 2]
    """
    down = up.reverse(len(up))
    parents_left = up.counts()
    level = np.zeros(len(up), dtype=np.int32)
    frontier: Ints = np.flatnonzero(parents_left == 0)
    step = 0
    while len(frontier):
        level[frontier] = step
        children = down.take(frontier).targets
        np.subtract.at(parents_left, children, 1)
        frontier = distinct(children[parents_left[children] == 0])
        step += 1
    return level


def pack_pairs(first: Ints, second: Ints) -> PairKeys:
    """Pairs of numbers below 2**32 as keys that sort by first, then second.

    >>> keys = pack_pairs(np.array([2, 1]), np.array([5, 9]))
    >>> keys.sort()
    >>> first_of(keys).tolist(), second_of(keys).tolist()
    ([1, 2], [9, 5])
    """
    keys = first.astype(np.uint64)
    keys <<= _SHIFT
    keys |= second.astype(np.uint64, copy=False)
    return keys


def first_of(keys: PairKeys) -> npt.NDArray[np.uint32]:
    """The first numbers of packed pairs."""
    return (keys >> _SHIFT).astype(np.uint32)


def second_of(keys: PairKeys) -> npt.NDArray[np.uint32]:
    """The second numbers of packed pairs."""
    return (keys & _LOW).astype(np.uint32)


def sort_pairs(keys: PairKeys) -> PairKeys:
    """Packed pairs in ascending order, without duplicates; sorts ``keys`` in place."""
    keys.sort()
    is_first = differs_from_previous(keys)
    return keys if is_first.all() else keys[is_first]


def are_known(keys: PairKeys, known: PairKeys) -> Flags:
    """Whether each of some packed pairs is among ``known``, which ascends."""
    # The key appended is not a pair, so an index past the end is a miss.
    found: Flags = np.append(known, ~np.uint64(0))[np.searchsorted(known, keys)] == keys
    return found


def rank_keys(keys: Ints) -> tuple[int, Int64s]:
    """How many distinct keys there are, and the index of each key among them in ascending order.

    >>> count, ranks = rank_keys(np.array([70, 20, 70]))
    >>> count, ranks.tolist()
    (2, [1, 0, 1])
    """
    known = distinct(keys)
    return len(known), np.searchsorted(known, keys)


def narrow(ascending: Ints) -> Ints:
    """Ascending numbers as uint32 if the last of them fits."""
    return ascending if len(ascending) and int(ascending[-1]) >> 32 else ascending.astype(np.uint32)


def sorted_order(numbers: Ints) -> npt.NDArray[np.uint32]:
    """The stable order that sorts non-negative numbers: ``numbers[order]`` ascends."""
    if len(numbers) and int(numbers.max()) >> 32:
        return np.argsort(numbers, kind="stable").astype(np.uint32)
    keys = pack_pairs(numbers, np.arange(len(numbers), dtype=np.uint32))
    keys.sort()
    return second_of(keys)


def indices_of(numbers: Ints, known: Ints) -> tuple[Int64s, Flags]:
    """The index of each number in the ascending ``known``, and whether it is there (otherwise the index is invalid).

    >>> indices, found = indices_of(np.array([7, 5, 9]), np.array([5, 7]))
    >>> indices[found].tolist(), found.tolist()
    ([1, 0], [True, True, False])
    """
    if not len(known):
        return np.zeros(len(numbers), dtype=np.int64), np.zeros(len(numbers), dtype=bool)
    # In ascending order, so that successive look-ups hit the cache; and of the same width, because numpy would widen
    # all of ``known`` otherwise.
    order = sorted_order(numbers)
    asked = np.minimum(numbers[order], known[-1]).astype(known.dtype)
    indices = np.empty(len(numbers), dtype=np.int64)
    indices[order] = np.searchsorted(known, asked)
    return indices, known[indices] == numbers
