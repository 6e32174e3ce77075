"""Sets of up to 64 classes as 64-bit words, one bit a class: united along the rows of a graph in bulk."""

from dataclasses import dataclass

import numpy as np

from wikisem.graph.kinds import Index, Ints, Words
from wikisem.graph.rows import Rows

WIDTH = 64


@dataclass(frozen=True, slots=True)
class Unions:
    """Rows made ready for ``unite``: ``filled`` are those that are not empty, ``starts`` where these begin."""

    filled: Index
    starts: Index
    targets: Index
    count: int

    @staticmethod
    def of(rows: Rows) -> "Unions":
        """Make rows ready."""
        filled = np.flatnonzero(rows.counts())
        return Unions(filled, rows.offsets[filled].astype(np.int64), rows.targets.astype(np.int64), len(rows))

    def unite(self, words: Words) -> Words:
        """For each row the union of its targets' words; an empty row's is empty."""
        united = np.zeros(self.count, dtype=np.uint64)
        if len(self.filled):
            # reduceat reads an empty row as the element that happens to stand there, so only filled rows take part.
            united[self.filled] = np.bitwise_or.reduceat(words[self.targets], self.starts)
        return united


def bit(place: int) -> np.uint64:
    """The word that holds one class alone."""
    return np.uint64(1 << place)


def mark(count: int, nodes: Ints, places: Ints) -> Words:
    """Words for ``count`` nodes in which node ``nodes[i]`` holds the bit of ``places[i]``; negative nodes are none."""
    words = np.zeros(count, dtype=np.uint64)
    here = nodes >= 0
    np.bitwise_or.at(words, nodes[here], np.uint64(1) << places[here].astype(np.uint64))
    return words
