"""Test cases as rows: every place as often as any other, the same rows whatever the order."""

import re
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.outputs.release.world import make_group
from wikisem.outputs.release.cases import CASES, ITEMS, case_rows, cases_of


def test_a_row_has_the_cluster_and_one_outlier() -> None:
    """Choices and items are beside each other, and the answer leads to the outlier."""
    group = make_group("de", 3)
    rows = case_rows(cases_of([group]), 500)
    assert [row["outlier"] for row in rows] == [outlier.surface for outlier in group.outliers]
    by_item = {member.id: member.surface for member in (*group.cluster, *group.outliers)}
    for row, outlier in zip(rows, group.outliers, strict=True):
        assert [by_item[item] for item in row["items"]] == row["choices"]
        assert row["choices"][row["answer"]] == outlier.surface
        assert set(row["items"]) == {member.id for member in group.cluster} | {outlier.id}
        assert row["class_item"] == "Q3"
        assert row["outlier_class"] == outlier.outlier_class
        assert row["level"] == group.level
        assert (row["margin"], row["coherence"]) == (outlier.margin, 0.93)
    assert {*CASES.names, *ITEMS.names} == {*rows[0]}


def test_what_a_model_may_see_has_no_item_and_names_no_answer() -> None:
    """Ids and classes are hashes; a class has one in all languages, a case one in each language and every seed."""
    group = make_group("de", 3)
    rows = case_rows(cases_of([group]), 500)
    for row in rows:
        shown = {name: row[name] for name in CASES.names}
        values = [str(value) for name, value in shown.items() if name != "choices"]
        assert not re.search(r"Q[0-9]", " ".join(values)), shown
        assert {row["outlier"], row["label"]}.isdisjoint(values)
    assert len({row["class"] for row in rows}) == 1
    other = case_rows(cases_of([make_group("no", 3)]), 1)
    assert {row["class"] for row in other} == {row["class"] for row in rows}
    assert {row["id"] for row in other}.isdisjoint(row["id"] for row in rows)
    assert {row["id"] for row in case_rows(cases_of([group]), 1)} == {row["id"] for row in rows}


@given(st.integers(0, 2**64 - 1), st.integers(1, 40))
def test_every_place_is_as_frequent_as_any_other(seed: int, count: int) -> None:
    """Among cases with the same number of choices, counts of places differ by at most one."""
    groups = [make_group("de", number, 7 + number % 2, 1 + number % 6) for number in range(1, 1 + count)]
    rows = case_rows(cases_of(groups), seed)
    for size in {len(row["choices"]) for row in rows}:
        places = Counter(row["answer"] for row in rows if len(row["choices"]) == size)
        counts = [places[place] for place in range(size)]
        assert max(counts) - min(counts) <= 1


def test_rows_depend_on_the_seed_and_not_on_the_order_of_groups() -> None:
    """The same cases whatever comes first; other orders of words with another seed."""
    groups = [make_group("de", number) for number in range(1, 9)]
    one = {row["id"]: row for row in case_rows(cases_of(groups), 500)}
    assert {row["id"]: row for row in case_rows(cases_of(groups[::-1]), 500)} == one
    other = {row["id"]: row for row in case_rows(cases_of(groups), 501)}
    assert other.keys() == one.keys()
    changed = sum(other[case]["choices"] != one[case]["choices"] for case in one)
    assert changed > len(one) * 0.9


def test_the_order_of_words_tells_nothing_of_rank() -> None:
    """The most prominent item of a cluster is at every place, and cases of one group differ."""
    rows = [row for number in range(1, 80) for row in case_rows(cases_of([make_group("de", number)]), 500)]
    places = Counter(
        [item for at, item in enumerate(row["items"]) if at != row["answer"]].index(f"{row['class_item']}00")
        for row in rows
    )
    assert set(places) == set(range(8))
    assert max(places.values()) < 1.5 * len(rows) / 8
    first, second, *_ = case_rows(cases_of([make_group("de", 3)]), 500)
    assert [word for word in first["choices"] if "out" not in word] != [w for w in second["choices"] if "out" not in w]
