"""The outlier pool of classes: what can be drawn for O1, O2 and O3, in the order of the hash rings.

Of the 64 classes that are judged together, the first class that may bring enough is looked up for all at once, with its
first items under their surface forms; everything further on the rings is looked up only when it is asked for.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice, pairwise, repeat
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from wikisem.arrow.columns import differs_from_previous
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import Bitsets, CsrRows, Flags, Int64s, Ints, indices_of
from wikisem.graph.outlier_sets.class_draw import ClassDraw, LanguageDraw
from wikisem.graph.outlier_sets.class_lists import CandidateClasses
from wikisem.graph.outlier_sets.hash_ring import HashRing
from wikisem.graph.outlier_sets.neighbourhood import BitPlanes, contains
from wikisem.graph.outlier_sets.outlier_index import ClassOutliers, OutlierIndex
from wikisem.graph.relations import Ties
from wikisem.graph.signatures import Signatures
from wikisem.heuristics.rules.affix import AffixCounts
from wikisem.heuristics.selection.outlier_choice import ItemsByClass
from wikisem.heuristics.selection.places import BARRED, MISSED, Int32s, Place, Places, columns_of, costs_of
from wikisem.ids import qid_number
from wikisem.recipes.options import ItemOptions, Recipe
from wikisem.records import RELATED, Member, Outlier
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
    """What all classes have in common: the graph, the languages by code, the recipe, and what its rules ask for.

    These are signatures, and for related outliers the ties between items.
    """

    graph: ClassGraph
    languages: Mapping[str, LanguageInputs]
    recipe: Recipe
    signatures: Signatures | None = None
    ties: Ties | None = None


def item_indices(graph: ClassGraph, qids: Sequence[str]) -> Int64s:
    """The indices in the graph of items that it has."""
    return indices_of(np.array([qid_number(qid) for qid in qids], dtype=np.int64), graph.items)[0]


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
            links=member.links,
            page_share=member.page_share,
            label_language=member.label_language,
        )


# An item in each of the languages that have a surface form for it.
_Named = Mapping[str, PoolItem]
# The same by the class that brings it in, and its location.
_Ahead = dict[tuple[int | None, int], _Named]


class OutlierPool:
    """What up to 64 classes (nodes) can draw from: class i has bit i in each of the outlier sets.

    ``barred`` has for each list the classes whose cluster, in the language that is walked, bars its items.
    """

    def __init__(self, inputs: GroupInputs, draws: Draws, nodes: Ints, found: ClassOutliers) -> None:
        self._inputs, self._draws, self._found = inputs, draws, found
        self._starts = hash_keys(inputs.recipe.seed, inputs.graph.nodes[nodes], "class")

    def of(
        self,
        languages: Sequence[str],
        bits: Sequence[int],
        barred: Bitsets | None = None,
        places: Sequence[Places] | None = None,
    ) -> list[list[ItemsByClass[PoolItem]]]:
        """What is brought into O1, O2 and O3 of some classes, each item in each of the languages that name it.

        The walk is along the ring of the items that all of the languages name.
        ``barred`` has for each list a bitset of the classes that it is barred for in these languages; ``places`` are
        those of the outliers of each class.
        """
        by_code = {language: self._inputs.languages[language] for language in languages}
        draw = self._draws.of(frozenset(languages))
        ring, walked = draw.ring, walked_language(by_code)
        namings = [_Naming(number, ring.rows, ring.lists, walked, by_code) for number in (1, 2, 3)]
        sets = [BitPlanes(each if barred is None else each & ~barred) for each in self._found.sets]
        asked, options = np.array(bits, dtype=np.int64), self._inputs.recipe.outliers
        by_class = ClassDraw(draw, sets, self._found.via, self._starts, options.per_class)
        by_outlier_class: list[Iterator[ItemsByClass[PoolItem]]] = []
        for naming, each in zip(namings, sets, strict=True):
            drawn = by_class if options.draws_by_class(naming.outlier_class) else None
            if places is not None:
                wanted = [[own.of(naming.outlier_class, n) for n in range(options.per_class)] for own in places]
                by_outlier_class.append(_draw_near(naming, ring, drawn, each, asked, self._starts[asked], wanted))
            elif drawn:
                by_outlier_class.append(_draw_by_class(naming, drawn, asked, options.per_class))
            else:
                starts, ahead = self._starts[asked], options.per_class
                by_outlier_class.append(_draw_from_all(naming, ring, each, asked, starts, ahead))
        return [list(each) for each in zip(*by_outlier_class, strict=True)]

    def related(
        self, bit: int, clusters: Mapping[str, Sequence[Member]], kin: Bitsets, places: Places | None
    ) -> ItemsByClass[PoolItem]:
        """The items of another kind that statements tie to members in each language: most members first.

        Then come those with most sitelinks. Without ``places`` they are one source; with places the first has the items
        that are tied to most members, the next also those tied to one member fewer, and so on, so that of two items
        that take a place the one with more ties does. ``kin`` has the classes for which lists are barred.
        """
        assert self._inputs.ties is not None
        assert self._found.other_kind is not None
        by_code, related = (
            {code: self._inputs.languages[code] for code in clusters},
            self._inputs.recipe.outliers.related,
        )
        tied = [self._tied(self._inputs.ties, cluster) for cluster in clusters.values()]
        items, at, counts = tied[0]
        for others, _, more in tied[1:]:
            indices, known = indices_of(items, others)
            items, at, counts = items[known], at[known], counts[known] + more[indices[known]]
        lists = self._inputs.ties.lists[at]
        able = contains((self._found.other_kind & ~kin)[lists], np.uint64(bit))
        for own in by_code.values():
            able &= indices_of(items, own.surfaces.items)[1]
        items, lists, counts = items[able], lists[able], counts[able]
        order = np.lexsort((items, -self._inputs.graph.sitelinks[items], -counts))[:_MOST_RELATED]
        code, own = next(iter(by_code.items()))
        rows = np.searchsorted(own.surfaces.items, items[order])
        naming = _Naming(RELATED, rows, lists[order], code, by_code)
        if places is None:
            return ItemsByClass((), [_Source(naming, range(len(order)), None)])
        every = np.arange(len(order))
        costs = _costs([places.of(RELATED, number) for number in range(related)], naming.columns(every))
        ends = [*(np.flatnonzero(np.diff(counts[order])) + 1).tolist(), len(order)]
        sources = [_Source(naming, range(end), None, near=(every[:end], costs[:, :end])) for end in ends]
        full = [one for one, end in zip(sources, ends, strict=True) if end >= related]
        return ItemsByClass(sorted(full, key=lambda one: max(one.least, MISSED - 1)), sources[-1:])

    def _tied(self, ties: Ties, cluster: Sequence[Member]) -> tuple[Ints, Ints, Ints]:
        """The items that are tied to a cluster, ascending, one of the ties of each, and to how many members."""
        ranges = ties.rows(item_indices(self._inputs.graph, [member.id for member in cluster]))
        at = np.concatenate([rows.start + np.flatnonzero(differs_from_previous(ties.items[rows])) for rows in ranges])
        items, first, counts = np.unique(ties.items[at], return_index=True, return_counts=True)
        return items, at[first], counts


@dataclass(frozen=True, slots=True)
class _Naming:
    """Locations on a ring, whose rows are those of the language ``walked``, as items of one outlier class in all.

    Related outliers are not drawn from a ring: they have their locations in a list of their own.
    """

    outlier_class: int
    rows: Ints
    lists: Ints
    walked: str
    languages: Mapping[str, LanguageInputs]

    def all(self, locations: Sequence[int], via: Sequence[int | None]) -> Iterator[_Named]:
        """The items at some locations, each brought in via a class."""
        at = np.array(locations, dtype=np.int64)
        rows, lists = self.rows[at], self.lists[at].tolist()
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
        """The same, more at a time the more are asked for."""
        remaining, count = iter(locations), 1
        while ahead := list(islice(remaining, count)):
            yield from self.all(ahead, [via] * len(ahead))
            count = min(2 * count, _MOST_AHEAD)

    def columns(self, locations: Ints) -> dict[str, Int32s]:
        """In each language the values that places are of, of the items at some locations; all name all of them."""
        walked = self.rows[locations]
        items = self.languages[self.walked].surfaces.items[walked]
        columns = {}
        for code, own in self.languages.items():
            assert own.forms is not None
            rows = walked if code == self.walked else np.searchsorted(own.surfaces.items, items)
            columns[code] = columns_of(own.surfaces, own.forms, rows)
        return columns


# Items by their places.

# To fill a place: the first classes on the ring are asked, at most _CLASSES, until they have _ITEMS items together; of
# each about _OF_CLASS are read, and the nearest of these are named, _NAMED at a time.
_CLASSES: Final = 64
_ITEMS: Final = 512
_OF_CLASS: Final = 64
_NAMED: Final = 4
# Items are tied to a few members in a million ways, as to countries: so many are looked at.
_MOST_RELATED: Final = 4096


class _Source:
    """The items that a class (``via``) brings: the ``known`` ones, and those at the locations, which are read once.

    For places ``near`` has locations, and how far each is from each place, shape ``(places, n)``; what ``ahead`` has of
    them is named already.
    """

    def __init__(
        self,
        naming: _Naming,
        locations: Iterable[int],
        via: int | None,
        known: Sequence[_Named] = (),
        near: tuple[Ints, Int64s] = (np.zeros(0, dtype=np.int64), np.zeros((1, 0), dtype=np.int64)),
        ahead: _Ahead | None = None,
    ) -> None:
        self._naming, self._locations, self._via, self._known = naming, locations, via, known
        self._near, self._ahead = near, ahead or {}

    def __iter__(self) -> Iterator[_Named]:
        """All in the order of the ring."""
        return chain(self._known, self._naming.lazily(self._locations, self._via))

    @property
    def least(self) -> int:
        """How far the nearest item is from each place in all, but for letter pairs."""
        return int(self._near[1].min(axis=1, initial=BARRED).sum())

    def by_place(self, number: int, below: int) -> Iterator[tuple[int, _Named]]:
        """Those less far than ``below`` from a place but for letter pairs, the nearest first."""
        own = self._near[1][number]
        order = np.argsort(own, kind="stable")
        locations, costs = self._near[0][order].tolist(), own[order].tolist()
        at, end = 0, bisect_left(costs, below)
        while at < end:
            if item := self._ahead.get((self._via, locations[at])):
                yield costs[at], item
                at += 1
                continue
            stop = min(at + _NAMED, end)
            named = self._naming.all(locations[at:stop], [self._via] * (stop - at))
            yield from zip(costs[at:stop], named, strict=True)
            at = stop


def _draw_near(
    naming: _Naming,
    ring: HashRing,
    draw: ClassDraw | None,
    sets: BitPlanes,
    bits: Ints,
    starts: Bitsets,
    places: Sequence[Sequence[Mapping[str, Place]]],
) -> Iterator[ItemsByClass[PoolItem]]:
    """Class by class, the nearest to the places of an asking class first; or else from all items of a set."""
    by_class = draw.sample(naming.outlier_class, bits, _CLASSES, _ITEMS, _OF_CLASS) if draw else None
    nearest = _nearest(naming, by_class, places) if by_class else repeat(())
    for bit, start, own, full in zip(bits.tolist(), starts, places, nearest, strict=False):
        yield ItemsByClass(full, _whole_set(naming, ring, sets, bit, start, own))


def _nearest(
    naming: _Naming, sampled: tuple[Int64s, list[int], CsrRows], places: Sequence[Sequence[Mapping[str, Place]]]
) -> list[Iterator[_Source]]:
    """What the sampled classes bring for each of the asking classes, the nearest first."""
    edges, nodes, items = sampled
    columns = naming.columns(items.targets)
    ahead: _Ahead = {}
    locations, via, found = list[int](), list[int](), list[Iterator[_Source]]()
    for (begin, end), own in zip(pairwise(edges.tolist()), places, strict=True):
        if begin == end:
            found.append(iter(()))
            continue
        first, last = items.offsets[begin], items.offsets[end]
        costs = _costs(own, {code: each[:, first:last] for code, each in columns.items()})
        bounds = np.minimum.reduceat(costs, items.offsets[begin:end] - first, axis=1).sum(axis=0)
        rows = (begin + np.argsort(np.where(bounds < MISSED, 0, bounds), kind="stable")).tolist()
        found.append(_in_turn(naming, items, nodes, rows, costs, int(first), ahead))
        # Of most classes these are taken.
        best = slice(*(items.offsets[rows[0] : rows[0] + 2] - first).tolist())
        locations += items.targets[first + best.start + costs[:, best].argmin(axis=1)].tolist()
        via += [nodes[rows[0]]] * len(own)
    ahead.update(zip(zip(via, locations, strict=True), naming.all(locations, via), strict=True))
    return found


def _in_turn(
    naming: _Naming,
    items: CsrRows,
    nodes: Sequence[int],
    rows: Iterable[int],
    costs: Int64s,
    first: int,
    ahead: _Ahead,
) -> Iterator[_Source]:
    """The sampled classes of some rows; ``costs`` are those of the items from the ``first`` on."""
    for row in rows:
        begin, end = (items.offsets[row : row + 2] - first).tolist()
        yield _Source(naming, (), nodes[row], near=(items.row(row), costs[:, begin:end]), ahead=ahead)


def _whole_set(
    naming: _Naming,
    ring: HashRing,
    sets: BitPlanes,
    bit: int,
    start: np.uint64,
    places: Sequence[Mapping[str, Place]],
) -> Iterator[_Source]:
    """All items of a set, whatever class brings them in, of which the first are near."""
    near = np.fromiter(islice(ring.walk(sets, bit, start), _ITEMS), dtype=np.int64)
    costs = _costs(places, naming.columns(near))
    yield _Source(naming, ring.walk(sets, bit, start), None, near=(near, costs))


def _costs(places: Sequence[Mapping[str, Place]], columns: Mapping[str, Int32s]) -> Int64s:
    """How far items are from each place in all languages, but for letter pairs, shape ``(places, n)``."""
    by_language = [costs_of([place[code] for place in places], own) for code, own in columns.items()]
    total: Int64s = np.add.reduce(by_language)
    return total


def _draw_from_all(
    naming: _Naming, ring: HashRing, sets: BitPlanes, bits: Ints, starts: Bitsets, ahead: int
) -> Iterator[ItemsByClass[PoolItem]]:
    """All items of a set, whatever class brings them in; the first few, ``ahead``, are named for all at once."""
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
