"""Data sets as people keep them: test groups as WikiSem500, 8-8-8 and 12-8-8 text, and category sets as `: category`
text, which word2vec and gensim read; and our JSON lines and Parquet of both.
"""

import io
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from os import PathLike
from pathlib import Path, PurePath, PurePosixPath
from typing import Final, Literal

import msgspec
import orjson
from msgspec.structs import replace

from wikisem.arrow.parquet import open_parquet
from wikisem.datasets import files
from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.records import DRAWN, OUTLIER_CLASSES, Group, Member, Outlier, OutlierNumber
from wikisem.typed_json import decode_json
from wikisem.wikis import ENGLISH_NAMES, WIKIPEDIA_CODES

# Without a file of outlier classes, as in the sets that Blair et al. (2016) released, six outliers of a file are in the
# order O1 O1 O2 O2 O3 O3; of fewer, it is unknown which are missing.
_CLASSES_OF_SIX: Final = (1, 1, 2, 2, 3, 3)
# The file beside text files that has, by the name of each without its suffix, the outlier classes of its outliers.
OUTLIER_CLASSES_FILE: Final = "outlier-classes.json"
OutlierClasses = dict[str, tuple[OutlierNumber | None, ...]]
# The roles of a word in CSV: the outlier class of an outlier, None where it is not known.
_ROLES: Final = {"outlier": None, **{OUTLIER_CLASSES[number].name: number for number in DRAWN}}
_MEMBER: Final = "cluster"


def read_dataset(path: str | PathLike[str]) -> list[Group]:
    """Read the groups of any data set: a file, a folder and the folders in it, a tar archive, or what a run wrote.

    A file that ends in .parquet has a row for each group; one that ends in .jsonl or begins with a brace has JSON
    lines; one that ends in .csv or .tsv a row for each word. Any other file has one group as text: cluster lines, a
    blank line, outlier lines, and perhaps their outlier classes in a file ``outlier-classes.json`` beside it. Groups
    are in the order of paths.

    Raises MissingInputError if there is no such file, and DamagedInputError, with file and line, for something that is
    not a test group.
    """
    classes_in: dict[PurePosixPath, OutlierClasses | None] = {}  # the outlier classes of the text files of a folder
    groups: list[Group] = []
    for file in files.data_files(files.data_set_path(path), OUTLIER_CLASSES_FILE):
        folder = file.path.parent
        if folder not in classes_in:
            beside, where = file.read_beside(), f"{file.where.rpartition('/')[0]}/{OUTLIER_CLASSES_FILE}"
            expected = "the outlier classes of groups"
            classes_in[folder] = None if beside is None else decode_json(beside, OutlierClasses, where, expected)
        if file.path.suffix == ".parquet":
            with open_parquet(io.BytesIO(file.read()), file.where, "a Parquet file of groups") as table:
                rows = table.read().to_pylist()
            for number, row in enumerate(rows):
                where = f"{file.where}: row {number}"
                try:
                    groups.append(replace(msgspec.convert(row, type=Group), where=where))
                except msgspec.ValidationError as error:
                    raise DamagedInputError(f"{where}: expected a group, saw {error}") from error
            continue
        text = files.decode_utf8(file.read(), file.where)
        if file.path.suffix.lower() in files.TABLES:
            groups += parse_table(text, file.where)
        elif files.is_json_lines(file.path, text):
            for where, line in files.filled_lines(text, file.where):
                groups.append(replace(decode_json(line, Group, where, "a JSON line of a group"), where=where))
        else:
            groups.append(parse_group(text, file.path.stem, file.where, classes_in[folder]))
    return groups


