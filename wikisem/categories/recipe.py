"""Categories and relations: which items make a set for Topk, OddOneOut and analogies, before anything is looked up.

Definitions: Stringham and Izbicki (2020), sections 2 and 3.3, for categories; Mikolov et al. (2013) and Gao, Bian and
Liu (2014), section 2, for the word pairs that analogy questions are made of.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from msgspec import Struct, field

from wikisem.errors import BadIdError
from wikisem.recipes.options import FromZero

_CONDITION: Final = re.compile(r"(P[1-9][0-9]*)(\+?) (Q[1-9][0-9]*)")
_PATH: Final = re.compile(r"(P[1-9][0-9]*)(\+?)")


@dataclass(frozen=True, slots=True)
class PropertyPath:
    """A property, followed once, or any number of times from one up ("P131+", as SPARQL writes it)."""

    property: str
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """A statement that every item of a category must have: a path and the item it ends at."""

    path: PropertyPath
    value: str


class Category(Struct, frozen=True):
    """One category: the items of a class, of a property, or of a SPARQL pattern with ``?item``; or a group of emoji.

    ``having`` is a property, of which the items have a statement whose value is an item or a text in some language.
    ``linked_by`` are the properties that lead from an item to the class, any of which will do; ``subclasses`` follows
    P279 from there, for ``class`` and ``exclude`` alike. ``statements`` are conditions such as "P17 Q30" or
    "P131+ Q99". ``named_by`` is a property whose monolingual texts replace labels, such as P1549 (demonym).
    ``limit`` keeps the items with most sitelinks, ties by lower QID; 0 keeps all. With ``only_for_relations`` it is no
    set of words itself.
    """

    name: str
    class_: str = field(default="", name="class")
    linked_by: tuple[str, ...] = ("P31",)
    subclasses: bool = False
    statements: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    having: str = ""
    pattern: str = ""
    emoji: str = ""
    named_by: str = ""
    min_sitelinks: FromZero = 0
    limit: FromZero = 0
    only_for_relations: bool = False

    def conditions(self) -> tuple[Condition, ...]:
        """The statements, parsed; BadIdError where one is not "PROPERTY ITEM" or "PROPERTY+ ITEM"."""
        return tuple(parse_condition(text) for text in self.statements)


class Relation(Struct, frozen=True):
    """Word pairs for analogy questions: the items of one category, each with its value of a property.

    Without ``subjects``, they are the items that have the property: those with ``min_sitelinks`` or more, and of these
    the ``limit`` with most sitelinks. ``values`` names the category that the values must belong to, if any, and
    ``named_by`` a property whose texts replace the labels of subjects that have one: P3321 (male form of label).
    ``questions`` is the size of a seeded sample of the n(n-1) questions that n pairs make; 0 asks them all.
    """

    name: str
    subjects: str = ""
    property: str = ""
    values: str = ""
    named_by: str = ""
    order: Literal["subject-first", "value-first"] = "subject-first"
    questions: FromZero = 0
    min_sitelinks: FromZero = 0
    limit: FromZero = 0

    def category(self) -> Category:
        """The subjects of a relation that names no category for them."""
        having = self.path().property
        return Category(self.name, having=having, min_sitelinks=self.min_sitelinks, limit=self.limit)

    def path(self) -> PropertyPath:
        """The property as a path; BadIdError where it is neither "P36" nor "P131+"."""
        return parse_path(self.property)


class CategoryRecipe(Struct, frozen=True):
    """A set of categories, the relations among them, and the seed of every sample."""

    name: str
    categories: tuple[Category, ...] = field(default=(), name="category")
    relations: tuple[Relation, ...] = field(default=(), name="relation")
    seed: FromZero = 500

    def word_sets(self) -> tuple[str, ...]:
        """The names of the categories that are sets of words."""
        return tuple(category.name for category in self.categories if not category.only_for_relations)


@dataclass(frozen=True, slots=True)
class CategoryItem:
    """An item of a category in one language, under the label it has there; ``source`` is the label's language code."""

    id: str
    label: str
    source: str
    sitelinks: int


def parse_condition(text: str) -> Condition:
    """A condition from "P17 Q30" or "P131+ Q99"; BadIdError otherwise."""
    found = _CONDITION.fullmatch(text)
    if found is None:
        raise BadIdError(f"expected a statement such as 'P17 Q30' or 'P131+ Q99', saw {text!r}")
    return Condition(PropertyPath(found[1], found[2] == "+"), found[3])


def parse_path(text: str) -> PropertyPath:
    """A path from "P36" or "P131+"; BadIdError otherwise."""
    found = _PATH.fullmatch(text)
    if found is None:
        raise BadIdError(f"expected a property such as P36 or P131+, saw {text!r}")
    return PropertyPath(found[1], found[2] == "+")
