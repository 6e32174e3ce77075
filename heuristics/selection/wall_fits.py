"""Which words of a language's classes may be in one wall with which classes, and which of them fit a second class.

A word may be in a wall with a class if it could be an outlier of the class without a certificate: classes that share a
word, which makes a herring, do not exclude each other. Instead, *kin* are left out: direct instances of a parent of the
class, and words that have a class with a member in common, besides their own. A word *fits* the class if the whole
graph makes it an instance, or if it is of a sibling or cousin and has more evidence than half of the instances
(``witness``). With less evidence, from which an outlier gives way all the same, it is in no wall with the class.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, product
from math import inf
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import structs

from wikisem.arrow.columns import qids_of
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import CsrRows, Int64s, Ints, indices_of, offsets_of
from wikisem.graph.outlier_sets.class_lists import CountedLists, PageLinks, outlier_pool
from wikisem.graph.outlier_sets.neighbourhood import WIDTH
from wikisem.graph.outlier_sets.outlier_index import OutlierIndex, OutlierSets, build_outlier_index
from wikisem.graph.statements import Signatures
from wikisem.heuristics.rules.cluster import agreed_case, outlier_rules
from wikisem.heuristics.rules.wording import parts_of_others
from wikisem.heuristics.selection.pool import in_range, item_indices
from wikisem.heuristics.selection.witness import ClassEvidence, Evidence
from wikisem.ids import qid_number
from wikisem.recipes.options import FilterOptions, Recipe
from wikisem.records import Group, Member
from wikisem.wikipedia.graphemes import initial_case
from wikisem.wikipedia.languages import LanguageProfile

# Two classes are one kind under two names if a larger part than this of the words of one fits the other by the graph.
_MOST_SHARED: Final = 0.25
# Among the first LEADING instances of a class, those with a surface form may be words, at most WORDS of them.
LEADING: Final = 128
WORDS: Final = 32
# The margin from which a word of a sibling or a cousin tempts a reader to put it into the class: more evidence than
# half of the instances have.
TEMPTING: Final = 0.5

# ``masks[a][b]`` has a bit for each word of class b, in their order; what is said is about class a.
Masks = list[list[int]]


@dataclass(frozen=True, slots=True)
class WallClass:
    """A class that has a group, and the words that it may bring into walls: the cluster, then further instances."""

    group: Group
    words: tuple[Member, ...]

    @staticmethod
    def of(group: Group, further: Iterable[Member], profile: LanguageProfile, filters: FilterOptions) -> "WallClass":
        """The words of a class: its cluster, and the first further instances that the rules of the cluster let join."""
        may_join = outlier_rules([one.surface for one in group.cluster], profile, filters)
        # Members lose their coarse types, which further instances lack. Of words that differ in case alone, the first.
        leading = [structs.replace(one, type=None) for one in group.cluster[:WORDS]]
        kept = {one.surface.casefold(): one for one in reversed(leading)}
        words = list(dict.fromkeys(kept[one.surface.casefold()] for one in leading))
        items = {one.id for one in group.cluster}
        for one in further:
            is_new = one.id not in items and one.surface.casefold() not in kept
            if len(words) < WORDS and is_new and may_join(one.surface):
                kept[one.surface.casefold()] = one
                words.append(one)
        return WallClass(group, tuple(words))


def leading_instances(
    graph: ClassGraph, groups: Iterable[Group], recipe: Recipe, links: PageLinks | None = None
) -> dict[str, list[str]]:
    """For the class of each group the instances that may bring further words, as QIDs, the most prominent first.

    They are ranked by sitelinks, or by ``links`` within the language's Wikipedia. If the recipe takes members from the
    middle or last third of a class (``fame``), no instance is more prominent than the first of the members.
    """
    found: dict[str, list[str]] = {}
    for group in groups:
        node = int(indices_of(np.array([qid_number(group.qid)]), graph.nodes)[0][0])
        items = graph.instances.row(node)  # by sitelinks, most first
        prominence: npt.NDArray[np.generic] = graph.sitelinks[items]
        if links is not None and len(links.items):
            weights = links.weights(graph, items)
            order = np.argsort(-weights, kind="stable")
            items, prominence = items[order], weights[order]
        if recipe.cluster.fame in {"torso", "tail"}:
            members = item_indices(graph, [one.id for one in group.cluster])
            items = items[prominence <= prominence[np.isin(items, members)].max()]
        items = items[:LEADING][graph.sitelinks[items[:LEADING]] >= recipe.outliers.min_sitelinks]
        numbers = graph.items[items].astype(np.int64)
        found[group.qid] = qids_of(numbers[in_range(numbers, recipe.items, "clusters")])
    return found


@dataclass(frozen=True, slots=True)
class WallIndex:
    """The outlier index of all classes that walls may be made of; their word ``items[i]`` is on list ``lists[i]``."""

    outliers: OutlierIndex
    items: npt.NDArray[np.uint32]
    lists: Int64s

    @staticmethod
    def of(graph: ClassGraph, recipe: Recipe, classes: Iterable[WallClass], unlinked: CountedLists) -> "WallIndex":
        """From the classes of all languages."""
        nodes, words = nodes_and_items(graph, classes)
        items, numbers, lists = outlier_pool(graph, [words])
        plain = replace(recipe, outliers=replace(recipe.outliers, certificate=0))
        return WallIndex(build_outlier_index(graph, lists, nodes, plain, unlinked), items.astype(np.uint32), numbers)


@dataclass(frozen=True)
class WallInputs:
    """What the walls of all languages share; ``signatures`` are None if the recipe has no bound on margins."""

    graph: ClassGraph
    recipe: Recipe
    index: WallIndex
    signatures: Signatures | None


def nodes_and_items(graph: ClassGraph, classes: Iterable[WallClass]) -> tuple[Int64s, Ints]:
    """The nodes of some classes, and their words among the items of the graph, both ascending."""
    listed = list(classes)
    numbers = np.array(sorted({qid_number(one.group.qid) for one in listed}), dtype=np.int64)
    words = np.array(sorted({qid_number(word.id) for one in listed for word in one.words}), dtype=np.int64)
    return indices_of(numbers, graph.nodes)[0], indices_of(words, graph.items)[0].astype(np.uint32)


@dataclass(frozen=True)
class WallFits:
    """What the words of each class of a language are to the other classes.

    ``graph`` are words that the graph makes instances of the class, ``witness`` siblings and cousins that could be
    outliers of it but for their margins, which reach ``TEMPTING``. ``clean`` are words that could be outliers: some are
    in the class's O1 or O2 (``near``), some in its O3 (``far``), some in none. ``cased`` are all words whose initials
    are like those of the class, and of the clean ones only such are listed. ``apart[a]`` is a bitset of the classes
    that may be in one wall with class a.
    """

    graph: Masks
    witness: Masks
    clean: Masks
    near: Masks
    far: Masks
    cased: Masks
    apart: list[int]

    @staticmethod
    def of(classes: Sequence[WallClass], inputs: WallInputs, profile: LanguageProfile) -> "WallFits":
        """For each pair of classes of one language, what the words of one are to the other: by outlier set and margin.

        The margin of a word beside a class is the share of the class's instances with less evidence of being one.
        Without a bound on margins no word looks like a member.
        """
        words = _Words.of(classes, inputs)
        sets = OutlierSets(inputs.graph, inputs.index.outliers, replace(inputs.recipe.outliers, certificate=0))
        margin = inputs.recipe.outliers.margin
        bound = inf if inputs.signatures is None or margin is None else margin
        masks: dict[str, Masks] = {name: [] for name in ("graph", "witness", "clean", "near", "far", "cased")}
        for begin in range(0, len(classes), WIDTH):
            # For 64 classes at once, each of which has a bit, what words are to them by their own lists of classes:
            # instances, possible outliers (but for direct instances of a parent), items in O1 or O2, and in O3.
            nodes = words.nodes[begin : begin + WIDTH]
            o1, o2, o3 = sets.of(nodes).sets
            allowed_lists = sets.allowed(nodes) & ~sets.sharing(inputs.graph.up.take(nodes))
            bitsets = [lists[words.lists] for lists in (sets.instances(nodes), allowed_lists, o1 | o2, o3)]
            for bit in range(len(nodes)):
                # From here on all are flags of every word of the language: what it is to this one class.
                stated, allowed, near, far = ((bitset >> np.uint64(bit)) & np.uint64(1) != 0 for bitset in bitsets)
                # Kin have a class, not their own, which a member of the cluster has too.
                is_kin = np.isin(words.others.targets, words.of_cluster.row(begin + bit))
                allowed[words.others.sources()[is_kin]] = False
                allowed &= ~stated
                # Words that look like members by their evidence are out; of siblings and cousins, tempting ones fit.
                margins = words.margins(begin + bit)
                looks_like_member = allowed & (margins >= bound)
                tempting = looks_like_member & near & (margins >= TEMPTING)
                # The words whose initial has the case that all of the cluster agree in, if the recipe asks for that.
                cluster, cased = classes[begin + bit].group.cluster, np.ones(len(allowed), dtype=bool)
                if inputs.recipe.filters.initial_capital and (agreed := agreed_case(one.surface for one in cluster)):
                    cased = (words.cases == agreed) | (words.cases == "")
                clean = allowed & ~looks_like_member & cased
                flags = (stated, tempting, clean, near & clean, far & clean, cased)
                # The flagged words of each class as a bitset: words of one class are side by side.
                for name, flagged in zip(masks, flags, strict=True):
                    bits = np.where(flagged, words.bits, np.uint64(0))
                    masks[name].append(np.bitwise_or.reduceat(bits, words.begins).tolist())
        return WallFits(**masks, apart=_apart(classes, words.nodes, masks["graph"], inputs, profile))


@dataclass(frozen=True)
class _Words:
    """The words of all classes of a language, those of one class after those of another.

    ``nodes`` and ``begins`` have the node and the first word of each class, the other arrays are of words: ``lists``
    has the class list of each, ``bits`` its bit in the masks of its class, ``cases`` the case of its initial.
    """

    classes: Sequence[WallClass]
    inputs: WallInputs
    nodes: Int64s
    lists: Int64s
    begins: Int64s
    bits: npt.NDArray[np.uint64]
    cases: npt.NDArray[np.str_]
    # The direct classes of each word but its own, and for each class those of all members of its cluster.
    others: CsrRows
    of_cluster: CsrRows
    signatures: CsrRows | None

    @staticmethod
    def of(classes: Sequence[WallClass], inputs: WallInputs) -> "_Words":
        """Look up in the graph all that is asked of the words later: class lists, direct classes and signatures."""
        graph, signatures = inputs.graph, inputs.signatures
        nodes = indices_of(np.array([qid_number(one.group.qid) for one in classes], dtype=np.int64), graph.nodes)[0]
        # All words in one array, those of one class after those of another: ``owners`` has the class of each.
        counts = np.array([len(one.words) for one in classes], dtype=np.int64)
        begins, owners = offsets_of(counts)[:-1], np.repeat(np.arange(len(classes)), counts)
        numbers = np.array([qid_number(word.id) for one in classes for word in one.words], dtype=np.int64)
        items = indices_of(numbers, graph.items)[0]
        # The classes that each word states (P31), and those that the members of each cluster state.
        direct = graph.classes.take(items)
        of_members = graph.classes.take(item_indices(graph, [one.id for own in classes for one in own.group.cluster]))
        clusters = np.repeat(np.arange(len(classes)), [len(one.group.cluster) for one in classes])
        # A word has the bit of its place in its class; ``others`` has the classes it states besides its own.
        return _Words(
            classes,
            inputs,
            nodes,
            lists=inputs.index.lists[np.searchsorted(inputs.index.items, items)],
            begins=begins,
            bits=np.uint64(1) << (np.arange(len(numbers)) - begins[owners]).astype(np.uint64),
            cases=np.array([initial_case(word.surface) for one in classes for word in one.words], dtype=np.str_),
            others=direct.keep(direct.targets != nodes[owners[direct.sources()]]),
            of_cluster=CsrRows.from_pairs(clusters[of_members.sources()], of_members.targets, len(classes)),
            signatures=None if signatures is None else signatures.rows.take(signatures.rows_of(numbers)),
        )

    def margins(self, number: int) -> Evidence:
        """The margins of all words beside the cluster of a class; NaN where there is none."""
        if self.inputs.signatures is None or self.signatures is None:
            return np.full(len(self.bits), np.nan)
        cluster = [one.id for one in self.classes[number].group.cluster]
        (evidence,) = ClassEvidence.of_classes(self.inputs.signatures, self.nodes[number : number + 1], [cluster])
        return evidence.margins(self.signatures)


def _apart(
    classes: Sequence[WallClass], nodes: Int64s, stated: Masks, inputs: WallInputs, profile: LanguageProfile
) -> list[int]:
    """For each class a bitset of those that may be in one wall with it; status classes, as college town, are in none.

    ``stated[a][b]`` is a bitset of the words of class b that the graph makes instances of class a.
    """
    index = inputs.index.outliers
    status = index.is_status[np.searchsorted(index.candidates, nodes)].tolist()
    every = sum(1 << number for number, is_status in enumerate(status) if not is_status)
    apart = [0 if is_status else every & ~(1 << number) for number, is_status in enumerate(status)]
    # Not with each other: two classes if more than a quarter of one's words are instances of the other (all if it is
    # below it), those with the same label, and those of which one's label is part of the other's.
    alike = [
        (number, other)
        for number, masks in enumerate(stated)
        for other, mask in enumerate(masks)
        if mask.bit_count() > _MOST_SHARED * len(classes[other].words)
    ]
    by_label: dict[str, list[int]] = {}
    for number, one in enumerate(classes):
        by_label.setdefault(one.group.label.casefold(), []).append(number)
    same_label = (combinations(numbers, 2) for numbers in by_label.values())
    label_inside = (product(by_label[part], by_label[whole]) for part, whole in parts_of_others(by_label, profile))
    for number, other in chain(alike, *same_label, *label_inside):
        apart[number] &= ~(1 << other)
        apart[other] &= ~(1 << number)
    return apart
