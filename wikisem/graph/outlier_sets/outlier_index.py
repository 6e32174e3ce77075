"""O1, O2 and O3 of 64 classes at a time, and the class via which each outlier came in (Blair et al. 2016, A).

The sets are exact: one bitset for each distinct list of classes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from wikisem.arrow.columns import distinct
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import Bitsets, CsrRows, Flags, Int64s, Ints, first_of, pack_pairs, second_of
from wikisem.graph.outlier_sets import neighbourhood as near
from wikisem.graph.outlier_sets.class_lists import NO_NODE, NO_UNLINKED, PoolLists, UnlinkedItems
from wikisem.graph.outlier_sets.coarse_types import CoarseIndex, CoarseTypes, build_coarse_index
from wikisem.graph.outlier_sets.kin import Kin, KinIndex, ViaIndex, build_kin_index, build_via_index, status_classes
from wikisem.graph.outlier_sets.neighbourhood import AncestorIndex, DownwardPass, RowUnion, contains, set_bits
from wikisem.graph.outlier_sets.overlap import NO_LISTS, InstanceLists, Overlap, OverlapIndex, build_overlap_index
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
    graph: ClassGraph, lists: PoolLists, candidates: Ints, recipe: Recipe, unlinked: UnlinkedItems = NO_UNLINKED
) -> OutlierIndex:
    """The index for an outlier pool with these lists, and for these candidate classes (nodes, ascending)."""
    terminals = distinct(lists.classes.targets)
    parents = graph.up.take(candidates).targets
    ends = distinct(np.concatenate([terminals, parents]))
    ancestors = near.build_ancestor_index(graph.up, terminals)
    neighbourhood = near.build_neighbourhood_index(graph, ends)
    via = build_via_index(graph, lists, ancestors, recipe.seed)
    # Last, because it reads the classes of all items, which stay mapped.
    instance_lists = InstanceLists.of(graph, unlinked) if recipe.outliers.certificate else NO_LISTS
    kin = build_kin_index(graph, lists, distinct(np.concatenate([candidates, instance_lists.classes.targets])))
    is_type = np.zeros(len(lists), dtype=bool)
    is_node = lists.nodes != NO_NODE
    is_type[is_node] = graph.types[lists.nodes[is_node]]
    overlap = build_overlap_index(instance_lists, kin.ancestors, candidates, kin.classes, is_type)
    coarse = build_coarse_index(graph, kin.ancestors, overlap.instances, linked=recipe.outliers.min_sitelinks > 0)
    is_status = status_classes(graph, candidates, recipe.outliers.status_share, unlinked)
    return OutlierIndex(lists, candidates, is_status, kin, overlap, coarse, ancestors, neighbourhood, via)


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
        rows = self._ancestor_row[classes.targets]
        self._by_component = RowUnion.of(CsrRows(classes.offsets, index.ancestors.component[rows]))
        self._by_terminal = RowUnion.of(CsrRows(classes.offsets, np.searchsorted(self._terminals, classes.targets)))

    def of(self, classes: Ints) -> ClassOutliers:
        """Find the outlier sets of up to 64 classes (nodes); bit i of every bitset is of class i.

        A list is in O1 or O2 if a class of its items is a sibling or a cousin, or below one; in O3 if none of its
        classes is near a parent, and it is in neither of the others.
        """
        assert len(classes) <= near.WIDTH
        parents, possible = self._graph.up.take(classes), self._possible(classes)
        allowed = self._certified(possible, classes)
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

    def allowed(self, classes: Ints) -> Bitsets:
        """Bit i of a list says that its items may be outliers of class i, be they near, far or neither."""
        return self._certified(self._possible(classes), classes)

    def _certified(self, lists: Bitsets, classes: Ints) -> Bitsets:
        """The lists of each class whose items have a certificate, if the recipe asks for one, else all."""
        return lists if self.overlap is None else lists & self.overlap.certified(classes)

    def near(self, found: ClassOutliers, bits: Sequence[int], members: Iterable[Ints]) -> Iterator[tuple[Ints, Int64s]]:
        """For some of the classes of ``found``, and ``members`` (items) of each, the lists whose items may be near.

        Yields two parallel arrays for each class: the lists, and for each of them the number of instances of the
        smallest kind that most members and its items are of.
        """
        assert self.overlap is not None
        assert self.coarse is not None
        for bit, items in zip(bits, members, strict=True):
            node = int(found.classes[bit])
            lists = np.flatnonzero(contains(found.allowed, np.uint64(bit)))
            # Of a status class what is of the same kind may be an instance that nobody stated.
            if self._index.is_status[np.searchsorted(self._index.candidates, node)]:
                lists = lists[:0]
            sizes = self.overlap.smallest_kind(lists, self.coarse.kinds(node, items))
            lists, sizes = lists[sizes > 0], sizes[sizes > 0]
            agree = self.coarse.agree(node, items, lists)
            yield lists[agree], sizes[agree]

    def _possible(self, classes: Ints) -> Bitsets:
        """Bit i of a list says that no rule besides certificates bars its items from class i."""
        possible: Bitsets = ~self._kin.barred(classes)
        is_status = self._index.is_status[np.searchsorted(self._index.candidates, classes)]
        if is_status.any():
            parents = self._graph.up.take(classes)
            possible &= ~self._kin.at_or_below(parents.keep(is_status[parents.sources()]))
        return possible

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


def grandparents(graph: ClassGraph, parents: CsrRows) -> CsrRows:
    """P²(v) for each row of parents P(v).

    A class may be a parent and a grandparent at once. Its other children are siblings; O2 is without O1.
    """
    above = graph.up.take(parents.targets)
    return CsrRows.from_pairs(parents.sources()[above.sources()], above.targets, len(parents))


class ViaFinder:
    """Finds the class via which an outlier came in: the sibling, the cousin, or for O3 the outlier's own class.

    Answers are for many outliers at once, each given by the number of its list; of several classes the lowest node.
    """

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
        outliers: Ints = classes.sources()
        component: Ints = self._ancestors.component[self._ancestors.node_to_row[classes.targets]]
        while len(outliers):
            inside = contains(relatives.at_or_below[component], bits[outliers])
            pairs = distinct(pack_pairs(outliers[inside], component[inside]))
            outliers, component = first_of(pairs), second_of(pairs)
            # The rows of each component that was reached, and which of them are relatives.
            starts = self._ancestors.component_starts[component]
            counts = self._ends[component] - starts
            owners = np.repeat(outliers, counts)
            rows = np.repeat(starts - (np.cumsum(counts) - counts), counts) + np.arange(len(owners))
            is_relative = contains(relatives.relatives[rows], bits[owners])
            np.minimum.at(lowest, owners[is_relative], self._ancestors.row_to_node[rows[is_relative]])
            above = self._ancestors.component_parents.take(component)
            outliers, component = outliers[above.sources()], above.targets
        return lowest
