"""Sheets as CSV that spreadsheet programs open, and the answers of a filled one.

UTF-8 with a byte order mark, by which such programs know it. What they would take for a formula begins with an
apostrophe. Words are never read back: the number of the word is the answer.
"""

import csv
import io
from collections.abc import Iterator
from typing import Final

from wikisem.datasets.text_files import csv_cell, csv_rows
from wikisem.errors import DamagedInputError
from wikisem.outputs.annotation.annotation_set import CANNOT_TELL, Sheet
from wikisem.outputs.annotation.answers import Answer

_FIRST: Final = ("set", "annotator", "case")
_WITHOUT_HELP: Final = "answer without help"
_LAST: Final = ("answer", "remark")

_CANNOT_TELL: Final = frozenset({"?", "？", "cannot tell", str(CANNOT_TELL)})

_LONGEST_NUMBER: Final = 9

# What programs write between cells, by the language of the user.
_DELIMITERS: Final = ",;\t"


def format_csv(sheet: Sheet) -> str:
    """A sheet with one line a case, byte order mark included, and empty cells for the answer and a remark."""
    most = max(len(words) for _, words in sheet.cases)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    last = (_WITHOUT_HELP, *_LAST) if sheet.two_answers else _LAST
    writer.writerow([*_FIRST, *(f"word {number}" for number in range(1, most + 1)), *last])
    for case, words in sheet.cases:
        empty = [""] * (most - len(words) + len(last))
        writer.writerow([sheet.set, sheet.annotator, case, *map(csv_cell, words), *empty])
    return "\ufeff" + text.getvalue()


def parse_csv(data: bytes, where: str) -> list[Answer]:
    """The answers of a filled sheet; lines without an answer give none. DamagedInputError if it is no such sheet."""
    rows = _rows(data, where)
    answers = ((_WITHOUT_HELP, False), ("answer", True))
    return [
        _answer(row, column, with_help, place) for place, row in rows for column, with_help in answers if row[column]
    ]


def _rows(data: bytes, where: str) -> Iterator[tuple[str, dict[str, str]]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DamagedInputError(f"{where}: expected CSV in UTF-8, saw {error}; save it as CSV UTF-8") from error
    head = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=head.count)
    columns, rows = csv_rows(text, where, delimiter)
    if lost := [name for name in (*_FIRST, *_LAST) if name not in columns]:
        raise DamagedInputError(f"{where}:1: expected the columns of a sheet, saw no column {', '.join(lost)}")
    for number, row in rows:
        yield f"{where}:{number}", {name: row.get(name, "").strip() for name in (*_FIRST, _WITHOUT_HELP, *_LAST)}


def _answer(row: dict[str, str], column: str, with_help: bool, where: str) -> Answer:
    choice = _choice(row[column], where)
    return Answer(row["set"], row["annotator"], row["case"], choice, row["remark"], where, with_help)


def _choice(text: str, where: str) -> int:
    if text.lower() in _CANNOT_TELL:
        return CANNOT_TELL
    # Some programs write a whole number as 3.0.
    number = text.removesuffix(".0")
    if not number.isdecimal() or len(number) > _LONGEST_NUMBER:
        raise DamagedInputError(f"{where}: expected the number of a word or ? as the answer, saw {text!r}")
    return int(number)
