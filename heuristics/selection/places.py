"""Places: what an outlier is like beside its cluster, drawn by the seed, so that its form and its fame say nothing.

Drawn at random, an outlier has a longer name and fewer sitelinks than the members, which are the best known of their
class: who picks the longest word is right three times as often as chance. So the seed first gives each outlier a rank
among the members, every rank as likely, and then an item is drawn that takes it: one that is longer than all as often
as any of the words would be (docs/outliers.md). Members that tie share their picks: where two are the longest, an
outlier of the last rank is longer in one case of two and ties in the other.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from wikisem.graph.csr import Int64s, Ints
from wikisem.heuristics.rules.wording import KEEP, Verdict, reject
from wikisem.ids import qid_number, qid_of
from wikisem.records import Group, Member
from wikisem.sampling import hash_key, hash_keys
from wikisem.surfaces.table import SurfaceForms, SurfaceTable, shape_of
from wikisem.wikipedia.graphemes import letter_pairs

# Values are cut off at the first, so that twice as many is more than any.
_MOST: Final = 1 << 29
_NO_END: Final = 1 << 30
_ALL_KEYS: Final = 2**64
# How far from a place: within the tolerance, outside it but among the members, or beyond all of them, which gives the
# outlier away. A place that is missed counts for more than all that are near.
NEAR: Final = 1
MISSED: Final = 1 << 20
BEYOND: Final = 1 << 21
# What each of seven values counts. An item's number follows its fame, so that without twice the weight of sitelinks
# the two together leave fewer items of the right fame.
_WEIGHTS: Final = (1, 1, 1, 2, 1, 1, 1)
# For each of three ranges of each value; 32 bits hold the sum of all exactly.
_STEPS: Final = np.kron(_WEIGHTS, [NEAR, MISSED - NEAR, BEYOND - MISSED]).astype(np.float32)
# Of an item that is no outlier at all.
BARRED: Final = 1 << 50

Int32s: TypeAlias = npt.NDArray[np.int32]
# Both ends included.
Range: TypeAlias = tuple[int, int]


class Bounds(NamedTuple):
    """The values that take a place, those within its tolerance, and beside these what members have."""

    exact: Range
    wide: Range
    whole: Range


def bounds_of(ordered: Sequence[int], rank: int, coin: int) -> Bounds:
    """Which values give an outlier a rank among n members, by their ascending values: 0 is below all, n above all.

    ``exact`` values have the rank, ``wide`` ones are near enough, and ``whole`` has those of members as well. ``coin``,
    a hash key, decides where members tie. Beside words of 4, 5, 5 and 7 letters:

    >>> [bounds_of([4, 5, 5, 7], rank, coin=0).exact for rank in range(5)]
    [(1, 3), (5, 5), (5, 5), (5, 6), (8, 10)]

    Who picks the highest value stays at chance if the outlier is above all n members in one case of n + 1. Of a rank
    between, an outlier that ties with the single highest would add to that. So it does not, unless there is no value
    between; then it is above or below all in fewer cases.
    """
    low, high = ordered[0], ordered[-1]
    span, below, above = high - low, ordered[max(rank - 1, 0)], ordered[min(rank, len(ordered) - 1)]
    # If members have only two values, which follow each other, half of the cases between them tie with either.
    ends = 2 if span == 1 else 1
    # Above or below all, at most by as much as members differ; if k members tie there, in one case of k.
    if span and rank == len(ordered) and coin * ends * ordered.count(high) < _ALL_KEYS:
        exact, wide = (high + 1, high + span), (high + 1, _NO_END)
    elif span and rank == 0 and low > 1 and coin * ends * ordered.count(low) < _ALL_KEYS:
        exact, wide = (max(low - span, 1), low - 1), (1, low - 1)
    # Like the members there, which tie or leave no value between them.
    elif below == above and below in (low, high):
        exact = wide = (below, below)
    elif span == 1:
        value = high if 2 * coin < _ALL_KEYS else low
        exact = wide = (value, value)
    # Between two members, but neither the lowest nor the highest.
    else:
        exact, wide = (max(below, low + 1), min(above, high - 1)), (low + 1, high - 1)
    return Bounds(exact, wide, whole=(min(low, wide[0]), max(high, wide[1])))


def values_of(member: Member) -> tuple[int, ...]:
    """What places compare: characters, words, digits and punctuation; sitelinks, links to the page and with its name.

    Then comes the item's number, as items are numbered in the order of their creation, and the code of the last letter,
    which is no measure, but is the same as those of members or not.
    """
    *form, letter = shape_of(member.surface)
    values = (*form, member.sitelinks, member.total, member.links, qid_number(member.id))
    return (*(min(value or 0, _MOST) for value in values), letter)


# How many of these values are of the form; the others are of fame, but for the last two.
_FORM: Final = 3
# Where sitelinks are among them; links to the page are next.
_SITELINKS: Final = 3
_AGE: Final = 6


def columns_of(table: SurfaceTable, forms: SurfaceForms, rows: Ints) -> Int32s:
    """The same of some rows of a language's surface forms, shape ``(8, n)``."""
    numbers = (forms.characters, forms.words, forms.marks, table.sitelinks, table.totals, table.links, table.numbers)
    columns = [np.minimum(each[rows], _MOST, dtype=np.int64).astype(np.int32) for each in numbers]
    return np.stack([*columns, forms.last_letters[rows]])


