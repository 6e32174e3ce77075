"""Groups that repeat another one."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from wikisem.heuristics.selection.kept_groups import NearDuplicate, near_duplicates


def test_the_first_in_class_order_is_kept_whatever_its_number() -> None:
    """Of five classes of municipalities that share seven of eight members, the one that comes first stays."""
    shared = [f"Q{n}" for n in range(7)]
    towns = [(number, [*shared, f"Q{100 + number}"]) for number in (50, 7, 90, 3, 12)]
    assert near_duplicates(towns, 4) == {number: NearDuplicate(50, 7) for number in (7, 90, 3, 12)}
    assert near_duplicates(towns, 8) == {}


def test_a_group_that_is_left_out_takes_nothing_with_it() -> None:
    """The third shares items with the second only, and the second is not kept."""
    assert set(near_duplicates([(1, "abcd"), (2, "cdef"), (3, "efgh")], 2)) == {2}


def test_the_kept_class_that_shares_most_is_named_and_of_equals_the_first() -> None:
    """Two kept classes share two items each with the third, and a fourth shares three."""
    assert near_duplicates([(9, "abxy"), (5, "cdvw"), (1, "cdab")], 2) == {1: NearDuplicate(9, 2)}
    assert near_duplicates([(9, "abxy"), (5, "cdew"), (1, "cdeab")], 2) == {1: NearDuplicate(5, 3)}


def by_plain_reading(clusters: list[tuple[int, str]], number: int) -> dict[int, NearDuplicate]:
    """Each cluster against all that were kept before it."""
    kept: list[tuple[int, str]] = []
    found = {}
    for one, items in clusters:
        near = [(len(set(items) & set(others)), other) for other, others in kept]
        most = max((shared for shared, _ in near), default=0)
        if most >= number:
            found[one] = NearDuplicate(next(other for shared, other in near if shared == most), most)
        else:
            kept.append((one, items))
    return found


def test_what_is_left_out_is_that_of_comparing_all_pairs() -> None:
    """On random clusters, for any number; most examples leave something out, many keep something too."""
    seen: Counter[str] = Counter()
    clusters = st.lists(st.sets(st.sampled_from("abcdefghij"), min_size=3, max_size=5), max_size=8)

    @settings(max_examples=150)
    @given(clusters, st.permutations(range(8)), st.integers(1, 5))
    def compare(drawn: list[set[str]], order: list[int], number: int) -> None:
        listed = [(one, "".join(sorted(items))) for one, items in zip(order, drawn, strict=False)]
        found = near_duplicates(listed, number)
        assert found == by_plain_reading(listed, number)
        seen["left out"] += bool(found)
        seen["several kept"] += len(listed) - len(found) > 1

    compare()
    assert min(seen.values()) >= 30, seen
