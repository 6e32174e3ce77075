"""Chains of gzip members and zstd frames: how much is read, decoded and held at a time."""

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
import zstandard

from tests.dumps.test_whole_records import FORMS, CountingFile, lines_of, read, write
from wikisem.dumps import Chunk, Range, read_records
from wikisem.dumps.members import CODECS, GZIP, ZSTD, Codec, Decoder, find_head, read_members
from wikisem.dumps.model import Block, Lookahead, Retries

MIB = 1 << 20
# 32 MiB: 1 KiB of a zstd file, all of it blocks that repeat one byte.
MOST_AT_ONCE = 1 << 25
CODEC = pytest.mark.parametrize("codec", [GZIP, ZSTD], ids=["gzip", "zstd"])


def repetitive_frame(mebibytes: int) -> bytes:
    """A zstd frame of so many MiB of zeros, without ever holding them."""
    compressor = zstandard.ZstdCompressor().compressobj()
    return b"".join(compressor.compress(bytes(MIB)) for _ in range(mebibytes)) + compressor.flush()


def test_a_skippable_frame_is_not_read() -> None:
    """Its head says how long it is, so that a large one costs as much as a small one."""
    skippable = b"\x50\x2a\x4d\x18" + (64 * MIB).to_bytes(4, "little") + bytes(64 * MIB)
    frame = zstandard.compress(b"line\n")
    source = CountingFile(skippable + frame + skippable)
    blocks = list(read_members(Range("dump.zst", "zstd", 0, source.getbuffer().nbytes), ZSTD, source, MIB))
    assert blocks == [Block(b"line\n", len(skippable), 0, inside=True)]
    assert source.bytes_read < 4 * MIB


def test_a_skippable_frame_that_is_longer_than_the_file_is_told(tmp_path: Path) -> None:
    """Nothing is missing where the file ends in it; a wrong length would hide all frames after it, which are read."""
    frame, skippable = zstandard.compress(b"line\n"), b"\x50\x2a\x4d\x18" + (999).to_bytes(4, "little")
    path = write(tmp_path / "dump.zst", frame + skippable + b"short")
    texts, (damage,) = read(path, 1 << 20)
    assert (texts, damage.reason, damage.lost) == ([b"line\n"], "truncated", False)
    assert damage.where == f"{path}:{len(frame)}+0"
    assert damage.detail.startswith(f"a frame without text says that it ends at byte {len(frame) + 8 + 999}, after")
    path = write(tmp_path / "dump.zst", frame + skippable + frame + zstandard.compress(b"one\ntwo\n"))
    texts, (damage,) = read(path, 1 << 20)
    assert (texts, damage.reason, damage.lost) == ([b"line\n", b"one\ntwo\n"], "truncated", True)


def test_a_repetitive_frame_is_decoded_in_pieces() -> None:
    """32 KB of a file may be 1 GB of text, which must not come at once."""
    packed = repetitive_frame(200)
    assert len(packed) < 20_000
    found = read_members(Range("dump.zst", "zstd", 0, len(packed)), ZSTD, io.BytesIO(packed), MIB)
    sizes = [len(block.data) for block in found if isinstance(block, Block)]
    assert sum(sizes) == 200 * MIB
    assert max(sizes) <= MOST_AT_ONCE


@pytest.mark.parametrize(
    ("decoder", "packed"),
    [
        pytest.param(GZIP.precise, gzip.compress(bytes(50 * MIB), 1), id="gzip"),
        pytest.param(ZSTD.precise, repetitive_frame(50), id="zstd"),
    ],
)
def test_precise_decoders_hold_input_back(decoder: Callable[[], Decoder], packed: bytes) -> None:
    """Probes and second readings of a damaged member are as bounded as the first, and lose nothing."""
    used, sizes, data = decoder(), list[int](), packed + b"after"
    while text := used.decompress(data):
        sizes.append(len(text))
        data = b""
    assert (sum(sizes), used.eof, used.unused_data) == (50 * MIB, True, b"after")
    assert max(sizes) <= MOST_AT_ONCE


@CODEC
def test_a_sound_member_is_decoded_once(codec: Codec, tmp_path: Path) -> None:
    """The precise decoder is for probes and damage: a range without either makes none."""
    made: list[Decoder] = []

    def count() -> Decoder:
        made.append(codec.precise())
        return made[-1]

    text = b"".join(lines_of(3000))
    path = write(tmp_path / "dump", FORMS["gz" if codec is GZIP else "zst"]([text, text]))
    range_ = Range(str(path), codec.name, 0, path.stat().st_size)
    with path.open("rb") as source:
        found = list(read_members(range_, codec._replace(precise=count), source, 1 << 16))
    assert b"".join(block.data for block in found if isinstance(block, Block)) == text + text
    assert made == []


@CODEC
def test_a_magic_number_alone_is_no_head(codec: Codec) -> None:
    """A head is believed once it decodes; the search ends before its limit."""
    member = FORMS["gz" if codec is GZIP else "zst"]([b"some text\n"])
    data = codec.magic + b"no member" + member
    at = len(data) - len(member)
    assert find_head(codec, Lookahead(io.BytesIO(data), 0, 5), len(data), Retries()) == at
    assert find_head(codec, Lookahead(io.BytesIO(data), 0, 5), at + 1, Retries()) == at
    assert find_head(codec, Lookahead(io.BytesIO(data), 0, 5), at, Retries()) is None


