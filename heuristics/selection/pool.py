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
from wikisem.heuristics.selection.outlier_choice import ItemsByClass, Named, Placed, Source
from wikisem.heuristics.selection.places import BARRED, MISSED, Int32s, Places, PoolItem, columns_of, costs_of
from wikisem.ids import qid_number
from wikisem.recipes.options import ItemOptions, Recipe
from wikisem.records import DRAWN, FAR, NEAR, RELATED, Member
from wikisem.sampling import hash_keys
from wikisem.surfaces.table import SurfaceForms, SurfaceTable
from wikisem.wikipedia.languages import LanguageProfile

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

    ``item_counts`` has for O1, O2 and O3 one number for each row of the ancestor index: for O1 and O2 the items at or
    below the row's class, for O3 its own instances.
    """

    def __init__(self, index: OutlierIndex, ring: HashRing) -> None:
        """Count for each class the items of the pool (``ring``) at or below it, and those that state it themselves."""
        self.index, self.ring = index, ring
        list_sizes, ancestors, via = ring.by_list.counts(), index.ancestors, index.via
        # Items with the same direct classes share a list, so the sizes of a class's lists are summed up, as differences
        # of running totals: for each component (a class, or all classes of a cycle), and for each class on a list.
        of_components, of_classes = (
            np.diff(offsets_of(list_sizes[lists.targets])[lists.offsets])
            for lists in (via.at_or_below, via.direct.rows)
        )
        at_or_below = of_components[ancestors.component]
        direct = np.zeros_like(at_or_below)
        direct[ancestors.node_to_row[via.direct.owners]] = of_classes
        self.item_counts = (at_or_below, at_or_below, direct)

    def lists(self, outlier_class: int, rows: Ints) -> CsrRows:
        """For each row its class's lists: for O1 and O2 of all items at or below it, for O3 of its own instances."""
        ancestors, via = self.index.ancestors, self.index.via
        if outlier_class < FAR:
            return via.at_or_below.take(ancestors.component[rows])
        return via.direct.take(ancestors.row_to_node[rows])


