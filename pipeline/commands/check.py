"""Run the cluster filters over a data set of test groups and list which groups break which rule.

PATH is a file or a folder in WikiSem500 text form (cluster lines, a blank line, outlier lines) or with wikisem's JSON
lines. Every broken rule of a group is listed, not only the first. Filters look at clusters only, never at outliers. The
exit code is 1 if a rule is broken.
"""

import argparse
from collections.abc import Sequence
from dataclasses import asdict

from rich.table import Table

from wikisem.heuristics.rules.lint import Violation, check_groups, groups_in
from wikisem.pipeline.command_options import DATA_SET, add_profile
from wikisem.pipeline.console.terminal import make_console, print_json
from wikisem.pipeline.runs.inputs import read_named
from wikisem.wikipedia.learning import read_profile_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of check."""
    parser.add_argument("path", metavar="PATH", help=DATA_SET)
    parser.add_argument(
        "--language",
        required=True,
        metavar="LANG",
        help="the language whose rules apply; JSON lines in others are skipped",
    )
    parser.add_argument(
        "--recipe",
        default="wikisem500",
        help="a recipe, by path or name, for its [filters] and minimum (default: wikisem500)",
    )
    add_profile(parser, "a profile file, such as OUT/languages/LANG.toml of a build")
    parser.add_argument("--json", action="store_true", help="print a JSON list of group, rule and detail, and no table")


def run(arguments: argparse.Namespace) -> int:
    """Check the groups, print what was found, and return 1 if that is anything."""
    groups = groups_in(arguments.path, arguments.language)
    text = read_named(arguments.profile).get(arguments.language)
    given = None if text is None else read_profile_file(text, "--profile")
    violations = check_groups(groups, arguments.language, arguments.recipe, given)
    if arguments.json:
        print_json([asdict(violation) for violation in violations], indented=True)
    else:
        _print_violations(violations, len(groups))
    return 1 if violations else 0


def _print_violations(violations: Sequence[Violation], checked: int) -> None:
    """Print the groups that break a rule of the cluster filters, and how many of those that were checked do."""
    console = make_console()
    if violations:
        table = Table("group", "rule", "detail")
        for violation in violations:
            name = f"{violation.label} ({violation.group})" if violation.label else violation.group
            table.add_row(name, violation.rule, violation.detail)
        console.print(table)
    broken = len({violation.group for violation in violations})
    console.print(f"groups: {checked} checked, {broken} break a rule")
