"""Category recipes: TOML in, a validated frozen value out, or an error that says what was expected and where."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from wikisem.categories.recipe import Category, CategoryRecipe, Relation, parse_condition, parse_path
from wikisem.errors import RecipeError
from wikisem.ids import check_property, check_qid
from wikisem.recipes.shipped import find_recipe, read_toml, shipped_names
from wikisem.recipes.validation import convert, require, require_ids, require_seed

_PACKAGE: Final = "wikisem.recipes.categories"


def load_category_recipe(name_or_path: str | Path) -> CategoryRecipe:
    """Read a category recipe from a path, or one that ships with wikisem by its name.

    Raises RecipeError when there is neither, or when the recipe is invalid.
    """
    path = find_recipe(name_or_path, _PACKAGE)
    return parse_category_recipe(read_toml(path), where=str(path))


def shipped_category_recipes() -> list[str]:
    """The names of the category recipes that ship with wikisem."""
    return shipped_names(_PACKAGE)


def parse_category_recipe(data: Mapping[str, Any], where: str = "recipe") -> CategoryRecipe:
    """Validate the tables of a category recipe: ``[[category]]`` and ``[[relation]]``, or one category at the top.

    Raises RecipeError with the key's path, what was expected and what was seen.
    """
    try:
        is_set = "category" in data or "relation" in data
        recipe = convert(data, CategoryRecipe) if is_set else _single(convert(data, Category))
        check_category_recipe(recipe)
    except RecipeError as error:
        raise RecipeError(f"{where}: {error}") from error
    return recipe


def _single(category: Category) -> CategoryRecipe:
    return CategoryRecipe(category.name, (category,))


def check_category_recipe(recipe: CategoryRecipe) -> None:
    """Raise RecipeError unless ids have the right form, names are unique, and relations are about known categories."""
    _check_name(recipe.name, "name")
    require_seed(recipe.seed)
    _check_names([category.name for category in recipe.categories], "category")
    _check_names([relation.name for relation in recipe.relations], "relation")
    require(bool(recipe.categories or recipe.relations), [], "category", "at least one table")
    for category in recipe.categories:
        _check_category(category, f"category {category.name!r}")
    for relation in recipe.relations:
        _check_relation(relation, recipe.categories, f"relation {relation.name!r}")


def _check_names(names: Sequence[str], kind: str) -> None:
    for name in names:
        _check_name(name, f"{kind} name")
        require(names.count(name) == 1, name, f"{kind} name", "a name that no other has")


def _check_name(name: str, path: str) -> None:
    # A name becomes a line after a colon in files that are read line by line.
    one_line = name.strip() == name != "" and name.isprintable()
    require(one_line, name, path, "a string of one line, without blanks around it")


def _check_category(category: Category, where: str) -> None:
    kinds = {
        "class": category.class_,
        "having": category.having,
        "pattern": category.pattern,
        "emoji": category.emoji,
    }
    given = [kind for kind, value in kinds.items() if value]
    require(len(given) == 1, given, where, f"exactly one of {', '.join(kinds)}")
    if not category.class_:
        _check_unused(category, where, given[0])
    if category.pattern:
        require("?item" in category.pattern, category.pattern, f"{where}: pattern", "a SPARQL pattern with ?item")
    require(bool(category.linked_by), [], f"{where}: linked_by", "at least one property")
    require_ids(check_qid, filter(None, [category.class_]), f"{where}: class")
    require_ids(check_qid, category.exclude, f"{where}: exclude")
    require_ids(check_property, category.linked_by, f"{where}: linked_by")
    require_ids(check_property, filter(None, [category.named_by]), f"{where}: named_by")
    require_ids(check_property, filter(None, [category.having]), f"{where}: having")
    require_ids(parse_condition, category.statements, f"{where}: statements")


def _check_unused(category: Category, where: str, kind: str) -> None:
    """Refuse options that have no effect beside a property, a pattern or a group of emoji."""
    plain = Category(category.name)
    unused = ["linked_by", "subclasses", "statements", "exclude"]
    for key in [*unused, "named_by", "min_sitelinks"] if kind == "emoji" else unused:
        value = getattr(category, key)
        require(value == getattr(plain, key), value, f"{where}: {key}", f"no such option beside {kind}")


def _check_relation(relation: Relation, categories: Sequence[Category], where: str) -> None:
    known = [category.name for category in categories if not category.emoji]
    named = f"the name of a category of this recipe ({', '.join(known)})"
    require(relation.subjects in ("", *known), relation.subjects, f"{where}: subjects", named)
    for key in ("min_sitelinks", "limit") if relation.subjects else ():
        value = getattr(relation, key)
        require(not value, value, f"{where}: {key}", "no such option beside subjects, whose category has its own")
    require(relation.values in ("", *known), relation.values, f"{where}: values", named)
    require_ids(parse_path, [relation.property], f"{where}: property")
    require_ids(check_property, filter(None, [relation.named_by]), f"{where}: named_by")
