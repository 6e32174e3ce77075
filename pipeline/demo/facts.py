"""The facts of the sample world, read from its two tables."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Final

LANGUAGES: Final = ("en", "es", "de", "ja", "zh", "ar")


@dataclass(frozen=True, slots=True)
class Name:
    """What an item is called in a language: the words links carry, its page, and an inflected or other form or ""."""

    surface: str
    title: str
    form: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """An item with pages; ``sitelinks`` is its true count if known, ``kind`` chooses the sentences about it."""

    qid: str
    kind: str
    instance_of: tuple[str, ...]
    subclass_of: tuple[str, ...]
    sitelinks: int | None
    names: Mapping[str, Name]


@dataclass(frozen=True, slots=True)
class ClassItem:
    """A class without pages, with its labels by language."""

    qid: str
    subclass_of: tuple[str, ...]
    labels: Mapping[str, str]


def read_items() -> tuple[Item, ...]:
    """Every item of the world, by kind, then QID."""
    return tuple(
        Item(
            qid=row["qid"],
            kind=row["kind"],
            instance_of=_qids(row["instance_of"]),
            subclass_of=_qids(row["subclass_of"]),
            sitelinks=int(row["sitelinks"]) if _given(row["sitelinks"]) else None,
            names={language: parse_name(row[language]) for language in LANGUAGES if _given(row[language])},
        )
        for row in _rows("items.tsv")
    )


def read_classes() -> tuple[ClassItem, ...]:
    """Every class of the world that is not an item itself, by QID."""
    return tuple(
        ClassItem(
            qid=row["qid"],
            subclass_of=_qids(row["subclass_of"]),
            labels={language: row[language] for language in LANGUAGES if _given(row[language])},
        )
        for row in _rows("classes.tsv")
    )


def parse_name(cell: str) -> Name:
    """The name that a cell spells, e.g. "Deutsch; Deutschen = Deutsche Sprache"."""
    words, _, title = cell.partition(" = ")
    surface, _, form = words.partition("; ")
    return Name(surface, title or surface[:1].upper() + surface[1:], form)


def _rows(name: str) -> list[dict[str, str]]:
    text = (resources.files(__package__) / name).read_text(encoding="utf-8")
    # Rows may end early: what they leave out is not given either.
    return list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE, restval="-"))


def _given(cell: str) -> bool:
    return cell != "-"


def _qids(cell: str) -> tuple[str, ...]:
    return tuple(cell.split()) if _given(cell) else ()
