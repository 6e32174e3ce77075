"""Classes that say something which is true of items beside what they are: *college town*, *big city*.

Bonn is a *city*, and a *college town* as well. That nobody said so of Chicago proves nothing: whatever is a city may be
a college town in truth. Where all but few instances of a class have another class, which is neither the class nor
below it, the class is taken for such a status:

    college town    16 instances    16 are something else, too: city, big city, municipality of Germany
    city           115             106
    film genre      14               3

Of a status class, what is an instance of its parents or of anything below these is no outlier: no city of any kind
for *college town*. So it has no siblings, and only those cousins that are further away.
"""

from typing import Final

import numpy as np

from wikisem.graph.array_types import Flags, Int64s, Ints
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import CsrRows, pairs_from
from wikisem.graph.outlier_sets.class_lists import class_lists
from wikisem.graph.outlier_sets.item_statements import NO_UNLINKED, UnlinkedItems
from wikisem.graph.sorting import first_of, indices_of, pack_pairs, rank_keys, second_of, sort_pairs

# Items are looked at this many at a time.
_CHUNK: Final = 1 << 20


def status_classes(graph: ClassGraph, candidates: Ints, share: float, unlinked: UnlinkedItems = NO_UNLINKED) -> Flags:
    """Which of the candidates (nodes, ascending) are status classes; none are where the share is 0."""
    if not share:
        return np.zeros(len(candidates), dtype=bool)
    instances = (graph.instances.counts() + _count(unlinked.classes, unlinked.counts, len(graph.nodes)))[candidates]
    # Shares are compared as their shortest decimals would be: 0.8 of 15 is 12.
    needed = np.round(share * instances, 9)
    several = graph.classes.take(_with_several(graph.classes))
    alike = _with_several(unlinked.classes)
    others, numbers = unlinked.classes.take(alike), unlinked.counts[alike]
    # An instance with another class is on several; where these are too few, nobody has to look whether they are below.
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
    outside = ~_at_or_below(graph, second[found], first[found])
    keys = sort_pairs(pack_pairs(owners[outside], rows[outside]))
    items = np.bincount(list_of, None if numbers is None else numbers[rows_asked], minlength=len(lists))
    counts = np.bincount(second_of(keys), items[first_of(keys)], minlength=len(candidates))
    return counts.astype(np.int64)


def _ordered_pairs(lists: CsrRows) -> tuple[Ints, Ints, Ints]:
    """Every two classes of each list, in both orders and each with itself: the list, the first, the second."""
    sources, first = lists.sources(), lists.targets
    seconds = lists.take(sources)
    return sources[seconds.sources()], first[seconds.sources()], seconds.targets


def _at_or_below(graph: ClassGraph, classes: Ints, others: Ints) -> Flags:
    """Whether each class is the other one, is below it, or is on a cycle with it."""
    count, numbers = rank_keys(classes)
    known = np.zeros(count, dtype=np.int64)
    known[numbers] = classes
    above = pack_pairs(*pairs_from(graph.up, np.arange(count), known))
    asked = pack_pairs(numbers, others)
    below: Flags = np.append(above, ~np.uint64(0))[np.searchsorted(above, asked)] == asked
    return below
