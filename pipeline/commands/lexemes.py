"""Syntactic test sets: from Wikidata lexemes in any language, and the relations of WordRep from a WordNet."""

import argparse
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from rich.table import Table

from wikisem.categories.lexeme_pairs import SHIPPED, PairCollector, count_questions, load_relations, read_wordnet
from wikisem.categories.recipe import WordFilter
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.files import path_of, remove, remove_below, replace_file, write_files, write_text
from wikisem.layout import unreadable_path
from wikisem.outputs import category_formats as formats
from wikisem.pipeline import cli
from wikisem.pipeline.console.terminal import log, make_console, number_columns, print_line, progress
from wikisem.pipeline.runs.ledger import Ledger
from wikisem.records import UnreadableRecord
from wikisem.wikidata.entity_reader import LEXEMES, LexemeReader
from wikisem.wikis import known_language

# Lexemes are in more languages than labels (Old Norse, Middle English), and a spelling may be named by an item:
# "mis-x-Q36790" (https://www.wikidata.org/wiki/Wikidata:Lexicographical_data/Documentation, 2026-11).
_LANGUAGE: Final = re.compile(r"[a-z]{3}(-[a-z0-9]{2,8})*|[a-z]{2,3}(-[a-z0-9]{2,8})*-x-Q[1-9][0-9]{0,17}")

_QUESTIONS: Final[cli.Options] = {
    "--questions": {"convert": cli.at_least(0), "default": 20_000},
    "--seed": {"convert": cli.at_least(0), "default": 500},
}

_LEXEMES: Final[cli.Options] = {
    **_QUESTIONS,
    "--languages": {"convert": cli.list_of(lambda code: code if _LANGUAGE.fullmatch(code) else known_language(code))},
    "--relations": {"convert": path_of, "default": SHIPPED},
    "--groups": {"convert": cli.at_least(0), "default": 100},
}
IN_MANUAL: Final = {"relations": ", ".join(relation.name for relation in load_relations())}


def lexemes(arguments: argparse.Namespace) -> int:
    """Syntactic test sets from Wikidata lexemes: analogy questions, categories and outlier groups, in any language.

    A relation is a swap of grammatical features: plural pairs "answer" (singular) with "answers" (plural). OUT gets,
    for each language, analogies/LA.txt, categories/LA.txt, groups of eight in outliers/LA/ and every pair in
    pairs/LA.jsonl, and unreadable lexemes in unreadable/lexemes.jsonl. A question has one right answer: of several
    partners of a form, that of the lowest lexeme.
    """
    # Read the lexemes of the dump, and collect those that a relation pairs.
    relations, keep = load_relations(arguments.relations), WordFilter.of(arguments.vocabulary, arguments.single_words)
    unreadable: list[UnreadableRecord] = []
    reader, collector = LexemeReader(unreadable.append), PairCollector(relations, arguments.languages)
    with progress("reading lexemes", lambda: reader.counts().read, 0):
        for path in arguments.dump:
            for lexeme in reader.read(path):
                collector.add(lexeme)
    # Keep the unreadable ones, in place of those of an earlier run, and stop if they are too many.
    counts, output = reader.counts(), arguments.output
    kept_in = f"{output}/{unreadable_path(LEXEMES)}"
    if unreadable:
        replace_file(kept_in, b"".join(record.as_line() for record in unreadable))
    else:
        remove(kept_in)
    if not counts.kept:
        raise DamagedInputError(f"{', '.join(arguments.dump)}: expected lexemes of a Wikidata dump, saw none")
    counts.check_unreadable(LEXEMES, arguments.max_unreadable, kept_in)
    for language in sorted(set(arguments.languages) - collector.spelled):
        log(f"warning: expected lexemes that are spelled in {language!r}, saw none")
    # Write the test sets of each language, with a row of the table for each relation.
    table = Table("language", "relation", *number_columns("pairs", "questions"))
    for language, pairs in collector.pairs(keep).items():
        write_text(output / "categories" / f"{language}.txt", formats.pair_category_lines(pairs))
        write_text(output / "pairs" / f"{language}.jsonl", formats.pairs_lines(language, pairs))
        _write_groups(arguments, language, pairs)
        place, asked = output / "analogies" / f"{language}.txt", formats.with_one_answer(pairs)
        for relation, number in _write_questions(arguments, place, asked, f" in {language!r}").items():
            table.add_row(language, relation, f"{len(pairs[relation]):,}", f"{number:,}")
    make_console().print(table)
    left_out, unread = sum(counts.left_out.values()), sum(counts.unreadable.values())
    log(f"{counts.read:,} records: {counts.kept:,} lexemes, {left_out:,} left out, {unread:,} unreadable")
    print_line(f"output: {output}")
    return 0


