"""Make category sets for Topk and OddOneOut, and analogy questions, in any number of languages at once.

Items come from a SPARQL endpoint, or without any network from the entities of a build.
"""

import argparse
import posixpath
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from wikisem.categories.category_source import CategorySource
from wikisem.categories.emoji import installed_emoji
from wikisem.categories.language_sets import LanguageSet, SetSources, build_sets
from wikisem.categories.recipe import CategoryRecipe
from wikisem.categories.recipe_checks import load_category_recipe, shipped_category_recipes
from wikisem.errors import MissingInputError, UsageError
from wikisem.outputs.category_report import report_row, without_any
from wikisem.pipeline.build.ledger import Ledger
from wikisem.pipeline.categories.endpoint import WIKIDATA, open_endpoint
from wikisem.pipeline.categories.files import write_sets
from wikisem.pipeline.console.categories import ToldSource, print_report
from wikisem.pipeline.options import argument, local_output, parse_languages
from wikisem.queries.offline.entity_source import EntitySource


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    names = ", ".join(shipped_category_recipes())
    parser.add_argument("recipe", metavar="RECIPE", help=f"a TOML file, or the name of a shipped recipe: {names}")
    parser.add_argument(
        "--languages", required=True, type=argument(parse_languages), metavar="la,grc,te", help="language codes"
    )
    parser.add_argument(
        "--output", required=True, type=argument(local_output), metavar="OUT", help="the folder to write the sets to"
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--endpoint", metavar="URL", help=f"the SPARQL endpoint to ask; default {WIKIDATA}")
    source.add_argument(
        "--entities", metavar="OUT", help="ask no endpoint but the entities of a build: its output or entities folder"
    )
    parser.add_argument(
        "--contact",
        metavar="ADDRESS",
        help="an e-mail address or web page at which the endpoint's operators can reach you; sent as User-Agent. "
        "Wikimedia's endpoints require it; default elsewhere: user@host",
    )
    parser.add_argument(
        "--timeout", type=_seconds, default=70.0, metavar="SECONDS", help="longest wait for one answer; default 70"
    )
    parser.add_argument(
        "--cache",
        type=Path,
        metavar="FOLDER",
        help="where answers of the endpoint are kept, so that no run asks twice; default OUT/answers. "
        "Remove it to ask afresh",
    )


def run(arguments: argparse.Namespace, beam_options: Sequence[str]) -> int:
    """Make the sets, write them, and report by language what has no label."""
    if beam_options:
        raise UsageError(f"categories runs no Beam pipeline: nothing can be passed after --, saw {beam_options[0]!r}")
    output = Path(arguments.output)
    recipe, languages = load_category_recipe(arguments.recipe), arguments.languages
    # One source for the whole run, opened when the first category asks for it.
    wikidata = lru_cache(lambda: _open(arguments))
    sets = build_sets(recipe, languages, SetSources(wikidata, lru_cache(installed_emoji)))
    rows = [report_row(words) for one in sets for words in one.words()]
    write_sets(output, recipe, sets, rows)
    asks_wikidata = any(not category.emoji for category in recipe.categories)
    warnings = [*wikidata().notes(), *_unlabelled(recipe, sets, arguments.entities)] if asks_wikidata else []
    print_report(rows, [*warnings, *_unlinked(recipe, arguments.entities)])
    if not any(row.kept for row in rows):
        raise MissingInputError(
            f"expected items with labels in {', '.join(languages)}, saw none; "
            f"{output / 'categories-report.tsv'} tells what was found"
        )
    print(f"output: {output}")  # noqa: T201 - the command line speaks to people
    return 0


def _open(arguments: argparse.Namespace) -> CategorySource:
    if arguments.entities:
        return ToldSource(EntitySource(arguments.entities))
    cache = arguments.cache or Path(arguments.output) / "answers"
    return ToldSource(open_endpoint(arguments.endpoint or WIKIDATA, arguments.contact, arguments.timeout, cache))


def _unlabelled(recipe: CategoryRecipe, sets: Sequence[LanguageSet], entities: str | None) -> list[str]:
    emoji = {category.name for category in recipe.categories if category.emoji}
    rows = [report_row(words) for one in sets for words in one.categories if words.category not in emoji]
    return [
        f"no item of any category has a label in {language!r}"
        + (f"; if Wikidata has some, build {entities} with --languages {language} too" if entities else "")
        for language in without_any(rows)
    ]


def _unlinked(recipe: CategoryRecipe, entities: str | None) -> list[str]:
    """What a build that keeps linked items only leaves out of categories that want items without sitelinks too."""
    wanting = [one.name for one in recipe.categories if not one.emoji and not one.min_sitelinks]
    if not entities or not wanting:
        return []
    parent, name = posixpath.split(entities.rstrip("/"))
    output = (parent or ".") if name == "entities" else entities
    record = Ledger(output).find("entities")
    if record is None or not record.facts["linked_only"]:
        return []
    lacking = f"{entities} lacks {record.counts.left_out.get('unlinked', 0):,} items that no sitelink and no statement"
    command = f"wikisem entities --output {output}"
    advice = f"for all of them run {command} without --linked-only, or set min_sitelinks = 1"
    return [f"{lacking} links, some of which may belong to {', '.join(wanting)}; {advice}"]


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected seconds, saw {text!r}") from error
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"expected seconds above 0, saw {text!r}")
    return seconds
