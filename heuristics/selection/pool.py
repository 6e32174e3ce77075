"""The outlier pool of classes: what can be drawn for O1, O2 and O3, in the order of the hash rings.

Of the 64 classes that are judged together, the classes that bring items are looked up for all at once, and with them
how far their items are from places; surface forms and what is further on the rings are read when they are asked for.
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
from wikisem.graph.csr import Bitsets, CsrRows, Flags, Int64s, Ints, indices_of, offsets_of
from wikisem.graph.outlier_sets.class_lists import CandidateClasses
from wikisem.graph.outlier_sets.hash_ring import HashRing
from wikisem.graph.outlier_sets.neighbourhood import BitPlanes, contains
from wikisem.graph.outlier_sets.outlier_index import ClassOutliers, OutlierIndex
from wikisem.graph.statements import Signatures, Ties
from wikisem.heuristics.rules.affix import AffixCounts
from wikisem.heuristics.selection.outlier_choice import ItemsByClass, Named, Source
from wikisem.heuristics.selection.places import BARRED, MISSED, Int32s, Place, Places, PoolItem, columns_of, costs_of
from wikisem.ids import qid_number
from wikisem.recipes.options import ItemOptions, Recipe
from wikisem.records import DRAWN, FAR, NEAR, RELATED, Member
from wikisem.sampling import hash_keys
from wikisem.surfaces.table import SurfaceForms, SurfaceTable
from wikisem.wikipedia.languages import LanguageProfile

# From which class each of up to 64 classes draws its outliers, and where that class's items are on the ring of items.

# ``ViaIndex`` has an example. A walk along the ring of classes meets relatives without surface forms for their items,
# so relatives with too few items in the language are skipped: the items at or below each class are counted once. The
# count is of all items, so a class with enough may still bring fewer into the set; the caller then goes on.

# The items of a class are listed and sorted up to this many; of a larger class they are met by walking the ring.
_LISTED: Final = 1 << 13
# How many lists of classes are read at once, or those of one class; near the top of the graph a class has all of them.
_LISTS: Final = 1 << 18
# How many locations of the set such a walk examines at a time.
_LOOK: Final = 64


class LanguageDraw:
    """What the draw in one language needs: the ring of its items, and how many of them each class can bring.

    ``counts`` has for O1, O2 and O3 one number for each row of the ancestor index: for O1 and O2 the items at or below
    the row's class, for O3 its own instances.
    """

    def __init__(self, index: OutlierIndex, ring: HashRing) -> None:
        self.index, self.ring = index, ring
        sizes, ancestors, via = ring.by_list.counts(), index.ancestors, index.via
        # How many items the lists of each component have in all, and those of each class that is on a list.
        of_components, of_classes = (
            np.diff(offsets_of(sizes[lists.targets])[lists.offsets]) for lists in (via.at_or_below, via.direct.rows)
        )
        below = of_components[ancestors.component]
        direct = np.zeros_like(below)
        direct[ancestors.node_to_row[via.direct.owners]] = of_classes
        self.counts = (below, below, direct)

    def lists(self, outlier_class: int, rows: Ints) -> CsrRows:
        """For each row its class's lists: for O1 and O2 of all items at or below it, for O3 of its own instances."""
        ancestors, via = self.index.ancestors, self.index.via
        if outlier_class < FAR:
            return via.at_or_below.take(ancestors.component[rows])
        return via.direct.take(ancestors.row_to_node[rows])


