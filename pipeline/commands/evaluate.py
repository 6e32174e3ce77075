"""Score vectors on a data set: outlier detection on test groups, Topk and OddOneOut on categories."""

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import orjson
from rich.console import Console, RenderableType

from evaluation.models import open_model
from evaluation.outlierscores import Evaluation, evaluate
from evaluation.report import outlier_report
from pipeline.cli import Parser
from wikisem.datasets import read_dataset
from wikisem.errors import MissingInputError, UsageError

# What is no terminal (a file, a pipe) gets whole lines of this width.
_PLAIN_WIDTH: Final = 120

_VECTORS: Final = """a file of vectors (word2vec text or binary, GloVe, fastText .bin or .vec; .gz and .bz2 too; told
apart by content), sentence-transformers:NAME, or python:MODULE:FUNCTION, a callable from a list of texts to as many
vectors; repeat to compare models"""


class Task(Parser):
    """The parser of one task, which reports its own unknown options with the nearest that it knows."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[argparse.Namespace, list[str]]:  # type: ignore[override]
        """Parse, and leave nothing unknown to the parser above, which does not know the task's options."""
        arguments, unknown = super().parse_known_args(args, namespace)
        self.refuse(unknown)
        return arguments, []


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the tasks and their options."""
    tasks = parser.add_subparsers(title="tasks", dest="task", required=True, parser_class=Task)
    _add_outliers(tasks.add_parser("outliers", allow_abbrev=False, help="OPP and accuracy on a set of test groups"))


def _add_outliers(parser: argparse.ArgumentParser) -> None:
    parser.description = "OPP and accuracy of outlier detection: overall, by outlier class and by group."
    parser.add_argument(
        "dataset",
        metavar="DATASET",
        help="a file, a folder or a folder of folders: WikiSem500, "
        "8-8-8 or 12-8-8 text (cluster, blank line, outliers), or groups/<language>.jsonl of a build",
    )
    _add_common(parser)
    parser.add_argument(
        "--plot",
        metavar="FILE",
        type=Path,
        help="draw accuracy by outlier class, with Spearman's rank correlation, into this .png, .svg or .pdf file",
    )
    parser.set_defaults(score=_outliers)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--vectors", action="append", required=True, metavar="FILE", help=_VECTORS)
    parser.add_argument(
        "--no-phrases",
        dest="phrases",
        action="store_false",
        help="average tokens even where the vocabulary has phrases, which are looked up by default, the longest first",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object a line for each model, in the order of --vectors, instead of tables",
    )


def run(arguments: argparse.Namespace, beam_options: Sequence[str]) -> int:
    """Score and print; the exit code is 0 whatever the scores are."""
    if beam_options:
        raise UsageError(f"evaluate runs no pipeline and takes no Beam options, saw {' '.join(beam_options)}")
    # A callable of python:MODULE:FUNCTION is most often a file in the folder where the user stands.
    sys.path.insert(0, str(Path.cwd()))
    arguments.score(arguments)
    return 0


def _outliers(arguments: argparse.Namespace) -> None:
    groups = read_dataset(arguments.dataset)
    if not groups:
        raise MissingInputError(f"{arguments.dataset}: expected test groups, saw none")
    whole, common = evaluate(groups, [open_model(source, arguments.phrases) for source in arguments.vectors])
    if arguments.plot:
        _plot(arguments.plot, whole)
    if arguments.json:
        for at, one in enumerate(whole):
            _print_json(one.as_json() | ({"common": common[at].as_json()} if common else {}), one.notes)
        return
    _print(outlier_report(whole, "outlier detection"))
    if common:
        _print(outlier_report(common, "outlier detection, in the vocabulary of all models"))


def _print_json(row: dict[str, Any], notes: Sequence[str]) -> None:
    print(orjson.dumps(row).decode())  # noqa: T201 - the command line speaks to people and programs
    for note in notes:
        print(f"wikisem: {note}", file=sys.stderr)  # noqa: T201


def _print(report: RenderableType) -> None:
    # Words of the data are no markup: "[red]" is printed as it stands.
    width = None if sys.stdout.isatty() else _PLAIN_WIDTH
    Console(width=width, markup=False, emoji=False, highlight=False).print(report)


def _plot(path: Path, evaluations: Sequence[Evaluation]) -> None:
    try:
        plot = importlib.import_module("evaluation.plot")
    except ImportError as error:
        raise UsageError("--plot needs matplotlib: install wikisem[all]") from error
    plot.draw(path, evaluations)
