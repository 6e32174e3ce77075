"""O1, O2 and O3 of 64 classes at a time, and the class via which each outlier came in (Blair et al. 2016, A).

The sets are exact: one bitset for each distinct list of classes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.arrow.columns import distinct
from wikisem.graph import csr
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import Bitsets, CsrRows, Flags, Int64s, Ints, SparseRows, pairs_from
from wikisem.graph.outlier_sets import neighbourhood as near
from wikisem.graph.outlier_sets.class_lists import NO_NODE, NO_UNLINKED, CountedLists, PoolLists, class_lists
from wikisem.graph.outlier_sets.hash_ring import HashRing
from wikisem.graph.outlier_sets.neighbourhood import WIDTH, AncestorIndex, DownwardPass, RowUnion, contains, set_bits
from wikisem.graph.outlier_sets.overlap import Overlap, OverlapIndex, build_overlap_index, count_lists
from wikisem.recipes.options import OutlierOptions, Recipe


@dataclass(frozen=True, slots=True)
class KinIndex:
    """The whole graph, pruned classes included, above all that may be kin: an instance of a class, above or below it.

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
        """Bit i for each list (items of the pool with the same classes): whether they are never outliers of class i.

        These are direct instances of class i, and items that are themselves the class, above it or below it.
        """
        bits, rows = np.arange(len(classes)), self._ancestors.node_to_row[classes]
        # Each class has its own bit, and a list gets the bits of the classes that its items are direct instances of.
        bit_of_class = set_bits(self._down.rows, rows, bits)
        barred = self._by_row.union(bit_of_class)
        # A list whose item is itself a class also gets the bits of the classes at, above or below that one.
        bits_below, above = csr.pairs_from(self._ancestors.component_parents, bits, self._ancestors.component[rows])
        at_or_above = set_bits(len(self._ancestors.component_starts), above, bits_below)
        barred[self._own_lists] |= (self._down.propagate_down(bit_of_class) | at_or_above)[self._own_components]
        return barred


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
    enough. If no class brought two, v would take them one class after another: Baloo, then what *cat* has, and so on.
    """

    ring: HashRing
    at_or_below: CsrRows
    direct: SparseRows


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
    """
    if not share:
        return np.zeros(len(candidates), dtype=bool)
    # How many instances each candidate has, unlinked items (which the graph lacks) included; their pruned classes do
    # not count, since the graph has dropped those of its items as well. ``needed`` of them must have another class.
    count, none = len(graph.nodes), np.zeros(0, dtype=np.int64)
    of_unlinked = unlinked.classes.keep(unlinked.classes.targets < count)
    unlinked_instances = np.bincount(of_unlinked.targets, unlinked.counts[of_unlinked.sources()], minlength=count)
    instances = (graph.instances.counts() + unlinked_instances.astype(np.int64))[candidates]
    # Shares are compared as their shortest decimals would be: 0.8 of 15 is 12.
    needed = np.round(share * instances, 9)
    # First an upper bound that is cheap: all instances with several classes, whichever they are. It takes rows with two
    # classes or more; a row of the graph is one item, a row of unlinked items many.
    several, upper_bound = list[tuple[CsrRows, Int64s | None]](), np.zeros(count)
    for classes, items_of_row in ((graph.classes, None), (of_unlinked, unlinked.counts)):
        begins = range(0, len(classes), _CHUNK)  # in parts, since counts of all rows at once would need much memory
        found = [begin + np.flatnonzero(np.diff(classes.offsets[begin : begin + _CHUNK + 1]) > 1) for begin in begins]
        rows = np.concatenate([none, *found])
        lists, items = classes.take(rows), None if items_of_row is None else items_of_row[rows]
        several.append((lists, items))
        upper_bound += np.bincount(lists.targets, None if items is None else items[lists.sources()], minlength=count)
    # Then the exact count, for the candidates that may have enough.
    may_be = upper_bound[candidates] >= needed
    is_status = np.zeros(len(candidates), dtype=bool)
    counted = sum(_with_another_class(graph, lists, candidates[may_be], items) for lists, items in several)
    is_status[may_be] = counted >= needed[may_be]
    return is_status


