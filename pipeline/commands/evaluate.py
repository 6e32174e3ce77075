"""Score vectors on a data set: outlier detection on groups, walls, Topk and OddOneOut on categories, and analogies."""

import argparse
import importlib
from typing import Final

from wikisem.evaluation.options import COMPACTNESSES, DISTANCES, INTRUDERS, KEYS, MEASURES, METHODS, SEED, TOKENIZERS
from wikisem.files import path_of
from wikisem.pipeline.cli import ENTRIES, add, at_least, declare, figure_file, list_of, options_of
from wikisem.pipeline.console.interruption import importing
from wikisem.pipeline.console.terminal import drawing_module

_CONTEXTS: Final = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
_OPTIONS: Final = options_of(
    ENTRIES["evaluate"]["options"].format(contexts=",".join(map(str, _CONTEXTS))),
    {
        **{name: {"convert": path_of} for name in ("cases", "files", "--next", "--cases")},
        **{name: {"default": ""} for name in ("--language", "--set", "--similarity", "--cluster-by", "--metric")},
        "--keys": {"convert": KEYS},
        "--keys:qid": {"convert": KEYS[:1]},
        "--no-phrases": {"dest": "phrases", "action": "store_false"},
        "--tokenizer": {"convert": sorted(TOKENIZERS), "default": ""},
        "--contexts": {"convert": list_of(at_least(1)), "default": _CONTEXTS},
        "--bands": {"convert": at_least(1), "default": 10},
        "-k": {"convert": at_least(1), "default": 3},
        "-k:words": {"convert": at_least(2), "default": 3},
        "--distance": {"convert": DISTANCES, "default": "euclidean"},
        "--intruders": {"convert": INTRUDERS, "default": "vocabulary"},
        **{name: {"convert": at_least(1), "default": 0} for name in ("--sample", "--restrict")},
        "--method": {"convert": METHODS, "default": "3cosadd"},
        "--compactness": {"convert": COMPACTNESSES, "default": "pairs"},
        "--model": {"convert": ("auto", "rasch", "2pl"), "default": "auto"},
        "--by": {"convert": ("group", "case"), "default": "group"},
        "--measure": {"convert": MEASURES, "default": "acc"},
    },
)

_MODELS: Final = "--vectors! --no-phrases --tokenizer"
_FORMS: Final = "--output:report --every-eval-ever --full|--csv|--json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare each task, such as "outliers", with its options by commands.toml and those that all tasks have."""
    tasks = parser.add_subparsers(title="tasks", dest="task", required=True, metavar="TASK")
    for name, task in ENTRIES["evaluate"]["tasks"].items():
        of_task = tasks.add_parser(name, help=task["purpose"], description=task["purpose"])
        declare(of_task, words=f"{task['options'].format(models=_MODELS)} {_FORMS}", options=_OPTIONS)
        if drawn := task.get("drawn"):  # what can be drawn of the task, and what is random in it
            add(of_task, "--plot FILE", f"draw {drawn} into this .png, .svg or .pdf file", figure_file)
        if seeded := task.get("seed"):
            add(of_task, "--seed N", f"the seed of {seeded} (default: {SEED})", at_least(0), SEED)


def run(arguments: argparse.Namespace) -> int:
    """Score and print; the exit code is 0 whatever the scores are."""
    with importing():
        # SciPy and Arrow, which help does without.
        scoring = importlib.import_module("wikisem.pipeline.commands.scoring")
    if getattr(arguments, "plot", None):
        drawing_module("wikisem.evaluation.plot", "--plot")  # an error before the work if matplotlib is missing
    if vectors := getattr(arguments, "vectors", None):
        scoring.import_from_here(*vectors, getattr(arguments, "similarity", ""))
    getattr(scoring, arguments.task)(arguments)
    return 0
