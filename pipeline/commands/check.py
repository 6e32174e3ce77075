"""Run the cluster filters over a data set of test groups and list which groups break which rule.

PATH is a file or a folder in WikiSem500 text form (cluster lines, a blank line, outlier lines) or with wikisem's JSON
lines. Every broken rule of a group is listed, not only the first. Filters look at clusters only, never at outliers.
The exit code is 1 when anything breaks a rule.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict

import orjson
from rich.console import Console
from rich.table import Table

from wikisem.heuristics.rules.lint import Violation, check_groups, groups_in


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """PATH, --language, --recipe, --json."""
    parser.add_argument("path", metavar="PATH", help="a data set: a .txt or .jsonl file, or a folder of such files")
    parser.add_argument(
        "--language",
        required=True,
        metavar="CODE",
        help="the language whose rules apply; JSON lines in others are skipped",
    )
    parser.add_argument(
        "--recipe", default="wikisem500", help="a recipe, by path or name, for its [filters] and minimum (%(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print a JSON list of group, rule and detail, and no table")


def run(arguments: argparse.Namespace, beam_options: Sequence[str]) -> int:
    """Check the groups, print what was found, and return 1 if that is anything."""
    del beam_options
    groups = groups_in(arguments.path, arguments.language)
    violations = check_groups(groups, arguments.language, arguments.recipe)
    if arguments.json:
        print(orjson.dumps([asdict(violation) for violation in violations], option=orjson.OPT_INDENT_2).decode())  # noqa: T201
    else:
        _print_table(violations, len(groups))
    return 1 if violations else 0


def _print_table(violations: Sequence[Violation], checked: int) -> None:
    console = Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else 160)
    if violations:
        table = Table("group", "rule", "detail")
        for violation in violations:
            table.add_row(violation.group, violation.rule, violation.detail)
        console.print(table)
    broken = len({violation.group for violation in violations})
    console.print(f"groups: {checked} checked, {broken} break a rule")
