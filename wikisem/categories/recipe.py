"""Recipes of category sets: which items, and which words, make a set for Topk, OddOneOut and analogies.

Definitions: Stringham and Izbicki (2020), sections 2 and 3.3; Mikolov et al. (2013) and Gao et al. (2014), section 2.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Protocol, Self

from msgspec import Struct, field

from wikisem.datasets.files import UNPACKING_ERRORS, open_unpacked
from wikisem.errors import BadIdError, DamagedInputError, MissingInputError, RecipeError
from wikisem.ids import check_property, check_qid, qid_number
from wikisem.recipes.load import convert, find_recipe, read_toml, require, require_ids
from wikisem.recipes.options import FromZero
from wikisem.records import Statement
from wikisem.wikipedia.graphemes import initial_case


class PropertyPath(NamedTuple):
    """A property that is followed once, or one or more times if it is ``repeated`` ("P131+", as SPARQL writes it)."""

    property: str
    repeated: bool = False


class Condition(NamedTuple):
    """A statement that every item of a category must have: a path and the item it ends at."""

    path: PropertyPath
    value: str


class Category(Struct, frozen=True):
    """One category: the items of a class, of a property, or of a SPARQL pattern with ``?item``; or a group of emoji.

    ``having`` is a property: the items have a statement of it whose value is an item or a string in a language.
    ``linked_by`` are the properties, any of which leads from an item to the class; ``subclasses`` follows P279 from
    there, for ``class`` and ``exclude`` alike. ``statements`` are conditions such as "P17 Q30" or "P131+ Q99".
    ``named_by`` is a property whose monolingual texts replace labels, such as P1549 (demonym). ``limit`` keeps the
    items with most sitelinks, ties by lower QID; 0 all. With ``only_for_relations`` it is not a set of words itself.
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

    def most_prominent(self, candidates: Iterable["CandidateItem"]) -> list["CandidateItem"]:
        """Return the candidates with most sitelinks first, then by the number of the QID; at most ``limit`` of them."""
        ranked = sorted(candidates, key=lambda item: (-item.sitelinks, qid_number(item.qid)))
        return ranked[: self.limit or None]


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
        """Return the subjects of a relation that names no category for them."""
        having = parse_path(self.property).property
        return Category(self.name, having=having, min_sitelinks=self.min_sitelinks, limit=self.limit)


class CategoryRecipe(Struct, frozen=True):
    """A set of categories, the relations among them, and the seed of every sample."""

    name: str
    categories: tuple[Category, ...] = field(default=(), name="category")
    relations: tuple[Relation, ...] = field(default=(), name="relation")
    seed: FromZero = 500


_PATH: Final = r"(P[1-9][0-9]*)(\+?)"


def parse_condition(text: str) -> Condition:
    """Return a condition from "P17 Q30" or "P131+ Q99"; BadIdError otherwise."""
    found = re.fullmatch(f"{_PATH} (Q[1-9][0-9]*)", text)
    if found is None:
        raise BadIdError(f"expected a statement such as 'P17 Q30' or 'P131+ Q99', saw {text!r}")
    return Condition(PropertyPath(found[1], found[2] == "+"), found[3])


def parse_path(text: str) -> PropertyPath:
    """Return a path from "P36" or "P131+"; BadIdError otherwise."""
    found = re.fullmatch(_PATH, text)
    if found is None:
        raise BadIdError(f"expected a property such as P36 or P131+, saw {text!r}")
    return PropertyPath(found[1], found[2] == "+")


# The recipes that ship with wikisem.
PACKAGE: Final = "wikisem.recipes.categories"


def load_category_recipe(name_or_path: str | Path) -> CategoryRecipe:
    """Read a category recipe from a path, or one that ships with wikisem by its name; RecipeError if it is invalid."""
    path = find_recipe(name_or_path, PACKAGE)
    return parse_category_recipe(read_toml(path), where=str(path))


def parse_category_recipe(data: Mapping[str, Any], where: str = "recipe") -> CategoryRecipe:
    """Validate the tables of a category recipe: ``[[category]]`` and ``[[relation]]``, or one category at the top.

    Ids must have the right form, names must be unique, and relations about known categories. Raises RecipeError with
    the key's path, what was expected and what was seen.
    """
    try:
        if "category" in data or "relation" in data:
            if "name" not in data:
                raise RecipeError("name: expected a name of the whole recipe above its tables, saw nothing")
            recipe = convert(data, CategoryRecipe)
        else:
            category = convert(data, Category)
            recipe = CategoryRecipe(category.name, (category,))
        require(recipe.seed < 2**64, recipe.seed, "seed", "a whole number below 2**64")
        names = [(recipe.name, "name")]
        names += [(category.name, "category name") for category in recipe.categories]
        names += [(relation.name, "relation name") for relation in recipe.relations]
        for name, path in names:
            # A name becomes a line after a colon in files that are read line by line.
            one_line = name.strip() == name != "" and name.isprintable()
            require(one_line, name, path, "a string of one line, without blanks around it")
            require(names.count((name, path)) == 1, name, path, "a name that no other has")
        require(bool(recipe.categories or recipe.relations), [], "category", "at least one table")
        for category in recipe.categories:
            _check_category(category, f"category {category.name!r}")

        known = [category.name for category in recipe.categories if not category.emoji]
        named = f"the name of a category of this recipe ({', '.join(known)})"
        for relation in recipe.relations:
            place = f"relation {relation.name!r}"
            no_other = "no such option beside subjects, whose category has its own"
            require(relation.subjects in ("", *known), relation.subjects, f"{place}: subjects", named)
            for key in ("min_sitelinks", "limit") if relation.subjects else ():
                value = getattr(relation, key)
                require(not value, value, f"{place}: {key}", no_other)
            require(relation.values in ("", *known), relation.values, f"{place}: values", named)
            require_ids(parse_path, [relation.property], f"{place}: property")
            require_ids(check_property, filter(None, [relation.named_by]), f"{place}: named_by")
    except RecipeError as error:
        raise RecipeError(f"{where}: {error}") from error
    return recipe


