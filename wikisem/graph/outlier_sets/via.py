"""Which class brought an outlier in: the sibling, the cousin, or for O3 the outlier's own class."""

import numpy as np

from wikisem.graph.outlier_sets.index import Family, OutlierIndex
from wikisem.graph.sorting import distinct, first_of, pack, second_of
from wikisem.graph.types import Flags, Index, Ints, Words


class Bringers:
    """Answers for many outliers at once, each known by its list of classes; the lowest node where several qualify."""

    def __init__(self, index: OutlierIndex) -> None:
        self._lists, self._descent = index.lists, index.descent
        self._ends = np.append(self._descent.starts[1:], len(self._descent.nodes))

    def own(self, lists: Ints) -> Ints:
        """The lowest class of each list, which brings its items into O3."""
        lowest: Ints = self._lists.targets[self._lists.offsets[lists]]
        return lowest

    def of(self, lists: Ints, places: Ints, family: Family) -> Index:
        """The lowest class of the family that is on the list or above it; bit ``places[i]`` for list i.

        The way up leads through classes that hold the bit alone: they are those at or below the family.
        """
        lowest = np.full(len(lists), np.iinfo(np.int64).max)
        classes = self._lists.take(lists)
        asked: Ints = classes.sources()
        at: Ints = self._descent.component[self._descent.slot[classes.targets]]
        while len(asked):
            inside = _held(family.held[at], places[asked])
            asked, at = _once(asked[inside], at[inside])
            self._lower(lowest, asked, at, places, family.seeds)
            over = self._descent.over.take(at)
            asked, at = asked[over.sources()], over.targets
        return lowest

    def _lower(self, lowest: Index, asked: Ints, at: Ints, places: Ints, seeds: Words) -> None:
        """Take note of the family's own classes among the components that were reached."""
        begins = self._descent.starts[at]
        counts = self._ends[at] - begins
        asked = np.repeat(asked, counts)
        slots = np.repeat(begins - (np.cumsum(counts) - counts), counts) + np.arange(len(asked))
        found = _held(seeds[slots], places[asked])
        np.minimum.at(lowest, asked[found], self._descent.nodes[slots[found]])


def _held(words: Words, places: Ints) -> Flags:
    flags: Flags = (words >> places.astype(np.uint64)) & np.uint64(1) != 0
    return flags


def _once(asked: Ints, at: Ints) -> tuple[Ints, Ints]:
    keys = distinct(pack(asked, at))
    return first_of(keys), second_of(keys)
