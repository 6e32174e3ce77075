"""Every language with its wiki, script, rules, link trail and list words, where each is from, and what supports it.

Without OUT these are all 364 Wikipedias and the languages of labels, as they are known before any dump is read. With
OUT they are the languages of that folder, as ``OUT/languages/<language>.toml`` has them, with the number of groups.
"""

import argparse
from collections.abc import Sequence

from wikisem.pipeline.build.inputs import known_languages, languages_in
from wikisem.pipeline.command_options import argument, folder, refuse_beam_options
from wikisem.pipeline.console.tables import print_languages
from wikisem.pipeline.console.terminal import print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """OUT and --json."""
    parser.add_argument("output", nargs="?", type=argument(folder), metavar="OUT", help="the output folder of a run")
    parser.add_argument("--json", action="store_true", help="print a JSON list of objects, and no table")


def run(arguments: argparse.Namespace, beam_options: Sequence[str]) -> int:
    """List the languages."""
    refuse_beam_options("languages", beam_options)
    found = known_languages() if arguments.output is None else languages_in(arguments.output)
    if arguments.json:
        print_json([one.to_plain() for one in found], indented=True)
    else:
        print_languages(found)
    return 0
