"""Data sets of test groups as people keep them: WikiSem500, 8-8-8 and 12-8-8 text, and our JSON lines and Parquet."""

import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, Final, Literal, NamedTuple

import msgspec

from wikisem.arrow.parquet import open_parquet
from wikisem.datasets.files import (
    TABLES,
    DataFile,
    csv_rows,
    data_files,
    data_set_path,
    decode_utf8,
    is_json_lines,
    numbered_lines,
)
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.typed_json import decode_json
from wikisem.wikis import WIKIPEDIA_CODES

# Groups as plain values.


class ItemKeys(NamedTuple):
    """What an item is known by besides its words: QID and title of its page, "" where the data set does not say.

    Its prominence: its sitelinks, the links to its page, and those of the whole wiki with its words; or None.
    """

    qid: str = ""
    title: str = ""
    sitelinks: int | None = None
    page_links: int | None = None
    surface_links: int | None = None


@dataclass(frozen=True, slots=True)
class OutlierWord:
    """An outlier of a ``WordGroup``.

    ``outlier_class`` is 1, 2, 3, or 4 for a related outlier; None if the data set does not say. ``keys`` are the QID
    and page title of its item, if known.
    """

    surface: str
    outlier_class: int | None = None
    keys: ItemKeys = field(default=ItemKeys(), compare=False)


@dataclass(frozen=True, slots=True)
class WordGroup:
    """A test group of any data set, as words; the tokens of a word are separated by ``_`` or a blank.

    ``id`` is the QID of the class in JSON lines, or the name of a .txt file without its suffix (a QID in WikiSem500).
    ``label`` is the label of the class, if the data set has it. ``where`` is the file, and for JSON lines the line.
    ``keys`` are the QIDs and page titles of the cluster's items; empty for text.
    """

    id: str
    cluster: tuple[str, ...]
    outliers: tuple[OutlierWord, ...]
    where: str
    language: str = ""
    label: str = ""
    keys: tuple[ItemKeys, ...] = field(default=(), compare=False)


# Reading a data set.

# Without a file of outlier classes, as in the sets that Blair et al. (2016) released, six outliers of a file are in the
# order O1 O1 O2 O2 O3 O3; of fewer, it is unknown which are missing.
_CLASSES_OF_SIX: Final = (1, 1, 2, 2, 3, 3)
# The file beside text files that has, by the name of each without its suffix, the outlier classes of its outliers.
OUTLIER_CLASSES_FILE: Final = "outlier-classes.json"
OutlierClasses = Mapping[str, tuple[Literal[1, 2, 3, 4] | None, ...]]


def read_dataset(path: str | PathLike[str]) -> list[WordGroup]:
    """Read the groups of any data set: a file, a folder and the folders in it, a tar archive, or a run's OUT.

    A file that ends in .parquet has a row for each group; one that ends in .jsonl or begins with a brace has JSON
    lines; one that ends in .csv or .tsv a row for each word. Any other file has one group as text: cluster lines, a
    blank line, outlier lines, and perhaps their outlier classes in a file ``outlier-classes.json`` beside it. Groups
    are in the order of paths.

    Raises MissingInputError if there is no such file, and DamagedInputError, with file and line, for something that is
    not a test group.
    """
    known: dict[PurePosixPath, OutlierClasses | None] = {}
    groups = []
    for file in data_files(data_set_path(path), OUTLIER_CLASSES_FILE):
        if file.path.parent not in known:
            known[file.path.parent] = _read_outlier_classes(file)
        groups += _read_file(file, known[file.path.parent])
    return groups


def _read_outlier_classes(file: DataFile) -> OutlierClasses | None:
    """The outlier classes of a file and the files beside it."""
    data = file.read_beside()
    if data is None:
        return None
    try:
        found: OutlierClasses = msgspec.json.decode(data, type=OutlierClasses)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        where = f"{file.where.rpartition('/')[0]}/{OUTLIER_CLASSES_FILE}"
        raise DamagedInputError(f"{where}: expected the outlier classes of groups, saw {error}") from error
    return found


def _read_file(file: DataFile, known: OutlierClasses | None) -> list[WordGroup]:
    if file.path.suffix == ".parquet":
        return _read_parquet(file)
    text = decode_utf8(file.read(), file.where)
    if file.path.suffix.lower() in TABLES:
        return parse_table(text, file.where)
    if not is_json_lines(file.path, text):
        return [parse_group(text, file.path.stem, file.where, known)]
    return [parse_line(line, f"{file.where}:{number}") for number, line in numbered_lines(text) if line]


