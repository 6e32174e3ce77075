"""Stage 3: the surface form of each item in each language, from OUT/mentions or the recipe's fallback."""

import argparse
from collections.abc import Sequence

from wikisem.pipeline import options
from wikisem.pipeline.build import stages
from wikisem.pipeline.build.manifest import write_manifest
from wikisem.pipeline.build.method import check_languages
from wikisem.pipeline.console.summary import conclude
from wikisem.recipes.load import load_recipe


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the surfaces stage."""
    options.add_recipe(parser)
    options.add_languages(parser, "the recipe's")
    options.add_output(parser)


def run(arguments: argparse.Namespace, beam_options: Sequence[str]) -> int:
    """Name the items and print what was done."""
    recipe = load_recipe(arguments.recipe)
    run_ = options.make_run(arguments, beam_options)
    languages = options.choose_languages(arguments.languages, [], recipe)
    linked = stages.languages_with_mentions(run_, languages)
    check_languages(languages, [language for language, has in linked.items() if has], recipe)
    records = [stages.surfaces(run_, language, recipe.surface, linked[language]) for language in languages]
    write_manifest(run_, records, recipe)
    return conclude(records, run_.output)