class ClassDraw:
    """The classes that up to 64 classes draw from in one language: class i has bit i and begins at ``starts[i]``.

    ``sets`` and ``via`` have one array of bitsets for each of O1, O2 and O3, as ``ClassOutliers`` has them.
    ``per_class`` items are enough of a class.
    """

    def __init__(
        self, language: LanguageDraw, sets: Sequence[BitPlanes], via: Sequence[Bitsets], starts: Bitsets, per_class: int
    ) -> None:
        self._language, self._sets, self._starts = language, sets, starts
        self._ring, self._classes = language.ring, language.index.via.ring
        self._begins = np.searchsorted(self._ring.keys, starts)
        self._via, self.per_class = via, per_class
        self._known: dict[tuple[int, int], BitPlanes] = {}

    def first_rows(self, outlier_class: int, bits: Ints) -> Int64s:
        """For each class the row of the first class on the ring that may bring enough; -1 if there is none."""
        drawing = self._drawing_from(outlier_class, self.per_class)
        found = self._classes.first_locations(drawing, bits, self._starts[bits], 1)
        return np.array([self._classes.rows[locations[0]] if locations else -1 for locations in found], dtype=np.int64)

    def rows(self, outlier_class: int, bit: int, least: int) -> Iterator[int]:
        """The rows of all classes on the ring that may bring ``least`` items, in order."""
        walk = self._classes.walk(self._drawing_from(outlier_class, least), bit, self._starts[bit])
        return (int(self._classes.rows[location]) for location in walk)

    def _drawing_from(self, outlier_class: int, least: int) -> BitPlanes:
        """For each class of the graph, which of the up to 64 asking classes can take their outliers from its items.

        Each class is a row, as in the ancestor index. Bit i of a row is set if its class is a sibling of asking class i
        (``outlier_class`` 1), a cousin (2) or far from it (3), and has at least ``least`` items that the language
        names; a class with fewer has no bits. Results are kept, for each takes a look at all rows.
        """
        if (outlier_class, least) not in self._known:
            has_enough_items = self._language.counts[outlier_class - 1] >= least
            related_to = self._via[outlier_class - 1]  # one bitset a row: whose sibling, cousin or far class it is
            self._known[outlier_class, least] = BitPlanes(np.where(has_enough_items, related_to, np.uint64(0)))
        return self._known[outlier_class, least]

    def brought(self, outlier_class: int, rows: Ints, bits: Ints) -> Iterator[tuple[int, Iterable[int]]]:
        """For each row its class, and the locations of what this brings into the set of class ``bits[i]``, in order.

        The items of small classes are listed for all rows at once, and those of large ones met on a walk.
        """
        language, sets = self._language, self._sets[outlier_class - 1]
        is_small = language.counts[outlier_class - 1][rows] <= _LISTED
        lists, of_small = language.lists(outlier_class, rows[is_small]), bits[is_small]
        inside = lists.keep(contains(sets.bitsets[lists.targets], of_small[lists.sources()]))
        located = self._ring.by_list.take(inside.targets)
        owners = inside.sources()[located.sources()]
        in_order = self._ring.in_order(owners, located.targets, self._begins[of_small])
        edges = pairwise(np.searchsorted(owners, np.arange(len(of_small) + 1)).tolist())
        nodes = language.index.ancestors.row_to_node[rows].tolist()
        for row, node, bit, is_listed in zip(rows, nodes, bits.tolist(), is_small.tolist(), strict=True):
            if is_listed:
                begin, end = next(edges)
                yield node, in_order[begin:end]
            else:
                yield node, self._walk(language.lists(outlier_class, np.array([row])).targets, sets, bit)

    def _walk(self, lists: Ints, sets: BitPlanes, bit: int) -> Iterator[int]:
        """The locations of items on ``lists`` in the order in which a walk through the set of class ``bit`` meets them.

        ``sets`` has a bitset for each list of the pool, its classes as bits. _LOOK locations are looked at together
        because arrays cost less than single ones.
        """
        on_list = np.zeros(len(sets.bitsets), dtype=bool)
        on_list[lists] = True
        walk = self._ring.walk(sets, bit, self._starts[bit])
        while met := list(islice(walk, _LOOK)):
            locations = np.array(met)
            yield from locations[on_list[self._ring.lists[locations]]].tolist()

    def sample(
        self, outlier_class: int, bits: Ints, classes: int, items: int, of_class: int
    ) -> tuple[Int64s, list[int], CsrRows]:
        """For each bit the first classes on the ring that bring enough, and the locations of some of their items.

        At most ``classes`` are asked, until they may bring ``items`` in all. Each gives about ``of_class`` items,
        spread over all that it brings. Returns edges, classes (nodes) and rows of locations: bit i has the classes from
        ``edges[i]`` to ``edges[i + 1]``, and row j has the locations of class j, in the order of the ring from the
        bit's own class on.
        """
        language, sets = self._language, self._sets[outlier_class - 1]
        drawing = self._drawing_from(outlier_class, self.per_class)
        locations_of_bits = self._classes.first_locations(drawing, bits, self._starts[bits], classes)
        owners = np.repeat(np.arange(len(bits)), [len(locations) for locations in locations_of_bits])
        rows = self._classes.rows[np.fromiter(chain.from_iterable(locations_of_bits), dtype=np.int64)]
        before = offsets_of(np.minimum(language.counts[outlier_class - 1][rows], of_class))
        is_asked = before[:-1] - before[np.searchsorted(owners, owners)] < items
        owners, rows = owners[is_asked], rows[is_asked]
        # Lists are read in portions, for which it is enough to know how many a class has, and not which.
        if outlier_class < FAR:
            offsets, components = language.index.via.at_or_below.offsets, language.index.ancestors.component[rows]
            list_counts = offsets[components + 1] - offsets[components]
        else:
            list_counts = language.lists(outlier_class, rows).counts()
        portion_of = offsets_of(list_counts)[:-1] // _LISTS
        parts = []
        for portion in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(portion_of)) + 1):
            owner_bits, lists = bits[owners[portion]], language.lists(outlier_class, rows[portion])
            inside = lists.keep(contains(sets.bitsets[lists.targets], owner_bits[lists.sources()]))
            parts.append(self._ring.spread(inside, self._starts[owner_bits], of_class))
        locations = CsrRows.join(parts)
        brings_enough = locations.counts() >= self.per_class
        locations = locations.take(np.flatnonzero(brings_enough))
        owners, rows = owners[brings_enough], rows[brings_enough]
        in_order = self._ring.in_order(locations.sources(), locations.targets, self._begins[bits[owners]])
        edges = np.searchsorted(owners, np.arange(len(bits) + 1))
        nodes: list[int] = language.index.ancestors.row_to_node[rows].tolist()
        return edges, nodes, CsrRows(locations.offsets, in_order)


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


