"""Which items stay, as one table of them tells."""

import pyarrow as pa
import pytest

from wikisem.schemas import ENTITIES
from wikisem.wikidata.selection import content_hash, edge_targets, split_by_certainty

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
    assert content_hash({"qid": "Q1", "labels": [["en", "é"]]}).hex() == "51e8fb2a3eed8572e8e551ff7d92b451"
    assert content_hash({"qid": "Q1"}) != content_hash({"qid": "Q2"})