def parse_group(text: str, name: str, where: str, known: OutlierClasses | None = None) -> WordGroup:
    """The group of a WikiSem500 text: cluster lines, a blank line, outlier lines.

    Any line ending is accepted, the last may be missing, and repeated outlier lines are all kept. Without ``known`` the
    outlier classes of six outliers are 1, 1, 2, 2, 3, 3, as in the released sets. Raises DamagedInputError.
    """
    blocks = list(_blocks(text))
    if len(blocks) != 2:
        fewer = "one block of lines" if blocks else "no lines"
        seen = f"a third block from line {blocks[2][0]}" if len(blocks) > 2 else fewer
        raise DamagedInputError(f"{where}: expected cluster lines, a blank line and outlier lines, saw {seen}")
    (_, cluster), (_, outliers) = blocks
    given = _CLASSES_OF_SIX if known is None and len(outliers) == len(_CLASSES_OF_SIX) else (None,) * len(outliers)
    classes = given if known is None else known.get(name, given)
    if len(classes) != len(outliers):
        said = f"expected {len(classes)} outliers, as {OUTLIER_CLASSES_FILE} beside it says"
        raise DamagedInputError(f"{where}: {said}, saw {len(outliers)}")
    return WordGroup(name, cluster, tuple(map(OutlierWord, outliers, classes)), where)


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


# The roles of a word in CSV: the outlier class of an outlier, None where it is not known.
_ROLES: Final = {"outlier": None, **{f"O{number}": number for number in (1, 2, 3)}}
_MEMBER: Final = "cluster"


def parse_table(text: str, where: str) -> list[WordGroup]:
    """The groups of CSV with a row for each word; cells are divided by commas, semicolons or tabs.

    The columns are ``group``, ``word`` and ``role`` ("cluster", "outlier", or "O1", "O2" or "O3" for an outlier of that
    class), and perhaps ``language`` and ``id``, a QID; others are ignored. Raises DamagedInputError.
    """
    header = text.partition("\n")[0]
    columns, rows = csv_rows(text, where, max(",;\t", key=header.count))
    if missing := {"group", "word", "role"}.difference(columns):
        expected = "expected the columns group, word and role"
        raise DamagedInputError(f"{where}:1: {expected}, saw no {min(missing)} in {header[:60]!r}")
    found: dict[tuple[str, str], WordGroup] = {}
    for number, row in rows:
        name, word, role = (row[column].strip() for column in ("group", "word", "role"))
        if not name or not word or role not in {_MEMBER, *_ROLES}:
            expected = f"expected a group, a word and a role of {_MEMBER}, {', '.join(_ROLES)}"
            raise DamagedInputError(f"{where}:{number}: {expected}, saw {name!r}, {word!r} and {role!r}")
        language, keys = row.get("language", "").strip(), ItemKeys(row.get("id", "").strip())
        group = found.setdefault((language, name), WordGroup(name, (), (), f"{where}:{number}", language))
        if role == _MEMBER:
            group = replace(group, cluster=(*group.cluster, word), keys=(*group.keys, keys))
        else:
            group = replace(group, outliers=(*group.outliers, OutlierWord(word, _ROLES[role], keys)))
        found[language, name] = group
    for group in found.values():
        if not group.cluster or not group.outliers:
            part = "outlier" if group.cluster else "cluster"
            raise DamagedInputError(f"{group.where}: expected a group with a cluster and outliers, saw no {part}")
    return list(found.values())


class _SurfaceItem(msgspec.Struct):
    surface: str
    id: str = ""
    title: str | None = None
    sitelinks: int | None = None
    total: int | None = None
    links: int | None = None


class _OutlierItem(_SurfaceItem):
    outlier_class: int | None = None


class _WordGroupLine(msgspec.Struct):
    class_: str = msgspec.field(name="class")
    cluster: tuple[_SurfaceItem, ...]
    outliers: tuple[_OutlierItem, ...]
    language: str = ""
    label: str = ""


def parse_line(line: str, where: str) -> WordGroup:
    """The group of a line of ``groups/<language>.jsonl``; keys that scores do not need may be missing."""
    return _word_group(decode_json(line, _WordGroupLine, where, "a JSON line of a group"), where)


def _read_parquet(file: DataFile) -> list[WordGroup]:
    with open_parquet(io.BytesIO(file.read()), file.where, "a Parquet file of groups") as table:
        rows = table.read().to_pylist()
    return [_parse_row(row, f"{file.where}: row {number}") for number, row in enumerate(rows)]


def _parse_row(row: Any, where: str) -> WordGroup:
    try:
        return _word_group(msgspec.convert(row, type=_WordGroupLine), where)
    except msgspec.ValidationError as error:
        raise DamagedInputError(f"{where}: expected a group, saw {error}") from error


