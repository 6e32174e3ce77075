"""Reading ahead in a file, compared with slices of its bytes."""

import io

from hypothesis import given
from hypothesis import strategies as st

from tests.dumps.test_whole_records import CountingFile
from wikisem.dumps import Chunk, Damage, Range, read_records
from wikisem.dumps.model import Lookahead

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


def test_a_plain_range_of_a_file_that_shrank_ends() -> None:
    """A file may have been cut off since it was planned: what is left is read, and nothing is waited for."""

    def read(start: int) -> list[Chunk | Damage]:
        return list(read_records(Range("f", "plain", start, 500), lambda _: io.BytesIO(DATA), b"-", 7))

    assert b"".join(chunk.data for chunk in read(40) if isinstance(chunk, Chunk)) == DATA.partition(b"-")[2]
    assert read(300) == []
