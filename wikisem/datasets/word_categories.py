"""Category sets as people keep them: `: category` text, as word2vec and gensim read it, and our JSON lines."""

import re
from dataclasses import dataclass
from pathlib import Path

import msgspec

from wikisem.datasets.text_files import is_json_lines, numbered_lines, read_utf8
from wikisem.errors import DamagedInputError, MissingInputError, UsageError


@dataclass(frozen=True, slots=True)
class WordCategory:
    """A category as its file writes it: words alone, `_` between the tokens of one; the language where it is told."""

    name: str
    words: tuple[str, ...]
    language: str = ""


class _LabelItem(msgspec.Struct):
    label: str


class _CategoryLine(msgspec.Struct):
    category: str
    language: str
    items: tuple[_LabelItem, ...]


def read_categories(path: str | Path, language: str = "") -> list[WordCategory]:
    """The categories of a file, in its order; of JSON lines only those in ``language``, if one is given.

    A file that ends in .jsonl or begins with a brace holds JSON lines. Raises MissingInputError if there is no file or
    nothing in the language, DamagedInputError with file and line, and UsageError for several languages at once.
    """
    file = Path(path)
    if not file.is_file():
        raise MissingInputError(f"expected a file of categories, saw none at {file}")
    text = read_utf8(file)
    categories = _from_lines(text, file, language) if is_json_lines(file, text) else _from_text(text, file)
    if not categories:
        raise MissingInputError(f"{file}: expected categories{f' in {language}' if language else ''}, saw none")
    languages = sorted({category.language for category in categories})
    if len(languages) > 1:
        raise UsageError(f"{file}: expected one language, saw {', '.join(languages)}, of which one must be chosen")
    return categories


def _from_lines(text: str, file: Path, language: str) -> list[WordCategory]:
    categories = []
    for number, line in numbered_lines(text):
        if line:
            row = _decode(line, f"{file}:{number}")
            if language in {"", row.language}:
                words = tuple(item.label for item in row.items)
                categories.append(WordCategory(row.category, words, row.language))
    return categories


def _decode(line: str, where: str) -> _CategoryLine:
    try:
        return msgspec.json.decode(line, type=_CategoryLine)
    except msgspec.DecodeError as error:
        raise DamagedInputError(f"{where}: expected a JSON line of a category, saw {error}") from error


def _from_text(text: str, file: Path) -> list[WordCategory]:
    """Words are one or several to a line, as in the files of word2vec and of Stringham and Izbicki."""
    words: dict[str, list[str]] = {}
    name = None
    for number, line in numbered_lines(text):
        if line.startswith(":"):
            name = line[1:].strip()
            words.setdefault(name, [])
        elif line and name is None:
            raise DamagedInputError(f"{file}:{number}: expected ': category' in front of words, saw {line[:60]!r}")
        elif line and name is not None:
            # A no-break space is part of a word, as an exporter that writes "_" for blanks leaves it.
            words[name].extend(re.split(r"[ \t]+", line))
    return [WordCategory(name, tuple(listed)) for name, listed in words.items()]
