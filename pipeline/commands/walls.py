"""Walls of sixteen words in four hidden groups, from the groups of a finished run: OUT/walls/<language>.jsonl."""

import argparse
from dataclasses import replace
from typing import Final

from rich.table import Table

from wikisem.datasets.files import data_set_path
from wikisem.errors import MissingInputError
from wikisem.outputs.wallfile import is_release
from wikisem.pipeline import command_options as options
from wikisem.pipeline.console.tables import list_reasons
from wikisem.pipeline.console.terminal import log, make_console, number_columns, print_line
from wikisem.pipeline.runs.ledger import Ledger
from wikisem.pipeline.runs.run import make_run, with_workers
from wikisem.pipeline.runs.stage_runner import run_stages, session
from wikisem.pipeline.runs.stages import BY_TIER, recipe_of_groups, walls
from wikisem.records import TIERS

# Of a recipe that asks for none.
_NUMBER: Final = 500


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of walls."""
    parser.add_argument(
        "output", type=options.argument(options.folder), metavar="OUT", help="the output folder of a finished run"
    )
    options.add_languages(parser, "every one that has groups")
    parser.add_argument(
        "--number",
        type=options.at_least(1),
        metavar="N",
        help=f"walls per language, all tiers together (default: the recipe's, else {_NUMBER})",
    )
    options.add_recipe_seed(parser)
    options.add_run(parser)


def run(arguments: argparse.Namespace) -> int:
    """Make the walls and print how many of each tier there are."""
    if is_release(data_set_path(arguments.output)):
        raise MissingInputError(
            f"{arguments.output}: expected a run, saw a release, which has no class graph to make walls from; "
            "run `wikisem build` first, then `wikisem walls OUT`"
        )
    languages, recipe = recipe_of_groups(Ledger(arguments.output), arguments.languages)
    number = arguments.number or recipe.walls.number or _NUMBER
    recipe = replace(recipe, walls=replace(recipe.walls, number=number))
    if recipe.outliers.margin is None:
        log("note: the recipe of the groups has no bound on margins, so a word fits what the class graph says alone")
    run_ = with_workers(make_run(arguments), arguments.workers)
    with session(run_):
        records = run_stages(walls(languages, recipe, arguments.seed), run_, recipe)
    counted = number_columns("walls", "tried")
    table = Table("language", "tier", *counted, "dropped", title="walls", title_justify="left")
    for record in records:
        language = record.unit.partition("/")[2]
        for tier in TIERS:
            counts = record.facts[BY_TIER][tier]
            dropped = list_reasons(counts["left_out"])
            table.add_row(language, tier, f"{counts['kept']:,}", f"{counts['read']:,}", dropped)
    make_console().print(table)
    print_line(f"output: {run_.output}/walls")
    return 0