class ClassDraw:
    """The classes that up to 64 asking classes draw from in one language; ``per_class`` items are enough of a class."""

    def __init__(
        self, language: LanguageDraw, sets: Sequence[BitPlanes], via: Sequence[Bitsets], starts: Bitsets, per_class: int
    ) -> None:
        """Prepare walks along the rings for the asking classes, whose groups need outliers.

        Asking class i has bit i of every bitset, and its walk starts at the hash key ``starts[i]``. For each of O1, O2
        and O3, ``sets`` says of each list (items with the same direct classes) whose outliers they may be, and ``via``
        of each class (a row of the ancestor index) whose sibling or cousin it is, or far from whom.
        """
        self._language, self._sets, self._via, self.per_class = language, sets, via, per_class
        self._item_ring, self._class_ring = language.ring, language.index.via.ring
        # Where each asking class starts: as a hash key, and as an index into the ring of items.
        self._starts, self._start_locations = starts, np.searchsorted(language.ring.keys, starts)
        # What ``_drawing_from`` has found, by outlier class and least number of items.
        self._known: dict[tuple[int, int], BitPlanes] = {}

    def first_rows(self, outlier_class: int, bits: Ints) -> Int64s:
        """For each class the row of the first class on the ring that may bring enough; -1 if there is none."""
        drawing, rows = self._drawing_from(outlier_class, self.per_class), self._class_ring.rows
        found = self._class_ring.first_locations(drawing, bits, self._starts[bits], 1)
        return np.array([rows[locations[0]] if locations else -1 for locations in found], dtype=np.int64)

    def rows(self, outlier_class: int, bit: int, least: int) -> Iterator[int]:
        """The rows of all classes on the ring that may bring ``least`` items, in order."""
        walk = self._class_ring.walk(self._drawing_from(outlier_class, least), bit, self._starts[bit])
        return (int(self._class_ring.rows[location]) for location in walk)

    def _drawing_from(self, outlier_class: int, least: int) -> BitPlanes:
        """For each class of the graph, which of the up to 64 asking classes can take their outliers from its items.

        Each class is a row, as in the ancestor index. Bit i of a row is set if its class is a sibling of asking class i
        (``outlier_class`` 1), a cousin (2) or far from it (3), and has at least ``least`` items that the language
        names; a class with fewer has no bits. Results are kept, for each takes a look at all rows.
        """
        if (outlier_class, least) not in self._known:
            has_enough_items = self._language.item_counts[outlier_class - 1] >= least
            related_to = self._via[outlier_class - 1]  # one bitset a row: whose sibling, cousin or far class it is
            self._known[outlier_class, least] = BitPlanes(np.where(has_enough_items, related_to, np.uint64(0)))
        return self._known[outlier_class, least]

    def brought(self, outlier_class: int, rows: Ints, bits: Ints) -> Iterator[tuple[int, Iterable[int]]]:
        """For each class, a row of the ancestor index, its node and the items it brings to asking class ``bits[i]``.

        These are its items in the outlier set of the asking class, as locations (indices into the ring), in the order
        of a walk from the asking class's start. Those of small classes are listed for all rows at once; those of large
        ones are met on a walk.
        """
        language, sets = self._language, self._sets[outlier_class - 1]
        is_small = language.item_counts[outlier_class - 1][rows] <= _LISTED
        # The lists (items with the same classes) of small classes that are in the asking class's set, and their items.
        lists, asking_bits = language.lists(outlier_class, rows[is_small]), bits[is_small]
        lists_in_set = lists.keep(contains(sets.bitsets[lists.targets], asking_bits[lists.sources()]))
        located = self._item_ring.by_list.take(lists_in_set.targets)
        owners = lists_in_set.sources()[located.sources()]
        in_order = self._item_ring.in_order(owners, located.targets, self._start_locations[asking_bits])
        borders = pairwise(np.searchsorted(owners, np.arange(len(asking_bits) + 1)).tolist())
        nodes = language.index.ancestors.row_to_node[rows].tolist()
        for row, node, bit, is_listed in zip(rows, nodes, bits.tolist(), is_small.tolist(), strict=True):
            if is_listed:
                begin, end = next(borders)
                yield node, in_order[begin:end]
            else:
                yield node, self._walk(language.lists(outlier_class, np.array([row])).targets, sets, bit)

    def _walk(self, lists: Ints, sets: BitPlanes, bit: int) -> Iterator[int]:
        """The locations (indices on the ring) of the items of one class in the outlier set of asking class ``bit``.

        They come in the order in which a walk from the asking class's start meets them. Items with the same classes
        are on one list: ``lists`` are those of the class, and ``sets`` says for each list in which outlier sets it is.
        """
        is_of_class = np.zeros(len(sets.bitsets), dtype=bool)
        is_of_class[lists] = True
        walk = self._item_ring.walk(sets, bit, self._starts[bit])
        # Many locations are looked at together, because one call for an array costs less than one for each of them.
        while met := list(islice(walk, _LOOK)):
            locations = np.array(met)
            yield from locations[is_of_class[self._item_ring.lists[locations]]].tolist()

    def sample(
        self, outlier_class: int, bits: Ints, classes: int, items: int, of_class: int
    ) -> tuple[Int64s, list[int], CsrRows]:
        """For each asking class (a bit) the first classes on the ring that bring enough, and some of their items.

        At most ``classes`` are asked, until they may bring ``items`` in all. Each gives about ``of_class`` items,
        spread over all that it brings. Returns ``borders``, ``nodes`` and ``locations``: ``bits[i]`` has the classes
        ``nodes[borders[i]:borders[i + 1]]``, and row j of ``locations`` has the items of ``nodes[j]`` as indices into
        the ring, in the order of a walk from the asking class's start.
        """
        language, sets = self._language, self._sets[outlier_class - 1]
        # Which classes are asked, those of one bit after those of another: ``bits[owners[j]]`` asks the class of row
        # ``rows[j]`` of the ancestor index, unless the classes before it have enough items.
        drawing = self._drawing_from(outlier_class, self.per_class)
        locations_of_bits = self._class_ring.first_locations(drawing, bits, self._starts[bits], classes)
        owners = np.repeat(np.arange(len(bits)), [len(locations) for locations in locations_of_bits])
        rows = self._class_ring.rows[np.fromiter(chain.from_iterable(locations_of_bits), dtype=np.int64)]
        items_before = offsets_of(np.minimum(language.item_counts[outlier_class - 1][rows], of_class))
        is_asked = items_before[:-1] - items_before[np.searchsorted(owners, owners)] < items
        owners, rows = owners[is_asked], rows[is_asked]
        # Sample their items. The lists of these (items with the same classes share one) are read in portions of about
        # _LISTS, which bounds memory; to divide the classes it is enough to know how many lists each has.
        if outlier_class < FAR:
            offsets, components = language.index.via.at_or_below.offsets, language.index.ancestors.component[rows]
            list_counts = offsets[components + 1] - offsets[components]
        else:
            list_counts = language.lists(outlier_class, rows).counts()
        portion_of = offsets_of(list_counts)[:-1] // _LISTS
        parts = []
        for portion in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(portion_of)) + 1):
            asking_bits, lists = bits[owners[portion]], language.lists(outlier_class, rows[portion])
            lists_in_set = lists.keep(contains(sets.bitsets[lists.targets], asking_bits[lists.sources()]))
            parts.append(self._item_ring.spread(lists_in_set, self._starts[asking_bits], of_class))
        locations = CsrRows.join(parts)
        # Only now is it known how many of its items a class brings: drop those with too few.
        brings_enough = locations.counts() >= self.per_class
        locations = locations.take(np.flatnonzero(brings_enough))
        owners, rows = owners[brings_enough], rows[brings_enough]
        start_locations = self._start_locations[bits[owners]]
        in_order = self._item_ring.in_order(locations.sources(), locations.targets, start_locations)
        borders = np.searchsorted(owners, np.arange(len(bits) + 1))
        nodes: list[int] = language.index.ancestors.row_to_node[rows].tolist()
        return borders, nodes, CsrRows(locations.offsets, in_order)


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
    """What all classes have in common: the graph, the languages by code, the recipe, and what its rules ask for."""

    graph: ClassGraph
    languages: Mapping[str, LanguageInputs]
    recipe: Recipe
    signatures: Signatures | None = None
    ties: Ties | None = None


