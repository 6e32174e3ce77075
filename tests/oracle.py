"""The method read literally, with networkx, sets and loops: what the implementation must agree with, apart from it.

``tests/surface_oracle.py`` does the same for the rules on surface forms.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import log, sqrt
from zlib import crc32

import networkx as nx
import regex
from msgspec.structs import asdict, replace

from tests.surface_oracle import means_item
from tests.word_groups import check_cluster
from wikisem.graph import statements
from wikisem.graph.outlier_sets import outlier_index
from wikisem.graph.outlier_sets.overlap import LEADING, MOST_SHARED
from wikisem.graph.statements import NOT_RELATED
from wikisem.heuristics.rules.affix import count_affixes
from wikisem.heuristics.rules.wording import Verdict, check_stop_affixes
from wikisem.ids import qid_number as uncached_qid_number
from wikisem.recipes.options import GraphOptions, OutlierOptions, Recipe
from wikisem.records import NEAR, RELATED, Certificate, Entity, Group, Level, Member, Outlier, Rejection, Tie
from wikisem.sampling import hash_key as uncached_hash_key
from wikisem.wikipedia.languages import LanguageProfile


def signature(entity: Entity) -> frozenset[int]:
    """The numbers of an item's properties and of the words of its description, hashed."""
    words = "".join(letter if letter.isalpha() else " " for letter in (entity.description or "").lower()).split()
    return frozenset(entity.properties) | {2**15 + crc32(word.encode()) % 2**15 for word in words}


hash_key = lru_cache(maxsize=None)(uncached_hash_key)
qid_number = lru_cache(maxsize=None)(uncached_qid_number)


@dataclass(frozen=True)
class Named:
    """The surface form of an item in one language."""

    surface: str
    source: str = "label"
    count: int = 0
    total: int = 0
    links: int | None = None


Names = Mapping[str, Named]


def names_that_mean(names: Names, entities: Mapping[str, Entity], recipe: Recipe, language: str) -> Names:
    """The anchors, and of labels and titles those that mean their item rather than another one of the name.

    If labels are surface forms, others are also called by their label and aliases, of the language or ``mul``.
    """
    options, sitelinks = recipe.surface, {qid: entity.sitelinks for qid, entity in entities.items()}
    surfaces = {qid: name.surface for qid, name in names.items() if qid in sitelinks}
    called: dict[str, set[str]] = {}
    for qid, entity in entities.items() if options.fallback == "label" else ():
        label = entity.labels.get(language, entity.labels.get("mul"))
        if entity.sitelinks:
            aliases = [*entity.aliases.get(language, ()), *entity.aliases.get("mul", ())]
            called[qid] = {*aliases, *([label] if label else [])}
    return {
        qid: names[qid]
        for qid in surfaces
        if names[qid].source == "anchor" or means_item(qid, surfaces, called, sitelinks, options.minimum_page_share)
    }


def by_number(qids: Iterable[str]) -> list[str]:
    """QIDs in the order of their numbers."""
    return sorted(qids, key=qid_number)


def by_hash_key(qids: Iterable[str], seed: int) -> list[str]:
    """QIDs in the order of their hash keys."""
    return sorted(qids, key=lambda qid: hash_key(seed, qid_number(qid)))


def how_often_more(ones: Sequence[float], others: Sequence[float]) -> float | None:
    """In how many of all pairs the one is greater than the other, a tie counting half; None without any pair."""
    pairs = [(one, other) for one in ones for other in others]
    if not pairs:
        return None
    return round(sum(1.0 if one > other else 0.5 if one == other else 0.0 for one, other in pairs) / len(pairs), 4)


