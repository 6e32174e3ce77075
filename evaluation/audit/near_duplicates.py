"""Pairs of groups with nearly the same cluster: five classes of Czech municipalities share seven of eight items."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from wikisem.evaluation.audit.items import AuditGroup


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
    holders: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    keys = [{item.qid or item.surface.casefold() for item in group.cluster} for group in groups]
    for number, group in enumerate(groups):
        for key in keys[number]:
            holders[group.language, key].append(number)
    shared = Counter(pair for numbers in holders.values() for pair in combinations(numbers, 2))
    return sorted(_pairs(groups, [len(own) for own in keys], shared), key=lambda pair: (-pair.shared, pair))


def _pairs(groups: Sequence[AuditGroup], sizes: Sequence[int], shared: Counter[tuple[int, int]]) -> Iterator[Pair]:
    for (one, other), count in shared.items():
        if 2 * count >= min(sizes[one], sizes[other]):
            yield Pair(groups[one].language, groups[one].id, groups[other].id, count)
