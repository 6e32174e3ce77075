"""Contents cut out of a chunk, and the positions of their parts, compared with slices and searches one by one."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from wikisem.links.markup import cut_out, first_position, locate_parts

CONTENTS = st.lists(st.text(st.sampled_from("a|#é日"), max_size=6))
CUTS = st.lists(st.integers(0, 40), max_size=12)


@given(CUTS, st.booleans())
def test_rows_are_slices_of_the_chunk(cuts: list[int], as_array: bool) -> None:
    """Empty rows, rows that touch, and none at all; from bytes or from an array of them."""
    data = bytes(range(65, 105))
    bounds = sorted(cuts[: len(cuts) // 2 * 2])
    starts, ends = np.asarray(bounds[0::2], np.int64), np.asarray(bounds[1::2], np.int64)
    found = cut_out(np.frombuffer(data, np.uint8) if as_array else data, starts, ends)
    assert found.type == pa.binary()
    assert found.to_pylist() == [data[start:end] for start, end in zip(bounds[0::2], bounds[1::2], strict=True)]


@given(CONTENTS)
def test_parts_are_where_a_search_finds_them(contents: list[str]) -> None:
    """The first bar, and the end of the title at the first hash in front of it; at the end where there is none."""
    parts = locate_parts(pa.array(contents, pa.string()))
    titles = [content.partition("|")[0].partition("#")[0] for content in contents]
    before_bars = [content.partition("|")[0] for content in contents]
    assert (parts.title_ends - parts.starts).tolist() == [len(title.encode()) for title in titles]
    assert (parts.bars - parts.starts).tolist() == [len(before.encode()) for before in before_bars]
    assert (parts.ends - parts.starts).tolist() == [len(content.encode()) for content in contents]


@given(CONTENTS, st.integers(-2, 20))
def test_no_content_sees_the_bytes_of_another(contents: list[str], offset: int) -> None:
    """A position in front of a content or after its end holds 0, though the next content is there."""
    parts = locate_parts(pa.array(contents, pa.string()))
    inside = [content.encode()[offset : offset + 1] if offset >= 0 else b"" for content in contents]
    assert parts.at(parts.starts + offset).tolist() == [byte[0] if byte else 0 for byte in inside]


@given(st.lists(st.booleans(), max_size=30), CUTS)
def test_the_first_position_is_that_of_a_loop(mask: list[bool], cuts: list[int]) -> None:
    """Where the mask is set nowhere in a row, its end."""
    bounds = sorted(min(cut, len(mask)) for cut in cuts[: len(cuts) // 2 * 2])
    starts, ends = np.asarray(bounds[0::2], np.int64), np.asarray(bounds[1::2], np.int64)
    found = first_position(np.asarray(mask, np.bool_), starts, ends).tolist()
    rows = zip(bounds[0::2], bounds[1::2], strict=True)
    assert found == [next((at for at in range(start, end) if mask[at]), end) for start, end in rows]
