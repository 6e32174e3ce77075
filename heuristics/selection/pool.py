"""The outlier pool of classes: what can be drawn for O1, O2 and O3, in the order of the hash rings.

Of the 64 classes that are judged together, the first class that may bring enough is looked up for all at once, with its
first items under their surface forms; everything further on the rings is looked up only when it is asked for.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import Bitsets, Flags, Int64s, Ints, indices_of
from wikisem.graph.outlier_sets.class_draw import ClassDraw, LanguageDraw
from wikisem.graph.outlier_sets.class_lists import CandidateClasses
from wikisem.graph.outlier_sets.hash_ring import HashRing
from wikisem.graph.outlier_sets.neighbourhood import BitPlanes
from wikisem.graph.outlier_sets.outlier_index import ClassOutliers, OutlierIndex
from wikisem.heuristics.rules.affix import AffixCounts
from wikisem.heuristics.selection.outlier_choice import ItemsByClass
from wikisem.heuristics.selection.places import BARRED, Place, columns_of
from wikisem.ids import qid_number
from wikisem.recipes.options import ItemOptions, Recipe
from wikisem.records import Member, Outlier
from wikisem.sampling import hash_keys
from wikisem.surfaces.table import SurfaceForms, SurfaceTable
from wikisem.wikipedia.languages import LanguageProfile

# What classes are judged from: the graph, and what each language adds to it.


@dataclass(frozen=True)
class LanguageInputs:
    """What one language adds to the graph: surface forms, its profile, the ring of its outlier pool, labels of classes.

    ``candidates`` are the classes with at least ``minimum`` instances that have a surface form; their leading instances
    and the items of the ring are given as rows of ``surfaces``. ``labels`` maps class numbers to labels. ``affixes``
    are those of the language's surface forms, where the recipe measures by them, and ``forms`` what they look like,
    where it gives outliers their places.
    """

    profile: LanguageProfile
    surfaces: SurfaceTable
    ring: HashRing
    candidates: CandidateClasses
    labels: Mapping[int, str]
    affixes: AffixCounts | None = None
    forms: SurfaceForms | None = None


@dataclass(frozen=True)
class GroupInputs:
    """What all classes have in common: the graph, the languages by code, and the recipe."""

    graph: ClassGraph
    languages: Mapping[str, LanguageInputs]
    recipe: Recipe


# The rings that are walked.

# Rings of combinations that are kept: all of them in five languages, the most recent ones beyond that.
_KEPT: Final = 32


class Draws:
    """The rings of languages and of their combinations; rows of a combined ring are those of ``walked_language``.

    Parallel groups need items that every language of a class names. Most pool items are named in few languages, so that
    a walk along the ring of one would pass many for each that it can use. The items that all name are found once for
    each combination of languages, and then a walk takes nearly all that it meets.
    """

    def __init__(self, index: OutlierIndex, languages: Mapping[str, LanguageInputs]) -> None:
        self._index, self._languages = index, languages
        self._single = {code: LanguageDraw(index, own.ring) for code, own in languages.items()}
        self._combined = lru_cache(maxsize=_KEPT)(self._combine)

    def of(self, languages: frozenset[str]) -> LanguageDraw:
        """The draw from the items that all of some languages name."""
        return self._single[next(iter(languages))] if len(languages) == 1 else self._combined(languages)

    def _combine(self, languages: frozenset[str]) -> LanguageDraw:
        asked = {code: self._languages[code] for code in languages}
        walked = asked.pop(walked_language(asked))
        items = walked.surfaces.items[walked.ring.rows]
        named = np.ones(len(items), dtype=bool)
        for other in asked.values():
            named &= indices_of(items, other.surfaces.items)[1]
        return LanguageDraw(self._index, walked.ring.keep(named))


def walked_language(languages: Mapping[str, LanguageInputs]) -> str:
    """The language whose ring is walked for several: that with the smallest pool, ties by code."""
    return min(languages, key=lambda language: (len(languages[language].ring.keys), language))


# The items on them.


@dataclass(frozen=True, slots=True)
class PoolItem:
    """An item that may become an outlier in a language: its outlier class, and the number of its list of classes.

    ``via`` is the class (node) that brings it in; None if it is drawn from all items and the class has not been looked
    up.
    """

    outlier_class: int
    class_list: int
    member: Member
    via: int | None

    @property
    def id(self) -> str:
        """The item's QID."""
        return self.member.id

    @property
    def surface(self) -> str:
        """The item's surface form."""
        return self.member.surface

    @property
    def sitelinks(self) -> int:
        """The item's pages on all sites."""
        return self.member.sitelinks

    @property
    def total(self) -> int:
        """The links to the item's page."""
        return self.member.total

    def as_outlier(self, via: str, margin: float | None = None) -> Outlier:
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
            links=member.links,
            page_share=member.page_share,
            label_language=member.label_language,
            margin=margin,
        )


