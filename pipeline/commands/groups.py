"""Stage 5: test groups in every language, from the surfaces and the taxonomy in OUT."""

import argparse
from collections.abc import Sequence

from wikisem.pipeline import options
from wikisem.pipeline.build import group_stage as grouping
from wikisem.pipeline.build.manifest import write_manifest
from wikisem.pipeline.console.summary import conclude
from wikisem.recipes.load import load_recipe


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the groups stage."""
    options.add_recipe(parser)
    options.add_languages(parser, "the recipe's")
    options.add_output(parser)


def run(arguments: argparse.Namespace, beam_options: Sequence[str]) -> int:
    """Form the groups and print what was done."""
    recipe = load_recipe(arguments.recipe)
    seed = options.seed_of(arguments, recipe)
    run_ = options.make_run(arguments, beam_options)
    languages = options.choose_languages(arguments.languages, [], recipe)
    records = list(grouping.groups(run_, languages, recipe, seed).values())
    write_manifest(run_, records, recipe, seed)
    return conclude(records, run_.output)
