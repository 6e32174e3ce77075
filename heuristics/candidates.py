"""The possible outliers of one class, under their names in each language, in the order in which the ring shows them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wikisem.graph.bringers import Bringers
from wikisem.graph.build import Graph
from wikisem.graph.kinds import Ints
from wikisem.graph.outlier_sets import grandparents
from wikisem.graph.ring import Ring
from wikisem.graph.words import Bits
from wikisem.ids import qid_of
from wikisem.languages import LanguageProfile
from wikisem.nametable import NameTable
from wikisem.recipe import Recipe
from wikisem.records import Member, Outlier
from wikisem.seeds import places


@dataclass(frozen=True)
class Side:
    """What one language adds to the graph: names, the ring of its possible outliers, rules, labels of class numbers.

    ``candidates`` are the nodes with at least ``minimum`` instances that have a surface form, ascending; the ring's
    rows are places in ``names.items``.
    """

    profile: LanguageProfile
    stop_affixes: Sequence[str]
    names: NameTable
    ring: Ring
    candidates: Ints
    labels: Mapping[int, str]


@dataclass(frozen=True)
class Setting:
    """What all classes have in common: the graph, the languages, the recipe and the seed."""

    graph: Graph
    sides: Mapping[str, Side]
    recipe: Recipe
    seed: int


class Candidates:
    """The outlier sets of one class (a node): bit ``place`` of O1, O2 and O3."""

    def __init__(self, setting: Setting, bringers: Bringers, node: int, place: int, sets: Sequence[Bits]) -> None:
        graph = setting.graph
        self.node, self._place, self._sets = node, place, sets
        self._graph, self._sides, self._bringers = graph, setting.sides, bringers
        self._start = places(setting.seed, [graph.nodes[node]])[0]
        parents = graph.up.take(np.array([node]))
        over = grandparents(graph, parents, setting.recipe.outliers.grandparents).targets
        self._sources = (frozenset(parents.targets.tolist()), frozenset(over.tolist()), frozenset[int]())

    def of(self, language: str) -> list[Iterator[Outlier]]:
        """O1, O2 and O3 in one language."""
        return [self._walk(number, self._sides[language]) for number in (1, 2, 3)]

    def parallel(self, languages: Sequence[str]) -> list[Iterator[dict[str, Outlier]]]:
        """O1, O2 and O3, each item under its name in each of the languages that has one.

        The walk is along the shortest ring: an item that this language cannot name is none for the others either.
        """
        shortest = min(languages, key=lambda language: (len(self._sides[language].names), language))
        return [self._name_all(number, shortest, languages) for number in (1, 2, 3)]

    def _name_all(self, number: int, walked: str, languages: Sequence[str]) -> Iterator[dict[str, Outlier]]:
        for item in self._items(number, self._sides[walked]):
            members = {language: self._sides[language].names.member(item) for language in languages}
            yield {k: self._outlier(member, item, number) for k, member in members.items() if member is not None}

    def _walk(self, number: int, side: Side) -> Iterator[Outlier]:
        for item in self._items(number, side):
            member = side.names.member(item)
            assert member is not None, "every item of the ring has a name"
            yield self._outlier(member, item, number)

    def _items(self, number: int, side: Side) -> Iterator[int]:
        for position in side.ring.walk(self._sets[number - 1], self._place, self._start):
            yield int(side.names.items[side.ring.rows[position]])

    def _outlier(self, member: Member, item: int, number: int) -> Outlier:
        via = self._bringers.of(item, self.node, self._sources[number - 1])
        return Outlier(
            id=member.id,
            surface=member.surface,
            source=member.source,
            count=member.count,
            total=member.total,
            sitelinks=member.sitelinks,
            outlier_class=number,
            via=qid_of(int(self._graph.nodes[via])),
        )
