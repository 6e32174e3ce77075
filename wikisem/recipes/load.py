"""Recipes: TOML in, a validated frozen value out, or an error that says what was expected, what was seen and where."""

import difflib
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from msgspec import inspect

from wikisem.errors import BadIdError, RecipeError
from wikisem.ids import check_qid, qid_number
from wikisem.recipes.options import Recipe
from wikisem.wikis import known_language


def load_recipe(name_or_path: str | Path) -> Recipe:
    """Read a recipe from a path, or one that ships with wikisem by its name ("wikisem", "demo"); RecipeError."""
    path = find_recipe(name_or_path, __package__)
    return parse_recipe(read_toml(path), where=str(path))


def parse_recipe(data: Mapping[str, Any], where: str = "recipe") -> Recipe:
    """Validate the tables of a recipe; RecipeError names the key's path, what was expected and what was seen.

    ``base`` is the name of a recipe that ships; keys that the recipe lacks are taken from there.
    """
    try:
        recipe = convert(_with_base(data), Recipe)
        _check(recipe)
    except RecipeError as error:
        raise RecipeError(f"{where}: {error}") from error
    return recipe


def _with_base(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the recipe's tables with those of its base under them, key by key."""
    if "base" not in data:
        return data
    base, names = data["base"], shipped_names()
    require(base in names, base, "base", f"the name of a recipe that ships ({', '.join(names)})")
    shipped = _with_base(read_toml(shipped_path(base, __package__)))
    under = {key: value for key, value in shipped.items() if key != "name"}
    given = {key: value for key, value in data.items() if key != "base"}
    tables = {
        key: {**under[key], **table}
        for key, table in given.items()
        if isinstance(table, Mapping) and isinstance(under.get(key), Mapping)
    }
    return {**under, **given, **tables}


def _check(recipe: Recipe) -> None:
    """Check what types cannot: ids, and keys that depend on each other."""
    named = recipe.name.strip() != "" and recipe.name.isprintable()
    require(named, recipe.name, "name", "a string of one line that is not empty")
    require(recipe.seed < 2**64, recipe.seed, "seed", "a whole number below 2**64")  # bounds of msgspec have 63 bits
    require_ids(known_language, recipe.languages, "languages")
    require_ids(known_language, recipe.mixed, "mixed")
    different = not recipe.mixed or len(set(recipe.mixed)) == len(recipe.mixed) >= 2
    require(different, list(recipe.mixed), "mixed", "at least two different languages")
    shared = recipe.outliers.shared
    require(shared or not recipe.mixed, shared, "outliers.shared", "true with mixed, so that all languages share them")
    require_ids(check_qid, recipe.graph.disambiguation, "graph.disambiguation")
    require_ids(check_qid, recipe.graph.internal, "graph.internal")
    require_ids(check_qid, filter(None, [recipe.graph.root]), "graph.root")
    require_ids(known_language, [recipe.classes.language], "classes.language")
    require(all(map(str.strip, recipe.classes.names)), "", "classes", "QIDs and labels that are not empty")
    require_ids(check_qid, filter(None, [recipe.items.from_]), "items.from")
    require_ids(check_qid, filter(None, [recipe.items.to]), "items.to")
    first, last = recipe.items.from_ or "Q1", recipe.items.to
    require(not last or qid_number(first) <= qid_number(last), last, "items.to", f"no item before {first}")
    size, minimum = recipe.cluster.size, recipe.cluster.minimum
    require(minimum <= size, minimum, "cluster.minimum", f"at most cluster.size ({size})")
    asks = recipe.cluster.level == "both" or recipe.outliers.certificate > 0
    require(asks, recipe.cluster.level, "cluster.level", "'both' without outliers.certificate, which tells levels")
    most, minimum = 3 * recipe.outliers.per_class + recipe.outliers.near, recipe.outliers.minimum
    require(minimum <= most, minimum, "outliers.minimum", f"at most {most}, 3 × outliers.per_class + outliers.near")
    asks = recipe.outliers.near == 0 or recipe.outliers.certificate > 0
    require(asks, recipe.outliers.near, "outliers.near", "0 without outliers.certificate, which near outliers need")
    asks = recipe.outliers.related == 0 or recipe.outliers.margin is not None
    require(asks, recipe.outliers.related, "outliers.related", "0 without outliers.margin, the witness of their kind")


def shipped_names(package: str = __package__) -> list[str]:
    """Return the names of the recipes that ship in a package."""
    return sorted(entry.name[:-5] for entry in resources.files(package).iterdir() if entry.name.endswith(".toml"))


def find_recipe(name_or_path: str | Path, package: str) -> Path:
    """Return the path of a recipe file, or of the recipe of that name in ``package``; a file wins over a name.

    Raises RecipeError if there is neither; it names the nearest name.
    """
    path = Path(name_or_path)
    if path.is_file():
        return path
    names = shipped_names(package)
    if str(name_or_path) not in names:
        expected = f"expected a recipe file or the name of a recipe that ships ({', '.join(names)})"
        hint = did_you_mean(path.stem, names)
        raise RecipeError(f"{expected}, saw {str(name_or_path)!r}{f'; {hint}' if hint else ''}")
    return shipped_path(str(name_or_path), package)


def shipped_path(name: str, package: str) -> Path:
    """Return the path of a recipe that ships in a package."""
    return Path(str(resources.files(package) / f"{name}.toml"))


def read_toml(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file; RecipeError names the file and the line that cannot be read."""
    return parse_toml(path.read_bytes(), str(path))


def parse_toml(data: bytes | str, where: str) -> dict[str, Any]:
    """Return the tables of TOML; RecipeError names the place that cannot be read.

    >>> parse_toml("a = 1", "recipe.toml")
    {'a': 1}
    """
    try:
        # A number of 5,000 digits is a ValueError, 1,000 brackets are a RecursionError.
        return tomllib.loads(data if isinstance(data, str) else data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise RecipeError(f"{where}: expected a TOML file, saw {error}") from error


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``"did you mean WORD?"`` with the nearest known word, "" if no word is near."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"did you mean {near[0]}?" if near else ""


T = TypeVar("T")
_WHERE: Final = re.compile(r" - at `\$\.?(.*)`$")
_STEP: Final = re.compile(r"[^.\[\]]+")
_MISSING: Final = re.compile(r"missing required field `(.*?)`")


def convert(data: Any, kind: type[T]) -> T:
    """Return the dataclass or Struct ``kind`` filled from a table; ``false`` for a number that may be off becomes None.

    msgspec converts and checks; what it finds wrong is raised as a RecipeError in the words of TOML, with the key's
    path:

    >>> from wikisem.recipes.options import Recipe
    >>> convert({"name": "mine", "cluster": {"size": 1}}, Recipe)
    Traceback (most recent call last):
    wikisem.errors.RecipeError: cluster.size: expected a whole number from 2 up, saw 1
    >>> convert({"name": "mine", "cluster": {"sise": 8}}, Recipe)
    Traceback (most recent call last):
    wikisem.errors.RecipeError: unknown key cluster.sise; did you mean cluster.size?
    """
    info = inspect.type_info(kind)
    prepared = _prepare(data, info, "", whole=info)  # with None for what is off, and only known keys
    try:
        value: T = msgspec.convert(prepared, kind)
    except msgspec.ValidationError as error:
        # msgspec's message as path, what is expected there, and what is there.
        found = _WHERE.search(str(error))
        path = found[1].removesuffix("[...]") if found else ""  # msgspec does not say which entry of a table
        # Follow the path to the value that is wrong, as it was written (false, not None), and to its type.
        for step in _STEP.findall(path):
            if isinstance(info, inspect.VarTupleType):
                data, info = data[int(step)], info.item_type
            else:
                data, info = data[step], _keys(info)[step]
        saw = repr(data)
        if missing := _MISSING.search(str(error)):
            path, info, saw = f"{path}.{missing[1]}" if path else missing[1], _keys(info)[missing[1]], "nothing"
        raise RecipeError(f"{path or 'recipe'}: expected {_describe(info, path)}, saw {saw}") from error
    return value


def _prepare(data: Any, info: inspect.Type, path: str, whole: inspect.Type) -> Any:
    """Return the data with None for what is off; RecipeError for an unknown key, with the table that has it.

    ``info`` is the type of the data, ``path`` its place, and ``whole`` the type of the recipe: a key that is in the
    wrong table is looked for in all of its tables.
    """
    if isinstance(info, inspect.UnionType) and data is False:
        return None
    if isinstance(info, inspect.VarTupleType) and isinstance(data, list):
        return [_prepare(item, info.item_type, f"{path}[{index}]", whole) for index, item in enumerate(data)]
    if not isinstance(info, (inspect.DataclassType, inspect.StructType)) or not isinstance(data, Mapping):
        return data
    fields = _keys(info)
    keys = {key: f"{path}.{key}" if path else key for key in (*fields, *data)}
    for key in data:
        if key not in fields:
            near = difflib.get_close_matches(key, list(fields), n=1)
            others = [f"{name}.{key}" for name, table in _keys(whole).items() if key in _keys(table)]
            meant = others if len(others) == 1 else [keys[name] for name in near]
            known = f"known here: {', '.join(keys[name] for name in fields)}"
            raise RecipeError(f"unknown key {keys[key]}; {f'did you mean {meant[0]}?' if meant else known}")
    return {key: _prepare(value, fields[key], keys[key], whole) for key, value in data.items()}


def _keys(info: inspect.Type) -> dict[str, inspect.Type]:
    """Return the keys of a table and the types of their values; none of what is no table."""
    return {field.encode_name: field.type for field in getattr(info, "fields", ())}


def _describe(info: inspect.Type, path: str) -> str:
    """Say what is expected of a type, in the words of TOML; ``path`` is where."""
    match info:
        case inspect.UnionType(types=(*kinds, inspect.NoneType())):
            return f"{' or '.join(_describe(kind, path) for kind in kinds)} (or false, for off)"
        case inspect.IntType(ge=minimum):
            return f"a whole number from {minimum} up"
        case inspect.FloatType(ge=minimum, le=maximum):
            return f"a number from {minimum} to {maximum}"
        case inspect.LiteralType(values=values):
            return f"one of {', '.join(map(repr, values))}" if len(values) > 1 else repr(values[0])
        case inspect.VarTupleType(item_type=inspect.StructType()):
            return f"tables that begin with [[{path}]]"
        case inspect.VarTupleType():
            return "a list of strings"
        case inspect.BoolType():
            return "true or false"
        case inspect.StrType():
            return "a string"
        case inspect.DictType(value_type=kind):
            return f"a table in which each value is {_describe(kind, path)}"
        case _:
            return "a table"


def require(holds: bool, value: object, path: str, expected: str) -> None:
    """Raise RecipeError with the path, what was expected and the value unless the condition holds."""
    if not holds:
        raise RecipeError(f"{path}: expected {expected}, saw {value!r}")


def require_ids(check: Callable[[str], object], values: Iterable[str], path: str) -> None:
    """Raise RecipeError with the path for the first value for which ``check`` raises BadIdError."""
    for value in values:
        try:
            check(value)
        except BadIdError as error:
            raise RecipeError(f"{path}: {error}") from error
