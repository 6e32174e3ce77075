"""Tables as bytes."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from wikisem.arrow.ipc import decode, encode
from wikisem.schemas import ENTITIES, MENTIONS

ROWS = st.lists(
    st.fixed_dictionaries({"title": st.text(max_size=5), "anchor": st.text(max_size=5), "count": st.integers(0, 2**62)})
)


@given(ROWS)
def test_a_table_comes_back_as_it_was(rows: list[dict[str, object]]) -> None:
    """Rows and schema, empty tables included."""
    table = pa.Table.from_pylist(rows, schema=MENTIONS)
    back = decode(encode(table))
    assert back.equals(table)
    assert back.schema == MENTIONS


def test_nested_columns_come_back_as_they_were() -> None:
    """Maps, lists and structs of the entities travel too."""
    row = {
        "qid": "Q42",
        "instance_of": ["Q5"],
        "subclass_of": [],
        "sitelinks": 130,
        "titles": [("dewiki", "Douglas Adams")],
        "labels": [("mul", "Douglas Adams")],
        "lastrevid": 7,
        "statements": [{"property": "P1", "value": "x", "language": ""}],
    }
    table = pa.Table.from_pylist([row], schema=ENTITIES)
    assert decode(encode(table)).to_pylist() == table.to_pylist()


def test_equal_tables_are_equal_bytes() -> None:
    """Nothing of the moment or the machine goes into a batch."""
    table = pa.table({"title": ["a", "b"], "anchor": ["x", "y"], "count": [1, 2]}, schema=MENTIONS)
    assert encode(table) == encode(pa.Table.from_pylist(table.to_pylist(), schema=MENTIONS))


def test_repetitive_rows_travel_small() -> None:
    """Batches are compressed: they wait in memory between two transforms."""
    table = pa.table(
        {"title": ["Berlin"] * 10_000, "anchor": ["Berlin"] * 10_000, "count": [1] * 10_000}, schema=MENTIONS
    )
    assert len(encode(table)) < table.nbytes / 4