def _check_category(category: Category, where: str) -> None:
    """Raise RecipeError unless the items have one source, no option is without effect, and all ids have their form."""
    kinds = {"class": category.class_, "having": category.having, "pattern": category.pattern, "emoji": category.emoji}
    given = [key for key, value in kinds.items() if value]
    require(len(given) == 1, given, where, f"exactly one of {', '.join(kinds)}")
    if not category.class_:
        # Options that have no effect beside a property, a pattern or a group of emoji are refused.
        default = Category(category.name)
        unused = ["linked_by", "subclasses", "statements", "exclude"]
        for key in [*unused, "named_by", "min_sitelinks"] if category.emoji else unused:
            value = getattr(category, key)
            require(value == getattr(default, key), value, f"{where}: {key}", f"no such option beside {given[0]}")
    if category.pattern:
        require("?item" in category.pattern, category.pattern, f"{where}: pattern", "a SPARQL pattern with ?item")
    require(bool(category.linked_by), [], f"{where}: linked_by", "at least one property")
    require_ids(check_qid, filter(None, [category.class_]), f"{where}: class")
    require_ids(check_qid, category.exclude, f"{where}: exclude")
    require_ids(check_property, category.linked_by, f"{where}: linked_by")
    require_ids(check_property, filter(None, [category.named_by]), f"{where}: named_by")
    require_ids(check_property, filter(None, [category.having]), f"{where}: having")
    require_ids(parse_condition, category.statements, f"{where}: statements")


class CandidateItem(NamedTuple):
    """An item that a category takes in, with the number of its sitelinks."""

    qid: str
    sitelinks: int


class CategorySource(Protocol):
    """Finds items, their values and labels: in a query service or in the entities of a build, with equal results.

    Statements are those of best rank, as ``wdt:`` has them. Properties, lexemes and unknown values are not items.
    """

    def items(self, category: Category) -> list[CandidateItem]:
        """The items of a class, property or pattern with ``min_sitelinks`` or more, by QID, before any ``limit``."""

    def values(self, qids: Sequence[str], path: PropertyPath) -> Mapping[str, Sequence[Statement]]:
        """The items and monolingual texts that a path leads to from each item, sorted; items without any are absent."""

    def labels(self, qids: Sequence[str], codes: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """Return the labels of items under the given language codes; items without any are absent."""

    def notes(self) -> Sequence[str]:
        """Return what the source could not know, in sentences for the user."""


def sorted_values(statements: Iterable[Statement]) -> list[Statement]:
    """Items first, by number, then texts by language and code points; each once."""
    return sorted(
        set(statements),
        key=lambda value: (value.language, 0, value.value) if value.language else ("", qid_number(value.value), ""),
    )


@dataclass(frozen=True)
class WordFilter:
    """Keeps the words of ``vocabulary`` (None: all), and with ``single`` only those without a blank.

    So Gao, Bian and Liu (2014), section 2.2, choose words. If no word of the vocabulary starts with a capital, words
    are looked up in lower case, as models are scored.

    >>> keep = WordFilter(frozenset({"dallas", "new york"}), single=True)
    >>> keep("Dallas"), keep("New York"), keep("Paris")
    (True, False, False)
    """

    vocabulary: frozenset[str] | None = None
    single: bool = False

    @classmethod
    def of(cls, vocabulary: Path | None, single: bool) -> Self:
        """Return a filter that keeps the words of a file, if one is given, and if ``single`` those without a blank.

        A word is the first field of a line, as in lists of words, counts or vectors; underlines there are blanks. The
        file may be gzip or bzip2. MissingInputError if there is no file, DamagedInputError if it is not UTF-8.
        """
        if vocabulary is None:
            return cls(None, single)
        if not vocabulary.is_file():
            raise MissingInputError(f"expected a vocabulary, saw no file at {vocabulary}")
        number, words = 0, set[str]()
        try:
            with open_unpacked(vocabulary) as lines:
                for number, line in enumerate(lines, start=1):
                    if fields := line.split(maxsplit=1):
                        words.add(fields[0].decode("utf-8-sig" if number == 1 else "utf-8").replace("_", " "))
        except (UnicodeDecodeError, *UNPACKING_ERRORS) as error:
            where = f"{vocabulary}:{number}"
            raise DamagedInputError(f"{where}: expected the lines of a vocabulary in UTF-8, saw {error}") from error
        return cls(frozenset(words), single)

    def __call__(self, word: str) -> bool:
        """Return whether a word is kept."""
        if self.single and any(letter.isspace() for letter in word):
            return False
        return self.vocabulary is None or (word if self._capitals else word.lower()) in self.vocabulary

    def __bool__(self) -> bool:
        """Return whether it leaves anything out at all."""
        return self.single or self.vocabulary is not None

    @cached_property
    def _capitals(self) -> bool:
        return any(initial_case(word) == "capital" for word in self.vocabulary or ())


EVERY_WORD: Final = WordFilter()