class OracleGraph:
    """The pruned graph of section 2: ``up`` holds an edge from each class to each of its direct superclasses.

    ``whole`` is the same before anything is pruned: it says who is kin.
    """

    def __init__(self, entities: Sequence[Entity], options: GraphOptions) -> None:
        self.entities = {entity.qid: entity for entity in entities}
        # Outlier sets do not depend on the language: each is worked out once for all that ask.
        self.known: dict[tuple[str, OutlierOptions], tuple[set[str], set[str], set[str]]] = {}
        self.whole = whole = nx.DiGraph()
        whole.add_edges_from((e.qid, parent) for e in entities for parent in e.subclass_of if e.qid != parent)
        whole.add_nodes_from(c for e in entities for c in e.instance_of)
        self.circles: dict[str, set[str]] = {
            c: circle for circle in nx.strongly_connected_components(whole) for c in circle
        }
        self.pages = _without_subject(whole, entities, options)
        self.removed = self.pages | _shallow(whole, options)
        self.counted: dict[str, set[str]] = {}
        self.shared: dict[tuple[str, str], int] = {}
        self.vias: dict[tuple[str, str], str] = {}
        self.coarse: dict[str, dict[str, int]] = {}
        self.known_above: dict[str, set[str]] = {}
        self.families: dict[str, tuple[set[str], set[str]]] = {}
        self.signature = {e.qid: signature(e) for e in entities}
        self.types = {e.qid for e in entities if {*e.subclass_of} - {e.qid}}
        self.stated_of = {e.qid: frozenset((*e.instance_of, *e.other_instance_of)) for e in entities}
        self.is_above_counted: dict[str, bool] = {}
        self.up = whole.copy()
        self.up.remove_nodes_from(self.removed)
        self.both_ways = self.up.to_undirected()
        self.depths = _depths(whole, options.root)
        self.classes = {
            e.qid: kept for e in entities if e.qid not in self.removed and (kept := set(e.instance_of) - self.removed)
        }
        self.stated_members: dict[str, set[str]] = {}
        for item in self.entities:
            for each in self.stated_classes(item):
                self.stated_members.setdefault(each, set()).add(item)
        self.members: dict[str, set[str]] = {}
        for item, classes in self.classes.items():
            for each in classes:
                self.members.setdefault(each, set()).add(item)

    def instances(self, v: str) -> set[str]:
        """I(v)."""
        return self.members.get(v, set())

    def parents(self, v: str) -> set[str]:
        """P(v)."""
        return set(self.up.successors(v)) if v in self.up else set()

    def children(self, v: str) -> set[str]:
        """P⁻¹(v)."""
        return set(self.up.predecessors(v)) if v in self.up else set()

    def above(self, v: str) -> set[str]:
        """Every superclass, transitively."""
        if v not in self.known_above:
            self.known_above[v] = set(nx.descendants(self.up, v)) if v in self.up else set()
        return self.known_above[v]

    def below(self, v: str) -> set[str]:
        """Every subclass, transitively."""
        return set(nx.ancestors(self.up, v)) if v in self.up else set()

    def closure(self, v: str) -> set[str]:
        """I*(v)."""
        return self.instances(v).union(*(self.instances(c) for c in self.below(v)))

    def whole_family(self, v: str) -> tuple[set[str], set[str]]:
        """What is above and what is below a class in the whole graph, the class itself in both."""
        if v not in self.whole:
            return {v}, {v}
        if v not in self.families:
            self.families[v] = {v, *nx.descendants(self.whole, v)}, {v, *nx.ancestors(self.whole, v)}
        return self.families[v]

    def stated_classes(self, item: str) -> frozenset[str]:
        """The classes that an item is an instance of at any sound rank, pruned or not."""
        return self.stated_of[item]

    def stated(self, classes: Iterable[str]) -> set[str]:
        """The items that are an instance of one of these classes at any sound rank, pruned or not."""
        return {item for one in classes for item in self.stated_members.get(one, ())}

    def whole_closure(self, v: str) -> set[str]:
        """The items that are an instance of v or of anything below it, at any sound rank, pruned or not."""
        return self.stated(self.whole_family(v)[1])

    def is_type(self, item: str) -> bool:
        """Whether an item has a subclass-of statement, to another class than itself."""
        return item in self.types

    def circle(self, c: str) -> set[str]:
        """The classes that are above a class and below it, itself among them."""
        return self.circles.get(c, {c})

    def is_counted(self, c: str) -> bool:
        """Whether the instances of a class are counted: it is in the graph, or was pruned and is below one that is.

        A class without an edge that has instances at other ranks than the best alone is not in the graph.
        """
        if c not in self.is_above_counted:
            above = {c, *nx.descendants(self.whole, c)} if c in self.whole else set()
            self.is_above_counted[c] = bool(above - self.removed)
        return self.is_above_counted[c]

    def counted_instances(self, c: str) -> set[str]:
        """I*(c) in the whole graph, without pages that have no subject."""
        if c not in self.counted:
            self.counted[c] = self.whole_closure(c) - self.pages
        return self.counted[c]

    def count_shared(self, one: str, other: str) -> int:
        """How many instances two classes share."""
        if (one, other) not in self.shared:
            self.shared[one, other] = len(self.counted_instances(one) & self.counted_instances(other))
        return self.shared[one, other]

    def grandparents(self, v: str) -> set[str]:
        """P²(v)."""
        return {g for p in self.parents(v) for g in self.parents(p)}

    def around(self, sources: Iterable[str], v: str) -> set[str]:
        """The children of the sources, without v."""
        return {c for p in sources for c in self.children(p)} - {v}

    def near(self, v: str, distance: int) -> set[str]:
        """Classes nearer than ``distance`` to some parent of v."""
        balls = (nx.single_source_shortest_path_length(self.both_ways, p, distance - 1) for p in self.parents(v))
        return {node for ball in balls for node in ball}


def _without_subject(whole: nx.DiGraph, entities: Sequence[Entity], options: GraphOptions) -> set[str]:
    kinds = {*options.disambiguation, *options.internal}
    for top in {*kinds}:
        if top in whole:
            kinds |= nx.ancestors(whole, top)
    return kinds | {e.qid for e in entities if kinds & set(e.instance_of)}


def _depths(whole: nx.DiGraph, root: str) -> dict[str, int]:
    if root not in whole:
        return {root: 0} if root else {}
    return dict(nx.single_source_shortest_path_length(whole.reverse(), root))


def _shallow(whole: nx.DiGraph, options: GraphOptions) -> set[str]:
    return {node for node, depth in _depths(whole, options.root).items() if depth <= options.root_distance}


