"""Sheets as CSV that spreadsheet programs open, and the answers of a filled one.

UTF-8 with a byte order mark, by which such programs know it. A cell that they would take for a formula begins with an
apostrophe (OWASP, "CSV Injection", read 2026-11). Words are never read back: the number of the word is the answer.
"""

import csv
import io
import re
from collections.abc import Iterator
from typing import Final

from wikisem.errors import DamagedInputError
from wikisem.outputs.annotation.annotation_set import CANNOT_TELL, Sheet
from wikisem.outputs.annotation.answers import Answer

_FIRST: Final = ("set", "annotator", "case")
_LAST: Final = ("answer", "remark")

_FORMULA: Final = re.compile(r"\s*[=+\-@＝＋－＠]")
_CANNOT_TELL: Final = frozenset({"?", "？", "cannot tell", str(CANNOT_TELL)})

# What programs write between cells, by the language of the user.
_DELIMITERS: Final = ",;\t"


def format_csv(sheet: Sheet) -> str:
    """A sheet with one line a case, byte order mark included, and empty cells for the answer and a remark."""
    most = max(len(words) for _, words in sheet.cases)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([*_FIRST, *(f"word {number}" for number in range(1, most + 1)), *_LAST])
    for case, words in sheet.cases:
        empty = [""] * (most - len(words) + len(_LAST))
        writer.writerow([sheet.set, sheet.annotator, case, *map(_guarded, words), *empty])
    return "\ufeff" + text.getvalue()


def parse_csv(data: bytes, where: str) -> list[Answer]:
    """The answers of a filled sheet; lines without an answer give none. DamagedInputError if it is no such sheet."""
    rows = _rows(data, where)
    return [_answer(row, place) for place, row in rows if row["answer"]]


def _rows(data: bytes, where: str) -> Iterator[tuple[str, dict[str, str]]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DamagedInputError(f"{where}: expected CSV in UTF-8, saw {error}; save it as CSV UTF-8") from error
    head = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=head.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restval="")
    columns = reader.fieldnames or []
    if lost := [name for name in (*_FIRST, *_LAST) if name not in columns]:
        raise DamagedInputError(f"{where}:1: expected the columns of a sheet, saw no column {', '.join(lost)}")
    for row in reader:
        yield f"{where}:{reader.line_num}", {name: row[name].strip() for name in (*_FIRST, *_LAST)}


def _answer(row: dict[str, str], where: str) -> Answer:
    return Answer(row["set"], row["annotator"], row["case"], _choice(row["answer"], where), row["remark"], where)


def _choice(text: str, where: str) -> int:
    if text.lower() in _CANNOT_TELL:
        return CANNOT_TELL
    # Some programs write a whole number as 3.0.
    number = text.removesuffix(".0")
    if not number.isdecimal():
        raise DamagedInputError(f"{where}: expected the number of a word or ? as the answer, saw {text!r}")
    return int(number)


def _guarded(word: str) -> str:
    return f"'{word}" if _FORMULA.match(word) else word
