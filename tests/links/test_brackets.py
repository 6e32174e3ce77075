"""Which brackets are links, which span a position is in, and where trails end."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.links.markup import find_markup, innermost_links, span_of, with_trails

BOUNDS = st.lists(st.integers(0, 30), max_size=12).map(lambda cuts: sorted(cuts[: len(cuts) // 2 * 2]))


def contents_of(data: bytes, texts: list[int] | None = None) -> list[str]:
    """The contents of the innermost links, in one text unless others are given; a text ends with its tag."""
    data += b"</text>"
    markup = find_markup(data)
    numbers = np.zeros(len(markup.brackets), np.int64) if texts is None else np.asarray(texts, np.int64)
    return [data[start:end].decode() for start, end in zip(*innermost_links(markup, numbers), strict=True)]


@given(st.lists(st.integers(0, 31), max_size=15).map(sorted), BOUNDS)
def test_a_position_is_in_the_span_that_a_loop_finds(positions: list[int], bounds: list[int]) -> None:
    """A start is inside, an end is not; spans may be empty, touch, or be none at all."""
    spans = list(zip(bounds[0::2], bounds[1::2], strict=True))
    found = span_of(*(np.asarray(each, np.int64) for each in (positions, bounds[0::2], bounds[1::2])))
    wanted = [next((at for at, (start, end) in enumerate(spans) if start <= each < end), -1) for each in positions]
    assert found.tolist() == wanted


@pytest.mark.parametrize(
    ("data", "contents"),
    [
        (b"", []),
        (b"[[a]]", ["a"]),
        (b"[[]]", [""]),
        (b"[[a", []),
        (b"a]]", []),
        (b"]][[", []),
        (b"[[a]] b]] [[c [[d]]", ["a", "d"]),
        (b"[[[a]]]", []),
        (b"[[[[a]]]]", ["a"]),
        (b"[[a [b] c]]", ["a [b] c"]),
        (b"[[a|[b]]]", ["a|[b]"]),
        (b"[[a]]]", ["a"]),
        (b"[[[]", []),
    ],
)
def test_a_link_is_a_pair_that_closes_at_once(data: bytes, contents: list[str]) -> None:
    """Every kind of bracket too many or too few."""
    assert contents_of(data) == contents


def test_brackets_of_two_texts_are_no_pair() -> None:
    """A link that a page leaves open is not closed by the next page; brackets of no text are not there."""
    data = b"[[a [[b]] ]] [[c]]"
    assert contents_of(data) == ["b", "c"]
    assert contents_of(data, [0, 0, 1, 1, 1, 1]) == ["c"]
    assert contents_of(data, [0, -1, -1, 0, 0, 0]) == ["a [[b]] ", "c"]


@pytest.mark.parametrize(
    ("after", "trail", "taken"),
    [
        ("es car", "[a-z]+", "es"),
        ("", "[a-z]+", ""),
        (" es", "[a-z]+", ""),
        ("éa", "[a-z]+", ""),
        ("éa", "[a-zé]+", "éa"),
        ("'s", "(?:[a-z]|'(?!'))+", "'s"),
        ("''s", "(?:[a-z]|'(?!'))+", ""),
        ("[[b]]", "[a-z]+", ""),
        ("語語a", "[一-龠]+", "語語"),
    ],
)
def test_a_trail_is_the_letters_right_after_a_link(after: str, trail: str, taken: str) -> None:
    """Bytes are counted, whatever the alphabet; at the end of a chunk there is none."""
    data = f"[[a]]{after}".encode()
    end = with_trails(find_markup(data), np.array([3]), trail).tolist()[0]
    assert data[3:end].decode() == (f"]]{taken}" if taken else "")


def test_a_trail_has_a_bound() -> None:
    """A script without spaces could run on for pages: 64 bytes are more than any ending of a word has."""
    data = b"[[a]]" + b"s" * 500
    assert with_trails(find_markup(data), np.array([3]), "[a-z]+").tolist() == [5 + 64]
