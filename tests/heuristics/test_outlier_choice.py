"""Filling the three outlier classes in turn, each from one class where one gives enough."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wikisem.heuristics.selection.outlier_choice import MOST_REFUSED, ItemsByClass, Source, choose_outliers
from wikisem.heuristics.selection.places import BARRED, Place, PoolItem, costs_of, values_of
from wikisem.ids import qid_number
from wikisem.records import Member, Outlier

CLUSTER = [
    Member(id="Q1", surface="oak", source="anchor", count=1, total=1, sitelinks=9),
    Member(id="Q2", surface="elm", source="anchor", count=1, total=1, sitelinks=8),
]


def outlier(number: int, surface: str, outlier_class: int) -> Outlier:
    """An outlier whose provenance does not matter."""
    return Outlier(
        id=f"Q{number}",
        surface=surface,
        source="anchor",
        count=1,
        total=1,
        sitelinks=10,
        outlier_class=outlier_class,
        via="Q99",
    )


Sources = Sequence[Sequence[Outlier]]


def brought(
    items: Sequence[Mapping[str, Outlier]],
    places: Sequence[Mapping[str, Place]] = (),
    locations: Iterable[int] | None = None,
) -> Source:
    """What a class brings, in the order given, and how near it is to places."""

    def item_at(location: int, via: int | None) -> dict[str, PoolItem]:
        named = {}
        for code, one in items[location].items():
            known = qid_number(one.id), one.surface, one.sitelinks or 0, one.total or 0
            named[code] = PoolItem(one.outlier_class or 0, 0, via, location, *known)
        return named

    costs = np.zeros((len(places), len(items)), dtype=np.int64)
    for number, by_language in enumerate(places):
        for code, place in by_language.items():
            columns = np.array([values_of(item[code]) for item in items], dtype=np.int32).T
            costs[number] += costs_of([place], columns)[0]
    every = np.arange(len(items))
    least = int(costs.min(axis=1, initial=BARRED).sum())
    return Source(item_at, None, range(len(items)) if locations is None else locations, every, costs, least)


SOURCES = st.tuples(
    *(
        st.lists(
            st.lists(st.builds(outlier, st.integers(1, 12), st.sampled_from("abcdefg"), st.just(which)), max_size=4),
            max_size=4,
        )
        for which in (1, 2, 3)
    )
)


def choose(pool: Sequence[Sources], per_class: int) -> tuple[PoolItem, ...]:
    """The outliers of the cluster in English; ``pool`` has for O1, O2 and O3 what each class brings."""
    bringing = {}
    for number, sources in enumerate(pool, start=1):
        named = [brought([{"en": one} for one in ordered]) for ordered in sources]
        full = [each for each, ordered in zip(named, sources, strict=True) if len(ordered) >= per_class]
        bringing[number] = ItemsByClass(full, named)
    return choose_outliers({"en": CLUSTER}, bringing, per_class)["en"]


def test_classes_are_filled_in_turn_and_in_order() -> None:
    """Two of each, in the order O1 O1 O2 O2 O3 O3, first come first."""
    pool = [[[outlier(10 * which + n, f"{which}{n}", which) for n in range(4)]] for which in (1, 2, 3)]
    assert [(item.outlier_class, item.surface) for item in choose(pool, 2)] == [
        (1, "10"),
        (1, "11"),
        (2, "20"),
        (2, "21"),
        (3, "30"),
        (3, "31"),
    ]


def test_the_first_class_that_gives_enough_gives_all() -> None:
    """Not the one that has enough only with a surface form of the cluster, nor one with the same surface form twice."""
    few = [outlier(10, "moss", 1), outlier(11, "elm", 1)]
    twice = [outlier(12, "fern", 1), outlier(13, "fern", 1)]
    enough = [outlier(14, "larch", 1), outlier(15, "moss", 1), outlier(16, "yew", 1)]
    assert [item.id for item in choose([[few, twice, enough]], 2)] == ["Q14", "Q15"]


def test_where_no_class_gives_enough_they_are_taken_one_after_another() -> None:
    """Down to the last class, each with what it has left."""
    pool = [[[outlier(10, "moss", 1)], [outlier(11, "moss", 1)], [outlier(12, "fern", 1)], [outlier(13, "yew", 1)]]]
    assert [item.id for item in choose(pool, 2)] == ["Q10", "Q12"]
    assert [item.id for item in choose([pool[0][:2]], 2)] == ["Q10"]


def test_a_surface_or_item_that_is_taken_is_skipped() -> None:
    """By the cluster or by an earlier outlier, of the same class or another; the next candidate takes the place."""
    first = [outlier(10, "elm", 1), outlier(1, "other oak", 1), outlier(11, "moss", 1), outlier(12, "moss", 1)]
    second = [outlier(11, "another moss", 2), outlier(13, "fern", 2)]
    chosen = choose([[first], [second], []], 2)
    assert [(item.id, item.surface) for item in chosen] == [("Q11", "moss"), ("Q13", "fern")]


def test_what_the_rules_do_not_admit_is_skipped() -> None:
    """Without it the class may have too few, and another one is chosen."""
    pool = [[[outlier(10, "List of moss", 1), outlier(11, "fern", 1)], [outlier(12, "yew", 1), outlier(13, "box", 1)]]]
    named = [brought([{"en": one} for one in ordered]) for ordered in pool[0]]
    chosen = choose_outliers(
        {"en": CLUSTER},
        {1: ItemsByClass(named, named)},
        2,
        lambda language, item: (language, item.surface[:4]) != ("en", "List"),
    )
    assert [item.id for item in chosen["en"]] == ["Q12", "Q13"]


def test_candidates_are_read_no_further_than_needed() -> None:
    """A class that is full asks for no more, nor for another class: candidates may be costly to resolve."""

    def two_then_fail() -> Iterator[int]:
        yield from (0, 1)
        raise AssertionError("read a third candidate")

    def one_then_fail() -> Iterator[Source]:
        yield brought([{"en": outlier(10, "a", 1)}, {"en": outlier(11, "b", 1)}], locations=two_then_fail())
        raise AssertionError("asked for a second class")

    assert len(choose_outliers({"en": CLUSTER}, {1: ItemsByClass(one_then_fail(), one_then_fail())}, 2)["en"]) == 2


@given(SOURCES, st.integers(1, 3))
def test_choosing_agrees_with_plain_reading(pool: Sequence[Sources], per_class: int) -> None:
    """In each outlier class, what every source gives alone; the first that gives enough, else all of them in a row."""
    expected: list[Outlier] = []
    for sources in pool:
        gives = [fitting(source, expected, per_class) for source in sources]
        enough = [given for given in gives if len(given) == per_class]
        everything = [one for source in sources for one in source]
        expected += enough[0] if enough else fitting(everything, expected, per_class)
    found = [(one.id, one.surface, one.outlier_class) for one in choose(pool, per_class)]
    assert found == [(one.id, one.surface, one.outlier_class) for one in expected]


def fitting(candidates: Sequence[Outlier], expected: Sequence[Outlier], per_class: int) -> list[Outlier]:
    """The first candidates that are new in item and surface beside the cluster, what is chosen and one another."""
    found: list[Outlier] = []
    for candidate in candidates:
        taken = [*CLUSTER, *expected, *found]
        if len(found) < per_class and all(candidate.id != one.id and candidate.surface != one.surface for one in taken):
            found.append(candidate)
    return found


def test_a_shared_item_must_be_new_in_every_language() -> None:
    """It is skipped where one language does not name it, or has used the item or its surface form there."""
    clusters = {"en": CLUSTER, "de": [Member(id="Q1", surface="Eiche", source="anchor", count=1, total=1, sitelinks=9)]}
    first = [{"en": outlier(9, "moss", 1), "de": outlier(9, "Moos", 1)}]
    second = [
        {"en": outlier(9, "lichen", 2), "de": outlier(9, "Flechte", 2)},
        {"en": outlier(8, "yew", 2)},
        {"en": outlier(7, "oaks", 2), "de": outlier(7, "Eiche", 2)},
        {"en": outlier(6, "fern", 2), "de": outlier(6, "Farn", 2)},
    ]
    chosen = choose_outliers(
        clusters, {1: ItemsByClass((), [brought(first)]), 2: ItemsByClass([], [brought(second)])}, 1
    )
    assert [item.surface for item in chosen["en"]] == ["moss", "fern"]
    assert [item.surface for item in chosen["de"]] == ["Moos", "Farn"]


def test_an_outlier_class_is_left_after_many_refusals() -> None:
    """No walk goes on for ever where every item is refused; the next outlier class begins anew."""
    asked: list[str] = []

    def admits(language: str, item: PoolItem) -> bool:
        asked.append(item.id)
        return (language, item.id) == ("en", "Q9000")

    refused = [outlier(2000 + n, f"refused {n}", 1) for n in range(MOST_REFUSED + 5)]
    first = brought([{"en": one} for one in [*refused, outlier(9000, "fern", 1)]])
    second = brought([{"en": outlier(9000, "fern", 2)}])
    chosen = choose_outliers({"en": CLUSTER}, {1: ItemsByClass([], [first]), 2: ItemsByClass([], [second])}, 2, admits)
    assert [(item.id, item.outlier_class) for item in chosen["en"]] == [("Q9000", 2)]
    assert asked == [one.id for one in refused[:MOST_REFUSED]] + ["Q9000"]


def test_no_further_class_is_asked_after_many_refusals() -> None:
    """Each would be listed, and give nothing: of thousands of siblings that look like members only some are asked."""
    asked: list[int] = []

    def sources() -> Iterator[Source]:
        for number in range(20):
            asked.append(number)
            yield brought([{"en": outlier(100 + 10 * number + n, f"refused {number} {n}", 1)} for n in range(4)])

    pool = {1: ItemsByClass(sources(), [])}
    assert choose_outliers({"en": CLUSTER}, pool, 2, lambda *_: False, most_refused=6) == {"en": ()}
    assert asked == [0, 1]


def test_outlier_classes_are_told_by_number() -> None:
    """Whichever numbers are drawn for, in the order given; those with a count of their own have so many outliers."""
    pool = {
        number: ItemsByClass(
            (), [brought([{"en": outlier(10 * number + n, f"word {number} {n}", 1)} for n in range(4)])]
        )
        for number in (2, 4, 1)
    }
    chosen = choose_outliers({"en": CLUSTER}, pool, 2, further={4: 3})
    assert [item.id for item in chosen["en"]] == ["Q20", "Q21", "Q40", "Q41", "Q42", "Q10", "Q11"]
