"""Score vectors on a data set: outlier detection on groups, walls, Topk and OddOneOut on categories, and analogies."""

import argparse
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from wikisem.evaluation.options import COMPACTNESSES, DISTANCES, INTRUDERS, KEYS, MEASURES, METHODS, SEED, TOKENIZERS
from wikisem.files import path_of
from wikisem.pipeline.cli import Parser
from wikisem.pipeline.command_options import add, add_figure, add_languages, add_seed, at_least, list_of
from wikisem.pipeline.console.interruption import importing
from wikisem.pipeline.console.reports import add_report_file
from wikisem.pipeline.console.terminal import drawing_module

_CONTEXTS: Final = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]

# The options of each task.


def _outliers(parser: argparse.ArgumentParser) -> None:
    _add_dataset(parser)
    _add_models(parser)
    add_figure(parser, "--plot", "OPP and accuracy by outlier class, with Spearman's correlation,")
    add(parser, "--groups", "add a row for every group; in tables, those that models fail most first")
    _add_cases(parser)
    _add_similarity(parser)
    add_seed(parser, "error bars", SEED)


def _contexts(parser: argparse.ArgumentParser) -> None:
    _add_dataset(parser)
    _add_models(parser)
    text = "how many contexts of the highest log-likelihood a word keeps"
    text += f" (default: {','.join(map(str, _CONTEXTS))})"
    add(parser, "--contexts N,...", text, list_of(at_least(1)), _CONTEXTS)
    add_figure(parser, "--plot", "OPP and accuracy by the number of contexts")
    add_seed(parser, "error bars", SEED)


def _consistency(parser: argparse.ArgumentParser) -> None:
    _add_dataset_or_samples(parser)
    add_figure(parser, "--plot", "kappa of every two languages, and how often the same word is wrong in both,")
    _add_similarity(parser)
    add_seed(parser, "error bars", SEED)


def _walls(parser: argparse.ArgumentParser) -> None:
    add(parser, "walls=OUT", "a run's OUT or a release with walls, or a .jsonl or .parquet file of walls")
    add_languages(parser, "all", "score only the walls in these languages", also="--language")
    _add_keys(parser, KEYS[:1])
    _add_models(parser)
    _add_similarity(parser, compactness=False)
    add_figure(parser, "--plot", "walls that are solved, and groups that are found, by tier")
    _add_cases(parser)
    add_seed(parser, "error bars", SEED)


def _cutoff(parser: argparse.ArgumentParser) -> None:
    _add_dataset_or_samples(parser)
    text = """the highest item number at a date: the OUT or manifest.json of a run on a Wikidata dump of that date, or a
    file of YYYY-MM-DD,item lines. Bands then end at these items"""
    add(parser, "--dates FILE...", text)
    add(parser, "--bands N", "divide the cases into N bands of equal size (default: 10)", at_least(1), 10)
    add_figure(parser, "--plot", "accuracy by item number, with the cutoff,")
    _add_similarity(parser)
    add_seed(parser, "error bars and draws", SEED)


def _topk(parser: argparse.ArgumentParser) -> None:
    _add_categories(parser)
    add(parser, "-k", "how many neighbours to look at (default: 3)", at_least(1), 3)
    _add_similarity(parser, compactness=False)


def _oddoneout(parser: argparse.ArgumentParser) -> None:
    _add_categories(parser)
    add(parser, "-k", "how many words of the category an intruder joins (default: 3)", at_least(2), 3)
    text = """which word stands out: the farthest from the mean, or the one with the smallest cosine to the mean of unit
    vectors or of raw vectors (default: euclidean)"""
    add(parser, "--distance", text, DISTANCES, "euclidean")
    text = """where intruders come from: all other words of the vocabulary, those that are not in the category, or the
    words of the other categories (default: vocabulary)"""
    add(parser, "--intruders", text, INTRUDERS, "vocabulary")
    add(parser, "--sample N", "draw N pairs for each category (default: all)", at_least(1), 0)
    add_seed(parser, "--sample", 500)


