"""From dumps to groups: items, links, surface forms, the class graph and the groups; what is finished is kept."""

import argparse
from collections.abc import Sequence

from wikisem.pipeline import options
from wikisem.pipeline.build.inputs import find_dump, find_wikipedias
from wikisem.pipeline.build.manifest import write_manifest
from wikisem.pipeline.build.method import BuildOptions, run_build
from wikisem.pipeline.console.summary import conclude
from wikisem.recipes.load import load_recipe


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of a build."""
    options.add_recipe(parser)
    options.add_wikidata(parser)
    options.add_wikipedia(parser, required=False)
    options.add_languages(parser, "those of --wikipedia, else the recipe's")
    options.add_output(parser)
    options.add_checksum(parser)


def run(arguments: argparse.Namespace, beam_options: Sequence[str]) -> int:
    """Build, write the manifest and print what was done."""
    recipe = load_recipe(arguments.recipe)
    wikipedia = find_wikipedias(arguments.wikipedia, arguments.checksum)
    languages = options.choose_languages(arguments.languages, list(wikipedia), recipe)
    seed = options.seed_of(arguments, recipe)
    run_ = options.make_run(arguments, beam_options)
    wikidata = find_dump(arguments.wikidata, arguments.checksum)
    records = run_build(BuildOptions(recipe, seed, languages, wikidata, wikipedia, arguments.properties), run_)
    write_manifest(run_, records, recipe, seed)
    return conclude(records, run_.output)
