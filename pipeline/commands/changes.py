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
from wikisem.pipeline.command_options import Options, at_least
from wikisem.pipeline.console.reports import deliver
from wikisem.pipeline.runs.read import read_run

OPTIONS: Final[Options] = {"--most": {"convert": at_least(1), "default": 20}}


def run(arguments: argparse.Namespace) -> int:
    """Compare and print; the exit code is 0 whether anything changed or not, unless --exit-code asks for it."""
    before, after = (read_run(data_set_path(path)) for path in (arguments.old, arguments.new))
    compared = compare_languages(before.groups, after.groups, before.rejections, after.rejections)
    known = [changed.language for changed in compared]
    if missing := sorted(set(arguments.languages).difference(known)):
        raise MissingInputError(
            f"expected languages of {arguments.old} or {arguments.new} ({', '.join(known)}), saw {', '.join(missing)}"
        )
    chosen = [changed for changed in compared if not arguments.languages or changed.language in arguments.languages]
    rows = [change.as_json() for changed in chosen for change in changed.changes]
    objects = [changed.as_json() for changed in chosen]
    deliver(arguments, "changes", lambda _: _tables(chosen, arguments.most), objects, rows=rows)
    return int(arguments.exit_code and bool(rows))


def _tables(compared: Sequence[LanguageChanges], most: int) -> Iterator[Block]:
    """Name the languages without changes, count those of the others, and list up to ``most`` changes of each kind."""
    if same := [language for language in compared if not language.changes]:
        groups, cases = sum(language.groups.kept for language in same), sum(language.cases.kept for language in same)
        codes = ", ".join(language.language for language in same)
        yield f"no change in {codes}: the same {groups:,} groups and {cases:,} test cases"
    changed = [language for language in compared if language.changes]
    if not changed:
        return
    columns = [f"{what} {how}" for what in ("groups", "cases") for how in ("out", "kept", "in")]
    header, rows = ["language", *columns, "items in", "items out", "moved", "surface forms"], []
    for language in changed:
        kinds = Counter(change.kind for change in language.changes)
        of_items = [kinds[kind] for kind in ("item in", "item out", "moved", "surface form")]
        numbers = [*language.groups, *language.cases, *of_items]
        rows.append([language.language, *(f"{number:,}" for number in numbers)])
    yield Sheet(header, rows, [False, *(True for _ in header[1:])])
    for kind in get_args(Kind):
        of_kind = [change for language in changed for change in language.changes if change.kind == kind]
        header, rows = ["language", "class", "item", "before", "after"], []
        if kind in {"group in", "group out"}:  # of a group the reason, of an item what it was before and is after
            header = ["language", "class", "before" if kind == "group in" else "now"]
        for change in of_kind[:most]:
            row = [change.language, f"{change.label} ({change.group})"]
            if change.item:
                row += [f"{change.surface} ({change.item})", change.before or "–", change.after or "–"]
            else:
                row += [change.before or change.after]
            rows.append(row)
        if rows:
            yield Sheet(header, rows, [False for _ in header], f"{kind}: {len(of_kind):,}")
        if len(of_kind) > most:
            yield f"{len(of_kind) - most:,} more; --json and --csv have all"
