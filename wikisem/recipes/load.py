"""Recipes: TOML in, a validated frozen value out, or an error that says what was expected, what was seen and where."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from wikisem.errors import RecipeError
from wikisem.ids import check_property, check_qid, qid_number
from wikisem.recipes.options import OUTLIER_CLASSES, Recipe
from wikisem.recipes.shipped import find_recipe, read_toml, shipped_names, shipped_path
from wikisem.recipes.validation import convert, require, require_ids, require_seed
from wikisem.wikis import known_language

# What to use in place of recipes that shipped before.
_REPLACED: Final = {
    "strict": "wikisem replaced it",
    "labels": 'a recipe with base = "wikisem" and fallback = "label" replaced it, see docs/recipes.md',
}


def load_recipe(name_or_path: str | Path) -> Recipe:
    """Read a recipe from a path, or one that ships with wikisem by its name.

    Raises RecipeError when there is neither, or when the recipe is invalid.
    """
    path = find_recipe(name_or_path, __package__, _REPLACED)
    return parse_recipe(read_toml(path), where=str(path))


def shipped_recipes() -> list[str]:
    """The names of the recipes that ship with wikisem."""
    return shipped_names(__package__)


def parse_recipe(data: Mapping[str, Any], where: str = "recipe") -> Recipe:
    """Validate the tables of a recipe; RecipeError names the key's path, what was expected and what was seen.

    With ``base``, the name of a recipe that ships, it takes from there every key that it does not have itself.
    """
    try:
        recipe = convert(_with_base(data), Recipe)
        _check(recipe)
    except RecipeError as error:
        raise RecipeError(f"{where}: {error}") from error
    return recipe


def _with_base(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The recipe's tables with those of its base under them, key by key."""
    if "base" not in data:
        return data
    base, names = data["base"], shipped_recipes()
    require(base in names, base, "base", f"the name of a recipe that ships ({', '.join(names)})")
    shipped = _with_base(read_toml(shipped_path(base, __package__)))
    under = {key: value for key, value in shipped.items() if key != "name"}
    own = {key: value for key, value in data.items() if key != "base"}
    tables = {key: {**under[key], **own[key]} for key in own if _are_tables(own[key], under.get(key))}
    return {**under, **own, **tables}


def _are_tables(*values: object) -> bool:
    return all(isinstance(value, Mapping) for value in values)


def _check(recipe: Recipe) -> None:
    """What is wrong only in the light of other keys, or of the form of an id."""
    require(recipe.name.strip() != "", recipe.name, "name", "a string that is not empty")
    require_seed(recipe.seed)
    require_ids(known_language, recipe.languages, "languages")
    require_ids(known_language, recipe.mixed, "mixed")
    different = not recipe.mixed or len(set(recipe.mixed)) == len(recipe.mixed) >= 2
    require(different, list(recipe.mixed), "mixed", "at least two different languages")
    shared = recipe.outliers.shared
    require(shared or not recipe.mixed, shared, "outliers.shared", "true with mixed, so that all languages share them")
    require_ids(check_qid, recipe.graph.disambiguation, "graph.disambiguation")
    require_ids(check_qid, recipe.graph.internal, "graph.internal")
    require_ids(check_qid, filter(None, [recipe.graph.root]), "graph.root")
    require_ids(check_qid, filter(None, [recipe.items.from_]), "items.from")
    require_ids(check_qid, filter(None, [recipe.items.to]), "items.to")
    first, last = recipe.items.from_ or "Q1", recipe.items.to
    require(not last or qid_number(first) <= qid_number(last), last, "items.to", f"no item before {first}")
    require_ids(check_property, recipe.outliers.kin_properties, "outliers.kin_properties")
    size, minimum = recipe.cluster.size, recipe.cluster.minimum
    require(minimum <= size, minimum, "cluster.minimum", f"at most cluster.size ({size})")
    most, minimum = 3 * recipe.outliers.per_class, recipe.outliers.minimum
    require(minimum <= most, minimum, "outliers.minimum", f"at most {most}, three times outliers.per_class")
    kinds = recipe.outliers.kinds
    require(kinds <= OUTLIER_CLASSES, kinds, "outliers.kinds", f"at most {OUTLIER_CLASSES} outlier classes")
