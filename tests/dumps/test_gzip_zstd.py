"""Chains of gzip members and zstd frames: how much is read, decoded and held at a time."""

import gzip
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from tests.dumps.test_whole_records import FORMS, lines_of, write
from wikisem.dumps import Chunk, Range, read_records
from wikisem.dumps.codecs import CODECS, GZIP, ZSTD, Codec, Decoder
from wikisem.dumps.gzip_zstd import find_head, read_members
from wikisem.dumps.lookahead import Lookahead
from wikisem.dumps.model import Block

MIB = 1 << 20
# 32 MiB: 1 KiB of a zstd file, all of it blocks that repeat one byte.
MOST_AT_ONCE = 1 << 25
CODEC = pytest.mark.parametrize("codec", [GZIP, ZSTD], ids=["gzip", "zstd"])


class CountingFile(io.BytesIO):
    """A file that counts the bytes that are read from it."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.bytes_read = 0

    def read(self, size: int | None = -1, /) -> bytes:
        """The bytes, counted."""
        data = super().read(size)
        self.bytes_read += len(data)
        return data


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


def test_a_truncated_skippable_frame_is_the_end(tmp_path: Path) -> None:
    """A frame without text that says it is longer than the file takes no text with it."""
    frame = zstandard.compress(b"line\n")
    path = write(tmp_path / "dump.zst", frame + b"\x50\x2a\x4d\x18" + (999).to_bytes(4, "little") + b"short")
    found = list(read_records(Range(str(path), "zstd", 0, path.stat().st_size)))
    assert [chunk.data for chunk in found if isinstance(chunk, Chunk)] == [b"line\n"]
    assert len(found) == 1


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
        found = list(read_members(range_, replace(codec, precise=count), source, 1 << 16))
    assert b"".join(block.data for block in found if isinstance(block, Block)) == text + text
    assert made == []


@CODEC
def test_a_magic_number_alone_is_no_head(codec: Codec) -> None:
    """A head is believed once it decodes; the search ends before its limit."""
    member = FORMS["gz" if codec is GZIP else "zst"]([b"some text\n"])
    data = codec.magic + b"no member" + member
    at = len(data) - len(member)
    assert find_head(codec, Lookahead(io.BytesIO(data), 0, 5), len(data)) == at
    assert find_head(codec, Lookahead(io.BytesIO(data), 0, 5), at + 1) == at
    assert find_head(codec, Lookahead(io.BytesIO(data), 0, 5), at) is None


def test_codecs_are_named_as_their_forms_are() -> None:
    """The reader of a range looks its codec up by the form."""
    assert {name: codec.name for name, codec in CODECS.items()} == {"gzip": "gzip", "zstd": "zstd"}
