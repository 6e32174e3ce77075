"""O1, O2 and O3 of 64 classes at a time, and the class via which each outlier came in (Blair et al. 2016, A).

The sets are exact: one bitset for each distinct list of classes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from wikisem.arrow.columns import distinct
from wikisem.graph import csr
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import Bitsets, CsrRows, Flags, Int64s, Ints, SparseRows
from wikisem.graph.outlier_sets import neighbourhood as near
from wikisem.graph.outlier_sets.class_lists import NO_NODE, NO_UNLINKED, CountedLists, PoolLists
from wikisem.graph.outlier_sets.coarse_types import CoarseIndex, CoarseTypes, build_coarse_index
from wikisem.graph.outlier_sets.hash_ring import HashRing
from wikisem.graph.outlier_sets.kin import Kin, KinIndex, ViaIndex, status_classes
from wikisem.graph.outlier_sets.neighbourhood import AncestorIndex, DownwardPass, RowUnion, contains, set_bits
from wikisem.graph.outlier_sets.overlap import Overlap, OverlapIndex, build_overlap_index, count_lists
from wikisem.recipes.options import OutlierOptions, Recipe


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
    """The index for an outlier pool with these lists, and for these candidate classes (nodes, ascending)."""
    # What is near which class, and which classes are above the pool.
    terminals = distinct(lists.classes.targets)
    ends = distinct(np.concatenate([terminals, graph.up.take(candidates).targets]))
    neighbourhood = near.build_neighbourhood_index(graph, ends)
    ancestors = near.build_ancestor_index(graph.up, terminals)
    # What each class brings: from each class that is on a list to all components above it. These are a few dozen for
    # each list, because the graph is pruned near its root.
    direct = SparseRows.from_pairs(lists.classes.targets, lists.classes.sources())
    components = ancestors.component_of(direct.owners)
    classes, above = csr.pairs_from(ancestors.component_parents, np.arange(len(components)), components)
    below = direct.rows.take(classes)
    at_or_below = CsrRows.from_pairs(above[below.sources()], below.targets, len(ancestors.component_starts))
    rows = np.arange(len(ancestors.row_to_node))
    ring = HashRing.of(recipe.seed, graph.nodes[ancestors.row_to_node], rows, rows, len(rows))
    # From here on of the whole graph, last because that reads the classes of all items, which stay mapped.
    instance_lists = count_lists(graph, unlinked) if recipe.outliers.certificate else NO_UNLINKED
    stated, own_lists = lists.classes.merged(lists.others), np.flatnonzero(lists.nodes != NO_NODE)
    own_nodes = lists.nodes[own_lists]
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
        self._graph, self._index, self._options = graph, index, options
        self._ancestor_row, self._neighbour_row = index.ancestors.node_to_row, index.neighbourhood.node_to_row
        self._down, self._kin = DownwardPass(index.ancestors), Kin(index.kin)
        strength = options.certificate
        linked = options.min_sitelinks > 0
        self.overlap = Overlap(graph, index.kin.ancestors, index.overlap, strength, linked=linked) if strength else None
        self.coarse = CoarseTypes(graph, index.kin.ancestors, index.coarse, index.kin.classes) if strength else None
        self._terminals = distinct(index.lists.classes.targets)
        self._search = near.NeighbourhoodSearch(index.neighbourhood, options.distance, self._terminals)
        classes = index.lists.classes
        self._by_component = RowUnion.of(CsrRows(classes.offsets, index.ancestors.component_of(classes.targets)))
        self._by_terminal = RowUnion.of(CsrRows(classes.offsets, np.searchsorted(self._terminals, classes.targets)))
        self._component_sizes = np.bincount(index.ancestors.component)

    def of(self, classes: Ints) -> ClassOutliers:
        """Find the outlier sets of up to 64 classes (nodes); bit i of every bitset is of class i.

        A list is in O1 or O2 if a class of its items is a sibling or a cousin, or below one; in O3 if none of its
        classes is near a parent, and it is in neither of the others.
        """
        assert len(classes) <= near.WIDTH
        parents, possible = self._graph.up.take(classes), self.allowed(classes, certified=False)
        allowed = possible & self.overlap.certified(classes) if self.overlap is not None else possible
        siblings = self._children_of(parents, classes)
        cousins = self._children_of(grandparents(self._graph, parents), classes)
        o1: Bitsets = self._by_component.union(siblings.at_or_below)
        o2: Bitsets = self._by_component.union(cousins.at_or_below) & ~o1
        # A class without parents has no O3.
        with_parents = set_bits(1, np.zeros(len(parents.targets), dtype=np.int64), parents.sources())[0]
        starts = set_bits(self._search.rows, self._neighbour_row[parents.targets], parents.sources())
        terminals_near = self._search.near(starts)
        o3: Bitsets = ~self._by_terminal.union(terminals_near) & with_parents & ~o1 & ~o2
        far = np.zeros(self._down.rows, dtype=np.uint64)
        far[self._ancestor_row[self._terminals]] = ~terminals_near & with_parents
        # A cousin that is at or below a sibling brings nothing that is not in O1 already.
        below_sibling = siblings.at_or_below[self._index.ancestors.component]
        other_kind = None
        if self._options.related:
            # What is below a class or any of its parents is of its kind, or of a sibling's.
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
        """Bit i of a list says that its items may be outliers of class i, be they near, far or neither.

        Without ``certified``, they need no certificates, even if the recipe asks for some.
        """
        allowed: Bitsets = ~self._kin.barred(classes)
        is_status = self._index.is_status[np.searchsorted(self._index.candidates, classes)]
        if is_status.any():
            parents = self._graph.up.take(classes)
            allowed &= ~self._kin.at_or_below(parents.keep(is_status[parents.sources()]))
        if self.overlap is not None and certified:
            allowed &= self.overlap.certified(classes)
        return allowed

    def near(self, found: ClassOutliers, bits: Sequence[int], members: Iterable[Ints]) -> Iterator[tuple[Ints, Int64s]]:
        """For some of the classes of ``found``, and ``members`` (items) of each, the lists whose items may be near.

        Yields two parallel arrays for each class: the lists, and for each of them the number of instances of the
        smallest kind that most members and its items are of.
        """
        assert self.coarse is not None
        overlap = self._index.overlap
        for bit, items in zip(bits, members, strict=True):
            node = int(found.classes[bit])
            lists = np.flatnonzero(contains(found.allowed, np.uint64(bit)))
            # Of a status class what is of the same kind may be an instance that nobody stated.
            if self._index.is_status[np.searchsorted(self._index.candidates, node)]:
                lists = lists[:0]
            # Of the kinds that a list is at or below, the smallest comes last and stays.
            classes, sizes = overlap.pool.take(lists), np.zeros(len(lists), dtype=np.int64)
            owners, kinds = classes.sources(), self.coarse.kinds(node, items)
            for kind in kinds[np.argsort(-overlap.instances[kinds])].tolist():
                is_of_kind = csr.indices_of(classes.targets, overlap.below.row(kind))[1]
                sizes[owners[is_of_kind]] = overlap.instances[kind]
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

    def _children_of(self, sources: CsrRows, classes: Ints) -> RelativeSet:
        """All children of the sources except the class itself, and everything below them."""
        bitsets = set_bits(self._down.rows, self._ancestor_row[sources.targets], sources.sources())
        relatives = self._down.parents.union(bitsets)
        # Only the class itself is left out: other classes on its cycle are siblings like any other.
        for bit, row in enumerate(self._ancestor_row[classes].tolist()):
            if row >= 0:
                relatives[row] &= ~np.uint64(1 << bit)
        return RelativeSet(relatives, self._down.propagate_down(relatives))

    def via(self, found: ClassOutliers, lists: Ints, bits: Ints, numbers: Ints) -> Int64s:
        """The class (node) via which each of some items came into an outlier set; of several the lowest.

        Item i is on list ``lists[i]``, and was drawn for class ``bits[i]`` of ``found`` as O1, O2 or other, by
        ``numbers[i]``. It came into O1 or O2 via a relative of the class, which is on the list or above a class on it;
        any other item came via a class on its list.
        """
        pool, ancestors = self._index.lists.classes, self._index.ancestors
        via: Int64s = pool.targets[pool.offsets[lists]].astype(np.int64)
        for number, relatives in enumerate(found.relatives, start=1):
            drawn = np.flatnonzero(numbers == number)
            via[drawn] = np.iinfo(np.int64).max
            classes = pool.take(lists[drawn])
            outliers: Ints = drawn[classes.sources()]
            component: Ints = ancestors.component_of(classes.targets)
            # Upwards, through components that have the bit only: those at or below a relative.
            while len(outliers):
                inside = contains(relatives.at_or_below[component], bits[outliers])
                pairs = distinct(csr.pack_pairs(outliers[inside], component[inside]))
                outliers, component = csr.first_of(pairs), csr.second_of(pairs)
                # The rows of each component that was reached, and which of them are relatives.
                sizes = self._component_sizes[component]
                before = np.cumsum(sizes) - sizes
                owners = np.repeat(outliers, sizes)
                rows = np.repeat(ancestors.component_starts[component] - before, sizes) + np.arange(len(owners))
                is_relative = contains(relatives.relatives[rows], bits[owners])
                np.minimum.at(via, owners[is_relative], ancestors.row_to_node[rows[is_relative]])
                above = ancestors.component_parents.take(component)
                outliers, component = outliers[above.sources()], above.targets
        return via


def grandparents(graph: ClassGraph, parents: CsrRows) -> CsrRows:
    """P²(v) for each row of parents P(v).

    A class may be a parent and a grandparent at once. Its other children are siblings; O2 is without O1.
    """
    above = graph.up.take(parents.targets)
    return CsrRows.from_pairs(parents.sources()[above.sources()], above.targets, len(parents))