# A block of 2 ** 17 bytes that goes on after whatever comes next: raw, and compressed.
RAW, PACKED = ((1 << 20 | kind << 1).to_bytes(3, "little") for kind in (0, 2))
# Heads of members of which each is in the one before.
NESTED: dict[str, tuple[Codec, bytes]] = {
    "stored blocks": (GZIP, b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + b"\0\xff\xff\0\0"),
    "names without an end": (GZIP, b"\x1f\x8b\x08\x08\1\1\1\1\1\xff"),
    "magic numbers of gzip": (GZIP, GZIP.magic),
    "raw blocks": (ZSTD, ZSTD.magic + b"\0\x50" + RAW),
    "compressed blocks": (ZSTD, ZSTD.magic + b"\0\x50" + PACKED),
    "magic numbers of zstd": (ZSTD, ZSTD.magic),
    "empty members": (GZIP, gzip.compress(b"", mtime=0)),
    "empty frames": (ZSTD, zstandard.compress(b"")),
    "skippable frames": (ZSTD, b"\x50\x2a\x4d\x18" + bytes(4)),
}


@pytest.mark.parametrize("name", NESTED)
@pytest.mark.parametrize("start", [0, 5])
def test_work_grows_as_the_number_of_heads_does(name: str, start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes read and decoded; each head inside others may be decoded to the end of the file before it fails."""
    codec, head = NESTED[name]
    few, many = (_operations(codec, head * count, start, monkeypatch) for count in (5_000, 10_000))
    assert many <= 2.2 * few
    assert many <= 60 * 10_000 * len(head) + (1 << 20)


def _operations(codec: Codec, data: bytes, start: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many bytes decoders are given, and are read from the file, until a range of it is read."""
    done, source = 0, CountingFile(data)

    class Counted:
        def __init__(self, decoder: Decoder) -> None:
            self._decoder = decoder

        def __getattr__(self, name: str) -> object:
            return getattr(self._decoder, name)

        def decompress(self, data: bytes, max_length: int = -1) -> bytes:
            nonlocal done
            done += 1 + len(data)
            return self._decoder.decompress(data, max_length)

    def fast() -> Decoder:
        return cast(Decoder, Counted(codec.fast()))

    def precise() -> Decoder:
        return cast(Decoder, Counted(codec.precise()))

    counted = codec._replace(fast=fast, precise=precise)
    monkeypatch.setitem(CODECS, codec.name, counted)
    for _ in read_records(Range("dump", codec.name, start, len(data)), lambda _: source):
        pass
    return done + source.bytes_read


@CODEC
def test_heads_that_do_not_decode_are_told_where_a_range_begins(codec: Codec) -> None:
    """Passed over after some tries, they could hide the first member of the range from all that read."""
    nested = NESTED["names without an end" if codec is GZIP else "compressed blocks"][1] * 2000
    member = FORMS["gz" if codec is GZIP else "zst"]([b"rest of a line\nline\n"])
    data = b"before" + nested + bytes(1 << 19) + member
    found = list(read_records(Range("dump", codec.name, 5, len(data)), lambda _: io.BytesIO(data)))
    assert [item.data for item in found if isinstance(item, Chunk)] == [b"line\n"]
    (damage,) = (item for item in found if not isinstance(item, Chunk))
    assert (damage.reason, damage.where, damage.lost) == ("garbage", "dump:5+0", True)


def test_codecs_are_named_as_their_forms_are() -> None:
    """The reader of a range looks its codec up by the form."""
    assert {name: codec.name for name, codec in CODECS.items()} == {"gzip": "gzip", "zstd": "zstd"}


@CODEC
@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_a_damaged_member_is_told_once_wherever_ranges_meet(codec: Codec, place: int, tmp_path: Path) -> None:
    """The range after it looks for a member that decodes, so the one before tells of the damage."""
    texts = [b"".join(b"%d %d\n" % (number, line) for line in range(9)) for number in range(4)]
    members = [FORMS["gz" if codec is GZIP else "zst"]([text]) for text in texts]
    members[place] = members[place][:4] + b"\xff" * (len(members[place]) - 4)
    path = write(tmp_path / "dump", b"".join(members))
    size, expected = path.stat().st_size, texts[:place] + texts[place + 1 :]
    for border in range(1, size):
        ranges = [Range(str(path), codec.name, 0, border), Range(str(path), codec.name, border, size)]
        found = [piece for range_ in ranges for piece in read_records(range_)]
        lines = b"".join(piece.data for piece in found if isinstance(piece, Chunk)).splitlines()
        # A record that damage may have cut is not used: of the lines after it the first may be left out.
        assert set(b"".join(expected).splitlines()) - set(lines) <= {b"%d 0" % (place + 1)}, border
        assert len(lines) == len(set(lines)), border
        assert len([piece for piece in found if not isinstance(piece, Chunk)]) == 1, border
