"""An explanation as text: the class in the graph, its group, and what became of its most prominent instances."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from wikisem.evaluation.audit.items import AuditGroup
from wikisem.evaluation.audit.summary import audit_groups
from wikisem.graph.taxonomy import Taxonomy
from wikisem.pipeline.console.audit import measure_lines
from wikisem.pipeline.console.groups import group_table
from wikisem.pipeline.explain.explanation import Explanation


def show(console: Console, taxonomy: Taxonomy, told: Explanation) -> None:
    """Print everything that is known of a class in one language."""
    console.print(f"[bold]{_name(told, told.qid)}[/bold] in {told.language}")
    for line in _in_the_graph(taxonomy, told):
        console.print(line)
    console.print(_outcome(told))
    if told.group is not None:
        console.print(group_table(told.group, told.labels))
        for line in measure_lines(audit_groups("", [AuditGroup.of_group(told.group)], taxonomy).groups[0].measures):
            console.print(line)
    console.print(_instances(told))


def _name(told: Explanation, qid: str) -> str:
    return escape(f"{told.label(qid)} ({qid})" if told.label(qid) != qid else qid)


def _in_the_graph(taxonomy: Taxonomy, told: Explanation) -> list[str]:
    parents = taxonomy.superclasses(told.qid)
    over = sorted({one for parent in parents for one in taxonomy.superclasses(parent)}, key=lambda qid: int(qid[1:]))
    siblings = {child for parent in parents for child in taxonomy.subclasses(parent)} - {told.qid}
    cousins = {child for one in over for child in taxonomy.subclasses(one)} - {told.qid}
    depth = taxonomy.depth(told.qid)
    return [
        "parents: " + (", ".join(_name(told, one) for one in parents) or "none left in the graph, so no outliers"),
        "grandparents: " + (", ".join(_name(told, one) for one in over) or "none left in the graph"),
        f"{len(taxonomy.instances(told.qid)):,} instances, {len(siblings):,} siblings, {len(cousins):,} cousins; "
        + ("the root is not above it" if depth is None else f"{depth} steps below the root"),
    ]


def _outcome(told: Explanation) -> str:
    if told.group is not None:
        return f"a group of {len(told.group.cluster)} with {len(told.group.outliers)} outliers"
    if told.rejection is not None:
        return f"no group: {told.rejection.reason} ({escape(told.rejection.detail)})"
    return "not judged: too few of its instances have a surface form in this language"


def _instances(told: Explanation) -> Table:
    table = Table(title="its most prominent instances", title_justify="left")
    for name in ("item", "label", "surface form", "sitelinks", "outcome"):
        table.add_column(name, justify="right" if name == "sitelinks" else "left")
    for one in told.ranked:
        label, surface = escape(told.label(one.qid)), escape(one.surface or "")
        table.add_row(one.qid, label, surface, str(one.sitelinks), told.outcome(one))
    return table
