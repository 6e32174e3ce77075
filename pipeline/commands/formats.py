"""List what wikisem reads and writes: dumps, data sets, vectors, and the files of a run and of a release."""

import argparse
from collections.abc import Sequence
from typing import Final

from rich.table import Table

from wikisem.outputs.groupfile import FORMATS
from wikisem.pipeline.command_options import refuse_beam_options
from wikisem.pipeline.console.terminal import make_console

# What it is, its form, and the options or commands that take it.
_READS: Final = (
    ("Wikidata", "JSON dump, a line an entity: .json, .gz, .bz2, .zst; several files are one dump", "--wikidata"),
    ("Wikipedia", "XML export 0.3 to 0.11: .xml, .bz2 (multistream, too), .gz, .zst; shards by glob", "--wikipedia"),
    ("lexemes", "JSON dump, a line a lexeme: .json, .gz, .bz2, .zst", "lexemes"),
    ("WordNets", "LMF: .xml, .gz, .bz2", "wordnet"),
    (
        "test groups",
        "OUT of a run; .jsonl, .parquet; WikiSem500, 8-8-8 and 12-8-8 text; .tar.gz of them",
        "evaluate, check, audit, annotate, tokenize",
    ),
    ("categories", "': category' text, JSON lines", "evaluate topk, evaluate oddoneout"),
    (
        "analogy questions",
        "': section' lines, then 'a b c d' a line",
        "evaluate analogies, evaluate topk --split-analogies",
    ),
    (
        "vectors",
        "word2vec text and binary, GloVe, fastText .bin and .vec; see wikisem evaluate outliers --help",
        "--vectors",
    ),
    ("samples", "what lm_eval --log_samples wrote", "evaluate samples"),
    ("scores", "what evaluate printed with --json or --csv", "correlate, browse"),
)
# The file, what is in it, and the commands that write it.
_WRITES: Final = (
    ("groups/<code>.jsonl, .parquet", "test groups with the provenance of every word", "build, groups"),
    ("rejected/<code>.jsonl", "classes without a group, and why", "build, groups"),
    ("manifest.json", "inputs, recipe, seed, versions, counts", "every stage"),
    ("README.md, cases/, croissant.json, lm_eval/, eval.yaml", "a data set to publish", "release"),
    ("browse/index.html", "a page to look through groups", "browse"),
    ("categories/, analogies/, stringham2020/", "category sets as text and JSON lines", "categories"),
    ("analogies/, categories/, outliers/, pairs/", "syntactic test sets", "lexemes"),
    ("analogies.txt, pairs.jsonl", "the relations of a WordNet as analogy questions", "wordnet"),
    ("<code>/<id>.txt", "a data set with its words divided into tokens", "tokenize"),
    ("sheets/", "pages, CSV and Label Studio tasks for annotators", "annotate"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """There are no options."""
    del parser


def run(arguments: argparse.Namespace, beam_options: Sequence[str]) -> int:
    """Print both lists."""
    del arguments
    refuse_beam_options("formats", beam_options)
    each = [(f"{name}/<code>/<QID>.txt", "a file for each group", "build, groups") for name in FORMATS]
    console = make_console()
    for title, where, rows in (("reads", "given to", _READS), ("writes", "by", (*_WRITES[:1], *each, *_WRITES[1:]))):
        table = Table(title, "form", where, title_justify="left")
        for row in rows:
            table.add_row(*row)
        console.print(table)
    return 0
