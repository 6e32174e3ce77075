"""Groups as tables: how many there are in each language, and one in full."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from rich.table import Column, Table

from wikisem.class_names import name_class
from wikisem.pipeline.console.terminal import number_columns
from wikisem.records import OUTLIER_CLASSES, Group, Outlier, Rejection

_PARTS: Final = {0: "cluster", **{number: one.label for number, one in OUTLIER_CLASSES.items()}}


def languages_table(groups: Mapping[str, Sequence[Group]], rejections: Mapping[str, Sequence[Rejection]]) -> Table:
    """One row for each language: groups, test cases, and the classes that gave none, by reason."""
    counted = number_columns("groups", "test cases", "classes without")
    table = Table("language", *counted, "why", title="test groups", title_justify="left")
    for language, found in groups.items():
        reasons = Counter(rejection.reason for rejection in rejections[language])
        cases = sum(len(group.outliers) for group in found)
        why = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
        table.add_row(language, str(len(found)), str(cases), str(reasons.total()), why)
    return table


def group_table(group: Group, names: Mapping[str, str]) -> Table:
    """The cluster and the outliers of one group; ``names`` are labels of the classes that brought outliers in."""
    shares, sitelinks = number_columns("P(form | page)", "sitelinks")
    title = f"{group.label} ({group.qid}, {group.language}) in full"
    members = (*group.cluster, *group.outliers)
    linked = any(member.total for member in members)  # else a column of blanks
    columns: list[Column | str] = [
        "",
        "surface form",
        "item",
        *([shares] if linked else []),
        "source",
        sitelinks,
        "via",
    ]
    table = Table(*columns, title=title, title_justify="left")
    shown = None
    for member in members:
        kind = member.of_class.number if isinstance(member, Outlier) else 0
        if kind != shown:
            table.add_section()
        via = name_class(member.via, names.get(member.via, "")) if isinstance(member, Outlier) else ""
        count, total = member.count or 0, member.total or 0
        share = f"{count}/{total} = {count / total:.2f}" if total else ""
        part = _PARTS[kind] if kind != shown else ""
        shares_too = [share] if linked else []
        table.add_row(part, member.surface, member.id, *shares_too, member.source, str(member.sitelinks), via)
        shown = kind
    return table
