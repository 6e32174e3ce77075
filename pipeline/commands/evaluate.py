"""Score vectors on a data set: outlier detection on groups, walls, Topk and OddOneOut on categories, and analogies."""

import argparse
import importlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, NamedTuple

from wikisem.evaluation.options import COMPACTNESSES, DISTANCES, INTRUDERS, KEYS, MEASURES, METHODS, SEED, TOKENIZERS
from wikisem.files import path_of
from wikisem.pipeline.command_options import add, add_figure, add_languages, at_least, declare, list_of, table_of
from wikisem.pipeline.console.interruption import importing
from wikisem.pipeline.console.reports import add_report_file
from wikisem.pipeline.console.terminal import drawing_module

_CONTEXTS: Final = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
_OPTIONS: Final[Mapping[str, Callable[..., None]]] = {
    **table_of(
        f"""
dataset=DATASET...        a run's OUT; a file, a folder or a folder of folders, or the .tar.gz of a release: WikiSem500,
                          8-8-8 or 12-8-8 text (cluster, blank line, outliers), or the .jsonl or .parquet groups of a
                          build
walls=OUT                 a run's OUT or a release with walls, or a .jsonl or .parquet file of walls
categories=CATEGORIES     a file of categories: ': category' text or JSON lines
questions=QUESTIONS       ': section' lines, then 'a b c d' a line
cases=CASES...            files of evaluate --cases, or any lines of JSON, or .csv, with case, model, right and perhaps
                          group
files=SAMPLES...          files that lm_eval --log_samples wrote for the tasks of a release:
                          samples_wikisem_de_....jsonl; with --cluster-by of any task, also logs of inspect-ai (.eval,
                          .json)
--language LANG           the language to read, if JSON lines have several
--split-analogies         CATEGORIES has analogy questions: make two categories of each relation, of its first and
                          second words
--keys                    look items up by their QID, or by the title of their page, in place of their words: for
                          vectors of items (graph embeddings, Wikipedia2Vec)
--keys:qid                look items up by their QID, in place of their words: for vectors of items (graph embeddings,
                          Wikipedia2Vec)
--vectors FILE...         a file of vectors (word2vec text or binary, GloVe, fastText .bin or .vec, FILE.npy with
                          FILE.words; .gz and .bz2 too; told apart by content), sentence-transformers:NAME[?prompt=...],
                          transformers:NAME (input embeddings), contextual:NAME[?template=a {{}}&layer=-1],
                          model2vec:NAME, counts:FILE[?weight=ppmi&contexts=300&similarity=cosine], similarity:FILE, a
                          table of similarities of words, or python:MODULE:FUNCTION, a callable from a list of texts to
                          as many vectors; several are compared. NAME=FILE gives a model another name
--no-phrases              average tokens even if the vocabulary has phrases, which are otherwise looked up, the longest
                          first
--tokenizer               divide items into the words of a language without spaces: fugashi for Japanese, jieba for
                          Chinese
--samples                 DATASET are files that lm_eval --log_samples wrote, in place of --vectors
--set SET                 the release, or the OUT, whose test cases a harness asked: it has the QIDs of their words,
                          which its test cases do not show
--groups                  add a row for every group; in tables, those that models fail most first
--contexts N,...          how many contexts of the highest log-likelihood a word keeps
                          (default: {",".join(map(str, _CONTEXTS))})
--dates FILE...           the highest item number at a date: the OUT or manifest.json of a run on a Wikidata dump of
                          that date, or a file of YYYY-MM-DD,item lines. Bands then end at these items
--bands N                 divide the cases into N bands of equal size (default: 10)
-k                        how many neighbours to look at (default: 3)
-k:words                  how many words of the category an intruder joins (default: 3)
--distance                which word is the odd one: the farthest from the mean, or the one with the smallest cosine to
                          the mean of unit vectors or of raw vectors (default: euclidean)
--intruders               where intruders come from: all other words of the vocabulary, those that are not in the
                          category, or the words of the other categories (default: vocabulary)
--sample N                draw N pairs for each category (default: all)
--method                  how an answer is chosen (default: 3cosadd)
--restrict N              use only the first N words of the vocabulary (default: all)
--skip-oov                leave out words out of vocabulary, which otherwise count as wrong
--skip-oov:questions      leave out unseen questions, which otherwise count as wrong
--similarity FUNCTION     compare vectors by python:MODULE:FUNCTION, a callable from two arrays of rows to the
                          similarity of each row to each; it need not be symmetric (default: the cosine, or that of
                          counts:)
--compactness             how compactness is measured: by all ordered pairs of the other words, or by the mean
                          similarity of the word to the others, which orders words alike if the similarity is symmetric
                          (default: pairs)
--model                   one discrimination for all groups (rasch), or one each (2pl) (default: auto, 2pl from eight
                          models up)
--by                      what has a difficulty of its own (default: group)
--next FILE               answers of further models to some of the groups, perhaps an empty file: print their abilities
                          so far and which groups to ask next, in place of what CASES say of their models
--cluster-by COLUMN       score logs of any task: samples with the same value in this column of their document or
                          metadata are right or wrong together, and one unit of error bars and tests; doc_id or id takes
                          each sample as independent
--metric METRIC           with --cluster-by, the score to read: a metric (acc, or exact_match,strict-match) or a scorer
                          (default: the first)
--measure                 how choices are compared, as in the harness's metrics: by log-likelihood, or by that per
                          character (acc_norm) or by byte (acc_bytes) (default: acc)
--cases FILE              write the answer of each model to each case into this file, as JSON lines for evaluate
                          calibrate, browse and release
--every-eval-ever FOLDER  write a log of each model into this folder, too, in the schema of Every Eval Ever
--full                    print the scores of each model, what they cover and the baselines, too, if there are several
                          models
--csv                     print CSV, a row for each score, instead of tables
--json                    print a JSON object for each score, one a line
""",
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
    "--languages": partial(
        add_languages, default="all", text="score only what is in these languages", also="--language"
    ),
    "--output": add_report_file,
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
_FORMS: Final = "--output --every-eval-ever --full|--csv|--json"
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
            add_figure(own, "--plot", task.drawn)
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
