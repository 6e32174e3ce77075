"""The contents of brackets: cut out of a chunk, counted, and laid side by side with the positions of their parts.

>>> contents, counts = count_distinct(cut_out(b"[[a]] [[b#c|d]] [[a]]", np.array([2, 8, 18]), np.array([3, 13, 19])))
>>> contents.to_pylist(), counts.tolist()
([b'a', b'b#c|d'], [2, 1])
>>> parts = locate_parts(contents)
>>> parts.data[:-1].tobytes(), parts.title_ends.tolist(), parts.bars.tolist(), parts.ends.tolist()
(b'ab#c|d', [1, 2], [1, 4], [1, 6])
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from wikisem.links.positions import Bytes, Mask, Positions


def cut_out(data: bytes | Bytes, starts: Positions, ends: Positions, kind: pa.DataType | None = None) -> pa.Array:
    """``data[start:end]`` of every row as an array of ``kind`` (binary by default); rows are sorted and do not overlap.

    The caller must know that the bytes are UTF-8 where ``kind`` is a string.
    """
    kind = kind or pa.binary()
    offsets = np.empty(2 * len(starts), np.int32)
    offsets[0::2], offsets[1::2] = starts, ends
    if not len(starts):
        return pa.array([], kind)
    # Every second value of an array over the whole chunk is a gap between two rows.
    gaps_too = pa.Array.from_buffers(kind, len(offsets) - 1, [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    return gaps_too.take(pa.array(np.arange(0, len(offsets) - 1, 2)))


def count_distinct(contents: pa.Array) -> tuple[pa.Array, Positions]:
    """The distinct contents in order of appearance, and how often each appears."""
    encoded = contents.dictionary_encode()
    return encoded.dictionary, np.bincount(encoded.indices.to_numpy(), minlength=len(encoded.dictionary))


@dataclass(frozen=True, slots=True)
class Contents:
    """Contents in one run of bytes: where each starts and ends, its first bar, and where its title ends.

    A content without a bar has it at its end. The title ends at the first ``#``, else at the bar.
    """

    data: Bytes
    starts: Positions
    ends: Positions
    bars: Positions
    title_ends: Positions

    def at(self, positions: Positions) -> Bytes:
        """The byte at one position of each content, 0 where the position is outside the content."""
        inside = (positions >= self.starts) & (positions < self.ends)
        return np.where(inside, self.data[np.where(inside, positions, -1)], 0).astype(np.uint8)


def locate_parts(contents: pa.Array) -> Contents:
    """The parts of a binary or string array that is no slice of another."""
    _, offsets, buffer = contents.buffers()
    bounds = np.frombuffer(offsets, np.int32)[: len(contents) + 1].astype(np.int64)
    # One byte more, so that a last content that is empty starts somewhere too.
    data = np.append(np.frombuffer(buffer or b"", np.uint8)[: bounds[-1]], np.uint8(0))
    starts, ends = bounds[:-1], bounds[1:]
    bars = first_position(data == ord("|"), starts, ends)
    return Contents(data, starts, ends, bars, np.minimum(first_position(data == ord("#"), starts, ends), bars))


def first_position(mask: Mask, starts: Positions, ends: Positions) -> Positions:
    """The first position of each row at which the mask is set, the row's end where it is nowhere."""
    positions = np.flatnonzero(mask)
    following = np.append(positions, np.iinfo(np.int64).max)[np.searchsorted(positions, starts)]
    first: Positions = np.minimum(following, ends)
    return first
