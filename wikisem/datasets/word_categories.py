"""Category sets as people keep them: `: category` text, as word2vec and gensim read it, our JSON lines and Parquet."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path

import msgspec
import orjson

from wikisem.arrow.parquet import open_parquet
from wikisem.datasets.files import data_set_path, filled_lines, is_json_lines, numbered_lines, read_utf8
from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.typed_json import decode_json


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
    """The categories of a file, or of the OUT of a run or a release.

    A file that ends in .parquet has a row for each category, one that ends in .jsonl or begins with a brace holds JSON
    lines; of these, only categories in ``language`` are read, if one is given. Any other file is text, which names no
    language: all of its categories are read, whatever ``language`` is.

    Raises MissingInputError if there is no file or nothing in the language, DamagedInputError with file and line, also
    of analogy questions, and UsageError for several languages at once.
    """
    file = data_set_path(path)
    files = [file]
    if file.is_dir():
        by_ending = (sorted((file / "categories").glob(f"{language or '*'}.{end}")) for end in ("jsonl", "parquet"))
        files = next(filter(None, by_ending), [])
    if not files or not files[0].is_file():
        wanted = f"categories in {language}" if language else "categories"
        raise MissingInputError(f"expected a file of {wanted}, or an OUT that has it, saw none at {file}")
    categories: list[WordCategory] = []
    for part in files:
        lines: Iterable[tuple[str, str | bytes]] = ()
        if part.suffix == ".parquet":
            with part.open("rb") as source, open_parquet(source, str(part), "a Parquet file of categories") as table:
                rows = table.read().to_pylist()
            lines = ((f"{part}: row {number}", orjson.dumps(row)) for number, row in enumerate(rows))
        elif is_json_lines(part, text := read_utf8(part)):
            lines = filled_lines(text, part)
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


def keyed_categories(categories: Sequence[WordCategory], where: str | Path) -> list[WordCategory]:
    """The categories with the QIDs of their items in place of the words; MissingInputError if no item has one."""
    if not any(any(category.qids) for category in categories):
        raise MissingInputError(f"{where}: expected items with an id, as the JSON lines of categories have, saw none")
    return [replace(category, words=tuple(filter(None, category.qids))) for category in categories]


def _from_text(text: str, file: Path) -> list[WordCategory]:
    """Read ``: category`` text with one or several words to a line, as word2vec and Stringham and Izbicki write it."""
    words: dict[str, list[str]] = {}
    name, all_of_four, pairs = None, True, set[tuple[str, ...]]()
    for number, line in numbered_lines(text):
        if line.startswith(":"):
            name = line[1:].strip()
            words.setdefault(name, [])
        elif line and name is None:
            raise DamagedInputError(f"{file}:{number}: expected ': category' in front of words, saw {line[:60]!r}")
        elif line and name is not None:
            # A no-break space is part of a word, as an exporter that writes "_" for blanks leaves it.
            listed = re.split(r"[ \t]+", line)
            all_of_four = all_of_four and len(listed) == 4
            if all_of_four:  # analogy questions, if pairs of words come again in a section
                halves = {(name, *listed[:2]), (name, *listed[2:])}
                if halves & pairs:
                    raise DamagedInputError(
                        f"{file}:{number}: expected words of categories, saw analogy questions; wikisem evaluate makes "
                        "two categories of each relation with --split-analogies"
                    )
                pairs |= halves
            words[name].extend(listed)
    return [WordCategory(name, tuple(listed)) for name, listed in words.items()]