class OracleGroups:
    """The whole group building of sections 2, 3 and 5 in one language."""

    def __init__(
        self,
        graph: OracleGraph,
        recipe: Recipe,
        profile: LanguageProfile,
        names: Names,
    ) -> None:
        self.graph, self.recipe = graph, recipe
        self.profile, self.names = profile, names
        if recipe.surface.minimum_page_share:
            self.names = names_that_mean(names, graph.entities, recipe, profile.code)
        self.affixes = count_affixes(name.surface for qid, name in names.items() if qid in graph.classes)
        self.clusters: dict[str, list[Member]] = {}
        self.lacking: dict[str, str] = {}  # why classes have no cluster

    def outlier_sets(self, v: str) -> tuple[set[str], set[str], set[str]]:
        """O1, O2 and O3 of v, whatever has a surface form."""
        key = (v, self.recipe.outliers)
        if key not in self.graph.known:
            self.graph.known[key] = self._outlier_sets(v, self._barred(v))
        return self.graph.known[key]

    def unbarred_sets(self, v: str) -> tuple[set[str], set[str], set[str]]:
        """The same when only instances are left out, as equations 13 to 15 have it."""
        return self._outlier_sets(v, self.graph.instances(v))

    def _outlier_sets(self, v: str, own: set[str]) -> tuple[set[str], set[str], set[str]]:
        graph, options = self.graph, self.recipe.outliers
        o1 = self._from(graph.parents(v), v) - own
        o2 = self._from(graph.grandparents(v), v) - own - o1
        if not graph.parents(v):
            return o1, o2, set()
        near = graph.near(v, options.distance)
        far = {item for item, classes in graph.classes.items() if not classes & near}
        return o1, o2, far - own - o1 - o2

    def is_status(self, v: str) -> bool:
        """Whether so many instances of v have a class besides, which is neither v nor below it."""
        share, instances = self.recipe.outliers.status_share, self.graph.instances(v)
        others = [item for item in instances if self.graph.classes[item] - self.graph.whole_family(v)[1]]
        return share > 0 and len(others) >= Fraction(str(share)) * len(instances)

    def barred_as_status(self, v: str) -> set[str]:
        """For a status class whatever is below one of its parents."""
        parents = self.graph.parents(v) if self.is_status(v) else set()
        return {item for p in parents for item in self.graph.whole_closure(p)}

    def has_few_by_status(self, v: str) -> bool:
        """Whether v is a status class that would have too few outliers even if none needed a certificate."""
        options, graph = self.recipe.outliers, self.graph
        if not self.is_status(v) or not options.certificate:
            return self.is_status(v)
        above, below = graph.whole_family(v)
        able = set().union(*self.unbarred_sets(v)) if options.per_class else set()
        able -= above | below | graph.stated({v}) | self.barred_as_status(v)
        return sum(map(self.may_stand, able)) < options.minimum

    def _barred(self, v: str) -> set[str]:
        """Items that are never outliers of v in any language: its relations, its instances at any sound rank, a status.

        With certificates also those that have none, or are of another level.
        """
        above, below = self.graph.whole_family(v)
        barred = above | below | self.graph.stated({v}) | self.barred_as_status(v)
        if not self.recipe.outliers.certificate:
            return barred
        # Items of the same classes have the same certificates.
        classes = {item: self.graph.stated_classes(item) for item in self.graph.classes}
        one_of_each = {own: item for item, own in classes.items()}
        certified = {own for own, item in one_of_each.items() if self.certificates(v, item)}
        has_types = self.has_types(v)
        return barred | {
            item for item, own in classes.items() if own not in certified or self.graph.is_type(item) != has_types
        }

    def certificates(self, v: str, item: str) -> list[Certificate]:
        """The nearest classes of an item that never share an instance with v, and of these the strongest.

        Classes in a circle have the same instances and are as near as any of them; each may give its name.
        """
        graph, strength = self.graph, self.recipe.outliers.certificate
        own = graph.counted_instances(v)
        step = {c for c in graph.stated_classes(item) if graph.is_counted(c)}
        for c in step:
            shared = graph.count_shared(c, v)
            if shared and shared >= MOST_SHARED * (len(graph.counted_instances(c)) - 1):
                return []
        seen: set[str] = set()
        while step and len(own) >= strength:
            step |= {other for c in step for other in graph.circle(c)}
            seen |= step
            found = [
                Certificate(id=c, instances=len(graph.counted_instances(c)) - 1, of_class=len(own))
                for c in step
                if len(graph.counted_instances(c)) > strength and not graph.count_shared(c, v)
            ]
            if found:
                most = max(min(one.instances, one.of_class) for one in found)
                return [one for one in found if min(one.instances, one.of_class) == most]
            step = {
                p for c in step if c in graph.whole for p in graph.whole.successors(c) if graph.is_counted(p)
            } - seen
        return []

    def coarse_classes(self, item: str) -> dict[str, int]:
        """The classes of an item at any depth that a share of all items are instances of, and how many are."""
        graph = self.graph
        if item not in graph.coarse:
            able = {each for c in graph.stated_classes(item) for each in graph.whole_family(c)[0]}
            linked = self.recipe.outliers.min_sitelinks > 0
            every = {one for one in graph.classes if graph.entities[one].sitelinks or not linked}
            sizes = {c: len(graph.counted_instances(c) & every) for c in able if graph.is_counted(c)}
            least = outlier_index.COARSE * len(every)
            graph.coarse[item] = {c: size for c, size in sizes.items() if size >= least}
        return graph.coarse[item]

    def kinds(self, v: str, members: Sequence[str]) -> set[str]:
        """The classes of most members at any depth that are neither coarse, nor v or below it."""
        graph = self.graph
        of_members = [{c for own in graph.stated_classes(one) for c in graph.whole_family(own)[0]} for one in members]
        counts = Counter(c for own in of_members for c in own if graph.is_counted(c))
        coarse = {c for one in members for c in self.coarse_classes(one)}
        return {c for c, count in counts.items() if 2 * count > len(members)} - coarse - graph.whole_family(v)[1]

    def is_of_coarse_type(self, v: str, item: str, members: Sequence[str]) -> bool:
        """Whether an item has all coarse classes of most members, but for v and those below, and none that none has."""
        counts = Counter(c for member in members for c in self.coarse_classes(member))
        own, below = self.coarse_classes(item), self.graph.whole_family(v)[1]
        needed = {c for c, count in counts.items() if 2 * count > len(members)} - below
        return needed <= own.keys() <= counts.keys()

    def has_types(self, v: str) -> bool:
        """Whether more of the best known instances of v are types than individuals."""
        first = sorted(self.graph.instances(v), key=lambda i: (-self.graph.entities[i].sitelinks, qid_number(i)))[:32]
        if self.recipe.outliers.min_sitelinks:
            first = [item for item in first if self.graph.entities[item].sitelinks]
        return 2 * sum(map(self.graph.is_type, first)) > len(first)

    def contradicts(self, v: str, item: str) -> bool:
        """Whether a class of an instance excludes v but for this item."""
        graph, strength = self.graph, self.recipe.outliers.certificate
        own = graph.counted_instances(v)
        return any(
            min(len(graph.counted_instances(c)), len(own)) > strength and graph.counted_instances(c) & own == {item}
            for c in graph.stated_classes(item)
            if graph.is_counted(c)
        )

    def _from(self, sources: set[str], v: str) -> set[str]:
        return {item for c in self.graph.around(sources, v) for item in self.graph.closure(c)}

    def ring(self, items: Iterable[str], v: str) -> list[str]:
        """Those that may be outliers, in the order in which class v meets them on the ring."""
        return self.around_ring((item for item in items if self.may_stand(item)), v)

    def may_stand(self, item: str) -> bool:
        """Whether an item may be an outlier in the language at all."""
        linked = self.graph.entities[item].sitelinks >= self.recipe.outliers.min_sitelinks
        return item in self.names and linked and self._in_range(item, "outliers")

    def _in_range(self, item: str, role: str) -> bool:
        """Whether ``[items]`` lets an item into clusters, or be an outlier."""
        options = self.recipe.items
        low, high = options.from_ or item, options.to or item
        return options.apply not in {role, "both"} or qid_number(low) <= qid_number(item) <= qid_number(high)

    def _may_be_member(self, item: str) -> bool:
        return item in self.names and self._in_range(item, "clusters")

    def around_ring(self, qids: Iterable[str], v: str) -> list[str]:
        """Items or classes in the order in which class v meets them: each at its own hash key, v in another domain."""
        start = hash_key(self.recipe.seed, qid_number(v), "class")
        return sorted(qids, key=lambda qid: (hash_key(self.recipe.seed, qid_number(qid)) - start) % 2**64)

    def admits(self, surface: str, cluster: Sequence[Member]) -> bool:
        """Whether the rules on single outliers let a surface form in."""
        filters = self.recipe.filters
        if filters.outlier_stop_affix and not check_stop_affixes([surface], self.profile.stop_affixes).keep:
            return False
        small = {member.surface[0] == member.surface[0].lower() for member in cluster}
        caseless = any(member.surface[0].lower() == member.surface[0].upper() for member in cluster)
        if not filters.initial_capital or caseless or len(small) == 2 or surface[0].lower() == surface[0].upper():
            return True
        return (surface[0] == surface[0].lower()) in small

    def instances_shown(self, v: str, cluster: Sequence[Member]) -> list[str]:
        """The instances that show what v is like: the cluster's, and of the prominent ones the first."""
        first = by_hash_key(self.graph.instances(v) & self.prominent(), self.recipe.seed)[: statements.REFERENCE]
        return [item for item in {*first, *(member.id for member in cluster)} if self.graph.signature[item]]

    def prominent(self) -> set[str]:
        """The items with a signature and enough sitelinks for an outlier, in the graph or not."""
        least = self.recipe.outliers.min_sitelinks
        return {
            item for item, one in self.graph.entities.items() if self.graph.signature[item] and one.sitelinks >= least
        }

    def evidence(self, item: str, instances: Sequence[str]) -> float:
        """How much the signature of an item speaks for what the instances are, itself apart."""
        own, others = self.graph.signature[item], [each for each in instances if each != item]
        everyone = self.prominent()
        total = 0
        for each in own:
            share = (sum(each in self.graph.signature[one] for one in everyone) + 0.5) / (len(everyone) + 1)
            count = sum(each in self.graph.signature[one] for one in others)
            total += round(1024 * (log((count + share) / (len(others) + 1)) - log(share)))
        return total / sqrt(len(own))

    def coherence(self, v: str, cluster: Sequence[Member]) -> float | None:
        """How often a member has more evidence than an item that is no instance; what speaks against v is none."""
        instances = self.instances_shown(v, cluster)
        sample = by_hash_key(self.prominent(), self.recipe.seed)[: statements.SAMPLE]
        found = [self.evidence(member.id, instances) for member in cluster if member.id in instances]
        others = [self.evidence(item, instances) for item in sample if item not in instances]
        return how_often_more([max(one, 0.0) for one in found], [max(one, 0.0) for one in others])

    def has_kind(self, v: str, cluster: Sequence[Member]) -> bool:
        """Whether a cluster is coherent enough; of a cluster without statements, whether no item has any."""
        least = self.recipe.cluster.coherence
        if least is None:
            return True
        found = self.coherence(v, cluster)
        return found >= least if found is not None else not any(self.graph.signature.values())

    def has_evidence(self, item: str, v: str) -> bool:
        """Whether anything but P31 speaks for an instance of v: what the first prominent instances but itself have."""
        first = by_hash_key(self.graph.instances(v) & self.prominent(), self.recipe.seed)[: statements.REFERENCE]
        return bool(self.graph.signature[item]) and self.evidence(item, first) > 0

    def margin(self, item: str, v: str, cluster: Sequence[Member]) -> float | None:
        """The share of the instances that have less evidence than an item; None if nothing is stated of it."""
        if not self.graph.signature[item]:
            return None
        instances = self.instances_shown(v, cluster)
        found = self.evidence(item, instances)
        return how_often_more([found], [self.evidence(each, instances) for each in instances])

    def gives_way(self, item: str, v: str, cluster: Sequence[Member]) -> bool:
        """Whether an item looks too much like an instance to be an outlier."""
        most = self.recipe.outliers.margin
        return most is not None and (self.margin(item, v, cluster) or 0) >= most

    def named_items(self) -> set[str]:
        """The items that may be outliers of some class."""
        return {item for item in self.graph.classes if self.may_stand(item)}

    def of_class(self, c: str, number: int) -> set[str]:
        """The items that a class brings into O1 and O2, or into O3, whatever is barred there."""
        return self.graph.instances(c) if number == 3 else self.graph.closure(c)

    def bringing(self, v: str, number: int) -> dict[str, set[str]]:
        """The classes that bring items into O1, O2 or O3 of v, and which items each brings."""
        graph, found = self.graph, self.outlier_sets(v)[number - 1]
        if number == 3:
            return {c: graph.instances(c) & found for c in {c for item in found for c in graph.classes[item]}}
        grand = graph.grandparents(v)
        sources = graph.parents(v) if number == 1 else grand
        return {c: graph.closure(c) & found for c in graph.around(sources, v)}

    def cluster(self, v: str) -> list[Member]:
        """The cluster of v: the eight, equal surfaces merged."""
        if v not in self.clusters:
            self.clusters[v] = self._cluster(v)
        return self.clusters[v]

    def _cluster(self, v: str) -> list[Member]:
        named = self.members_of_fame(self.graph.instances(v))
        ranked = sorted(named, key=lambda item: (*(-one for one in self.prominence(item)), qid_number(item)))
        minimum, size = self.recipe.cluster.minimum, self.recipe.cluster.size
        if self.recipe.cluster.coherence is not None:
            ranked = sorted(ranked[:LEADING], key=lambda item: not self.has_evidence(item, v))
        further = ranked[size:LEADING]
        if self.recipe.outliers.certificate:
            has_types = self.has_types(v)
            level = [item for item in ranked[:LEADING] if self.graph.is_type(item) == has_types]
            even = [item for item in level if not self.contradicts(v, item)]
            ranked, further = even[:size], even[size:]
            if len(even) < minimum:
                self.lacking[v] = "levels" if len(level) < minimum else "contradictions"
                return []
        first = self._merged(ranked[:size])
        if not self.recipe.filters.replace:
            return first
        items, cluster = ranked[:size], first
        while (verdict := self.verdict(v, cluster)).sharing and further:
            items.remove([item for item in items if self.names[item].surface in verdict.sharing][-1])
            items.append(further.pop(0))
            cluster = self._merged(items)
        return cluster if verdict.keep else first

    def _merged(self, items: Iterable[str]) -> list[Member]:
        """Members, each surface form once."""
        kept: dict[str, Member] = {}
        for item in items:
            kept.setdefault(self.names[item].surface, self._member(item))
        return list(kept.values())

    def is_obscure(self, cluster: Sequence[Member]) -> bool:
        """Whether at most half of a cluster could be outliers by their sitelinks, if outliers have places."""
        options = self.recipe.outliers
        return (
            options.places and sum((one.sitelinks or 0) >= options.min_sitelinks for one in cluster) <= len(cluster) / 2
        )

    def verdict(self, v: str, cluster: Sequence[Member]) -> Verdict:
        """What the rules on surface forms say of a cluster."""
        label = "" if self._label(v) == v else self._label(v)
        surfaces, minimum = [member.surface for member in cluster], self.recipe.cluster.minimum
        return check_cluster(surfaces, self.profile, self.recipe.filters, minimum, label, self.affixes)

    def members_of_fame(self, instances: Iterable[str]) -> list[str]:
        """Those that may be members: named, and of the third that the recipe asks for, by how many are more prominent.

        The thirds are those of the instances that have enough sitelinks for outliers.
        """
        named = [item for item in instances if self._may_be_member(item)]
        fame, known = self.recipe.cluster.fame, self.graph.entities
        if fame == "all":
            return named
        named = [item for item in named if known[item].sitelinks >= self.recipe.outliers.min_sitelinks]
        thirds: dict[str, list[str]] = {"head": [], "torso": [], "tail": []}
        for item in named:
            more = sum(self.prominence(other) > self.prominence(item) for other in named)
            third = "head" if 3 * more < len(named) else "torso" if 3 * more < 2 * len(named) else "tail"
            thirds[third].append(item)
        return thirds[fame]

    def prominence(self, item: str) -> tuple[float, int]:
        """What instances are ranked by: links to the page times how rare such pages are, then sitelinks."""
        sitelinks = self.graph.entities[item].sitelinks
        if self.recipe.cluster.prominence == "global":
            return 0, sitelinks
        most = max(self.graph.entities[one].sitelinks for items in self.graph.members.values() for one in items)
        return self.names[item].total * log((1 + most) / (1 + sitelinks)), sitelinks

    def _member(self, item: str) -> Member:
        name = self.names[item]
        sitelinks = self.graph.entities[item].sitelinks
        return Member(
            id=item,
            surface=name.surface,
            source=name.source,
            count=name.count,
            total=name.total,
            sitelinks=sitelinks,
            links=name.links,
        )

    def candidates(self) -> list[str]:
        """Classes with at least ``minimum`` instances that may be members."""
        least = self.recipe.cluster.minimum
        able = (v for v, items in self.graph.members.items() if len(self.members_of_fame(items)) >= least)
        return by_number(able)

    def judge(self, v: str, used: Collection[str] = ()) -> Group | Rejection:
        """The group of v, or why there is none; items that are used are no outliers."""
        cluster = self.cluster(v)
        options = self.recipe
        level: Level | None = None
        if options.outliers.certificate:
            level = "concepts" if self.has_types(v) else "entities"
            if options.cluster.level not in {level, "both"}:
                return Rejection(v, self.profile.code, "other-level", "")
        if not cluster:
            return Rejection(v, self.profile.code, self.lacking[v], "")
        verdict = self.verdict(v, cluster)
        if not verdict.keep:
            return Rejection(v, self.profile.code, verdict.reason, verdict.detail)
        if self.is_obscure(cluster):
            return Rejection(v, self.profile.code, "obscure", "")
        coherence = self.coherence(v, cluster) if options.witness else None
        if not self.has_kind(v, cluster):
            return Rejection(v, self.profile.code, "no-evidence" if coherence is None else "no-kind", "")
        outliers = choose_together({self.profile.code: self}, {self.profile.code: cluster}, v, used)[self.profile.code]
        drawn = [outlier.outlier_class for outlier in outliers if outlier.outlier_class != RELATED]
        if len(drawn) < options.outliers.minimum:
            return Rejection(v, self.profile.code, "status" if self.has_few_by_status(v) else "few-outliers", "")
        return Group(
            id=v,
            label=self._label(v),
            language=self.profile.code,
            level=level,
            cluster=tuple(cluster),
            outliers=outliers,
            coherence=coherence,
        )

    def outlier(self, item: str, number: int, via: str, v: str, cluster: Sequence[Member]) -> Outlier:
        """An item as an outlier of v."""
        margin = self.margin(item, v, cluster) if self.recipe.witness else None
        ties = tuple(self.ties(item, cluster)) if number == RELATED else None
        return Outlier(**asdict(self._member(item)), outlier_class=number, via=via, margin=margin, ties=ties)

    def ties(self, item: str, cluster: Sequence[Member]) -> Iterator[Tie]:
        """The statements between an item and members, either way."""
        for member in cluster:
            found = [
                (number, at, Tie(one, f"P{number}", other))
                for at, (one, other) in enumerate(((member.id, item), (item, member.id)))
                for number, value in self.graph.entities[one].relations
                if f"Q{value}" == other and number not in NOT_RELATED
            ]
            yield from (tie for *_, tie in sorted(found, key=lambda each: each[:2]))

    def tied_members(self, item: str, cluster: Sequence[Member]) -> int:
        """To how many members statements tie an item."""
        return sum(any(self.ties(item, [member])) for member in cluster)

    def kin(self, v: str, cluster: Sequence[Member]) -> set[str]:
        """What is of the kind of v, of a sibling or of a member, besides what is never an outlier of v."""
        family = {item for c in {v} | self.graph.parents(v) for item in self.graph.whole_closure(c)}
        own = {item for one in cluster for c in self.graph.classes[one.id] for item in self.graph.instances(c)}
        return family | own | self._barred(v)

    def via(self, v: str, item: str) -> str:
        """The lowest class that brought an outlier of v in."""
        if (v, item) not in self.graph.vias:
            self.graph.vias[v, item] = self._via(v, item)
        return self.graph.vias[v, item]

    def _via(self, v: str, item: str) -> str:
        graph = self.graph
        classes = graph.classes[item]
        over = classes.union(*(graph.above(c) for c in classes))
        for sources in (graph.parents(v), graph.grandparents(v)):
            bringing = by_number(graph.around(sources, v) & over)
            if bringing:
                return bringing[0]
        return by_number(classes)[0]

    def _label(self, v: str) -> str:
        labels = self.graph.entities[v].labels if v in self.graph.entities else {}
        return next((labels[code] for code in (self.profile.code, "mul", "en") if code in labels), v)

    def build(self) -> tuple[list[Group], list[Rejection]]:
        """All groups and all rejections, by class number."""
        verdicts = {v: self.judge(v) for v in self.candidates()}
        passed = sorted((v for v, verdict in verdicts.items() if isinstance(verdict, Group)), key=self._order)
        distinct: list[str] = []
        for v in passed:
            if any(self._repeats(v, other) for other in distinct):
                verdicts[v] = Rejection(v, self.profile.code, "near-duplicate", "")
            else:
                distinct.append(v)
        for v in distinct[self.recipe.cluster.max_groups or len(distinct) :]:
            verdicts[v] = Rejection(v, self.profile.code, "capped", "")
        if self.recipe.outliers.places and not self.recipe.outliers.shared:
            used: set[str] = set()
            for v in distinct[: self.recipe.cluster.max_groups or len(distinct)]:
                again = self.judge(v, used)
                again = again if isinstance(again, Group) else self.judge(v)
                assert isinstance(again, Group)
                verdicts[v] = again
                used |= {one.id for one in again.outliers}
        groups = [verdict for verdict in verdicts.values() if isinstance(verdict, Group)]
        return groups, [verdict for verdict in verdicts.values() if isinstance(verdict, Rejection)]

    def _repeats(self, v: str, other: str) -> bool:
        """Whether the clusters of two classes have so many items in common that one of them is too many."""
        number = self.recipe.filters.near_duplicates
        one, two = ({member.id for member in self.cluster(each)} for each in (v, other))
        return number is not None and len(one & two) >= number

    def _order(self, v: str) -> tuple[int, int]:
        if self.recipe.cluster.class_order == "sample":
            return hash_key(self.recipe.seed, qid_number(v)), qid_number(v)
        entity = self.graph.entities.get(v)
        return -(entity.sitelinks if entity else 0), qid_number(v)


