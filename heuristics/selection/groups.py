"""From classes to groups: check each cluster, read the outlier sets of those that pass, and choose from them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as with_values
from functools import partial
from itertools import accumulate, chain, islice, pairwise, repeat
from typing import Final, NamedTuple

import numpy as np
from msgspec.structs import asdict, replace

from wikisem.graph.csr import Bitsets, CsrRows, Ints, indices_of
from wikisem.graph.outlier_sets.neighbourhood import WIDTH, contains
from wikisem.graph.outlier_sets.outlier_index import ClassOutliers, OutlierIndex, OutlierSets
from wikisem.graph.outlier_sets.overlap import class_levels
from wikisem.heuristics.rules.cluster import broken_rules, outlier_rules
from wikisem.heuristics.rules.wording import KEEP, Verdict
from wikisem.heuristics.selection.kept_groups import FEW_OUTLIERS
from wikisem.heuristics.selection.outlier_choice import MOST_REFUSED, ItemsByClass, choose_outliers
from wikisem.heuristics.selection.places import Places, PoolItem, check_obscure, is_known
from wikisem.heuristics.selection.pool import Draws, GroupInputs, LanguageInputs, OutlierPool, item_indices
from wikisem.heuristics.selection.witness import ClassEvidence, evidence_of_instances
from wikisem.ids import qid_number, qid_of
from wikisem.recipes.options import Recipe
from wikisem.records import DRAWN, NEAR, RELATED, Group, Level, Member, Outlier, Rejection, Tie

STATUS: Final = "status"
NO_KIND: Final = "no-kind"
NO_EVIDENCE: Final = "no-evidence"
LEVELS: Final = "levels"
CONTRADICTIONS: Final = "contradictions"
OTHER_LEVEL: Final = "other-level"
# Outliers for which so many items give way are hardly too few with places, for which more are tried.
_FEW_REFUSED: Final = 32

Judgement = Group | Rejection
_Cluster = Sequence[Member]
# By the number of each outlier class, the items that may be chosen for it, each from the class via which it comes.
_Pool = dict[int, ItemsByClass]


class _Choice(NamedTuple):
    """The outliers chosen for a class in a language; ``bit`` is its own in the bitsets of classes judged together."""

    bit: int
    language: str
    items: tuple[PoolItem, ...]


def sifts(recipe: Recipe) -> bool:
    """Whether groups take two passes: all classes are judged by the first outliers found, those kept get the best ones.

    In a large run ``max_groups`` leaves most groups out, for which the best ones need not be found. Both passes find
    equally many: an outlier class (O1, O2 or O3) without ``per_class`` items that fit gives all it has, one for each
    surface form. So what is left for the next does not depend on their order, unless languages share outliers.
    """
    options = recipe.outliers
    is_any_enough = options.minimum <= options.per_class and not options.near and not options.shared
    return is_any_enough and (recipe.cluster.max_groups > 0 or options.places)


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
        self._draws = Draws(index, inputs.languages)
        self._used: dict[str, set[int]] | None = {code: set() for code in inputs.languages} if spares else None
        self._status = frozenset(index.candidates[index.is_status].tolist())

    def judge(self, nodes: Ints, *, sifted: bool = False) -> Iterator[tuple[str, Judgement]]:
        """A group or a rejection for each of the classes (nodes) and each language in which it is a candidate.

        If they are ``sifted``, groups have no outliers yet: of these there are enough, whatever their places.
        """
        # By class and language. Outliers are found for WIDTH (64) classes at once, since a bitset has as many bits.
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
        """The cluster of each of some classes (nodes) in each language in which it is a candidate, or its rejection.

        Members are the best known instances; if the recipe asks for coherence, those with evidence of the class first.
        If it asks for certificates, all are types or all individuals, as most instances are (the class's *level*), and
        none is a *contradiction*: the only instance both of the class and of another one, which therefore excludes it.
        """
        overlap, cluster, signatures = self._sets.overlap, self._recipe.cluster, self._inputs.signatures
        has_evidence = None  # whether an instance's statements but P31, its signature, speak for the class
        if signatures is not None and cluster.coherence is not None:
            has_evidence = evidence_of_instances(signatures, nodes)
        if overlap is not None:
            are_types, contradictions = class_levels(self._graph, nodes, overlap.linked), overlap.contradictions(nodes)
        for language, inputs in self._languages.items():
            # Of each candidate class its instances, the best known first, as rows of the language's surface forms.
            indices, is_candidate = indices_of(nodes, inputs.candidates.nodes)
            positions, leading = np.flatnonzero(is_candidate), inputs.candidates.leading.take(indices[is_candidate])
            class_of_row = positions[leading.sources()]
            if has_evidence is not None:
                # Instances without evidence come last; otherwise the order stays.
                speaks = has_evidence(class_of_row, inputs.surfaces.numbers[leading.targets])
                leading = CsrRows(leading.offsets, leading.targets[np.lexsort((~speaks, class_of_row))])
            items = inputs.surfaces.items[leading.targets]
            # Whether each has the level of its class, and which other class (node) excludes it. Without certificates
            # any level will do, and nothing is excluded (-1).
            has_level, excluded_by = np.ones(len(items), dtype=bool), np.full(len(items), -1)
            if overlap is not None:
                has_level = self._graph.is_type(items) == are_types[class_of_row]
                excluded_by = contradictions(class_of_row, items)
            # Each class with its members, the instances that may replace them, and the contradictions (odd) by row.
            candidates = []
            for position, (begin, end) in zip(positions.tolist(), pairwise(leading.offsets.tolist()), strict=True):
                of_level = begin + np.flatnonzero(has_level[begin:end])
                rows, excluding = leading.targets[of_level], excluded_by[of_level]
                is_odd = excluding >= 0
                members = rows[~is_odd].tolist()
                odd = dict(zip(rows[is_odd].tolist(), excluding[is_odd].tolist(), strict=True))
                level: Level | None = None
                if overlap is not None:
                    level = "concepts" if are_types[position] else "entities"
                candidates.append(_Leading(level, members[: cluster.size], members[cluster.size :], odd))
            # The rules on form and fame reject some; then the signatures of members, the witness, reject others.
            checked = list(self._check(nodes[positions].tolist(), candidates, inputs))
            yield from ((language, judged) for judged in self._ask_witness(checked, inputs))

    def _check(
        self, nodes: Sequence[int], leading: Sequence["_Leading"], inputs: LanguageInputs
    ) -> Iterator["_Passed | Rejection"]:
        """The clusters of some classes in one language that keep the rules on form and fame, or rejections.

        ``leading`` has for each class the rows of its best known instances. If the recipe replaces members, a class is
        rejected only where no other instances keep the rules; the reason is that of its best known ones.
        """
        filters, outliers, minimum = self._recipe.filters, self._recipe.outliers, self._recipe.cluster.minimum

        def verdict_of(label: str, members: Iterable[Member]) -> Verdict:
            surfaces = [member.surface for member in members]
            return next(broken_rules(surfaces, inputs.profile, filters, minimum, label, inputs.affixes), KEEP)

        # The members of all classes are read at once, then dealt out.
        rows = np.array(list(chain.from_iterable(candidate.rows for candidate in leading)), dtype=np.int64)
        members_of_all = iter(inputs.surfaces.members(rows))
        for node, candidate in zip(nodes, leading, strict=True):
            first = list(islice(members_of_all, len(candidate.rows)))
            if candidate.level is not None and (rejection := self._reject_level(node, inputs, candidate)):
                yield rejection
                continue
            label = inputs.labels.get(int(self._graph.nodes[node]), "")
            further = np.array(candidate.further if filters.replace else [], dtype=np.int64)
            read_further = partial(inputs.surfaces.members, further)
            cluster, verdict = settle_cluster(first, read_further, partial(verdict_of, label))
            if verdict.keep and outliers.places:
                verdict = check_obscure(cluster, outliers.min_sitelinks)
            if verdict.keep:
                surfaces = [member.surface for member in cluster]
                yield _Passed(node, cluster, outlier_rules(surfaces, inputs.profile, filters), candidate.level)
            else:
                yield self._reject(node, inputs, verdict.reason, verdict.detail, cluster)

    def _reject_level(self, node: int, inputs: LanguageInputs, leading: "_Leading") -> Rejection | None:
        """The rejection of a class of another level than asked for, or with too few instances that may be members.

        The *level* says whether most instances are types ("concepts") or individuals ("entities"). The others may not
        be members, nor may contradictions (``odd``), the only instances of both the class and another one, by row.
        """
        minimum, asked = self._recipe.cluster.minimum, self._recipe.cluster.level
        if asked not in {leading.level, "both"}:
            return self._reject(node, inputs, OTHER_LEVEL, f"expected {asked}, saw that most are {leading.level}")
        if len(leading.rows) >= minimum:
            return None
        kind = "types" if leading.level == "concepts" else "individuals"
        of_level = len(leading.rows) + len(leading.odd)
        if of_level < minimum:
            detail = f"expected at least {minimum} {kind}, as most instances are, saw {of_level}"
            return self._reject(node, inputs, LEVELS, detail)
        # The message shows the best known contradiction.
        row, excluding = next(iter(leading.odd.items()))
        (member,) = inputs.surfaces.members(np.array([row]))
        detail = f"expected at least {minimum} {kind} without a contradiction, saw {len(leading.rows)} of {of_level}: "
        detail += f"{member.name} is the only instance of both the class and {self._graph.qid(excluding)}"
        return self._reject(node, inputs, CONTRADICTIONS, detail)

    def _ask_witness(
        self, checked: Sequence["_Passed | Rejection"], inputs: LanguageInputs
    ) -> Iterator["_Passed | Rejection"]:
        """The ``checked`` clusters and rejections in their order, but clusters that cohere too little are rejected.

        *Coherence* is how often a member's signature, what is stated of it besides its classes, speaks more for the
        class than that of a random prominent item. The others get their evidence; without signatures nothing changes.
        """
        signatures, minimum = self._inputs.signatures, self._recipe.cluster.coherence
        passed = [cluster for cluster in checked if isinstance(cluster, _Passed)]
        if signatures is None or not passed:
            yield from checked
            return
        members = [[member.id for member in cluster.cluster] for cluster in passed]
        nodes = [cluster.node for cluster in passed]
        evidence_of = dict(zip(nodes, ClassEvidence.of_classes(signatures, np.array(nodes), members), strict=True))
        for cluster in checked:
            if isinstance(cluster, Rejection):
                yield cluster
                continue
            evidence = evidence_of[cluster.node]
            coherence = evidence.coherence  # None if no member has a signature
            if minimum is not None and coherence is None and len(signatures.items):
                detail = "expected statements about members, saw none"
                yield self._reject(cluster.node, inputs, NO_EVIDENCE, detail, cluster.cluster)
            elif minimum is not None and coherence is not None and coherence < minimum:
                detail = f"expected a coherence of at least {minimum}, saw {coherence}"
                yield self._reject(cluster.node, inputs, NO_KIND, detail, cluster.cluster)
            else:
                yield with_values(cluster, evidence=evidence, bound=self._recipe.outliers.margin)

    def _add_outliers(
        self, passed: Mapping[int, Mapping[str, "_Passed"]], sifted: bool
    ) -> Iterator[tuple[str, Judgement]]:
        """A group, or a rejection for too few outliers, for each language of up to 64 classes whose clusters passed.

        ``passed`` has the clusters by class (node) and language; its i-th class has bit i of every bitset. Where groups
        are ``sifted``, outliers are only counted, and left out of them.
        """
        nodes, options = np.array(list(passed)), self._recipe.outliers
        outlier_sets = self._sets.of(nodes)
        pool = OutlierPool(self._inputs, self._draws, nodes, outlier_sets)
        choose = self._choose_first if sifted else self._choose
        choices = list(choose(pool, nodes, list(passed.values())))
        listed = repeat((), len(choices)) if sifted else self._outliers(choices, outlier_sets)
        for (bit, language, items), outliers in zip(choices, listed, strict=True):
            inputs, cluster = self._languages[language], passed[int(nodes[bit])][language]
            drawn = sum(item.outlier_class != RELATED for item in items)
            if drawn >= options.minimum:
                yield language, self._group(inputs, cluster, outliers)
                continue
            reason, detail = FEW_OUTLIERS, f"expected at least {options.minimum} outliers, saw {drawn}"
            # A status class, such as college town, excludes all that is below its parents. The reason is that, unless
            # enough items could be drawn if none needed a certificate: these are counted by their lists of classes.
            if cluster.node in self._status:
                can_be_drawn = contains(outlier_sets.brought, np.uint64(bit)) & (options.per_class > 0)
                drawable = int(inputs.ring.by_list.counts()[can_be_drawn].sum())
                if self._sets.overlap is None or drawable < options.minimum:
                    reason, detail = STATUS, f"{detail} that are not below a parent of this status class"
                else:
                    left_by_status = f"{drawable} that are not below a parent of this class"
                    detail += f": certificates and other rules leave no more of {left_by_status}"
            yield language, self._reject(cluster.node, inputs, reason, detail, cluster.cluster)

    def _choose(self, pool: OutlierPool, nodes: Ints, clusters: Sequence[Mapping[str, "_Passed"]]) -> Iterator[_Choice]:
        """The outliers of each class in each language; the same ones in all of its languages where these share them.

        Class i has bit i of every bitset, node ``nodes[i]``, and the clusters ``clusters[i]`` by language. Related
        items, which statements tie to members, are chosen only if each cluster has evidence that can refuse them.
        """
        options, graph = self._recipe.outliers, self._graph
        for languages, by_bit in self._by_languages(clusters):
            bits = list(by_bit)
            places: list[Places] | None = None
            if options.places:
                places = [Places(self._recipe.seed, graph.qid(nodes[bit]), by_bit[bit]) for bit in bits]
            pools: list[_Pool] = pool.of(languages, bits, places) if options.per_class else [{} for _ in bits]
            # The members of each class in all languages, by QID.
            members = [[one.id for cluster in of_class.values() for one in cluster] for of_class in by_bit.values()]
            near_lists = self._sets.near(pool.found, bits, (item_indices(graph, qids) for qids in members))
            kin: Bitsets | None = None
            if options.related:
                # Items that have a class in common with a member are of its kind, and so no related outliers.
                classes = graph.classes.take(item_indices(graph, list(chain.from_iterable(members))))
                owners = np.repeat(bits, list(map(len, members)))[classes.sources()]
                kin = self._sets.sharing(CsrRows.from_pairs(owners, classes.targets, WIDTH))
            for position, (bit, candidates) in enumerate(zip(bits, pools, strict=True)):
                own_places = None if places is None else places[position]
                witnesses = [clusters[bit][language].evidence for language in languages]
                if kin is not None and all(witness is not None and witness.of_instances for witness in witnesses):
                    candidates[RELATED] = pool.related(bit, by_bit[bit], kin, own_places)
                if options.near:
                    lists, kind_sizes = next(near_lists)
                    candidates[NEAR] = pool.near(bit, languages, lists, kind_sizes, own_places)
                chosen = self._choose_in_attempts(pool, bit, by_bit[bit], clusters[bit], candidates, own_places)
                for language, items in chosen.items():
                    if self._used is not None:
                        self._used[language].update(item.number for item in items)
                    yield _Choice(bit, language, items)

    def _choose_in_attempts(
        self,
        pool: OutlierPool,
        bit: int,
        clusters: Mapping[str, _Cluster],
        passed: Mapping[str, "_Passed"],
        candidates: _Pool,
        places: Places | None,
    ) -> dict[str, tuple[PoolItem, ...]]:
        """The outliers of one class (bit) in each language, by the first of three attempts that finds enough.

        ``candidates`` has what may be chosen by outlier class; ``places`` what the outliers are to be like.
        """
        options = self._recipe.outliers
        counts = {RELATED: options.related, NEAR: options.near}
        # First without the outliers of other groups.
        admits = _Admission(passed, used=self._used)
        chosen = choose_outliers(clusters, candidates, options.per_class, admits, places, counts)
        fewest = min(map(len, chosen.values()))
        if fewest < options.minimum and admits.repeated:
            # Then with these. What was drawn can be read once only, and is drawn again; related and near items stay.
            again = {number: items for number, items in candidates.items() if number in counts}
            if options.per_class:
                again = pool.of(list(clusters), [bit], None if places is None else [places])[0] | again
            admits = _Admission(passed)
            chosen = choose_outliers(clusters, again, options.per_class, admits, places, counts)
            fewest = min(map(len, chosen.values()))
        gave_up = options.per_class and admits.refused >= MOST_REFUSED
        if places is not None and gave_up and fewest < options.minimum:
            # At last whatever their places: those that take them best were refused too often.
            (in_order,) = pool.of(list(clusters), [bit])
            chosen = self._take_first(clusters, in_order, passed, MOST_REFUSED)[0]
        return chosen

    def _choose_first(
        self, pool: OutlierPool, nodes: Ints, clusters: Sequence[Mapping[str, "_Passed"]]
    ) -> Iterator[_Choice]:
        """The first outliers of each class, whatever their places: siblings (O1) alone where these are enough.

        Classes with too few then draw from all outlier classes, at last with more refusals by the rules allowed. Those
        that have too few even so, because most items are refused, get theirs from ``_choose``.
        """
        options, undecided = self._recipe.outliers, [dict[str, _Passed]() for _ in clusters]
        for languages, unfinished in self._by_languages(clusters):
            # Outlier classes that are drawn from (1 is O1, DRAWN are O1, O2 and O3), and how many items may be refused.
            for numbers, most_refused in (((1,), _FEW_REFUSED), (DRAWN, _FEW_REFUSED), (DRAWN, MOST_REFUSED)):
                pools = pool.of(languages, list(unfinished), numbers=numbers)
                for (bit, own_clusters), candidates in zip(list(unfinished.items()), pools, strict=True):
                    chosen, refused = self._take_first(own_clusters, candidates, clusters[bit], most_refused)
                    ((language, items),) = chosen.items()  # where groups are sifted, languages share no outliers
                    # No outlier class was given up for its refusals, so there are no more items than these.
                    is_every = numbers == DRAWN and refused < most_refused
                    if len(items) >= options.minimum or is_every:
                        yield _Choice(bit, language, items)
                        del unfinished[bit]
            for bit, own_clusters in unfinished.items():
                undecided[bit] |= {language: clusters[bit][language] for language in own_clusters}
        yield from self._choose(pool, nodes, undecided)

    def _take_first(
        self, clusters: Mapping[str, _Cluster], pool: _Pool, passed: Mapping[str, "_Passed"], most_refused: int
    ) -> tuple[dict[str, tuple[PoolItem, ...]], int]:
        """The first outliers of a class by language, whatever their places, and how many items the rules refused."""
        options = self._recipe.outliers
        # Beside members that all have a sitelink or a link to their page, an item without any is no outlier.
        known = {code for code, cluster in clusters.items() if options.places and all(map(is_known, cluster))}
        admits = _Admission(passed, known)
        chosen = choose_outliers(clusters, pool, options.per_class, admits, most_refused=most_refused)
        return chosen, admits.refused

    def _by_languages(
        self, clusters: Sequence[Mapping[str, "_Passed"]]
    ) -> Iterator[tuple[tuple[str, ...], dict[int, dict[str, _Cluster]]]]:
        """For each language, or languages that share outliers, the clusters of its classes, by bit and language."""
        by_languages = dict[tuple[str, ...], dict[int, dict[str, _Cluster]]]()
        for bit, passed in enumerate(clusters):
            for languages in [tuple(passed)] if self._recipe.outliers.shared else [(language,) for language in passed]:
                own_clusters = {language: passed[language].cluster for language in languages}
                by_languages.setdefault(languages, {})[bit] = own_clusters
        yield from by_languages.items()

    def _outliers(self, choices: Sequence[_Choice], found: ClassOutliers) -> list[list[Outlier]]:
        """The items of each choice as outliers, each with the class via which it came, and its certificate if asked."""
        chosen = [(choice, item) for choice in choices for item in choice.items]
        # The class (node) via which each came; -1 if it was drawn from the items of all classes. For these it is looked
        # up now, at once: for O1 and O2 a sibling or cousin of the group's class, else a class of the item itself.
        via = np.array([-1 if item.via is None else item.via for _, item in chosen], dtype=np.int64)
        missing = np.flatnonzero(via < 0)
        lists = np.array([item.class_list for _, item in chosen], dtype=np.int64)[missing]
        bits = np.array([choice.bit for choice, _ in chosen], dtype=np.int64)[missing]
        outlier_classes = np.array([item.outlier_class for _, item in chosen], dtype=np.int64)[missing]
        via[missing] = self._sets.via(found, lists, bits, outlier_classes)
        # The surface forms and counts of each, read for one language at a time.
        positions: dict[str, list[int]] = {}
        for position, (choice, _) in enumerate(chosen):
            positions.setdefault(choice.language, []).append(position)
        members: dict[int, Member] = {}
        for language, own_positions in positions.items():
            rows = np.array([chosen[position][1].row for position in own_positions], dtype=np.int64)
            members.update(zip(own_positions, self._languages[language].surfaces.members(rows), strict=True))
        # A certificate is a class of the item that shares no instance with the group's class.
        outliers: list[Outlier] = []
        for position, ((choice, item), node) in enumerate(zip(chosen, via.tolist(), strict=True)):
            certificate = None
            if self._sets.overlap is not None:
                certificate = self._sets.overlap.certificate(int(found.classes[choice.bit]), item.class_list)
            known, via_qid = asdict(members[position]), self._graph.qid(node)
            outliers.append(Outlier(**known, outlier_class=item.outlier_class, via=via_qid, certificate=certificate))
        borders = accumulate((len(choice.items) for choice in choices), initial=0)
        return [outliers[begin:end] for begin, end in pairwise(borders)]

    def _group(self, inputs: LanguageInputs, passed: "_Passed", outliers: Sequence[Outlier]) -> Group:
        """The group of a cluster and its outliers, with all that is written of them: ties, coarse types, margins."""
        number, evidence = int(self._graph.nodes[passed.node]), passed.evidence
        words, types = [*passed.cluster, *outliers], dict[str, str]()
        if self._sets.coarse is not None:
            of_items = self._sets.coarse.of_items(item_indices(self._graph, [word.id for word in words])).tolist()
            types = {word.id: self._graph.qid(node) for word, node in zip(words, of_items, strict=True) if node >= 0}
        return Group(
            id=qid_of(number),
            label=inputs.labels.get(number, qid_of(number)),
            language=inputs.profile.code,
            level=passed.level,
            coherence=None if evidence is None else evidence.coherence,
            cluster=tuple(replace(member, type=types.get(member.id)) for member in passed.cluster),
            outliers=tuple(
                replace(
                    outlier,
                    type=types.get(outlier.id),
                    ties=self._ties(outlier, passed.cluster) if outlier.outlier_class == RELATED else None,
                    margin=None if evidence is None else evidence.margin(qid_number(outlier.id)),
                )
                for outlier in outliers
            ),
        )

    def _ties(self, outlier: Outlier, cluster: _Cluster) -> tuple[Tie, ...]:
        """The statements between a related outlier and each member in turn, in whichever direction they are made."""
        ties, found = self._inputs.ties, list[Tie]()
        assert ties is not None
        item, *members = item_indices(self._graph, [outlier.id, *(member.id for member in cluster)])
        for member, rows in zip(cluster, ties.rows(np.array(members)), strict=True):
            for row in (rows.start + np.flatnonzero(ties.items[rows] == item)).tolist():
                subject, value = (member.id, outlier.id) if ties.of_member[row] else (outlier.id, member.id)
                found.append(Tie(subject, f"P{ties.properties[row]}", value))
        return tuple(found)

    def _reject(self, node: int, inputs: LanguageInputs, reason: str, detail: str, cluster: _Cluster = ()) -> Rejection:
        number, members = int(self._graph.nodes[node]), tuple(member.id for member in cluster)
        return Rejection(qid_of(number), inputs.profile.code, reason, detail, inputs.labels.get(number, ""), members)


class _Leading(NamedTuple):
    """The rows of the best known instances of a class, its members, with its level, if that is asked for.

    ``further`` are the rows of those that follow. ``odd`` has those of its level with a contradiction, which are no
    members, each with a class (node) that excludes the class but for it.
    """

    level: Level | None
    rows: Sequence[int]
    further: Sequence[int]
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
        """Whether the item is admitted; one that is not is counted as ``refused``.

        It is unless it is in another group, is too obscure, has the wrong form, or is more typical of the class than
        the recipe's ``bound`` lets it be: its margin is the share of the instances that have less evidence than it.
        """
        if self.used is not None and item.number in self.used[language]:
            self.repeated += 1
            self.refused += 1
            return False
        passed = self.passed[language]
        admitted = (language not in self.known or is_known(item)) and passed.rule(item.surface)
        # A near outlier is meant to look like a member, so it has no bound. An item without statements has no margin.
        if admitted and item.outlier_class != NEAR and passed.evidence is not None and passed.bound is not None:
            admitted = (passed.evidence.margin(item.number) or 0) < passed.bound
        self.refused += not admitted
        return admitted


def settle_cluster(
    first: Sequence[Member],
    read_further: Callable[[], Iterable[Member]],
    verdict_of: Callable[[Sequence[Member]], Verdict],
) -> tuple[tuple[Member, ...], Verdict]:
    """Return the cluster of a class and the verdict on it: of the ``first`` members, or of others that keep the rules.

    While members break a rule together (``verdict.sharing``), the last of them gives way to the next further one, so
    that the best known remain. If that leads to no cluster that is kept, the answer is on the first. Few classes need
    further members, so these are read only then.
    """
    members, cluster = list(first), merge_surfaces(first)
    verdict = verdict_of(cluster)
    of_first = cluster, verdict
    for another in read_further() if verdict.sharing else ():
        last = max(place for place, member in enumerate(members) if member.surface in verdict.sharing)
        members = [*members[:last], *members[last + 1 :], another]
        cluster = merge_surfaces(members)
        verdict = verdict_of(cluster)
        if verdict.keep:
            return cluster, verdict
        if not verdict.sharing:
            break
    return of_first


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