class LastLetters:
    """The last letters (graphemes) of a cluster, to find out whether an outlier is the one that ends like no other.

    Who picks a word that ends like no other cannot tell it from members that do so as well. Where the last letters are
    n, n, n, n, e, e, g and d, an outlier of its own letter is picked in one case of three, so it has one in three of
    nine cases. In the others its letter is among those beside which another word is odder: n, e, g or d.
    """

    def __init__(self, cluster: Iterable[int]) -> None:
        """Count the last letters of n members, each given by its code."""
        counts = Counter(cluster)
        self.every = list(counts)
        # In how many of n + 1 cases the outlier has a letter of its own: one more than members do; 0 if all end alike.
        self.alone = 0 if len(counts) == 1 else 1 + sum(count == 1 for count in counts.values())
        # The letters that an outlier may share and yet not be oddest: those of no fewer words than another letter has,
        # which has fewer once the outlier is counted in.
        no_more = {letter: sum(other <= count for other in counts.values()) for letter, count in counts.items()}
        self.common = [letter for letter in counts if len(counts) == 1 or no_more[letter] > 1]  # itself and another


class ClusterPairs:
    """The letter pairs of a cluster, to find out whether an outlier would have the oddest.

    A word's pairs are the odder the fewer words of the case have them, on average. Pairs are counted once. ``having``
    counts the members with a pair, ``sums`` adds up these counts for the pairs of each member.
    """

    def __init__(self, cluster: Sequence[Member]) -> None:
        self.members = [letter_pairs(member.surface) for member in cluster]
        self.having = Counter(pair for own in self.members for pair in own)
        self.sums = [sum(self.having[pair] for pair in own) for own in self.members]


class PoolItem(NamedTuple):
    """An item that may become an outlier in a language: a row of its surface forms.

    ``class_list`` is the number of its list of classes, and ``via`` the class (node) that brings it in; None if it is
    drawn from all items and the class has not been looked up. ``total`` is the number of links to its page.
    """

    outlier_class: int
    class_list: int
    via: int | None
    row: int
    number: int
    surface: str
    sitelinks: int
    total: int

    @property
    def id(self) -> str:
        """The item's QID."""
        return qid_of(self.number)


def is_known(item: Member | PoolItem) -> bool:
    """Whether an item has a page on any site, or a link to its page."""
    return bool(item.sitelinks or item.total)


def check_obscure(cluster: Sequence[Member], least: int) -> Verdict:
    """Reject unless most members have ``least`` sitelinks, as every outlier has.

    Beside eight villages with fewer, the outlier would be the best known; beside seven of them and a city, the best
    known or the next.
    """
    size, seen = len(cluster), sum((member.sitelinks or 0) >= least for member in cluster)
    wanted = size // 2 + 1
    if seen >= wanted:
        return KEEP
    detail = f"expected at least {wanted} of {size} members with {least} sitelinks, as outliers have, saw {seen}"
    return reject("obscure", detail)


@dataclass(frozen=True, slots=True)
class Place:
    """The place of one outlier in one language: bounds for each of its values, and whether its pairs are the oddest.

    If all members are ``known``, by a sitelink or a link to their page, an item that nobody has linked is no outlier:
    such are works about something, named by titles that no reader has met.
    """

    bounds: tuple[Bounds, ...]
    odd: bool
    pairs: ClusterPairs
    known: bool
    letters: LastLetters
    odd_letter: bool

    def cost_of_pairs(self, surface: str) -> int:
        """How far a surface form's letter pairs are from the place: 0, or ``MISSED``, or further, ``BEYOND``.

        The oddest of the members' words and this one is the word whose pairs are in the fewest of them, on average. In
        an ``odd`` place the outlier should be the oddest, or has missed it; in another one it should not, or is beyond.
        """
        own, pairs = letter_pairs(surface), self.pairs
        total, count = sum(pairs.having[pair] + 1 for pair in own), len(own)
        # The averages total / count are compared by products: each member's is higher, this word's pairs counted in.
        is_oddest = all(
            (total_of_members + len(of_member & own)) * count > total * len(of_member)
            for total_of_members, of_member in zip(pairs.sums, pairs.members, strict=True)
        )
        return (0 if self.odd else BEYOND) if is_oddest else MISSED * self.odd


