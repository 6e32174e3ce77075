"""Pairs of groups with nearly the same cluster: five classes of Czech municipalities share seven of eight items."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wikisem.evaluation.audit.items import AuditGroup
from wikisem.heuristics.selection.near_duplicates import EarlierClusters


class Pair(NamedTuple):
    """Two groups of a language, and the number of members that both have."""

    language: str
    first: str
    second: str
    shared: int


def near_duplicates(groups: Sequence[AuditGroup]) -> list[Pair]:
    """Pairs of groups in one language that share at least half of the smaller cluster, most shared members first.

    Members are compared by item, or by surface form where a data set does not say the item.
    """
    return sorted(_pairs(groups), key=lambda pair: (-pair.shared, pair))


def _pairs(groups: Sequence[AuditGroup]) -> Iterator[Pair]:
    clusters = [{item.qid or item.surface.casefold() for item in group.cluster} for group in groups]
    earlier: defaultdict[str, EarlierClusters] = defaultdict(EarlierClusters)
    for number, (group, own) in enumerate(zip(groups, clusters, strict=True)):
        for other, count in earlier[group.language].shared(own).items():
            if 2 * count >= min(len(clusters[other]), len(own)):
                yield Pair(group.language, groups[other].id, group.id, count)
        earlier[group.language].add(number, own)
