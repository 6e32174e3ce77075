"""Records of ranges: every record in exactly one range, in every form and however it is cut."""

import bz2
import gzip
import io
import itertools
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wikisem.dumps import Chunk, Damage, Opener, Range, plan_ranges, read_records, whole_records

Wrap = Callable[[list[bytes]], bytes]


class CountingFile(io.BytesIO):
    """A file that counts the bytes that are read from it, and keeps how far it was read."""

    bytes_read = furthest = 0

    def read(self, size: int | None = -1, /) -> bytes:
        """The bytes, counted, and a note of where they end."""
        data = super().read(size)
        self.bytes_read += len(data)
        self.furthest = max(self.furthest, self.tell())
        return data


def _plain(parts: list[bytes]) -> bytes:
    return b"".join(parts)


def _gzip_chain(parts: list[bytes]) -> bytes:
    return b"".join(gzip.compress(part, mtime=0) for part in parts)


def _bzip2_single(parts: list[bytes]) -> bytes:
    return bz2.compress(b"".join(parts), 1)


def _bzip2_chain(parts: list[bytes]) -> bytes:
    return b"".join(bz2.compress(part, 1 + number % 9) for number, part in enumerate(parts))


def _zstd_chain(parts: list[bytes]) -> bytes:
    return b"".join(zstandard.ZstdCompressor(write_checksum=True).compress(part) for part in parts)