class _Items:
    """The items of one outlier class by location, on a ring or in a list; ``rows`` are those of ``walked_language``.

    Of many items few are looked at, so each is read alone, and from buffers: they give one value faster than arrays do.
    """

    def __init__(self, outlier_class: int, rows: Ints, lists: Ints, languages: Mapping[str, LanguageInputs]) -> None:
        """From the row and the list of classes (its number in the pool) of the item at each location."""
        self._outlier_class, self._rows, self._languages = outlier_class, rows, languages
        self._walked = walked_language(languages)
        self._row_of, self._list_of = rows.data, lists.data
        self._buffers = {
            code: [each.data for each in (own.items, own.numbers, own.offsets, own.text, own.sitelinks, own.totals)]
            for code, own in ((code, one.surfaces) for code, one in languages.items())
        }

    def at(self, location: int, via: int | None) -> Named:
        """The item at a location, with the class via which it comes."""
        named, first = {}, self._row_of[location]
        for code, (items, numbers, offsets, text, sitelinks, totals) in self._buffers.items():
            row = first if code == self._walked else bisect_left(items, self._buffers[self._walked][0][first])
            surface = str(text[offsets[row] : offsets[row + 1]], "utf-8")
            known = numbers[row], surface, sitelinks[row], totals[row]
            named[code] = PoolItem(self._outlier_class, self._list_of[location], via, row, *known)
        return named

    def columns(self, locations: Ints) -> dict[str, Int32s]:
        """For each language what places compare, such as lengths and sitelinks, of the items at some locations.

        Every language must have a surface form for each of the items. One row a measure, one column an item.
        """
        walked = self._rows[locations]
        items = self._languages[self._walked].surfaces.items[walked]
        columns = {}
        for code, own in self._languages.items():
            assert own.forms is not None
            rows = walked if code == self._walked else np.searchsorted(own.surfaces.items, items)
            columns[code] = columns_of(own.surfaces, own.forms, rows)
        return columns