def without_certificates(group: Group) -> Group:
    """The group as the oracle has it: it may take one of several certificates."""
    return replace(
        group,
        cluster=tuple(replace(one, type=None) for one in group.cluster),
        outliers=tuple(replace(one, certificate=None, type=None) for one in group.outliers),
    )


def choose_together(
    oracles: Mapping[str, OracleGroups], clusters: Mapping[str, list[Member]], v: str, used: Collection[str] = ()
) -> dict[str, tuple[Outlier, ...]]:
    """The outliers of v, none of them ``used``, in all languages that are given the same; with one, its own."""
    one = next(iter(oracles.values()))
    options = one.recipe.outliers
    chosen: list[tuple[str, int, str]] = []
    barred = {member.id for cluster in clusters.values() for member in cluster}

    def take(pairs: Iterable[tuple[str, str]], number: int) -> list[tuple[str, int, str]]:
        """Up to ``per_class`` of some (item, via), or ``related``, each new in all languages."""
        taken: list[tuple[str, int, str]] = []
        shown = {
            code: {member.surface for member in cluster} | {oracles[code].names[item].surface for item, _, _ in chosen}
            for code, cluster in clusters.items()
        }
        for item, via in pairs:
            if len(taken) == {RELATED: options.related, NEAR: options.near}.get(number, options.per_class):
                break
            if item in barred or any(item == other for other, _, _ in [*chosen, *taken]):
                continue
            able = item not in used and all(
                oracle.may_stand(item)
                and oracle.names[item].surface not in shown[code]
                and oracle.admits(oracle.names[item].surface, clusters[code])
                and (number == NEAR or not oracle.gives_way(item, v, clusters[code]))
                for code, oracle in oracles.items()
            )
            if able:
                taken.append((item, number, via))
                for code, oracle in oracles.items():
                    shown[code].add(oracle.names[item].surface)
        return taken

    for number in (1, 2, 3) if options.per_class else ():
        by_items = {1: options.draw, 2: options.draw, 3: options.draw_o3}[number] == "items"
        if by_items:
            ring = one.around_ring(one.outlier_sets(v)[number - 1], v)
            by_class = [[(item, one.via(v, item)) for item in ring]]
        else:
            bringing = one.bringing(v, number)
            ring = one.around_ring(bringing, v)
            by_class = [[(item, c) for item in one.around_ring(bringing[c], v)] for c in ring]
        if options.places:
            placed = [Placing(oracles, clusters, v, number, index) for index in range(options.per_class)]
            named = set.intersection(*(oracle.named_items() for oracle in oracles.values()))
            brought = [
                (len(one.of_class(c, number) & named), [pair for pair in pairs if pair[0] in named - barred])
                for c, pairs in (() if by_items else zip(ring, by_class, strict=True))
            ]
            asked = classes_asked(brought, options.per_class)
            everything = [(item, one.via(v, item)) for item in one.around_ring(one.outlier_sets(v)[number - 1], v)]
            chosen += take_places(asked, everything, placed, take, number)
            continue
        attempts = [*(take(pairs, number) for pairs in by_class)]
        full_ones = [attempt for attempt in attempts if len(attempt) == options.per_class]
        chosen += (
            full_ones[0] if full_ones and not by_items else take([pair for pairs in by_class for pair in pairs], number)
        )
    chosen += take_related(oracles, clusters, v, take) if options.related else []
    if options.near:
        alike = [(item, by_number(one.graph.classes[item])[0]) for item in near_items(oracles, clusters, v)]
        placed = [Placing(oracles, clusters, v, NEAR, index) for index in range(options.near)]
        chosen += fill_places(alike[:512], placed, take, NEAR)[1] if options.places else take(alike, NEAR)
    return {
        code: tuple(oracle.outlier(*each, v, clusters[code]) for each in chosen) for code, oracle in oracles.items()
    }


