"""Make category sets for Topk and OddOneOut, and analogy questions, in any number of languages at once.

Items come from a SPARQL endpoint, or without any network from the entities of a build.
"""

import argparse
import posixpath
from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Final
from urllib.parse import urlsplit

from rich.table import Table

from wikisem.categories import recipe as recipes
from wikisem.categories.language_sets import LanguageSet, LanguageWords, SetSources, build_sets, installed_emoji
from wikisem.categories.recipe import WordFilter
from wikisem.errors import MissingInputError, UsageError
from wikisem.files import path_of
from wikisem.outputs.category_formats import ReportRow, report_row, without_any, write_sets
from wikisem.pipeline.cli import Options, seconds
from wikisem.pipeline.commands.download import web_address
from wikisem.pipeline.console.terminal import log, log_pause, make_console, number_columns, print_line
from wikisem.pipeline.runs.ledger import Ledger
from wikisem.queries import offline, sparql
from wikisem.recipes.load import shipped_names
from wikisem.web import HttpClient, Patience, user_at_host

WIKIDATA: Final = "https://query.wikidata.org/sparql"
# Wikimedia blocks clients that do not say who they are (User-Agent policy, 2026-11).
_WANT_CONTACT: Final = (".wikidata.org", ".wikimedia.org")

OPTIONS: Final[Options] = {
    "--endpoint": {"convert": web_address},
    "--timeout": {"convert": seconds, "default": 70.0},
    "--cache": {"convert": path_of},
}
IN_MANUAL: Final = {"shipped": ", ".join(shipped_names(recipes.PACKAGE))}


def run(arguments: argparse.Namespace) -> int:
    """Write the category sets and analogy questions of a recipe, and report by language which items have no label."""
    recipe, output = recipes.load_category_recipe(arguments.recipe), arguments.output
    wikidata = cache(lambda: _open_source(arguments))  # opened once, and only if a category asks for it
    keep = WordFilter.of(arguments.vocabulary, arguments.single_words)
    sets = build_sets(recipe, arguments.languages, SetSources(wikidata, cache(installed_emoji), log), keep)
    rows = [report_row(words) for language_set in sets for words in language_set.words()]
    write_sets(output, recipe, sets, rows)
    make_console().print(_report_table(rows))
    if recipe.relations or any(not category.emoji for category in recipe.categories):  # else Wikidata was not asked
        for note in wikidata().notes():  # properties that --entities lacks
            log(f"warning: {note}; wikisem build and wikisem entities keep those of --properties")
    for warning in _warnings(recipe, sets, arguments, every_word=not keep):
        log(f"warning: {warning}")
    if not any(row.kept for row in rows):
        wanted = f"items with labels in {', '.join(arguments.languages)}{' that are kept' if keep else ''}"
        raise MissingInputError(f"expected {wanted}, saw none; {output / 'categories-report.tsv'} says what was found")
    print_line(f"output: {output}")
    return 0


def _open_source(arguments: argparse.Namespace) -> recipes.CategorySource:
    """Open --entities or the SPARQL endpoint to read items; UsageError if --contact is missing for Wikimedia."""
    if arguments.entities:
        return offline.EntitySource(arguments.entities)
    url, contact = arguments.endpoint or WIKIDATA, arguments.contact
    if contact is None and f".{urlsplit(url).hostname}".endswith(_WANT_CONTACT):
        raise UsageError(f"{url} wants to know whom to write to: expected --contact ADDRESS, saw none")
    transport = sparql.Transport(url, HttpClient(contact or user_at_host(), arguments.timeout))
    answers = arguments.cache or arguments.output / "answers"
    return sparql.EndpointSource(sparql.Client(url, transport, answers, Patience(on_pause=log_pause)))


def _warnings(
    recipe: recipes.CategoryRecipe, sets: Sequence[LanguageSet], arguments: argparse.Namespace, *, every_word: bool
) -> list[str]:
    """Warn of languages without labels or questions, and if categories want items that --entities lacks.

    Without ``every_word``, a filter of words is set, which may have left out all items that have a label.
    """
    entities, warnings = arguments.entities, list[str]()
    # Languages in which no item of any category has a label; in a recipe of relations alone, no item of any relation.
    if every_word:
        emoji = {category.name for category in recipe.categories if category.emoji}
        of_categories = chain.from_iterable(language_set.categories for language_set in sets)
        words: list[LanguageWords] = [words for words in of_categories if words.category not in emoji]
        words = words or list(chain.from_iterable(language_set.relations for language_set in sets))
        for language in without_any(list(map(report_row, words))):
            kind = "category" if any(language_set.categories for language_set in sets) else "relation"
            more = f"; if Wikidata has some, build {entities} with --languages {language} too" if entities else ""
            warnings.append(f"no item of any {kind} has a label in {language!r}{more}")
    # Languages without questions, which take two pairs of a relation, but for those that were warned of above.
    for language_set in sets:
        language, pairs = language_set.language, [len(related.pairs) for related in language_set.relations]
        if pairs and max(pairs) < 2 and not any(repr(language) in warning for warning in warnings):
            place = arguments.output / "analogies" / f"{language}.txt"
            warnings.append(f"no relation has a question in {language!r}: there is no {place}")
    # Categories that take items without sitelinks, if the build of --entities left such items out.
    implied = [relation.category() for relation in recipe.relations if not relation.subjects]
    categories = (*recipe.categories, *implied)
    wanting = [category.name for category in categories if not category.emoji and not category.min_sitelinks]
    if entities and wanting:
        # --entities may be OUT, OUT/entities or the folder of the files in it: find OUT.
        output = path = entities.rstrip("/") or "/"
        for inner in (posixpath.dirname(path), path):
            if posixpath.basename(inner) == "entities":
                output = posixpath.dirname(inner) or "."
        record = Ledger(output).find("entities")
        if record and (unlinked := record.counts.left_out.get("unlinked", 0)):
            fix = f"for all of them run wikisem entities --output {output} without --recipe, or set min_sitelinks = 1"
            lacking = f"{unlinked:,} items that no sitelink and no statement links, some of which may belong to"
            warnings.append(f"{entities} lacks {lacking} {', '.join(wanting)}; {fix}")
    return warnings


def _report_table(rows: Sequence[ReportRow]) -> Table:
    """Make a line for each language, summed over its categories; without categories, one for each relation in it.

    "under mul" counts items whose only label is the one that Wikidata has for all languages.
    """
    if not any(row.kind == "category" for row in rows):
        counted = number_columns("items", "pairs", "without label", "left out otherwise")
        table = Table("language", "relation", *counted, title="relations", title_justify="left")
        for row in rows:
            counts = [row.items, row.kept, row.without_label, row.otherwise]
            table.add_row(row.language, row.name, *(f"{count:,}" for count in counts))
        return table
    counted = number_columns("items", "kept", "under mul", "without label", "left out otherwise", "pairs")
    table = Table("language", *counted, title="category sets", title_justify="left")
    for language in dict.fromkeys(row.language for row in rows):
        of_language = [row for row in rows if row.language == language]
        categories = [row for row in of_language if row.kind == "category"]
        columns = [(row.items, row.kept, row.under_mul, row.without_label, row.otherwise) for row in categories]
        sums = [sum(column) for column in zip(*columns, strict=True)]
        pairs = sum(row.kept for row in of_language if row.kind == "relation")
        table.add_row(language, *(f"{count:,}" for count in [*sums, pairs]))
    return table
