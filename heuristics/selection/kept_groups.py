"""Which groups of a language are kept, and mixed groups, made from those of several languages.

Kept are the first in class order, up to ``max_groups``, and none that repeats an earlier one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

import numpy as np
from msgspec.structs import replace

from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import indices_of
from wikisem.heuristics.rules.cluster import check_size
from wikisem.ids import qid_number
from wikisem.recipes.options import Recipe
from wikisem.records import RELATED, Group, Member, Outlier, Rejection
from wikisem.sampling import hash_key, hash_keys

CAPPED: Final = "capped"
NEAR_DUPLICATE: Final = "near-duplicate"


def in_class_order(graph: ClassGraph, numbers: Sequence[int], recipe: Recipe) -> list[int]:
    """Class numbers in the order in which their groups are kept, which is the same everywhere.

    "sample" takes classes in the order of their hash keys; "prominence" those whose own item has most sitelinks, ties
    by number (a class that is no item of the dump counts as having none).
    """
    known = np.array(sorted(numbers), dtype=np.int64)
    if recipe.cluster.class_order == "sample":
        order = np.argsort(hash_keys(recipe.seed, known), kind="stable")
    else:
        nodes, _ = indices_of(known, graph.nodes)
        order = np.argsort(-np.maximum(graph.class_sitelinks[nodes], 0), kind="stable")
    return list(map(int, known[order]))


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """The class whose group is kept instead, and how many cluster items the two groups share."""

    kept: int
    shared: int


@dataclass(slots=True)
class EarlierClusters:
    """The clusters that were added so far, by number, and what a further one has in common with each."""

    _owners: dict[str, list[int]] = field(default_factory=dict)

    def shared(self, items: Iterable[str]) -> Counter[int]:
        """How many of these items, each given once, are in each of the clusters; none where there are none."""
        return Counter(owner for item in items for owner in self._owners.get(item, ()))

    def add(self, number: int, items: Iterable[str]) -> None:
        """Add a cluster, each of whose items is given once."""
        for item in items:
            self._owners.setdefault(item, []).append(number)


def near_duplicates(clusters: Iterable[tuple[int, Sequence[str]]], number: int) -> dict[int, NearDuplicate]:
    """The classes whose cluster has at least ``number`` items of the cluster of a class that came earlier and is kept.

    ``clusters`` are classes with the items of their clusters, in class order. Only kept clusters count: of three in a
    chain, the last may be kept because the middle one is not. Each result names the kept class with which it shares
    most items, the first of these in class order.

    >>> near_duplicates([(1, "abcd"), (2, "cdef"), (3, "efgh")], number=2)
    {2: NearDuplicate(kept=1, shared=2)}
    """
    earlier = EarlierClusters()
    found: dict[int, NearDuplicate] = {}
    kept: dict[int, int] = {}  # class -> its place among the kept ones
    for number_of_class, items in clusters:
        shared = earlier.shared(items)
        nearest = min(shared, key=lambda owner: (-shared[owner], kept[owner]), default=None)
        if nearest is not None and shared[nearest] >= number:
            found[number_of_class] = NearDuplicate(nearest, shared[nearest])
            continue
        kept[number_of_class] = len(kept)
        earlier.add(number_of_class, items)
    return found


# Mixed groups: from parallel groups of one class, one group whose members come in several languages. A cluster of
#
#     en  Oslo  Bern  Rome  Lima          de  Oslo  Bern  Rom  Lima          ja  オスロ  ベルン  ローマ  リマ
#
# may become Oslo (en), ベルン (ja), Rom (de), Lima (en): which item is taken in which language depends on the seed, the
# class and the item.

# A class that has a group in some of the languages only.
NOT_PARALLEL: Final = "not-parallel"
FEW_OUTLIERS: Final = "few-outliers"

_Item = TypeVar("_Item", Member, Outlier)


def mixed_code(languages: Sequence[str]) -> str:
    """The language code of mixed groups, which names their files: "mixed-en-de" for en and de."""
    return "-".join(("mixed", *languages))


def is_mixed(code: str) -> bool:
    """Whether a language code is that of mixed groups; no Wikipedia has one like it."""
    return code.startswith("mixed-")


def mix_groups(groups: Mapping[str, Sequence[Group]], recipe: Recipe) -> Iterator[Group | Rejection]:
    """A group or a rejection for each class that has a group in one of the languages, by class.

    ``groups`` has the groups of each language to be mixed; they share their outliers (``outliers.shared``).
    """
    by_class: dict[str, dict[str, Group]] = {}
    for language, own in groups.items():
        for group in own:
            by_class.setdefault(group.qid, {})[language] = group
    code = mixed_code(list(groups))
    for qid in sorted(by_class, key=qid_number):
        missing = [language for language in groups if language not in by_class[qid]]
        if missing:
            label = next(iter(by_class[qid].values())).label
            yield Rejection(qid, code, NOT_PARALLEL, f"no group in {', '.join(missing)}", label)
        else:
            yield _mix(by_class[qid], code, recipe)


def _mix(groups: Mapping[str, Group], code: str, recipe: Recipe) -> Group | Rejection:
    """One mixed group from the group of a class in every language; its label is that of the first language."""
    first = next(iter(groups.values()))
    seed = hash_key(recipe.seed, qid_number(first.qid))
    used: set[str] = set()  # surface forms
    # Members with most sitelinks, as many as a cluster has, each in one language.
    members = _by_item((language, one) for language, group in groups.items() for one in group.cluster)
    prominent = sorted(members, key=lambda qid: (-(next(iter(members[qid].values())).sitelinks or 0), qid_number(qid)))
    cluster = _deal({qid: members[qid] for qid in prominent[: recipe.cluster.size]}, list(groups), seed, used)
    size = check_size(cluster, recipe.cluster.minimum)
    if not size.keep:
        return Rejection(first.qid, code, size.reason, size.detail, first.label)
    # All outliers, which the languages share, each in one language.
    shared = _by_item((language, one) for language, group in groups.items() for one in group.outliers)
    outliers = _deal(shared, list(groups), seed, used)
    drawn = sum(outlier.outlier_class != RELATED for outlier in outliers)
    if drawn < recipe.outliers.minimum:
        detail = f"expected at least {recipe.outliers.minimum} outliers, saw {drawn}"
        return Rejection(first.qid, code, FEW_OUTLIERS, detail, first.label)
    # The coherence that holds in every language is the lowest; unknown if it is in one of them.
    known = [group.coherence for group in groups.values() if group.coherence is not None]
    coherence = min(known) if len(known) == len(groups) else None
    mixed = replace(first, language=code, coherence=coherence, where="")
    return replace(mixed, cluster=tuple(cluster), outliers=tuple(outliers))


def _by_item(items: Iterable[tuple[str, _Item]]) -> dict[str, dict[str, _Item]]:
    """Each item by language, in the order in which items first come."""
    found: dict[str, dict[str, _Item]] = {}
    for language, one in items:
        found.setdefault(one.id, {})[language] = one
    return found


def _deal(items: Mapping[str, Mapping[str, _Item]], languages: Sequence[str], seed: int, used: set[str]) -> list[_Item]:
    """Each item in one of its languages, in the order of ``items``; dropped if every surface form is used already.

    Items with the fewest languages choose first, then in an order that the seed decides; each takes the language with
    the fewest items so far, and among equals the one that comes first for its hash.
    """
    dealt: dict[str, _Item] = {}
    counts: Counter[str] = Counter()
    keys = {qid: hash_key(seed, qid_number(qid)) for qid in items}
    for qid in sorted(items, key=lambda qid: (len(items[qid]), keys[qid])):
        named = [items[qid].get(language) for language in languages]
        able = [index for index, item in enumerate(named) if item is not None and item.surface not in used]
        if able:
            turn = keys[qid] % len(languages)
            index = min(able, key=lambda index: (counts[languages[index]], (index - turn) % len(languages)))
            language = languages[index]
            dealt[qid] = replace(items[qid][language], language=language)
            counts[language] += 1
            used.add(dealt[qid].surface)
    return [dealt[qid] for qid in items if qid in dealt]
