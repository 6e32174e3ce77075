"""Damaged dumps: what was whole is read, at most the touched lines are lost, and every loss is reported once."""

import bz2
import gzip
import itertools
import random
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from tests.dumps.bzip2_blocks import block_of_column, last_column, stream_of
from tests.dumps.test_whole_records import FORMS, parts_of, read, write
from wikisem.dumps import Chunk, Damage, Range, plan_ranges, read_records
from wikisem.dumps.bzip2.block_reader import BLOCK_MARK, find_marks

COMPRESSED = [form for form in FORMS if form != "plain"]
LINES = [
    f"{number:05} ".encode() + random.Random(number).randbytes(40).hex().encode() + b"\n" for number in range(2000)
]
TEXT = b"".join(LINES)
PARTS = parts_of(TEXT, 20)


def touched(start: int, stop: int) -> set[bytes]:
    """The lines that have a byte between two offsets of the text, or next to them."""
    size = len(LINES[0])
    return set(LINES[max(0, (start - 1) // size) : stop // size + 1])


@pytest.mark.parametrize("form", COMPRESSED)
def test_a_truncated_file_gives_what_was_whole(form: str, tmp_path: Path) -> None:
    """Cut off anywhere, each line that was whole in a unit that decodes is there, and the loss is reported."""
    packed = FORMS[form](PARTS)
    for at in random.Random(form).sample(range(len(packed) // 2, len(packed) - 20), 12):
        data, damage = read(write(tmp_path / f"dump.{form}", packed[:at]), 30_000)
        text = b"".join(data)
        assert TEXT.startswith(text)
        assert not text or text.endswith(b"\n")
        assert damage or at in _borders(form)


def _borders(form: str) -> set[int]:
    return set(itertools.accumulate(len(FORMS[form]([part])) for part in PARTS))


def test_a_truncated_gzip_member_is_used_to_its_last_whole_line(tmp_path: Path) -> None:
    """As much as zlib can give of the member is read; the beginning of a line that is left over is reported."""
    packed = gzip.compress(TEXT, mtime=0)
    for at in (len(packed) // 2, len(packed) - 9, len(packed) - 3):
        data, damage = read(write(tmp_path / "dump.gz", packed[:at]), 10**9)
        known = zlib.decompressobj(31).decompress(packed[:at])
        assert b"".join(data) == known[: known.rindex(b"\n") + 1]
        assert damage[-1].reason == "truncated"
        assert (len(damage) == 2) == (not known.endswith(b"\n"))


@pytest.mark.parametrize("form", COMPRESSED)
def test_trailing_garbage_is_told_and_costs_nothing(form: str, tmp_path: Path) -> None:
    """What follows the last unit is not text; zeros, as tapes and disks leave them, are not even reported."""
    packed = FORMS[form](PARTS)
    for target in (30_000, 10**9):
        data, damage = read(write(tmp_path / f"dump.{form}", packed + b"garbage" * 99), target)
        assert b"".join(data) == TEXT
        assert [found.reason for found in damage] == ["garbage"]
        assert read(write(tmp_path / f"dump.{form}", packed + bytes(999)), target) == (data, [])
    assert read(write(tmp_path / f"dump.{form}", packed + bytes(3 << 20)), 10**9) == (data, [])


@pytest.mark.parametrize("form", ["gz", "chain.bz2", "zst"])
def test_garbage_between_units_costs_at_most_the_lines_at_its_border(form: str, tmp_path: Path) -> None:
    """The next unit is found after any garbage, which is reported once."""
    one, two = FORMS[form](PARTS[:10]), FORMS[form](PARTS[10:])
    border = len(b"".join(PARTS[:10]))
    for garbage in (b"x", b"\0\1\2" * 50):
        for target in (30_000, 10**9):
            data, damage = read(write(tmp_path / f"dump.{form}", one + garbage + two), target)
            lost = set(LINES) - set(b"".join(data).splitlines(keepends=True))
            assert lost <= touched(border, border)
            assert [found.reason for found in damage if found.reason != "torn-record"] == ["garbage"]


@pytest.mark.parametrize("form", ["gz", "zst"])
def test_a_member_that_cannot_be_begun_is_told_wherever_ranges_meet(form: str, tmp_path: Path) -> None:
    """Damaged at its first block, it is not a head to the range that begins with it, which looks for the next one."""
    members = [bytearray(FORMS[form]([part])) for part in PARTS[:3]]
    at = 10 if form == "gz" else 8
    members[1][at : at + 8] = b"\xff" * 8
    path = write(tmp_path / f"dump.{form}", b"".join(members))
    (whole,) = plan_ranges(str(path), target_bytes=10**9)
    head = len(members[0])
    for border in range(head - 2, head + 3):
        ranges = [replace(whole, stop=border), replace(whole, start=border)]
        found = [item for one in ranges for item in read_records(one)]
        damage = [item for item in found if isinstance(item, Damage) and item.reason != "torn-record"]
        assert [(item.reason, item.where, item.lost) for item in damage] == [("undecodable", f"{path}:{head}+0", True)]
        lines = b"".join(item.data for item in found if isinstance(item, Chunk)).splitlines(keepends=True)
        lost = set(b"".join(PARTS[:3]).splitlines(keepends=True)) - set(lines)
        assert lost <= touched(len(PARTS[0]), len(PARTS[0] + PARTS[1]))
        assert len(lines) == len(set(lines))


def test_a_wrong_checksum_is_told_and_the_text_is_used(tmp_path: Path) -> None:
    """Which bytes of a member are wrong is unknown, so its lines stay and its place is reported."""
    parts = [TEXT[:5000], TEXT[5000:10000], TEXT[10000:15000]]
    members = [bytearray(gzip.compress(part, mtime=0)) for part in parts]
    members[1][-6] ^= 1
    path = write(tmp_path / "dump.gz", b"".join(members))
    data, damage = read(path, 10**9)
    assert b"".join(data) == TEXT[:15000]
    assert [(found.reason, found.lost) for found in damage] == [("checksum", False)]
    assert damage[0].where == f"{path}:{len(members[0])}+5000"


def test_a_false_block_mark_is_no_block(tmp_path: Path) -> None:
    """A mark inside a block is passed over, also where a range begins between the block and the false mark."""
    packed, false = _block_with_false_mark()
    text = bz2.decompress(packed)
    assert [mark // 8 for mark in find_marks(packed, BLOCK_MARK)] == [4, false]
    for target in (*range(false - 2, false + 3), 10**9):
        data, damage = read(write(tmp_path / "dump.bz2", packed), target)
        assert b"".join(data) == text
        assert damage == []


def _block_with_false_mark() -> tuple[bytes, int]:
    """A bzip2 stream with the bits of a block mark in its block's unused part, and the byte where they are.

    The list of symbols in use is 16 bits and up to 16 times 16 bits of a block's head: data with the right bytes has
    the mark there. A mark's three words are the used bytes of three ranges of sixteen.
    """
    words = [BLOCK_MARK >> 32, BLOCK_MARK >> 16 & 0xFFFF, BLOCK_MARK & 0xFFFF]
    used = [16 * (row + 2) + place for row, word in enumerate(words) for place in range(16) if word >> (15 - place) & 1]
    head = 4 + 6 + 4 + 3 + 2  # stream header, mark, checksum, origin, which rows are in use
    return bz2.compress(bytes(used) * 40), head


def test_all_false_marks_of_one_block_are_no_blocks(tmp_path: Path) -> None:
    """Several of them, in ranges that begin between any two, after blocks that are smaller than the search for one."""
    packed, false = _block_with_false_marks()
    text = b"".join(LINES[:3]) + b"banana bandana" + b"".join(LINES[3:5])
    path = write(tmp_path / "dump.bz2", bz2.compress(b"".join(LINES[:3])) + packed + bz2.compress(b"".join(LINES[3:5])))
    begin = len(bz2.compress(b"".join(LINES[:3])))
    marks = find_marks(path.read_bytes(), BLOCK_MARK)
    assert [mark // 8 for mark in marks[2:-1]] == [begin + at for at in false]
    whole = Range(str(path), "bzip2", 0, path.stat().st_size)
    for border in range(begin, marks[-1] // 8 + 2):
        ranges = [replace(whole, stop=border), replace(whole, start=border)]
        found = [item for range_ in ranges for item in read_records(range_)]
        assert [item for item in found if isinstance(item, Damage)] == [], border
        assert b"".join(item.data for item in found if isinstance(item, Chunk)) == text, border


def _block_with_false_marks() -> tuple[bytes, list[int]]:
    """A stream of a block of which three of the unused selectors are as many block marks, and their bytes.

    Selectors are numbers in unary, moved to front: any bits without six ones in a row are some of them.
    """
    bits, order, selectors = f"{BLOCK_MARK:048b}" * 3 + "0", list(range(6)), [0]
    for ones in bits.split("0")[:-1]:
        order.insert(0, order.pop(len(ones)))
        selectors.append(order[0])
    parts = block_of_column(*last_column(b"banana bandana"), b"banana bandana")
    parts.tables, parts.selectors = [[3] * 7] * 6, selectors
    block = parts.bits()
    marks = [at for at in range(1, len(block)) if block.startswith(f"{BLOCK_MARK:048b}", at)]
    return stream_of(block, parts.checksum), [(32 + at) // 8 for at in marks]


def test_borders_of_any_length_are_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of empty streams, and zeros at the end, are no damage, and what is after them is seen."""
    monkeypatch.setattr("wikisem.dumps.bzip2.block_reader.STEP", 100)
    one, two, empty = bz2.compress(b"one\n"), bz2.compress(b"two\n"), bz2.compress(b"") * 500
    for target in (1_000, 10**9):
        assert read(write(tmp_path / "dump.bz2", one + empty + two + empty + bytes(999)), target)[1] == []
        for packed, lost in [
            (one + empty + b"x" + two, False),
            (one + empty + b"x" * 99 + two, True),
            (one + empty + bytes(99) + two, True),
            (one + two + bytes(999) + b"x", False),
        ]:
            data, damage = read(write(tmp_path / "dump.bz2", packed), target)
            assert [(each.reason, each.lost) for each in damage] == [("garbage", lost)]
            assert b"".join(data) == (b"one\n" if lost else b"one\ntwo\n")


@pytest.mark.parametrize("form", ["gz", "zst", "chain.bz2"])
def test_zeros_between_units_are_told(form: str, tmp_path: Path) -> None:
    """A hole in a file may be where whole units were: at its end it is padding, elsewhere records may be missing."""
    one, two, three = (FORMS[form]([part]) for part in (TEXT[:70], TEXT[70:300], TEXT[300 : 10 * len(LINES[0])]))
    for target in (20, 10**9):
        data, damage = read(write(tmp_path / f"dump.{form}", one + bytes(len(two)) + three), target)
        assert [each.reason for each in damage if each.reason != "torn-record"] == ["garbage"]
        assert all(each.lost for each in damage)
        assert set(b"".join(data).splitlines(keepends=True)) == set(LINES[:10]) - touched(0, 300)


def test_a_record_without_an_end_does_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record over the limit is reported and passed over; the next one is read."""
    monkeypatch.setattr("wikisem.dumps.whole_records.RECORD_LIMIT", 10_000)
    text = b"one\n" + b"x" * 300_000 + b"\ntwo\n"
    for target in (7_000, 10**9):
        data, damage = read(write(tmp_path / "dump.json", text), target, chunk=1_000)
        assert b"".join(data) == b"one\ntwo\n"
        assert [found.reason for found in damage] == ["torn-record"]


def test_damage_names_the_record_that_it_tore(tmp_path: Path) -> None:
    """A person can see which line is missing."""
    packed = [bytearray(FORMS["zst"]([part])) for part in (TEXT[:100], TEXT[100:900], TEXT[900:2000])]
    packed[1][30] ^= 0xFF
    data, damage = read(write(tmp_path / "dump.zst", b"".join(packed)), 10**9)
    assert [type(found) for found in damage] == [Damage, Damage]
    assert damage[0].reason == "torn-record"
    assert repr(LINES[1][:12])[2:-1] in damage[0].detail
    assert b"".join(data).splitlines()[-1] + b"\n" in LINES


def test_a_file_that_is_garbage_from_end_to_end_is_told(tmp_path: Path) -> None:
    """A name ending in .bz2, .gz or .zst promises something that random bytes do not hold."""
    garbage = random.Random(1).randbytes(5000)
    for ending in ("bz2", "gz", "zst"):
        data, damage = read(write(tmp_path / f"dump.{ending}", garbage), 1000)
        assert data == []
        assert len(damage) == 1


def test_frames_that_hold_no_text_are_passed_over(tmp_path: Path) -> None:
    """pzstd and seekable files put skippable frames between the others."""
    skippable = b"\x5a\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"\x28\xb5\x2f\xfdx"
    frames = [zstandard.compress(part) for part in PARTS]
    path = write(tmp_path / "dump.zst", skippable + skippable.join(frames) + skippable)
    for target in (30_000, 10**9):
        data, damage = read(path, target)
        assert (b"".join(data), damage) == (TEXT, [])


def test_a_record_whose_delimiter_crosses_two_members_is_whole_when_damage_follows(tmp_path: Path) -> None:
    """Only the record that had begun after it is torn; what is left of that one is skipped up to its delimiter."""
    cut_off = gzip.compress(random.Random(5).randbytes(4000).hex().encode(), mtime=0)[:2000]
    one, two, last = (gzip.compress(part, mtime=0) for part in (b"one</pa", b"ge>tw", b"o</page>three</page>"))
    data = one + two + cut_off + last
    given, damage = read(write(tmp_path / "dump.gz", data), 10**6, b"</page>")
    assert given == [b"one</page>", b"three</page>"]
    assert [each.reason for each in damage] == ["torn-record", "undecodable"]
    assert "bytes of a record that begins with b'tw" in damage[0].detail


@pytest.mark.parametrize("chunk", [7, 1000])
def test_a_member_that_repeats_itself_is_taken_up_where_it_failed(chunk: int, tmp_path: Path) -> None:
    """One byte of it may be 258 of text: what was given before the damage is neither lost nor given again."""
    text = b"".join(b"%05d " % number + b"x" * 300 + b"\n" for number in range(100)) + b"y" * 500
    compressor = zlib.compressobj(wbits=31)
    # A block of type 3, which there is not (RFC 1951, 3.2.3), right after all of the text.
    harmed = compressor.compress(text) + compressor.flush(zlib.Z_FULL_FLUSH) + b"\x07" * 20
    given, damage = read(write(tmp_path / "dump.gz", harmed), 10**6, chunk=chunk)
    assert b"".join(given) == text[:-500]
    assert [each.reason for each in damage] == ["torn-record", "undecodable"]
    assert "500 bytes of a record that begins with b'yyy" in damage[0].detail


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("end", [b"", b"]", b"]\n", b"]  \n\n"])
def test_a_file_without_its_closing_is_told_once(form: str, end: bytes, tmp_path: Path) -> None:
    """Cut after a whole line; whatever the ranges, one of them tells it, and none where the end is there."""
    for lines in (1, 3, 700):
        text = b"[\n" + b"".join(LINES[:lines]) + end
        path = write(tmp_path / f"dump.{form}", FORMS[form](parts_of(text, 7)))
        for target in (100, 9_000, 10**9):
            ranges = plan_ranges(str(path), target_bytes=target)
            found = [item for range_ in ranges for item in read_records(range_, closing=b"]")]
            damage = [item for item in found if isinstance(item, Damage)]
            assert [item.reason for item in damage] == ([] if end else ["truncated"])
            assert b"".join(item.data for item in found if not isinstance(item, Damage)) == text


def test_a_cut_that_tears_a_segment_is_told_by_that_alone(tmp_path: Path) -> None:
    """The decoder has said that the file ends too soon."""
    path = write(tmp_path / "dump.gz", gzip.compress(b"[\n" + TEXT, mtime=0)[:-3])
    damage = [item for range_ in plan_ranges(str(path)) for item in read_records(range_, closing=b"]")]
    assert [item.reason for item in damage if isinstance(item, Damage)].count("truncated") == 1


def test_the_closing_message_says_where_and_what(tmp_path: Path) -> None:
    """The location is the end of the text, the detail shows its last bytes."""
    path = write(tmp_path / "dump", b"<a>1</a>\n<a>2</a>\n")
    *_, damage = read_records(Range(str(path), "plain", 0, 18), delimiter=b"</a>", closing=b"</all>")
    assert isinstance(damage, Damage)
    assert damage.where == f"{path}:18"
    assert damage.detail == "expected the file to end with </all>, saw that it ends with b'<a>1</a>\\n<a>2</a>'"
    assert not damage.lost
