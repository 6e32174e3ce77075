"""Columns of item ids as columns of their numbers, and what is asked of many numbers at once."""

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import zstandard

Numbers = npt.NDArray[np.int64]
# The numbers of all items of Wikidata, in so many buckets, take some 60 MB each (2026-09).
BUCKETS: Final = 16
# Higher levels of zstd take longer, and little less room.
_LEVEL: Final = 1


def numbers_of(qids: pa.Array | pa.ChunkedArray) -> Numbers:
    """The numbers of checked item ids, shape ``(n,)``."""
    numbers: Numbers = pc.utf8_slice_codeunits(qids, 1).cast(pa.int64()).to_numpy(zero_copy_only=False)
    return numbers


def targets_of(table: pa.Table) -> Numbers:
    """The numbers of all items that an ``instance_of`` or ``subclass_of`` of the table leads to, each once, sorted."""
    found = [pc.unique(pc.list_flatten(table[name].combine_chunks())) for name in ("instance_of", "subclass_of")]
    return unique([numbers_of(qids) for qids in found])


def unique(numbers: Iterable[Numbers]) -> Numbers:
    """Each number once, sorted."""
    # Not by np.unique, which imports masked arrays: 50 ms in every worker.
    ordered = np.sort(np.concatenate([np.empty(0, np.int64), *numbers]))
    once: Numbers = ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])[: ordered.size]]
    return once


def repeated(numbers: Iterable[Numbers]) -> Numbers:
    """The numbers that come more than once, each once, sorted."""
    ordered = np.sort(np.concatenate([np.empty(0, np.int64), *numbers]))
    return unique([ordered[1:][ordered[1:] == ordered[:-1]]])


def positions(numbers: Numbers) -> Iterator[tuple[int, Numbers]]:
    """The buckets that have any of the numbers, and where in the array these stand."""
    for bucket in range(BUCKETS):
        found = np.flatnonzero(numbers % BUCKETS == bucket)
        if found.size:
            yield bucket, found


def is_in(numbers: Numbers, known: Numbers) -> npt.NDArray[np.bool_]:
    """Whether each number is among the sorted ``known`` ones, shape of ``numbers``."""
    if not known.size:
        return np.zeros(numbers.shape, np.bool_)
    found: npt.NDArray[np.bool_] = known[np.minimum(np.searchsorted(known, numbers), known.size - 1)] == numbers
    return found


def pack(numbers: Numbers) -> bytes:
    """Numbers as the compressed bytes in which they travel; sorted ones take least room."""
    return zstandard.compress(np.diff(numbers, prepend=0).tobytes(), _LEVEL)


def unpack(data: bytes) -> Numbers:
    """The numbers that ``pack`` made these bytes from."""
    numbers: Numbers = np.cumsum(np.frombuffer(zstandard.decompress(data), np.int64))
    return numbers