def near_items(oracles: Mapping[str, OracleGroups], clusters: Mapping[str, list[Member]], v: str) -> list[str]:
    """What may be a near outlier: items that share the smallest kind with most members first, then as on the ring."""
    one = next(iter(oracles.values()))
    graph, members = one.graph, [member.id for cluster in clusters.values() for member in cluster]
    sizes = {kind: graph.counted_instances(kind) for kind in one.kinds(v, members)}
    above, below = graph.whole_family(v)
    shared = {
        item: min((len(every) for every in sizes.values() if item in every), default=0)
        for item in one.named_items() - above - below - graph.stated({v}) - one.barred_as_status(v)
        if all(oracle.may_stand(item) for oracle in oracles.values())
        and not one.is_status(v)
        and one.certificates(v, item)
        and graph.is_type(item) == one.has_types(v)
        and one.is_of_coarse_type(v, item, members)
    }
    return sorted(one.around_ring([item for item, size in shared.items() if size], v), key=lambda item: shared[item])


def take_related(
    oracles: Mapping[str, "OracleGroups"], clusters: Mapping[str, list[Member]], v: str, take: "Take"
) -> "Chosen":
    """The related outliers of v in all languages: those tied to most members, or of these what takes its place."""
    one = next(iter(oracles.values()))
    tied = related_items(oracles, clusters, v)
    levels = [[(item, by_number(one.graph.classes[item])[0]) for item in level] for level in tied]
    everything = levels[-1] if levels else []
    if not one.recipe.outliers.places:
        return take(everything, RELATED)
    related = one.recipe.outliers.related
    placed = [Placing(oracles, clusters, v, RELATED, index) for index in range(related)]
    return take_places([level for level in levels if len(level) >= related], everything, placed, take, RELATED)


