"""Compressed sparse rows: for each node a run of others, in one array."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wikisem.graph.sorting import SHIFT, distinct, pack, second_of, sort_pairs
from wikisem.graph.types import Flags, Index, Ints


@dataclass(frozen=True, slots=True)
class Rows:
    """Row i holds ``targets[offsets[i]:offsets[i + 1]]``; offsets have shape ``(n + 1,)``."""

    offsets: Ints
    targets: Ints

    @staticmethod
    def from_pairs(sources: Ints, targets: Ints, count: int) -> "Rows":
        """The rows of ``count`` nodes, each row sorted and without repetition."""
        keys = sort_pairs(pack(sources, targets))
        targets = second_of(keys)
        keys >>= SHIFT
        return Rows(offsets_of(np.bincount(keys.view(np.int64), minlength=count)), targets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def row(self, node: int) -> Ints:
        """The targets of one node, as a view."""
        return self.targets[self.offsets[node] : self.offsets[node + 1]]

    def counts(self) -> Index:
        """How many targets each node has."""
        return np.diff(self.offsets)

    def sources(self) -> npt.NDArray[np.uint32]:
        """The source of each target: with ``targets``, the pairs that the rows hold."""
        return np.repeat(np.arange(len(self), dtype=np.uint32), self.counts())

    def take(self, nodes: Ints) -> "Rows":
        """The rows of some nodes, in the order given."""
        starts = self.offsets[nodes].astype(np.int64)
        counts = self.offsets[nodes + 1] - starts
        offsets = offsets_of(counts)
        places = np.repeat(starts - offsets[:-1], counts) + np.arange(offsets[-1])
        return Rows(offsets, self.targets[places])

    def keep(self, wanted: Flags) -> "Rows":
        """The same rows with only those targets that are flagged (shape of ``targets``)."""
        running = offsets_of(wanted)
        return Rows(running[self.offsets], self.targets[wanted])

    def reverse(self, count: int) -> "Rows":
        """For each of ``count`` targets the nodes that lead to it."""
        return Rows.from_pairs(self.targets, self.sources(), count)


def offsets_of(counts: Ints | Flags) -> Index:
    """Where each row begins, and where the last one ends."""
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def layers(rows: Rows, starts: Ints | Sequence[int], limit: int | None = None) -> npt.NDArray[np.int16]:
    """How many steps each node is from the nearest start, up to ``limit``; -1 where it is not reached."""
    steps = np.full(len(rows), -1, dtype=np.int16)
    front: Ints = np.asarray(starts, dtype=np.int64)
    step = 0
    while len(front):
        steps[front] = step
        if step == limit:
            break
        reached = rows.take(front).targets
        # Repeats are dropped once they are few: only nodes that were never seen get this far.
        front = distinct(reached[steps[reached] < 0])
        step += 1
    return steps


def closure(rows: Rows, start: int) -> Ints:
    """The nodes that can be reached from one, itself included, in ascending order.

    The cost is that of what is reached: flags that are zero take no memory until something is written beside them.
    """
    seen = np.zeros(len(rows), dtype=bool)
    fronts: list[Ints] = [np.array([start])]
    while len(fronts[-1]):
        seen[fronts[-1]] = True
        ahead = rows.take(fronts[-1]).targets
        fronts.append(distinct(ahead[~seen[ahead]]))
    return np.sort(np.concatenate(fronts))


def reached(rows: Rows, starts: Ints | Sequence[int]) -> Flags:
    """Which nodes can be reached from the starts, these included."""
    return layers(rows, starts) >= 0
