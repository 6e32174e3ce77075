"""Which lists are barred for a class, which classes bring items into its outlier sets, and which are status classes.

All of this is known before the first class is judged.
"""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import (
    CsrRows,
    Flags,
    Int64s,
    Ints,
    SparseRows,
    are_known,
    first_of,
    indices_of,
    pack_pairs,
    pairs_from,
    rank_keys,
    second_of,
    sort_pairs,
)
from wikisem.graph.outlier_sets.class_lists import NO_NODE, NO_UNLINKED, PoolLists, UnlinkedItems, class_lists
from wikisem.graph.outlier_sets.hash_ring import HashRing
from wikisem.graph.outlier_sets.neighbourhood import AncestorIndex

# Lists that are barred for a class, whatever outlier set they would be in.

Exclude = Literal["instances", "closure", "kin"]


def barred_lists(graph: ClassGraph, lists: PoolLists, candidates: Ints, exclude: Exclude) -> CsrRows:
    """For each of the candidates (nodes, ascending) the lists that are barred for it, in whatever outlier set.

    The class itself and everything above and below it are barred, and so are its instances at any sound rank; with
    ``exclude`` "closure" and "kin" also the instances of everything below it. This concerns few lists. With Oslo an
    instance of *city* at the best rank and of *big city* at another, and with *capital* an item that is itself below
    *city*:

        candidate    barred
        city         capital (below it), and what is above it
        big city     Oslo (it is one, at a rank that is not the best)
    """
    own = np.flatnonzero(lists.nodes != NO_NODE)
    below = pairs_from(graph.up, own, lists.nodes[own])
    others: tuple[Ints, Ints] = lists.others.sources(), lists.others.targets
    if exclude != "instances":
        others = pairs_from(graph.up, *others)
    pairs = [
        _above(graph, own, lists.nodes[own], candidates),
        *(_of_candidates(found, nodes, candidates) for found, nodes in (below, others)),
    ]
    rows, barred = (np.concatenate(each) for each in zip(*pairs, strict=True))
    return CsrRows.from_pairs(rows, barred, len(candidates))


def _above(graph: ClassGraph, own: Ints, nodes: Ints, candidates: Ints) -> tuple[Ints, Ints]:
    """The lists of items that are themselves above a candidate; no two of these lists have the same node."""
    rows, above = pairs_from(graph.up, np.arange(len(candidates)), candidates)
    order = np.argsort(nodes)
    indices, found = indices_of(above, nodes[order])
    return rows[found], own[order][indices[found]]


def _of_candidates(lists: Ints, nodes: Ints, candidates: Ints) -> tuple[Int64s, Ints]:
    indices, found = indices_of(nodes, candidates)
    return indices[found], lists[found]


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


def build_via_index(graph: ClassGraph, lists: PoolLists, ancestors: AncestorIndex, seed: int) -> ViaIndex:
    """The index for the lists that the ancestor index was built for."""
    rows = np.arange(len(ancestors.row_to_node))
    ring = HashRing.of(seed, graph.nodes[ancestors.row_to_node], rows, rows, len(rows))
    direct = SparseRows.from_pairs(lists.classes.targets, lists.classes.sources())
    return ViaIndex(ring, _lists_at_or_below(direct, ancestors), direct)


def _lists_at_or_below(direct: SparseRows, ancestors: AncestorIndex) -> CsrRows:
    """The lists at or below each component: those that are on a class which is in it or below it.

    This is worked out once, from each class to all components above it: a few dozen for each list, because the graph
    is pruned near its root.
    """
    components: Ints = ancestors.component[ancestors.node_to_row[direct.owners]]
    classes, above = pairs_from(ancestors.component_parents, np.arange(len(components)), components)
    lists = direct.rows.take(classes)
    return CsrRows.from_pairs(above[lists.sources()], lists.targets, len(ancestors.component_starts))


