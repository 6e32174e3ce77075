"""What ``wikisem evaluate samples`` does: read what a harness logged, and print OPP with error bars."""

import argparse
from collections import defaultdict

from wikisem.evaluation.harness_samples import read_samples
from wikisem.evaluation.outlier_scores import Evaluation
from wikisem.pipeline.console.score_tables import outlier_report
from wikisem.pipeline.console.terminal import make_console, print_json


def samples(arguments: argparse.Namespace) -> None:
    """Score files of samples; those in one folder are of one model."""
    models: defaultdict[str, list[Evaluation]] = defaultdict(list)
    for path in arguments.files:
        models[str(path.parent)].append(read_samples(path, arguments.measure, arguments.seed))
    if arguments.json:
        for evaluation in (one for found in models.values() for one in found):
            print_json(evaluation.as_json())
        return
    console = make_console()
    for found in models.values():
        console.print(outlier_report(found, f"outlier detection, choices compared by {arguments.measure}"))
