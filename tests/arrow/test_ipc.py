"""Tables as bytes."""

import numpy as np
import pyarrow as pa
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from wikisem.arrow.columns import decode, decode_numbers, encode, encode_numbers
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


@pytest.mark.parametrize("number", [1, 500, 5000])
def test_small_and_large_tables_take_less_room_than_their_values(number: int) -> None:
    """Each kind of compression, and both come back."""
    rows = [{"title": f"Title {number % 50}", "anchor": f"the anchor {number}", "count": 1} for number in range(number)]
    table = pa.Table.from_pylist(rows, schema=MENTIONS)
    assert decode(encode(table)).equals(table)
    assert number == 1 or len(encode(table)) < 0.6 * table.nbytes


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


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_numbers_come_back_as_they_were(values: list[int]) -> None:
    """In any order, of any sign, and where the difference of two neighbours does not fit into 64 bits."""
    assert decode_numbers(encode_numbers(np.asarray(values, np.int64))).tolist() == values


def test_ascending_numbers_travel_small() -> None:
    """Item numbers of a range are close to each other: their differences compress better than they do."""
    numbers = np.cumsum(np.random.default_rng(4).integers(1, 9, 20_000)) + 10**8
    assert len(encode_numbers(numbers)) < 0.75 * len(zstandard.compress(numbers.tobytes()))
    assert len(encode_numbers(numbers)) < numbers.nbytes / 10


@pytest.mark.parametrize("rows", [0, 1, 70_000])
def test_any_number_of_rows_travels_in_one_stream(rows: int) -> None:
    """No rows, one, and more than a batch of Arrow's has."""
    table = pa.table({"n": pa.array(range(rows), pa.int64())})
    assert decode(encode(table)).equals(table)