def _write_groups(arguments: argparse.Namespace, language: str, pairs: formats.Relations) -> None:
    """Write the outlier groups of a language, in place of those of an earlier run; warn of files of others.

    The ledger of OUT notes the names of our files: those of both runs at first, so that after a crash in between a
    later run knows all that it may remove.
    """
    output, ledger, unit = arguments.output, Ledger(str(arguments.output)), f"{LEXEMES}/{language}"
    groups = dict(formats.outlier_groups(pairs, arguments.groups, arguments.seed))
    texts = {f"outliers/{language}/{name}.txt": text.encode() for name, text in groups.items()}
    earlier = ledger.names(unit)
    ledger.note(unit, earlier | texts.keys())
    write_files(output, texts.items())
    for name in sorted(earlier - texts.keys()):
        remove_below(str(output), name)
    ledger.note(unit, texts.keys())
    strays = [path for path in (output / "outliers" / language).glob("*.txt") if path.stem not in groups]
    if strays:
        log(f"warning: {min(strays)} is no file of wikisem's; it stays, and is scored with the groups")


def _write_questions(
    arguments: argparse.Namespace, place: Path, asked: formats.WordPairs, where: str = ""
) -> dict[str, int]:
    """Write the analogy questions of relations with two pairs or more, and return their number for every relation.

    n pairs make n(n - 1) questions, of which --questions is the most. Without any question there is no file, and a
    warning, in which ``where`` is the language.
    """
    several = [(name, pairs, arguments.questions) for name, pairs in asked.items() if len(pairs) > 1]
    if not formats.write_questions(place, several, arguments.seed):
        log(f"warning: no relation has a question{where}: there is no {place}")
    return {name: count_questions(len(pairs), arguments.questions) for name, pairs in asked.items()}


def wordnet(arguments: argparse.Namespace) -> int:
    """Analogy questions for the thirteen relations of WordRep, from a WordNet in LMF such as Open English WordNet.

    OUT gets analogies.txt with a section for each relation that has two pairs or more, and pairs.jsonl with every pair.
    All n(n - 1) questions of n pairs count, as in WordRep, even if a word has several partners.
    """
    pairs = read_wordnet(arguments.wordnet, WordFilter.of(arguments.vocabulary, arguments.single_words))
    if not any(pairs.values()):
        raise MissingInputError(f"{arguments.wordnet}: expected relations between words that are kept, saw none")
    write_text(arguments.output / "pairs.jsonl", formats.pairs_lines("", pairs))
    table = Table("relation", *number_columns("pairs", "questions"))
    numbers = _write_questions(arguments, arguments.output / "analogies.txt", formats.asked_pairs(pairs))
    for name, number in numbers.items():
        table.add_row(name, f"{len(pairs[name]):,}", f"{number:,}")
    make_console().print(table)
    print_line(f"output: {arguments.output}")
    return 0


COMMANDS: Final[Mapping[str, cli.Command]] = {
    "lexemes": (_LEXEMES, lexemes),
    "wordnet": (_QUESTIONS | {"wordnet": {"convert": path_of}}, wordnet),
}
