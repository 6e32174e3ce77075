"""Places of outliers: form and fame that say nothing, against plain readings and by exact counts."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.heuristics.test_outlier_choice import brought
from wikisem.evaluation.baselines import CHANCE, PICKERS, baselines_by_language, credit
from wikisem.evaluation.rows import ALL
from wikisem.heuristics.selection.outlier_choice import ItemsByClass, choose_outliers
from wikisem.heuristics.selection.places import (
    BARRED,
    BEYOND,
    MISSED,
    NEAR,
    Bounds,
    Place,
    Places,
    bounds_of,
    check_obscure,
    costs_of,
    count_places,
    values_of,
)
from wikisem.recipes.load import load_recipe
from wikisem.records import Group, Member, Outlier
from wikisem.sampling import hash_key

KEYS = 2**64
# So many coins divide evenly by each number of members that may tie, and by twice as many.
COINS = 120


def member(number: int, surface: str, sitelinks: int = 9, total: int = 5) -> Member:
    """A member whose provenance does not matter."""
    return Member(
        id=f"Q{number}", surface=surface, source="anchor", count=1, total=total, sitelinks=sitelinks, links=total
    )


def cost_of_value(bounds: Bounds, value: int) -> int:
    """How far a value is from its place: within it, within its tolerance, among the members, or beyond all of them."""
    costs = (cost for cost, (low, high) in zip((0, NEAR, MISSED), bounds, strict=True) if low <= value <= high)
    return next(costs, BEYOND)


def cost_of_item(place: Place, item: Member) -> int:
    """How far an item is from a place but for letter pairs; its sitelinks, the fourth of its values, count twice."""
    *values, letter = values_of(item)
    costs = [cost_of_value(bounds, value) for bounds, value in zip(place.bounds, values, strict=True)]
    letters = place.letters
    takes = letter not in letters.every if place.odd_letter else letter in letters.common
    of_letter = 0 if takes else MISSED if place.odd_letter else BEYOND
    return sum(costs) + costs[3] + of_letter + BARRED * (place.known and not (item.sitelinks or item.total))


def values_that_take_a_place(members: list[int]) -> Iterator[tuple[int, Fraction]]:
    """A value that takes each place of a cluster, and how probable the place is."""
    for rank in range(len(members) + 1):
        for coin in range(COINS):
            bounds = bounds_of(sorted(members), rank, -(-coin * KEYS // COINS))
            yield bounds.exact[0], Fraction(1, (len(members) + 1) * COINS)


@given(st.lists(st.integers(2, 6), min_size=1, max_size=6), st.booleans())
def test_the_highest_and_the_lowest_are_the_outlier_as_often_as_chance(members: list[int], lowest: bool) -> None:
    """Exactly, ties included: over all places, who picks the highest of n + 1 is right in one case of n + 1."""
    sign = -1 if lowest else 1
    right = sum(
        Fraction(credit([sign * float(each) for each in (*members, value)], -1)).limit_denominator(10) * share
        for value, share in values_that_take_a_place(members)
    )
    assert right == Fraction(1, len(members) + 1)


@given(st.lists(st.integers(0, 9), min_size=2, max_size=8), st.integers(0, KEYS - 1), st.integers(0, KEYS - 1))
def test_a_tolerance_is_never_narrower_than_the_place(members: list[int], key: int, coin: int) -> None:
    """The exact values are within the tolerance, and nothing that takes a place is below 1 unless a member is."""
    bounds = bounds_of(sorted(members), key * (len(members) + 1) // KEYS, coin)
    assert bounds.exact[0] <= bounds.exact[1]
    for (low, high), (wide_low, wide_high) in pairwise(bounds):
        assert wide_low <= low <= high <= wide_high
    assert bounds.exact[0] >= min(1, *members)


def right_by_rank(members: list[int], least: int, place_from_top: int) -> float:
    """How often the word at a place by sitelinks is the outlier, if there are items of any number from ``least`` up."""
    right = []
    for rank, coin in product(range(len(members) + 1), range(0, KEYS, KEYS // 8)):
        bounds = bounds_of(sorted(members), rank, coin)
        costs = {value: cost_of_value(bounds, value) for value in range(least, 2 * max(*members, least) + 1)}
        nearest = [[*members, value] for value, cost in costs.items() if cost == min(costs.values())]
        picked = [sorted(words, reverse=True)[place_from_top] for words in nearest]
        credits_ = (
            credit([-abs(word - one) for word in words], -1) for words, one in zip(nearest, picked, strict=True)
        )
        right.append(fmean(credits_))
    return fmean(right)


@pytest.mark.parametrize(
    ("able", "reason", "most", "second"),
    [(0, "obscure", 1.0, 0.0), (1, "obscure", 0.12, 0.88), (4, "obscure", 0.11, 0.24), (5, "", 0.11, 0.18)],
)
def test_most_members_have_as_many_sitelinks_as_outliers(able: int, reason: str, most: float, second: float) -> None:
    """With fewer that could be outliers themselves, the best known word is one or the next is, far above chance."""
    fame = [*range(1, 9 - able), *range(20, 20 + 20 * able, 20)]
    cluster = [member(n, "a" * n, sitelinks) for n, sitelinks in enumerate(fame, 1)]
    assert check_obscure(cluster, least=10).reason == reason
    assert check_obscure(cluster, least=0).keep
    assert right_by_rank(fame, 10, 0) == pytest.approx(most, abs=0.01)
    assert right_by_rank(fame, 10, 1) == pytest.approx(second, abs=0.01)


WORDS = st.text("abAB é1(", min_size=1, max_size=8).filter(lambda word: word.strip() == word != "")
MEMBERS = st.lists(st.builds(member, st.integers(1, 99), WORDS, st.integers(0, 9), st.integers(0, 3)), min_size=2)


@given(MEMBERS, MEMBERS, st.integers(0, 99), st.integers(1, 3), st.integers(0, 2))
def test_costs_of_many_items_are_those_of_each(
    cluster: list[Member], items: list[Member], seed: int, outlier_class: int, number: int
) -> None:
    """The sum over all values and the last letter, and what no outlier may be: without links beside linked members."""
    place = Places(seed, "Q5", {"en": cluster}).of(outlier_class, number)["en"]
    columns = np.array([values_of(item) for item in items]).T
    alone = [cost_of_item(place, item) for item in items]
    assert costs_of([place, place], columns.astype(np.int32)).tolist() == [alone, alone]
    all_known = all(one.sitelinks or one.total for one in cluster)
    assert [cost >= BARRED for cost in alone] == [all_known and not (one.sitelinks or one.total) for one in items]


@given(st.lists(WORDS, min_size=2, max_size=6), WORDS)
def test_the_oddest_letter_pairs_are_those_that_the_baseline_picks(cluster: list[str], surface: str) -> None:
    """Alone, without a tie."""
    standing = PICKERS["odd letter pairs"]([Member(surface=word) for word in (*cluster, surface)])
    assert standing is not None
    place = Places(1, "Q5", {"en": [member(n, word) for n, word in enumerate(cluster, 1)]}).of(1, 0)["en"]
    costs = [replace(place, odd=odd).cost_of_pairs(surface) for odd in (False, True)]
    assert costs == ([BEYOND, 0] if all(standing[-1] > each for each in standing[:-1]) else [0, MISSED])


def test_places_do_not_depend_on_the_language() -> None:
    """The same rank in each language, so that one item may take all of them; another outlier has another place."""
    clusters = {"en": [member(n, "a" * n) for n in range(2, 10)], "de": [member(n, "ä" * 2 * n) for n in range(2, 10)]}
    places = [Places(1, "Q5", clusters).of(which, number) for which in (1, 2, 3) for number in range(20)]
    ranks = []
    for place in places:
        english, german = (place[code].bounds[0].exact for code in ("en", "de"))
        assert 2 * english[0] - 2 <= german[0] <= 2 * english[0] + 2
        ranks.append(english)
    assert len(set(ranks)) > 6


def name_of(random_: random.Random, words: int, shortest: int, letters: str) -> str:
    """So many words of up to nine letters."""
    return " ".join("".join(random_.choices(letters, k=random_.randint(shortest, 9))) for _ in range(words))


@cache
def random_groups(*, with_places: bool) -> list[Group]:
    """Groups in which random items have longer names, other letters and fewer sitelinks, and many are newer."""
    random_ = random.Random(7)
    older, every = range(1, 2001), range(1, 5001)
    groups = []
    for number in range(120):
        cluster = [
            Member(
                id=f"Q{own}",
                surface=name_of(random_, random_.choice([1, 1, 2]), 4, "abcdef"),
                source="anchor",
                count=1,
                total=9,
                sitelinks=random_.randint(60, 90),
            )
            for own in random_.sample(older, 8)
        ]
        numbers = iter(random_.sample([own for own in every if f"Q{own}" not in {one.id for one in cluster}], 3200))
        sources = [
            [
                Outlier(
                    id=f"Q{next(numbers)}",
                    surface=name_of(random_, random_.choice([1, 2, 2, 3]), 2, random_.choice(["abcdef", "uvwxyz"])),
                    source="anchor",
                    count=1,
                    total=9,
                    sitelinks=random_.randint(20, 99),
                    outlier_class=1,
                    via=f"Q{c}",
                )
                for _ in range(400)
            ]
            for c in range(1, 9)
        ]
        places = Places(500, f"Q{number + 1}", {"en": cluster})
        wanted = [places.of(1, 0), places.of(1, 1)]
        named = [brought([{"en": item} for item in source], wanted) for source in sources]
        if with_places:
            named.sort(key=lambda source: source.least if source.least >= MISSED else 0)
        used = places if with_places else None
        chosen = choose_outliers({"en": cluster}, {1: ItemsByClass(named, named)}, 2, places=used)["en"]
        by_qid = {item.id: item for source in sources for item in source}
        outliers = tuple(by_qid[item.id] for item in chosen)
        groups.append(Group(id=f"Q{number + 1}", label="", language="en", cluster=tuple(cluster), outliers=outliers))
    return groups


def values_by_picker(groups: list[Group]) -> Mapping[str, float]:
    """How often each picker is right, in percent."""
    found = baselines_by_language(groups)["en"][ALL]
    return {name: 100 * one.value for name, one in found.items() if one is not None}


@pytest.mark.slow
def test_where_the_pool_is_rich_who_knows_nothing_is_at_chance() -> None:
    """Before, the longest word and the item with fewest sitelinks are outliers three times as often."""
    before, after = (values_by_picker(random_groups(with_places=each)) for each in (False, True))
    assert before["longest"] > 25
    assert before["most words"] > 25
    assert before["fewest sitelinks"] > 25
    assert before["odd letter pairs"] > 40
    assert before["odd last letter"] > 20
    assert before["far item number"] > 25
    chance = after[CHANCE]
    for name in ("longest", "shortest", "most words", "fewest words", "fewest sitelinks", "most sitelinks"):
        assert abs(after[name] - chance) < 5, (name, after)
    for name in ("odd letter pairs", "odd last letter", "odd ending", "far item number"):
        assert abs(after[name] - chance) < 8, (name, after)


@pytest.mark.slow
def test_places_that_are_met_widened_and_missed_are_counted() -> None:
    """Each outlier by its number in its outlier class, as it was drawn.

    Few outliers miss the place of any one value where there are many items; six independent draws miss one more often.
    """
    groups = random_groups(with_places=True)
    with_places, without = (count_places(each, 500) for each in (groups, random_groups(with_places=False)))
    assert sum(with_places.values()) == sum(without.values()) == 240
    missed: Counter[str] = Counter()
    for group in groups:
        places = Places(500, group.qid, {"en": group.cluster})
        for number, item in enumerate(group.outliers):
            place = places.of(1, number)["en"]
            *values, letter = values_of(item)
            missed["letter pairs"] += place.cost_of_pairs(item.surface) >= MISSED
            missed["last letter"] += (letter not in place.letters.every) != place.odd_letter
            for index, (bounds, value) in enumerate(zip(place.bounds, values, strict=True)):
                missed[f"value {index}"] += cost_of_value(bounds, value) >= MISSED
    assert max(missed.values()) < 30, missed
    assert with_places["missed"] < 80
    assert without["missed"] > 150
    assert list(with_places) == ["met", "widened", "missed"]


def test_what_nobody_links_to_is_no_outlier_of_members_that_are_linked() -> None:
    """Not even where nothing else is left; of members one of which is not linked either, it may be one."""
    unknown = Outlier(
        id="Q50", surface="On oaks", source="label", count=0, total=0, sitelinks=0, outlier_class=1, via="Q9"
    )
    linked = Outlier(
        id="Q51", surface="moss", source="anchor", count=1, total=1, sitelinks=0, outlier_class=1, via="Q9"
    )

    def chosen(cluster: list[Member]) -> list[str]:
        places = Places(1, "Q5", {"en": cluster})
        source = brought([{"en": unknown}, {"en": linked}], [places.of(1, 0), places.of(1, 1)])
        chosen = choose_outliers({"en": cluster}, {1: ItemsByClass((), [source])}, 2, places=places)
        return [item.id for item in chosen["en"]]

    known = [member(1, "oak"), member(2, "elm")]
    assert chosen(known) == ["Q51"]
    assert sorted(chosen([*known, member(3, "ash", 0, 0)])) == ["Q50", "Q51"]


def test_the_nearest_class_is_taken_whichever_of_its_items_is_which_outlier() -> None:
    """A class whose two items fit in the other order is as good as one in which they come in this order."""
    cluster = [member(n, "a" * n, 9) for n in range(2, 10)]
    places = Places(3, "Q7", {"en": cluster})
    bounds = [places.of(1, number)["en"].bounds[0].exact[0] for number in (0, 1)]
    assert bounds[0] != bounds[1]
    items = [
        Outlier(
            id=f"Q{50 + at}",
            surface=("b" if at else "c") * length,
            source="anchor",
            count=1,
            total=5,
            sitelinks=9,
            outlier_class=1,
            via="Q9",
            links=5,
        )
        for at, length in enumerate(reversed(bounds))
    ]
    source = brought([{"en": item} for item in items], [places.of(1, 0), places.of(1, 1)])
    chosen = choose_outliers({"en": cluster}, {1: ItemsByClass([source], [source])}, 2, places=places)["en"]
    assert [len(one.surface) for one in chosen] == bounds


@pytest.mark.parametrize(("before", "chosen"), [(3, "aabb"), (4, "qzqz")])
def test_letter_pairs_of_the_four_nearest_items_are_tried(before: int, chosen: str) -> None:
    """So many words of other letters than the members' come before one that is not as odd as a member."""
    cluster = [member(n, word) for n, word in enumerate(["abab", "baba", "abba", "baab", "acdc"], 1)]
    places = Places(500, "Q5", {"en": cluster})
    assert not places.of(1, 0)["en"].odd
    words = [*["qzqz", "xkxk", "vjvj", "wywy"][:before], "aabb"]
    items = [
        {
            "en": Outlier(
                id=f"Q{50 + at}",
                surface=word,
                source="anchor",
                count=1,
                total=5,
                sitelinks=9,
                outlier_class=1,
                via="Q9",
                links=5,
            )
        }
        for at, word in enumerate(words)
    ]
    pool = {1: ItemsByClass([brought(items, [places.of(1, 0)])], [])}
    found = choose_outliers({"en": cluster}, pool, 1, places=places)["en"]
    assert [one.surface for one in found] == [chosen]


@pytest.mark.parametrize(("recipe", "on"), [("wikisem", True), ("demo", True), ("wikisem500", False)])
def test_places_are_of_the_recipes_that_are_not_the_papers(recipe: str, on: bool) -> None:
    """The faithful recipe draws as the paper does."""
    assert load_recipe(recipe).outliers.places is on


def test_keys_of_places_are_apart_from_those_of_items_and_classes() -> None:
    """Three domains of the same numbers, none of which repeats a key of another."""
    keys = Counter(hash_key(500, n, domain) for n in range(50) for domain in ("item", "class", "place"))
    assert set(keys.values()) == {1}
