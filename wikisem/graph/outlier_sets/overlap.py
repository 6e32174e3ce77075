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
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from wikisem.arrow.columns import differs_from_previous, distinct
from wikisem.graph import csr
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import Bitsets, CsrRows, Flags, Int64s, Ints
from wikisem.graph.outlier_sets.class_lists import CountedLists
from wikisem.graph.outlier_sets.neighbourhood import WIDTH, AncestorIndex, DownwardPass, RowUnion, set_bits

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
    """The distinct lists of classes that items have in the whole graph, and how many items have each.

    The whole graph has pruned classes, too. Counted are all items of the graph, by their statements of any rank but
    deprecated, those *outside* it, as in ``ClassGraph``, and ``unlinked`` ones. _CHUNK bounds the memory.
    """
    parts = [unlinked]
    inside, size = len(graph.items), len(graph.items) + len(graph.outside)
    for begin in range(0, size, _CHUNK):
        numbers = np.arange(begin, min(begin + _CHUNK, size))
        items, outside = numbers[numbers < inside], numbers[numbers >= inside] - inside
        stated = CsrRows.join([graph.stated(items), graph.outside.take(outside)])
        # Items with the same classes as one row.
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
        """The components that share instances with that of a candidate class, ascending, and how many they share."""
        below = self.below.row(component) if self.is_candidate[component] else self.below.targets[:0]
        lists = distinct(self.lists.take(below).targets)
        counts, size = self.counts[lists], len(self.instances)
        # The items of all lists with the same base are counted together.
        bases, of_bases = _add_up(self.base[lists], counts, len(self.above))
        parts = (self.above, bases, of_bases), (self.more, lists, counts)
        entries = [rows.offsets[asked + 1] - rows.offsets[asked] for rows, asked, _ in parts]
        if sum(int(of_part.sum()) for of_part in entries) <= _ENTRIES:
            found = np.concatenate([rows.take(asked).targets for rows, asked, _ in parts])
            of_found = [np.repeat(items, of_part) for (_, _, items), of_part in zip(parts, entries, strict=True)]
            return _add_up(found, np.concatenate(of_found), size)
        # A class near the top of the graph has all lists: more than memory should hold at once.
        sums = np.zeros(size)
        for (rows, asked, items), of_part in zip(parts, entries, strict=True):
            edges = np.flatnonzero(np.diff((np.cumsum(of_part) - of_part) // _ENTRIES)) + 1
            for begin, end in pairwise([0, *edges.tolist(), len(asked)]):
                portion = rows.take(asked[begin:end]).targets
                sums += np.bincount(portion, np.repeat(items[begin:end], of_part[begin:end]), size)
        return _add_up(np.arange(size), sums, size)


def _add_up(keys: Ints, numbers: npt.NDArray[Any], size: int) -> tuple[Ints, Int64s]:
    """The distinct keys, all of them below ``size``, that have a sum above 0, in ascending order, and the sums."""
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
    """The index for candidate classes (nodes), from the lists of all instances.

    ``ancestors`` has the classes of all lists; ``pool`` and ``is_type`` have one row for each list of the outlier pool:
    its classes, as rows of ``ancestors``, and whether its item has a subclass-of statement.
    """
    size = len(ancestors.component_starts)
    stated = ancestors.component_of(instance_lists.classes.targets).astype(np.uint32)
    # One row for each component that has a list, and an empty one for lists without classes.
    direct = distinct(stated)
    owners, targets = csr.pairs_from(ancestors.component_parents, np.arange(len(direct)), direct)
    above = CsrRows.from_pairs(owners, targets, len(direct) + 1)
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
    """Of each list of rows of ``above`` its base, the row with most above it, and what the others have beyond that.

    The last row of ``above``, which is empty, is the base of lists without any.
    """
    widest_first = np.lexsort((-above.counts()[lists.targets], lists.sources()))
    filled = np.flatnonzero(lists.counts())
    base = np.full(len(lists), len(above) - 1, dtype=np.uint32)
    base[filled] = lists.targets[widest_first[lists.offsets[filled]]]
    others = np.delete(widest_first, lists.offsets[filled])
    above_others = above.take(lists.targets[others])
    owners = lists.sources()[others][above_others.sources()]
    return base, CsrRows.from_pairs(owners, above_others.targets, len(lists)).without(above.take(base))


class Certified(NamedTuple):
    """A certificate: its class (a node), how many other instances that has, and how many the class asked for has."""

    node: int
    instances: int
    of_class: int


class Overlap:
    """Reads an index of shared instances for certificates of a ``strength``, of which a recipe asks.

    ``linked`` says whether outliers need a sitelink; then it decides the level of classes (``class_levels``), too.
    """

    def __init__(
        self, graph: ClassGraph, ancestors: AncestorIndex, index: OverlapIndex, strength: int, *, linked: bool = False
    ) -> None:
        self._graph, self._ancestors, self._index = graph, ancestors, index
        self._strength, self.linked = strength, linked
        self._down = DownwardPass(ancestors)
        self._pool = RowUnion.of(index.pool)
        self._shared = lru_cache(maxsize=_KEPT)(index.shared)

    def shared(self, nodes: Ints) -> tuple[Int64s, Int64s, Int64s]:
        """The components that share instances with classes, ascending for each, and how many: its own has all of them.

        Three arrays of the same shape: the place of a class in ``nodes``, a component, and the number of instances.
        """
        shared = [self._shared(component) for component in self._ancestors.component_of(nodes).tolist()]
        sizes = np.array([len(components) for components, _ in shared], dtype=np.int64)
        none = np.zeros(0, dtype=np.int64)
        components = np.concatenate([none, *(components for components, _ in shared)])
        counts = np.concatenate([none, *(counts_of_class for _, counts_of_class in shared)])
        return np.repeat(np.arange(len(nodes)), sizes), components, counts

    def certified(self, nodes: Ints) -> Bitsets:
        """Bit i of a list of the pool says that its items have a certificate for class i, and are of its level."""
        instances, count = self._index.instances, len(self._index.instances)
        bits, components, counts = self.shared(nodes)
        # The item itself is one of the instances, and none of the class.
        shares_nothing = np.where(instances > self._strength, ~np.uint64(0), np.uint64(0))
        shares_nothing &= ~set_bits(count, components, bits)
        shares_much = counts >= MOST_SHARED * (instances[components] - 1)
        shares = set_bits(count, components[shares_much], bits[shares_much])
        below = self._pool.union(self._down.propagate_down(shares_nothing[self._ancestors.component]))
        is_strong = instances[self._ancestors.component_of(nodes)] >= self._strength
        strong, types = (
            np.bitwise_or.reduce(np.uint64(1) << np.flatnonzero(flags).astype(np.uint64), initial=np.uint64(0))
            for flags in (is_strong, class_levels(self._graph, nodes, self.linked))
        )
        of_level = np.where(self._index.is_type, types, ~types)
        certified: Bitsets = below & strong & of_level & ~self._pool.union(shares)
        return certified

    def certificate(self, node: int, pool_list: int) -> Certified | None:
        """The certificate of an item of the pool (its list of classes) for a class (node); None if it has none.

        A class of the item, direct or above, certifies if it shares no instance with the class, and both have at least
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
                return Certified(int(nodes[strongest]), int(others[strongest]), of_class)
            parents = distinct(self._ancestors.component_parents.take(frontier).targets)
            frontier = np.setdiff1d(parents, seen)
            seen = np.union1d(seen, frontier)
        return None

    def contradictions(self, nodes: Ints) -> Callable[[Ints, Ints], Int64s]:
        """Look up what some classes (nodes) share, to ask which of their instances are contradictions.

        The function that is returned takes instances, each as the position of its class in ``nodes`` and an item of the
        graph. It gives for each a node that excludes the class but for this item; else -1.
        """
        graph, size = self._graph, len(self._index.instances)
        can_exclude = self._index.instances[self._ancestors.component_of(nodes)] > self._strength
        places, sharing, counts = self.shared(nodes[can_exclude])
        # One ascending key for each class and each component that shares instances with it.
        keys = np.flatnonzero(can_exclude)[places] * size + sharing

        def find(positions: Ints, items: Ints) -> Int64s:
            rows = np.flatnonzero(can_exclude[positions])
            classes, others = graph.classes.take(items[rows]), graph.other_classes.take(items[rows])
            owners = rows[np.concatenate([classes.sources(), others.sources()])]
            stated = np.concatenate([classes.targets, others.targets]).astype(np.int64)
            components = self._ancestors.component_of(stated)
            # Each of the classes shares at least the item itself.
            shares_one = counts[np.searchsorted(keys, positions[owners] * size + components)] == 1
            is_contradiction = shares_one & (self._index.instances[components] > self._strength)
            found = np.full(len(items), -1, dtype=np.int64)
            # From the back, so that of several classes the first remains.
            found[owners[is_contradiction][::-1]] = stated[is_contradiction][::-1]
            return found

        return find


# The level of a class is that of most of its first instances: so many are looked at.
LEADING: Final = 32


def class_levels(graph: ClassGraph, nodes: Ints, linked: bool) -> Flags:
    """Whether the instances of each class are types: of its best known ones more have a subclass-of statement than not.

    Wikidata mixes the two: among the instances of *album* are single albums, and kinds such as *debut album*. (Dadalto
    et al. 2021 count such classes.) A reader who sees both in one group finds the kind odd, whatever it is.

    Where members are ``linked``, instances without a sitelink are not asked: a build may not even keep them.
    """
    starts, ends = graph.instances.offsets[nodes], graph.instances.offsets[nodes + 1]
    cut = CsrRows.slices(starts, np.minimum(starts + LEADING, ends), graph.instances.targets)
    cut = cut.keep(graph.sitelinks[cut.targets] > 0) if linked else cut
    types = np.bincount(cut.sources(), graph.is_type(cut.targets), minlength=len(nodes))
    level: Flags = 2 * types > cut.counts()
    return level
