"""The contents of brackets side by side in one run of bytes, and where the parts of each lie."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from wikisem.links.contents import layout
from wikisem.links.marks import Bytes, Mask, Places


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
