"""Which items stay, as one table of them tells."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.schemas import ENTITIES
from wikisem.wikidata.entity_columns import (
    content_hash,
    duplicate_rows,
    edge_targets,
    split_by_certainty,
    superseded_rows,
)

ROWS = [
    {"qid": "Q1", "instance_of": ["Q10", "Q2"], "subclass_of": [], "sitelinks": 1},
    {"qid": "Q2", "instance_of": ["Q10"], "subclass_of": [], "sitelinks": 0},
    {"qid": "Q3", "instance_of": [], "subclass_of": ["Q100", "Q10"], "sitelinks": 0},
    {"qid": "Q4", "instance_of": [], "subclass_of": [], "sitelinks": 9},
]


def table_of(*rows: dict[str, object]) -> pa.Table:
    """A table of items."""
    return pa.Table.from_pylist(list(rows), ENTITIES)


@pytest.mark.parametrize(
    ("linked_only", "certain", "undecided"), [(False, ["Q1", "Q2", "Q3"], ["Q4"]), (True, ["Q1", "Q3"], ["Q2", "Q4"])]
)
def test_a_class_or_a_superclass_makes_an_item_certain(
    linked_only: bool, certain: list[str], undecided: list[str]
) -> None:
    """With ``linked_only`` a class counts only with a sitelink, a superclass always; sitelinks alone are not enough."""
    parts = {certainty: rows["qid"].to_pylist() for certainty, rows in split_by_certainty(table_of(*ROWS), linked_only)}
    assert parts == {"certain": certain, "undecided": undecided}


def test_parts_without_items_do_not_come() -> None:
    """A file is only made for items that are there."""
    assert [certainty for certainty, _ in split_by_certainty(table_of(*ROWS[:3]), False)] == ["certain"]
    assert [certainty for certainty, _ in split_by_certainty(table_of(ROWS[3]), False)] == ["undecided"]
    assert list(split_by_certainty(table_of(), False)) == []


def test_edge_targets_are_numbers_in_order_each_once() -> None:
    """As numbers, not as strings: 2, 10, 100; of both properties."""
    assert edge_targets(table_of(*ROWS)).tolist() == [2, 10, 100]
    assert edge_targets(table_of()).tolist() == []


def test_the_content_hash_is_fixed() -> None:
    """It decides which of two equal revisions stays, so it must not change between versions or processes."""
    assert content_hash({"qid": "Q1", "labels": [["en", "é"]]}).hex().startswith("51e8fb2a3eed8572e8e551ff7d92b451")
    assert content_hash({"qid": "Q1"}) != content_hash({"qid": "Q2"})


@pytest.mark.parametrize("column", ["properties", "relations"])
def test_signatures_decide_only_between_rows_that_differ_in_nothing_else(column: str) -> None:
    """Which row stays is the same whether or not they are recorded, and never depends on the order of rows."""
    plain: list[dict[str, object]] = [{"qid": "Q1", "lastrevid": 5, "sitelinks": number} for number in range(9)]
    values = {"properties": ([], [17], [9, 17]), "relations": ([], [{"property": 17, "item": 183}])}
    signed = [{**row, column: numbers} for row in plain for numbers in values[column]]
    unsigned = max(table_of(*plain).to_pylist(), key=content_hash)
    kept = []
    for rows in (signed, signed[::-1]):
        found = superseded_rows(duplicate_rows(table_of(*rows), np.array([1])), "row")
        kept += [row for number, row in enumerate(rows) if number not in found["row"].to_pylist()]
    assert kept[0] == kept[1]
    assert kept[0]["sitelinks"] == unsigned["sitelinks"]


def test_a_dump_without_repeated_items_has_no_duplicates() -> None:
    """No item is repeated, or none of the repeated ones is in this table: the columns are there all the same."""
    for repeated in ([], [7, 8]):
        found = duplicate_rows(table_of(*ROWS), np.asarray(repeated, np.int64))
        assert found.column_names == ["number", "lastrevid", "content", "row"]
        assert found.num_rows == superseded_rows(found, "row").num_rows == 0


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 2), st.integers(0, 2)), max_size=12))
def test_one_row_of_each_item_is_not_superseded(items: list[tuple[int, int, int]]) -> None:
    """The greatest by revision, then by content hash, then the first: as a choice row by row finds it."""
    rows: list[dict[str, object]] = [
        {"qid": f"Q{number}", "lastrevid": revision, "sitelinks": sitelinks} for number, revision, sitelinks in items
    ]
    table = table_of(*rows)
    contents = [content_hash(row) for row in table.to_pylist()]
    latest: dict[int, int] = {}
    for place, (number, revision, _) in enumerate(items):
        kept = latest.setdefault(number, place)
        if (revision, contents[place]) > (items[kept][1], contents[kept]):
            latest[number] = place
    found = superseded_rows(duplicate_rows(table, np.arange(1, 5)), "row")
    assert sorted(found["row"].to_pylist()) == sorted(set(range(len(items))) - set(latest.values()))
