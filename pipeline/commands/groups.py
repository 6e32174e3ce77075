"""Stage 5: test groups in every language, from the surfaces and the taxonomy in OUT."""

import argparse

from wikisem.pipeline import command_options as options
from wikisem.pipeline.build.inputs import find_profiles, read_named
from wikisem.pipeline.build.run import make_run, with_workers
from wikisem.pipeline.build.stage_runner import run_stages, session
from wikisem.pipeline.build.stages.groups import groups
from wikisem.pipeline.build.stages.mixed import mixed
from wikisem.pipeline.console.tables import print_summary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the groups stage."""
    options.add_recipe(parser)
    options.add_recipe_seed(parser)
    options.add_languages(parser, "the recipe's")
    options.add_output(parser)
    options.add_profile(parser)


def run(arguments: argparse.Namespace) -> int:
    """Form the groups and print what was done."""
    recipe = options.read_recipe(arguments)
    run_ = make_run(arguments)
    languages = options.choose_languages(arguments.languages, [], recipe)
    profiles = find_profiles(run_.output, languages, read_named(arguments.profile))
    stages = [groups(languages, recipe, profiles), *mixed(languages, recipe)]
    run_ = with_workers(run_, arguments.workers)
    with session(run_):
        records = run_stages(stages, run_, recipe)
    return print_summary(records, run_.output)
