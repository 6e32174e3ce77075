"""Data sets of test groups as people keep them: WikiSem500, 8-8-8 and 12-8-8 text, and our JSON lines and Parquet."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from wikisem.datasets.sources import DataFile, data_files
from wikisem.datasets.text_files import decode_utf8, is_json_lines, numbered_lines
from wikisem.errors import DamagedInputError

# Six outliers of a WikiSem500 file are in the order O1 O1 O2 O2 O3 O3; of fewer, it is unknown which are missing.
_CLASSES_OF_SIX: Final = (1, 1, 2, 2, 3, 3)


@dataclass(frozen=True, slots=True)
class OutlierWord:
    """An outlier as a data set writes it; its outlier class (1, 2 or 3) is None where the data set does not say."""

    surface: str
    outlier_class: int | None = None


@dataclass(frozen=True, slots=True)
class WordGroup:
    """A test group as its data set writes it: nothing but words, `_` or a blank between the tokens of one.

    ``id`` is the class of a JSON line or the name of a .txt file without its suffix (a QID in WikiSem500), ``where``
    the file, and for JSON lines the line. ``label`` is what a JSON line calls the class.
    """

    id: str
    cluster: tuple[str, ...]
    outliers: tuple[OutlierWord, ...]
    where: str
    language: str = ""
    label: str = ""


class _SurfaceItem(msgspec.Struct):
    surface: str


class _OutlierItem(msgspec.Struct):
    surface: str
    outlier_class: int | None = None


class _WordGroupLine(msgspec.Struct):
    class_: str = msgspec.field(name="class")
    cluster: tuple[_SurfaceItem, ...]
    outliers: tuple[_OutlierItem, ...]
    language: str = ""
    label: str = ""


def read_dataset(path: str | Path) -> list[WordGroup]:
    """The groups of a file, of a folder and the folders in it, of a tar archive or of a run's OUT, in order of path.

    A file that ends in .parquet has a row for each group; one that ends in .jsonl or begins with a brace holds JSON
    lines, any other holds one group as text. MissingInputError without any such file; DamagedInputError with the file
    and line of what is no test group.
    """
    return [group for file in data_files(Path(path)) for group in _read_file(file)]


def parse_group(text: str, name: str, where: str) -> WordGroup:
    """The group of a WikiSem500 text: cluster lines, a blank line, outlier lines.

    Any line ending will do, the last may be missing, and repeated outlier lines are all kept. Raises
    DamagedInputError.
    """
    blocks = list(_blocks(text))
    if len(blocks) != 2:
        fewer = "one block of lines" if blocks else "no lines"
        seen = f"a third block from line {blocks[2][0]}" if len(blocks) > 2 else fewer
        raise DamagedInputError(f"{where}: expected cluster lines, a blank line and outlier lines, saw {seen}")
    (_, cluster), (_, outliers) = blocks
    known = len(outliers) == len(_CLASSES_OF_SIX)
    classes = _CLASSES_OF_SIX if known else (None,) * len(outliers)
    return WordGroup(name, cluster, tuple(map(OutlierWord, outliers, classes)), where)


def parse_line(line: str, where: str) -> WordGroup:
    """The group of a JSON line (design of ``groups/<language>.jsonl``); keys that scores do not need may be missing."""
    try:
        row = msgspec.json.decode(line, type=_WordGroupLine)
    except msgspec.DecodeError as error:
        raise DamagedInputError(f"{where}: expected a JSON line of a group, saw {error}") from error
    return _word_group(row, where)


def _word_group(row: _WordGroupLine, where: str) -> WordGroup:
    outliers = tuple(OutlierWord(item.surface, item.outlier_class) for item in row.outliers)
    return WordGroup(row.class_, tuple(item.surface for item in row.cluster), outliers, where, row.language, row.label)


def _read_file(file: DataFile) -> list[WordGroup]:
    if file.path.suffix == ".parquet":
        return _read_parquet(file)
    text = decode_utf8(file.read(), file.where)
    if not is_json_lines(file.path, text):
        return [parse_group(text, file.path.stem, file.where)]
    return [parse_line(line, f"{file.where}:{number}") for number, line in numbered_lines(text) if line]


def _read_parquet(file: DataFile) -> list[WordGroup]:
    try:
        rows = pq.read_table(pa.BufferReader(file.read())).to_pylist()
    except (pa.ArrowInvalid, OSError) as error:
        raise DamagedInputError(f"{file.where}: expected a Parquet file of groups, saw {error}") from error
    return [_parse_row(row, f"{file.where}: row {number}") for number, row in enumerate(rows)]


def _parse_row(row: Any, where: str) -> WordGroup:
    try:
        return _word_group(msgspec.convert(row, type=_WordGroupLine), where)
    except msgspec.ValidationError as error:
        raise DamagedInputError(f"{where}: expected a group, saw {error}") from error


def _blocks(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Runs of lines that are not blank, each with the number of its first line."""
    start, block = 1, list[str]()
    for number, line in [*numbered_lines(text), (0, "")]:
        if line and not block:
            start = number
        if line:
            block.append(line)
        elif block:
            yield start, tuple(block)
            block = []