def read_language(path: Path, language: str) -> list[Group]:
    """Read the groups of a language; MissingInputError if there are none, or if text files do not say their language.

    A run has them in ``groups/<language>.jsonl``, a release in a table, a set of text files in a folder named after the
    language. Any other path is read whole, and groups that state another language are left out.
    """
    files = [path / "groups" / f"{language}.{end}" for end in ("jsonl", "parquet")]
    source = next((inner for inner in (*files, path / language) if inner.exists()), path)
    if source == path and (path / "groups").is_dir():
        saw = f"no groups/{language}.jsonl, nor groups/{language}.parquet"
        raise MissingInputError(f"{path}: expected groups in {language}, saw {saw}")
    groups = read_dataset(source)
    kept = [group for group in groups if group.language in {"", language}]
    if not kept:
        others = ", ".join(sorted({group.language for group in groups}))
        raise MissingInputError(f"{path}: expected groups in {language}, saw groups in {others or 'no language'}")
    folders = sorted({Path(group.where).parent.name for group in kept if not group.language})
    if len(folders) > 1:
        wanted = f"a folder {language} with groups in that language"
        raise MissingInputError(f"{path}: expected {wanted}, saw folders {', '.join(folders)}")
    return kept


def parse_group(text: str, name: str, where: str, known: OutlierClasses | None = None) -> Group:
    """Return the group of a WikiSem500 text: cluster lines, a blank line, outlier lines.

    Any line ending is accepted, the last may be missing, and repeated outlier lines are all kept. Without ``known`` the
    outlier classes of six outliers are 1, 1, 2, 2, 3, 3, as in the released sets. Raises DamagedInputError.
    """
    runs = groupby(files.numbered_lines(text), key=lambda numbered: numbered[1] != "")
    blocks = [list(lines) for filled, lines in runs if filled]
    if len(blocks) != 2:
        fewer = "one block of lines" if blocks else "no lines"
        seen = f"a third block from line {blocks[2][0][0]}" if len(blocks) > 2 else fewer
        raise DamagedInputError(f"{where}: expected cluster lines, a blank line and outlier lines, saw {seen}")
    cluster, outliers = blocks
    classes: Sequence[OutlierNumber | None] = (None,) * len(outliers)
    if known is not None:
        classes = known.get(name, classes)
    elif len(outliers) == len(_CLASSES_OF_SIX):
        classes = _CLASSES_OF_SIX
    if len(classes) != len(outliers):
        expected = f"expected {len(classes)} outliers, as {OUTLIER_CLASSES_FILE} beside it says"
        raise DamagedInputError(f"{where}: {expected}, saw {len(outliers)}")
    cluster_items = tuple(Member(surface=line) for _, line in cluster)
    with_classes = zip(outliers, classes, strict=True)
    outlier_items = tuple(Outlier(surface=line, outlier_class=number) for (_, line), number in with_classes)
    return Group(id=name, cluster=cluster_items, outliers=outlier_items, where=where)


def parse_table(text: str, where: str) -> list[Group]:
    """Return the groups of CSV with a row for each word; cells are divided by commas, semicolons or tabs.

    The columns are ``group``, ``word`` and ``role`` ("cluster", "outlier", or "O1", "O2" or "O3" for an outlier of that
    class), and perhaps ``language`` and ``id``, a QID; others are ignored. Raises DamagedInputError.
    """
    header = text.partition("\n")[0]
    columns, rows = files.csv_rows(text, where, max(",;\t", key=header.count))
    if missing := {"group", "word", "role"}.difference(columns):
        expected = "expected the columns group, word and role"
        raise DamagedInputError(f"{where}:1: {expected}, saw no {min(missing)} in {header[:60]!r}")
    groups: dict[tuple[str, str], Group] = {}
    for number, row in rows:
        name, word, role = (row[column].strip() for column in ("group", "word", "role"))
        if not name or not word or role not in {_MEMBER, *_ROLES}:
            expected = f"expected a group, a word and a role of {_MEMBER}, {', '.join(_ROLES)}"
            raise DamagedInputError(f"{where}:{number}: {expected}, saw {name!r}, {word!r} and {role!r}")
        language, qid = (row.get(column, "").strip() for column in ("language", "id"))
        new = Group(id=name, language=language, cluster=(), outliers=(), where=f"{where}:{number}")
        group = groups.setdefault((language, name), new)
        if role == _MEMBER:
            group = replace(group, cluster=(*group.cluster, Member(id=qid, surface=word)))
        else:
            outlier = Outlier(id=qid, surface=word, outlier_class=_ROLES[role])
            group = replace(group, outliers=(*group.outliers, outlier))
        groups[language, name] = group
    for group in groups.values():
        if not group.cluster or not group.outliers:
            part = "outlier" if group.cluster else "cluster"
            raise DamagedInputError(f"{group.where}: expected a group with a cluster and outliers, saw no {part}")
    return list(groups.values())


