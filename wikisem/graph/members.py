"""The items of each class, most prominent first."""

from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.graph.rows import Rows, offsets_of
from wikisem.graph.sorting import Keys

# A class, sitelinks and an item share a sort key of so many bits; Wikidata needs 57 of them: 22, 9 and 26.
KEY_BITS: Final = 64
_CHUNK: Final = 1 << 18


def by_prominence(classes: Rows, sitelinks: npt.NDArray[np.int32], count: int) -> Rows:
    """The items of each of ``count`` nodes, most sitelinks first; equal ones by number, which is their place.

    ``classes`` has the nodes of each item.
    """
    offsets = offsets_of(np.bincount(classes.targets, minlength=count))
    item_bits, link_bits = len(classes).bit_length(), int(sitelinks.max(initial=0)).bit_length()
    if count.bit_length() + link_bits + item_bits > KEY_BITS:
        owners = classes.sources()
        return Rows(offsets, owners[np.lexsort((owners, -sitelinks[owners], classes.targets))])
    keys = _keys(classes, sitelinks, item_bits, link_bits)
    keys.sort()
    items = np.empty(len(keys), dtype=np.uint32)
    np.bitwise_and(keys, np.uint64((1 << item_bits) - 1), out=items, casting="unsafe")
    return Rows(offsets, items)


def _keys(classes: Rows, sitelinks: npt.NDArray[np.int32], item_bits: int, link_bits: int) -> Keys:
    """One key for each pair of a class and an item; worked out a chunk at a time, so that only the keys need room."""
    most = np.uint64((1 << link_bits) - 1)
    keys = np.empty(len(classes.targets), dtype=np.uint64)
    for first in range(0, len(classes), _CHUNK):
        places = np.arange(first, min(first + _CHUNK, len(classes)), dtype=np.uint64)
        of_items = (most - sitelinks[first : first + _CHUNK].astype(np.uint64)) << np.uint64(item_bits) | places
        offsets = classes.offsets[first : first + _CHUNK + 1]
        here = slice(int(offsets[0]), int(offsets[-1]))
        keys[here] = classes.targets[here].astype(np.uint64) << np.uint64(item_bits + link_bits)
        keys[here] |= np.repeat(of_items, np.diff(offsets))
    return keys
