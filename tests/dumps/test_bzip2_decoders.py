"""Both decoders of bzip2 blocks: whichever there is, ranges give the same chunks and tell the same damage."""

import bz2
import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.dumps.bzip2_blocks import to_bytes
from tests.dumps.test_whole_records import FORMS, CountingFile, lines_of, parts_of, write
from tests.wikidata.test_chunk_reader_damage import HARMS, one_stream
from wikisem.dumps import Chunk, Damage, Range, plan_ranges, read_records
from wikisem.dumps.bzip2 import block_reader
from wikisem.dumps.bzip2.block_reader import BLOCK_MARK, END_MARK

LINES = lines_of(60, seed=11)
TEXT = b"".join(LINES)
PARTS = parts_of(TEXT, 8, seed=5)
# A block mark inside a block, where the format has room for one (see test_whole_records_damage), between others.
FALSE_MARK = bytes(
    16 * (row + 2) + place for row in range(3) for place in range(16) if BLOCK_MARK >> (47 - 16 * row - place) & 1
)
PACKED: dict[str, bytes] = {
    "one stream": one_stream(PARTS),
    "many streams": FORMS["chain.bz2"](PARTS),
    "empty streams between": bz2.compress(b"").join(bz2.compress(part) for part in PARTS),
    "garbage between": b"garbage".join(bz2.compress(part) for part in PARTS),
    "zeros at the end": FORMS["chain.bz2"](PARTS) + bytes(99),
    "false marks": b"".join(bz2.compress(part) for part in [PARTS[0], FALSE_MARK * 40, PARTS[1], FALSE_MARK * 9]),
}
TARGETS = (9_000, 40_000, 1 << 30)


def everything(path: Path, target: int) -> list[list[Chunk | Damage]]:
    """What each range of a file gives."""
    ranges = plan_ranges(str(path), target_bytes=target)
    return [list(read_records(range_, chunk_bytes=5_000)) for range_ in ranges]


def compare(path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Read a file with either decoder; how much damage there was."""
    told = 0
    for target in TARGETS:
        fast = everything(path, target)
        with monkeypatch.context() as patch:
            patch.setattr(block_reader, "native", None)
            assert fast == everything(path, target)
        told += sum(isinstance(item, Damage) for items in fast for item in items)
    return told


@pytest.mark.parametrize("name", PACKED)
def test_undamaged_files_are_read_alike(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams of every kind."""
    told = compare(write(tmp_path / "dump.bz2", PACKED[name]), monkeypatch)
    assert (told > 0) == (name == "garbage between")


@pytest.mark.slow
@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("name", PACKED)
def test_damaged_files_are_read_alike(name: str, harm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte flipped, cut and inserted, and the file cut off, range by range."""
    source = random.Random(name + harm)
    told = 0
    for number in range(4):
        at = source.randrange(len(PACKED[name]))
        data = HARMS[harm](PACKED[name], at, source.randrange(1, 256))
        data = data[: source.randrange(len(data))] if number == 3 else data
        told += compare(write(tmp_path / "dump.bz2", data), monkeypatch)
    assert told


# The head of a large block, whose tables read whatever follows as symbols.
HEAD = bz2.compress(random.Random(8).randbytes(100_000))[4:400]
NESTED = {
    "marks": to_bytes(f"{BLOCK_MARK:048b}"),
    "heads of blocks": HEAD,
    "end marks": to_bytes(f"{END_MARK:048b}"),
}


@pytest.mark.parametrize("start", [0, 5])
@pytest.mark.parametrize("name", NESTED)
@pytest.mark.parametrize("compiled", [True, False])
def test_work_grows_as_the_number_of_marks_does(
    name: str, start: int, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes that are read, and that decoders are given; each block may be as long as the longest ones are."""
    few, many = (
        _operations(b"BZh9" + HEAD + NESTED[name] * (size // len(NESTED[name])), start, compiled, monkeypatch)
        for size in (60_000, 120_000)
    )
    assert many <= 2.2 * few
    assert many <= 60 * 120_000


def _operations(data: bytes, start: int, compiled: bool, monkeypatch: pytest.MonkeyPatch) -> int:
    done, source = 0, CountingFile(data)
    python, native = bz2.BZ2Decompressor, block_reader.native

    class Counted:
        def __init__(self) -> None:
            self._decoder = python()

        def __getattr__(self, name: str) -> object:
            return getattr(self._decoder, name)

        def decompress(self, data: bytes) -> bytes:
            nonlocal done
            done += 1 + len(data)
            return self._decoder.decompress(data)

    class CountedNative:
        def __init__(self) -> None:
            assert native is not None
            self._decoder = native.BlockDecoder()

        def decode(self, data: bytes, bit: int) -> tuple[bytes, int]:
            nonlocal done
            done += len(data) - bit // 8
            return self._decoder.decode(data, bit)

    counted = SimpleNamespace(BlockDecoder=CountedNative, find_marks=native.find_marks) if compiled and native else None
    with monkeypatch.context() as patch:
        patch.setattr(block_reader, "native", counted)
        patch.setattr(bz2, "BZ2Decompressor", Counted)
        for _ in read_records(Range("dump.bz2", "bzip2", start, len(data)), lambda _: source):
            pass
    return done + source.bytes_read


def test_the_decoder_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a person can see why a run is slow."""
    if block_reader.native:
        assert "decoder in C" in block_reader.decoder_name()
    monkeypatch.setattr(block_reader, "native", None)
    assert "Python's bz2" in block_reader.decoder_name()


def test_blocks_of_real_size_need_no_slow_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The decoder in C reads whole files alone, wherever they are cut."""
    if not block_reader.native:
        pytest.skip("the decoder in C could not be compiled here")

    def refuse(*_: object) -> None:
        raise AssertionError("the slow decoder was asked")

    slow: Callable[..., object] = refuse
    monkeypatch.setattr("wikisem.dumps.bzip2.block_reader.decode_to", slow)
    text = b"".join(lines_of(700, seed=2))
    path = write(tmp_path / "dump.bz2", bz2.compress(text, 3))
    for target in (1 << 30, 10**6):
        items = [item for items in everything(path, target) for item in items]
        assert b"".join(item.data for item in items if isinstance(item, Chunk)) == text
