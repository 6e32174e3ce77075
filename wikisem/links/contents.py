"""What stands in the brackets, as Arrow columns without a copy on the way, counted before it is read."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from wikisem.links.marks import Bytes, Places

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
