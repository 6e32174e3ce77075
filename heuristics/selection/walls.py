"""Walls: sixteen words in four hidden groups of four, and only one division of them into groups that fits.

Four classes and four words of each are drawn by the seed. A word fits its own class, and any other that the graph or
the second witness gives it (``wall_fits``). Say that two words of *city* (c) fit *port* (p) as well, and one word of
*port* fits *film* (f):

    words      c c c c  p p p p  f f f f  s s s s
    fits too   p p      f

Only four words fit *city*, so that row is settled. Of the others only four fit *port*, and so on. If each class can be
settled once those before it are, there is no second solution. If not, there is one: words could go round in a circle,
each to a class that it fits, and every row would still have four.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import chain, combinations, permutations, zip_longest
from operator import and_, or_
from typing import Final, Literal, NamedTuple

import numpy as np

from wikisem.heuristics.rules.affix import affix_of
from wikisem.heuristics.rules.wording import check_contained, check_own_label, says_something, words
from wikisem.heuristics.selection.kept_groups import EarlierClusters
from wikisem.heuristics.selection.wall_fits import TEMPTING, Masks, WallClass, WallFits
from wikisem.ids import qid_number
from wikisem.recipes.options import Recipe
from wikisem.records import LEAST_HERRINGS, SIDE, TIERS, Counts, Herring, Member, Tier, Wall, WallGroup
from wikisem.sampling import hash_key, hash_keys
from wikisem.surfaces.table import shape_of
from wikisem.wikipedia.graphemes import graphemes
from wikisem.wikipedia.languages import LanguageProfile

SIZE: Final = SIDE * SIDE


def solving_order(fits: Sequence[Collection[int]], own: Sequence[int]) -> list[int]:
    """The groups in an order in which each has no more words that fit it than its own, once those before are settled.

    ``fits`` has for each word the other groups that it fits, ``own`` its group. Empty if there is no such order: then
    words can change places, each to a group that it fits, which is a second solution.

    >>> solving_order([[], [1], [], []], own=[0, 0, 1, 1]), solving_order([[], [1], [], [0]], own=[0, 0, 1, 1])
    ([0, 1], [])
    """
    left = sorted(set(own))
    order: list[int] = []
    while left:
        open_words = [(fit, group) for fit, group in zip(fits, own, strict=True) if group in left]
        # A group that no word of another open group fits can only have its own words.
        fit_by_others = {one for fit, group in open_words for one in fit if one != group}
        settled = next((one for one in left if one not in fit_by_others), None)
        if settled is None:
            return []
        order.append(settled)
        left.remove(settled)
    return order


def find_giveaway(rows: Sequence[Sequence[str]], labels: Sequence[str], profile: LanguageProfile) -> str:
    """Why the surface forms of a wall give a row (four of one class) away, as the reason of a rule; empty if none does.

    "own-label": a word of a class's label is in one of them. "contained": one is inside another. "affix": words of one
    row share a word, or begin or end alike, and no word of the others does. "form": all words of one row are longer or
    shorter than all others, or have more or fewer blanks, or digits and punctuation.
    """
    every = list(chain.from_iterable(rows))
    if not all(check_own_label(every, label, profile, 1).keep for label in labels):
        return "own-label"
    if not check_contained(every, profile, 1).keep:
        return "contained"
    for row in rows:
        others = [word for other in rows if other is not row for word in other]
        # Two words of a row share a mark, or three one that is a letter shorter, that no word of the others has.
        for count, shorter_by in ((2, 0), (3, 1)):
            of_row, of_others = (
                [_marks(word, profile.spaced, profile.script, shorter_by) for word in some] for some in (row, others)
            )
            elsewhere = frozenset[str]().union(*of_others)
            if any(n >= count and mark not in elsewhere for mark, n in Counter(chain.from_iterable(of_row)).items()):
                return "affix"
        # Characters, words, marks and the code of the last letter, each as the values of all words.
        own, rest = zip(*map(shape_of, row), strict=True), zip(*map(shape_of, others), strict=True)
        if any(min(mine) > max(theirs) or max(mine) < min(theirs) for mine, theirs in zip(own, rest, strict=True)):
            return "form"
    return ""


@lru_cache(maxsize=1 << 16)  # the words of a language are in several walls each
def _marks(surface: str, spaced: bool, script: str, shorter_by: int) -> frozenset[str]:
    """What words of a row must not share: whole words, and the shortest beginning (<) and end (>) that say something.

    How long these are depends on the script: four letters (graphemes) in Latin, two Han characters. Three words give a
    row away by less: theirs are ``shorter_by`` letters shorter.

    >>> [sorted(_marks("Lake Como", spaced=True, script="Latn", shorter_by=number)) for number in (0, 1)]
    [['<lake', '>como', 'como', 'lake'], ['<lak', '>omo', 'como', 'lake']]
    """
    letters = graphemes(surface.casefold())
    found = set(words(surface)) if spaced else set()
    for side, mark in (("beginning", "<"), ("end", ">")):
        for length in range(1, len(letters) + 1):
            affix = affix_of(letters, side, length) or ""
            # It is long enough if it says something once letters, whichever they are, make up for ``shorter_by``.
            if says_something((*graphemes(affix), *[letters[0]] * shorter_by), script):
                found.add(f"{mark}{affix}")
                break
    return frozenset(found)


NO_CLASSES: Final = "no-classes"
FEW_WORDS: Final = "few-words"
FEW_HERRINGS: Final = "few-herrings"
SECOND_SOLUTION: Final = "second-solution"
REPEATS: Final = "repeats"
# A wall that shares as many words with an earlier one as three rows have is dropped.
_REPEATED: Final = SIZE - SIDE
# How many words of a row that fit other classes come first; further ones only if the row has no other words.
_FIRST_HERRINGS: Final = SIDE // 2
# A wall has at most so many: with more, hardly a word is left to begin with.
_MOST_HERRINGS: Final = 5
# How many sets of classes are tried for each wall, and after how many in vain, one after another, a tier ends.
_ATTEMPTS: Final = 4
_MOST_IN_VAIN: Final = 32
# How many classes are looked at to complete a wall that begins with a class.
_LOOKS: Final = 256
# How often words are drawn from a set of classes. From the second time on, they may only fit classes that come later in
# an order by hash key: there can be no second solution.
_DRAWS: Final = 4


class Walls(NamedTuple):
    """The walls of a language, tier by tier, and for each tier how many were tried and why some were dropped."""

    walls: list[Wall]
    counts: dict[Tier, Counts]


@dataclass(frozen=True)
class _Choice:
    """Which classes may be in one wall of a tier, as bitsets: every two of a wall in ``pairs``.

    ``usable`` are the words that they may bring. With herrings, each class is ``linked`` with an earlier one, by words
    that fit or as siblings and cousins are; by words that fit (``fitting``) until there are the ``least`` of these.
    """

    usable: Masks
    herring: Masks
    pairs: list[int]
    fitting: list[int]
    linked: list[int]
    least: int

    @staticmethod
    def of_tier(tier: Tier, fits: WallFits) -> "list[_Choice]":
        """Which words of each class may come into a wall (four words of four classes) of a tier, the best choice first.

        In "far" all words are outliers of O3 to the other classes, in "sibling" of O1 or O2; in "herring" some words
        fit a second class: by the class graph, and in a second choice also by other statements (witness).
        """
        if tier == "far":
            return [_Choice.of(tier, fits, usable=fits.far, herring=fits.graph)]
        if tier == "sibling":
            # Words that could be O1 or O2 outliers of the other class, or if there are no four, outliers of any kind.
            usable = _merged(fits.near, fits.clean, lambda near, clean: near if near.bit_count() >= SIDE else clean)
            return [_Choice.of(tier, fits, usable, herring=fits.graph)]
        fitting = (fits.graph, _merged(fits.graph, fits.witness, or_))
        # Of these only words whose initial has the case of the other class's words, so that it gives nothing away.
        herrings = [_merged(words, fits.cased, and_) for words in fitting]
        return [_Choice.of(tier, fits, usable=_merged(fits.clean, words, or_), herring=words) for words in herrings]

    @staticmethod
    def of(tier: Tier, fits: WallFits, usable: Masks, herring: Masks) -> "_Choice":
        """Find which classes may meet in a wall with ``usable`` words, of which those in ``herring`` fit two classes.

        In both, ``masks[a][b]`` is a bitset of words of class b beside class a. Two classes may meet if each has four
        words beside the other. Only in tier "herring" may words of one fit the other by the class graph; tier "sibling"
        wants four words of one of them that are near the other (in its O1 or O2).
        """
        every, shape = range(len(fits.apart)), (len(fits.apart), len(fits.apart))
        # How many words of class b (column) each mask has beside class a (row), then the more of both directions.
        usable_counts, in_graph, near, herrings = (
            np.array([[mask.bit_count() for mask in row] for row in masks], dtype=np.int64).reshape(shape)
            for masks in (usable, fits.graph, fits.near, herring)
        )
        in_graph, near, herrings = (np.maximum(counts, counts.T) for counts in (in_graph, near, herrings))
        apart = [[bits >> other & 1 for other in every] for bits in fits.apart]
        may_meet = (np.minimum(usable_counts, usable_counts.T) >= SIDE) & np.array(apart, dtype=bool).reshape(shape)
        if tier != "herring":
            may_meet &= in_graph == 0
        if tier == "sibling":
            may_meet &= near >= SIDE
        # For each class a bitset of the others: those it may meet, and those with herrings, or herrings or near words.
        pairs, fitting, linked = (
            [sum(1 << other for other in np.flatnonzero(row).tolist()) for row in flags]
            for flags in (may_meet, herrings > 0, near + herrings > 0)
        )
        if tier == "herring":
            return _Choice(usable, herring, pairs, fitting, linked, least=LEAST_HERRINGS)
        return _Choice(usable, herring, pairs, fitting=pairs, linked=pairs, least=0)


def _merged(some: Masks, others: Masks, merge: Callable[[int, int], int]) -> Masks:
    return [list(map(merge, *both)) for both in zip(some, others, strict=True)]


class _OpenWords(NamedTuple):
    """Bitsets of the words of a class: those it may bring, those that fit another chosen class, and by the graph."""

    usable: int
    fitting: int
    in_graph: int


class _Row(NamedTuple):
    """A class in a wall, by its number, and the places of four of its words."""

    group: int
    places: tuple[int, ...]


class _Fitting(NamedTuple):
    """A word of a wall, by its row and its item, and by what it fits which other rows."""

    row: int
    item: str
    by: dict[int, Literal["graph", "witness"]]


def draw_walls(classes: Sequence[WallClass], fits: WallFits, profile: LanguageProfile, recipe: Recipe) -> Walls:
    """The walls of the classes of one language, ``recipe.walls.number`` in all, divided evenly among the tiers.

    The tiers take turns, since each word may be in only a few walls. If one has too few, the others get no more.
    """
    number = recipe.walls.number
    drawing = _Drawing(classes, fits, profile, recipe)
    walls: dict[Tier, list[Wall]] = {tier: [] for tier in TIERS}
    draws = [drawing.draw(tier, (number + len(TIERS) - 1 - at) // len(TIERS)) for at, tier in enumerate(TIERS)]
    for turn in zip_longest(*draws):
        for tier, wall in zip(TIERS, turn, strict=True):
            if wall is not None:
                walls[tier].append(wall)
    counts = {
        tier: Counts(len(walls[tier]) + dropped.total(), len(walls[tier]), dict(sorted(dropped.items())))
        for tier, dropped in drawing.dropped.items()
    }
    return Walls(list(chain.from_iterable(walls.values())), counts)


class _Drawing:
    """The walls of one language as they are drawn, and what each leaves to the next; ``dropped`` counts failed ones."""

    def __init__(self, classes: Sequence[WallClass], fits: WallFits, profile: LanguageProfile, recipe: Recipe) -> None:
        """A class is known by its number in ``classes``, a word by its place in its class, also its bit in bitsets."""
        self._groups, self._fits, self._profile, self._recipe = [one.group for one in classes], fits, profile, recipe
        self._words = [one.words for one in classes]
        self._qid_numbers = np.array([qid_number(group.qid) for group in self._groups], dtype=np.int64)
        # The walls so far: in how many each item is, the items of each, how many they are, and why others failed.
        self._uses: Counter[str] = Counter()
        self._earlier, self._made = EarlierClusters(), 0
        self.dropped: dict[Tier, Counter[str]] = {tier: Counter() for tier in TIERS}
        # By a class and a bitset of its words: whether four of these are unlike one another.
        self._has_four: dict[tuple[int, int], bool] = {}
        # For each class the bitset of words that may still be used, at first those without a word of its label, and for
        # each of its words the bitset of the others that share a mark with it, which would give their row away.
        self._left: list[int] = []
        self._alike: list[list[int]] = []
        # By item, the classes that it is a word of, each with its place among their words.
        self._places: dict[str, list[tuple[int, int]]] = {}
        for number, one in enumerate(classes):
            keep = [check_own_label([word.surface], one.group.label, profile, 1).keep for word in one.words]
            self._left.append(sum(1 << place for place, kept in enumerate(keep) if kept))
            marks = [_marks(word.surface, profile.spaced, profile.script, 0) for word in one.words]
            every = range(len(marks))
            self._alike.append([sum(1 << b for b in every if a != b and marks[a] & marks[b]) for a in every])
            for place, word in enumerate(one.words):
                self._places.setdefault(word.id, []).append((number, place))

    def draw(self, tier: Tier, wanted: int) -> Iterator[Wall]:
        """Up to ``wanted`` walls of a tier, one after another; ``dropped`` counts why others are not made.

        Each attempt draws four classes, then words of these up to ``_DRAWS`` times. After too many attempts without a
        wall, or without four classes, the next choice of words for the tier takes over, if it has one.
        """
        choices = _Choice.of_tier(tier, self._fits)
        # Draws of each class; classes that have not failed yet as the first of four; walls; attempts since the last.
        draws_of, firsts, kept, in_vain = Counter[int](), set(range(len(self._words))), 0, 0
        for attempt in range(_MOST_IN_VAIN + _ATTEMPTS * wanted):
            if kept == wanted:
                return
            # The key of the seed, the tier and the attempt decides which classes and words are drawn.
            key = hash_key(self._recipe.seed, len(TIERS) * attempt + TIERS.index(tier), "wall")
            chosen = self._classes(choices[0], draws_of, firsts, key)
            if not chosen or in_vain == _MOST_IN_VAIN:
                self.dropped[tier].update([] if chosen else [NO_CLASSES])
                choices, firsts, in_vain = choices[1:], set(range(len(self._words))), 0
                if not choices:
                    return
                continue
            draws_of.update(chosen)
            in_vain += 1
            for draw in range(_DRAWS):
                key = hash_key(key, draw, "wall")
                mixed = [chosen[place] for place in np.argsort(hash_keys(key, self._qid_numbers[chosen])).tolist()]
                # From the second draw on, words may fit later classes only, so that there is no second solution.
                rows = self._rows(choices[0], self._order(choices[0], mixed), key, free=not draw)
                fault = self._fault(rows, tier)
                if not fault:
                    yield self._wall(rows, tier, kept, key)
                    kept, in_vain = kept + 1, 0
                    break
                self.dropped[tier][fault] += 1

    def _classes(self, choice: _Choice, draws_of: Counter[int], firsts: set[int], key: int) -> list[int]:
        """Four classes that may be in one wall and have four words each beside the others; empty if there are none.

        Those drawn least often come first. A class that no others complete is removed from ``firsts``, the classes to
        begin with.
        """
        keys = hash_keys(key, self._qid_numbers, "class").tolist()
        order = sorted(range(len(keys)), key=lambda number: (draws_of[number], keys[number]))
        for first in order:
            if first in firsts:
                if found := self._extend(choice, order, [first], looks_left=iter(range(_LOOKS))):
                    return found
                firsts.remove(first)
        return []

    def _extend(self, choice: _Choice, order: Sequence[int], chosen: list[int], looks_left: Iterator[int]) -> list[int]:
        """The chosen classes and the first others in ``order`` that make four, each with four words beside the others.

        A depth-first search. Empty if no others do, or before ``looks_left``, which all its steps share, is used up.
        """
        if len(chosen) == SIDE:
            return chosen
        # The next class may be with each chosen one, and is linked with one of them: by words that fit both (herrings)
        # until there are enough of these.
        herrings = sum(choice.herring[one][other].bit_count() for one, other in permutations(chosen, 2))
        links = choice.fitting if herrings < choice.least else choice.linked
        may_come = reduce(and_, (choice.pairs[one] for one in chosen), reduce(or_, (links[one] for one in chosen)))
        for candidate in order:
            if not may_come >> candidate & 1:
                continue
            if next(looks_left, None) is None:
                return []
            wider = [*chosen, candidate]
            ordered = self._order(choice, wider)
            if len(ordered) == SIDE:  # four classes need herrings enough among the words that fit no earlier class
                words = [self._open(choice, each, wider, barred=ordered[:at]) for at, each in enumerate(ordered)]
                if sum((own.usable & own.fitting).bit_count() for own in words) < choice.least:
                    continue
            if ordered and (found := self._extend(choice, order, wider, looks_left)):
                return found
        return []

    def _order(self, choice: _Choice, chosen: Sequence[int]) -> list[int]:
        """The ``chosen`` classes, ordered so that each has four words that fit no earlier one; empty if no order does.

        In such an order a wall can be solved class by class. It is found from its end: any class with four words that
        fit none of the rest can be the last of them.
        """
        rest, order = list(chosen), list[int]()
        while rest:
            for last in rest:
                usable = self._open(choice, last, chosen, barred=[other for other in rest if other != last]).usable
                # Four words must also be unlike one another, which is found once for each bitset of words.
                if usable.bit_count() >= SIDE and (last, usable) not in self._has_four:
                    places = [place for place in range(len(self._words[last])) if usable >> place & 1]
                    self._has_four[last, usable] = bool(self._four_unlike(last, (), places))
                if usable.bit_count() >= SIDE and self._has_four[last, usable]:
                    order.insert(0, last)
                    rest.remove(last)
                    break
            else:
                return []
        return order

    def _open(self, choice: _Choice, number: int, chosen: Sequence[int], barred: Sequence[int] = ()) -> _OpenWords:
        """Bitsets of the words that a class (its ``number``) has beside the ``chosen`` classes.

        Those that it may bring and that fit no ``barred`` class, those that fit a chosen class, and those that do by
        the class graph. In a mask, ``mask[a][b]`` has the words of class b of which it is true beside class a.
        """
        usable, fitting, in_graph = self._left[number], 0, 0
        for other in chosen:
            if other != number:
                usable &= choice.usable[other][number]
                fitting |= choice.herring[other][number]
                in_graph |= self._fits.graph[other][number]
        for other in barred:
            usable &= ~choice.herring[other][number]
        return _OpenWords(usable, fitting, in_graph)

    def _four_unlike(self, number: int, taken: tuple[int, ...], places: Sequence[int]) -> tuple[int, ...]:
        """The ``taken`` words of a class and the first of ``places`` that make four unlike words; empty if none do.

        Words are places in the list of class ``number``; two are alike if they share a mark, such as an affix.
        """
        if any(self._alike[number][one] >> other & 1 for one, other in combinations(taken, 2)):
            return ()
        if len(taken) == SIDE:
            return taken
        tries = ((place, places[index:]) for index, place in enumerate(places, start=1))
        return next((found for place, rest in tries if (found := self._four_unlike(number, (*taken, place), rest))), ())

    def _rows(self, choice: _Choice, chosen: Sequence[int], key: int, *, free: bool) -> list[_Row]:
        """Four words of each class, with no surface form twice; if not ``free``, they only fit later classes.

        First come *herrings*, words that fit another class, then those in fewest walls; no two of a class are alike.
        """
        rows: list[_Row] = []
        surfaces_taken, herrings_left = set[str](), _MOST_HERRINGS
        for order, number in enumerate(chosen):
            # The words that may come, by their places in the class's list: those that fit by the class graph first.
            usable, fitting, in_graph = self._open(choice, number, chosen, barred=() if free else chosen[:order])
            words = self._words[number]
            surfaces = [word.surface.casefold() for word in words]
            keys = hash_keys(key, [qid_number(word.id) for word in words]).tolist()
            is_new = [surface not in surfaces_taken for surface in surfaces]
            places = [place for place in range(len(words)) if usable >> place & 1 and is_new[place]]
            places.sort(key=lambda place: (not in_graph >> place & 1, self._uses[words[place].id], keys[place]))
            herrings = [place for place in places if fitting >> place & 1][:herrings_left]
            plain = [*(place for place in places if not fitting >> place & 1), *herrings[_FIRST_HERRINGS:]]
            # As many of the first herrings as can be completed to four words that are not alike.
            counts = range(len(herrings[:_FIRST_HERRINGS]), -1, -1)
            fours = (self._four_unlike(number, tuple(herrings[:count]), plain) for count in counts)
            four = next(filter(None, fours), ())
            rows.append(_Row(number, four))
            herrings_left -= sum(fitting >> place & 1 for place in four)
            surfaces_taken.update(surfaces[place] for place in four)
        return rows

    def _fault(self, rows: Sequence[_Row], tier: Tier) -> str:
        """Why four rows, each with four words of one class, make no wall, as a reason for counts; empty if they do."""
        members = [[self._words[row.group][place] for place in row.places] for row in rows]
        every = list(chain.from_iterable(members))
        if len(every) < SIZE:
            return FEW_WORDS
        words = self._fitting(rows)
        if tier == "herring" and sum(bool(word.by) for word in words) < LEAST_HERRINGS:
            return FEW_HERRINGS
        if not solving_order([word.by for word in words], [word.row for word in words]):
            return SECOND_SOLUTION
        if max(self._earlier.shared(one.id for one in every).values(), default=0) >= _REPEATED:
            return REPEATS
        surfaces = [[one.surface for one in own] for own in members]
        return find_giveaway(surfaces, [self._groups[row.group].label for row in rows], self._profile)

    def _fitting(self, rows: Sequence[_Row]) -> list[_Fitting]:
        """All words of the rows, each with the other rows that it fits: by the graph, or its statements (witness)."""
        found: list[_Fitting] = []
        for own, row in enumerate(rows):
            for place in row.places:
                # ``graph[a][b]`` is a bitset of the words of class b that fit class a; a word has the bit of its place.
                fits_by: dict[int, Literal["graph", "witness"]] = {}
                for other, other_row in enumerate(rows):
                    if other != own and self._fits.graph[other_row.group][row.group] >> place & 1:
                        fits_by[other] = "graph"
                    elif other != own and self._fits.witness[other_row.group][row.group] >> place & 1:
                        fits_by[other] = "witness"
                found.append(_Fitting(row=own, item=self._words[row.group][place].id, by=fits_by))
        return found

    def _wall(self, rows: Sequence[_Row], tier: Tier, number: int, key: int) -> Wall:
        """The wall of four rows with this ``number`` in its tier (from 0); from here on it counts as an earlier one.

        ``key`` decides the order of its groups and of their words.
        """
        # The groups, and the four words of each, in a random order.
        keys = hash_keys(key, [self._qid_numbers[row.group] for row in rows], "class")
        rows = [rows[one] for one in np.argsort(keys).tolist()]
        members: list[list[Member]] = []
        for row in rows:
            four = [self._words[row.group][place] for place in row.places]
            order = np.argsort(hash_keys(key, [qid_number(one.id) for one in four])).tolist()
            members.append([four[place] for place in order])
        # Words that are in ``uses`` walls now are left for no more, and later walls are compared with this one.
        items = [one.id for four in members for one in four]
        self._uses.update(items)
        spent = [item for item in items if self._uses[item] >= self._recipe.walls.uses]
        for group, place in chain.from_iterable(self._places[item] for item in spent):
            self._left[group] &= ~(1 << place)
        self._earlier.add(self._made, items)
        self._made += 1
        # Where words are shown: slot s has word s % 4 of group s // 4. Four walls in a row have one pattern of slots,
        # with the groups rotated: so each place of a wall shows each of the four groups equally often.
        block = hash_key(self._recipe.seed, len(TIERS) * (number // SIDE) + TIERS.index(tier), "place")
        slots = np.argsort(hash_keys(block, np.arange(SIZE), "place")).tolist()
        language, groups = self._profile.code, [self._groups[row.group] for row in rows]
        words = self._fitting(rows)
        settled = solving_order([word.by for word in words], [word.row for word in words])
        return Wall(
            id=f"{language}-{tier}-{number + 1}",
            language=language,
            tier=tier,
            words=tuple(members[(slot // SIDE + number) % SIDE][slot % SIDE] for slot in slots),
            groups=tuple(
                WallGroup(group.qid, group.label, tuple(one.id for one in four))
                for group, four in zip(groups, members, strict=True)
            ),
            herrings=tuple(
                Herring(word.item, tuple(groups[row].qid for row in word.by), tuple(word.by.values()))
                for word in words
                if word.by
            ),
            order=tuple(groups[row].qid for row in settled),
            margin=None if self._recipe.outliers.margin is None else max(TEMPTING, self._recipe.outliers.margin),
        )
