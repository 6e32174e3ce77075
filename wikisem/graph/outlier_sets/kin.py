"""Which items are kin of a class, which classes bring items into its outlier sets, and which are status classes.

The pruned graph says which classes bring items in; who is kin is asked of the whole graph.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from wikisem.graph import csr
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import Bitsets, CsrRows, Flags, Int64s, Ints, SparseRows
from wikisem.graph.outlier_sets.class_lists import NO_UNLINKED, CountedLists, class_lists
from wikisem.graph.outlier_sets.hash_ring import HashRing
from wikisem.graph.outlier_sets.neighbourhood import AncestorIndex, DownwardPass, RowUnion, set_bits

# Kin: what is an instance of a class, above it or below it, in the whole graph.


@dataclass(frozen=True, slots=True)
class KinIndex:
    """The whole graph above all that may be kin, pruned classes included.

    ``classes`` has for each list of the outlier pool the rows in ``ancestors`` of all classes that its items are an
    instance of, at any sound rank. The item of list ``own_lists[i]`` is itself the class in row ``own_rows[i]``.
    """

    ancestors: AncestorIndex
    classes: CsrRows
    own_lists: Int64s
    own_rows: Int64s


class Kin:
    """Reads an index of kin; every answer has one bitset a list, one bit a class asked for, up to 64 of them.

    With Oslo an instance of *city* at the best rank and of *big city* at another, and with *capital* an item that is
    itself below *city*:

        class       barred
        city        Oslo, capital, and what is above city
        big city    Oslo, and what is above big city
    """

    def __init__(self, index: KinIndex) -> None:
        self._ancestors, self._own_lists = index.ancestors, index.own_lists
        component = index.ancestors.component
        self._down = DownwardPass(index.ancestors)
        self._own_components = component[index.own_rows]
        self._by_row = RowUnion.of(index.classes)
        self._by_component = RowUnion.of(CsrRows(index.classes.offsets, component[index.classes.targets]))

    def at_or_below(self, classes: CsrRows) -> Bitsets:
        """Bit i of a list says that its items are instances of one of the classes in row i, or of anything below it."""
        rows = self._ancestors.node_to_row[classes.targets]
        return self._by_component.union(self._down.propagate_down(set_bits(self._down.rows, rows, classes.sources())))

    def barred(self, classes: Ints) -> Bitsets:
        """Bit i of a list says that its items are never outliers of class i, in whatever outlier set.

        They are the class itself, above it or below it, or its instances.
        """
        bits, rows = np.arange(len(classes)), self._ancestors.node_to_row[classes]
        asked = set_bits(self._down.rows, rows, bits)
        barred = self._by_row.union(asked)
        owners, above = csr.pairs_from(self._ancestors.component_parents, bits, self._ancestors.component[rows])
        related = self._down.propagate_down(asked) | set_bits(len(self._ancestors.component_starts), above, owners)
        barred[self._own_lists] |= related[self._own_components]
        return barred


# The classes that bring items into an outlier set.


@dataclass(frozen=True, slots=True)
class ViaIndex:
    """Which items a class can bring into an outlier set, and the ring on which the classes that bring items are met.

    ``ring`` has the rows of the ancestor index; its lists are these rows too. ``at_or_below`` has for each component of
    the ancestor index the lists with a class at or below it, ``direct`` for each class (node) the lists that it is on
    itself.

    Section 3 of Blair et al. (2016) finds *a* sibling class and takes two of its instances. So a class v walks a ring
    of classes as it walks the ring of items: from its own place, past the siblings (or cousins, or classes of far
    items). Such a class c brings everything at or below it, I*(c); a class of far items brings only I(c).

        ring of classes, from v on    bear    cat           dog              owl
        its items in O1(v)            Baloo   Garfield, Tom Lassie, Snoopy   Hedwig

    With two outliers a class, v takes Garfield and Tom: *bear* brings too few, and *cat* is the first that brings
    enough. If *cat* brought only Tom, whose name the cluster has already, v would go on to *dog*. If no class brought
    two, v would take them one class after another: Baloo, then what *cat* has, and so on.
    """

    ring: HashRing
    at_or_below: CsrRows
    direct: SparseRows


# Status classes, which nothing below their parents is an outlier of.

# Items are looked at this many at a time.
_CHUNK: Final = 1 << 20


def status_classes(graph: ClassGraph, candidates: Ints, share: float, unlinked: CountedLists = NO_UNLINKED) -> Flags:
    """Which of the candidates (nodes, ascending) are status classes; none if the share is 0.

    A status class is a status that items have besides what they are: *college town*, *big city*. Bonn is a *city*, and
    also a *college town*. A missing statement for Chicago proves nothing: any city may really be a college town. So a
    class counts as a status class if nearly all of its instances have another class that is neither the class nor below
    it:

        college town    16 instances    16 are something else, too: city, big city, municipality of Germany
        city           115             106
        film genre      14               3

    Instances of the parents of a status class, or of anything below these, are not outliers of it: no city of any kind
    for *college town*. So it has no siblings, and only those cousins that are further away.
    """
    if not share:
        return np.zeros(len(candidates), dtype=bool)
    count, none = len(graph.nodes), np.zeros(0, dtype=np.int64)
    # Of items of the graph only classes that are left in it count, so of the others as well.
    stated = unlinked.classes.keep(unlinked.classes.targets < count)
    unlinked_instances = np.bincount(stated.targets, unlinked.counts[stated.sources()], minlength=count)
    instances = (graph.instances.counts() + unlinked_instances.astype(np.int64))[candidates]
    # Shares are compared as their shortest decimals would be: 0.8 of 15 is 12.
    needed = np.round(share * instances, 9)
    # An instance with another class has several; if these are too few, it does not matter which of them are below.
    several, with_several = list[tuple[CsrRows, Int64s | None]](), np.zeros(count)
    for classes, numbers in ((graph.classes, None), (stated, unlinked.counts)):
        # Found without a count for every row at once.
        begins = range(0, len(classes), _CHUNK)
        found = [begin + np.flatnonzero(np.diff(classes.offsets[begin : begin + _CHUNK + 1]) > 1) for begin in begins]
        rows = np.concatenate([none, *found])
        lists, items = classes.take(rows), None if numbers is None else numbers[rows]
        several.append((lists, items))
        with_several += np.bincount(lists.targets, None if items is None else items[lists.sources()], minlength=count)
    may_be = with_several[candidates] >= needed
    is_status = np.zeros(len(candidates), dtype=bool)
    counted = sum(_with_another_class(graph, lists, candidates[may_be], items) for lists, items in several)
    is_status[may_be] = counted >= needed[may_be]
    return is_status


def _with_another_class(graph: ClassGraph, several: CsrRows, candidates: Ints, numbers: Int64s | None = None) -> Int64s:
    """How many instances of each candidate have a class that is neither the candidate nor below it.

    ``several`` has the classes of every item with more than one; row i is ``numbers[i]`` items, or one.
    """
    is_candidate = np.zeros(len(graph.whole_up), dtype=bool)
    is_candidate[candidates] = True
    with_candidate = np.flatnonzero(several.keep(is_candidate[several.targets]).counts())
    list_of, lists = class_lists(several.take(with_candidate))
    # Every two classes of each list, in both orders and each with itself.
    sources = lists.sources()
    second_rows = lists.take(sources)
    first, second, owners = lists.targets[second_rows.sources()], second_rows.targets, sources[second_rows.sources()]
    rows, is_asked = csr.indices_of(first, candidates)
    first, second, owners, rows = first[is_asked], second[is_asked], owners[is_asked], rows[is_asked]
    # The second class is the first one, is below it, or is on a cycle with it.
    count, ranks = csr.rank_keys(second)
    classes = np.zeros(count, dtype=np.int64)
    classes[ranks] = second
    above = csr.pack_pairs(*csr.pairs_from(graph.whole_up, np.arange(count), classes))
    is_at_or_below = csr.are_known(csr.pack_pairs(ranks, first), above)
    keys = csr.sort_pairs(csr.pack_pairs(owners[~is_at_or_below], rows[~is_at_or_below]))
    items = np.bincount(list_of, None if numbers is None else numbers[with_candidate], minlength=len(lists))
    counts = np.bincount(csr.second_of(keys), items[csr.first_of(keys)], minlength=len(candidates))
    return counts.astype(np.int64)
