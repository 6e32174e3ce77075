"""The outlier pool of classes: items of O1, O2 and O3 under their surface forms, in the order of the hash ring."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

from wikisem.graph.array_types import Bitsets, Ints
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.outlier_sets.bitsets import BitPlanes
from wikisem.graph.outlier_sets.class_lists import CandidateClasses
from wikisem.graph.outlier_sets.hash_ring import HashRing
from wikisem.heuristics.rules.affix_counts import AffixCounts
from wikisem.recipes.options import Recipe
from wikisem.records import Member, Outlier
from wikisem.sampling import hash_keys
from wikisem.surfaces.table import SurfaceTable
from wikisem.wikipedia.languages import LanguageProfile


@dataclass(frozen=True)
class LanguageInputs:
    """What one language adds to the graph: surface forms, its profile, the ring of its outlier pool, labels of classes.

    ``candidates`` are the classes with at least ``minimum`` instances that have a surface form; their leading instances
    and the items of the ring are given as rows of ``surfaces``. ``labels`` maps class numbers to labels. ``affixes``
    are those of the language's surface forms, where the recipe measures by them.
    """

    profile: LanguageProfile
    surfaces: SurfaceTable
    ring: HashRing
    candidates: CandidateClasses
    labels: Mapping[int, str]
    affixes: AffixCounts | None = None


@dataclass(frozen=True)
class GroupInputs:
    """What all classes have in common: the graph, the languages by code, and the recipe."""

    graph: ClassGraph
    languages: Mapping[str, LanguageInputs]
    recipe: Recipe


@dataclass(frozen=True, slots=True)
class PoolItem:
    """An item that may become an outlier in a language: its outlier class, and the number of its list of classes."""

    outlier_class: int
    class_list: int
    member: Member

    @property
    def id(self) -> str:
        """The item's QID."""
        return self.member.id

    @property
    def surface(self) -> str:
        """The item's surface form."""
        return self.member.surface

    def as_outlier(self, via: str) -> Outlier:
        """The outlier that the item becomes."""
        member = self.member
        return Outlier(
            member.id,
            member.surface,
            member.source,
            member.count,
            member.total,
            member.sitelinks,
            self.outlier_class,
            via,
        )


class OutlierPool:
    """The outlier sets of up to 64 classes (nodes), read in the order of the ring: class i has bit i in each set."""

    def __init__(self, inputs: GroupInputs, nodes: Ints, sets: Sequence[Bitsets]) -> None:
        self._languages, self._per_class = inputs.languages, inputs.recipe.outliers.per_class
        self._starts = hash_keys(inputs.recipe.seed, inputs.graph.nodes[nodes])
        self._sets = [BitPlanes(bitsets) for bitsets in sets]

    def of(self, language: str, bits: Sequence[int]) -> list[list[Iterator[PoolItem]]]:
        """O1, O2 and O3 of some of the classes in one language.

        The first few of each are looked up for all classes at once, any more only when they are asked for.
        """
        inputs, asked = self._languages[language], np.array(bits, dtype=np.int64)
        by_class = [self._one_outlier_class(number, inputs, asked) for number in (1, 2, 3)]
        return [list(each) for each in zip(*by_class, strict=True)]

    def _one_outlier_class(self, number: int, inputs: LanguageInputs, bits: Ints) -> Iterator[Iterator[PoolItem]]:
        """The items of each class in one outlier class; the first few have their surface forms already."""
        sets, starts, count = self._sets[number - 1], self._starts[bits], self._per_class
        first = inputs.ring.first_locations(sets, bits, starts, count)
        known = iter(_items(number, inputs, [location for locations in first for location in locations]))
        for locations, bit, start in zip(first, bits.tolist(), starts, strict=True):
            more = islice(inputs.ring.walk(sets, bit, start), count, None) if len(locations) == count else ()
            later = (item for location in more for item in _items(number, inputs, [location]))
            yield chain(list(islice(known, len(locations))), later)

    def shared(self, bit: int, languages: Sequence[str]) -> list[Iterator[dict[str, PoolItem]]]:
        """O1, O2 and O3 of one class, each item in each of the languages that has a surface form for it.

        The walk is along the ring of the language with the smallest pool: the others need its surface form too.
        """
        smallest = min(languages, key=lambda language: (len(self._languages[language].ring.keys), language))
        return [self._in_all_languages(number, bit, smallest, languages) for number in (1, 2, 3)]

    def _in_all_languages(
        self, number: int, bit: int, walked: str, languages: Sequence[str]
    ) -> Iterator[dict[str, PoolItem]]:
        inputs = self._languages[walked]
        for location in inputs.ring.walk(self._sets[number - 1], bit, self._starts[bit]):
            item, class_list = int(inputs.surfaces.items[inputs.ring.rows[location]]), int(inputs.ring.lists[location])
            members = {language: self._languages[language].surfaces.member(item) for language in languages}
            yield {k: PoolItem(number, class_list, member) for k, member in members.items() if member is not None}


def _items(number: int, inputs: LanguageInputs, locations: Sequence[int]) -> Iterator[PoolItem]:
    """The items at some locations of a ring."""
    at = np.array(locations, dtype=np.int64)
    members = inputs.surfaces.members(inputs.ring.rows[at])
    for class_list, member in zip(inputs.ring.lists[at].tolist(), members, strict=True):
        yield PoolItem(number, class_list, member)
