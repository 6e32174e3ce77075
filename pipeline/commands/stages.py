"""A build as a command, and its five stages, each on what the stages before it left in OUT."""

import argparse
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Final

from wikisem.layout import MENTIONS, unit_of
from wikisem.pipeline import command_options as options
from wikisem.pipeline.console.tables import print_stage_summary, print_summary
from wikisem.pipeline.runs.inputs import Dump, find_profiles, find_wikidata, find_wikipedias, read_named
from wikisem.pipeline.runs.run import Run, make_run, with_workers
from wikisem.pipeline.runs.stage_runner import Stage, run_stages, session
from wikisem.pipeline.runs.stages import (
    ALL,
    BuildOptions,
    check_languages,
    entities,
    entity_options,
    groups,
    mentions,
    mixed,
    run_build,
    surfaces,
    taxonomy,
)
from wikisem.recipes.load import load_recipe
from wikisem.recipes.options import Recipe


def _run(
    arguments: argparse.Namespace, make: Callable[[Run], list[Stage]], *dumps: Dump, recipe: Recipe | None = None
) -> int:
    """Run what ``make`` returns for the run that the options describe, and print what was done."""
    run = with_workers(make_run(arguments), arguments.workers, *dumps)
    with session(run):
        records = run_stages(make(run), run, recipe)
    return print_stage_summary(records, run, *([] if recipe is None else [arguments.recipe]))


def _add_build(parser: argparse.ArgumentParser) -> None:
    options.add_recipe(parser)
    options.add_recipe_seed(parser)
    options.add_wikidata(parser)
    options.add_wikipedia(parser, required=False)
    options.add_languages(parser, "those of --wikipedia, else the recipe's")
    options.add_output(parser)
    options.add_max_unreadable(parser)
    options.add_profile(parser)
    options.add_checksum(parser)


def _run_build(arguments: argparse.Namespace) -> int:
    """From dumps to groups: items, links, surface forms, the class graph and the groups; what is finished is kept."""
    recipe = options.read_recipe(arguments)
    run = make_run(arguments)
    wikipedia = find_wikipedias(arguments.wikipedia, arguments.checksum)
    languages = options.choose_languages(arguments.languages, list(wikipedia), recipe)
    wikidata = find_wikidata(arguments.wikidata, arguments.checksum)
    run = with_workers(run, arguments.workers, wikidata, *wikipedia.values())
    profiles = read_named(arguments.profile)
    built = BuildOptions(recipe, languages, wikidata, wikipedia, sorted(arguments.properties), profiles)
    return print_summary(run_build(built, run), run.output)


def _add_entities(parser: argparse.ArgumentParser) -> None:
    options.add_wikidata(parser)
    options.add_languages(
        parser,
        "en",
        f"languages (or {ALL}) whose labels are kept beside English and mul",
        lambda text: [ALL] if text == ALL else options.parse_languages(text),
    )
    parser.add_argument(
        "--recipe",
        metavar="RECIPE",
        help="keep only what groups of this recipe need (default: of any recipe with the best ranks)",
    )
    options.add_output(parser)
    options.add_max_unreadable(parser)
    options.add_checksum(parser)


def _run_entities(arguments: argparse.Namespace) -> int:
    """Stage 1: read a Wikidata JSON dump into OUT/entities, as Parquet with one row per item."""
    languages = None if ALL in arguments.languages else arguments.languages
    recipe = load_recipe(arguments.recipe) if arguments.recipe else None
    wanted = entity_options(recipe, languages, arguments.properties)
    dump = find_wikidata(arguments.wikidata, arguments.checksum)
    return _run(arguments, lambda run: [entities(dump, wanted, run)], dump)


def _add_mentions(parser: argparse.ArgumentParser) -> None:
    options.add_wikipedia(parser, required=True)
    parser.add_argument("--link-trail", action="store_true", help="count [[bus]]es as buses, by each language's rule")
    options.add_output(parser)
    options.add_max_unreadable(parser)
    options.add_profile(parser)
    options.add_checksum(parser)


def _run_mentions(arguments: argparse.Namespace) -> int:
    """Stage 2: count the links of Wikipedia dumps into OUT/mentions/<language>, each language's anchor dictionary."""
    dumps = find_wikipedias(arguments.wikipedia, arguments.checksum)
    given = read_named(arguments.profile)

    def make(run: Run) -> list[Stage]:
        return [mentions(dumps, arguments.link_trail, find_profiles(run.output, list(dumps), given))]

    return _run(arguments, make, *dumps.values())


def _add_surfaces(parser: argparse.ArgumentParser) -> None:
    options.add_recipe(parser)
    options.add_languages(parser, "the recipe's")
    options.add_output(parser)


def _run_surfaces(arguments: argparse.Namespace) -> int:
    """Stage 3: the surface form of each item in each language, from OUT/mentions or the recipe's fallback."""
    recipe = options.read_recipe(arguments)
    languages = options.choose_languages(arguments.languages, [], recipe)

    def make(run: Run) -> list[Stage]:
        linked = [language for language in languages if run.ledger.find(unit_of(MENTIONS, language))]
        check_languages(languages, linked, recipe)
        return [surfaces(languages, recipe.surface, linked)]

    return _run(arguments, make, recipe=recipe)


def _add_taxonomy(parser: argparse.ArgumentParser) -> None:
    options.add_recipe(parser)
    options.add_output(parser)


def _run_taxonomy(arguments: argparse.Namespace) -> int:
    """Stage 4: the pruned class graph of the items in OUT/entities, as memory-mapped arrays."""
    recipe = options.read_recipe(arguments)
    return _run(arguments, lambda _: [taxonomy(recipe.graph)], recipe=recipe)


def _add_groups(parser: argparse.ArgumentParser) -> None:
    options.add_recipe(parser)
    options.add_recipe_seed(parser)
    options.add_languages(parser, "the recipe's")
    options.add_output(parser)
    options.add_profile(parser)


def _run_groups(arguments: argparse.Namespace) -> int:
    """Stage 5: test groups in every language, from the surfaces and the taxonomy in OUT."""
    recipe = options.read_recipe(arguments)
    languages = options.choose_languages(arguments.languages, [], recipe)
    given = read_named(arguments.profile)

    def make(run: Run) -> list[Stage]:
        profiles = find_profiles(run.output, languages, given)
        return [groups(languages, recipe, profiles), *mixed(languages, recipe)]

    return _run(arguments, make, recipe=recipe)


# Command -> what the command line asks of it; the docstring of its work is what --help prints.
COMMANDS: Final[Mapping[str, SimpleNamespace]] = {
    name: SimpleNamespace(__doc__=run.__doc__, add_arguments=add_arguments, run=run)
    for name, add_arguments, run in (
        ("build", _add_build, _run_build),
        ("entities", _add_entities, _run_entities),
        ("mentions", _add_mentions, _run_mentions),
        ("surfaces", _add_surfaces, _run_surfaces),
        ("taxonomy", _add_taxonomy, _run_taxonomy),
        ("groups", _add_groups, _run_groups),
    )
}
