"""Syntactic test sets from Wikidata lexemes: analogy questions, categories and outlier groups, in any language.

A relation is a swap of grammatical features: plural pairs "answer" (singular) with "answers" (plural). OUT gets, for
each language, analogies/LA.txt, categories/LA.txt, groups of eight in outliers/LA/ and every pair in pairs/LA.jsonl,
and unreadable lexemes in unreadable/lexemes.jsonl. A question has one right answer: of several partners of a form,
that of the lowest lexeme.
"""

import argparse

from rich.table import Table

from wikisem.categories.analogies import count_questions
from wikisem.categories.lexeme_pairs import SHIPPED, PairCollector, load_relations
from wikisem.files import path_of, remove, remove_below, replace_file, write_files, write_text
from wikisem.layout import unreadable_path
from wikisem.outputs.category_formats import (
    outlier_groups,
    pair_analogy_lines,
    pair_category_lines,
    pairs_lines,
    with_one_answer,
    write_questions,
)
from wikisem.pipeline import command_options as options
from wikisem.pipeline.console.terminal import log, make_console, number_columns, print_line, progress
from wikisem.pipeline.runs.ledger import Ledger
from wikisem.records import UnreadableRecord
from wikisem.wikidata.lexeme_reader import STAGE, LexemeReader, check_any


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of lexemes."""
    parser.add_argument("dump", metavar="DUMP", nargs="+", help="the lexeme dump (.json, .gz, .bz2, .zst) or its parts")
    options.add_languages(parser, text="the languages or variants of the spellings", convert=options.lexeme_languages)
    options.add_folder(parser)
    options.add_word_filter(parser)
    parser.add_argument(
        "--relations",
        type=options.argument(path_of),
        default=SHIPPED,
        metavar="FILE",
        help=f"a TOML file of relations (default: {', '.join(relation.name for relation in load_relations())})",
    )
    parser.add_argument(
        "--groups",
        type=options.at_least(0),
        default=100,
        metavar="N",
        help="at most N outlier groups a relation (default: 100)",
    )
    options.add_questions(parser)
    options.add_max_unreadable(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the dump, write the sets, and print how many pairs each relation has."""
    relations, keep = load_relations(arguments.relations), options.read_word_filter(arguments)
    unreadable: list[UnreadableRecord] = []
    reader, collector = LexemeReader(unreadable.append), PairCollector(relations, arguments.languages)
    with progress("reading lexemes", lambda: reader.counts().read, 0):
        for path in arguments.dump:
            for lexeme in reader.read(path):
                collector.add(lexeme)
    counts, output = reader.counts(), arguments.output
    kept_in = f"{output}/{unreadable_path(STAGE)}"
    if unreadable:
        replace_file(kept_in, b"".join(record.as_line() for record in unreadable))
    else:
        remove(kept_in)
    check_any(counts, ", ".join(arguments.dump))
    counts.check_unreadable(STAGE, arguments.max_unreadable, kept_in)
    for language in sorted(set(arguments.languages) - collector.spelled):
        log(f"warning: expected lexemes that are spelled in {language!r}, saw none")
    table = Table("language", "relation", *number_columns("pairs", "questions"))
    for language, pairs in collector.pairs(keep).items():
        asked, path = with_one_answer(pairs), output / "analogies" / f"{language}.txt"
        questions = pair_analogy_lines(asked, arguments.questions, arguments.seed)
        if not write_questions(path, map(len, asked.values()), questions):
            log(f"warning: no relation has a question in {language!r}: there is no {path}")
        write_text(output / "categories" / f"{language}.txt", pair_category_lines(pairs))
        write_text(output / "pairs" / f"{language}.jsonl", pairs_lines(language, pairs))
        groups = dict(outlier_groups(pairs, arguments.groups, arguments.seed))
        texts = {f"outliers/{language}/{name}.txt": text.encode() for name, text in groups.items()}
        unit, ledger = f"{STAGE}/{language}", Ledger(str(output))
        earlier = ledger.names(unit)
        ledger.note(unit, earlier | texts.keys())
        write_files(output, texts.items())
        for name in sorted(earlier - texts.keys()):
            remove_below(str(output), name)
        ledger.note(unit, texts.keys())
        strays = [path for path in (output / "outliers" / language).glob("*.txt") if path.stem not in groups]
        if strays:
            log(f"warning: {min(strays)} is no file of wikisem's; it stays, and is scored with the groups")
        for relation, of_relation in pairs.items():
            number = count_questions(len(asked[relation]), arguments.questions)
            table.add_row(language, relation, f"{len(of_relation):,}", f"{number:,}")
    make_console().print(table)
    left_out, unread = sum(counts.left_out.values()), sum(counts.unreadable.values())
    log(f"{counts.read:,} records: {counts.kept:,} lexemes, {left_out:,} left out, {unread:,} unreadable")
    print_line(f"output: {output}")
    return 0
