"""List the recipes that ship with wikisem, or print one, to start a file of your own from.

RECIPE is a name from the list. What a recipe does not say is as its base or the defaults have it; docs/recipes.md has
every key.
"""

import argparse
import re
from collections.abc import Sequence

from rich.table import Table

from wikisem.pipeline.command_options import refuse_beam_options
from wikisem.pipeline.console.terminal import make_console, print_line
from wikisem.recipes.shipped import find_recipe, shipped_names, shipped_path

_PACKAGES = {"build, groups": "wikisem.recipes", "categories": "wikisem.recipes.categories"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of recipes."""
    parser.add_argument("recipe", metavar="RECIPE", nargs="?", help="the recipe to print; default: list all")


def run(arguments: argparse.Namespace, beam_options: Sequence[str]) -> int:
    """Print the list, or one recipe as it is in its file."""
    refuse_beam_options("recipes", beam_options)
    if arguments.recipe:
        package = next(
            (each for each in _PACKAGES.values() if arguments.recipe in shipped_names(each)), "wikisem.recipes"
        )
        print_line(find_recipe(arguments.recipe, package).read_text(encoding="utf-8").rstrip("\n"))
        return 0
    table = Table("recipe", "for", "what it is")
    for commands, package in _PACKAGES.items():
        for name in shipped_names(package):
            table.add_row(name, commands, _first_comment(name, package))
    make_console().print(table)
    return 0


def _first_comment(name: str, package: str) -> str:
    """The first sentence of the comment that a recipe begins with: what it is, in its author's words."""
    lines = shipped_path(name, package).read_text(encoding="utf-8").splitlines()
    end = next((at for at, line in enumerate(lines) if not line.startswith("#")), len(lines))
    return re.split(r"\. (?=[A-Z])", " ".join(line.lstrip("# ") for line in lines[:end]))[0].rstrip(".")
