"""From classes to groups: judge each cluster, read the outlier sets of those that stand, and choose from them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from heuristics.candidates import Candidates, Setting, Side
from heuristics.cluster import judge_cluster
from heuristics.members import merge_surfaces
from heuristics.outliers import fill_outliers
from heuristics.parallel import fill_parallel
from wikisem.graph.bringers import Bringers
from wikisem.graph.kinds import Ints
from wikisem.graph.outlier_sets import OutlierIndex, OutlierSets
from wikisem.graph.words import WIDTH, Bits
from wikisem.ids import qid_of
from wikisem.records import Group, Member, Outlier, Rejection

FEW_OUTLIERS: Final = "few-outliers"
CAPPED: Final = "capped"

Judgement = Group | Rejection
_Cluster = Sequence[Member]


class Grouping:
    """Builds the groups of classes in all languages at once, sharing what does not depend on language."""

    def __init__(self, setting: Setting, index: OutlierIndex) -> None:
        self._setting, self._graph, self._sides, self._recipe = setting, setting.graph, setting.sides, setting.recipe
        self._sets = OutlierSets(setting.graph, index, setting.recipe.outliers)
        self._bringers = Bringers(setting.graph)

    def judge(self, nodes: Ints) -> Iterator[tuple[str, Judgement]]:
        """A group or a rejection for each of the nodes and each language that it is a candidate in."""
        standing: list[tuple[int, dict[str, _Cluster]]] = []
        for node in nodes.tolist():
            verdicts = {language: self._cluster(node, side) for language, side in self._sides_of(node)}
            yield from ((language, one) for language, one in verdicts.items() if isinstance(one, Rejection))
            kept = {language: one for language, one in verdicts.items() if not isinstance(one, Rejection)}
            if kept:
                standing.append((node, kept))
        for begin in range(0, len(standing), WIDTH):
            yield from self._choose(standing[begin : begin + WIDTH])

    def _choose(self, standing: Sequence[tuple[int, dict[str, _Cluster]]]) -> Iterator[tuple[str, Judgement]]:
        sets = [Bits(words) for words in self._sets.of(np.array([node for node, _ in standing]))]
        for place, (node, kept) in enumerate(standing):
            yield from self._groups(Candidates(self._setting, self._bringers, node, place, sets), kept)

    def _sides_of(self, node: int) -> Iterator[tuple[str, Side]]:
        for language, side in self._sides.items():
            at = int(np.searchsorted(side.candidates, node))
            if at < len(side.candidates) and int(side.candidates[at]) == node:
                yield language, side

    def _cluster(self, node: int, side: Side) -> _Cluster | Rejection:
        options = self._recipe.cluster
        cluster = merge_surfaces(side.names.leading(self._graph.members.row(node), options.size))
        surfaces = [member.surface for member in cluster]
        verdict = judge_cluster(surfaces, side.profile, self._recipe.filters, options.minimum, side.stop_affixes)
        return cluster if verdict.keep else self._reject(node, side, verdict.reason, verdict.detail)

    def _groups(self, asked: Candidates, clusters: Mapping[str, _Cluster]) -> Iterator[tuple[str, Judgement]]:
        options = self._recipe.outliers
        chosen = (
            fill_parallel(clusters, asked.parallel(list(clusters)), options.per_class)
            if options.shared
            else {k: fill_outliers(one, asked.of(k), options.per_class) for k, one in clusters.items()}
        )
        for language, outliers in chosen.items():
            side = self._sides[language]
            if len(outliers) < options.minimum:
                said = f"expected at least {options.minimum} outliers, saw {len(outliers)}"
                yield language, self._reject(asked.node, side, FEW_OUTLIERS, said)
            else:
                yield language, self._group(asked.node, side, clusters[language], outliers)

    def _group(self, node: int, side: Side, cluster: _Cluster, outliers: tuple[Outlier, ...]) -> Group:
        number = int(self._graph.nodes[node])
        label = side.labels.get(number, qid_of(number))
        return Group(qid_of(number), label, side.profile.code, tuple(cluster), outliers)

    def _reject(self, node: int, side: Side, reason: str, detail: str) -> Rejection:
        return Rejection(qid_of(int(self._graph.nodes[node])), side.profile.code, reason, detail)
