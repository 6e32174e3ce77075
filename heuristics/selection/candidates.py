"""The possible outliers of classes, under their names in each language, in the order in which the ring shows them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

from wikisem.graph.build import Graph
from wikisem.graph.outlier_sets.bitsets import Bits
from wikisem.graph.outlier_sets.class_lists import CandidateClasses
from wikisem.graph.outlier_sets.hash_ring import Ring
from wikisem.graph.types import Ints, Words
from wikisem.recipes.options import Recipe
from wikisem.records import Member, Outlier
from wikisem.sampling import places
from wikisem.surfaces.table import NameTable
from wikisem.wikipedia.languages import LanguageProfile


@dataclass(frozen=True)
class Side:
    """What one language adds to the graph: names, the ring of its possible outliers, rules, labels of class numbers.

    ``candidates`` are the nodes with at least ``minimum`` instances that have a surface form; the rows of their leading
    instances, as those of the ring, are rows of ``names``.
    """

    profile: LanguageProfile
    names: NameTable
    ring: Ring
    candidates: CandidateClasses
    labels: Mapping[int, str]


@dataclass(frozen=True)
class Setting:
    """What all classes have in common: the graph, the languages, the recipe and the seed."""

    graph: Graph
    sides: Mapping[str, Side]
    recipe: Recipe
    seed: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible outlier in a language: the outlier class it would stand in, and the number of its list of classes."""

    outlier_class: int
    listed: int
    member: Member

    @property
    def id(self) -> str:
        """The item."""
        return self.member.id

    @property
    def surface(self) -> str:
        """Its surface form."""
        return self.member.surface

    def brought_by(self, via: str) -> Outlier:
        """The outlier that it becomes."""
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


class Candidates:
    """The outlier sets of up to 64 classes (nodes), read in the order of the ring: class i has bit i in each set."""

    def __init__(self, setting: Setting, nodes: Ints, sets: Sequence[Words]) -> None:
        self._sides, self._per_class = setting.sides, setting.recipe.outliers.per_class
        self._starts = places(setting.seed, setting.graph.nodes[nodes])
        self._sets = [Bits(words) for words in sets]

    def of(self, language: str, bits: Sequence[int]) -> list[list[Iterator[Candidate]]]:
        """O1, O2 and O3 of some of the classes in one language.

        The first few of each are looked up for all classes at once; any more, only when asked for.
        """
        side = self._sides[language]
        asked = np.array(bits, dtype=np.int64)
        by_class = [self._leading(number, side, asked) for number in (1, 2, 3)]
        return [list(each) for each in zip(*by_class, strict=True)]

    def _leading(self, number: int, side: Side, bits: Ints) -> Iterator[Iterator[Candidate]]:
        """The candidates of each class for one outlier class, the first few of them named already."""
        sets, starts = self._sets[number - 1], self._starts[bits]
        heads = side.ring.leading(sets, bits, starts, self._per_class)
        known = iter(_named(number, side, [position for head in heads for position in head]))
        for head, bit, start in zip(heads, bits.tolist(), starts, strict=True):
            more = islice(side.ring.walk(sets, bit, start), len(head), None) if len(head) == self._per_class else ()
            later = (one for position in more for one in _named(number, side, [position]))
            yield chain(list(islice(known, len(head))), later)

    def parallel(self, bit: int, languages: Sequence[str]) -> list[Iterator[dict[str, Candidate]]]:
        """O1, O2 and O3 of one class, each item under its name in each of the languages that has one.

        The walk is along the shortest ring: an item that this language cannot name is none for the others either.
        """
        shortest = min(languages, key=lambda language: (len(self._sides[language].ring.places), language))
        return [self._name_all(number, bit, shortest, languages) for number in (1, 2, 3)]

    def _name_all(self, number: int, bit: int, walked: str, languages: Sequence[str]) -> Iterator[dict[str, Candidate]]:
        side = self._sides[walked]
        for position in side.ring.walk(self._sets[number - 1], bit, self._starts[bit]):
            item, listed = int(side.names.items[side.ring.rows[position]]), int(side.ring.lists[position])
            members = {language: self._sides[language].names.member(item) for language in languages}
            yield {k: Candidate(number, listed, member) for k, member in members.items() if member is not None}


def _named(number: int, side: Side, positions: Sequence[int]) -> Iterator[Candidate]:
    """The candidates at some positions of a ring."""
    at = np.array(positions, dtype=np.int64)
    members = side.names.members(side.ring.rows[at])
    for listed, member in zip(side.ring.lists[at].tolist(), members, strict=True):
        yield Candidate(number, listed, member)
