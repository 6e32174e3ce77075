"""The checksums of bzip2 streams: whatever blocks are moved, lost or doubled, what Python's bz2 refuses is reported."""

import bz2
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dumps.test_whole_records import write
from tests.wikidata.test_chunk_reader_damage import one_stream
from wikisem.dumps import Chunk, Damage, StreamPart, join_streams, plan_ranges, read_ranges, read_records

TEXTS = [f"{number} ".encode() + random.Random(number).randbytes(60).hex().encode() + b"\n" for number in range(8)]


def read(path: Path, target: int) -> tuple[bytes, list[Damage]]:
    """The text of a file that is cut into ranges, and the damage."""
    found = list(read_ranges(plan_ranges(str(path), target_bytes=target)))
    text = b"".join(one.data for one in found if isinstance(one, Chunk))
    return text, [one for one in found if isinstance(one, Damage)]


def refused(data: bytes) -> bool:
    """Whether Python's bz2 takes a file for damaged."""
    try:
        bz2.decompress(data)
    except OSError:
        return True
    return False


CHANGES: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "swapped": lambda texts: [*texts[1::-1], *texts[2:]],
    "missing": lambda texts: texts[1:],
    "missing last": lambda texts: texts[:-1],
    "twice": lambda texts: [*texts[:1], *texts],
    "all twice": lambda texts: [*texts, *texts],
    "another": lambda texts: [*texts[:-1], b"another\n"],
}


@pytest.mark.parametrize("change", CHANGES)
def test_blocks_that_a_stream_should_not_have_are_told_once(change: str, tmp_path: Path) -> None:
    """Wherever it is cut into ranges; all that decodes is used, and what follows it is sound."""
    changed, other = CHANGES[change](TEXTS), TEXTS[::-1]
    data = one_stream(changed, TEXTS) + one_stream(other)
    path = write(tmp_path / "dump.bz2", data)
    assert refused(data)
    told = set()
    for target in (*range(20, 200, 7), 300, 10**9):
        text, damage = read(path, target)
        assert text == b"".join([*changed, *other])
        assert [(one.reason, one.lost) for one in damage] == [("checksum", False)]
        told.add(damage[0])
    assert len(told) == 1
    assert "some are missing, there twice, or out of order" in told.pop().detail


def test_what_bz2_refuses_is_told_and_nothing_else(tmp_path: Path) -> None:
    """Many streams, each whole or changed, cut at any bytes: one damage for each stream that bz2 refuses."""
    seen = Counter[object]()

    @settings(max_examples=100)
    @given(
        streams=st.lists(
            st.tuples(st.lists(st.sampled_from(TEXTS), min_size=2, max_size=6), st.sampled_from(["", *CHANGES])),
            min_size=1,
            max_size=4,
        ),
        whole=st.booleans(),
        target=st.integers(10, 1500),
    )
    def check(streams: list[tuple[list[bytes], str]], whole: bool, target: int) -> None:
        streams = [(texts, "" if whole else change) for texts, change in streams]
        given_ = [CHANGES[change](texts) if change else texts for texts, change in streams]
        packed = [one_stream(texts, named) for texts, (named, _) in zip(given_, streams, strict=True)]
        path = write(tmp_path / "dump.bz2", b"".join(packed))
        text, damage = read(path, target)
        assert text == b"".join(map(b"".join, given_))
        assert [one.reason for one in damage] == ["checksum"] * sum(map(refused, packed))
        seen.update({bool(damage): 1, "ranges": len(plan_ranges(str(path), target_bytes=target))})

    check()
    assert min(seen[True], seen[False]) > 10
    assert seen["ranges"] > 200


def test_a_range_alone_tells_of_the_streams_that_lie_in_it(tmp_path: Path) -> None:
    """What crosses its border is left to all ranges together."""
    inner = one_stream(TEXTS[1:], TEXTS)
    data = one_stream(TEXTS) + inner + one_stream(TEXTS)
    path, first = write(tmp_path / "dump.bz2", data), write(tmp_path / "first.bz2", inner)
    (whole,) = plan_ranges(str(first))
    assert [one.reason for one in read_records(whole) if isinstance(one, Damage)] == ["checksum"]
    for target, expected in ((len(data) - 9, [["checksum"], []]), (len(data) // 2 + 1, [[], []])):
        ranges = plan_ranges(str(path), target_bytes=target)
        assert [
            [one.reason for one in read_records(range_) if isinstance(one, Damage)] for range_ in ranges
        ] == expected
        assert len(read(path, target)[1]) == 1


def test_damage_that_is_told_is_not_told_again_by_the_checksum(tmp_path: Path) -> None:
    """A block that cannot be decoded is why the checksum of its stream would not fit."""
    data = bytearray(one_stream(TEXTS) + one_stream(TEXTS, TEXTS[:-1]))
    data[len(one_stream(TEXTS[:1])) + 30] ^= 255
    for target in (*range(20, 200, 13), 10**9):
        _, damage = read(write(tmp_path / "dump.bz2", bytes(data)), target)
        assert [one.reason for one in damage if one.reason != "torn-record"] == ["undecodable", "checksum"]


def test_a_damaged_head_hides_blocks_and_that_is_told_once(tmp_path: Path) -> None:
    """The first block has lost its mark, so that the checksum of its stream cannot be compared."""
    data = bytes(12) + one_stream(TEXTS)[12:] + one_stream(TEXTS)
    for target in (*range(20, 200, 13), 10**9):
        text, damage = read(write(tmp_path / "dump.bz2", data), target)
        assert text == b"".join([*TEXTS[2:], *TEXTS])  # the first line after damage may be what is left of one
        assert [one.reason for one in damage] == ["garbage"]


def test_streams_of_many_files_are_joined_file_by_file(tmp_path: Path) -> None:
    """In whatever order their ranges come; one that was cut short does not spoil the next."""
    cut, swapped, whole = one_stream(TEXTS)[:-90], one_stream(TEXTS[::-1], TEXTS), one_stream(TEXTS)
    paths = [write(tmp_path / f"{place}.bz2", data) for place, data in enumerate((cut, swapped, whole))]
    parts: list[StreamPart] = []
    for path in paths:
        for range_ in plan_ranges(str(path), target_bytes=100):
            list(read_records(range_, on_stream=parts.append))
    random.Random(1).shuffle(parts)
    assert [one.where.rpartition(":")[0] for one in join_streams(parts)] == [str(paths[1])]


def test_a_file_that_ends_within_the_checksum_of_its_stream_was_cut_short(tmp_path: Path) -> None:
    """All of its text is there; Python's bz2 waits for more."""
    data = one_stream(TEXTS)
    for cut in (1, 3, 4):
        for target in (50, 10**9):
            text, damage = read(write(tmp_path / "dump.bz2", data[:-cut]), target)
            assert text == b"".join(TEXTS)
            assert [(one.reason, one.lost) for one in damage] == [("truncated", False)]