def costs_of(places: Sequence[Place], columns: Int32s) -> Int64s:
    """How far n items are from each of some places of one cluster in all but letter pairs, shape ``(places, n)``.

    A *place* has bounds for seven values of an outlier, such as its length and sitelinks. ``columns`` has those of the
    items, and the codes of their last letters, shape ``(8, n)``. Items that are no outliers here are ``BARRED``.
    """
    # Three ranges for each of seven values, the narrowest first; each has two ends. Shape (places, 7, 3, 2).
    ranges = np.array([place.bounds for place in places], dtype=np.int32)
    low, width = ranges[..., :1], (ranges[..., 1:] - ranges[..., :1]).view(np.uint32)
    # What is below the range is far above its width as an unsigned number. Shape (places, 7, 3, n).
    outside = (columns[:-1, np.newaxis] - low).view(np.uint32) > width
    # Each range that a value is outside of adds a step: NEAR, then what is left to MISSED, then to BEYOND.
    costs: Int64s = (_STEPS @ outside.reshape(len(places), len(_STEPS), -1).astype(np.float32)).astype(np.int64)
    # A last letter is to be one that no member has, or else one that is not the oddest.
    letters, last = places[0].letters, columns[-1]
    is_own = ~(last == np.array(letters.every, dtype=np.int32)[:, np.newaxis]).any(axis=0)
    is_common = (last == np.array(letters.common, dtype=np.int32)[:, np.newaxis]).any(axis=0)
    costs += np.stack([MISSED * ~is_own if place.odd_letter else BEYOND * ~is_common for place in places])
    if places[0].known:  # all members have a sitelink or a link to their page, and these items have neither
        costs[:, ~columns[_SITELINKS : _SITELINKS + 2].any(axis=0)] += BARRED
    return costs


class Places:
    """The places of a class's outliers in each language: the ranks are the same in all, so that one item may take all.

    An item that is long in one language is long in most, and its sitelinks are the same everywhere. The values of a
    form go together, and so do those of fame: a word of most characters has most words as well.
    """

    def __init__(self, seed: int, qid: str, clusters: Mapping[str, Sequence[Member]]) -> None:
        """Measure the cluster of a class (``qid``) in each language; the seed and the class decide the places."""
        self._seed = hash_key(seed, qid_number(qid), "place")
        # By language, the members' values of each kind, such as characters or sitelinks, in ascending order.
        self._values = {
            code: [sorted(each) for each in zip(*map(values_of, cluster), strict=True)]
            for code, cluster in clusters.items()
        }
        self._letters = {code: LastLetters(values[-1]) for code, values in self._values.items()}
        self._pairs = {code: ClusterPairs(cluster) for code, cluster in clusters.items()}
        # Whether all members have a page or a link to it, and so have to have outliers.
        self._known = {code: all(map(is_known, cluster)) for code, cluster in clusters.items()}
        # What ``of`` has found: hash keys by the number of their first, and places by outlier class and number in it.
        self._keys: dict[int, list[int]] = {}
        self._found: dict[tuple[int, int], dict[str, Place]] = {}

    def of(self, outlier_class: int, number: int) -> dict[str, Place]:
        """The place of an outlier in each language; ``number`` counts from 0 within its outlier class."""
        if (outlier_class, number) not in self._found:
            # Eight hash keys decide its ranks among the members, and whether its letter pairs and last letter are odd.
            # 32 are made at once: for four outlier classes; the next four have others.
            first = 32 * number + ((outlier_class - 1) // 4 << 32)
            if first not in self._keys:
                self._keys[first] = hash_keys(self._seed, first + np.arange(32), "place").tolist()
            keys = self._keys[first][8 * (outlier_class % 4) :][:8]
            form, form_coin, fame, fame_coin, odd, odd_letter, age, age_coin = keys
            places = self._found[outlier_class, number] = {}
            for code, values in self._values.items():
                # A key is uniform below _ALL_KEYS, so each of the ranks 0 (below all n members) to n is as likely.
                ranks, letters = len(values[0]) + 1, self._letters[code]
                form_rank, fame_rank, age_rank = (key * ranks // _ALL_KEYS for key in (form, fame, age))
                bounds = [bounds_of(each, form_rank, form_coin) for each in values[:_FORM]]
                bounds += [bounds_of(each, fame_rank, fame_coin) for each in values[_FORM:_AGE]]
                bounds.append(bounds_of(values[_AGE], age_rank, age_coin))
                is_odd, has_odd_letter = odd * ranks < _ALL_KEYS, odd_letter * ranks < letters.alone * _ALL_KEYS
                pairs, known = self._pairs[code], self._known[code]
                places[code] = Place(tuple(bounds), is_odd, pairs, known, letters, has_odd_letter)
        return self._found[outlier_class, number]


def count_places(groups: Iterable[Group], seed: int) -> dict[str, int]:
    """How many outliers are what their places ask for: exactly ("met"), nearly ("widened"), or not ("missed")."""
    counts = {"met": 0, "widened": 0, "missed": 0}
    for group in groups:
        places = Places(seed, group.qid, {group.language: group.cluster})
        seen: Counter[int] = Counter()
        for outlier in group.outliers:
            outlier_class = outlier.of_class.number
            place = places.of(outlier_class, number=seen[outlier_class])[group.language]
            seen[outlier_class] += 1
            columns = np.array([values_of(outlier)], dtype=np.int32).T  # those of one item
            ((cost,),) = costs_of([place], columns).tolist()
            cost += place.cost_of_pairs(outlier.surface)  # 0, or MISSED and more
            counts["missed" if cost >= MISSED else "widened" if cost else "met"] += 1
    return counts