def _analogies(parser: argparse.ArgumentParser) -> None:
    add(parser, "questions=QUESTIONS", "': section' lines, then 'a b c d' a line")
    _add_models(parser)
    add(parser, "--method", "how an answer is chosen (default: 3cosadd)", METHODS, "3cosadd")
    add(parser, "--restrict N", "use only the first N words of the vocabulary (default: all)", at_least(1), 0)
    add(parser, "--skip-oov", "leave out unseen questions, which otherwise count as wrong")


def _calibrate(parser: argparse.ArgumentParser) -> None:
    text = "files of evaluate --cases, or any lines of JSON, or .csv, with case, model, right and perhaps group"
    add(parser, "cases=CASES...", text, path_of)
    text = "one discrimination for all groups (rasch), or one each (2pl) (default: auto, 2pl from eight models up)"
    add(parser, "--model", text, ("auto", "rasch", "2pl"), "auto")
    add(parser, "--by", "what has a difficulty of its own (default: group)", ("group", "case"), "group")
    text = """answers of further models to some of the groups, perhaps an empty file: print their abilities so far and
    which groups to ask next, in place of what CASES say of their models"""
    add(parser, "--next FILE", text, path_of)
    add_seed(parser, "halves of models and groups", SEED)
    _add_forms(parser)


def _samples(parser: argparse.ArgumentParser) -> None:
    text = """files that lm_eval --log_samples wrote for the tasks of a release: samples_wikisem_de_....jsonl; with
    --cluster-by of any task, also logs of inspect-ai (.eval, .json)"""
    add(parser, "files=SAMPLES...", text, path_of)
    text = """score logs of any task: samples with the same value in this column of their document or metadata are right
    or wrong together, and one unit of error bars and tests; doc_id or id takes each sample as independent"""
    add(parser, "--cluster-by COLUMN", text, default="")
    text = """with --cluster-by, the score to read: a metric (acc, or exact_match,strict-match) or a scorer (default:
    the first)"""
    add(parser, "--metric METRIC", text, default="")
    text = """how choices are compared, as in the harness's metrics: by log-likelihood, or by that per character
    (acc_norm) or by byte (acc_bytes) (default: acc)"""
    add(parser, "--measure", text, MEASURES, "acc")
    add_seed(parser, "error bars", SEED)
    _add_cases(parser)
    _add_forms(parser)


# Task -> its options, and what it is for.
TASKS: Final[Mapping[str, tuple[Callable[[argparse.ArgumentParser], None], str]]] = {
    "outliers": (_outliers, "OPP and accuracy of outlier detection: overall, by outlier class and by group"),
    "contexts": (_contexts, "the same for count models, by how many contexts each word keeps: 1 to 1000"),
    "consistency": (_consistency, "whether a model is right on the same cases in one language as in others"),
    "walls": (_walls, "how many walls are solved: sixteen words divided into four groups of four, by tier"),
    "cutoff": (_cutoff, "accuracy by item number, and from which number, and so which date, a model knows less"),
    "topk": (_topk, "how many of a word's nearest neighbours are in its category"),
    "oddoneout": (_oddoneout, "how often a word from elsewhere stands out of k words of a category"),
    "combined": (_oddoneout, "the harmonic mean of Topk and OddOneOut, by numbers of right answers"),
    "analogies": (_analogies, "a is to b as c is to which word: 3CosAdd or 3CosMul, section by section"),
    "calibrate": (_calibrate, "abilities of models and difficulties of groups on one scale, from single answers"),
    "samples": (_samples, "language models, by what harnesses logged on a release, or with --cluster-by on any task"),
}


# Options that several tasks share.


def _add_dataset(parser: argparse.ArgumentParser, keys: bool = True) -> None:
    text = """a run's OUT; a file, a folder or a folder of folders, or the .tar.gz of a release: WikiSem500, 8-8-8 or
    12-8-8 text (cluster, blank line, outliers), or the .jsonl or .parquet groups of a build"""
    add(parser, "dataset=DATASET...", text)
    add_languages(parser, "all", "score only the groups in these languages", also="--language")
    if keys:
        _add_keys(parser, KEYS)


def _add_dataset_or_samples(parser: argparse.ArgumentParser) -> None:
    _add_dataset(parser, keys=False)
    _add_models(parser, required=False)
    add(parser, "--samples", "DATASET are files that lm_eval --log_samples wrote, in place of --vectors")