def _word_group(row: _WordGroupLine, where: str) -> WordGroup:
    outliers = tuple(OutlierWord(item.surface, item.outlier_class, _keys(item)) for item in row.outliers)
    cluster, keys = tuple(item.surface for item in row.cluster), tuple(map(_keys, row.cluster))
    return WordGroup(row.class_, cluster, outliers, where, row.language, row.label, keys)


def _keys(item: _SurfaceItem) -> ItemKeys:
    return ItemKeys(item.id, item.title or "", item.sitelinks, item.total, item.links)


def write_outlier_classes(groups: Iterable[tuple[str, Sequence[int | None]]]) -> bytes:
    """The file ``OUTLIER_CLASSES_FILE`` of some groups, by the names of their text files without the suffix.

    >>> write_outlier_classes([("Q5", [1, 1, 3]), ("Q1", [None])])
    b'{\\n"Q1": [null],\\n"Q5": [1, 1, 3]\\n}\\n'
    """
    lines = [f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(list(classes))}" for name, classes in sorted(groups)]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


# Groups under the keys of their items.


def keyed_groups(groups: Sequence[WordGroup], kind: Literal["qid", "title"]) -> list[WordGroup]:
    """The groups with the QIDs or titles of their items in place of the words; "" for an item without a page.

    MissingInputError if no item of the groups has one, as in text.
    """
    keyed = [_keyed(group, kind) for group in groups]
    if not any(any(group.cluster) or any(outlier.surface for outlier in group.outliers) for group in keyed):
        where = groups[0].where if groups else "the data set"
        raise MissingInputError(
            f"{where}: expected groups whose items have a {kind}, as the JSON lines and Parquet of a build do, saw none"
        )
    return keyed


def _keyed(group: WordGroup, kind: Literal["qid", "title"]) -> WordGroup:
    keys = group.keys or (ItemKeys(),) * len(group.cluster)
    outliers = tuple(replace(outlier, surface=getattr(outlier.keys, kind)) for outlier in group.outliers)
    return replace(group, cluster=tuple(getattr(each, kind) for each in keys), outliers=outliers)


# Languages that only the names of folders tell, as in WikiSem500 (``de/Q5.txt``).

_ENGLISH_NAMES: Final = {
    "arabic": "ar", "basque": "eu", "catalan": "ca", "chinese": "zh", "czech": "cs", "danish": "da", "dutch": "nl",
    "english": "en", "farsi": "fa", "finnish": "fi", "french": "fr", "galician": "gl", "german": "de", "greek": "el",
    "hebrew": "he", "hindi": "hi", "hungarian": "hu", "italian": "it", "japanese": "ja", "korean": "ko", "latin": "la",
    "norwegian": "no", "persian": "fa", "polish": "pl", "portuguese": "pt", "romanian": "ro", "russian": "ru",
    "spanish": "es", "swedish": "sv", "turkish": "tr", "ukrainian": "uk", "vietnamese": "vi",
}  # fmt: skip


def name_languages(groups: Iterable[WordGroup], root: Path) -> list[WordGroup]:
    """The groups of the data set at ``root``; those without a language get that of their folder, if it names one.

    The nearest folder that names a language decides.
    """
    return [group if group.language else replace(group, language=_language(group.where, root)) for group in groups]


def _language(where: str, root: Path) -> str:
    """By the folders between the data set and the file, or else by the name of the data set or of its folder."""
    path, top, own = PurePath(where), PurePath(str(root)), root.resolve()
    inner = path.relative_to(top).parts[:-1] if path.is_relative_to(top) else ()
    outer = [own.name, own.parent.name] if root.is_file() else [own.name]
    told = filter(None, map(folder_language, [*reversed(inner), *outer]))
    return next(told, "")


def folder_language(name: str) -> str:
    """The language that a folder is named by, "" if there is none.

    The name is a code (``de``), or begins or ends with a code in capitals (``50-8-8-DE``) or with the English name of a
    language (``dataset_german``).

    >>> [folder_language(name) for name in ("de", "zh-yue", "50-8-8-DE", "set_german", "25-8-8-Sem", "is_it")]
    ['de', 'zh-yue', 'de', 'de', '', '']
    """
    if name.lower() in WIKIPEDIA_CODES:
        return name.lower()
    words = re.split(r"[-_. ]", name)
    for word in (words[-1], words[0]):
        if word.isupper() and word.lower() in WIKIPEDIA_CODES:
            return word.lower()
        if word.lower() in _ENGLISH_NAMES:
            return _ENGLISH_NAMES[word.lower()]
    return ""
