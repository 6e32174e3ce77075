"""Languages as a table for people."""

from collections.abc import Sequence

from rich.table import Table

from wikisem.pipeline.build.language_list import ListedLanguage
from wikisem.pipeline.console.terminal import make_console
from wikisem.wikipedia.learning import LINKS, LIST_TITLES, SURPRISED

_RULES = {"words": "words", "han": "Han"}


def print_languages(found: Sequence[ListedLanguage]) -> None:
    """A row for each language; what a folder's evidence is too little for is said below."""
    in_folder = any(one.groups is not None for one in found)
    table = Table()
    for name in ("code", "wiki", "script", "words", "affix", "trail", "lists", *(("groups",) if in_folder else ())):
        table.add_column(name, overflow="fold")
    for one in found:
        table.add_row(*_cells(one), *((str(one.groups),) if in_folder else ()))
    console = make_console()
    console.print(table)
    for line in [line for one in found for line in _shortages(one)] if in_folder else ():
        console.print(line)


def _cells(one: ListedLanguage) -> tuple[str, ...]:
    affix = _RULES.get(one.affix, f"{one.affix_length} characters")
    return (
        one.code + (" (edited)" if one.edited else ""),
        one.wiki or "labels only",
        _with_source(one, "script", one.script),
        _with_source(one, "writing", one.writing + (", hyphens" if one.hyphens else "")),
        _with_source(one, "affix", affix),
        _with_source(one, "link_trail", one.link_trail or "none"),
        _with_source(one, "lists", ", ".join(f'"{word}"' for word in one.lists) or "none"),
    )


def _with_source(one: ListedLanguage, key: str, value: str) -> str:
    source = one.source.get(key, "")
    support = one.support.get(key, 0)
    return f"{value} ({source}{f', {support:,}' if support and source == 'dump' else ''})"


def _shortages(one: ListedLanguage) -> list[str]:
    """What could not be learned, because there was too little of it."""
    needs = {
        "writing": (LINKS, "links"),
        "lists": (LIST_TITLES, "titles of lists"),
        "affix": (SURPRISED, "surface forms"),
    }
    what = {
        "writing": "how words are parted",
        "lists": "list words",
        "affix": 'how common affixes are (affix = "surprise")',
    }
    return [
        f"{one.code}: {what[key]}: expected {least:,} {unit}, saw {one.support.get(key, 0):,}; the default holds"
        for key, (least, unit) in needs.items()
        if one.support.get(key, 0) < least
    ]