def related_items(oracles: Mapping[str, OracleGroups], clusters: Mapping[str, list[Member]], v: str) -> list[list[str]]:
    """What may be a related outlier in all languages, most tied first: of so many members, of one fewer, and so on."""
    one = next(iter(oracles.values()))
    silent = any(not oracle.instances_shown(v, clusters[code]) for code, oracle in oracles.items())
    if silent or not one.recipe.witness:
        return []
    kin = {item for code, oracle in oracles.items() for item in oracle.kin(v, clusters[code])}
    strengths = {
        item: sum(oracle.tied_members(item, clusters[code]) for code, oracle in oracles.items())
        for item in one.named_items() - kin
        if all(oracle.may_stand(item) and oracle.tied_members(item, clusters[k]) for k, oracle in oracles.items())
    }
    ranked = sorted(
        strengths, key=lambda item: (-strengths[item], -one.graph.entities[item].sitelinks, qid_number(item))
    )
    return [[item for item in ranked if strengths[item] >= least] for least in sorted({*strengths.values()})[::-1]]


# Places, read literally: which value an outlier should have, and what it costs to have another.

MISSED, BEYOND = 10**6, 2 * 10**6
Chosen = list[tuple[str, int, str]]


class Placing:
    """The place of one outlier of v in all languages."""

    def __init__(
        self, oracles: Mapping[str, OracleGroups], clusters: Mapping[str, list[Member]], v: str, number: int, index: int
    ) -> None:
        self.oracles, self.clusters = oracles, clusters
        seed = hash_key(next(iter(oracles.values())).recipe.seed, qid_number(v), "place")
        keys = [
            Fraction(hash_key(seed, 8 * (4 * index + number % 4) + ((number - 1) // 4 << 32) + each, "place"), 2**64)
            for each in range(8)
        ]
        self.form, self.form_coin, self.fame, self.fame_coin, self.pairs, self.letter, self.age, self.age_coin = keys

    def cost(self, item: str) -> int | None:
        """How far the item is from the place, but for letter pairs; None if it is no outlier at all."""
        total = 0
        for code, cluster in self.clusters.items():
            member = self.oracles[code]._member(item)
            if all(one.sitelinks or one.total for one in cluster) and not (member.sitelinks or member.total):
                return None
            for values, share, coin in (
                (written_values, self.form, self.form_coin),
                (known_values, self.fame, self.fame_coin),
                (lambda one: [qid_number(one.id)], self.age, self.age_coin),
            ):
                for value, *others in zip(values(member), *map(values, cluster), strict=True):
                    total += place_cost(others, share, coin, value)
            sitelinks = [one.sitelinks or 0 for one in cluster]
            # Sitelinks count twice.
            total += place_cost(sitelinks, self.fame, self.fame_coin, member.sitelinks or 0)
            total += letter_cost([one.surface for one in cluster], self.letter, member.surface)
        return total

    def cost_of_pairs(self, item: str) -> int:
        """What it costs to have the oddest letter pairs without being meant to, or the other way round."""
        total = 0
        for code, cluster in self.clusters.items():
            words = [*(one.surface for one in cluster), self.oracles[code].names[item].surface]
            pairs = [{f" {word.casefold()} "[at : at + 2] for at in range(len(word.casefold()) + 1)} for word in words]
            shares = [Fraction(sum(pair in other for pair in own for other in pairs), len(own)) for own in pairs]
            oddest, is_meant = all(share > shares[-1] for share in shares[:-1]), self.pairs * (len(cluster) + 1) < 1
            total += BEYOND * (oddest and not is_meant) + MISSED * (is_meant and not oddest)
        return total


def letter_cost(members: Sequence[str], share: Fraction, surface: str) -> int:
    """What it costs an outlier to end as no member does without being meant to, or the other way round."""
    *others, own = [regex.findall(r"\X", word.casefold())[-1] for word in (*members, surface)]
    is_alone = own not in others
    # As likely as that one of all words ends like no other, if the outlier does.
    if len(set(others)) > 1 and share * (len(members) + 1) < 1 + sum(others.count(each) == 1 for each in others):
        return 0 if is_alone else MISSED
    # Another word is odder, unless all are alike.
    count = [*others, own].count(own)
    is_odd = any(others.count(each) < count for each in others if each != own)
    return 0 if not is_alone and (is_odd or len(set(others)) == 1) else BEYOND


def written_values(one: Member) -> list[int]:
    """Characters, words, digits and punctuation."""
    marks = [each for each in one.surface if ord(each) < 128 and not each.isalpha() and each.isprintable()]
    return [len(one.surface), len(one.surface.split(" ")), len([each for each in marks if each != " "])]


def known_values(one: Member) -> list[int]:
    """Sitelinks, links to the page, links with the words."""
    return [one.sitelinks or 0, one.total or 0, one.links or 0]


def place_cost(others: Sequence[int], share: Fraction, coin: Fraction, value: int) -> int:
    """What it costs an outlier to have a value among those of the members."""
    low, high, inside = min(others), max(others), sorted(others)
    rank = int(share * (len(others) + 1))
    if low == high:
        return 0 if value == low else BEYOND
    two = high == low + 1
    above_all = rank == len(others) and coin * others.count(high) * (2 if two else 1) < 1
    below_all = rank == 0 and coin * others.count(low) * (2 if two else 1) < 1 and low > 1
    if above_all and value > high:
        return 0 if value <= 2 * high - low else 1
    if below_all and 0 < value < low:
        return 0 if value >= 2 * low - high else 1
    if not low <= value <= high:
        return BEYOND
    if above_all or below_all:
        return MISSED
    # What is next to the place on both sides; at an end it is the end.
    before, after = inside[max(rank, 1) - 1], inside[min(rank, len(others) - 1)]
    if before == after in (low, high):
        return 0 if value == before else MISSED
    if two:
        return 0 if value == (high if coin < Fraction(1, 2) else low) else MISSED
    if value in (low, high):
        return MISSED
    return 0 if before <= value <= after else 1


Take = Callable[[Iterable[tuple[str, str]], int], Chosen]


def classes_asked(brought: Sequence[tuple[int, list[tuple[str, str]]]], per_class: int) -> list[list[tuple[str, str]]]:
    """Of the first 64 classes that may bring enough, whatever is barred, and up to 512 items, those that do."""
    asked: list[list[tuple[str, str]]] = []
    items = 0
    for having, pairs in [each for each in brought if each[0] >= per_class][:64]:
        if items < 512 and len(pairs) >= per_class:
            asked.append(pairs)
        items += min(having, 64)
    return asked


def take_places(
    asked: Sequence[Sequence[tuple[str, str]]],
    everything: Sequence[tuple[str, str]],
    placed: Sequence[Placing],
    take: Take,
    number: int,
) -> Chosen:
    """The class that comes first of those whose items are nearest to their places; if none has enough, all items."""
    whole: Chosen = []
    lowest, tried = 2**50, 0
    # What is as near as to take all places comes in the order of the ring, the others after it, the nearest first.
    bounds = [
        sum(min(2**50 if (cost := place.cost(item)) is None else cost for item, _ in pairs) for place in placed)
        for pairs in asked
    ]
    for bound, at in sorted((bound if bound >= MISSED else 0, at) for at, bound in enumerate(bounds)):
        if bound >= lowest or tried == 8:
            break
        cost, taken = fill_places(asked[at], placed, take, number)
        if len(taken) == len(placed) and cost < lowest:
            lowest, whole = cost, taken
        if lowest < MISSED:
            break
        tried += bool(whole)
    return whole or fill_places(everything, placed, take, number)[1]


def fill_places(
    pairs: Sequence[tuple[str, str]], places: Sequence[Placing], take: Take, number: int
) -> tuple[int, Chosen]:
    """For each place the nearest item, and what all cost; the four nearest are asked for their letter pairs."""
    taken: Chosen = []
    total = 0
    for place in places:
        before = [(item, via) for item, _, via in taken]
        new = [pair for pair in pairs if len(take([*before, pair], number)) > len(before)]
        costs = [(cost, at) for at, (item, _) in enumerate(new) if (cost := place.cost(item)) is not None]
        nearest = sorted(costs)[:4]
        if not nearest:
            break
        cost, _, at = min((cost + place.cost_of_pairs(new[at][0]), cost, at) for cost, at in nearest)
        total += cost
        taken.append((new[at][0], number, new[at][1]))
    return total, taken
