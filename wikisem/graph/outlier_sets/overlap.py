"""How many instances classes share, by the whole graph, and what that proves of an item that is not among them.

Wikidata states what an item is, hardly ever what it is not. Classes that never share an instance, although both have
many, are the nearest thing to such a statement: of 412 university towns none is a state of Germany, so Göttingen,
which is one of them, is no state of Germany, even if statements about it are missing. That is a *certificate* of
Göttingen for *state of Germany*, and the smaller number of instances is its strength. (Völker et al. 2007 learn
disjoint classes; Arnaout et al. 2020 take what peers lack as negative statements.)

A *contradiction* is the same seen from inside: an instance that alone joins two classes which exclude each other
otherwise. Such an item is a mistake of Wikidata, or a member that readers find odder than the outlier.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from wikisem.arrow.columns import differs_from_previous, distinct
from wikisem.graph import csr
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import Bitsets, CsrRows, Flags, Int64s, Ints
from wikisem.graph.outlier_sets.class_lists import CountedLists
from wikisem.graph.outlier_sets.neighbourhood import WIDTH, AncestorIndex, DownwardPass, RowUnion, set_bits
from wikisem.records import Certificate

# No outlier of a class is a direct instance of another class of whose instances this share or more are instances of
# the class, however many other classes speak against it. Of the cases read one by one (docs/reading.md) that have a
# certificate of a strength of 8, the bound takes 12 of 20 wrong ones and 43 of 800 good ones (2026-11).
MOST_SHARED: Final = 0.05
# Items, lists, and components of lists are looked at this many at a time.
_CHUNK: Final = 1 << 20
_LISTS: Final = 1 << 16
_ENTRIES: Final = 1 << 20
# From one entry for this many components on, counting into an array of all of them takes less time than sorting.
_SPARSE: Final = 8
# Classes whose shared instances are kept: those that are judged together, and those that wait to be.
_KEPT: Final = 4 * WIDTH


def count_lists(graph: ClassGraph, unlinked: CountedLists) -> CountedLists:
    """The distinct lists of classes that items are direct instances of, and how many items have each list.

    Pruned classes count, too. Counted are the items of the graph, by their statements of any rank but deprecated; those
    *outside* it, whose classes are all pruned or which are pruned classes themselves; and ``unlinked`` ones.
    """
    parts = [unlinked]
    inside, size = len(graph.items), len(graph.items) + len(graph.outside)
    for begin in range(0, size, _CHUNK):  # a part at a time, to need less memory
        numbers = np.arange(begin, min(begin + _CHUNK, size))
        items, outside = numbers[numbers < inside], numbers[numbers >= inside] - inside
        stated = CsrRows.join([graph.stated(items), graph.outside.take(outside)])
        parts.append(CountedLists.join([CountedLists(np.ones(len(numbers), dtype=np.int64), stated)]))
    return CountedLists.join(parts)


@dataclass(frozen=True, slots=True)
class OverlapIndex:
    """What shared instances are counted from. A *component* is one of the ancestor index of the whole graph.

    ``counts`` is the number of items on each list, and ``lists`` has for each component the lists with a class in it.
    The items of a list are instances of dozens of components, most of them above one of its classes, as those of many
    lists are. So a list has the number of a row of ``above``, its ``base``, and in ``more`` the components that this
    row lacks. ``below`` has for each component the ones with a list that are at or below it. ``instances`` is the
    number of items of each component, and ``is_candidate`` says which have a candidate class. ``pool`` has for each
    list of the outlier pool the components of its direct classes, and ``is_type`` says whether its item has a
    subclass-of statement.
    """

    counts: Int64s
    lists: CsrRows
    base: Ints
    above: CsrRows
    more: CsrRows
    below: CsrRows
    instances: Int64s
    is_candidate: Flags
    pool: CsrRows
    is_type: Flags

    def shared(self, component: int) -> tuple[Ints, Int64s]:
        """The components that share instances with that of a candidate class, ascending, and how many they share.

        A component is the classes on a cycle, mostly one class; that of the class itself shares all of its instances.
        """
        # The instances of the candidate are on the lists that have a class at or below it.
        below = self.below.row(component) if self.is_candidate[component] else self.below.targets[:0]
        lists = distinct(self.lists.take(below).targets)
        counts, size = self.counts[lists], len(self.instances)
        # What is above the classes of a list is a row of ``above``, its base, and a row of ``more``. Every component in
        # these two rows shares the items of the list. Items of lists with the same base are added up first.
        bases, base_counts = _add_up(self.base[lists], counts, len(self.above))
        both = (self.above, bases, base_counts), (self.more, lists, counts)
        parts = [(table, rows, items, table.offsets[rows + 1] - table.offsets[rows]) for table, rows, items in both]
        if sum(int(lengths.sum()) for _, _, _, lengths in parts) <= _ENTRIES:
            components = np.concatenate([table.take(rows).targets for table, rows, _, _ in parts])
            shared = np.concatenate([np.repeat(items, lengths) for _, _, items, lengths in parts])
            return _add_up(components, shared, size)
        # A class near the top of the graph has all lists, more than memory should hold at once: some rows at a time.
        sums = np.zeros(size)
        for table, rows, items, lengths in parts:
            cuts = np.flatnonzero(np.diff((np.cumsum(lengths) - lengths) // _ENTRIES)) + 1
            for begin, end in pairwise([0, *cuts.tolist(), len(rows)]):
                components = table.take(rows[begin:end]).targets
                sums += np.bincount(components, np.repeat(items[begin:end], lengths[begin:end]), size)
        return _add_up(np.arange(size), sums, size)


def _add_up(keys: Ints, numbers: npt.NDArray[Any], size: int) -> tuple[Ints, Int64s]:
    """Sum the numbers of each distinct key (below ``size``): the keys with a sum above 0, ascending, and the sums."""
    if len(keys) > size // _SPARSE:
        sums = np.bincount(keys, numbers)  # exact as floats: there are fewer than 2**53 items
        found = np.flatnonzero(sums)
        return found.astype(np.uint32), sums[found].astype(np.int64)
    # Few keys, whose numbers are all above 0, take less time to sort than an array of ``size`` sums takes to fill.
    # Sorted as packed pairs, which takes a tenth of the time of an argsort; a dump has fewer than 2**32 items.
    pairs = csr.pack_pairs(keys, numbers)
    pairs.sort()
    keys = csr.first_of(pairs)
    starts = np.flatnonzero(differs_from_previous(keys))
    sums = np.add.reduceat(csr.second_of(pairs).astype(np.int64), starts) if len(starts) else np.zeros(0, np.int64)
    return keys[starts], sums


def build_overlap_index(
    instance_lists: CountedLists, ancestors: AncestorIndex, candidates: Ints, pool: CsrRows, is_type: Flags
) -> OverlapIndex:
    """Prepare to count how many instances any class shares with each of the ``candidates`` (nodes).

    ``instance_lists`` are the lists of classes that all items have, and ``ancestors`` the graph above these classes.
    ``pool`` and ``is_type`` have a row for each list of the outlier pool: its classes, as rows of ``ancestors``, and
    whether its item has a subclass-of statement.
    """
    # The component (the classes on a cycle, or one class) of every class on a list; then what is at or above each of
    # them: ``above`` has a row for each distinct one, and a last row, empty, for lists without classes.
    size = len(ancestors.component_starts)
    stated = ancestors.component_of(instance_lists.classes.targets).astype(np.uint32)
    direct = distinct(stated)
    owners, targets = csr.pairs_from(ancestors.component_parents, np.arange(len(direct)), direct)
    above = CsrRows.from_pairs(owners, targets, len(direct) + 1)
    # What is above the classes of a list is one of these rows, its base, which many lists share, and some components
    # more. The items of a list are instances of both: they are counted here by ``more``, and at the end by bases.
    instances = np.zeros(size)
    bases, more = list[Ints](), [csr.NO_ROWS]
    for begin in range(0, len(instance_lists.counts), _LISTS):
        offsets = instance_lists.classes.offsets[begin : begin + _LISTS + 1]
        stated_rows = CsrRows(offsets - offsets[0], np.searchsorted(direct, stated[offsets[0] : offsets[-1]]))
        base_of_part, more_of_part = _divide(stated_rows, above)
        counts = instance_lists.counts[begin : begin + _LISTS]
        instances += np.bincount(more_of_part.targets, counts[more_of_part.sources()], size)
        bases.append(base_of_part)
        more.append(more_of_part)
    base = np.concatenate([direct[:0], *bases])
    instances += np.bincount(above.targets, np.bincount(base, instance_lists.counts, len(above))[above.sources()], size)
    is_candidate = np.zeros(size, dtype=bool)
    is_candidate[ancestors.component_of(candidates)] = True
    return OverlapIndex(
        counts=instance_lists.counts,
        lists=CsrRows(instance_lists.classes.offsets, stated).reverse(size),
        base=base,
        above=above,
        more=CsrRows.join(more),
        below=CsrRows.from_pairs(targets, direct[owners], size),
        instances=instances.astype(np.int64),
        is_candidate=is_candidate,
        pool=CsrRows(pool.offsets, ancestors.component[pool.targets].astype(np.uint32)),
        is_type=is_type,
    )


def _divide(lists: CsrRows, above: CsrRows) -> tuple[Ints, CsrRows]:
    """Divide the union of the rows of ``above`` that each list names: into the longest of them, and what others add.

    Returns for each list the number of the longest row, its base, and the targets that this row lacks. If rows are
    [1, 2, 3], [2, 4] and [], list [0, 1] has base 0 and lacks 4; an empty list has the last row as base, an empty one.
    """
    # In each list the longest row comes first, and is the base.
    longest_first = np.lexsort((-above.counts()[lists.targets], lists.sources()))
    not_empty = np.flatnonzero(lists.counts())
    base = np.full(len(lists), len(above) - 1, dtype=np.uint32)
    base[not_empty] = lists.targets[longest_first[lists.offsets[not_empty]]]
    others = np.delete(longest_first, lists.offsets[not_empty])
    above_others = above.take(lists.targets[others])
    owners = lists.sources()[others][above_others.sources()]
    return base, CsrRows.from_pairs(owners, above_others.targets, len(lists)).without(above.take(base))


class Overlap:
    """Reads an index of shared instances for certificates of a ``strength``, of which a recipe asks."""

    def __init__(
        self, graph: ClassGraph, ancestors: AncestorIndex, index: OverlapIndex, strength: int, *, linked: bool = False
    ) -> None:
        """Prepare to find certificates: classes of ``strength`` instances. If ``linked``, outliers have sitelinks."""
        self._graph, self._ancestors, self._index = graph, ancestors, index
        self._strength, self.linked = strength, linked
        self._down, self._pool = DownwardPass(ancestors), RowUnion.of(index.pool)
        self._shared = lru_cache(maxsize=_KEPT)(index.shared)

    def shared(self, nodes: Ints) -> tuple[Int64s, Int64s, Int64s]:
        """For each class (node) the components that share instances with it, ascending, and how many they share.

        Returns (position in ``nodes``, component, number of shared instances) triples as three arrays. A component is
        the classes on a cycle, mostly one class; that of the class itself shares all of its instances.
        """
        shared = [self._shared(component) for component in self._ancestors.component_of(nodes).tolist()]
        sizes = np.array([len(components) for components, _ in shared], dtype=np.int64)
        none = np.zeros(0, dtype=np.int64)
        components = np.concatenate([none, *(components for components, _ in shared)])
        counts = np.concatenate([none, *(counts_of_class for _, counts_of_class in shared)])
        return np.repeat(np.arange(len(nodes)), sizes), components, counts

    def certified(self, nodes: Ints) -> Bitsets:
        """Bit i for each list (items of the pool with the same classes): whether they have a certificate for class i.

        They do if they are instances, at any depth, of a class that shares no instance with class i, both with at least
        ``strength`` instances besides the item. Items with a direct class that shares many are out, as are items of
        another level: types where instances of class i are individuals, or the other way round.
        """
        instances, count = self._index.instances, len(self._index.instances)
        bits, components, counts = self.shared(nodes)
        # Of each component, the classes with which it shares nothing; none if it has too few instances: one of them is
        # the item itself, so there must be more than ``strength``. It certifies for all that is at or below it.
        shares_nothing = np.where(instances > self._strength, ~np.uint64(0), np.uint64(0))
        shares_nothing &= ~set_bits(count, components, bits)
        below = self._pool.union(self._down.propagate_down(shares_nothing[self._ancestors.component]))
        is_much = counts >= MOST_SHARED * (instances[components] - 1)
        shares_much = set_bits(count, components[is_much], bits[is_much])
        # One bitset for all lists: which of the classes have enough instances, and which have types as instances.
        is_strong = instances[self._ancestors.component_of(nodes)] >= self._strength
        strong, types = (
            np.bitwise_or.reduce(np.uint64(1) << np.flatnonzero(flags).astype(np.uint64), initial=np.uint64(0))
            for flags in (is_strong, class_levels(self._graph, nodes, self.linked))
        )
        of_level = np.where(self._index.is_type, types, ~types)
        certified: Bitsets = below & strong & of_level & ~self._pool.union(shares_much)
        return certified

    def certificate(self, node: int, pool_list: int) -> Certificate | None:
        """The certificate that items on a list (with the same classes) are no instances of a class (node), if any.

        A class of the items, direct or above, certifies if it shares no instance with the class, and both have at least
        ``strength`` instances without the item. The nearest one is taken, of these the strongest, which is the one of
        most instances, counted up to those of the class; then the lowest node.
        """
        component = int(self._ancestors.component_of(np.array([node]))[0])
        sharing, of_class = self._shared(component)[0], int(self._index.instances[component])
        # Upwards from the classes of the item, a step at a time.
        frontier = seen = distinct(self._index.pool.row(pool_list))
        while len(frontier) and of_class >= self._strength:
            others = self._index.instances[frontier] - 1  # one of the instances is the item
            certifies = (others >= self._strength) & ~csr.indices_of(frontier, sharing)[1]
            if certifies.any():
                certifying, others = frontier[certifies], others[certifies]
                nodes = self._ancestors.row_to_node[self._ancestors.component_starts[certifying]]
                strongest = np.lexsort((nodes, -np.minimum(others, of_class)))[0]
                return Certificate(self._graph.qid(int(nodes[strongest])), int(others[strongest]), of_class)
            parents = distinct(self._ancestors.component_parents.take(frontier).targets)
            frontier = np.setdiff1d(parents, seen)
            seen = np.union1d(seen, frontier)
        return None

    def contradictions(self, nodes: Ints) -> Callable[[Ints, Ints], Int64s]:
        """Look up what some classes (nodes) share with others, and return a function that finds contradictions.

        A contradiction is an instance of a class that is the only one to be an instance of some other class as well,
        though both have more than ``strength`` instances. The function takes instances, each as the position of its
        class in ``nodes`` and an index in the graph's items, and gives for each the other class, a node, or -1.
        """
        graph, size = self._graph, len(self._index.instances)
        has_enough = self._index.instances[self._ancestors.component_of(nodes)] > self._strength
        places, sharing, counts = self.shared(nodes[has_enough])
        # One ascending key for each class in ``nodes`` and component that shares ``counts`` instances with it.
        keys = np.flatnonzero(has_enough)[places] * size + sharing

        def find(positions: Ints, items: Ints) -> Int64s:
            """For each item the first other class that it alone shares with class ``nodes[position]``; -1 if none."""
            asked = np.flatnonzero(has_enough[positions])
            # Pairs of an item and a class that it is a direct instance of, at any rank.
            classes, others = graph.classes.take(items[asked]), graph.other_classes.take(items[asked])
            item_of_pair = asked[np.concatenate([classes.sources(), others.sources()])]
            stated = np.concatenate([classes.targets, others.targets]).astype(np.int64)
            components = self._ancestors.component_of(stated)
            # Every pair has a key and a count above 0: the two classes share at least the item.
            shares_one = counts[np.searchsorted(keys, positions[item_of_pair] * size + components)] == 1
            is_contradiction = shares_one & (self._index.instances[components] > self._strength)
            found = np.full(len(items), -1, dtype=np.int64)
            # From the back, so that of several classes the first remains.
            found[item_of_pair[is_contradiction][::-1]] = stated[is_contradiction][::-1]
            return found

        return find


# The level of a class is that of most of its first instances: so many are looked at.
LEADING: Final = 32


def class_levels(graph: ClassGraph, nodes: Ints, linked: bool) -> Flags:
    """Whether the instances of each class (node) are types: of its 32 best known, most have a subclass-of statement.

    Wikidata mixes the two: among the instances of *album* are single albums, and kinds such as *debut album*. (Dadalto
    et al. 2021 count such classes.) A reader who sees both in one group finds the kind odd, whatever it is. Where
    members are ``linked``, instances without a sitelink are not asked: a build may not even keep them.
    """
    starts, ends = graph.instances.offsets[nodes], graph.instances.offsets[nodes + 1]
    leading = CsrRows.slices(starts, np.minimum(starts + LEADING, ends), graph.instances.targets)
    leading = leading.keep(graph.sitelinks[leading.targets] > 0) if linked else leading
    types = np.bincount(leading.sources(), graph.is_type(leading.targets), minlength=len(nodes))
    of_types: Flags = 2 * types > leading.counts()
    return of_types
