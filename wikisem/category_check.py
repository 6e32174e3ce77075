"""What a category recipe must hold to be meant: names that fit a line, ids of their form, one kind of category each."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from wikisem.category import Category, CategoryRecipe, Relation
from wikisem.errors import BadIdError, RecipeError
from wikisem.ids import check_property, check_qid
from wikisem.tables import expect

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
