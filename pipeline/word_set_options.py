"""Options of the commands that make test sets of words: how many questions, and of which words."""

import argparse
from pathlib import Path

from wikisem.categories.word_filter import WordFilter, read_vocabulary
from wikisem.pipeline.command_options import add_seed
from wikisem.pipeline.option_values import at_least


def add_questions(parser: argparse.ArgumentParser) -> None:
    """--questions and the --seed that draws them."""
    parser.add_argument(
        "--questions",
        type=at_least(0),
        default=20_000,
        metavar="N",
        help="at most N analogy questions a relation, drawn by the seed; 0 for all n(n - 1) (default: 20000)",
    )
    add_seed(parser, "what is drawn", 500)


def add_word_filter(parser: argparse.ArgumentParser) -> None:
    """--vocabulary and --single-words."""
    parser.add_argument(
        "--vocabulary",
        type=Path,
        metavar="FILE",
        help="keep only words that begin a line of this file, such as a list of words or a text file of vectors "
        "(.gz and .bz2 too)",
    )
    parser.add_argument("--single-words", action="store_true", help="keep only words without a blank")


def read_word_filter(arguments: argparse.Namespace) -> WordFilter:
    """The filter that --vocabulary and --single-words describe."""
    vocabulary = read_vocabulary(arguments.vocabulary) if arguments.vocabulary else None
    return WordFilter(vocabulary, arguments.single_words)
