"""Score vectors on a data set: outlier detection on groups, walls, Topk and OddOneOut on categories, and analogies."""

import argparse
import importlib
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from wikisem.evaluation.options import COMPACTNESSES, DISTANCES, INTRUDERS, KEYS, MEASURES, METHODS, SEED, TOKENIZERS
from wikisem.files import path_of
from wikisem.pipeline.cli import manual_of
from wikisem.pipeline.command_options import add, at_least, declare, figure_file, list_of, options_of
from wikisem.pipeline.console.interruption import importing
from wikisem.pipeline.console.terminal import drawing_module

_CONTEXTS: Final = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
_OPTIONS: Final[Mapping[str, Callable[..., None]]] = {
    **options_of(
        manual_of("evaluate").format(contexts=",".join(map(str, _CONTEXTS))),
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
            "--sample": {"convert": at_least(1), "default": 0},
            "--method": {"convert": METHODS, "default": "3cosadd"},
            "--restrict": {"convert": at_least(1), "default": 0},
            "--compactness": {"convert": COMPACTNESSES, "default": "pairs"},
            "--model": {"convert": ("auto", "rasch", "2pl"), "default": "auto"},
            "--by": {"convert": ("group", "case"), "default": "group"},
            "--measure": {"convert": MEASURES, "default": "acc"},
        },
    ),
}


class Task(NamedTuple):
    """A task: what it is for, its options by their words, what its seed is of, and what it draws.

    An option with "!" is required, and of options with "|" between them there may be one.
    """

    purpose: str
    words: str
    seed: str = ""
    drawn: str = ""


_MODELS: Final = "--vectors! --no-phrases --tokenizer"
_SAMPLED: Final = "dataset --languages --vectors --no-phrases --tokenizer --samples --set --similarity --compactness"
_WORDS: Final = f"categories --language|--split-analogies --keys:qid {_MODELS} --skip-oov"
_ODD: Final = f"{_WORDS} -k:words --distance --intruders --sample"
_FORMS: Final = "--output:report --every-eval-ever --full|--csv|--json"
TASKS: Final[Mapping[str, Task]] = {
    "outliers": Task(
        "OPP and accuracy of outlier detection: overall, by outlier class and by group",
        f"dataset --languages --keys {_MODELS} --groups --cases --similarity --compactness",
        "error bars",
        "OPP and accuracy by outlier class, with Spearman's correlation,",
    ),
    "contexts": Task(
        "the same for count models, by how many contexts each word keeps: 1 to 1000",
        f"dataset --languages --keys {_MODELS} --contexts",
        "error bars",
        "OPP and accuracy by the number of contexts",
    ),
    "consistency": Task(
        "whether a model is right on the same cases in one language as in others",
        _SAMPLED,
        "error bars",
        "kappa of every two languages, and how often the same word is wrong in both,",
    ),
    "walls": Task(
        "how many walls are solved: sixteen words divided into four groups of four, by tier",
        f"walls --languages --keys:qid {_MODELS} --similarity --cases",
        "error bars",
        "walls that are solved, and groups that are found, by tier",
    ),
    "cutoff": Task(
        "accuracy by item number, and from which number, and so which date, a model knows less",
        f"{_SAMPLED} --dates --bands",
        "error bars and draws",
        "accuracy by item number, with the cutoff,",
    ),
    "topk": Task("how many of a word's nearest neighbours are in its category", f"{_WORDS} -k --similarity"),
    "oddoneout": Task("how often a word from elsewhere is the odd one among k words of a category", _ODD, "--sample"),
    "combined": Task("the harmonic mean of Topk and OddOneOut, by numbers of right answers", _ODD, "--sample"),
    "analogies": Task(
        "a is to b as c is to which word: 3CosAdd or 3CosMul, section by section",
        f"questions {_MODELS} --method --restrict --skip-oov:questions",
    ),
    "calibrate": Task(
        "abilities of models and difficulties of groups on one scale, from single answers",
        "cases --model --by --next",
        "halves of models and groups",
    ),
    "samples": Task(
        "language models, by what harnesses logged on a release, or with --cluster-by on any task",
        "files --set|--cluster-by --metric --measure --cases",
        "error bars",
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the tasks and their options."""
    tasks = parser.add_subparsers(title="tasks", dest="task", required=True, metavar="TASK")
    for name, task in TASKS.items():
        own = tasks.add_parser(name, help=task.purpose, description=task.purpose)
        declare(own, f"{task.words} {_FORMS}", _OPTIONS)
        if task.drawn:
            add(own, "--plot FILE", f"draw {task.drawn} into this .png, .svg or .pdf file", figure_file)
        if task.seed:
            add(own, "--seed N", f"the seed of {task.seed} (default: {SEED})", at_least(0), SEED)


def run(arguments: argparse.Namespace) -> int:
    """Score and print; the exit code is 0 whatever the scores are."""
    with importing():
        # SciPy and Arrow, which help does without.
        scoring = importlib.import_module("wikisem.pipeline.scoring")
    if getattr(arguments, "plot", None):
        drawing_module("wikisem.evaluation.plot", "--plot")  # an error before the work if matplotlib is missing
    if vectors := getattr(arguments, "vectors", None):
        scoring.import_from_here(*vectors, getattr(arguments, "similarity", ""))
    getattr(scoring, arguments.task)(arguments)
    return 0
