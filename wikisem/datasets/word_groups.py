"""Data sets of test groups as people keep them: WikiSem500, 8-8-8 and 12-8-8 text, and our JSON lines."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from wikisem.datasets.text_files import is_json_lines, numbered_lines, read_utf8
from wikisem.errors import DamagedInputError, MissingInputError

SUFFIXES: Final = (".txt", ".jsonl")

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
    """The groups of a file, or of every .txt and .jsonl file of a folder and the folders in it, in order of path.

    A file that ends in .jsonl or begins with a brace holds JSON lines, any other holds one group as text.
    MissingInputError without any such file; DamagedInputError with the file and line of what is no test group.
    """
    return [group for file in data_files(Path(path)) for group in _read_file(file)]


def data_files(path: Path) -> list[Path]:
    """The file itself, or the data set files in and below a folder, hidden ones left out; MissingInputError if none."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise MissingInputError(f"expected a data set, a file or a folder of files, saw nothing at {path}")
    found = (file for suffix in SUFFIXES for file in path.rglob(f"*{suffix}"))
    files = sorted(file for file in found if file.is_file() and not _is_hidden(file, path))
    if not files:
        raise MissingInputError(f"{path}: expected files that end in {' or '.join(SUFFIXES)}, saw none")
    return files


def parse_group(text: str, name: str, where: str) -> WordGroup:
    """The group of a WikiSem500 text: cluster lines, a blank line, outlier lines.

    Any line ending will do, the last may be missing, and repeated outlier lines are all kept. Raises
    DamagedInputError.
    """
    blocks = list(_blocks(text))
    if len(blocks) != 2:
        seen = f"a third part from line {blocks[2][0]}" if len(blocks) > 2 else f"{len(blocks)} part(s)"
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
    outliers = tuple(OutlierWord(item.surface, item.outlier_class) for item in row.outliers)
    return WordGroup(row.class_, tuple(item.surface for item in row.cluster), outliers, where, row.language, row.label)


def _read_file(file: Path) -> list[WordGroup]:
    text = read_utf8(file)
    if not is_json_lines(file, text):
        return [parse_group(text, file.stem, str(file))]
    return [parse_line(line, f"{file}:{number}") for number, line in numbered_lines(text) if line]


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


def _is_hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)
