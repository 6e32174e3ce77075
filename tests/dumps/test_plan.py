"""Where files are cut: the ranges are the whole file, each byte once, in the form that its first bytes tell."""

import bz2
import gzip
import logging
import pickle
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tests.dumps.test_whole_records import lines_of, read, write
from wikisem.dumps import Range, plan_ranges

SKIPPABLE = b"\x5f\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"....", b"\x50\x2a\x4d\x18" + bytes(4)


def test_an_empty_file_has_no_ranges(tmp_path: Path) -> None:
    """Nothing comes of nothing."""
    assert plan_ranges(str(write(tmp_path / "empty.json.bz2", b""))) == []


def test_a_single_gzip_member_is_one_range_and_the_log_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """There is nowhere else to begin, so no search is needed."""
    text = b"".join(lines_of(50))
    path = write(tmp_path / "single.json.gz", gzip.compress(text, mtime=0))
    with caplog.at_level(logging.WARNING):
        assert len(plan_ranges(str(path), target_bytes=1000)) == 1
    assert "one worker reads all of it" in caplog.text
    assert b"".join(read(path, 1000)[0]) == text


def test_the_form_is_told_by_the_bytes_and_else_by_the_name(tmp_path: Path) -> None:
    """A name may be wrong; a damaged head must not turn a dump into text."""
    packed = bz2.compress(b"text\n")
    assert plan_ranges(str(write(tmp_path / "wrong.gz", packed)))[0].compression == "bzip2"
    assert plan_ranges(str(write(tmp_path / "damaged.bz2", b"XX" + packed[2:])))[0].compression == "bzip2"
    assert plan_ranges(str(write(tmp_path / "text.json", b"text\n")))[0].compression == "plain"


def test_ranges_travel(tmp_path: Path) -> None:
    """A range can be sent to another process."""
    range_ = plan_ranges(str(write(tmp_path / "text.json", b"text\n")))[0]
    assert pickle.loads(pickle.dumps(range_)) == range_ == Range(str(tmp_path / "text.json"), "plain", 0, 5)


@given(st.integers(1, 300), st.integers(1, 400))
def test_ranges_are_the_file_and_meet_at_their_borders(
    tmp_path_factory: pytest.TempPathFactory, size: int, target: int
) -> None:
    """All but the last have the size that was asked for, and the last ends where the file does."""
    path = str(write(tmp_path_factory.getbasetemp() / "text.json", b"x" * size))
    ranges = plan_ranges(path, target_bytes=target)
    assert [one.start for one in ranges] == list(range(0, size, target))
    assert [one.stop for one in ranges] == [*(one.start for one in ranges[1:]), size]
    assert {(one.path, one.compression) for one in ranges} == {(path, "plain")}


@pytest.mark.parametrize(
    ("name", "data", "form"),
    [
        ("dump.json", gzip.compress(b"text", mtime=0), "gzip"),
        ("dump.gz", zstandard.compress(b"text"), "zstd"),
        ("dump.xml", SKIPPABLE[0] + zstandard.compress(b"text"), "zstd"),
        ("dump.xml", SKIPPABLE[1] + zstandard.compress(b"text"), "zstd"),
        ("dump.json.gz", b"BZh91AY", "bzip2"),
        ("dump.json", b"BZh0", "plain"),  # bzip2's level is 1 to 9
        ("dump.json", b"BZip is a word", "plain"),
        ("DUMP.JSON.GZ", b"damaged", "gzip"),
        ("dump.zst", b"damaged", "zstd"),
        ("gz", b"text", "plain"),
        ("dump.gz.part", b"text", "plain"),
        ("dump", b"B", "plain"),
    ],
)
def test_every_form_is_told_by_its_first_bytes(tmp_path: Path, name: str, data: bytes, form: str) -> None:
    """The name decides only where the bytes are those of no form, whatever its case."""
    assert plan_ranges(str(write(tmp_path / name, data)))[0].compression == form


def test_only_large_files_of_members_are_searched_for_a_second_one(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """What is one range anyway, or has no members, is planned without a warning; a second member is enough to cut."""
    member = gzip.compress(b"".join(lines_of(20)), mtime=0)
    one = write(tmp_path / "one.gz", member)
    two = write(tmp_path / "two.gz", member * 2)
    single = write(tmp_path / "single.bz2", bz2.compress(b"".join(lines_of(20))))
    with caplog.at_level(logging.WARNING):
        assert len(plan_ranges(str(one), target_bytes=len(member))) == 1
        assert len(plan_ranges(str(two), target_bytes=len(member))) == 2
        assert len(plan_ranges(str(single), target_bytes=100)) > 1
        assert caplog.text == ""
        assert len(plan_ranges(str(one), target_bytes=len(member) - 1)) == 1
    assert caplog.messages == [f"{one} holds no second gzip member to start from: one worker reads all of it"]


def test_a_file_that_is_not_there_is_the_callers_error(tmp_path: Path) -> None:
    """The error of the opener comes through as it is: the caller knows what the file was for."""
    with pytest.raises(FileNotFoundError):
        plan_ranges(str(tmp_path / "none.json"))
