"""What changed from one run or release to another: groups in and out and why, items that moved, surface forms.

OLD and NEW are folders or addresses of runs or releases, such as two builds from dumps of two dates. Groups,
items and test cases that are in both have the same ids.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, get_args

from wikisem.datasets.files import data_set_path
from wikisem.errors import MissingInputError
from wikisem.evaluation.changes import Kind, LanguageChanges, compare_languages
from wikisem.outputs.report.page import Block, Sheet
from wikisem.pipeline.command_options import add, add_languages, at_least
from wikisem.pipeline.console.reports import add_report_file, deliver
from wikisem.pipeline.runs.read import read_run

_KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of changes."""
    add(parser, "old=OLD", "the output folder of a run, or a release")
    add(parser, "new=NEW", "another output folder or release, to compare with OLD")
    add_languages(parser, "all of both")
    add(parser, "--most N", "rows of each table of changes (default: 20)", at_least(1), 20)
    add(parser, "--exit-code", "exit with 1 if anything changed")
    form = parser.add_mutually_exclusive_group()
    add(form, "--csv", "print CSV, a row for each change, instead of tables")
    add(form, "--json", "print one JSON object per line for each language")
    add_report_file(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare and print; the exit code is 0 whether anything changed or not, unless --exit-code asks for it."""
    before, after = (read_run(data_set_path(path)) for path in (arguments.old, arguments.new))
    changes = compare_languages(before.groups, after.groups, before.rejections, after.rejections)
    every = {one.language: one for one in changes}
    if missing := sorted(set(arguments.languages) - every.keys()):
        raise MissingInputError(
            f"expected languages of {arguments.old} or {arguments.new} ({', '.join(every)}), saw {', '.join(missing)}"
        )
    found = [one for code, one in every.items() if not arguments.languages or code in arguments.languages]
    objects, rows = [one.as_json() for one in found], [change.as_json() for one in found for change in one.changes]
    deliver(arguments, "changes", lambda _: _tables(found, arguments.most), objects, rows=rows)
    return int(arguments.exit_code and any(one.changes for one in found))


def _tables(found: Sequence[LanguageChanges], most: int) -> Iterator[Block]:
    """Name the languages without changes, count those of the others, and list up to ``most`` changes of each kind."""
    changes = [change for language in found for change in language.changes]
    if same := [language for language in found if not language.changes]:
        groups, cases = sum(language.groups[1] for language in same), sum(language.cases[1] for language in same)
        codes = ", ".join(language.language for language in same)
        yield f"no change in {codes}: the same {groups:,} groups and {cases:,} test cases"
    if not changes:
        return
    columns = [f"{what} {how}" for what in ("groups", "cases") for how in ("out", "kept", "in")]
    header, lines = ["language", *columns, "items in", "items out", "moved", "surface forms"], []
    for changed in (language for language in found if language.changes):
        kinds = Counter(change.kind for change in changed.changes)
        counts = [kinds[kind] for kind in ("item in", "item out", "moved", "surface form")]
        lines.append([changed.language, *(f"{number:,}" for number in (*changed.groups, *changed.cases, *counts))])
    yield Sheet(header, lines, [False, *(True for _ in header[1:])])
    for kind in _KINDS:
        if not (own := [change for change in changes if change.kind == kind]):
            continue
        of_groups, why = kind.startswith("group"), {"group in": "before", "group out": "now"}.get(kind)
        header = ["language", "class", *([] if of_groups else ["item"]), *([why] if why else ["before", "after"])]
        lines = []
        for change in own[:most]:
            cells = [change.language, f"{change.label} ({change.group})"]
            if of_groups:
                lines.append([*cells, change.before or change.after])
            else:
                lines.append([*cells, f"{change.surface} ({change.item})", change.before or "–", change.after or "–"])
        yield Sheet(header, lines, [False for _ in header], f"{kind}: {len(own):,}")
        if len(own) > most:
            yield f"{len(own) - most:,} more; --json and --csv have all"
