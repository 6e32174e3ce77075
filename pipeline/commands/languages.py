"""Every language with its wiki, script, rules, link trail and list words, with the source and support of each.

Without OUT: all 364 Wikipedias and the languages of labels, as known before any dump is read. With a code such as "is"
in its place: that language. With OUT: the languages of that folder by ``OUT/languages/<language>.toml``, with the
number of groups.
"""

import argparse
from collections.abc import Sequence
from typing import Final

from wikisem.pipeline.build.inputs import ListedLanguage, known_languages, languages_in
from wikisem.pipeline.command_options import argument, folder
from wikisem.pipeline.console.terminal import make_console, make_table, print_json
from wikisem.wikipedia.learning import LINKS, LIST_TITLES, SURPRISED

_AFFIX_RULES: Final = {"words": "words", "han": "Han"}
# What is learned for a key of a profile, and how much of what that takes.
_LEARNED: Final = {
    "writing": ("how words are parted", LINKS, "links"),
    "lists": ("list words", LIST_TITLES, "titles of lists"),
    "affix": ('how common affixes are (affix = "surprise")', SURPRISED, "surface forms"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare OUT and --json."""
    parser.add_argument(
        "output", nargs="?", type=argument(folder), metavar="OUT", help="the output folder of a run, or a code"
    )
    parser.add_argument("--json", action="store_true", help="print a JSON list of objects, and no table")


def run(arguments: argparse.Namespace) -> int:
    """List the languages."""
    found = known_languages() if arguments.output is None else languages_in(arguments.output)
    if arguments.json:
        print_json([one.to_plain() for one in found], indented=True)
    else:
        _print_languages(found)
    return 0


def _print_languages(found: Sequence[ListedLanguage]) -> None:
    """A row for each language, and for a folder lines that say what there was too little evidence for."""
    in_folder = any(one.groups is not None for one in found)
    names = ("code", "wiki", "script", "words", "affix", "trail", "lists")
    table = make_table((*names, "groups") if in_folder else ("name", *names))
    for one in found:
        table.add_row(*([] if in_folder else [one.name]), *_cells(one), *([str(one.groups)] if in_folder else []))
    console = make_console()
    console.print(table)
    for line in [line for one in found for line in _shortages(one)] if in_folder else ():
        console.print(line)


def _cells(one: ListedLanguage) -> tuple[str, ...]:
    affix = _AFFIX_RULES.get(one.affix, f"{one.affix_length} characters")
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
    """What could not be learned, because there was too little to learn it from."""
    return [
        f"{one.code}: {what}: expected {least:,} {unit}, saw {seen:,}; the default holds"
        for key, (what, least, unit) in _LEARNED.items()
        if (seen := one.support.get(key, 0)) < least
    ]
