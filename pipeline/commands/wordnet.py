"""Analogy questions for the thirteen relations of WordRep, from a WordNet in LMF such as Open English WordNet.

OUT gets analogies.txt with a section for each relation that has two pairs or more, and pairs.jsonl with every pair. All
n(n - 1) questions of n pairs count, as in WordRep, even if a word has several partners.
"""

import argparse

from rich.table import Table

from wikisem.categories.analogies import count_questions
from wikisem.categories.lexeme_pairs import read_wordnet
from wikisem.errors import MissingInputError
from wikisem.files import path_of, write_text
from wikisem.outputs.category_formats import asked_pairs, pair_analogy_lines, word_pairs_lines, write_questions
from wikisem.pipeline.command_options import add_folder, add_questions, add_word_filter, argument, read_word_filter
from wikisem.pipeline.console.terminal import log, make_console, number_columns, print_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of wordnet."""
    parser.add_argument("wordnet", metavar="LMF", type=argument(path_of), help="a WordNet in LMF (.xml, .gz, .bz2)")
    add_folder(parser)
    add_word_filter(parser)
    add_questions(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the WordNet, write the questions, and print how many pairs each relation has."""
    pairs, output = read_wordnet(arguments.wordnet, read_word_filter(arguments)), arguments.output
    if not any(pairs.values()):
        raise MissingInputError(f"{arguments.wordnet}: expected relations between words that are kept, saw none")
    asked = asked_pairs(pairs)
    path, lines = output / "analogies.txt", pair_analogy_lines(asked, arguments.questions, arguments.seed)
    if not write_questions(path, map(len, asked.values()), lines):
        log(f"warning: no relation has a question: there is no {path}")
    write_text(output / "pairs.jsonl", word_pairs_lines("", pairs))
    table = Table("relation", *number_columns("pairs", "questions"))
    for name, found in pairs.items():
        table.add_row(name, f"{len(found):,}", f"{count_questions(len(asked[name]), arguments.questions):,}")
    make_console().print(table)
    print_line(f"output: {output}")
    return 0