def item_indices(graph: ClassGraph, qids: Sequence[str]) -> Int64s:
    """The indices in the graph of items that it has."""
    return indices_of(np.array([qid_number(qid) for qid in qids], dtype=np.int64), graph.items)[0]


# Rings of combinations that are kept, besides those of languages: all of them in five languages, beyond that the most
# recent ones.
_KEPT: Final = 32


class Draws:
    """The rings of languages and of their combinations; rows of a combined ring are those of ``walked_language``.

    Parallel groups need items that every language of a class names, and most are named in few: a walk along the ring of
    one would pass many for each of these. So they are found once for each combination of languages.
    """

    def __init__(self, index: OutlierIndex, languages: Mapping[str, LanguageInputs]) -> None:
        self._index, self._languages = index, languages
        self.of = lru_cache(maxsize=len(languages) + _KEPT)(self._find)

    def _find(self, languages: frozenset[str]) -> LanguageDraw:
        """The draw from the items with a surface form in all of some languages: on the smallest ring, if several."""
        others = {code: self._languages[code] for code in languages}
        smallest = others.pop(walked_language(others))
        ring = smallest.ring
        if others:
            items = smallest.surfaces.items[ring.rows]
            named = [indices_of(items, other.surfaces.items)[1] for other in others.values()]
            ring = ring.keep(np.logical_and.reduce(named))
        return LanguageDraw(self._index, ring)


def walked_language(languages: Mapping[str, LanguageInputs]) -> str:
    """The language whose ring is walked for several: that with the smallest pool, ties by code."""
    return min(languages, key=lambda language: (len(languages[language].ring.keys), language))


