"""Category recipes: TOML in, a validated frozen value out, or an error that says what was expected and where."""

from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final

from wikisem.category import Category, CategoryRecipe, Relation
from wikisem.category_check import check_category_recipe
from wikisem.errors import MissingInputError, RecipeError
from wikisem.tables import expect, read_toml, to_dataclass

_TOP: Final = ("name", "seed", "category", "relation")


def load_category_recipe(name_or_path: str) -> CategoryRecipe:
    """Read a category recipe from a path, or one that ships with wikisem by its name.

    Raises MissingInputError when there is neither, RecipeError when the recipe cannot be meant.
    """
    path = Path(name_or_path)
    if not path.is_file():
        path = _shipped(name_or_path)
    return parse_category_recipe(read_toml(path), where=str(path))


def shipped_category_recipes() -> list[str]:
    """The names of the category recipes that ship with wikisem."""
    folder = resources.files("wikisem.recipes.categories")
    return sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml"))


def _shipped(name: str) -> Path:
    names = shipped_category_recipes()
    if name not in names:
        raise MissingInputError(
            f"expected a category recipe file or the name of a shipped one ({', '.join(names)}), saw {name!r}"
        )
    return Path(str(resources.files("wikisem.recipes.categories") / f"{name}.toml"))


def parse_category_recipe(data: Mapping[str, Any], where: str = "recipe") -> CategoryRecipe:
    """Validate the tables of a category recipe: ``[[category]]`` and ``[[relation]]``, or one category at the top.

    Raises RecipeError with the key's path, what was expected and what was seen.
    """
    try:
        recipe = _set(data) if "category" in data else _single(data)
        check_category_recipe(recipe)
    except RecipeError as error:
        raise RecipeError(f"{where}: {error}") from error
    return recipe


def _single(data: Mapping[str, Any]) -> CategoryRecipe:
    category = to_dataclass(Category, data, _category_lowest(""))
    return CategoryRecipe(category.name, (category,))


def _set(data: Mapping[str, Any]) -> CategoryRecipe:
    for key in data:
        expect(key in _TOP, key, key, f"one of {', '.join(_TOP)} beside [[category]]")
    name = expect(isinstance(data.get("name"), str), data.get("name"), "name", "a text")
    seed = data.get("seed", 500)
    whole = isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed < 2**64
    expect(whole, seed, "seed", "a whole number from 0 up, below 2**64")
    categories = [
        to_dataclass(Category, table, _category_lowest(path), path) for path, table in _tables(data, "category")
    ]
    relations = [
        to_dataclass(Relation, table, {f"{path}questions": 0}, path) for path, table in _tables(data, "relation")
    ]
    return CategoryRecipe(name, tuple(categories), tuple(relations), seed)


def _category_lowest(path: str) -> dict[str, int]:
    return {f"{path}min_sitelinks": 0, f"{path}limit": 0}


def _tables(data: Mapping[str, Any], key: str) -> Iterable[tuple[str, Any]]:
    tables = data.get(key, [])
    expect(isinstance(tables, list), tables, key, f"tables that begin with [[{key}]]")
    return ((f"{key}[{index}].", table) for index, table in enumerate(tables))