# An item in each of the languages that have a surface form for it.
_Named = Mapping[str, PoolItem]


class OutlierPool:
    """What up to 64 classes (nodes) can draw from: class i has bit i in each of the outlier sets.

    ``barred`` has for each list the classes whose cluster, in the language that is walked, bars its items.
    """

    def __init__(self, inputs: GroupInputs, draws: Draws, nodes: Ints, found: ClassOutliers) -> None:
        self._inputs, self._draws, self._found = inputs, draws, found
        self._starts = hash_keys(inputs.recipe.seed, inputs.graph.nodes[nodes], "class")

    def of(
        self, languages: Sequence[str], bits: Sequence[int], barred: Bitsets | None = None
    ) -> list[list[ItemsByClass[PoolItem]]]:
        """What is brought into O1, O2 and O3 of some classes, each item in each of the languages that name it.

        The walk is along the ring of the items that all of the languages name.
        ``barred`` has for each list a bitset of the classes that it is barred for in these languages.
        """
        by_code = {language: self._inputs.languages[language] for language in languages}
        draw = self._draws.of(frozenset(languages))
        namings = [_Naming(number, draw.ring, walked_language(by_code), by_code) for number in (1, 2, 3)]
        sets = [BitPlanes(each if barred is None else each & ~barred) for each in self._found.sets]
        asked, options = np.array(bits, dtype=np.int64), self._inputs.recipe.outliers
        # Without places the first items on the ring are likely to be taken, so that all are named together.
        ahead = 0 if options.places else options.per_class
        by_class = ClassDraw(draw, sets, self._found.via, self._starts, options.per_class)
        by_outlier_class = [
            _draw_by_class(naming, by_class, asked, ahead)
            if options.draws_by_class(naming.outlier_class)
            else _draw_from_all(naming, each, asked, self._starts[asked], ahead)
            for naming, each in zip(namings, sets, strict=True)
        ]
        return [list(each) for each in zip(*by_outlier_class, strict=True)]


@dataclass(frozen=True, slots=True)
class _Naming:
    """Locations on a ring, whose rows are those of the language ``walked``, as items of one outlier class in all."""

    outlier_class: int
    ring: HashRing
    walked: str
    languages: Mapping[str, LanguageInputs]

    def all(self, locations: Sequence[int], via: Sequence[int | None]) -> Iterator[_Named]:
        """The items at some locations, each brought in via a class."""
        at = np.array(locations, dtype=np.int64)
        rows, lists = self.ring.rows[at], self.ring.lists[at].tolist()
        members = {self.walked: self.languages[self.walked].surfaces.members(rows)}
        items = self.languages[self.walked].surfaces.items[rows]
        for code in self.languages.keys() - members.keys():
            other = self.languages[code].surfaces
            members[code] = other.members(np.searchsorted(other.items, items))
        for number, node, *named in zip(lists, via, *members.values(), strict=True):
            yield {
                code: PoolItem(self.outlier_class, number, member, node)
                for code, member in zip(members, named, strict=True)
            }

    def lazily(self, locations: Iterable[int], via: int | None) -> Iterator[_Named]:
        """The same one by one."""
        for location in locations:
            yield from self.all([location], [via])

    def rows(self, locations: Int64s) -> dict[str, Ints]:
        """The rows of the items at some locations in each language's table; all name all of them."""
        walked = self.ring.rows[locations]
        items = self.languages[self.walked].surfaces.items[walked]
        others = self.languages.keys() - {self.walked}
        rows = {code: np.searchsorted(self.languages[code].surfaces.items, items) for code in others}
        return {self.walked: walked, **rows}


# Of a class so many items, the first on the ring, are looked at for a place, and the nearest named so many at a time.
_LOOKED_AT: Final = 1 << 11
_NAMED: Final = 8


