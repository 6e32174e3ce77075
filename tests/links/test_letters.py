"""First letters in upper case, in place."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wikisem.links.letters import changes_width, first_points, raise_first
from wikisem.wikipedia.titles import upper_first

WORDS = st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=4), min_size=1, max_size=8)


@given(WORDS, st.sampled_from(["", "tr"]))
def test_letters_are_raised_as_one_by_one(words: list[str], language: str) -> None:
    """All rows at once give what ``upper_first`` gives for each, bar those that are said to change their width."""
    encoded = [word.encode() for word in words]
    data = np.frombuffer(b"".join(encoded), np.uint8).copy()
    ends = np.cumsum([len(word) for word in encoded])
    starts = ends - [len(word) for word in encoded]
    wide = changes_width(first_points(data, starts), language)
    raise_first(data, starts[~wide], language)
    for word, start, end, skipped in zip(words, starts, ends, wide, strict=True):
        if not skipped:
            assert bytes(data[start:end]).decode() == upper_first(word, language)
        else:
            assert len(upper_first(word, language).encode()) != len(word.encode()) or ord(word[0]) > 0xFFFF
