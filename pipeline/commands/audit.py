"""Measure every group of a run or of a released set, without a model: who its members are, how near its outliers.

OUT is the output folder of a run, whose class graph is then read too, a groups .jsonl or .parquet file, or a folder of
WikiSem500 text, of which all is measured that words alone can tell. Groups come worst first.

An audit as tables for people and as JSON.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from rich.table import Table

from wikisem.datasets.word_groups import read_dataset
from wikisem.errors import MissingInputError
from wikisem.evaluation.audit.measures import AuditGroup, GroupMeasures
from wikisem.evaluation.audit.summary import CLUSTER, Audit, AuditedGroup, Values, audit_groups
from wikisem.graph.taxonomy import Taxonomy
from wikisem.outputs.groupfile import read_groups
from wikisem.pipeline.command_options import DATA_SET, refuse_beam_options
from wikisem.pipeline.console.terminal import make_console, print_json

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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of audit."""
    parser.add_argument("dataset", metavar="OUT", type=Path, help=DATA_SET)
    parser.add_argument("--compare", metavar="OTHER", type=Path, help="another one, to compare its measures with")
    parser.add_argument("--json", action="store_true", help="print every measure of every group as JSON, and no table")


def run(arguments: argparse.Namespace, beam_options: Sequence[str]) -> int:
    """Audit one data set or two, and print what was found."""
    refuse_beam_options("audit", beam_options)
    audits = [_audit(path) for path in (arguments.dataset, arguments.compare) if path is not None]
    if arguments.json:
        print_json(audit_as_json(audits), indented=True)
    else:
        print_audit(audits)
    return 0


def _audit(path: Path) -> Audit:
    return audit_groups(str(path), _groups(path), _graph(path))


def _groups(path: Path) -> list[AuditGroup]:
    """The groups of a run or a file of groups with all that is known of them, of any other set its words."""
    if (path / "groups").is_dir() or path.suffix in {".jsonl", ".parquet"}:
        groups = [AuditGroup.of_group(group) for group in read_groups(path)]
    else:
        groups = [AuditGroup.of_words(group) for group in read_dataset(path)]
    if not groups:
        raise MissingInputError(f"{path}: expected groups, saw none")
    return groups


def _graph(path: Path) -> Taxonomy | None:
    """The class graph of a run; a data set that is no run has none."""
    folder = path / "taxonomy"
    return Taxonomy.load(folder) if folder.is_dir() else None
