"""Measure every group of a run or of a released set, without a model: who its members are, how near its outliers.

OUT is the output folder of a run, whose class graph is then read too, a groups .jsonl or .parquet file, or a folder of
WikiSem500 text, of which all is measured that words alone can tell. Groups come worst first.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from wikisem.datasets.word_groups import read_dataset
from wikisem.errors import MissingInputError
from wikisem.evaluation.audit.items import AuditGroup
from wikisem.evaluation.audit.summary import Audit, audit_groups
from wikisem.graph.taxonomy import Taxonomy
from wikisem.outputs.groupfile import read_groups
from wikisem.pipeline.command_options import DATA_SET, refuse_beam_options
from wikisem.pipeline.console.audit import audit_as_json, print_audit
from wikisem.pipeline.console.terminal import print_json


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
