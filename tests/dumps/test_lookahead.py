"""Reading ahead in a file, compared with slices of its bytes."""

import io

from hypothesis import given
from hypothesis import strategies as st

from tests.dumps.test_whole_records import CountingFile
from wikisem.dumps.lookahead import Lookahead, read_plain, size_of
from wikisem.dumps.model import Range

DATA = bytes(range(1, 101))
MOVES = ["fill", "discard", "seek", "slice", "find", "take and put back"]


@given(
    start=st.integers(0, 100),
    step=st.integers(1, 40),
    moves=st.lists(st.tuples(st.sampled_from(MOVES), st.integers(0, 110))),
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
        elif move == "seek":
            ahead.seek(number)
        elif move == "slice":
            assert ahead.slice(number, number + 7) == DATA[number : number + 7]
            data, at = ahead.view(number, number + 7)
            assert data[at : at + 7] == DATA[number : number + 7]
            assert ahead.slice(number, number - 7) == b""
        elif move == "find":
            mark, before = DATA[number : number + 3], ahead.base
            found = ahead.find(mark, 90) if mark else None
            assert found == (number if mark and before <= number < 90 else None)
            assert ahead.base == found or ahead.base >= before
        else:
            most = 1 + number % 30 if number % 2 else None
            before, data = ahead.base, ahead.read_buffered(most)
            assert data == DATA[before : before + len(data)]
            assert data or ahead.base >= len(DATA)
            assert most is None or len(data) <= most
            ahead.seek(ahead.base - len(data) + min(number, len(data)))
        assert ahead.slice(ahead.base, ahead.end) == DATA[ahead.base : ahead.end]


def test_what_is_in_front_of_the_base_goes_with_the_next_reading() -> None:
    """Until then it is held: to move forwards, and a little back, neither copies nor reads anything."""
    source = CountingFile(DATA)
    ahead = Lookahead(source, 0, 10)
    ahead.fill()
    ahead.discard(7)
    ahead.seek(3)
    assert (ahead.slice(3, 10), source.bytes_read) == (DATA[3:10], 10)
    ahead.discard(7)
    ahead.fill()
    assert (ahead.slice(7, 20), source.bytes_read) == (DATA[7:20], 20)
    assert (ahead.slice(5, 20), source.bytes_read) == (DATA[5:20], 35)


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


@given(st.integers(0, 100), st.integers(0, 100), st.integers(1, 150))
def test_a_plain_range_is_read_to_its_stop_and_then_beyond(start: int, stop: int, chunk: int) -> None:
    """The bytes inside are those of the range, each block says where it is, and the rest of the file follows."""
    start, stop = sorted((start, stop))
    blocks = list(read_plain(Range("f", "plain", start, stop), io.BytesIO(DATA), chunk))
    assert b"".join(block.data for block in blocks if block.inside) == DATA[start:stop]
    assert b"".join(block.data for block in blocks if not block.inside) == DATA[stop:]
    assert [block.inside for block in blocks] == sorted((block.inside for block in blocks), reverse=True)
    assert all(block.data and block.segment == 0 for block in blocks)
    assert all(DATA.startswith(block.data, block.offset) for block in blocks)


def test_a_plain_range_of_a_file_that_shrank_ends() -> None:
    """A file may have been cut off since it was planned: what is left is read, and nothing is waited for."""
    blocks = list(read_plain(Range("f", "plain", 90, 500), io.BytesIO(DATA), 7))
    assert b"".join(block.data for block in blocks) == DATA[90:]
    assert list(read_plain(Range("f", "plain", 300, 500), io.BytesIO(DATA), 7)) == []
