"""From classes to groups: judge each cluster, read the outlier sets of those that pass, and choose from them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

import numpy as np

from wikisem.graph.edges import places_of
from wikisem.graph.outlier_sets.bitsets import WIDTH
from wikisem.graph.outlier_sets.index import Found, OutlierIndex, OutlierSets
from wikisem.graph.outlier_sets.via import Bringers
from wikisem.graph.types import Ints
from wikisem.heuristics.rules.cluster import judge_cluster
from wikisem.heuristics.selection.candidates import Candidate, Candidates, Setting, Side
from wikisem.heuristics.selection.outliers import fill_outliers, fill_parallel
from wikisem.ids import qid_of
from wikisem.records import Group, Member, Outlier, Rejection


def merge_surfaces(ranked: Iterable[Member]) -> tuple[Member, ...]:
    """Each surface once (case-sensitive), under its best ranked item; nobody moves up in place of the others."""
    kept: dict[str, Member] = {}
    for member in ranked:
        kept.setdefault(member.surface, member)
    return tuple(kept.values())


FEW_OUTLIERS: Final = "few-outliers"
CAPPED: Final = "capped"

Judgement = Group | Rejection
_Cluster = Sequence[Member]
# Which of up to 64 classes, in which language, and what was chosen from its outlier sets.
_Choice = tuple[int, str, tuple[Candidate, ...]]


class Grouping:
    """Builds the groups of classes in all languages at once, sharing what does not depend on language."""

    def __init__(self, setting: Setting, index: OutlierIndex) -> None:
        self._setting, self._graph, self._sides, self._recipe = setting, setting.graph, setting.sides, setting.recipe
        self._sets = OutlierSets(setting.graph, index, setting.recipe.outliers)
        self._bringers = Bringers(index)

    def judge(self, nodes: Ints) -> Iterator[tuple[str, Judgement]]:
        """A group or a rejection for each of the nodes and each language that it is a candidate in."""
        standing: dict[int, dict[str, _Cluster]] = {}
        for language, side in self._sides.items():
            places, here = places_of(nodes, side.candidates.nodes)
            for node, cluster in zip(nodes[here].tolist(), self._clusters(places[here], side), strict=True):
                if isinstance(cluster, Rejection):
                    yield language, cluster
                else:
                    standing.setdefault(node, {})[language] = cluster
        for begin in range(0, len(standing), WIDTH):
            yield from self._choose(dict(islice(standing.items(), begin, begin + WIDTH)))

    def _clusters(self, places: Ints, side: Side) -> Iterator[_Cluster | Rejection]:
        """The cluster of each of the language's candidates at some places, or why it is none."""
        leading = side.candidates.leading.take(places)
        members = iter(side.names.members(leading.targets))
        for place, count in zip(places.tolist(), leading.counts().tolist(), strict=True):
            cluster = merge_surfaces(islice(members, count))
            surfaces = [member.surface for member in cluster]
            verdict = judge_cluster(surfaces, side.profile, self._recipe.filters, self._recipe.cluster.minimum)
            node = int(side.candidates.nodes[place])
            yield cluster if verdict.keep else self._reject(node, side, verdict.reason, verdict.detail)

    def _choose(self, standing: Mapping[int, Mapping[str, _Cluster]]) -> Iterator[tuple[str, Judgement]]:
        """The groups of up to 64 classes whose clusters stand: the outlier sets of all, then the choice for each."""
        nodes = np.array(list(standing))
        found = self._sets.of(nodes)
        candidates = Candidates(self._setting, nodes, found.sets)
        fill = self._fill_parallel if self._recipe.outliers.shared else self._fill
        chosen = list(fill(candidates, list(standing.values())))
        vias = self._brought(chosen, found)
        for bit, language, outliers in chosen:
            node = int(nodes[bit])
            cluster = standing[node][language]
            yield language, self._group(node, self._sides[language], cluster, list(islice(vias, len(outliers))))

    def _fill(self, candidates: Candidates, clusters: Sequence[Mapping[str, _Cluster]]) -> Iterator[_Choice]:
        per_class = self._recipe.outliers.per_class
        for language in self._sides:
            bits = [bit for bit, own in enumerate(clusters) if language in own]
            for bit, sets in zip(bits, candidates.of(language, bits), strict=True):
                yield bit, language, fill_outliers(clusters[bit][language], sets, per_class)

    def _fill_parallel(self, candidates: Candidates, clusters: Sequence[Mapping[str, _Cluster]]) -> Iterator[_Choice]:
        for bit, own in enumerate(clusters):
            sets = candidates.parallel(bit, list(own))
            for language, chosen in fill_parallel(own, sets, self._recipe.outliers.per_class).items():
                yield bit, language, chosen

    def _brought(self, chosen: Sequence[_Choice], found: Found) -> Iterator[Outlier]:
        """Everything that was chosen, in that order, with the class that brought it in."""
        flat = [(one, bit) for bit, _, candidates in chosen for one in candidates]
        lists = np.array([one.listed for one, _ in flat], dtype=np.int64)
        bits = np.array([bit for _, bit in flat], dtype=np.int64)
        kinds = np.array([one.outlier_class for one, _ in flat], dtype=np.int64)
        nodes = self._bringers.own(lists)
        for kind, family in enumerate(found.families, start=1):
            nodes[kinds == kind] = self._bringers.of(lists[kinds == kind], bits[kinds == kind], family)
        for (one, _), number in zip(flat, self._graph.nodes[nodes].tolist(), strict=True):
            yield one.brought_by(qid_of(number))

    def _group(self, node: int, side: Side, cluster: _Cluster, outliers: Sequence[Outlier]) -> Judgement:
        least = self._recipe.outliers.minimum
        if len(outliers) < least:
            return self._reject(node, side, FEW_OUTLIERS, f"expected at least {least} outliers, saw {len(outliers)}")
        number = int(self._graph.nodes[node])
        label = side.labels.get(number, qid_of(number))
        return Group(qid_of(number), label, side.profile.code, tuple(cluster), tuple(outliers))

    def _reject(self, node: int, side: Side, reason: str, detail: str) -> Rejection:
        return Rejection(qid_of(int(self._graph.nodes[node])), side.profile.code, reason, detail)
