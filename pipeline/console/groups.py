"""Groups as tables for people: how many there are in each language, and one in full."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from rich.table import Table

from wikisem.outputs.groupfile import decode_group, decode_rejection
from wikisem.records import Group, Member, Outlier, Rejection
from wikisem.transforms.io.files import open_binary

_PARTS: Final = ("cluster", "O1: sibling", "O2: cousin", "O3: far")
_SHARE: Final = "P(form | page)"


def read_groups(output: str, language: str) -> list[Group]:
    """The groups of a language in an output folder, by class."""
    return [decode_group(line) for line in _lines(f"{output}/groups/{language}.jsonl")]


def read_rejections(output: str, language: str) -> list[Rejection]:
    """The classes that gave no group in a language, and why."""
    return [decode_rejection(line) for line in _lines(f"{output}/rejected/{language}.jsonl")]


def _lines(path: str) -> list[bytes]:
    with open_binary(path) as source:
        return source.read().splitlines()


def languages_table(groups: Mapping[str, Sequence[Group]], rejections: Mapping[str, Sequence[Rejection]]) -> Table:
    """One row for each language: groups, test cases, and the classes that gave none, by reason."""
    table = Table(title="test groups", title_justify="left")
    for name in ("language", "groups", "test cases", "classes without"):
        table.add_column(name, justify="left" if name == "language" else "right")
    table.add_column("why")
    for language, found in groups.items():
        reasons = Counter(rejection.reason for rejection in rejections[language])
        cases = sum(len(group.outliers) for group in found)
        why = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
        table.add_row(language, str(len(found)), str(cases), str(reasons.total()), why)
    return table


def group_table(group: Group, names: Mapping[str, str]) -> Table:
    """The cluster and the outliers of one group; ``names`` are labels of the classes that brought outliers in."""
    table = Table(title=f"{group.label} ({group.qid}, {group.language}) in full", title_justify="left")
    for name in ("", "surface form", "item", _SHARE, "source", "sitelinks", "via"):
        table.add_column(name, justify="right" if name in {_SHARE, "sitelinks"} else "left")
    shown = None
    for member in (*group.cluster, *group.outliers):
        kind = member.outlier_class if isinstance(member, Outlier) else 0
        if kind != shown:
            table.add_section()
        via = names.get(member.via, member.via) if isinstance(member, Outlier) else ""
        table.add_row(*_row(_PARTS[kind] if kind != shown else "", member), via)
        shown = kind
    return table


def _row(head: str, member: Member) -> list[str]:
    share = f"{member.count}/{member.total} = {member.count / member.total:.2f}" if member.total else ""
    return [head, member.surface, member.id, share, member.source, str(member.sitelinks)]
