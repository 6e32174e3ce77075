"""Text files: encodings, line ends, and the choice between JSON lines and text."""

import re
from pathlib import Path

import pytest

from wikisem.datasets.files import csv_cell, csv_rows, is_json_lines, numbered_lines, read_utf8
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


@pytest.mark.parametrize(
    "text",
    ["=1+1", " =1", "+1", "-1", "@x", "＝1", "a;=1", "a; =1", "a,=1", "a\t=1", "a\n=1", "a\r\n+x", "a|@x", ";=;="],
)
def test_no_cell_is_a_formula_in_any_language_of_a_spreadsheet(text: str) -> None:
    """Whatever such a program takes for the end of a cell, no part begins as a formula does; all else stays."""
    cell = csv_cell(text)
    parts = [part.strip() for part in re.split(r"[;,\t\r\n|]", cell)]
    assert not any(part.startswith(tuple("=+-@＝＋－＠")) for part in parts)
    assert cell.replace("'", "") == text


def test_no_cell_has_a_control_character() -> None:
    """Nor a mark that turns the direction of what follows; one before the sign of a formula hides none."""
    assert csv_cell("\x1b[2Jred\x9b\u202e\x00") == "[2Jred"
    assert csv_cell("\x1b=1+1") == csv_cell("\u2066=1+1") == "'=1+1"


@pytest.mark.parametrize("text", ["", "a", "a-b", "1=1", "a;b", "x, y"])
def test_words_that_begin_no_formula_stay(text: str) -> None:
    """An apostrophe would be seen."""
    assert csv_cell(text) == text


@pytest.mark.parametrize("body", ["x" * 200_000, '"' + "y" * 200_000])
def test_csv_that_no_reader_takes_is_named(body: str) -> None:
    """A cell of 200,000 characters, in the header or below it."""
    with pytest.raises(DamagedInputError, match=r"^a\.csv:\d+: expected CSV, saw field larger than field limit"):
        list(csv_rows(body, "a.csv")[1])
    with pytest.raises(DamagedInputError, match=r"^a\.csv:\d+: expected CSV, saw field larger than field limit"):
        list(csv_rows(f"a,b\n1,2\n{body}", "a.csv")[1])


def test_rows_of_csv_have_the_columns_of_the_header() -> None:
    """No more, and no fewer."""
    header, rows = csv_rows("a,b\r\n1\r\n1,2,3\r\n", "a.csv")
    assert header == ["a", "b"]
    assert list(rows) == [(2, {"a": "1", "b": ""}), (3, {"a": "1", "b": "2"})]
