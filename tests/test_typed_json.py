"""JSON from anywhere becomes values of the types that are expected, or one error."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.errors import DamagedInputError
from wikisem.records import Counts
from wikisem.typed_json import decode_checked, decode_json, with_checksum

NOT_COUNTS = {
    "nothing": b"",
    "no JSON": b"{",
    "two values": b"{}{}",
    "no UTF-8": b'{"left_out": {"\xff": 1}}',
    "half of a character": b'{"left_out": {"\\ud800": 1}}',
    "a list": b"[]",
    "null": b"null",
    "a string for a number": b'{"read": "1"}',
    "a fraction": b'{"read": 1.5}',
    "a number beyond all": b'{"read": 1e999}',
    "a list for a mapping": b'{"left_out": []}',
    "100,000 brackets": b'{"unreadable": ' + b"[" * 100_000,
    "100,000 brackets in what is not wanted": b'{"other": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
}


@pytest.mark.parametrize("data", NOT_COUNTS.values(), ids=NOT_COUNTS)
def test_what_is_something_else_is_one_error(data: bytes) -> None:
    """With the place, what was expected, what is wrong, and what to do."""
    with pytest.raises(DamagedInputError, match=r"^a\.json: expected counts, saw .*; remove it$"):
        decode_json(data, Counts, "a.json", "counts", "remove it")


VALUES = st.dictionaries(
    st.text(), st.none() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)


@given(VALUES, st.integers(0))
def test_a_flipped_bit_never_gives_other_values(values: dict[str, object], bit: int) -> None:
    """Whole, a file with a checksum is what was written; with any bit flipped it is refused, or the same."""
    data = bytearray(orjson.dumps(with_checksum(values)))
    assert decode_checked(bytes(data), dict[str, Any], "a.json", "values") == values
    data[bit // 8 % len(data)] ^= 1 << bit % 8
    try:
        found = decode_checked(bytes(data), dict[str, Any], "a.json", "values")
    except DamagedInputError as error:
        assert str(error).startswith("a.json: expected values, saw ")
    else:
        assert {name: one for name, one in found.items() if name in values} == values


def test_a_number_without_a_digest_is_one_error() -> None:
    """More than 64 bits are no number of ours; without a checksum an object is taken as it is."""
    with pytest.raises(DamagedInputError, match=r"a\.json: expected counts, saw .*; remove it"):
        decode_checked(b'{"read": 99999999999999999999, "checksum": ""}', Counts, "a.json", "counts", "remove it")
    assert decode_checked(b'{"read": 1, "kept": 1}', Counts, "a.json", "counts") == Counts(1, 1)


@given(st.binary() | st.text(st.characters()))
def test_no_input_is_another_error(data: bytes | str) -> None:
    """Whatever the bytes or the string."""
    try:
        assert isinstance(decode_json(data, Counts, "a.json", "counts"), Counts)
    except DamagedInputError as error:
        assert str(error).startswith("a.json: expected counts, saw ")
