"""Stage 4: the class graph of the items in OUT/entities, pruned, as arrays that open without being read."""

import argparse
from collections.abc import Sequence

from wikisem.pipeline import options
from wikisem.pipeline.build import stages
from wikisem.pipeline.build.manifest import write_manifest
from wikisem.pipeline.console.summary import conclude
from wikisem.recipes.load import load_recipe


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the taxonomy stage."""
    options.add_recipe(parser)
    options.add_output(parser)


def run(arguments: argparse.Namespace, beam_options: Sequence[str]) -> int:
    """Build the class graph and print what was done."""
    recipe = load_recipe(arguments.recipe)
    run_ = options.make_run(arguments, beam_options)
    records = [stages.taxonomy(run_, recipe.graph)]
    write_manifest(run_, records, recipe)
    return conclude(records, run_.output)
