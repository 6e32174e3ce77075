"""Which items of the outlier pool become the outliers of a cluster: σₒ of Blair et al. (2016, equation 16).

In one language, or the same items in several for parallel test groups (recipe ``outliers.shared``). Each outlier class
is filled from one class that brings enough items (``outliers.draw`` and ``draw_o3``), or from all of its items. With
``per_class`` 2, the cluster [oak, elm], and two siblings that bring [elm, moss, moss] and [fern, larch, ash], the
outliers of O1 are fern and larch: elm is taken by the cluster, so the first sibling gives moss alone.

If the recipe asks for places (``outliers.places``), each outlier first gets one, such as longer than two of the members
and better known than four. The item is chosen that costs least there: 0 if it takes its place in every respect.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from wikisem.graph.csr import Int64s, Ints
from wikisem.heuristics.selection.places import BARRED, MISSED, Place, Places, PoolItem, is_known
from wikisem.records import Member

# An item as its surface form in each of the languages that have one for it, and an outlier's place in each language.
Named: TypeAlias = Mapping[str, PoolItem]
Placed: TypeAlias = Mapping[str, Place]


@dataclass(slots=True, eq=False)
class Source:
    """The items that a class (``via``) brings into an outlier class.

    ``locations`` are those of all of them, in the order of the ring, and read once; ``item_at`` reads the item at one,
    with the class via which it comes. For places ``near`` has some locations, and ``costs`` how far each is from each
    place, shape ``(places, n)``; ``least`` is the sum of what the nearest cost. Letter pairs are not counted.
    """

    item_at: Callable[[int, int | None], Named]
    via: int | None
    locations: Iterable[int]
    near: Ints | None = None
    costs: Int64s | None = None
    least: int = 0

    def __iter__(self) -> Iterator[Named]:
        """All items in the order of the ring."""
        return (self.item_at(location, self.via) for location in self.locations)

    def by_place(self, number: int, max_cost: int) -> Iterator[tuple[int, Named]]:
        """The items whose distance (cost) from place ``number`` is below ``max_cost``, and that cost, lowest first."""
        assert self.near is not None
        assert self.costs is not None
        costs = self.costs[number]
        cheap = np.flatnonzero(costs < max_cost)
        order = cheap[costs[cheap].argsort(kind="stable")]
        for location, cost in zip(self.near[order].tolist(), costs[order].tolist(), strict=True):
            yield cost, self.item_at(location, self.via)


class ItemsByClass(NamedTuple):
    """The classes that bring items into an outlier class, in the order of the ring, each as its items in that order.

    ``full`` are the classes that may bring ``per_class`` items, ``every`` are all; each is read once, and only as far
    as needed. Where outliers have places, ``full`` are in the order of how near they come, but those that may take all
    places are first, in the order of the ring.
    """

    full: Iterable[Source]
    every: Iterable[Source]


MOST_REFUSED: Final = 1024


def choose_outliers(
    clusters: Mapping[str, Sequence[Member]],
    pool: Mapping[int, ItemsByClass],
    per_class: int,
    admits: Callable[[str, PoolItem], bool] = lambda language, item: True,  # noqa: ARG005
    places: Places | None = None,
    further: Mapping[int, int] | None = None,
    most_refused: int = MOST_REFUSED,
) -> dict[str, tuple[PoolItem, ...]]:
    """Fill the outlier classes in turn, up to ``per_class`` each, with the same items in every language.

    ``clusters`` has the cluster of each language that has one. ``pool`` has, by the number of each outlier class, the
    items that may be chosen for it; ``further`` has how many to choose, in place of ``per_class``, for some of these
    numbers. Returns the outliers of each language, in the order of the pool.

    The first class that gives that many outliers is chosen; if none does, they are taken from one class after another.
    With ``places``, it is the first class whose items take their places, or else the one whose items come nearest.

    An item is skipped in all languages if one of them has no surface form for it, if the cluster or an earlier outlier
    there has that surface form or the item, or if ``admits(language, item)`` is false. After ``most_refused`` refusals
    an outlier class is left as it is: a class whose siblings all look like members would try millions.
    """
    choice = _Choice(clusters, admits, most_refused)
    for outlier_class, candidates in pool.items():
        count = (further or {}).get(outlier_class, per_class)
        if places is not None:
            wanted = [places.of(outlier_class, number) for number in range(count)]
            choice.keep(choice.nearest(candidates.full, wanted) or choice.near(candidates.every, wanted))
        else:
            whole: list[Named] = []
            for source in candidates.full:
                taken = choice.take(source, count)
                if len(taken) == count:
                    whole = taken
                if whole or not choice.refusals_left:
                    break
            choice.keep(whole or choice.take(chain.from_iterable(candidates.every), count))
    return {language: tuple(item[language] for item in choice.kept) for language in clusters}


# Letter pairs are costly to find. Once a class has given outliers, only the next _MOST_CLASSES classes are tried for
# them, the nearest first, and of each only _MOST_ITEMS items that fit.
_MOST_CLASSES: Final = 8
_MOST_ITEMS: Final = 4


class _Filling(NamedTuple):
    """The items that fill places, in the order of these, and what they cost together."""

    items: list[Named]
    cost: int


class _Choice:
    """The outliers chosen so far, which restrict further choices."""

    def __init__(
        self, clusters: Mapping[str, Sequence[Member]], admits: Callable[[str, PoolItem], bool], most_refused: int
    ) -> None:
        """Begin with the clusters, by language: no outlier may be one of their items, or have a surface form of theirs.

        ``admits(language, item)`` is asked of the others, until it has refused ``most_refused`` in an outlier class.
        """
        self._admits, self._most_refused, self.refusals_left = admits, most_refused, most_refused
        self._surfaces = {language: {member.surface for member in cluster} for language, cluster in clusters.items()}
        self._items = {member.id for cluster in clusters.values() for member in cluster}
        self.kept: list[Named] = []

    def take(self, ordered: Iterable[Named], count: int, earlier: Sequence[Named] = ()) -> list[Named]:
        """The first ``count`` items that fit the kept ones, one another and the ``earlier`` ones; they are not kept."""
        taken: list[Named] = []
        for item in ordered if count else ():
            if self._fits(item, [*earlier, *taken]):
                taken.append(item)
            if len(taken) == count or not self.refusals_left:
                break
        return taken

    def nearest(self, classes: Iterable[Source], places: Sequence[Placed]) -> list[Named]:
        """One item for each *place*, what an outlier is to be like, all from one class; empty if no class has as many.

        It is the first class whose items all take their places, or else the one with the lowest cost, which is how far
        items are from their places: one that misses its place adds MISSED or more, one that may be no outlier BARRED.
        Classes whose items may take all places come first, in the order of the ring, then the others by ``least``, a
        lower bound of their cost. Once one has filled the places, few others are tried: letter pairs take time to find.
        """
        best = _Filling([], BARRED)
        tries_left = _MOST_CLASSES
        for source in classes:
            # Below MISSED, every place is taken. If this class cannot cost less than the best, no later one can.
            if best.cost < MISSED or source.least >= best.cost or not tries_left:
                break
            filling = self._fill(source, places, best.cost)
            if len(filling.items) == len(places):
                best = filling
            tries_left -= bool(best.items)
        return best.items

    def near(self, classes: Iterable[Source], places: Sequence[Placed]) -> list[Named]:
        """One item for each place while there are any: from each class in turn its nearest items, then its first ones.

        The first ones are taken whatever they cost. But if all members of the cluster have a sitelink or a link to
        their page in a language (``known``), so must they.
        """
        taken: list[Named] = []
        asks_known = [code for code, place in places[0].items() if place.known] if places else []
        for source in classes:
            taken += self._fill(source, places, BARRED, taken).items
            known = (item for item in source if all(is_known(item[code]) for code in asks_known if code in item))
            taken += self.take(known, len(places) - len(taken), taken)
        return taken

    def _fill(self, source: Source, places: Sequence[Placed], max_cost: int, earlier: Sequence[Named] = ()) -> _Filling:
        """Fill the places that ``earlier`` items leave, each with the item of the class that costs least and fits.

        A cost is how far an item is from its place, in its values (such as length) and its letter pairs. Filling ends
        at the first place for which no item keeps the sum of the costs below ``max_cost``.
        """
        filling = _Filling([], 0)
        for number in range(len(earlier), len(places)):
            cheapest: Named | None = None
            lowest_cost = max_cost - filling.cost
            tries_left, taken = _MOST_ITEMS, [*earlier, *filling.items]
            # The lowest cost without letter pairs first. These only add to it, so no item after the break is cheaper.
            for cost, item in source.by_place(number, lowest_cost):
                if cost >= lowest_cost or not tries_left:
                    break
                if self._fits(item, taken):
                    tries_left -= 1  # only these have their letter pairs found, which takes most of the time
                    cost += sum(place.cost_of_pairs(item[code].surface) for code, place in places[number].items())
                    if cost < lowest_cost:
                        lowest_cost, cheapest = cost, item
            if cheapest is None:
                break
            filling = _Filling([*filling.items, cheapest], filling.cost + lowest_cost)
        return filling

    def keep(self, taken: Sequence[Named]) -> None:
        """Keep these items; an outlier class is done, and refusals are counted anew."""
        self.refusals_left = self._most_refused
        for item in taken:
            self.kept.append(item)
            for language, used in self._surfaces.items():
                used.add(item[language].surface)
                self._items.add(item[language].id)

    def _fits(self, item: Named, taken: Iterable[Named]) -> bool:
        """Whether an item is new beside the kept ones and ``taken``, which are not kept yet, and the rules admit it.

        Refusals by the rules are counted, and once none are left no item fits.
        """
        if not self.refusals_left:
            return False
        for language, used in self._surfaces.items():
            named = item.get(language)  # without a surface form in one language it fits in none
            if named is None or named.surface in used or named.id in self._items:
                return False
        both = ((item[code], other[code]) for other in taken for code in item.keys() & other.keys())
        if any(named.surface == other.surface or named.id == other.id for named, other in both):
            return False
        admitted = all(self._admits(language, item[language]) for language in self._surfaces)
        self.refusals_left -= not admitted
        return admitted