def _with_another_class(graph: ClassGraph, several: CsrRows, candidates: Ints, items: Int64s | None) -> Int64s:
    """How many instances of each candidate class (node) have a class that is neither the candidate nor below it.

    Each row of ``several`` has the classes of an item, two or more, or of ``items[row]`` items that have the same ones.
    """
    # Many items have the same classes, so work is done for each distinct list of classes with a candidate on it.
    is_candidate = np.zeros(len(graph.whole_up), dtype=bool)
    is_candidate[candidates] = True
    with_candidate = np.flatnonzero(several.keep(is_candidate[several.targets]).counts())
    list_of_row, lists = class_lists(several.take(with_candidate))
    # All (candidate, class) pairs on the same list, those of a candidate with itself included.
    list_of_class = lists.sources()
    pairs = lists.take(list_of_class)  # for every class on a list, all classes on it
    first, second, list_of_pair = lists.targets[pairs.sources()], pairs.targets, list_of_class[pairs.sources()]
    candidate, is_asked = csr.indices_of(first, candidates)
    first, second = first[is_asked], second[is_asked]
    list_of_pair, candidate = list_of_pair[is_asked], candidate[is_asked]
    # A class is another one unless a walk up from it reaches the candidate: then it is that, or is below it.
    classes = distinct(second)
    ranks = np.searchsorted(classes, second)
    above = csr.pack_pairs(*csr.pairs_from(graph.whole_up, np.arange(len(classes)), classes))
    is_other = ~csr.are_known(csr.pack_pairs(ranks, first), above)
    # A list counts once for a candidate, however many other classes it has: with all items that have the list.
    keys = csr.sort_pairs(csr.pack_pairs(list_of_pair[is_other], candidate[is_other]))
    of_list = np.bincount(list_of_row, None if items is None else items[with_candidate], minlength=len(lists))
    counts = np.bincount(csr.second_of(keys), of_list[csr.first_of(keys)], minlength=len(candidates))
    return counts.astype(np.int64)


# A class is *coarse* if a twentieth of all items are instances of it, at any depth: *human*, *artificial object*,
# *spatial entity*. An item is an instance of about ten of them, one above the other or side by side. The smallest is
# its *coarse type*. Near outliers agree with members in all of them, because which is the smallest hinges on the share,
# and share a *kind* with most, a class that is not coarse. docs/outliers.md compares a twentieth with other shares.
COARSE: Final = 0.05


@dataclass(frozen=True, slots=True)
class CoarseIndex:
    """The components of coarse classes, those with most items first, and the rows of ``_below``, end to end."""

    components: Int64s
    below: Bitsets


def build_coarse_index(graph: ClassGraph, ancestors: AncestorIndex, instances: Int64s, *, linked: bool) -> CoarseIndex:
    """Find the coarse classes, of which a twentieth (COARSE) or more of all items are instances, at any depth.

    Where outliers are ``linked``, items without a sitelink do not count: a build may not even keep them.
    ``instances`` is an upper bound on the number of items of each component (the classes on a cycle, or one class).
    """
    counted = np.flatnonzero(graph.sitelinks > 0) if linked else np.arange(len(graph.items))
    least = COARSE * max(len(counted), 1)
    # Only components that may have enough instances are counted exactly, among the items that count.
    frequent = np.flatnonzero(instances >= least)
    below, counts = _below(ancestors, frequent), np.zeros(len(frequent), dtype=np.int64)
    for begin in range(0, len(counted) if len(frequent) else 0, _CHUNK):
        items = counted[begin : begin + _CHUNK]
        counts += _flags(graph, ancestors, below, items)[:, : len(frequent)].sum(axis=0)
    order = np.argsort(-counts, kind="stable")
    components = frequent[order[counts[order] >= least]]
    return CoarseIndex(components, _below(ancestors, components).reshape(-1))