# How compressed files begin: bzip2, gzip, zstd and its skippable frames.
MAGIC = (b"BZh", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", *(bytes([0x50 + number]) + b"\x2a\x4d\x18" for number in range(16)))

FORMS: dict[str, Wrap] = {
    "plain": _plain,
    "gz": _gzip_chain,
    "single.bz2": _bzip2_single,
    "chain.bz2": _bzip2_chain,
    "zst": _zstd_chain,
}
FORM = pytest.mark.parametrize("form", FORMS)


def lines_of(count: int, seed: int = 7) -> list[bytes]:
    """Lines of very different lengths that do not compress well, so that files have many blocks."""
    source = random.Random(seed)
    return [
        f"{number} ".encode() + source.randbytes(source.choice([0, 9, 300, 5000])).hex().encode() + b"\n"
        for number in range(count)
    ]


def parts_of(text: bytes, count: int, seed: int = 3) -> list[bytes]:
    """Text cut at random places, not at the ends of lines."""
    source = random.Random(seed)
    cuts = sorted(source.randrange(len(text) + 1) for _ in range(count - 1))
    return [text[start:stop] for start, stop in itertools.pairwise([0, *cuts, len(text)])]


def read(path: Path, target: int, delimiter: bytes = b"\n", chunk: int = 1 << 16) -> tuple[list[bytes], list[Damage]]:
    """What all ranges of a file give: the chunks' texts and the damage."""
    data, damage = [], []
    for range_ in plan_ranges(str(path), target_bytes=target):
        for item in read_records(range_, delimiter=delimiter, chunk_bytes=chunk):
            if isinstance(item, Damage):
                damage.append(item)
            else:
                assert item.data
                data.append(item.data)
    return data, damage


def write(path: Path, data: bytes) -> Path:
    """The file itself, written."""
    path.write_bytes(data)
    return path


@FORM
def test_every_line_is_in_exactly_one_range(form: str, tmp_path: Path) -> None:
    """Whatever the size of the ranges, their records in order are the file."""
    text = b"".join(lines_of(120))
    path = write(tmp_path / f"dump.{form}", FORMS[form](parts_of(text, 20)))
    for target in (9_000, 50_000, 10**9):
        data, damage = read(path, target)
        assert b"".join(data) == text
        assert all(chunk.endswith(b"\n") for chunk in data)
        assert damage == []


@FORM
@settings(max_examples=15, deadline=None)
@given(
    lines=st.lists(st.binary(max_size=60).map(lambda line: line.replace(b"\n", b"")), max_size=30),
    cuts=st.lists(st.floats(0, 1), max_size=8),
    target=st.integers(20, 400),
    chunk=st.integers(1, 200),
    final=st.booleans(),
)
def test_random_files_are_read_as_the_plain_decoder_reads_them(
    form: str,
    lines: list[bytes],
    cuts: list[float],
    target: int,
    chunk: int,
    final: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Random lines in random members, cut into ranges of random size, with and without a final newline."""
    text = b"\n".join(lines) + (b"\n" if final and lines else b"")
    # A file is told by how it begins: a plain one that begins like another is taken for that.
    assume(form != "plain" or not text.startswith(MAGIC))
    at = sorted(round(cut * len(text)) for cut in cuts)
    parts = [text[start:stop] for start, stop in itertools.pairwise([0, *at, len(text)])]
    path = write(tmp_path_factory.mktemp("random") / f"dump.{form}", FORMS[form](parts))
    data, damage = read(path, target, chunk=chunk)
    assert b"".join(data) == text
    assert damage == []
    assert all(piece.endswith(b"\n") for piece in data[:-1])


@FORM
def test_long_delimiters_may_lie_across_borders(form: str, tmp_path: Path) -> None:
    """XML pages are whole in their chunks at every size of range, and what follows the last one comes too."""
    pages = [b"<page>" + b"x" * (number % 7) + str(number).encode() + b"</page>" for number in range(60)]
    text = b"".join(pages) + b"</mediawiki>"
    path = write(tmp_path / f"dump.{form}", FORMS[form](parts_of(text, 25)))
    for target in (*range(1, 400, 37), 2_000):
        data, damage = read(path, target, b"</page>", chunk=50)
        assert b"".join(data) == text
        assert damage == []
        assert all(chunk.endswith((b"</page>", b"</mediawiki>")) for chunk in data)


@FORM
def test_a_line_longer_than_several_ranges_is_whole(form: str, tmp_path: Path) -> None:
    """Ranges without the beginning of any record give nothing, and take nothing from the record that crosses them."""
    long = random.Random(1).randbytes(300_000).hex().encode()
    text = b"first\n" + long + b"\nlast\n"
    path = write(tmp_path / f"dump.{form}", FORMS[form](parts_of(text, 12)))
    data, damage = read(path, 20_000)
    assert b"".join(data) == text
    assert damage == []
    assert len([chunk for chunk in data if long in chunk]) == 1


@pytest.mark.parametrize(
    ("form", "empty"),
    [("gz", gzip.compress(b"", mtime=0)), ("bz2", bz2.compress(b"")), ("zst", zstandard.compress(b""))],
)
def test_empty_members_are_no_damage(form: str, empty: bytes, tmp_path: Path) -> None:
    """A compressed nothing may be alone, at the start, in the middle and at the end."""
    one, two = (FORMS["chain.bz2" if form == "bz2" else form]([line]) for line in (b"one\n", b"two\n"))
    for target in (7, 10**6):
        assert read(write(tmp_path / f"alone.{form}", empty), target) == ([], [])
        path = write(tmp_path / f"several.{form}", empty + one + empty + empty + two + empty)
        data, damage = read(path, target)
        assert (b"".join(data), damage) == (b"one\ntwo\n", [])


@FORM
def test_places_lead_back_to_the_text(form: str, tmp_path: Path) -> None:
    """A place is the unit's offset in the file, and the text's offset from there."""
    lines = lines_of(60)
    path = write(tmp_path / f"dump.{form}", FORMS[form](parts_of(b"".join(lines), 9)))
    raw = path.read_bytes()
    decode: dict[str, Callable[[bytes], bytes]] = {
        "plain": bytes,
        "gz": gzip.decompress,
        "chain.bz2": bz2.decompress,
        "single.bz2": bytes,
        "zst": lambda data: zstandard.ZstdDecompressor().decompressobj(read_across_frames=True).decompress(data),
    }
    seen = 0
    for range_ in plan_ranges(str(path), target_bytes=2_000):
        for chunk in read_records(range_, chunk_bytes=1_000):
            assert isinstance(chunk, Chunk)
            position = chunk.data.index(b"\n") + 1
            found = re.fullmatch(re.escape(str(path)) + r":(?:(\d+)\+)?(\d+)", chunk.location(position))
            assert found is not None
            if form != "single.bz2":
                unit = int(found[1] or 0) - (4 if form == "chain.bz2" else 0)
                text = decode[form](raw[max(unit, 0) :])
                assert text[int(found[2]) :].startswith(chunk.data[position:])
            seen += 1
    assert seen > 1


def opened(text: bytes) -> Opener:
    """An opener of a file with this text, whatever its path."""
    return lambda _path: io.BytesIO(text)


def owned(text: bytes, start: int, stop: int, delimiter: bytes) -> bytes:
    """What the definition gives to a range: from the first delimiter at or after its start to that after its stop."""

    def end_after(offset: int) -> int:
        found = text.find(delimiter, offset)
        return len(text) if found < 0 else found + len(delimiter)

    return text[end_after(start) if start else 0 : end_after(stop)]


@pytest.mark.parametrize("delimiter", [b"b", b"ab", b"aab"])
@pytest.mark.parametrize("chunk", [1, 100])
def test_every_range_of_every_short_text_gives_what_it_owns(
    delimiter: bytes, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All texts of up to six letters and all borders, with text after the range that comes byte by byte."""
    monkeypatch.setattr("wikisem.dumps.model.STEP", 16)  # one sixteenth of it is read at a time after a range
    empty = 0
    for length in range(1, 7):
        for letters in itertools.product(b"ab", repeat=length):
            text = bytes(letters)
            for start, stop in itertools.combinations(range(length + 1), 2):
                range_ = Range("f", "plain", start, stop)
                chunks = list(read_records(range_, opened(text), delimiter, chunk))
                given = b"".join(each.data for each in chunks if isinstance(each, Chunk))
                assert given == owned(text, start, stop, delimiter), (text, start, stop)
                empty += not given
    assert empty > 100


def test_a_range_without_the_start_of_a_record_stops_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside a record that is longer than many ranges, each reads itself and a few bytes more, not the whole record."""
    monkeypatch.setattr("wikisem.dumps.model.STEP", 16)
    source = CountingFile(b"x" * 1000 + b"</page>" + b"y" * 1000)
    assert list(read_records(Range("f", "plain", 100, 200), lambda _: source, b"</page>", 10)) == []
    assert source.furthest < 220


@pytest.mark.parametrize("form", ["gz", "zst", "chain.bz2"])
def test_borders_at_and_beside_the_start_of_a_member_lose_and_repeat_nothing(form: str, tmp_path: Path) -> None:
    """Three ranges whose borders are every pair of: one byte in front of a member, at its start, one byte after it."""
    parts = [b"one\ntw", b"o\nthree", b"\n", b"four\nfi", b"ve"]
    members = [FORMS[form]([part]) for part in parts]
    path = write(tmp_path / f"dump.{form}", b"".join(members))
    heads = list(itertools.accumulate(map(len, members)))
    borders = [head + beside for head in heads[:-1] for beside in (-1, 0, 1)]
    (whole,) = plan_ranges(str(path))
    for one, other in itertools.combinations(borders, 2):
        ranges = [
            replace(whole, start=start, stop=stop) for start, stop in itertools.pairwise([0, one, other, heads[-1]])
        ]
        found = [chunk for range_ in ranges for chunk in read_records(range_)]
        assert b"".join(chunk.data for chunk in found if isinstance(chunk, Chunk)) == b"".join(parts), (one, other)
        assert all(isinstance(chunk, Chunk) for chunk in found)


@pytest.mark.parametrize("stop", [200, 10**9], ids=["after the range", "in the range"])
def test_a_record_of_many_pieces_is_joined_a_few_times(stop: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each member of one byte could else have all that came before it copied and searched again."""
    assembler = whole_records._RecordAssembler
    join, copied = assembler._join, 0

    def count(self: whole_records._RecordAssembler) -> bytes:
        nonlocal copied
        text = join(self)
        copied += len(text)
        return text

    monkeypatch.setattr(assembler, "_join", count)
    start, pieces = b"first\n" + b"x" * 100_000, [b"y"] * 20_000 + [b"</pa", b"ge>", b"last"]
    data = FORMS["gz"]([start, *pieces])
    range_ = Range("dump.gz", "gzip", 0, min(stop, len(data)))
    chunks = list(read_records(range_, opened(data), b"</page>", 1_000))
    texts = [start + b"".join(pieces[:-1]), b"last"]
    assert [chunk.data for chunk in chunks if isinstance(chunk, Chunk)] == texts[: 1 if stop == 200 else 2]
    assert copied < 10 * len(texts[0])
