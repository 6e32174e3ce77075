"""Stage 3: the surface form of each item in each language, from OUT/mentions or the recipe's fallback."""

import argparse

from wikisem.layout import MENTIONS, unit_of
from wikisem.pipeline import command_options as options
from wikisem.pipeline.build.method import check_languages
from wikisem.pipeline.build.run import make_run, with_workers
from wikisem.pipeline.build.stage_runner import run_stages, session
from wikisem.pipeline.build.stages.surfaces import surfaces
from wikisem.pipeline.console.tables import print_stage_summary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the surfaces stage."""
    options.add_recipe(parser)
    options.add_languages(parser, "the recipe's")
    options.add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Name the items and print what was done."""
    recipe = options.read_recipe(arguments)
    run_ = make_run(arguments)
    languages = options.choose_languages(arguments.languages, [], recipe)
    run_ = with_workers(run_, arguments.workers)
    with session(run_):
        linked = [language for language in languages if run_.ledger.find(unit_of(MENTIONS, language))]
        check_languages(languages, linked, recipe)
        records = run_stages([surfaces(languages, recipe.surface, linked)], run_, recipe)
    return print_stage_summary(records, run_, arguments.recipe)