def _add_categories(parser: argparse.ArgumentParser) -> None:
    add(parser, "categories=CATEGORIES", "a file of categories: ': category' text or JSON lines")
    form = parser.add_mutually_exclusive_group()
    add(form, "--language LANG", "the language to read, if JSON lines have several", default="")
    text = "CATEGORIES has analogy questions: make two categories of each relation, of its first and second words"
    add(form, "--split-analogies", text)
    _add_keys(parser, KEYS[:1])
    _add_models(parser)
    add(parser, "--skip-oov", "leave out words out of vocabulary, which otherwise count as wrong")


def _add_keys(parser: argparse.ArgumentParser, choices: Sequence[str]) -> None:
    title = ", or by the title of their page" if "title" in choices else ""
    text = f"look items up by their QID{title}, in place of their words: for vectors of items (graph embeddings, "
    add(parser, "--keys", f"{text}Wikipedia2Vec)", choices)


def _add_models(parser: argparse.ArgumentParser, required: bool = True) -> None:
    text = """a file of vectors (word2vec text or binary, GloVe, fastText .bin or .vec, FILE.npy with FILE.words; .gz
    and .bz2 too; told apart by content), sentence-transformers:NAME[?prompt=...], transformers:NAME (input embeddings),
    contextual:NAME[?template=a {}&layer=-1], model2vec:NAME, counts:FILE[?weight=ppmi&contexts=300&similarity=cosine],
    similarity:FILE, a table of similarities of words, or python:MODULE:FUNCTION, a callable from a list of texts to as
    many vectors; several are compared. NAME=FILE gives a model another name"""
    add(parser, "--vectors FILE...", text, required=required)
    text = "average tokens even if the vocabulary has phrases, which are otherwise looked up, the longest first"
    add(parser, "--no-phrases", text, dest="phrases", action="store_false")
    text = "divide items into the words of a language without spaces: fugashi for Japanese, jieba for Chinese"
    add(parser, "--tokenizer", text, sorted(TOKENIZERS), "")
    _add_forms(parser)


def _add_similarity(parser: argparse.ArgumentParser, compactness: bool = True) -> None:
    text = """compare vectors by python:MODULE:FUNCTION, a callable from two arrays of rows to the similarity of each
    row to each; it need not be symmetric (default: the cosine, or that of counts:)"""
    add(parser, "--similarity FUNCTION", text, default="")
    if compactness:
        text = """how compactness is measured: by all ordered pairs of the other words, or by the mean similarity of the
        word to the others, which orders words alike if the similarity is symmetric (default: pairs)"""
        add(parser, "--compactness", text, COMPACTNESSES, "pairs")


def _add_cases(parser: argparse.ArgumentParser) -> None:
    text = """write the answer of each model to each case into this file, as JSON lines for evaluate calibrate, browse
    and release"""
    add(parser, "--cases FILE", text, path_of)


def _add_forms(parser: argparse.ArgumentParser) -> None:
    add_report_file(parser)
    text = "write a log of each model into this folder, too, in the schema of Every Eval Ever"
    add(parser, "--every-eval-ever FOLDER", text)
    form = parser.add_mutually_exclusive_group()
    text = "print the scores of each model, what they cover and the baselines, too, if there are several models"
    add(form, "--full", text)
    add(form, "--csv", "print CSV, a row for each score, instead of tables")
    add(form, "--json", "print a JSON object for each score, one a line")


# The command.


class TaskParser(Parser):
    """The parser of one task, which reports its own unknown options with the nearest that it knows."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[argparse.Namespace, list[str]]:  # type: ignore[override]
        """Parse, and leave nothing unknown to the parser above, which does not know the task's options."""
        arguments, unknown = super().parse_known_args(args, namespace)
        self.refuse(unknown)
        return arguments, []


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the tasks and their options."""
    tasks = parser.add_subparsers(title="tasks", dest="task", required=True, metavar="TASK", parser_class=TaskParser)
    for name, (declare, text) in TASKS.items():
        declare(tasks.add_parser(name, help=text, description=text))


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