def write_outlier_classes(groups: Iterable[tuple[str, Sequence[int | None]]]) -> bytes:
    """Return the file ``OUTLIER_CLASSES_FILE`` of some groups, by the names of their text files without the suffix.

    There is a number for each outlier line, that of its class in ``OUTLIER_CLASSES``; None if the class is not known.

    >>> write_outlier_classes([("Q5", [1, 1, 3]), ("Q1", [None])])
    b'{\\n"Q1": [null],\\n"Q5": [1, 1, 3]\\n}\\n'
    """
    lines = [f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(list(classes))}" for name, classes in sorted(groups)]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def with_words(group: Group, word_of: Callable[[Member], str]) -> Group:
    """Return the group with other words for its items."""
    cluster = tuple(replace(member, surface=word_of(member)) for member in group.cluster)
    outliers = tuple(replace(outlier, surface=word_of(outlier)) for outlier in group.outliers)
    return replace(group, cluster=cluster, outliers=outliers)


def with_spaces(group: Group) -> Group:
    """Return the group with its words as they are in running text, a space for each ``_``."""
    return with_words(group, lambda member: member.surface.replace("_", " "))


def keyed_groups(groups: Sequence[Group], kind: Literal["qid", "title"]) -> list[Group]:
    """Return the groups with the QIDs or titles of their items in place of the words; "" for an item without a page.

    MissingInputError if no item of the groups has one, as in text.
    """
    keyed = [with_words(group, lambda member: (member.id if kind == "qid" else member.title) or "") for group in groups]
    if not any(member.surface for group in keyed for member in group.members):
        where = groups[0].where if groups else "the data set"
        wanted = f"groups whose items have a {kind}, as the JSON lines and Parquet of a build do"
        raise MissingInputError(f"{where}: expected {wanted}, saw none")
    return keyed


def name_languages(groups: Iterable[Group], root: Path) -> list[Group]:
    """The groups of the data set at ``root``; one without a language gets that of its nearest folder that names one."""
    as_given, resolved = PurePath(str(root)), root.resolve()  # only the resolved path has a name if it is "."
    outer = [resolved.name, resolved.parent.name] if root.is_file() else [resolved.name]
    named = []
    for group in groups:
        language, path = group.language, PurePath(group.where)
        if not language:
            # From the folder that the group's file is in outwards.
            inner = path.relative_to(as_given).parts[:-1] if path.is_relative_to(as_given) else ()
            language = next(filter(None, map(folder_language, [*reversed(inner), *outer])), "")
        named.append(replace(group, language=language))
    return named


