"""An audit as tables for people and as JSON."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from rich.table import Table

from wikisem.evaluation.audit.measures import GroupMeasures
from wikisem.evaluation.audit.summary import CLUSTER, Audit, AuditedGroup, Values
from wikisem.pipeline.console.terminal import make_console

_WORST: Final = 20


def print_audit(audits: Sequence[Audit]) -> None:
    """A table for each language, all data sets beside each other, and the worst groups of the first."""
    console = make_console()
    for language in sorted({language for audit in audits for language in audit.languages}):
        console.print(_language_table(language, audits))
    console.print(_worst_table(audits[0]))


def _language_table(language: str, audits: Sequence[Audit]) -> Table:
    """One row for each measure, one column for clusters and for each outlier class; in a cell, one value a data set."""
    title = f"{language}: {' | '.join(audit.name for audit in audits)}"
    table = Table("", title=title, title_justify="left")
    found: list[Mapping[str, Values]] = [audit.languages.get(language, {}) for audit in audits]
    columns = list(dict.fromkeys(name for columns in found for name in columns))
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for measure in dict.fromkeys(name for own in found for values in own.values() for name in values):
        cells = [[_cell(measure, own.get(column, {}).get(measure)) for own in found] for column in columns]
        table.add_row(measure, *(" | ".join(values) for values in cells))
    return table


def _cell(measure: str, value: float | None) -> str:
    if value is None:
        return "–"
    if measure.startswith("item number"):
        return f"Q{value:.0f}"
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"


def _worst_table(audit: Audit) -> Table:
    worst = [one for one in audit.groups if one.findings][:_WORST]
    count = sum(1 for one in audit.groups if one.findings)
    title = f"{audit.name}: {count} of {len(audit.groups)} groups have findings, the worst first"
    table = Table(title=title, title_justify="left")
    for name in ("group", "language", "findings"):
        table.add_column(name, overflow="fold")
    for one in worst:
        group = one.measures.group
        table.add_row(group.id, group.language, _text(one))
    return table


def _text(one: AuditedGroup) -> str:
    return "\n".join(f"{'wrong: ' if finding.wrong else ''}{finding.text}" for finding in one.findings)


def measure_lines(one: GroupMeasures) -> Iterable[str]:
    """The measures of one group in words, for ``wikisem explain``."""
    if one.coherence is not None:
        yield f"coherence: {one.coherence:.0%} of its members are in one further class"
    for outlier in one.outliers:
        steps = "no path to the class" if outlier.distance is None else f"{outlier.distance} steps from the class"
        shared = f"direct classes that a member has too: {outlier.shared_classes}"
        yield f"{outlier.item.surface}: {steps}; {shared}"
    if one.age is not None:
        yield f"item numbers of its members: Q{one.age.lowest} to Q{one.age.highest}, median {one.age.median:.0f}"


def audit_as_json(audits: Sequence[Audit]) -> list[dict[str, Any]]:
    """Every data set under the names of the tables; what is unknown is null."""
    return [
        {
            "name": audit.name,
            "languages": {
                language: {name: dict(values) for name, values in columns.items()}
                for language, columns in audit.languages.items()
            },
            "near_duplicates": [pair._asdict() for pair in audit.near_duplicates],
            "groups": [_group(one) for one in audit.groups],
        }
        for audit in audits
    ]


def _group(one: AuditedGroup) -> dict[str, Any]:
    measures = asdict(one.measures)
    group = measures.pop("group")
    from_one_class: Mapping[int, bool] = dict(one.measures.from_one_class)
    return {
        "id": group["id"],
        "language": group["language"],
        "findings": [asdict(finding) for finding in one.findings],
        **measures,
        "from_one_class": {f"O{number}": same for number, same in from_one_class.items()},
        CLUSTER: group[CLUSTER],
    }
