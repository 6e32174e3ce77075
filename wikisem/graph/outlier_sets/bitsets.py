"""Sets of up to 64 classes as 64-bit words, one bit a class: united along the rows of a graph in bulk."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.graph.csr import Rows, offsets_of
from wikisem.graph.types import Flags, Index, Ints, Words

WIDTH = 64


# Rows are united one column after another up to this many targets; what longer rows have beyond them goes in one go.
_COLUMNS: Final = 12


@dataclass(frozen=True, slots=True)
class Unions:
    """Rows made ready for ``unite``, longest first: ``order`` are the rows that are not empty.

    ``columns[j]`` is the j-th target of those that have one; ``rest`` is what long rows have beyond the columns, and
    ``starts`` is where each of them begins there. ``reduceat`` alone would do, but takes longer to begin a row than to
    read the one or two targets that most rows have.
    """

    order: Index
    columns: tuple[Index, ...]
    rest: Index
    starts: Index
    count: int

    @staticmethod
    def of(rows: Rows) -> "Unions":
        """Make rows ready."""
        counts = rows.counts()
        order: Index = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
        counts, begins, targets = counts[order], rows.offsets[order].astype(np.int64), rows.targets.astype(np.int64)
        longer = [int(np.count_nonzero(counts > place)) for place in range(_COLUMNS + 1)]
        columns = tuple(targets[begins[:end] + place] for place, end in enumerate(longer[:-1]) if end)
        long = longer[-1]
        over = Rows(np.stack([begins[:long] + _COLUMNS, begins[:long] + counts[:long]], axis=1).reshape(-1), targets)
        rest = np.concatenate([targets[:0], *(over.row(2 * place) for place in range(long))])
        return Unions(order, columns, rest, offsets_of(counts[:long] - _COLUMNS)[:-1], len(rows))

    def unite(self, words: Words) -> Words:
        """For each row the union of its targets' words; an empty row's is empty."""
        united = np.zeros(self.count, dtype=np.uint64)
        if len(self.order):
            # Targets are in range: with "clip" numpy does not look at each of them before it begins.
            found: Words = words.take(self.columns[0], mode="clip")
            for column in self.columns[1:]:
                found[: len(column)] |= words.take(column, mode="clip")
            if len(self.rest):
                found[: len(self.starts)] |= np.bitwise_or.reduceat(words.take(self.rest, mode="clip"), self.starts)
            united[self.order] = found
        return united


class Bits:
    """The words of many rows, laid out so that one bit of all of them is read quickly."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self._planes: npt.NDArray[np.uint8] | None = None

    def held(self, rows: Ints, place: int | Ints) -> Flags:
        """Which of some rows hold the bit; with an array of places, which row holds which."""
        flags: Flags = (self.words[rows] & (np.uint64(1) << np.uint64(place))) != 0
        return flags

    def rows(self, place: int) -> Index:
        """All rows that hold the bit, ascending."""
        if self._planes is None:
            # Eight planes of one byte a row: what is read for one bit is an eighth of the words.
            shifted = [(self.words >> np.uint64(shift)).astype(np.uint8) for shift in range(0, WIDTH, 8)]
            self._planes = np.stack(shifted)
        return np.flatnonzero((self._planes[place // 8] & np.uint8(1 << place % 8)) != 0)


def pairs(words: Words) -> tuple[Index, Index]:
    """Every bit that is set, as (row, place), ascending."""
    rows = np.flatnonzero(words != 0)
    flags = np.unpackbits(words[rows].astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    held, bits = np.nonzero(flags.view(bool))
    return rows[held], bits


def bit(place: int) -> np.uint64:
    """The word that holds one class alone."""
    return np.uint64(1 << place)


def mark(count: int, nodes: Ints, places: Ints) -> Words:
    """Words for ``count`` nodes in which node ``nodes[i]`` holds the bit of ``places[i]``; negative nodes are none."""
    words = np.zeros(count, dtype=np.uint64)
    here = nodes >= 0
    np.bitwise_or.at(words, nodes[here], np.uint64(1) << places[here].astype(np.uint64))
    return words