def folder_language(name: str) -> str:
    """Return the language that a folder is named by, "" if there is none.

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
        if word.lower() in ENGLISH_NAMES:
            return ENGLISH_NAMES[word.lower()]
    return ""


@dataclass(frozen=True, slots=True)
class WordCategory:
    """A category as its file writes it: nothing but words, `_` between the tokens of one, and in JSON lines a language.

    ``qids`` are those of the words, empty for text.
    """

    name: str
    words: tuple[str, ...]
    language: str = ""
    qids: tuple[str, ...] = field(default=(), compare=False)


class _LabelItem(msgspec.Struct):
    label: str
    id: str = ""


class _CategoryLine(msgspec.Struct):
    category: str
    language: str
    items: tuple[_LabelItem, ...]


def read_categories(path: str | PathLike[str], language: str = "") -> list[WordCategory]:
    """The categories (named lists of words) of a file, or of the output folder of a build or a release.

    A file that ends in .parquet has a row for each category, one that ends in .jsonl or begins with a brace holds JSON
    lines; of these, only categories in ``language`` are read, if one is given. Any other file is text, which names no
    language: all of its categories are read, whatever ``language`` is.

    Raises MissingInputError if there is no file or nothing in the language, DamagedInputError with file and line, also
    for analogy questions, and UsageError for several languages at once.
    """
    file = files.data_set_path(path)
    parts = [file]
    if file.is_dir():
        by_ending = (sorted((file / "categories").glob(f"{language or '*'}.{end}")) for end in ("jsonl", "parquet"))
        parts = next(filter(None, by_ending), [])
    if not parts or not parts[0].is_file():
        wanted = f"categories in {language}" if language else "categories"
        raise MissingInputError(f"expected a file of {wanted}, or an OUT that has it, saw none at {file}")
    # JSON lines, a line made of each row of Parquet, or text.
    categories: list[WordCategory] = []
    for part in parts:
        lines: Iterable[tuple[str, str | bytes]] = ()  # each category as JSON, with where it is
        if part.suffix == ".parquet":
            with part.open("rb") as source, open_parquet(source, str(part), "a Parquet file of categories") as table:
                rows = table.read().to_pylist()
            lines = ((f"{part}: row {number}", orjson.dumps(row)) for number, row in enumerate(rows))
        elif files.is_json_lines(part, text := files.read_utf8(part)):
            lines = files.filled_lines(text, part)
        else:
            categories += _from_text(text, part)
        for where, line in lines:
            row = decode_json(line, _CategoryLine, where, "a JSON line of a category")
            if language in {"", row.language}:
                words, qids = (tuple(getattr(item, name) for item in row.items) for name in ("label", "id"))
                categories.append(WordCategory(row.category, words, row.language, qids))
    if not categories:
        raise MissingInputError(f"{file}: expected categories{f' in {language}' if language else ''}, saw none")
    languages = sorted({category.language for category in categories})
    if len(languages) > 1:
        raise UsageError(f"{file}: expected one language, saw {', '.join(languages)}, of which one must be chosen")
    return categories


def _from_text(text: str, file: Path) -> list[WordCategory]:
    """Read ``: category`` text with one or several words to a line, as word2vec and Stringham and Izbicki write it."""
    words: dict[str, list[str]] = {}
    # Analogy questions are refused: lines of two pairs of words, "Paris France Rome Italy", of which some come again.
    name, all_of_four, pairs = None, True, set[tuple[str, ...]]()
    for number, line in files.numbered_lines(text):
        if line.startswith(":"):
            name = line[1:].strip()
            words.setdefault(name, [])
        elif line and name is None:
            raise DamagedInputError(f"{file}:{number}: expected ': category' in front of words, saw {line[:60]!r}")
        elif line and name is not None:
            # A no-break space is part of a word, as an exporter that writes "_" for blanks leaves it.
            listed = re.split(r"[ \t]+", line)
            all_of_four = all_of_four and len(listed) == 4
            if all_of_four:
                halves = {(name, *listed[:2]), (name, *listed[2:])}
                if halves & pairs:
                    advice = "wikisem evaluate makes two categories of each relation with --split-analogies"
                    saw = f"saw analogy questions; {advice}"
                    raise DamagedInputError(f"{file}:{number}: expected words of categories, {saw}")
                pairs |= halves
            words[name].extend(listed)
    return [WordCategory(name, tuple(listed)) for name, listed in words.items()]
