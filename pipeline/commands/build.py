"""From dumps to groups: items, links, surface forms, the class graph and the groups; what is finished is kept."""

import argparse

from wikisem.pipeline import command_options as options
from wikisem.pipeline.console.tables import print_summary
from wikisem.pipeline.runs.inputs import find_wikidata, find_wikipedias, read_named
from wikisem.pipeline.runs.run import make_run, with_workers
from wikisem.pipeline.runs.stages import BuildOptions, run_build


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of a build."""
    options.add_recipe(parser)
    options.add_recipe_seed(parser)
    options.add_wikidata(parser)
    options.add_wikipedia(parser, required=False)
    options.add_languages(parser, "those of --wikipedia, else the recipe's")
    options.add_output(parser)
    options.add_max_unreadable(parser)
    options.add_profile(parser)
    options.add_checksum(parser)


def run(arguments: argparse.Namespace) -> int:
    """Build, write the manifest and print what was done."""
    recipe = options.read_recipe(arguments)
    run_ = make_run(arguments)
    wikipedia = find_wikipedias(arguments.wikipedia, arguments.checksum)
    languages = options.choose_languages(arguments.languages, list(wikipedia), recipe)
    wikidata = find_wikidata(arguments.wikidata, arguments.checksum)
    run_ = with_workers(run_, arguments.workers, wikidata, *wikipedia.values())
    profiles = read_named(arguments.profile)
    built = BuildOptions(recipe, languages, wikidata, wikipedia, sorted(arguments.properties), profiles)
    records = run_build(built, run_)
    return print_summary(records, run_.output)
