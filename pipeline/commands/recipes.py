"""List the recipes that ship with wikisem, or print one, to start a file of your own from.

RECIPE is a name from the list. Keys that a recipe does not set come from its base or the defaults; docs/recipes.md has
every key.
"""

import argparse
import re
from itertools import takewhile

from rich.table import Table

from wikisem.errors import RecipeError
from wikisem.pipeline.console.terminal import make_console, print_line
from wikisem.recipes.load import did_you_mean, shipped_names, shipped_path

_PACKAGES = {"build, groups": "wikisem.recipes", "categories": "wikisem.recipes.categories"}


def run(arguments: argparse.Namespace) -> int:
    """List the recipes that ship with wikisem, or print one as it is in its file; RecipeError for an unknown name."""
    texts = {  # by the name of the recipe and the commands that read it
        (name, commands): shipped_path(name, package).read_text(encoding="utf-8")
        for commands, package in _PACKAGES.items()
        for name in shipped_names(package)
    }
    if asked := arguments.recipe:
        text = next((text for (name, _), text in texts.items() if name == asked), None)
        if text is None:
            names = sorted(name for name, _ in texts)
            hint = did_you_mean(asked, names)
            expected = f"expected the name of a recipe that ships ({', '.join(names)})"
            raise RecipeError(f"{expected}, saw {asked!r}{f'; {hint}' if hint else ''}")
        print_line(text.rstrip("\n"))
        return 0
    table = Table("recipe", "for", "what it is")
    for (name, commands), text in texts.items():
        # The first sentence of the comment that a recipe begins with says what it is.
        lines = takewhile(lambda line: line.startswith("#"), text.splitlines())
        comment = " ".join(line.lstrip("# ") for line in lines)
        table.add_row(name, commands, re.split(r"\. (?=[A-Z])", comment)[0].rstrip("."))
    make_console().print(table)
    return 0
