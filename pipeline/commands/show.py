"""Show one group in full: its members and outliers, where each word is from, and the classes of the outliers.

OUT is the output folder of a run or a release, by path or URL, or a file of groups. CLASS is a QID or a label in any of
its languages. Without --language the group is shown in every language that has it. If a class has no group,
the reason is printed.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from wikisem.class_names import classes_named, classes_of, find_class, name_class
from wikisem.datasets.files import data_set_path
from wikisem.errors import MissingInputError
from wikisem.ids import check_language, is_qid
from wikisem.outputs.groupfile import read_groups, read_rejections
from wikisem.pipeline.command_options import DATA_SET, argument
from wikisem.pipeline.console.tables import group_table
from wikisem.pipeline.console.terminal import make_console
from wikisem.pipeline.release import labels_of_classes
from wikisem.records import Group

# How many languages a message names.
_NAMED: Final = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of show."""
    parser.add_argument("output", metavar="OUT", help=DATA_SET)
    parser.add_argument("name", metavar="CLASS", help="the class, by its QID or label, such as Q515 or city")
    parser.add_argument(
        "--language",
        type=argument(check_language),
        metavar="LANG",
        help="one language (default: every one that has it)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the group in each language."""
    path = data_set_path(arguments.output)
    groups = read_groups(path)
    known = classes_of(groups)
    if not is_qid(arguments.name) and not classes_named(arguments.name, known):
        known += classes_of(read_rejections(path))
    qid = find_class(arguments.name, known, arguments.output)
    of_class = [one for one in groups if one.qid == qid]
    shown = [one for one in of_class if arguments.language in {None, one.language}]
    if not shown:
        raise MissingInputError(f"{arguments.output}: {_missing(path, qid, of_class, arguments.language)}")
    console = make_console()
    for group in shown:
        rejected = {one.qid: one.label for one in read_rejections(path, group.language) if one.label}
        kept = {one.qid: one.label for one in groups if one.language == group.language}
        brought = labels_of_classes(arguments.output, [group]).get(group.language, {})
        console.print(group_table(group, {**rejected, **kept, **brought}))
    return 0


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
