"""What changed from one run or release to another: groups in and out and why, items that moved, surface forms.

OLD and NEW are folders or addresses of runs or releases, such as two builds from dumps of two dates. Groups,
items and test cases that are in both have the same ids.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, get_args

from wikisem.datasets.files import data_set_path
from wikisem.errors import MissingInputError
from wikisem.outputs.report import Block, Sheet
from wikisem.pipeline.cli import Options, at_least
from wikisem.pipeline.console.reports import deliver
from wikisem.pipeline.runs.read import read_run
from wikisem.records import Group, Member, Rejection

Kind = Literal["group in", "group out", "item in", "item out", "moved", "surface form"]
# Why a group is in or out, where no rejection says it.
NOT_IN_OLD, NOT_IN_NEW = "language not in OLD", "language not in NEW"
NO_CANDIDATE = "no candidate: too few items with a name, or left out by the recipe"


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. ``before`` and ``after`` are what is shown of it: reasons, parts of a group, surface forms.

    Groups: the reason for which the class was rejected before, or is now; ``NO_CANDIDATE`` if it was no candidate,
    ``NOT_IN_OLD`` or ``NOT_IN_NEW`` if that set does not have the language.
    Items: "cluster" or the outlier class ("O1"), "" where it is not in the group. ``item`` is empty for groups.
    """

    kind: Kind
    language: str
    group: str
    label: str
    before: str = ""
    after: str = ""
    item: str = ""
    surface: str = ""


class Overlap(NamedTuple):
    """How many groups, or test cases, the old set alone has, both have, and the new one alone has."""

    gone: int
    kept: int
    new: int


@dataclass(frozen=True, slots=True)
class LanguageChanges:
    """The changes of one language, and how many groups and test cases both sets, or one of them, have."""

    language: str
    groups: Overlap
    cases: Overlap
    changes: tuple[Change, ...]


OPTIONS: Final[Options] = {"--most": {"convert": at_least(1), "default": 20}}


def run(arguments: argparse.Namespace) -> int:
    """Print how two runs or releases differ; the exit code is 1 only if something does and --exit-code asks for it."""
    before, after = (read_run(data_set_path(path)) for path in (arguments.old, arguments.new))
    compared = compare_languages(before.groups, after.groups, before.rejections, after.rejections)
    known = [changed.language for changed in compared]
    if missing := sorted(set(arguments.languages).difference(known)):
        wanted = f"languages of {arguments.old} or {arguments.new} ({', '.join(known)})"
        raise MissingInputError(f"expected {wanted}, saw {', '.join(missing)}")
    chosen = [changed for changed in compared if not arguments.languages or changed.language in arguments.languages]
    # An object of --json for each language, with its counts and changes; the changes of all are the rows of --csv.
    objects, rows = list[dict[str, Any]](), list[dict[str, Any]]()
    for changed in chosen:
        counts: dict[str, Any] = {"language": changed.language}
        for name, overlap in (("groups", changed.groups), ("cases", changed.cases)):
            counts |= {f"{name}_out": overlap.gone, f"{name}_kept": overlap.kept, f"{name}_in": overlap.new}
        first_row = len(rows)
        for one in changed.changes:
            row = {"change": one.kind, "language": one.language, "class": one.group, "label": one.label}
            rows.append(row | {"item": one.item, "surface": one.surface, "before": one.before, "after": one.after})
        objects.append({**counts, "changes": rows[first_row:]})
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
    # A row of counts for each language: groups, test cases, and changes of items by kind.
    columns = [f"{what} {how}" for what in ("groups", "cases") for how in ("out", "kept", "in")]
    header, rows = ["language", *columns, "items in", "items out", "moved", "surface forms"], []
    for language in changed:
        kinds = Counter(change.kind for change in language.changes)
        of_items = [kinds[kind] for kind in ("item in", "item out", "moved", "surface form")]
        numbers = [*language.groups, *language.cases, *of_items]
        rows.append([language.language, *(f"{number:,}" for number in numbers)])
    yield Sheet(header, rows, [False, *(True for _ in header[1:])])
    # A table for each kind of change: of items with their part of the group or surface form before and after, and of
    # groups with the reason why the class had none before, or has none now.
    for kind in get_args(Kind):
        of_kind = [change for language in changed for change in language.changes if change.kind == kind]
        header, rows = ["language", "class", "item", "before", "after"], []
        if kind in {"group in", "group out"}:
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