def _below(ancestors: AncestorIndex, components: Int64s) -> Bitsets:
    """Which of some ``components`` (the classes on a cycle, or one class) each component of the index is, or is below.

    64 of them share a row: bit i in row r and column c says that component c is, or is below, ``components[64r + i]``.
    """
    down, size = DownwardPass(ancestors), len(ancestors.component_starts)
    parts = [components[begin : begin + WIDTH] for begin in range(0, len(components), WIDTH)]
    bitsets = [down.propagate_down(set_bits(size, part, np.arange(len(part)))[ancestors.component]) for part in parts]
    return np.array(bitsets, dtype=np.uint64).reshape(len(parts), size)


def _flags(graph: ClassGraph, ancestors: AncestorIndex, below: Bitsets, items: Ints) -> npt.NDArray[np.bool_]:
    """Which items (rows) are instances of which coarse classes (columns, filled up with False to a multiple of 64).

    ``below`` is from ``_below``: of every component, the coarse classes that it is at or below; 64 of them in each row.
    """
    stated = graph.stated(items)
    union = RowUnion.of(CsrRows(stated.offsets, ancestors.component_of(stated.targets))).union
    # Each row has one bitset an item, for 64 classes. Transposed, the bits of all classes of an item are side by side.
    bitsets = np.array([union(of_64) for of_64 in below], dtype=np.uint64).reshape(len(below), len(items))
    of_items = np.ascontiguousarray(bitsets.T).astype("<u8").view(np.uint8)
    return np.unpackbits(of_items, axis=1, bitorder="little").view(bool)


