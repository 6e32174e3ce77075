"""Marks and keys in a chunk of bytes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wikisem.links import positions as marks
from wikisem.links.positions import find_marks, key_of, keys_at, starting_with

CHUNKS = st.lists(st.sampled_from([b"[", b"]", b"<", b"&", b"Y", b"_", b"a", "é".encode()]), max_size=60).map(b"".join)


@given(CHUNKS, st.integers(2, 9))
def test_marks_are_found_across_blocks(data: bytes, block: int) -> None:
    """Every mark is found once, whatever the size of a block."""
    usual, marks._BLOCK = marks._BLOCK, block  # type: ignore[misc]
    try:
        found = find_marks(data)
    finally:
        marks._BLOCK = usual  # type: ignore[misc]
    places = range(len(data))
    assert found.tags.tolist() == [place for place in places if data[place : place + 1] == b"<"]
    assert found.entities.tolist() == [place for place in places if data[place : place + 1] == b"&"]
    assert found.brackets.tolist() == [place for place in places if data[place : place + 2] in (b"[[", b"]]")]


@given(CHUNKS)
def test_keys_hold_the_bytes_at_their_places(data: bytes) -> None:
    """A key is the next eight bytes, zeros behind the end."""
    chunk = np.frombuffer(data, np.uint8)
    keys = keys_at(chunk, np.arange(len(data)))
    assert keys.tolist() == [int(key_of(data[place:])) for place in range(len(data))]
    mask = starting_with(keys, b"[[")
    assert mask.tolist() == [data.startswith(b"[[", place) for place in range(len(data))]
