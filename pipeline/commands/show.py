"""Show one group in full: its members and outliers, where each word is from, and the classes of the outliers.

OUT is the output folder of a run or a release, by path or URL, or a file of groups. CLASS is a QID or a label in any of
its languages. Without --language the group is shown in every language that has it. If a class has no group,
the reason is printed.
"""

import argparse
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from wikisem.class_names import classes_named, classes_of, find_class, name_class
from wikisem.datasets.files import data_set_path
from wikisem.errors import MissingInputError
from wikisem.ids import check_language, is_qid
from wikisem.outputs.groupfile import read_groups, read_rejections
from wikisem.pipeline.command_options import DATA_SET, argument
from wikisem.pipeline.console.tables import group_table
from wikisem.pipeline.console.terminal import make_console, print_line
from wikisem.pipeline.release import labels_of_classes
from wikisem.records import Group

# How many languages a message names, and how many words the line of a group.
_NAMED: Final = 20
_WORDS: Final = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of show."""
    parser.add_argument("output", metavar="OUT", help=DATA_SET)
    text = "the class, by its QID or label, such as Q515 or city (default: list the groups)"
    parser.add_argument("name", nargs="?", metavar="CLASS", help=text)
    text = "the language (default: that of the label, of your locale, or English)"
    parser.add_argument("--language", type=argument(check_language), metavar="LANG", help=text)


def run(arguments: argparse.Namespace) -> int:
    """Print a group in one language, or a line for each group."""
    path = data_set_path(arguments.output)
    groups = read_groups(path)
    if arguments.name is None:
        return _list(groups, arguments)
    known = classes_of(groups)
    if not is_qid(arguments.name) and not classes_named(arguments.name, known):
        known += classes_of(read_rejections(path))
    qid = find_class(arguments.name, known, arguments.output)
    of_class = [one for one in groups if one.qid == qid]
    language = arguments.language or _preferred(of_class, arguments.name)
    shown = [one for one in of_class if one.language == language]
    if not shown:
        raise MissingInputError(f"{arguments.output}: {_missing(path, qid, of_class, arguments.language)}")
    rejected = {one.qid: one.label for one in read_rejections(path, language) if one.label}
    kept = {one.qid: one.label for one in groups if one.language == language}
    for group in shown:
        brought = labels_of_classes(arguments.output, [group]).get(language, {})
        make_console().print(group_table(group, {**rejected, **kept, **brought}))
    _name_others(of_class, language)
    return 0


def _list(groups: Sequence[Group], arguments: argparse.Namespace) -> int:
    language = arguments.language or _preferred(groups)
    shown = [one for one in groups if one.language == language]
    if not shown:
        codes = ", ".join(sorted({one.language for one in groups}))
        raise MissingInputError(f"{arguments.output}: expected groups in {language}, saw those in {codes}")
    for group in shown:
        words = ", ".join(member.surface for member in group.cluster[:_WORDS])
        print_line(f"{name_class(group.qid, group.label)}: {words}, ...")
    _name_others(groups, language)
    return 0


def _preferred(groups: Iterable[Group], label: str = "") -> str:
    """The language of the label, of the locale, English, or the first by code; "" without groups."""
    named = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    own = re.split("[_.@]", named)[0]
    asked = label.casefold()
    choices = [
        (one.label.casefold() != asked, one.language != own, one.language != "en", one.language) for one in groups
    ]
    return min(choices, default=("",))[-1]


def _name_others(groups: Iterable[Group], language: str) -> None:
    if others := sorted({one.language for one in groups} - {language}):
        print_line(f"also in {', '.join(others)}: --language {others[0]}")


def _missing(path: Path, qid: str, others: Sequence[Group], language: str | None) -> str:
    """What there is of a class instead of a group in the language, or in any."""
    wanted = f"expected a group of {qid}" + (f" in {language}" if language else "")
    rejected = [one for one in read_rejections(path, language) if one.qid == qid]
    if rejected:
        reasons = "; ".join(f"in {one.language} {one.reason}: {one.detail}" for one in rejected[:_NAMED])
        name = name_class(qid, next((one.label for one in rejected if one.label), ""))
        return f"{wanted}, saw that {name} was rejected {reasons}"
    if others:
        codes = ", ".join(sorted({one.language for one in others})[:_NAMED])
        return f"{wanted}, saw {others[0].label} ({qid}) in {codes}"
    return f"{wanted}, saw neither a group nor a rejection of it"
