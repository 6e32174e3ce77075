"""The contents of brackets as Arrow columns, counted before they are read, and side by side in one run of bytes."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from wikisem.links.positions import Bytes, Mask, Places

Offsets = npt.NDArray[np.int32]


def slices(data: bytes | Bytes, starts: Places, ends: Places, kind: pa.DataType) -> pa.Array:
    """``data[start:end]`` of every row as a binary or string array; rows are sorted and do not overlap.

    That a string array holds UTF-8 is for the caller to know.
    """
    offsets = np.empty(2 * len(starts), np.int32)
    offsets[0::2], offsets[1::2] = starts, ends
    if not len(starts):
        return pa.array([], kind)
    # Every second value of an array over the whole chunk is a gap between two slices.
    gaps_too = pa.Array.from_buffers(kind, len(offsets) - 1, [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    return gaps_too.take(pa.array(np.arange(0, len(offsets) - 1, 2)))


def count(values: pa.Array) -> tuple[pa.Array, Places]:
    """The distinct values in order of appearance, and how often each appears."""
    encoded = values.dictionary_encode()
    return encoded.dictionary, np.bincount(encoded.indices.to_numpy(), minlength=len(encoded.dictionary))


def layout(values: pa.Array) -> tuple[Offsets, Bytes]:
    """The offsets and the bytes of a binary or string array that is no slice of another."""
    _, offsets, data = values.buffers()
    ends = np.frombuffer(offsets, np.int32)[: len(values) + 1]
    return ends, np.frombuffer(data or b"", np.uint8)[: ends[-1]]


@dataclass(frozen=True, slots=True)
class Rows:
    """Contents in one run of bytes: where each starts and ends, its first bar, and where its title ends."""

    data: Bytes
    starts: Places
    ends: Places
    bars: Places
    titles: Places

    def at(self, places: Places) -> Bytes:
        """The byte at a place of each row, 0 where the row has none."""
        inside = (places >= self.starts) & (places < self.ends)
        return np.where(inside, self.data[np.where(inside, places, -1)], 0).astype(np.uint8)


def split_contents(contents: pa.Array) -> Rows:
    """The rows of an array of contents that is no slice of another."""
    offsets, data = layout(contents)
    data = np.append(data, np.uint8(0))  # so that every row starts somewhere, empty ones too
    starts, ends = offsets[:-1].astype(np.int64), offsets[1:].astype(np.int64)
    bars = first_mark(data == ord("|"), starts, ends)
    return Rows(data, starts, ends, bars, np.minimum(first_mark(data == ord("#"), starts, ends), bars))


def first_mark(mask: Mask, starts: Places, ends: Places) -> Places:
    """The first marked place of each row, its end where there is none."""
    places = np.flatnonzero(mask)
    following = np.append(places, np.iinfo(np.int64).max)[np.searchsorted(places, starts)]
    first: Places = np.minimum(following, ends)
    return first
