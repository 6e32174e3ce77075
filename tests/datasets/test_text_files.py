"""Text files: encodings, line ends, and the choice between JSON lines and text."""

from pathlib import Path

import pytest

from wikisem.datasets.text_files import is_json_lines, numbered_lines, read_utf8
from wikisem.errors import DamagedInputError


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    """Windows editors write one; it is no part of the first word."""
    file = tmp_path / "a.txt"
    file.write_bytes(b"\xef\xbb\xbfcat\n")
    assert read_utf8(file) == "cat\n"


def test_the_line_that_is_no_utf8_is_named(tmp_path: Path) -> None:
    """Lines count from 1, and the bad byte is on the third."""
    file = tmp_path / "a.txt"
    file.write_bytes("cat\nMünchen\n".encode() + b"M\xfcnchen\nend\n")
    with pytest.raises(DamagedInputError, match=r"a\.txt:3: expected UTF-8"):
        read_utf8(file)


@pytest.mark.parametrize(
    ("name", "text", "json"),
    [
        ("a.jsonl", "", True),
        ("a.jsonl", "cat", True),
        ("a.txt", ' \n{"class": "Q1"}', True),
        ("a.txt", "cat\n{", False),
        ("a", ": cats", False),
    ],
)
def test_json_lines_are_told_by_suffix_or_first_brace(name: str, text: str, json: bool) -> None:
    """The suffix decides first, then the first character that is no white space."""
    assert is_json_lines(Path(name), text) is json


def test_only_line_feeds_end_lines() -> None:
    """A line separator (U+2028) or form feed is part of a surface form, as JSON lines may hold it raw."""
    assert list(numbered_lines(" a\u2028b \r\nc\x0cd\n")) == [(1, "a\u2028b"), (2, "c\x0cd"), (3, "")]
