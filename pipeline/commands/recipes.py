"""List the recipes that ship with wikisem, or print one, to start a file of your own from.

RECIPE is a name from the list. Keys that a recipe does not set come from its base or the defaults; docs/recipes.md has
every key.
"""

import argparse
import re
from pathlib import Path

from rich.table import Table

from wikisem.errors import RecipeError
from wikisem.pipeline.console.terminal import make_console, print_line
from wikisem.recipes.load import did_you_mean, shipped_names, shipped_path

_PACKAGES = {"build, groups": "wikisem.recipes", "categories": "wikisem.recipes.categories"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of recipes."""
    parser.add_argument("recipe", metavar="RECIPE", nargs="?", help="the recipe to print (default: list all)")


def run(arguments: argparse.Namespace) -> int:
    """Print the list, or one recipe as it is in its file."""
    if arguments.recipe:
        print_line(_find(arguments.recipe).read_text(encoding="utf-8").rstrip("\n"))
        return 0
    table = Table("recipe", "for", "what it is")
    for commands, package in _PACKAGES.items():
        for name in shipped_names(package):
            table.add_row(name, commands, _first_comment(name, package))
    make_console().print(table)
    return 0


def _find(name: str) -> Path:
    packages = {each: package for package in _PACKAGES.values() for each in shipped_names(package)}
    if name not in packages:
        hint = did_you_mean(name, sorted(packages))
        expected = f"expected the name of a recipe that ships ({', '.join(sorted(packages))})"
        raise RecipeError(f"{expected}, saw {name!r}{f'; {hint}' if hint else ''}")
    return shipped_path(name, packages[name])


def _first_comment(name: str, package: str) -> str:
    """The first sentence of the comment that a recipe begins with: what it is, in its author's words."""
    lines = shipped_path(name, package).read_text(encoding="utf-8").splitlines()
    end = next((at for at, line in enumerate(lines) if not line.startswith("#")), len(lines))
    return re.split(r"\. (?=[A-Z])", " ".join(line.lstrip("# ") for line in lines[:end]))[0].rstrip(".")
