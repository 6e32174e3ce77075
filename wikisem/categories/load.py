"""Category recipes: TOML in, a validated frozen value out, or an error that says what was expected and where."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, Final

from wikisem.categories.model import Category, CategoryRecipe, Relation
from wikisem.errors import BadIdError, MissingInputError, RecipeError
from wikisem.ids import check_property, check_qid
from wikisem.recipes.tables import expect, read_toml, to_dataclass

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


_KINDS: Final = ("class", "pattern", "emoji")


def check_category_recipe(recipe: CategoryRecipe) -> None:
    """Raise RecipeError unless every id is of its form, every name its own, and every relation about categories."""
    _check_name(recipe.name, "name")
    _check_names([category.name for category in recipe.categories], "category")
    _check_names([relation.name for relation in recipe.relations], "relation")
    expect(bool(recipe.categories), [], "category", "at least one table")
    for category in recipe.categories:
        _check_category(category, f"category {category.name!r}")
    for relation in recipe.relations:
        _check_relation(relation, recipe.categories, f"relation {relation.name!r}")


def _check_names(names: Sequence[str], kind: str) -> None:
    for name in names:
        _check_name(name, f"{kind} name")
        expect(names.count(name) == 1, name, f"{kind} name", "a name that no other has")


def _check_name(name: str, path: str) -> None:
    # A name becomes a line of its own, behind a colon, in files that are read line by line.
    expect(
        name.strip() == name != "" and name.isprintable(), name, path, "a text of one line, without blanks around it"
    )


def _check_category(category: Category, where: str) -> None:
    given = [
        kind for kind, value in zip(_KINDS, (category.class_, category.pattern, category.emoji), strict=True) if value
    ]
    expect(len(given) == 1, given, where, f"exactly one of {', '.join(_KINDS)}")
    if not category.class_:
        _check_unused(category, where, given[0])
    if category.pattern:
        expect("?item" in category.pattern, category.pattern, f"{where}: pattern", "a SPARQL pattern with ?item")
    _each(check_qid, [category.class_] if category.class_ else [], f"{where}: class")
    _each(check_qid, category.exclude, f"{where}: exclude")
    _each(check_property, category.linked_by, f"{where}: linked_by")
    expect(bool(category.linked_by), [], f"{where}: linked_by", "at least one property")
    _each(check_property, [category.named_by] if category.named_by else [], f"{where}: named_by")
    _refuse(category.conditions, f"{where}: statements")


def _check_unused(category: Category, where: str, kind: str) -> None:
    """Options that mean nothing beside a pattern or a group of emoji are mistakes, not wishes."""
    plain = Category(category.name)
    unused = ["linked_by", "subclasses", "statements", "exclude"]
    for key in [*unused, "named_by", "min_sitelinks"] if kind == "emoji" else unused:
        value = getattr(category, key)
        expect(value == getattr(plain, key), value, f"{where}: {key}", f"no such option beside {kind}")


def _check_relation(relation: Relation, categories: Sequence[Category], where: str) -> None:
    known = [category.name for category in categories if not category.emoji]
    named = f"the name of a category of this recipe ({', '.join(known)})"
    expect(relation.subjects in known, relation.subjects, f"{where}: subjects", named)
    expect(relation.values in ("", *known), relation.values, f"{where}: values", named)
    _refuse(relation.path, f"{where}: property")


def _each(check: Callable[[str], str], values: Sequence[str], where: str) -> None:
    for value in values:
        _refuse(partial(check, value), where)


def _refuse(check: Callable[[], object], where: str) -> None:
    try:
        check()
    except BadIdError as error:
        raise RecipeError(f"{where}: {error}") from error
