"""Writes the sample world as dump files, the same bytes every time, with one broken record in the middle of each."""

import bz2
import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wikisem.pipeline.demo.articles import open_edition, write_pages
from wikisem.pipeline.demo.entities import entity_lines
from wikisem.pipeline.demo.export import export
from wikisem.pipeline.demo.facts import LANGUAGES, Item, read_classes, read_items

_LINES_A_MEMBER: Final = 100


@dataclass(frozen=True, slots=True)
class WorldFiles:
    """Where the dumps of the sample world are: Wikidata, and one Wikipedia for each language."""

    wikidata: str
    wikipedia: Mapping[str, str]


def write_world(folder: str) -> WorldFiles:
    """Write ``wikidata.json.gz`` and ``<language>wiki-pages-articles.xml.bz2`` into a folder that is there."""
    items = read_items()
    wikidata = Path(folder) / "wikidata.json.gz"
    wikidata.write_bytes(wikidata_dump(list(entity_lines(items, read_classes()))))
    wikipedia = {language: Path(folder) / f"{language}wiki-pages-articles.xml.bz2" for language in LANGUAGES}
    for language, path in wikipedia.items():
        path.write_bytes(wikipedia_dump(language, items))
    return WorldFiles(str(wikidata), {language: str(path) for language, path in wikipedia.items()})


def wikidata_dump(lines: Sequence[str]) -> bytes:
    """Lines as ``latest-all.json.gz`` holds them: gzip members of whole lines; "[", "," and "]" are members too."""
    broken = _with_broken(lines, _cut(lines[len(lines) // 2]))
    chunks = [broken[at : at + _LINES_A_MEMBER] for at in range(0, len(broken), _LINES_A_MEMBER)]
    body = _member(",\n").join(_member(",\n".join(chunk) + "\n") for chunk in chunks)
    return _member("[\n") + body + _member("]\n")


def wikipedia_dump(language: str, items: Sequence[Item]) -> bytes:
    """The ``pages-articles`` file of one edition."""
    edition = open_edition(language, items)
    pieces = list(export(edition, write_pages(edition)))
    page = pieces[len(pieces) // 2]
    # The text stops in mid-sentence and nothing closes it, yet the next page follows.
    return bz2.compress("".join(_with_broken(pieces, _cut(page) + "\n  </page>\n")).encode())


def _with_broken(records: Sequence[str], broken: str) -> list[str]:
    middle = len(records) // 2
    return [*records[:middle], broken, *records[middle:]]


def _cut(record: str) -> str:
    return record[: len(record) * 2 // 3]


def _member(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)
