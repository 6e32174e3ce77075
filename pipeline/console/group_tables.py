"""Groups as tables for people: how many there are, one in full, why it is as it is, and which break a rule."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from rich.table import Table
from rich.text import Text

from wikisem.evaluation.audit.items import AuditGroup
from wikisem.evaluation.audit.summary import audit_groups
from wikisem.graph.taxonomy import Taxonomy
from wikisem.heuristics.rules.lint import Violation
from wikisem.ids import qid_number
from wikisem.pipeline.console.audit import measure_lines
from wikisem.pipeline.console.terminal import make_console
from wikisem.pipeline.explain.explanation import Explanation
from wikisem.records import Group, Member, Outlier, Rejection

_PARTS: Final = ("cluster", "O1: sibling", "O2: cousin", "O3: far")
_SHARE: Final = "P(form | page)"


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


def print_violations(violations: Sequence[Violation], checked: int) -> None:
    """Print the groups that break a rule of the cluster filters, and how many of those that were checked do."""
    console = make_console()
    if violations:
        table = Table("group", "rule", "detail")
        for violation in violations:
            table.add_row(violation.group, violation.rule, violation.detail)
        console.print(table)
    broken = len({violation.group for violation in violations})
    console.print(f"groups: {checked} checked, {broken} break a rule")


def print_explanation(taxonomy: Taxonomy, explanation: Explanation) -> None:
    """Print everything that is known of a class in one language."""
    console = make_console()
    console.print(Text(_label(explanation, explanation.qid), "bold"), f"in {explanation.language}")
    for line in _around(taxonomy, explanation):
        console.print(line)
    console.print(_outcome(explanation))
    if explanation.group is not None:
        console.print(group_table(explanation.group, explanation.labels))
        audit = audit_groups("", [AuditGroup.of_group(explanation.group)], taxonomy)
        for line in measure_lines(audit.groups[0].measures):
            console.print(line)
    console.print(_instances(explanation))


def _label(explanation: Explanation, qid: str) -> str:
    label = explanation.label(qid)
    if label == qid:
        return qid
    return f"{label} ({qid}, label in English)" if qid in explanation.english else f"{label} ({qid})"


def _around(taxonomy: Taxonomy, explanation: Explanation) -> list[str]:
    qid = explanation.qid
    parents = taxonomy.superclasses(qid)
    grandparents = sorted({above for parent in parents for above in taxonomy.superclasses(parent)}, key=qid_number)
    siblings = {child for parent in parents for child in taxonomy.subclasses(parent)} - {qid}
    cousins = {child for grandparent in grandparents for child in taxonomy.subclasses(grandparent)} - {qid}
    depth = taxonomy.depth(qid)
    return [
        f"parents: {_listed(explanation, parents) or 'none left in the graph, so no outliers'}",
        f"grandparents: {_listed(explanation, grandparents) or 'none left in the graph'}",
        f"{len(taxonomy.instances(qid)):,} instances, {len(siblings):,} siblings, {len(cousins):,} cousins; "
        + ("the root is not above it" if depth is None else f"{depth} steps below the root"),
    ]


def _listed(explanation: Explanation, qids: Sequence[str]) -> str:
    return ", ".join(_label(explanation, qid) for qid in qids)


def _outcome(explanation: Explanation) -> str:
    group, rejection = explanation.group, explanation.rejection
    if group is not None:
        return f"a group of {len(group.cluster)} with {len(group.outliers)} outliers"
    if rejection is not None:
        return f"no group: {rejection.reason} ({rejection.detail})"
    return "not judged: too few of its instances have a surface form in this language"


def _instances(explanation: Explanation) -> Table:
    table = Table(title="its most prominent instances", title_justify="left")
    for name in ("item", "label", "surface form", "sitelinks", "outcome"):
        table.add_column(name, justify="right" if name == "sitelinks" else "left")
    for instance in explanation.ranked:
        label, outcome = explanation.label(instance.qid), explanation.outcome(instance)
        table.add_row(instance.qid, label, instance.surface or "", str(instance.sitelinks), outcome)
    return table