class CoarseTypes:
    """Reads the index for items of the graph, and for the lists of the outlier pool.

    ``pool`` has for each list the rows in ``ancestors`` of the classes that its items are an instance of.
    """

    def __init__(self, graph: ClassGraph, ancestors: AncestorIndex, index: CoarseIndex, pool: CsrRows) -> None:
        self._graph, self._ancestors, self._components, self._pool = graph, ancestors, index.components, pool
        self._below = index.below.reshape(-(-len(index.components) // WIDTH), len(ancestors.component_starts))

    def of_items(self, items: Ints) -> Int64s:
        """The coarse type of each item, a node: the smallest coarse class that it is an instance of; -1 if of none."""
        # Shape (items, coarse classes, the largest first): an item's last column is that of its smallest class.
        flags = _flags(self._graph, self._ancestors, self._below, items)
        last = flags.shape[1] - 1 - np.argmax(flags[:, ::-1], axis=1) if flags.size else np.zeros(len(items), int)
        # The node of each column: of the classes of a component, which are on one cycle, the one in its first row.
        nodes = self._ancestors.row_to_node[self._ancestors.component_starts[self._components]]
        found = np.full(len(items), -1, dtype=np.int64)
        has_type = flags.any(axis=1)
        found[has_type] = nodes[last[has_type]]
        return found

    def kinds(self, node: int, members: Ints) -> Ints:
        """The kinds of a class (node): other classes that most of its ``members`` (items) are instances of.

        They may be so at any depth. Kinds are components, the classes on a cycle or one class. Coarse classes, with a
        twentieth of all items, are left out, as are the class and those below it, of which no outlier may be.
        """
        # All components that each member is an instance of, and those that more than half of the members have.
        stated, parents = self._graph.stated(members), self._ancestors.component_parents
        _, of_members = pairs_from(parents, stated.sources(), self._ancestors.component_of(stated.targets))
        common, counts = np.unique(of_members, return_counts=True)
        common = np.setdiff1d(common[2 * counts > len(members)], self._components)
        # Without those from which a walk up reaches the class: the class and what is below it.
        starts, reached = pairs_from(parents, np.arange(len(common)), common)
        kinds: Ints = np.delete(common, starts[reached == self._ancestors.component_of(np.array([node]))[0]])
        return kinds

    def agree(self, node: int, members: Ints, lists: Ints) -> Flags:
        """Which lists (items of the pool with the same classes) are like the ``members`` (items) of a class (node).

        They must be instances of each coarse class (of a twentieth of all items) that most members are instances of,
        and of none that no member is. Coarse classes at or below the class itself are not needed: they hold no outlier.
        """
        flags = _flags(self._graph, self._ancestors, self._below, members)
        counts = flags[:, : len(self._components)].sum(axis=0)
        # Which coarse classes are the class or below it: none if it is not coarse itself.
        number = np.flatnonzero(self._components == self._ancestors.component_of(np.array([node])))  # one or none
        bitsets = self._below[number // WIDTH][:, self._components]
        is_below = contains(bitsets, (number % WIDTH)[:, np.newaxis]).any(axis=0)
        # Coarse class c is bit c % 64 of bitset c // 64. A list must have the needed bits, and none of the barred ones.
        needed, barred = (
            set_bits(len(self._below), coarse // WIDTH, coarse % WIDTH)[:, np.newaxis]
            for coarse in map(np.flatnonzero, ((2 * counts > len(members)) & ~is_below, counts == 0))
        )
        agree: Flags = (self._of_lists[:, lists] & (needed | barred) == needed).all(axis=0)
        return agree

    @cached_property
    def _of_lists(self) -> Bitsets:
        """The coarse classes of each list of the pool, in rows as those of ``CoarseIndex.below``."""
        union = RowUnion.of(CsrRows(self._pool.offsets, self._ancestors.component[self._pool.targets])).union
        return np.array([union(bitsets) for bitsets in self._below], dtype=np.uint64).reshape(-1, len(self._pool))


@dataclass(frozen=True, slots=True)
class OutlierIndex:
    """What the outlier sets of all candidate classes are read from.

    ``is_status`` says which candidates are status classes; ``overlap`` and ``coarse`` are empty without certificates.
    """

    lists: PoolLists
    candidates: Ints
    is_status: Flags
    kin: KinIndex
    overlap: OverlapIndex
    coarse: CoarseIndex
    ancestors: AncestorIndex
    neighbourhood: near.NeighbourhoodIndex
    via: ViaIndex


def build_outlier_index(
    graph: ClassGraph, lists: PoolLists, candidates: Ints, recipe: Recipe, unlinked: CountedLists = NO_UNLINKED
) -> OutlierIndex:
    """Prepare what the outlier sets of candidates (ascending nodes) are read from, by the pool's lists of classes."""
    # Distances: which classes of the pool are near a parent of a candidate. Then what is above the pool's classes.
    terminals = distinct(lists.classes.targets)
    ends = distinct(np.concatenate([terminals, graph.up.take(candidates).targets]))
    neighbourhood = near.build_neighbourhood_index(graph, ends)
    ancestors = near.build_ancestor_index(graph.up, terminals)
    # What each class brings: the lists with a class at or below it. Each list has a few dozen components (cycles, or
    # single classes) above it, because the graph is pruned near its root.
    direct = SparseRows.from_pairs(lists.classes.targets, lists.classes.sources())
    components = ancestors.component_of(direct.owners)
    classes, above = csr.pairs_from(ancestors.component_parents, np.arange(len(components)), components)
    below = direct.rows.take(classes)
    at_or_below = CsrRows.from_pairs(above[below.sources()], below.targets, len(ancestors.component_starts))
    # The order in which a class meets those that bring items: by hash keys, on a ring.
    rows = np.arange(len(ancestors.row_to_node))
    ring = HashRing.of(recipe.seed, graph.nodes[ancestors.row_to_node], rows, rows, len(rows))
    # Now of the graph before pruning: what bars an item, and what two classes share, by unlinked items (which the graph
    # lacks) as well. This comes last because it reads the classes of all items, which stay mapped.
    instance_lists = count_lists(graph, unlinked) if recipe.outliers.certificate else NO_UNLINKED
    stated, own_lists = lists.classes.merged(lists.others), np.flatnonzero(lists.nodes != NO_NODE)
    own_nodes = lists.nodes[own_lists]  # the nodes of items that are classes themselves
    known = np.concatenate([stated.targets, own_nodes, candidates, instance_lists.classes.targets])
    above_all = near.build_ancestor_index(graph.whole_up, distinct(known))
    stated_rows = CsrRows(stated.offsets, above_all.node_to_row[stated.targets])
    is_type = np.zeros(len(lists), dtype=bool)
    is_type[own_lists] = graph.types[own_nodes]
    overlap = build_overlap_index(instance_lists, above_all, candidates, stated_rows, is_type)
    return OutlierIndex(
        lists=lists,
        candidates=candidates,
        is_status=status_classes(graph, candidates, recipe.outliers.status_share, unlinked),
        kin=KinIndex(above_all, stated_rows, own_lists, above_all.node_to_row[own_nodes].astype(np.int64)),
        overlap=overlap,
        coarse=build_coarse_index(graph, above_all, overlap.instances, linked=recipe.outliers.min_sitelinks > 0),
        ancestors=ancestors,
        neighbourhood=neighbourhood,
        via=ViaIndex(ring, at_or_below, direct),
    )


@dataclass(frozen=True, slots=True)
class RelativeSet:
    """The siblings (for O1) or cousins (for O2) of the classes asked for, one bit for each class asked for.

    ``relatives`` has a bitset for each row of the ancestor index: whose relative it is. ``at_or_below`` has one for
    each component: whose relative it is, or is below.
    """

    relatives: Bitsets
    at_or_below: Bitsets


@dataclass(frozen=True, slots=True)
class ClassOutliers:
    """The outlier sets of up to 64 ``classes`` (nodes): one bitset for each list in O1, O2 and O3.

    ``via`` has for each of the three a bitset for each row of the ancestor index: the siblings, the cousins, and
    the classes that are far. All classes that bring items into a set are among them. ``brought`` says which lists some
    class brings and no rule besides certificates bars, and ``allowed`` which lists no rule bars. ``other_kind`` has for
    each list the classes that it may be a related outlier of, if the recipe asks for any.
    """

    classes: Ints
    sets: tuple[Bitsets, Bitsets, Bitsets]
    relatives: tuple[RelativeSet, RelativeSet]
    via: tuple[Bitsets, Bitsets, Bitsets]
    brought: Bitsets
    allowed: Bitsets
    other_kind: Bitsets | None = None


class OutlierSets:
    """Reads outlier sets from an index; every answer has one bitset a list, one bit a class asked for."""

    def __init__(self, graph: ClassGraph, index: OutlierIndex, options: OutlierOptions) -> None:
        """Prepare to read the outlier sets of any candidate classes, 64 at a time, by the options of a recipe."""
        self._graph, self._index, self._options = graph, index, options
        self._ancestor_row, self._neighbour_row = index.ancestors.node_to_row, index.neighbourhood.node_to_row
        self._down, self._kin = DownwardPass(index.ancestors), Kin(index.kin)
        # The index knows shared instances and coarse types only if the recipe asks for certificates of some strength.
        strength, linked = options.certificate, options.min_sitelinks > 0
        self.overlap = Overlap(graph, index.kin.ancestors, index.overlap, strength, linked=linked) if strength else None
        self.coarse = CoarseTypes(graph, index.kin.ancestors, index.coarse, index.kin.classes) if strength else None
        # A list of items gets the bits of its classes: by their components (the classes on a cycle, or one class), and
        # by their positions among the terminals, which are all classes of the pool.
        classes = index.lists.classes
        self._terminals = distinct(classes.targets)
        self._search = near.NeighbourhoodSearch(index.neighbourhood, options.distance, self._terminals)
        self._by_component = RowUnion.of(CsrRows(classes.offsets, index.ancestors.component_of(classes.targets)))
        self._by_terminal = RowUnion.of(CsrRows(classes.offsets, np.searchsorted(self._terminals, classes.targets)))
        self._component_sizes = np.bincount(index.ancestors.component)

    def of(self, classes: Ints) -> ClassOutliers:
        """Find the outlier sets of up to 64 classes (nodes) in the pool: bit i of a list of items is for class i.

        Items on a list have the same classes. A list is in O1 or O2 if one of these is a sibling or a cousin, or below
        one; in O3 if none of them is near a parent, and it is in neither of the others.
        """
        assert len(classes) <= near.WIDTH
        # What no rule bars: without regard to certificates, and with them.
        parents, possible = self._graph.up.take(classes), self.allowed(classes, certified=False)
        allowed = possible & self.overlap.certified(classes) if self.overlap is not None else possible
        # O1 and O2, by siblings and cousins: other children of a parent, and of a parent's parent. A class may be both;
        # O2 is without O1.
        above = self._graph.up.take(parents.targets)
        grandparents = CsrRows.from_pairs(parents.sources()[above.sources()], above.targets, len(parents))
        siblings, cousins = self._children_of(parents, classes), self._children_of(grandparents, classes)
        o1: Bitsets = self._by_component.union(siblings.at_or_below)
        o2: Bitsets = self._by_component.union(cousins.at_or_below) & ~o1
        # O3, by distance from the parents; a class without parents has none. Each parent starts with the bits of its
        # children, and a terminal, a class that items of the pool have, ends with those of the classes it is near.
        with_parents = set_bits(1, np.zeros(len(parents.targets), dtype=np.int64), parents.sources())[0]
        starts = set_bits(self._search.rows, self._neighbour_row[parents.targets], parents.sources())
        terminals_near = self._search.near(starts)
        o3: Bitsets = ~self._by_terminal.union(terminals_near) & with_parents & ~o1 & ~o2
        # The classes via which lists are in O3 and O2. A cousin at or below a sibling brings nothing that O1 lacks.
        far = np.zeros(self._down.rows, dtype=np.uint64)
        far[self._ancestor_row[self._terminals]] = ~terminals_near & with_parents
        below_sibling = siblings.at_or_below[self._index.ancestors.component]
        # Related outliers are of another kind: not below the class or any of its parents.
        other_kind = None
        if self._options.related:
            owners = np.concatenate([parents.sources(), np.arange(len(classes), dtype=np.uint32)])
            family = CsrRows.from_pairs(owners, np.concatenate([parents.targets, classes]), len(classes))
            other_kind = allowed & ~self._kin.at_or_below(family)
        return ClassOutliers(
            classes,
            sets=(o1 & allowed, o2 & allowed, o3 & allowed),
            relatives=(siblings, cousins),
            via=(siblings.relatives, cousins.relatives & ~below_sibling, far),
            brought=(o1 | o2 | o3) & possible,
            allowed=allowed,
            other_kind=other_kind,
        )

    def allowed(self, classes: Ints, *, certified: bool = True) -> Bitsets:
        """Bit i for each list (items of the pool with the same classes): whether they may be outliers of class i.

        Without ``certified``, they need no certificate: evidence that they are no instances of the class (``Overlap``).
        """
        allowed: Bitsets = ~self._kin.barred(classes)
        # Of a status class, such as *college town*, nothing below its parents is an outlier: any city may be one. So it
        # has no siblings, and only those cousins that are further away.
        is_status = self._index.is_status[np.searchsorted(self._index.candidates, classes)]
        if is_status.any():
            parents = self._graph.up.take(classes)
            allowed &= ~self._kin.at_or_below(parents.keep(is_status[parents.sources()]))
        if self.overlap is not None and certified:
            allowed &= self.overlap.certified(classes)
        return allowed

    def near(self, found: ClassOutliers, bits: Sequence[int], members: Iterable[Ints]) -> Iterator[tuple[Ints, Int64s]]:
        """For the classes of ``found`` with these ``bits``, yield the lists of the pool with items that may be near.

        ``members`` has the items of each class's cluster. A list (of items with the same classes) may be near if it
        shares a *kind* with most members, a class that is not coarse, and agrees with them in all coarse classes. For
        each class: the lists, and for each of them how many instances its smallest shared kind has.
        """
        assert self.coarse is not None
        overlap = self._index.overlap
        for bit, items in zip(bits, members, strict=True):
            node = int(found.classes[bit])
            lists = np.flatnonzero(contains(found.allowed, np.uint64(bit)))
            # Of a status class what is of the same kind may be an instance that nobody stated.
            if self._index.is_status[np.searchsorted(self._index.candidates, node)]:
                lists = lists[:0]
            # The size of the smallest kind that each list shares, 0 if none: larger kinds are written over by smaller.
            classes, sizes = overlap.pool.take(lists), np.zeros(len(lists), dtype=np.int64)
            list_of_class, kinds = classes.sources(), self.coarse.kinds(node, items)
            for kind in kinds[np.argsort(-overlap.instances[kinds])].tolist():
                is_of_kind = csr.indices_of(classes.targets, overlap.below.row(kind))[1]
                sizes[list_of_class[is_of_kind]] = overlap.instances[kind]
            lists, sizes = lists[sizes > 0], sizes[sizes > 0]
            agree = self.coarse.agree(node, items, lists)
            yield lists[agree], sizes[agree]

    def instances(self, classes: Ints) -> Bitsets:
        """Bit i of a list says that its items are instances of class i or of anything below it, in the whole graph."""
        return self._kin.at_or_below(CsrRows(np.arange(len(classes) + 1), classes))

    def sharing(self, classes: CsrRows) -> Bitsets:
        """Bit i of a list says that its items are direct instances of one of the classes in row i."""
        direct = self._index.via.direct.take(classes.targets)
        return set_bits(len(self._index.lists), direct.targets, classes.sources()[direct.sources()])

    def _children_of(self, elders: CsrRows, classes: Ints) -> RelativeSet:
        """The siblings (or cousins) of up to 64 classes: all other children of their parents (or grandparents).

        Row i of ``elders`` has the parents (or grandparents) of class i; in the result, bit i is for class i.
        """
        # Each elder has the bits of its own classes, and hands them on to all of its children.
        bits_of_elders = set_bits(self._down.rows, self._ancestor_row[elders.targets], elders.sources())
        relatives = self._down.parents.union(bits_of_elders)
        # A class is not its own sibling. Other classes on its cycle are siblings like any other.
        for bit, row in enumerate(self._ancestor_row[classes].tolist()):
            if row >= 0:
                relatives[row] &= ~np.uint64(1 << bit)
        return RelativeSet(relatives, self._down.propagate_down(relatives))

    def via(self, found: ClassOutliers, lists: Ints, bits: Ints, numbers: Ints) -> Int64s:
        """The class (node) via which each of some outliers came into an outlier set; of several the lowest.

        Outlier i is on list ``lists[i]`` (of items with the same classes). It was drawn for the class with bit
        ``bits[i]`` in ``found``, from set number ``numbers[i]``: from O1 (1) via a sibling of the class, from O2 (2)
        via a cousin, either on its list or above a class on it; from any other set via the first class on its list.
        """
        pool, ancestors = self._index.lists.classes, self._index.ancestors
        via: Int64s = pool.targets[pool.offsets[lists]].astype(np.int64)
        for number, relatives in enumerate(found.relatives, start=1):
            drawn = np.flatnonzero(numbers == number)
            via[drawn] = np.iinfo(np.int64).max
            # Walk up from the classes of each list, with pairs of an outlier and a component (a cycle, or one class).
            classes = pool.take(lists[drawn])
            outliers: Ints = drawn[classes.sources()]
            components: Ints = ancestors.component_of(classes.targets)
            while len(outliers):
                # Only what is at or below a relative leads up to one.
                inside = contains(relatives.at_or_below[components], bits[outliers])
                pairs = distinct(csr.pack_pairs(outliers[inside], components[inside]))
                outliers, components = csr.first_of(pairs), csr.second_of(pairs)
                # The classes in each component, which are adjacent rows of the index, and which of them are relatives.
                sizes = self._component_sizes[components]
                before = np.cumsum(sizes) - sizes
                outlier_of_row = np.repeat(outliers, sizes)
                rows = np.repeat(ancestors.component_starts[components] - before, sizes) + np.arange(sizes.sum())
                is_relative = contains(relatives.relatives[rows], bits[outlier_of_row])
                np.minimum.at(via, outlier_of_row[is_relative], ancestors.row_to_node[rows[is_relative]])
                above = ancestors.component_parents.take(components)
                outliers, components = outliers[above.sources()], above.targets
        return via
