"""Stage 4: the pruned class graph of the items in OUT/entities, as memory-mapped arrays."""

import argparse

from wikisem.pipeline import command_options as options
from wikisem.pipeline.build.run import make_run, with_workers
from wikisem.pipeline.build.stage_runner import run_stages, session
from wikisem.pipeline.build.stages.taxonomy import taxonomy
from wikisem.pipeline.console.tables import print_stage_summary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the taxonomy stage."""
    options.add_recipe(parser)
    options.add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Build the class graph and print what was done."""
    recipe = options.read_recipe(arguments)
    run_ = make_run(arguments)
    run_ = with_workers(run_, arguments.workers)
    with session(run_):
        records = run_stages([taxonomy(recipe.graph)], run_, recipe)
    return print_stage_summary(records, run_, arguments.recipe)