# To fill a place: the first classes on the ring are asked, at most _CLASSES, until they have _ITEMS items together; of
# each about _OF_CLASS are read.
_CLASSES: Final = 64
_ITEMS: Final = 512
_OF_CLASS: Final = 64
# Items are tied to a few members in a million ways, as to countries: so many are looked at.
_MOST_RELATED: Final = 4096
# Most classes whose items are listed before anybody asks for those of the first of them.
_MOST_AHEAD: Final = 16


class OutlierPool:
    """What up to 64 classes (nodes) can draw from: class i has bit i in each of the outlier sets."""

    def __init__(self, inputs: GroupInputs, draws: Draws, nodes: Ints, found: ClassOutliers) -> None:
        self._inputs, self._draws, self.found = inputs, draws, found
        self._starts = hash_keys(inputs.recipe.seed, inputs.graph.nodes[nodes], "class")

    def of(
        self,
        languages: Sequence[str],
        bits: Sequence[int],
        places: Sequence[Places] | None = None,
        numbers: Sequence[int] = DRAWN,
    ) -> list[dict[int, ItemsByClass]]:
        """What is brought into O1, O2 and O3, or some of them, of some classes; each item in all of the languages.

        The walk is along the ring of the items that all of the languages name. ``places`` are those of the outliers of
        each class.
        """
        by_code = {language: self._inputs.languages[language] for language in languages}
        draw, options = self._draws.of(frozenset(languages)), self._inputs.recipe.outliers
        sets = list(map(BitPlanes, self.found.sets))
        by_class = ClassDraw(draw, sets, self.found.via, self._starts, options.per_class)
        asked, brought = np.array(bits, dtype=np.int64), list[Iterable[ItemsByClass]]()
        for number in numbers:
            items = _Items(number, draw.ring.rows, draw.ring.lists, by_code)
            walks = _Walks(items, draw.ring, sets[number - 1], asked, self._starts[asked])
            draw_from = options.draw_o3 if number == FAR else options.draw
            classes = _Classes(items, by_class, number, asked) if draw_from == "class" else None
            if places is not None:
                wanted = [[one.of(number, at) for at in range(options.per_class)] for one in places]
                full: Iterable[Iterable[Source]] = classes.nearest(wanted) if classes else repeat(())
                whole = map(walks.near, bits, self._starts[asked], wanted)
                brought.append(map(ItemsByClass, full, whole))
            else:
                brought.append(classes.in_order() if classes else walks.in_order(options.per_class))
        return [dict(zip(numbers, sources, strict=True)) for sources in zip(*brought, strict=True)]

    def related(
        self, bit: int, clusters: Mapping[str, Sequence[Member]], kin: Bitsets, places: Places | None
    ) -> ItemsByClass:
        """The items of another kind that statements tie to members in each language: most members first.

        Then come those with most sitelinks. Without ``places`` they are one source; with places the first has the items
        that are tied to most members, the next also those tied to one member fewer, and so on, so that of two items
        that take a place the one with more ties does. ``kin`` has the classes for which lists are barred.
        """
        assert self._inputs.ties is not None
        assert self.found.other_kind is not None
        by_code = {code: self._inputs.languages[code] for code in clusters}
        related = self._inputs.recipe.outliers.related
        # Items that are tied to a member in every language, one of their ties, and to how many members in all.
        tied, ties = list[tuple[Ints, Ints, Ints]](), self._inputs.ties
        for cluster in clusters.values():
            ranges = ties.rows(item_indices(self._inputs.graph, [member.id for member in cluster]))
            # Several ties of a member to one item, which are side by side, count as one.
            of_members = [own.start + np.flatnonzero(differs_from_previous(ties.items[own])) for own in ranges]
            once = np.concatenate(of_members)
            items_of_cluster, first, members = np.unique(ties.items[once], return_index=True, return_counts=True)
            tied.append((items_of_cluster, once[first], members))
        items, at, counts = tied[0]
        for others, _, more in tied[1:]:
            indices, known = indices_of(items, others)
            items, at, counts = items[known], at[known], counts[known] + more[indices[known]]
        lists = ties.lists[at]
        able = contains((self.found.other_kind & ~kin)[lists], np.uint64(bit))
        for own in by_code.values():
            able &= indices_of(items, own.surfaces.items)[1]
        items, lists, counts = items[able], lists[able], counts[able]
        order = np.lexsort((items, -self._inputs.graph.sitelinks[items], -counts))[:_MOST_RELATED]
        walked = by_code[walked_language(by_code)].surfaces.items
        every, rows = np.arange(len(order)), np.searchsorted(walked, items[order])
        found = _Items(RELATED, rows, lists[order], by_code)
        if places is None:
            return ItemsByClass((), [Source(found.at, None, every)])
        costs = _costs([places.of(RELATED, number) for number in range(related)], found.columns(every))
        # Where the items with as many ties end, and what the nearest of the items before that cost.
        ends = [*(np.flatnonzero(np.diff(counts[order])) + 1).tolist(), len(order)]
        least = [int(costs[:, :end].min(axis=1, initial=BARRED).sum()) for end in ends]
        sources = [
            Source(found.at, None, every[:end], every[:end], costs[:, :end], cost)
            for end, cost in zip(ends, least, strict=True)
        ]
        full = [one for one, end in zip(sources, ends, strict=True) if end >= related]
        return ItemsByClass(sorted(full, key=lambda one: max(one.least, MISSED - 1)), sources[-1:])

    def near(
        self, bit: int, languages: Sequence[str], lists: Ints, sizes: Int64s, places: Places | None
    ) -> ItemsByClass:
        """The items on some lists, those first that share the smallest kind with members, then as on the ring.

        ``sizes`` says for each list how large that kind is. Only the first ``_ITEMS`` are compared with places.
        """
        draw, wanted = self._draws.of(frozenset(languages)), self._inputs.recipe.outliers.near
        located = draw.ring.by_list.take(lists)
        sizes, locations = sizes[located.sources()], located.targets
        order = np.lexsort((draw.ring.keys[locations] - self._starts[bit], sizes))
        by_code = {language: self._inputs.languages[language] for language in languages}
        items = _Items(NEAR, draw.ring.rows, draw.ring.lists, by_code)
        every = locations[order]
        if places is None:
            return ItemsByClass((), [Source(items.at, None, every)])
        first = every[:_ITEMS]
        costs = _costs([places.of(NEAR, number) for number in range(wanted)], items.columns(first))
        return ItemsByClass((), [Source(items.at, None, every, first, costs)])


