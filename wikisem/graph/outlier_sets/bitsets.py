"""Sets of up to 64 classes as bits of a 64-bit integer, for many rows at once.

All questions about outlier sets are asked for 64 classes at a time: class i of those asked for has bit i. With three
classes, a graph in which node 2 leads to nodes 0 and 1, and classes 0 and 2 set on nodes 0 and 1:

>>> bitsets = set_bits(3, np.array([0, 1]), np.array([0, 2]))
>>> bitsets.tolist()                                              # node 0: {0}, node 1: {2}, node 2: {}
[1, 4, 0]
>>> rows = CsrRows.from_pairs(np.array([2, 2]), np.array([0, 1]), count=3)
>>> RowUnion.of(rows).union(bitsets).tolist()                     # node 2: {0, 2}
[0, 0, 5]
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.graph.array_types import Bitsets, Flags, Int64s, Ints
from wikisem.graph.csr import CsrRows, offsets_of

WIDTH: Final = 64

# The first targets of all rows are united column by column, up to this many; the rest of longer rows in one call.
_COLUMNS: Final = 12


@dataclass(frozen=True, slots=True)
class RowUnion:
    """Rows prepared for ``union``: ``order`` are the rows that are not empty, longest first.

    ``columns[j]`` has the j-th target of every row that has one; ``rest`` is what long rows have beyond the columns,
    and ``starts`` is where each of them begins there. ``reduceat`` alone would do, but it takes longer to begin a row
    than to read the one or two targets that most rows have.
    """

    order: Int64s
    columns: tuple[Int64s, ...]
    rest: Int64s
    starts: Int64s
    count: int

    @staticmethod
    def of(rows: CsrRows) -> "RowUnion":
        """Prepare rows."""
        counts = rows.counts()
        order: Int64s = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
        counts, begins, targets = counts[order], rows.offsets[order].astype(np.int64), rows.targets.astype(np.int64)
        longer = [int(np.count_nonzero(counts > column)) for column in range(_COLUMNS + 1)]
        columns = tuple(targets[begins[:end] + column] for column, end in enumerate(longer[:-1]) if end)
        long = longer[-1]
        tails = np.stack([begins[:long] + _COLUMNS, begins[:long] + counts[:long]], axis=1).reshape(-1)
        rest = np.concatenate([targets[:0], *(CsrRows(tails, targets).row(2 * row) for row in range(long))])
        return RowUnion(order, columns, rest, offsets_of(counts[:long] - _COLUMNS)[:-1], len(rows))

    def union(self, bitsets: Bitsets) -> Bitsets:
        """For each row the union of its targets' bitsets; an empty row's is empty."""
        united = np.zeros(self.count, dtype=np.uint64)
        if len(self.order):
            # All targets are in range; with "clip" numpy does not check them before it begins.
            found: Bitsets = bitsets.take(self.columns[0], mode="clip")
            for column in self.columns[1:]:
                found[: len(column)] |= bitsets.take(column, mode="clip")
            if len(self.rest):
                found[: len(self.starts)] |= np.bitwise_or.reduceat(bitsets.take(self.rest, mode="clip"), self.starts)
            united[self.order] = found
        return united


class BitPlanes:
    """The bitsets of many rows, laid out so that one bit of all of them is read quickly."""

    def __init__(self, bitsets: Bitsets) -> None:
        self.bitsets = bitsets
        self._planes: npt.NDArray[np.uint8] | None = None

    def contains(self, rows: Ints, bits: Ints | np.uint64) -> Flags:
        """Whether each row has its bit; both arrays are broadcast against each other."""
        return contains(self.bitsets[rows], bits)

    def rows_with(self, bit: int) -> Int64s:
        """All rows that have the bit, ascending."""
        if self._planes is None:
            # Eight planes with one byte for each row: reading one bit of all rows takes an eighth of the memory.
            shifted = [(self.bitsets >> np.uint64(shift)).astype(np.uint8) for shift in range(0, WIDTH, 8)]
            self._planes = np.stack(shifted)
        return np.flatnonzero((self._planes[bit // 8] & np.uint8(1 << bit % 8)) != 0)


def contains(bitsets: Bitsets, bits: Ints | np.uint64) -> Flags:
    """Whether each bitset has its bit."""
    flags: Flags = (bitsets & (np.uint64(1) << bits.astype(np.uint64))) != 0
    return flags


def bit_pairs(bitsets: Bitsets) -> tuple[Int64s, Int64s]:
    """Every bit that is set, as (row, bit), ascending."""
    rows = np.flatnonzero(bitsets != 0)
    flags = np.unpackbits(bitsets[rows].astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    found, bits = np.nonzero(flags.view(bool))
    return rows[found], bits


def set_bits(count: int, rows: Ints, bits: Ints) -> Bitsets:
    """Bitsets of ``count`` rows in which row ``rows[i]`` has bit ``bits[i]``; negative rows are ignored."""
    bitsets = np.zeros(count, dtype=np.uint64)
    here = rows >= 0
    np.bitwise_or.at(bitsets, rows[here], np.uint64(1) << bits[here].astype(np.uint64))
    return bitsets