class _Items:
    """The items of one outlier class by location, on a ring or in a list, under their names in some languages."""

    def __init__(self, outlier_class: int, rows: Ints, lists: Ints, languages: Mapping[str, LanguageInputs]) -> None:
        """Say where items are: ``rows[i]`` is the row of the item at location i, an index into a ring or an array.

        Rows are those of the table of surface forms of the *walked* language, whose ring it is. ``lists[i]`` is the
        number of the item's list of direct classes.
        """
        self._outlier_class, self._rows, self._languages = outlier_class, rows, languages
        self._walked = walked_language(languages)
        tables = {code: inputs.surfaces for code, inputs in languages.items()}
        # Buffers (memoryviews) of the arrays give single values faster than arrays do: a few of many items are read.
        self._row_of, self._list_of, self._walked_items = rows.data, lists.data, tables[self._walked].items.data
        self._buffers = {
            code: [each.data for each in (own.items, own.numbers, own.offsets, own.text, own.sitelinks, own.totals)]
            for code, own in tables.items()
        }

    def at(self, location: int, via: int | None) -> Named:
        """The item at a location, by language; ``via`` is the class (node) that brings it in, if that is known."""
        by_language, walked_row = {}, self._row_of[location]
        item = self._walked_items[walked_row]
        for code, (items, numbers, offsets, text, sitelinks, totals) in self._buffers.items():
            # The columns of a table of surface forms, whose rows ascend by item (its index in the class graph).
            row = walked_row if code == self._walked else bisect_left(items, item)
            surface = str(text[offsets[row] : offsets[row + 1]], "utf-8")
            known = numbers[row], surface, sitelinks[row], totals[row]
            by_language[code] = PoolItem(self._outlier_class, self._list_of[location], via, row, *known)
        return by_language

    def columns(self, locations: Ints) -> dict[str, Int32s]:
        """The values of the items at some locations that outliers are compared by, such as length and sitelinks.

        By language, shape ``(8, n)``: one row a measure. Every language must have a surface form for each of the items.
        """
        walked_rows = self._rows[locations]  # in the table of the language whose ring is walked
        items = self._languages[self._walked].surfaces.items[walked_rows]
        columns = {}
        for code, own in self._languages.items():
            assert own.forms is not None
            rows = walked_rows if code == self._walked else np.searchsorted(own.surfaces.items, items)
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
        """What each of some classes (bits) may draw from its outlier sets, by the number of the set (1 for O1).

        Items with a surface form in all ``languages`` are on a *ring*, in the order of their hashes, which each class
        walks from a start of its own, only as far as they are read. If the recipe draws from single classes, those that
        bring enough items are ``full``; ``every`` has all items of the set. If the recipe asks for it, ``places`` has
        for each class what its outliers are to be like; then the items that come nearest are first.
        """
        by_code = {language: self._inputs.languages[language] for language in languages}
        draw, options = self._draws.of(frozenset(languages)), self._inputs.recipe.outliers
        sets = list(map(BitPlanes, self.found.sets))
        class_draw = ClassDraw(draw, sets, self.found.via, self._starts, options.per_class)
        asking, by_number = np.array(bits, dtype=np.int64), list[Iterable[ItemsByClass]]()
        for number in numbers:
            items = _Items(number, draw.ring.rows, draw.ring.lists, by_code)
            whole_set = _Walks(items, draw.ring, sets[number - 1], asking, self._starts[asking])
            draw_from = options.draw_o3 if number == FAR else options.draw
            classes = _Classes(items, class_draw, number, asking) if draw_from == "class" else None
            if places is not None:
                wanted = [[one.of(number, index) for index in range(options.per_class)] for one in places]
                full: Iterable[Iterable[Source]] = classes.nearest(wanted) if classes else repeat(())
                every = map(whole_set.near, bits, self._starts[asking], wanted)
                by_number.append(map(ItemsByClass, full, every))
            else:
                by_number.append(classes.in_order() if classes else whole_set.in_order(options.per_class))
        return [dict(zip(numbers, of_class, strict=True)) for of_class in zip(*by_number, strict=True)]

    def related(
        self, bit: int, clusters: Mapping[str, Sequence[Member]], kin: Bitsets, places: Places | None
    ) -> ItemsByClass:
        """The items a class (bit) may draw as related outliers: of another kind, but tied to members by statements.

        Those tied to most members come first, then those with most sitelinks. Without ``places`` they are one source.
        With places the first source has the items tied to most members, the next also those tied to one fewer, and so
        on: of two items that take a place, the one with more ties does. ``kin`` says for which classes a list is out.
        """
        assert self._inputs.ties is not None
        assert self.found.other_kind is not None
        by_code = {code: self._inputs.languages[code] for code in clusters}
        wanted = self._inputs.recipe.outliers.related
        # For each language the items that are tied to members, the index of one tie of each, and to how many members.
        tied, ties = list[tuple[Ints, Ints, Ints]](), self._inputs.ties
        for cluster in clusters.values():
            ranges = ties.rows(item_indices(self._inputs.graph, [member.id for member in cluster]))
            # Several ties of a member to one item, which are side by side, count as one.
            of_members = [own.start + np.flatnonzero(differs_from_previous(ties.items[own])) for own in ranges]
            one_each = np.concatenate(of_members)
            items_of_cluster, first, members = np.unique(ties.items[one_each], return_index=True, return_counts=True)
            tied.append((items_of_cluster, one_each[first], members))
        # Those that are tied to a member in every language, and to how many in all.
        items, tie_of_item, counts = tied[0]
        for others, _, counts_there in tied[1:]:
            indices, known = indices_of(items, others)
            items, tie_of_item, counts = items[known], tie_of_item[known], counts[known] + counts_there[indices[known]]
        # Of these, the ones that may be outliers of the class and have a surface form in every language.
        lists = ties.lists[tie_of_item]
        may_be_drawn = contains((self.found.other_kind & ~kin)[lists], np.uint64(bit))
        for own in by_code.values():
            may_be_drawn &= indices_of(items, own.surfaces.items)[1]
        items, lists, counts = items[may_be_drawn], lists[may_be_drawn], counts[may_be_drawn]
        order = np.lexsort((items, -self._inputs.graph.sitelinks[items], -counts))[:_MOST_RELATED]
        walked_items = by_code[walked_language(by_code)].surfaces.items
        every, rows = np.arange(len(order)), np.searchsorted(walked_items, items[order])
        found = _Items(RELATED, rows, lists[order], by_code)
        if places is None:
            return ItemsByClass((), [Source(found.at, None, every)])
        # One source for each number of ties: all items with that many or more, with how far they are from places.
        costs = _costs([places.of(RELATED, number) for number in range(wanted)], found.columns(every))
        ends = [*(np.flatnonzero(np.diff(counts[order])) + 1).tolist(), len(order)]
        least_costs = [int(costs[:, :end].min(axis=1, initial=BARRED).sum()) for end in ends]
        sources = [
            Source(found.at, None, every[:end], near=every[:end], costs=costs[:, :end], least=least)
            for end, least in zip(ends, least_costs, strict=True)
        ]
        # Those that may take all places keep their order, most ties first; the others follow by their distance.
        full = [one for one, end in zip(sources, ends, strict=True) if end >= wanted]
        return ItemsByClass(sorted(full, key=lambda one: max(one.least, MISSED - 1)), sources[-1:])

    def near(
        self, bit: int, languages: Sequence[str], lists: Ints, kind_sizes: Int64s, places: Places | None
    ) -> ItemsByClass:
        """The items that a class (bit) may draw as near outliers, which share a *kind*, a class above, with members.

        They are on ``lists``, each of which has items with the same classes; ``kind_sizes`` has the number of instances
        of each list's kind. Those of the smallest kind come first, of these the first on a walk along the ring.
        """
        draw, wanted = self._draws.of(frozenset(languages)), self._inputs.recipe.outliers.near
        located = draw.ring.by_list.take(lists)
        locations, size_of_kind = located.targets, kind_sizes[located.sources()]
        # Keys are unsigned, so those before the start wrap around and come last.
        order = np.lexsort((draw.ring.keys[locations] - self._starts[bit], size_of_kind))
        by_code = {language: self._inputs.languages[language] for language in languages}
        items = _Items(NEAR, draw.ring.rows, draw.ring.lists, by_code)
        every = locations[order]
        if places is None:
            return ItemsByClass((), [Source(items.at, None, every)])
        compared = every[:_ITEMS]
        costs = _costs([places.of(NEAR, number) for number in range(wanted)], items.columns(compared))
        return ItemsByClass((), [Source(items.at, None, every, near=compared, costs=costs)])


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

    def near(self, bit: int, start: np.uint64, places: Sequence[Placed]) -> Iterator[Source]:
        """The whole set of a class, whose first ``_ITEMS`` items are compared with places."""
        compared = np.fromiter(islice(self.ring.walk(self.sets, bit, start), _ITEMS), dtype=np.int64)
        costs = _costs(places, self.items.columns(compared))
        yield Source(self.items.at, None, self.ring.walk(self.sets, bit, start), near=compared, costs=costs)


