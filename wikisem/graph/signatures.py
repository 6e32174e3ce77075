"""Items with the same list of classes are in the same outlier sets: each distinct list stands once."""

import numpy as np

from wikisem.graph.kinds import Index, Ints
from wikisem.graph.rows import Rows
from wikisem.graph.sorting import distinct, pack


def signatures(lists: Rows) -> tuple[Index, Rows]:
    """For each row the number of its list, and the distinct lists; rows must be sorted.

    Lists are told apart exactly, by walking the trie of their prefixes one step a round for all rows at once.
    """
    counts = lists.counts()
    prefix = np.zeros(len(lists), dtype=np.int64)
    known = 1
    for step in range(int(counts.max(initial=0))):
        longer = np.flatnonzero(counts > step)
        keys = pack(prefix[longer], lists.targets[lists.offsets[longer] + step])
        prefixes, places = number_keys(keys)
        prefix[longer] = known + places
        known += prefixes
    count, numbers = number_keys(prefix.astype(np.uint64))
    example = np.zeros(count, dtype=np.int64)
    example[numbers] = np.arange(len(lists))
    return numbers, lists.take(example)


def number_keys(keys: Ints) -> tuple[int, Index]:
    """How many distinct keys there are, and for each key its place among them in ascending order."""
    known = distinct(keys)
    return len(known), np.searchsorted(known, keys)
