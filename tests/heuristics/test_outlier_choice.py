"""Filling the three outlier classes in turn."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from wikisem.heuristics.selection.outlier_choice import choose_outliers, choose_shared_outliers
from wikisem.records import Member, Outlier

CLUSTER = [Member("Q1", "oak", "anchor", 1, 1, 9), Member("Q2", "elm", "anchor", 1, 1, 8)]


def outlier(number: int, surface: str, outlier_class: int) -> Outlier:
    """An outlier whose provenance does not matter."""
    return Outlier(f"Q{number}", surface, "anchor", 1, 1, 10, outlier_class, "Q99")


CANDIDATES = st.tuples(
    *(
        st.lists(st.builds(outlier, st.integers(1, 12), st.sampled_from("abcdefg"), st.just(which)), max_size=6)
        for which in (1, 2, 3)
    )
)


def test_classes_are_filled_in_turn_and_in_order() -> None:
    """Two of each, in the order O1 O1 O2 O2 O3 O3, first come first."""
    candidates = [[outlier(10 * which + n, f"{which}{n}", which) for n in range(4)] for which in (1, 2, 3)]
    chosen = choose_outliers(CLUSTER, candidates, 2)
    assert [(item.outlier_class, item.surface) for item in chosen] == [
        (1, "10"),
        (1, "11"),
        (2, "20"),
        (2, "21"),
        (3, "30"),
        (3, "31"),
    ]


def test_a_surface_or_item_that_is_taken_is_skipped() -> None:
    """By the cluster or by an earlier outlier, of the same class or another; the next candidate takes the place."""
    first = [outlier(10, "elm", 1), outlier(1, "other oak", 1), outlier(11, "moss", 1), outlier(12, "moss", 1)]
    second = [outlier(11, "another moss", 2), outlier(13, "fern", 2)]
    chosen = choose_outliers(CLUSTER, [first, second, []], 2)
    assert [(item.id, item.surface) for item in chosen] == [("Q11", "moss"), ("Q13", "fern")]


def test_candidates_are_read_no_further_than_needed() -> None:
    """A class that is full asks for no more: candidates may be costly to resolve."""

    def two_then_fail() -> Iterator[Outlier]:
        yield outlier(10, "a", 1)
        yield outlier(11, "b", 1)
        raise AssertionError("read a third candidate")

    assert len(choose_outliers(CLUSTER, [two_then_fail()], 2)) == 2


@given(CANDIDATES, st.integers(1, 3))
def test_choosing_agrees_with_plain_reading(candidates: tuple[list[Outlier], ...], per_class: int) -> None:
    """Walk through all candidates and take each that has room and is new in item and surface."""
    expected: list[Outlier] = []
    for ordered in candidates:
        for candidate in ordered:
            taken = [*CLUSTER, *expected]
            room = sum(item.outlier_class == candidate.outlier_class for item in expected) < per_class
            if room and all(candidate.id != item.id and candidate.surface != item.surface for item in taken):
                expected.append(candidate)
    assert list(choose_outliers(CLUSTER, candidates, per_class)) == expected


def test_a_shared_item_is_taken_once() -> None:
    """The same item is skipped in a later outlier class, though its surface form there would be new."""
    pool = [[{"en": outlier(9, "moss", 1)}], [{"en": outlier(9, "lichen", 2)}, {"en": outlier(8, "fern", 2)}]]
    chosen = choose_shared_outliers({"en": CLUSTER}, pool, 1)
    assert [item.surface for item in chosen["en"]] == ["moss", "fern"]