class _Source:
    """The items that a class (``via``) brings: the ``known`` ones, and those at the locations, which are read once."""

    def __init__(
        self, naming: _Naming, locations: Iterable[int], via: int | None, known: Sequence[_Named] = ()
    ) -> None:
        self._naming, self._locations, self._via, self._known = naming, locations, via, known
        self._looked_at: tuple[Int64s, dict[str, Int64s]] | None = None
        self._ordered: dict[int, tuple[Int64s, Int64s]] = {}

    def __iter__(self) -> Iterator[_Named]:
        """All in the order of the ring."""
        return chain(self._known, self._naming.lazily(self._locations, self._via))

    def least(self, places: Mapping[str, Place]) -> int:
        """How far the nearest item is from its places, but for letter pairs; of a class without items, too far."""
        _, costs = self._in_order(places)
        return int(costs[0]) if len(costs) else BARRED

    def by_place(self, places: Mapping[str, Place], below: int) -> Iterator[tuple[int, _Named]]:
        """The first items on the ring that are less far than ``below`` from their places, the nearest first."""
        locations, costs = self._in_order(places)
        end = int(np.searchsorted(costs, below))
        for begin in range(0, end, _NAMED):
            ahead = slice(begin, min(begin + _NAMED, end))
            named = self._naming.all(locations[ahead].tolist(), [self._via] * (ahead.stop - begin))
            yield from zip(costs[ahead].tolist(), named, strict=True)

    def _in_order(self, places: Mapping[str, Place]) -> tuple[Int64s, Int64s]:
        """The locations that are looked at, the nearest to their places first, and how far each is."""
        if id(places) not in self._ordered:
            locations, columns = self._look()
            costs = sum((place.costs(columns[code]) for code, place in places.items()), np.zeros(1, dtype=np.int64))
            order = np.argsort(costs, kind="stable")
            self._ordered[id(places)] = locations[order], costs[order]
        return self._ordered[id(places)]

    def _look(self) -> tuple[Int64s, dict[str, Int64s]]:
        """The locations that are looked at, and in each language the values that places are of."""
        if self._looked_at is None:
            locations = np.fromiter(islice(self._locations, _LOOKED_AT), dtype=np.int64)
            columns = {}
            for code, rows in self._naming.rows(locations).items():
                own = self._naming.languages[code]
                assert own.forms is not None
                columns[code] = columns_of(own.surfaces, own.forms, rows)
            self._looked_at = locations, columns
        return self._looked_at


def _draw_from_all(
    naming: _Naming, sets: BitPlanes, bits: Ints, starts: Bitsets, ahead: int
) -> Iterator[ItemsByClass[PoolItem]]:
    """All items of a set, whatever class brings them in; the first few, ``ahead``, are named for all at once."""
    ring = naming.ring
    first = ring.first_locations(sets, bits, starts, ahead)
    known = naming.all(list(chain.from_iterable(first)), [None] * sum(map(len, first)))
    for locations, bit, start in zip(first, bits.tolist(), starts, strict=True):
        more = islice(ring.walk(sets, bit, start), ahead, None) if len(locations) == ahead else ()
        yield ItemsByClass((), [_Source(naming, more, None, list(islice(known, len(locations))))])


def _draw_by_class(naming: _Naming, draw: ClassDraw, bits: Ints, ahead: int) -> Iterator[ItemsByClass[PoolItem]]:
    """Class by class: the first that may bring enough is known for all, and so are its first items, ``ahead``."""
    rows = draw.first_rows(naming.outlier_class, bits)
    there = rows >= 0
    first = [iter(each) for each in draw.locations(naming.outlier_class, rows[there], bits[there])]
    heads = [list(islice(locations, ahead)) for locations in first]
    nodes = draw.nodes(rows[there])
    via = [node for node, head in zip(nodes, heads, strict=True) for _ in head]
    known = naming.all(list(chain.from_iterable(heads)), via)
    sources = iter(zip(nodes, heads, first, strict=True))
    for bit, is_there in zip(bits.tolist(), there.tolist(), strict=True):
        full: Iterator[_Source] = iter(())
        if is_there:
            node, head, beyond = next(sources)
            own = _Source(naming, beyond, node, list(islice(known, len(head))))
            full = chain([own], _sources(naming, draw, draw.later_rows(naming.outlier_class, bit), bit))
        yield ItemsByClass(full, _sources(naming, draw, draw.every_row(naming.outlier_class, bit), bit))


# Most classes whose items are listed before anybody asks for those of the first of them.
_MOST_AHEAD: Final = 16


def _sources(naming: _Naming, draw: ClassDraw, rows: Iterator[int], bit: int) -> Iterator[_Source]:
    """What the class of each row brings, one after another; each look prepares four times as many classes."""
    look = 1
    while ahead := list(islice(rows, look)):
        several = np.array(ahead)
        found = draw.locations(naming.outlier_class, several, np.full(len(several), bit))
        for locations, node in zip(found, draw.nodes(several), strict=True):
            yield _Source(naming, locations, node)
        look = min(4 * look, _MOST_AHEAD)


# Fresh sets.


def in_range(numbers: npt.ArrayLike, options: ItemOptions, role: Literal["clusters", "outliers"]) -> Flags:
    """Whether items with these numbers may be in clusters, or be outliers; both ends of the range are in it.

    Wikidata numbers items in the order of their creation. So a model whose texts were collected earlier cannot have
    seen items from some number on. With ``[items] from = "Q130000000"``:

    >>> from wikisem.recipes.options import ItemOptions
    >>> fresh = ItemOptions(from_="Q130000000", apply="outliers")
    >>> in_range(np.array([42, 130_000_000]), fresh, "outliers").tolist()
    [False, True]
    >>> in_range(np.array([42, 130_000_000]), fresh, "clusters").tolist()
    [True, True]
    """
    known = np.asarray(numbers)
    flags: Flags = np.ones(known.shape, dtype=bool)
    if options.apply in {role, "both"}:
        if options.from_:
            flags &= known >= qid_number(options.from_)
        if options.to:
            flags &= known <= qid_number(options.to)
    return flags
