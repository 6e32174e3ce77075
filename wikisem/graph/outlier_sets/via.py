"""The class via which an outlier came in: the sibling, the cousin, or for O3 the outlier's own class."""

import numpy as np

from wikisem.arrow.numbers import distinct
from wikisem.graph.array_types import Int64s, Ints
from wikisem.graph.outlier_sets.bitsets import contains
from wikisem.graph.outlier_sets.outlier_index import OutlierIndex, RelativeSet
from wikisem.graph.sorting import first_of, pack_pairs, second_of


class ViaFinder:
    """Answers for many outliers at once, each by the number of its list; the lowest node where several qualify."""

    def __init__(self, index: OutlierIndex) -> None:
        self._lists, self._ancestors = index.lists.classes, index.ancestors
        self._ends = np.append(self._ancestors.component_starts[1:], len(self._ancestors.row_to_node))

    def own_class(self, lists: Ints) -> Ints:
        """The lowest class of each list, via which its items come into O3."""
        lowest: Ints = self._lists.targets[self._lists.offsets[lists]]
        return lowest

    def relative(self, lists: Ints, bits: Ints, relatives: RelativeSet) -> Int64s:
        """The lowest relative of class ``bits[i]`` that is on list i, or above a class on it.

        The search goes up from the list through components that have the bit only: those at or below a relative.
        """
        lowest = np.full(len(lists), np.iinfo(np.int64).max)
        classes = self._lists.take(lists)
        asked: Ints = classes.sources()
        component: Ints = self._ancestors.component[self._ancestors.node_to_row[classes.targets]]
        while len(asked):
            inside = contains(relatives.at_or_below[component], bits[asked])
            asked, component = _distinct_pairs(asked[inside], component[inside])
            self._note_lowest(lowest, asked, component, bits, relatives)
            above = self._ancestors.component_parents.take(component)
            asked, component = asked[above.sources()], above.targets
        return lowest

    def _note_lowest(self, lowest: Int64s, asked: Ints, component: Ints, bits: Ints, relatives: RelativeSet) -> None:
        """Lower ``lowest`` where the rows of the components that were reached are relatives."""
        starts = self._ancestors.component_starts[component]
        counts = self._ends[component] - starts
        asked = np.repeat(asked, counts)
        rows = np.repeat(starts - (np.cumsum(counts) - counts), counts) + np.arange(len(asked))
        found = contains(relatives.relatives[rows], bits[asked])
        np.minimum.at(lowest, asked[found], self._ancestors.row_to_node[rows[found]])


def _distinct_pairs(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    keys = distinct(pack_pairs(first, second))
    return first_of(keys), second_of(keys)
