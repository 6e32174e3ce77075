"""Make category sets for Topk and OddOneOut, and analogy questions, in any number of languages at once.

Items come from a SPARQL endpoint, or without any network from the entities of a build.
"""

import argparse
import posixpath
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from wikisem.categories.category_source import CategorySource
from wikisem.categories.emoji import installed_emoji
from wikisem.categories.language_sets import LanguageSet, SetSources, build_sets
from wikisem.categories.recipe import CategoryRecipe
from wikisem.categories.recipe_checks import load_category_recipe, shipped_category_recipes
from wikisem.categories.wording import LanguageWords
from wikisem.errors import MissingInputError, UsageError
from wikisem.outputs.category_formats import without_questions, write_sets
from wikisem.outputs.category_report import report_row, without_any
from wikisem.pipeline.build.ledger import Ledger
from wikisem.pipeline.command_options import add_contact, add_local_output, add_timeout, refuse_beam_options
from wikisem.pipeline.console.category_table import LoggedSource, print_report
from wikisem.pipeline.console.terminal import log_pause, print_line
from wikisem.pipeline.option_values import argument, parse_languages, web_address
from wikisem.pipeline.word_set_options import add_word_filter, read_word_filter
from wikisem.queries.endpoint.cache import AnswerCache
from wikisem.queries.endpoint.client import Client, Transport
from wikisem.queries.endpoint.endpoint_source import EndpointSource
from wikisem.queries.http_client import HttpClient, Patience, user_at_host
from wikisem.queries.offline.entity_source import EntitySource

WIKIDATA: Final = "https://query.wikidata.org/sparql"
# Wikimedia blocks clients that do not say who they are (User-Agent policy, 2026-11).
_WANT_CONTACT: Final = (".wikidata.org", ".wikimedia.org")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    names = ", ".join(shipped_category_recipes())
    parser.add_argument("recipe", metavar="RECIPE", help=f"a TOML file, or the name of a shipped recipe: {names}")
    parser.add_argument(
        "--languages", required=True, type=argument(parse_languages), metavar="en,de", help="the languages of the sets"
    )
    add_local_output(parser, "OUT", "the folder to write the sets to")
    add_word_filter(parser)
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--endpoint",
        type=argument(web_address),
        metavar="URL",
        help=f"the SPARQL endpoint to ask (default: {WIKIDATA})",
    )
    source.add_argument(
        "--entities",
        metavar="OUT",
        help="ask no endpoint but the entities of a build: OUT or OUT/entities",
    )
    add_contact(parser, "the endpoint's", "; Wikimedia's endpoints require it (default elsewhere: user@host)")
    add_timeout(parser, 70.0, "one answer")
    parser.add_argument(
        "--cache",
        type=Path,
        metavar="FOLDER",
        help="where answers of the endpoint are kept, so that no run asks twice; remove it to ask again "
        "(default: OUT/answers)",
    )


def run(arguments: argparse.Namespace, beam_options: Sequence[str]) -> int:
    """Make the sets, write them, and report by language what has no label."""
    refuse_beam_options("categories", beam_options)
    output = Path(arguments.output)
    recipe, languages = load_category_recipe(arguments.recipe), arguments.languages
    # One source for the whole run, opened when the first category asks for it.
    wikidata = lru_cache(lambda: _open(arguments))
    keep = read_word_filter(arguments)
    sets = build_sets(recipe, languages, SetSources(wikidata, lru_cache(installed_emoji)), keep)
    rows = [report_row(words) for language_set in sets for words in language_set.words()]
    write_sets(output, recipe, sets, rows)
    asks_wikidata = bool(recipe.relations) or any(not category.emoji for category in recipe.categories)
    warnings = _notes(wikidata()) if asks_wikidata else []
    if asks_wikidata and not keep:  # which may leave out whatever has a label
        warnings += _unlabelled(recipe, sets, arguments.entities)
    warnings += [
        f"no relation has a question in {language!r}: there is no {output / 'analogies' / f'{language}.txt'}"
        for language in without_questions(sets)
        if not any(repr(language) in warning for warning in warnings)
    ]
    print_report(rows, [*warnings, *_unlinked(recipe, arguments.entities)])
    if not any(row.kept for row in rows):
        raise MissingInputError(
            f"expected items with labels in {', '.join(languages)}{' that are kept' if keep else ''}, saw none; "
            f"{output / 'categories-report.tsv'} says what was found"
        )
    print_line(f"output: {output}")
    return 0


def _open(arguments: argparse.Namespace) -> CategorySource:
    if arguments.entities:
        return LoggedSource(EntitySource(arguments.entities))
    cache = arguments.cache or Path(arguments.output) / "answers"
    return LoggedSource(_open_endpoint(arguments.endpoint or WIKIDATA, arguments.contact, arguments.timeout, cache))


def _open_endpoint(url: str, contact: str | None, timeout: float, cache: Path) -> EndpointSource:
    """A source of categories at an endpoint; UsageError where one that wants a contact has none."""
    if contact is None and f".{urlsplit(url).hostname}".endswith(_WANT_CONTACT):
        raise UsageError(f"{url} wants to know whom to write to: expected --contact ADDRESS, saw none")
    transport = Transport(url, HttpClient(contact or user_at_host(), timeout))
    return EndpointSource(Client(url, transport, AnswerCache(cache), Patience(tell=log_pause)))


def _notes(source: CategorySource) -> list[str]:
    """The properties that the entities of a build lack, each with the option that keeps it; an endpoint lacks none."""
    return [f"{note}; wikisem build and wikisem entities keep those of --properties" for note in source.notes()]


def _unlabelled(recipe: CategoryRecipe, sets: Sequence[LanguageSet], entities: str | None) -> list[str]:
    emoji = {category.name for category in recipe.categories if category.emoji}
    words: list[LanguageWords] = [
        words for language_set in sets for words in language_set.categories if words.category not in emoji
    ]
    words = words or [words for language_set in sets for words in language_set.relations]
    return [
        f"no item of any {'category' if recipe.word_sets() else 'relation'} has a label in {language!r}"
        + (f"; if Wikidata has some, build {entities} with --languages {language} too" if entities else "")
        for language in without_any(list(map(report_row, words)))
    ]


def _unlinked(recipe: CategoryRecipe, entities: str | None) -> list[str]:
    """What a build that keeps linked items only leaves out of categories that want items without sitelinks too."""
    implied = [relation.category() for relation in recipe.relations if not relation.subjects]
    wanting = [one.name for one in (*recipe.categories, *implied) if not one.emoji and not one.min_sitelinks]
    if not entities or not wanting:
        return []
    output = _output_of(entities)
    record = Ledger(output).find("entities")
    unlinked = 0 if record is None else record.counts.left_out.get("unlinked", 0)
    if not unlinked:
        return []
    lacking = f"{entities} lacks {unlinked:,} items that no sitelink and no statement"
    command = f"wikisem entities --output {output}"
    advice = f"for all of them run {command} without --linked-only, or set min_sitelinks = 1"
    return [f"{lacking} links, some of which may belong to {', '.join(wanting)}; {advice}"]


def _output_of(entities: str) -> str:
    """OUT, where OUT/entities or the folder in it that holds the files may be named instead."""
    path = entities.rstrip("/") or "/"
    for inner in (path, posixpath.dirname(path)):
        if posixpath.basename(inner) == "entities":
            return posixpath.dirname(inner) or "."
    return path
