"""Where a recipe is read from: a file, or the TOML files that ship with wikisem."""

import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from wikisem.errors import RecipeError
from wikisem.recipes.validation import did_you_mean


def shipped_names(package: str) -> list[str]:
    """The names of the TOML files that ship in a package, such as ``wikisem.recipes``, without their suffix."""
    return sorted(entry.name[:-5] for entry in resources.files(package).iterdir() if entry.name.endswith(".toml"))


def find_recipe(name_or_path: str | Path, package: str, replaced: Mapping[str, str] | None = None) -> Path:
    """The path of a recipe file, or of the recipe of that name in ``package``; a file wins over a name.

    Raises RecipeError where there is neither, with what replaced the recipe of that name or with the nearest name.
    """
    path = Path(name_or_path)
    if path.is_file():
        return path
    names = shipped_names(package)
    if str(name_or_path) not in names:
        expected = f"expected a recipe file or the name of a recipe that ships ({', '.join(names)})"
        hint = (replaced or {}).get(str(name_or_path)) or did_you_mean(path.stem, names)
        raise RecipeError(f"{expected}, saw {str(name_or_path)!r}{f'; {hint}' if hint else ''}")
    return shipped_path(str(name_or_path), package)


def shipped_path(name: str, package: str) -> Path:
    """The path of the recipe of that name in a package that has it."""
    return Path(str(resources.files(package) / f"{name}.toml"))


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file; RecipeError names the file and the line that cannot be read."""
    return parse_toml(path.read_bytes(), str(path))


def parse_toml(data: bytes | str, where: str) -> dict[str, Any]:
    """The tables of TOML; RecipeError names the place that cannot be read.

    >>> parse_toml("a = 1", "recipe.toml")
    {'a': 1}
    """
    try:
        # A number of 5,000 digits is a ValueError, 1,000 brackets are a RecursionError.
        return tomllib.loads(data if isinstance(data, str) else data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise RecipeError(f"{where}: expected a TOML file, saw {error}") from error
