"""From classes to groups: check each cluster, read the outlier sets of those that pass, and choose from them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as with_values
from itertools import chain, islice, pairwise, repeat
from typing import Final, NamedTuple

import numpy as np
from msgspec.structs import asdict, replace

from wikisem.graph.csr import Bitsets, CsrRows, Ints, indices_of
from wikisem.graph.outlier_sets.neighbourhood import WIDTH, contains
from wikisem.graph.outlier_sets.outlier_index import ClassOutliers, OutlierIndex, OutlierSets, ViaFinder
from wikisem.graph.outlier_sets.overlap import class_levels
from wikisem.heuristics.rules.cluster import broken_rules, outlier_rules
from wikisem.heuristics.selection.mixed import FEW_OUTLIERS
from wikisem.heuristics.selection.outlier_choice import MOST_REFUSED, ItemsByClass, choose_outliers
from wikisem.heuristics.selection.places import Places, is_known
from wikisem.heuristics.selection.pool import Draws, GroupInputs, LanguageInputs, OutlierPool, PoolItem, item_indices
from wikisem.heuristics.selection.witness import ClassEvidence
from wikisem.ids import qid_number, qid_of
from wikisem.recipes.options import Recipe
from wikisem.records import DRAWN, NEAR, RELATED, Certificate, Group, Level, Member, Outlier, Rejection, Tie

STATUS: Final = "status"
NO_KIND: Final = "no-kind"
NO_EVIDENCE: Final = "no-evidence"
LEVELS: Final = "levels"
OTHER_LEVEL: Final = "other-level"

# Outliers for which so many items give way are hardly too few with places, for which more are tried.
_FEW_REFUSED: Final = 32

Judgement = Group | Rejection
_Cluster = Sequence[Member]
# Which of up to 64 classes, in which language, and what was chosen from its outlier sets.
_Choice = tuple[int, str, tuple[PoolItem, ...]]


def sifts(recipe: Recipe) -> bool:
    """Whether any outliers tell which classes give groups, and only some of these groups are kept.

    An outlier class that cannot fill ``per_class`` gives one item for each surface form that fits, wherever they take
    their places; so what is left for the next does not depend on which they are, unless languages share them. In a
    large run ``max_groups`` leaves most groups out; for these no places need to be found.
    """
    options = recipe.outliers
    is_told = options.minimum <= options.per_class and not options.near and not options.shared
    return is_told and (recipe.cluster.max_groups > 0 or recipe.outliers.places)


def spares(recipe: Recipe) -> bool:
    """Whether an item is the outlier of one group of a language alone, as far as the others have enough without it.

    Who remembers the outliers of other groups then knows nothing. It takes places, and that languages do not share.
    """
    return recipe.outliers.places and not recipe.outliers.shared


class GroupBuilder:
    """Builds the groups of classes in all languages at once, sharing what does not depend on language.

    If it ``spares`` outliers, an item that is one in a language is not drawn again there, unless a later group has too
    few outliers without it: then groups depend on the order of their classes.
    """

    def __init__(self, inputs: GroupInputs, index: OutlierIndex, *, spares: bool = False) -> None:
        self._inputs, self._graph, self._languages, self._recipe = inputs, inputs.graph, inputs.languages, inputs.recipe
        self._sets = OutlierSets(inputs.graph, index, inputs.recipe.outliers)
        self._via = ViaFinder(index)
        self._draws = Draws(index, inputs.languages)
        self._used: dict[str, set[int]] | None = {code: set() for code in inputs.languages} if spares else None
        self._status = frozenset(index.candidates[index.is_status].tolist())

    def judge(self, nodes: Ints, *, sifted: bool = False) -> Iterator[tuple[str, Judgement]]:
        """A group or a rejection for each of the nodes and each language in which it is a candidate class.

        If they are ``sifted``, groups have no outliers yet: of these there are enough, whatever their places.
        """
        passed: dict[int, dict[str, _Passed]] = {}
        for begin in range(0, len(nodes), WIDTH):
            for language, cluster in self._clusters(nodes[begin : begin + WIDTH]):
                if isinstance(cluster, Rejection):
                    yield language, cluster
                else:
                    passed.setdefault(cluster.node, {})[language] = cluster
            while len(passed) >= WIDTH:
                yield from self._add_outliers({node: passed.pop(node) for node in list(passed)[:WIDTH]}, sifted)
        if passed:
            yield from self._add_outliers(passed, sifted)

    def _clusters(self, nodes: Ints) -> Iterator[tuple[str, "_Passed | Rejection"]]:
        """The cluster of each of some classes in each language in which it is a candidate, or its rejection."""
        overlap, cluster = self._sets.overlap, self._recipe.cluster
        if overlap is not None:
            are_types, contradictions = class_levels(self._graph, nodes, overlap.linked), overlap.contradictions(nodes)
        for language, inputs in self._languages.items():
            rows, is_candidate = indices_of(nodes, inputs.candidates.nodes)
            places, leading = np.flatnonzero(is_candidate), inputs.candidates.leading.take(rows[is_candidate])
            if overlap is None:
                first = [_Leading(None, leading.row(at).tolist()) for at in range(len(leading))]
            else:
                items, of_class = inputs.surfaces.items[leading.targets], places[leading.sources()]
                flags = (self._graph.is_type(items) == are_types[of_class]).tolist()
                rows_of_all, excluding = leading.targets.tolist(), contradictions(of_class, items).tolist()
                first = []
                for at, (begin, end) in zip(places.tolist(), pairwise(leading.offsets.tolist()), strict=True):
                    # The leading instances of the level, with no more contradictions than the minimum needs.
                    own = [place for place in range(begin, end) if flags[place]]
                    even = [rows_of_all[place] for place in own if excluding[place] < 0]
                    odd = {rows_of_all[place]: excluding[place] for place in own if excluding[place] >= 0}
                    chosen = [*even[: cluster.size], *list(odd)[: max(cluster.minimum - len(even), 0)]]
                    first.append(_Leading("concepts" if are_types[at] else "entities", chosen, len(own), odd))
            found = self._check(nodes[places].tolist(), first, inputs)
            yield from ((language, each) for each in self._ask_witness(list(found), inputs))

    def _check(
        self, nodes: Sequence[int], leading: Sequence["_Leading"], inputs: LanguageInputs
    ) -> Iterator["_Passed | Rejection"]:
        """The clusters of some candidate classes of a language that keep the rules on surface forms, or rejections."""
        filters, minimum, asked = self._recipe.filters, self._recipe.cluster.minimum, self._recipe.cluster.level
        rows = np.array(list(chain.from_iterable(own.rows for own in leading)), dtype=np.int64)
        every = iter(inputs.surfaces.members(rows))
        for node, own in zip(nodes, leading, strict=True):
            members = list(islice(every, len(own.rows)))
            if own.level is not None and asked not in {own.level, "both"}:
                yield self._reject(node, inputs, OTHER_LEVEL, f"expected {asked}, saw that most are {own.level}")
                continue
            if own.level is not None and own.of_level < minimum:
                kind = "types" if own.level == "concepts" else "individuals"
                detail = f"expected at least {minimum} {kind}, as most instances are, saw {own.of_level}"
                yield self._reject(node, inputs, LEVELS, detail)
                continue
            cluster = merge_surfaces(
                replace(member, contradicts=self._qid(own.odd[row])) if row in own.odd else member
                for member, row in zip(members, own.rows, strict=True)
            )
            surfaces = [member.surface for member in cluster]
            label = inputs.labels.get(int(self._graph.nodes[node]), "")
            broken = next(broken_rules(surfaces, inputs.profile, filters, minimum, label, inputs.affixes), None)
            if broken is None:
                yield _Passed(node, cluster, outlier_rules(surfaces, inputs.profile, filters), own.level)
            else:
                yield self._reject(node, inputs, broken.reason, broken.detail)

    def _qid(self, node: int) -> str:
        """The QID of a class of the whole graph."""
        count = len(self._graph.nodes)
        return qid_of(int(self._graph.nodes[node] if node < count else self._graph.hidden[node - count]))

    def _ask_witness(
        self, found: Sequence["_Passed | Rejection"], inputs: LanguageInputs
    ) -> Iterator["_Passed | Rejection"]:
        """The same, but clusters have their evidence, or are rejected if their members have no kind in common."""
        signatures, least = self._inputs.signatures, self._recipe.cluster.coherence
        passed = [one for one in found if isinstance(one, _Passed)]
        if signatures is None or not passed:
            yield from found
            return
        nodes, clusters = [one.node for one in passed], [[member.id for member in one.cluster] for one in passed]
        every = ClassEvidence.of_classes(signatures, np.array(nodes), clusters)
        for one in found:
            if isinstance(one, Rejection):
                yield one
                continue
            evidence = next(every)
            coherence = evidence.coherence
            if least is not None and coherence is None and len(signatures.items):
                yield self._reject(one.node, inputs, NO_EVIDENCE, "expected statements about members, saw none")
            elif least is None or coherence is None or coherence >= least:
                yield with_values(one, evidence=evidence, bound=self._recipe.outliers.margin)
            else:
                detail = f"expected a coherence of at least {least}, saw {coherence}"
                yield self._reject(one.node, inputs, NO_KIND, detail)

    def _add_outliers(
        self, passed: Mapping[int, Mapping[str, "_Passed"]], sifted: bool
    ) -> Iterator[tuple[str, Judgement]]:
        """The groups of up to 64 classes whose clusters passed: the outlier sets of all, then the choice for each."""
        nodes = np.array(list(passed))
        found = self._sets.of(nodes)
        pool = OutlierPool(self._inputs, self._draws, nodes, found)
        choose = self._choose_first if sifted else self._choose
        choices = list(choose(pool, nodes, list(passed.values())))
        named = repeat((), len(choices)) if sifted else self._outliers(choices, found, passed)
        for (bit, language, items), outliers in zip(choices, named, strict=True):
            drawn = sum(item.outlier_class != RELATED for item in items)
            node = int(nodes[bit])
            if drawn >= self._recipe.outliers.minimum:
                yield language, self._group(self._languages[language], passed[node][language], outliers)
            else:
                yield language, self._reject_few(found, bit, self._languages[language], passed[node][language], drawn)

    def _choose(self, pool: OutlierPool, nodes: Ints, clusters: Sequence[Mapping[str, "_Passed"]]) -> Iterator[_Choice]:
        """The outliers of each class in each language, or of those with the same languages where these share them."""
        options, numbers = self._recipe.outliers, self._graph.nodes[nodes]
        for languages, wanted in self._by_languages(clusters):
            places = (
                [Places(self._recipe.seed, qid_of(int(numbers[bit])), own) for bit, own in wanted.items()]
                if options.places
                else None
            )
            kin = self._kin(wanted) if options.related else None
            every = map(self._members, wanted.values())
            near = self._sets.near(pool.found, list(wanted), every) if options.near else None
            brought: Sequence[dict[int, ItemsByClass[PoolItem]]] = [{} for _ in wanted]
            if options.per_class:
                brought = pool.of(languages, list(wanted), places)
            for (bit, own), by_outlier_class, placed in zip(
                wanted.items(), brought, places or repeat(None, len(wanted)), strict=True
            ):
                if kin is not None and all(clusters[bit][language].speaks for language in own):
                    by_outlier_class[RELATED] = pool.related(bit, own, kin, placed)
                if near is not None:
                    by_outlier_class[NEAR] = pool.near(bit, languages, *next(near), placed)
                admits = _Admission(clusters[bit], used=self._used)
                further = {RELATED: options.related, NEAR: options.near}
                chosen = choose_outliers(own, by_outlier_class, options.per_class, admits, placed, further)
                is_few = self._are_few(chosen)
                if is_few and admits.repeated:
                    again = {number: items for number, items in by_outlier_class.items() if number in further}
                    if options.per_class:
                        again = pool.of(languages, [bit], None if placed is None else [placed])[0] | again
                    admits = _Admission(clusters[bit])
                    chosen = choose_outliers(own, again, options.per_class, admits, placed, further)
                    is_few = self._are_few(chosen)
                if placed is not None and is_few and options.per_class and admits.refused >= MOST_REFUSED:
                    # Those that take the places best are refused too often; places must not cost the group.
                    (first,) = pool.of(languages, [bit])
                    chosen = self._take_first(own, first, clusters[bit], MOST_REFUSED)[0]
                for language, items in chosen.items():
                    if self._used is not None:
                        self._used[language].update(item.number for item in items)
                    yield bit, language, items

    def _are_few(self, chosen: Mapping[str, Sequence[PoolItem]]) -> bool:
        return any(len(items) < self._recipe.outliers.minimum for items in chosen.values())

    def _choose_first(
        self, pool: OutlierPool, nodes: Ints, clusters: Sequence[Mapping[str, "_Passed"]]
    ) -> Iterator[_Choice]:
        """The first outliers of each class, whatever their places: siblings alone where these are enough.

        Classes most of whose items are refused get theirs as by ``_choose``.
        """
        options, others = self._recipe.outliers, [dict[str, _Passed]() for _ in clusters]
        for languages, wanted in self._by_languages(clusters):
            for numbers, most_refused in (((1,), _FEW_REFUSED), (DRAWN, _FEW_REFUSED), (DRAWN, MOST_REFUSED)):
                brought = pool.of(languages, list(wanted), numbers=numbers)
                for (bit, own), by_outlier_class in zip(list(wanted.items()), brought, strict=True):
                    chosen, refused = self._take_first(own, by_outlier_class, clusters[bit], most_refused)
                    ((language, items),) = chosen.items()
                    # All that there are, if no outlier class was left: places would find no more.
                    is_every = numbers == DRAWN and refused < most_refused
                    if len(items) >= options.minimum or is_every:
                        yield bit, language, items
                        del wanted[bit]
            for bit, own in wanted.items():
                others[bit] |= {language: clusters[bit][language] for language in own}
        yield from self._choose(pool, nodes, others)

    def _take_first(
        self,
        clusters: Mapping[str, _Cluster],
        pool: Mapping[int, ItemsByClass[PoolItem]],
        passed: Mapping[str, "_Passed"],
        most_refused: int,
    ) -> tuple[dict[str, tuple[PoolItem, ...]], int]:
        """The first outliers of a class, wherever they take their places, and how many items were refused."""
        options = self._recipe.outliers
        known = {code for code, cluster in clusters.items() if options.places and all(map(is_known, cluster))}
        admits = _Admission(passed, known)
        chosen = choose_outliers(clusters, pool, options.per_class, admits, most_refused=most_refused)
        return chosen, admits.refused

    def _by_languages(
        self, clusters: Sequence[Mapping[str, "_Passed"]]
    ) -> Iterator[tuple[tuple[str, ...], dict[int, dict[str, _Cluster]]]]:
        """The classes (bits) that choose together: in one language, or in the same ones; with their clusters there."""
        by_languages = dict[tuple[str, ...], list[int]]()
        for bit, passed in enumerate(clusters):
            for languages in [tuple(passed)] if self._recipe.outliers.shared else [(language,) for language in passed]:
                by_languages.setdefault(languages, []).append(bit)
        for languages, bits in by_languages.items():
            yield (
                languages,
                {bit: {language: clusters[bit][language].cluster for language in languages} for bit in bits},
            )

    def _members(self, clusters: Mapping[str, _Cluster]) -> Ints:
        """All members of some clusters as items of the graph, as often as they come."""
        return item_indices(self._graph, [one.id for cluster in clusters.values() for one in cluster])

    def _kin(self, clusters: Mapping[int, Mapping[str, _Cluster]]) -> Bitsets:
        """For each list whose cluster has a member with a class of the list."""
        members = [(bit, one) for bit, own in clusters.items() for cluster in own.values() for one in cluster]
        classes = self._graph.classes.take(item_indices(self._graph, [one.id for _, one in members]))
        bits = np.array([bit for bit, _ in members], dtype=np.int64)[classes.sources()]
        return self._sets.sharing(CsrRows.from_pairs(bits, classes.targets, WIDTH))

    def _outliers(
        self, choices: Sequence[_Choice], found: ClassOutliers, passed: Mapping[int, Mapping[str, "_Passed"]]
    ) -> Iterator[list[Outlier]]:
        """The items of each choice as outliers, each with the class via which it came."""
        chosen = [(item, bit) for bit, _, items in choices for item in items]
        # Of items that were drawn from all, the class is looked up now, for all at once.
        drawn = [(item.class_list, bit, item.outlier_class) for item, bit in chosen if item.via is None]
        lists, bits, outlier_classes = np.array(drawn, dtype=np.int64).reshape(-1, 3).T
        nodes = self._via.own_class(lists).astype(np.int64)
        for outlier_class, relatives in enumerate(found.relatives, start=1):
            here = outlier_classes == outlier_class
            nodes[here] = self._via.relative(lists[here], bits[here], relatives)
        sought = iter(nodes.tolist())
        via = [next(sought) if item.via is None else item.via for item, _ in chosen]
        numbers = iter(self._graph.nodes[np.array(via, dtype=np.int64)].tolist())
        rows: dict[str, list[int]] = {language: [] for language in self._languages}
        for _, language, items in choices:
            rows[language] += (item.row for item in items)
        members = {
            language: iter(self._languages[language].surfaces.members(np.array(own, dtype=np.int64)))
            for language, own in rows.items()
        }
        for bit, language, items in choices:
            yield [
                Outlier(
                    **asdict(next(members[language])),
                    outlier_class=item.outlier_class,
                    via=qid_of(next(numbers)),
                    certificate=self._certificate(item, passed[int(found.classes[bit])], language),
                )
                for item in items
            ]

    def _certificate(self, item: PoolItem, passed: Mapping[str, "_Passed"], language: str) -> Certificate | None:
        if self._sets.overlap is None:
            return None
        found = self._sets.overlap.certificate(passed[language].node, item.class_list)
        return None if found is None else Certificate(self._qid(found.node), found.instances, found.of_class)

    def _reject_few(
        self, found: ClassOutliers, bit: int, inputs: LanguageInputs, passed: "_Passed", drawn: int
    ) -> Rejection:
        """The rejection of a class with too few outliers, by the rule that leaves too few by itself, if one does."""
        node, minimum, options = passed.node, self._recipe.outliers.minimum, self._recipe.outliers
        detail = f"expected at least {minimum} outliers, saw {drawn}"
        if node in self._status:
            # What could be drawn if nothing needed a certificate.
            able = contains(found.brought, np.uint64(bit)) & (options.per_class > 0)
            left = int(inputs.ring.by_list.counts()[able].sum())
            if self._sets.overlap is None or left < minimum:
                return self._reject(node, inputs, STATUS, f"{detail} that are not below a parent of this status class")
            detail += (
                f": certificates and other rules leave no more of {left} that are not below a parent of this class"
            )
        return self._reject(node, inputs, FEW_OUTLIERS, detail)

    def _group(self, inputs: LanguageInputs, passed: "_Passed", outliers: Sequence[Outlier]) -> Group:
        node = passed.node
        number = int(self._graph.nodes[node])
        label = inputs.labels.get(number, qid_of(number))
        known = []
        for one in outliers:
            if one.outlier_class == RELATED:
                # The statements that tie it to members, in their order.
                ties, found = self._inputs.ties, list[Tie]()
                assert ties is not None
                own, *members = item_indices(self._graph, [one.id, *(member.id for member in passed.cluster)])
                for member, rows in zip(passed.cluster, ties.rows(np.array(members)), strict=True):
                    for at in (rows.start + np.flatnonzero(ties.items[rows] == own)).tolist():
                        ends = (member.id, one.id) if ties.of_member[at] else (one.id, member.id)
                        found.append(Tie(ends[0], f"P{ties.properties[at]}", ends[1]))
                one = replace(one, ties=tuple(found))
            known.append(one)
        words, types = [*passed.cluster, *outliers], dict[str, str]()
        if self._sets.coarse is not None:
            of_items = self._sets.coarse.of_items(item_indices(self._graph, [one.id for one in words])).tolist()
            types = {one.id: self._qid(node) for one, node in zip(words, of_items, strict=True) if node >= 0}
        group = Group(
            id=qid_of(number),
            label=label,
            language=inputs.profile.code,
            level=passed.level,
            cluster=tuple(replace(one, type=types.get(one.id)) for one in passed.cluster),
            outliers=tuple(replace(one, type=types.get(one.id)) for one in known),
        )
        return passed.measure(group)

    def _reject(self, node: int, inputs: LanguageInputs, reason: str, detail: str) -> Rejection:
        number = int(self._graph.nodes[node])
        return Rejection(qid_of(number), inputs.profile.code, reason, detail, inputs.labels.get(number, ""))


class _Leading(NamedTuple):
    """The rows of the instances that may be members of a class, with its level, if that is asked for.

    ``of_level`` is how many instances of its level there are; ``odd`` has a class (node) for each row with
    a contradiction.
    """

    level: Level | None
    rows: Sequence[int]
    of_level: int = 0
    odd: Mapping[int, int] = {}


@dataclass(frozen=True, slots=True)
class _Passed:
    """The cluster of a class (node) that passed its rules, its level, the rule on its outliers, and its witness if any.

    An outlier gives way if its margin is ``bound`` or more.
    """

    node: int
    cluster: _Cluster
    rule: Callable[[str], bool]
    level: Level | None = None
    evidence: ClassEvidence | None = None
    bound: float | None = None

    @property
    def speaks(self) -> bool:
        """Whether there is a witness that knows anything of the class."""
        return self.evidence is not None and self.evidence.speaks

    def admits(self, item: PoolItem) -> bool:
        """Whether the rules and the witness let an item be an outlier."""
        if not self.rule(item.surface):
            return False
        if item.outlier_class == NEAR:  # it is to look like a member
            return True
        return self.evidence is None or self.bound is None or (self.evidence.margin(item.number) or 0) < self.bound

    def measure(self, group: Group) -> Group:
        """A group of the cluster with its coherence and margins, if there is a witness."""
        if self.evidence is None:
            return group
        outliers = tuple(replace(one, margin=self.evidence.margin(qid_number(one.id))) for one in group.outliers)
        return replace(group, outliers=outliers, coherence=self.evidence.coherence)


@dataclass(slots=True)
class _Admission:
    """Whether an item may be an outlier in a language; it must be known itself in those whose members are ``known``.

    Those that are ``used`` are not drawn again; ``repeated`` counts them.
    """

    passed: Mapping[str, _Passed]
    known: Collection[str] = ()
    used: Mapping[str, Collection[int]] | None = None
    refused: int = 0
    repeated: int = 0

    def __call__(self, language: str, item: PoolItem) -> bool:
        if self.used is not None and item.number in self.used[language]:
            self.repeated += 1
            self.refused += 1
            return False
        admitted = (language not in self.known or is_known(item)) and self.passed[language].admits(item)
        self.refused += not admitted
        return admitted


def merge_surfaces(ranked: Iterable[Member]) -> tuple[Member, ...]:
    """Each surface form once (case-sensitive), under its best ranked item; no further item takes a merged one's place.

    >>> ranked = [Member(id=f"Q{n}", surface=surface) for n, surface in enumerate(("ash", "elm", "ash"), 1)]
    >>> [member.id for member in merge_surfaces(ranked)]
    ['Q1', 'Q2']
    """
    kept: dict[str, Member] = {}
    for member in ranked:
        kept.setdefault(member.surface, member)
    return tuple(kept.values())