@dataclass(frozen=True, slots=True)
class _Walks:
    """All items of one outlier set in the order of the ring, for each of the asking classes."""

    items: _Items
    ring: HashRing
    sets: BitPlanes
    bits: Ints
    starts: Bitsets

    def in_order(self, ahead: int) -> Iterator[ItemsByClass]:
        """The first few, ``ahead``, are found for all classes at once."""
        first = self.ring.first_locations(self.sets, self.bits, self.starts, ahead)
        for known, bit, start in zip(first, self.bits.tolist(), self.starts, strict=True):
            more = islice(self.ring.walk(self.sets, bit, start), ahead, None) if len(known) == ahead else ()
            yield ItemsByClass((), [Source(self.items.at, None, chain(known, more))])

    def near(self, bit: int, start: np.uint64, places: Sequence[Mapping[str, Place]]) -> Iterator[Source]:
        """The whole set of a class, of which the first are near."""
        near = np.fromiter(islice(self.ring.walk(self.sets, bit, start), _ITEMS), dtype=np.int64)
        costs = _costs(places, self.items.columns(near))
        yield Source(self.items.at, None, self.ring.walk(self.sets, bit, start), near, costs)


@dataclass(frozen=True, slots=True)
class _Classes:
    """The classes that bring items into one outlier set, for each of the asking classes."""

    items: _Items
    draw: ClassDraw
    outlier_class: int
    bits: Ints

    def in_order(self) -> Iterator[ItemsByClass]:
        """Class by class as on the ring; the first that may bring enough is listed for all at once."""
        rows = self.draw.first_rows(self.outlier_class, self.bits)
        there = rows >= 0
        brought = self.draw.brought(self.outlier_class, rows[there], self.bits[there])
        first = (Source(self.items.at, node, locations) for node, locations in brought)
        for bit, is_there in zip(self.bits.tolist(), there.tolist(), strict=True):
            later = self._sources(islice(self.draw.rows(self.outlier_class, bit, self.draw.per_class), 1, None), bit)
            full = chain([next(first)], later) if is_there else ()
            yield ItemsByClass(full, self._sources(self.draw.rows(self.outlier_class, bit, 1), bit))

    def _sources(self, rows: Iterator[int], bit: int) -> Iterator[Source]:
        """What the class of each row brings, one after another; each look prepares four times as many classes."""
        look = 1
        while ahead := list(islice(rows, look)):
            brought = self.draw.brought(self.outlier_class, np.array(ahead), np.full(len(ahead), bit))
            yield from (Source(self.items.at, node, locations) for node, locations in brought)
            look = min(4 * look, _MOST_AHEAD)

    def nearest(self, places: Iterable[Sequence[Mapping[str, Place]]]) -> Iterator[Iterator[Source]]:
        """For each class a sample of what the first classes on the ring bring, the nearest to its places first."""
        edges, nodes, sample = self.draw.sample(self.outlier_class, self.bits, _CLASSES, _ITEMS, _OF_CLASS)
        columns = self.items.columns(sample.targets)
        for (begin, end), own in zip(pairwise(edges.tolist()), places, strict=True):
            here = slice(sample.offsets[begin], sample.offsets[end])
            part = CsrRows(sample.offsets[begin : end + 1] - here.start, sample.targets[here])
            costs = {code: each[:, here] for code, each in columns.items()}
            yield self._in_turn(nodes[begin:end], part, own, costs)

    def _in_turn(
        self,
        nodes: Sequence[int],
        sample: CsrRows,
        places: Sequence[Mapping[str, Place]],
        columns: Mapping[str, Int32s],
    ) -> Iterator[Source]:
        """The sampled classes; those that may take all places first, in the order of the ring, then the nearest."""
        if not nodes:
            return
        costs = _costs(places, columns)
        # What the nearest item of each class costs at each place, summed over the places.
        least = np.minimum.reduceat(costs, sample.offsets[:-1], axis=1).sum(axis=0)
        for row in np.argsort(np.where(least < MISSED, 0, least), kind="stable").tolist():
            own = slice(*sample.offsets[row : row + 2].tolist())
            yield Source(self.items.at, nodes[row], (), sample.targets[own], costs[:, own], int(least[row]))


def _costs(places: Sequence[Mapping[str, Place]], columns: Mapping[str, Int32s]) -> Int64s:
    """How far items are from each place in all languages, but for letter pairs, shape ``(places, n)``."""
    by_language = [costs_of([place[code] for place in places], own) for code, own in columns.items()]
    total: Int64s = np.add.reduce(by_language)
    return total


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