@dataclass(frozen=True, slots=True)
class _Classes:
    """The classes that bring items into one outlier set, for each of the asking classes."""

    items: _Items
    draw: ClassDraw
    outlier_class: int
    bits: Ints

    def in_order(self) -> Iterator[ItemsByClass]:
        """For each asking class (bit) the classes on the ring that bring it items, each as the source of these items.

        Those that may bring ``per_class`` items are ``full``, and all are ``every``; both are found as far as read.
        """
        # The first class with enough is looked up for all asking classes at once, which is faster than one by one.
        first_rows = self.draw.first_rows(self.outlier_class, self.bits)
        has_first = first_rows >= 0
        brought = self.draw.brought(self.outlier_class, first_rows[has_first], self.bits[has_first])
        first_sources = (Source(self.items.at, node, locations) for node, locations in brought)
        for bit, is_any in zip(self.bits.tolist(), has_first.tolist(), strict=True):
            later = self._sources(islice(self.draw.rows(self.outlier_class, bit, self.draw.per_class), 1, None), bit)
            full = chain([next(first_sources)], later) if is_any else ()
            yield ItemsByClass(full, every=self._sources(self.draw.rows(self.outlier_class, bit, 1), bit))

    def _sources(self, rows: Iterator[int], bit: int) -> Iterator[Source]:
        """What the class of each row brings, one after another; each look prepares four times as many classes."""
        look = 1
        while ahead := list(islice(rows, look)):
            brought = self.draw.brought(self.outlier_class, np.array(ahead), np.full(len(ahead), bit))
            yield from (Source(self.items.at, node, locations) for node, locations in brought)
            look = min(4 * look, _MOST_AHEAD)

    def nearest(self, places: Iterable[Sequence[Placed]]) -> Iterator[list[Source]]:
        """For each asking class and its ``places`` the first classes on the ring, each as the source of a few items.

        Those that may take all places come first, in the order of the ring, then those whose items come nearest.
        """
        class_borders, nodes, sample = self.draw.sample(self.outlier_class, self.bits, _CLASSES, _ITEMS, _OF_CLASS)
        columns = self.items.columns(sample.targets)  # for all asking classes at once, then cut
        for (first, end), own_places in zip(pairwise(class_borders.tolist()), places, strict=True):
            if first == end:
                yield []
                continue
            item_borders = sample.offsets[first : end + 1]
            begin, stop = item_borders[[0, -1]].tolist()
            costs = _costs(own_places, {code: measures[:, begin:stop] for code, measures in columns.items()})
            # What the nearest item of each class costs at each place, summed over the places.
            least = np.minimum.reduceat(costs, item_borders[:-1] - begin, axis=1).sum(axis=0)
            sources = []
            for node, (low, high), cost in zip(nodes[first:end], pairwise(item_borders.tolist()), least, strict=True):
                near, own_costs = sample.targets[low:high], costs[:, low - begin : high - begin]
                sources.append(Source(self.items.at, node, (), near=near, costs=own_costs, least=int(cost)))
            yield sorted(sources, key=lambda one: max(one.least, MISSED - 1))


def _costs(places: Sequence[Placed], columns: Mapping[str, Int32s]) -> Int64s:
    """How far items are from each place in all languages, but for letter pairs, shape ``(places, n)``."""
    by_language = [costs_of([place[code] for place in places], own) for code, own in columns.items()]
    total: Int64s = np.add.reduce(by_language)
    return total


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