def compare_languages(
    old: Mapping[str, Sequence[Group]],
    new: Mapping[str, Sequence[Group]],
    old_rejections: Mapping[str, Sequence[Rejection]],
    new_rejections: Mapping[str, Sequence[Rejection]],
) -> list[LanguageChanges]:
    """List the changes of two sets in every language that either has; their groups and rejections are by language.

    A group is the same if its class and language are, a test case if its outlier is, too, wherever in a file they are.
    """
    compared = []
    for language in sorted(old.keys() | new.keys()):
        before, after = ({group.qid: group for group in groups.get(language, ())} for groups in (old, new))
        # Why a class had no group before, and why it has none now.
        why_before = {qid: NOT_IN_OLD for qid in after if language not in old}
        why_after = {qid: NOT_IN_NEW for qid in before if language not in new}
        for why, rejections in ((why_before, old_rejections), (why_after, new_rejections)):
            for rejection in rejections.get(language, ()):
                why[rejection.qid] = f"{rejection.reason}: {rejection.detail}".removesuffix(": ")
        changes = list[Change]()
        for qid, group in before.items():
            if qid not in after:
                changes.append(Change("group out", language, qid, group.label, after=why_after.get(qid, NO_CANDIDATE)))
        for qid, group in after.items():
            if qid not in before:
                changes.append(Change("group in", language, qid, group.label, before=why_before.get(qid, NO_CANDIDATE)))
        for qid in after:
            if qid in before:
                changes += _item_changes(language, before[qid], after[qid])
        cases, cases_now = (
            {(group.qid, outlier.id) for group in groups.values() for outlier in group.outliers}
            for groups in (before, after)
        )
        group_counts, case_counts = (
            Overlap(gone=len(ids - ids_now), kept=len(ids & ids_now), new=len(ids_now - ids))
            for ids, ids_now in ((set(before), set(after)), (cases, cases_now))
        )
        compared.append(LanguageChanges(language, group_counts, case_counts, tuple(changes)))
    return compared


def _item_changes(language: str, before: Group, after: Group) -> Iterator[Change]:
    """Yield the items that came, went or moved between parts of a group, and changes of their surface forms.

    A part is "cluster" or an outlier class such as "O1", "" of an item that is not in the group.
    """
    parts, parts_now, about = _parts(before), _parts(after), (language, after.qid, after.label)
    for item in dict.fromkeys([*parts, *parts_now]):
        (part, member), (part_now, member_now) = parts.get(item, ("", None)), parts_now.get(item, ("", None))
        _, shown = parts_now.get(item) or parts[item]
        kind: Kind = "moved" if part and part_now else ("item in" if part_now else "item out")
        if part != part_now:
            yield Change(kind, *about, before=part, after=part_now, item=item, surface=shown.surface)
        if member and member_now and member.surface != member_now.surface:
            surfaces = member.surface, member_now.surface
            yield Change("surface form", *about, *surfaces, item=item, surface=member_now.surface)


def _parts(group: Group) -> dict[str, tuple[str, Member]]:
    """Map the items of a group to their parts, "cluster" or an outlier class; of two of an item, the first counts."""
    parts: dict[str, tuple[str, Member]] = {}
    for member in group.cluster:
        parts.setdefault(member.id, ("cluster", member))
    for outlier in group.outliers:
        parts.setdefault(outlier.id, (outlier.of_class.name, outlier))
    return parts
