"""Every language with its wiki, script, rules, link trail and list words, with the source and support of each.

Without OUT: all 364 Wikipedias and the languages of labels, as known before any dump is read. With a code such as "is"
in its place: that language. With OUT: the languages of that folder by ``OUT/languages/<language>.toml``, with the
number of groups.
"""

import argparse
from collections.abc import Iterator, Mapping
from typing import Any, Final

from wikisem.errors import MissingInputError
from wikisem.files import list_files, open_binary
from wikisem.layout import GROUPS, profile_path, unit_of
from wikisem.pipeline.cli import Options, folder
from wikisem.pipeline.console.terminal import make_console, make_table, print_json
from wikisem.pipeline.runs.inputs import edited
from wikisem.pipeline.runs.ledger import Ledger
from wikisem.wikipedia.languages import script_sets
from wikisem.wikipedia.learning import KEYS, LINKS, LIST_TITLES, SURPRISED, find_profile, read_profile_file
from wikisem.wikis import LABEL_ONLY_CODES, WIKIPEDIA_CODES, WIKIPEDIAS, own_code, wiki_of

_AFFIX_RULES: Final = {"words": "words", "han": "Han"}
# What is learned for a key of a profile, and how much of what that takes.
_LEARNED: Final = {
    "writing": ("how words are parted", LINKS, "links"),
    "lists": ("list words", LIST_TITLES, "titles of lists"),
    "affix": ('how common affixes are (affix = "surprise")', SURPRISED, "surface forms"),
}

OPTIONS: Final[Options] = {"output": {"convert": folder}}


def run(arguments: argparse.Namespace) -> int:
    """Print a row for each language with the values of its profile, then what a build had too few data to learn."""
    languages = list(_listed(arguments.output))
    if arguments.json:
        print_json(languages, indented=True)
        return 0
    in_folder = any(language["groups"] is not None for language in languages)  # of a build, rather than all languages
    names = ("code", "wiki", "script", "words", "affix", "trail", "lists")
    table = make_table((*names, "groups") if in_folder else ("name", *names))
    shortages = []
    for language in languages:
        # The values of its profile; each gets its source, such as "dump, 1,234" if that many links show it.
        values = {
            "script": language["script"],
            "writing": language["writing"] + (", hyphens" if language["hyphens"] else ""),
            # What is compared of affixes, which letters after a link are of its word, how titles of lists begin or end.
            "affix": _AFFIX_RULES.get(language["affix"], f"{language['affix_length']} characters"),
            "link_trail": language["link_trail"] or "none",
            "lists": ", ".join(f'"{word}"' for word in language["lists"]) or "none",
        }
        code = language["code"] + (" (edited)" if language["edited"] else "")
        cells = [*([] if in_folder else [language["name"]]), code, language["wiki"] or "labels only"]
        for key, value in values.items():
            source, support = language["source"].get(key, ""), language["support"].get(key, 0)
            cells.append(f"{value} ({source}{f', {support:,}' if support and source == 'dump' else ''})")
        table.add_row(*cells, *([str(language["groups"])] if in_folder else []))
        shortages += [
            f"{language['code']}: {learned}: expected {least:,} {unit}, saw {support:,}; the default holds"
            for key, (learned, least, unit) in _LEARNED.items()
            if in_folder and (support := language["support"].get(key, 0)) < least
        ]
    make_console().print(table, *shortages, sep="\n")
    return 0


def _listed(output: str | None) -> Iterator[Mapping[str, Any]]:
    """Describe each language as ``--json`` prints it: its names, its profile, and where each value of this is from.

    ``output`` is the folder of a build, for its languages, a code, or None for all languages. ``groups`` is how many
    the build made, None without one; ``wiki`` is None for a language that has labels but no Wikipedia. ``source`` is
    where each value is from, ``support`` how many links, titles or surface forms of a dump show it.
    """
    # The languages to list; those of a build have profile files, which their owner may edit.
    files: dict[str, str] = {}
    codes = (*sorted(WIKIPEDIA_CODES), *sorted(LABEL_ONLY_CODES))
    if output is not None:
        paths = sorted(list_files(f"{output}/{profile_path('*')}"))
        files = {path.rsplit("/", 1)[-1].removesuffix(".toml"): path for path in paths}
        if not files and output not in codes:
            wanted = f"the output folder of a build, with {profile_path('<language>')}, or the code of a language"
            raise MissingInputError(f"expected {wanted}, saw {output!r}")
        codes = tuple(files) or (output,)
    ledger = Ledger(output or "")
    for code in codes:
        # Of a build: its profile file, its groups, and whether somebody edited the file.
        file, groups, by_hand = None, None, False
        if path := files.get(code, ""):
            with open_binary(path) as data:
                file = read_profile_file(data.read(), path)
            record = ledger.find(unit_of(GROUPS, code))
            groups, by_hand = record.counts.kept if record else 0, bool(edited(str(output), code))
        found, wiki = find_profile(code, given=file), wiki_of(code)
        profile, source, support = found.profile, dict(found.source), dict(found.support)
        if file is not None:  # it says where a build had each value from
            source |= file.source if isinstance(file.source, dict) else {}
            support |= file.support if isinstance(file.support, dict) else {}
        row = {"code": code, "name": WIKIPEDIAS[wiki].name if wiki is not None else "", "wiki": wiki}
        row["script"] = profile.script or "|".join("+".join(scripts) for scripts in script_sets(own_code(code)))
        values = {"spaced": profile.spaced, **{key: getattr(profile, key) for key in KEYS if key != "script"}}
        yield row | values | {"source": source, "support": support, "groups": groups, "edited": by_hand}