def items_of(rows: CsrRows, sizes: Ints) -> Int64s:
    """How many items are on all lists of each row, where ``sizes`` has the number on each list."""
    running = np.concatenate([[0], np.cumsum(sizes[rows.targets])])
    return np.diff(running[rows.offsets])


# Status classes, which nothing below their parents is an outlier of.

# Items are looked at this many at a time.
_CHUNK: Final = 1 << 20


def status_classes(graph: ClassGraph, candidates: Ints, share: float, unlinked: UnlinkedItems = NO_UNLINKED) -> Flags:
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
    instances = (graph.instances.counts() + _count(unlinked.classes, unlinked.counts, len(graph.nodes)))[candidates]
    # Shares are compared as their shortest decimals would be: 0.8 of 15 is 12.
    needed = np.round(share * instances, 9)
    several = graph.classes.take(_with_several(graph.classes))
    alike = _with_several(unlinked.classes)
    others, numbers = unlinked.classes.take(alike), unlinked.counts[alike]
    # An instance with another class has several; if these are too few, it does not matter which of them are below.
    most = _count(several, None, len(graph.nodes)) + _count(others, numbers, len(graph.nodes))
    possible = most[candidates] >= needed
    asked, found = candidates[possible], np.zeros(len(candidates), dtype=bool)
    counted = _with_another_class(graph, several, asked) + _with_another_class(graph, others, asked, numbers)
    found[possible] = counted >= needed[possible]
    return found


def _count(classes: CsrRows, numbers: Int64s | None, count: int) -> Int64s:
    """How many items each of ``count`` nodes has, where row i is ``numbers[i]`` items, or one."""
    weights = None if numbers is None else numbers[classes.sources()]
    return np.bincount(classes.targets, weights, minlength=count).astype(np.int64)


def _with_several(rows: CsrRows) -> Int64s:
    """The rows with more than one target, found without a count for every row at once."""
    begins = range(0, len(rows), _CHUNK)
    found = [begin + np.flatnonzero(np.diff(rows.offsets[begin : begin + _CHUNK + 1]) > 1) for begin in begins]
    return np.concatenate([np.zeros(0, dtype=np.int64), *found])


def _with_another_class(graph: ClassGraph, several: CsrRows, candidates: Ints, numbers: Int64s | None = None) -> Int64s:
    """How many instances of each candidate have a class that is neither the candidate nor below it.

    ``several`` has the classes of every item with more than one; row i is ``numbers[i]`` items, or one.
    """
    is_candidate = np.zeros(len(graph.nodes), dtype=bool)
    is_candidate[candidates] = True
    asked = several.keep(is_candidate[several.targets]).counts() > 0
    rows_asked = np.flatnonzero(asked)
    list_of, lists = class_lists(several.take(rows_asked))
    owners, first, second = _ordered_pairs(lists)
    rows, found = indices_of(first, candidates)
    owners, rows = owners[found], rows[found]
    outside = ~_is_at_or_below(graph, second[found], first[found])
    keys = sort_pairs(pack_pairs(owners[outside], rows[outside]))
    items = np.bincount(list_of, None if numbers is None else numbers[rows_asked], minlength=len(lists))
    counts = np.bincount(second_of(keys), items[first_of(keys)], minlength=len(candidates))
    return counts.astype(np.int64)


def _ordered_pairs(lists: CsrRows) -> tuple[Ints, Ints, Ints]:
    """Every two classes of each list, in both orders and each with itself: the list, the first, the second."""
    sources, first = lists.sources(), lists.targets
    seconds = lists.take(sources)
    return sources[seconds.sources()], first[seconds.sources()], seconds.targets


def _is_at_or_below(graph: ClassGraph, classes: Ints, others: Ints) -> Flags:
    """Whether each class is the other one, is below it, or is on a cycle with it."""
    count, numbers = rank_keys(classes)
    known = np.zeros(count, dtype=np.int64)
    known[numbers] = classes
    above = pack_pairs(*pairs_from(graph.up, np.arange(count), known))
    return are_known(pack_pairs(numbers, others), above)
