"""Reading ahead in a file, compared with slices of its bytes."""

import doctest
import io

from hypothesis import given
from hypothesis import strategies as st

import wikisem.dumps.lookahead
import wikisem.dumps.model
from wikisem.dumps.lookahead import Lookahead, size_of

DATA = bytes(range(1, 101))


def test_worked_examples_hold() -> None:
    """The examples in the docstrings are run."""
    assert doctest.testmod(wikisem.dumps.lookahead).failed == 0
    assert doctest.testmod(wikisem.dumps.lookahead).attempted > 0
    assert doctest.testmod(wikisem.dumps.model).failed == 0
    assert doctest.testmod(wikisem.dumps.model).attempted > 0


@given(
    start=st.integers(0, 100),
    step=st.integers(1, 40),
    moves=st.lists(st.tuples(st.sampled_from(["fill", "discard", "slice", "take and put back"]), st.integers(0, 110))),
)
def test_any_sequence_of_moves_keeps_base_and_bytes_together(
    start: int, step: int, moves: list[tuple[str, int]]
) -> None:
    """Whatever was read, forgotten and put back, the bytes held are those of the file from ``base`` on."""
    ahead = Lookahead(io.BytesIO(DATA), start, step)
    for move, number in moves:
        if move == "fill":
            ahead.fill()
        elif move == "discard":
            ahead.discard(number)
        elif move == "slice":
            assert ahead.slice(number, number + 7) == DATA[number : number + 7]
        else:
            data = ahead.read_buffered()
            assert data or ahead.base >= len(DATA)
            ahead.unread(data[min(number, len(data)) :])
        assert ahead.data == DATA[ahead.base : ahead.end]


def test_zeros_are_skipped_across_steps() -> None:
    """Padding may be longer than what is read at once; the next byte stays, and so does the end."""
    ahead = Lookahead(io.BytesIO(bytes(50) + b"x"), 3, 4)
    ahead.skip_zeros()
    assert (ahead.base, ahead.slice(50, 51)) == (50, b"x")
    ahead.seek(51)
    ahead.skip_zeros()
    assert ahead.base == 51


def test_the_size_of_a_file_does_not_depend_on_where_it_is_open() -> None:
    """It is measured from its end."""
    source = io.BytesIO(DATA)
    source.seek(40)
    assert size_of(source) == 100
