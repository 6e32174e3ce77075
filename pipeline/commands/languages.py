"""Every language with its wiki, script, rules, link trail and list words, with the source and support of each.

Without OUT: all 364 Wikipedias and the languages of labels, as known before any dump is read. With a code such as "is"
in its place: that language. With OUT: the languages of that folder by ``OUT/languages/<language>.toml``, with the
number of groups.
"""

import argparse
from dataclasses import asdict
from typing import Final

from wikisem.pipeline.command_options import argument, folder
from wikisem.pipeline.console.terminal import make_console, make_table, print_json
from wikisem.pipeline.runs.inputs import ListedLanguage, list_languages
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
    languages = list_languages(arguments.output)
    if arguments.json:
        print_json([asdict(language) for language in languages], indented=True)
        return 0
    in_folder = any(language.groups is not None for language in languages)
    names = ("code", "wiki", "script", "words", "affix", "trail", "lists")
    table = make_table((*names, "groups") if in_folder else ("name", *names))
    shortages = []
    for language in languages:
        affix = _AFFIX_RULES.get(language.affix, f"{language.affix_length} characters")
        cells = [
            language.code + (" (edited)" if language.edited else ""),
            language.wiki or "labels only",
            _with_source(language, "script", language.script),
            _with_source(language, "writing", language.writing + (", hyphens" if language.hyphens else "")),
            _with_source(language, "affix", affix),
            _with_source(language, "link_trail", language.link_trail or "none"),
            _with_source(language, "lists", ", ".join(f'"{word}"' for word in language.lists) or "none"),
        ]
        table.add_row(*([*cells, str(language.groups)] if in_folder else [language.name, *cells]))
        shortages += [
            f"{language.code}: {what}: expected {least:,} {unit}, saw {seen:,}; the default holds"
            for key, (what, least, unit) in _LEARNED.items()
            if in_folder and (seen := language.support.get(key, 0)) < least
        ]
    console = make_console()
    console.print(table)
    for line in shortages:
        console.print(line)
    return 0


def _with_source(language: ListedLanguage, key: str, value: str) -> str:
    source, support = language.source.get(key, ""), language.support.get(key, 0)
    return f"{value} ({source}{f', {support:,}' if support and source == 'dump' else ''})"
