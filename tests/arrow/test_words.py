"""Words of strings are their bytes, and compare as the strings do."""

from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wikisem.arrow.columns import StringWords

texts = st.lists(st.text("aé\0東\U0001f600", max_size=6), min_size=1)


@given(texts, st.integers(0, 3), st.integers(0, 12))
def test_words_are_the_bytes(values: list[str], cut: int, at: int) -> None:
    """From any byte on, wherever a string is in its array; after its end there are zeros."""
    strings = pa.array(["before"] * cut + values)[cut:]
    words = StringWords.of(strings)
    rows = np.flatnonzero(words.lengths >= at)
    expected = [values[row].encode()[at : at + 8].ljust(8, b"\0") for row in rows]
    assert [int(word).to_bytes(8, "little") for word in words.read(rows, at)] == expected


def test_ordered_words_compare_as_strings() -> None:
    """Numbers of two strings differ as the strings do; equal ones are of equal strings, unless eight bytes are left."""
    met: Counter[str] = Counter()

    # Strings that differ after the seven bytes that a number has room for.
    @settings(max_examples=100)
    @example(["abcdefgh", "abcdefgi", "abcdefg"])
    @given(st.lists(st.sampled_from(["", "abcdefg"]).flatmap(lambda begin: st.text("aé\0東").map(begin.__add__))))
    def check(values: list[str]) -> None:
        numbers = StringWords.of(pa.array(values, pa.string())).read_ordered(np.arange(len(values)), 0).tolist()
        for first, number in zip(values, numbers, strict=True):
            for second, other in zip(values, numbers, strict=True):
                assert number == other or (number < other) == (first.encode() < second.encode())
                assert number != other or first == second or number & 0xFF == 8
                met.update(["alike"] if number == other and first != second else ["apart"] if number != other else [])

    check()
    assert min(met["alike"], met["apart"]) >= 20, met
