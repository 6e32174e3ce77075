"""TOML tables into typed, frozen values: a wrong key, type or number ends in an error that names the key's path.

msgspec converts and checks; what it finds wrong is said again in the words of TOML:

    >>> from wikisem.recipes.options import Recipe
    >>> convert({"name": "mine", "cluster": {"size": 1}}, Recipe)
    Traceback (most recent call last):
    wikisem.errors.RecipeError: cluster.size: expected a whole number from 2 up, saw 1
    >>> convert({"name": "mine", "cluster": {"sise": 8}}, Recipe)
    Traceback (most recent call last):
    wikisem.errors.RecipeError: unknown key cluster.sise; did you mean cluster.size?
"""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

import msgspec
from msgspec import inspect

from wikisem.errors import BadIdError, RecipeError

T = TypeVar("T")

_WHERE: Final = re.compile(r" - at `\$\.?(.*)`$")
_STEP: Final = re.compile(r"[^.\[\]]+")
_MISSING: Final = re.compile(r"missing required field `(.*?)`")
_SEEDS: Final = 2**64


def convert(data: Any, kind: type[T]) -> T:
    """The dataclass or Struct ``kind`` filled from a table; ``false`` for a number that may be off becomes None.

    Raises RecipeError with the key's path, what was expected there and what was seen.
    """
    info = inspect.type_info(kind)
    prepared = _prepare(data, info, "")
    try:
        value: T = msgspec.convert(prepared, kind)
    except msgspec.ValidationError as error:
        raise RecipeError(_explain(str(error), data, info)) from error
    return value


def require(holds: bool, value: object, path: str, expected: str) -> None:
    """Raise RecipeError with the path, what was expected and the value unless the condition holds."""
    if not holds:
        raise RecipeError(f"{path}: expected {expected}, saw {value!r}")


def require_ids(check: Callable[[str], object], values: Iterable[str], path: str) -> None:
    """Raise RecipeError with the path for the first value that ``check`` answers with BadIdError."""
    for value in values:
        try:
            check(value)
        except BadIdError as error:
            raise RecipeError(f"{path}: {error}") from error


def require_seed(seed: int) -> None:
    """Raise RecipeError unless the seed fits into 64 bits; msgspec bounds whole numbers by 63 only."""
    require(seed < _SEEDS, seed, "seed", "a whole number below 2**64")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``"did you mean WORD?"`` with the nearest known word; an empty string if none is near."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"did you mean {near[0]}?" if near else ""


def _prepare(data: Any, info: inspect.Type, path: str) -> Any:
    """The data with None for what is switched off; RecipeError for a key that no table of this kind has."""
    if isinstance(info, inspect.UnionType) and data is False:
        return None
    if isinstance(info, inspect.VarTupleType) and isinstance(data, list):
        return [_prepare(item, info.item_type, f"{path}[{at}]") for at, item in enumerate(data)]
    if not isinstance(info, (inspect.DataclassType, inspect.StructType)) or not isinstance(data, Mapping):
        return data
    fields = {field.encode_name: field.type for field in info.fields}
    keys = {key: f"{path}.{key}" if path else key for key in (*fields, *data)}
    for key in data:
        if key not in fields:
            known = [keys[name] for name in fields]
            hint = did_you_mean(keys[key], known) or f"known here: {', '.join(known)}"
            raise RecipeError(f"unknown key {keys[key]}; {hint}")
    return {key: _prepare(value, fields[key], keys[key]) for key, value in data.items()}


def _explain(message: str, data: Any, info: inspect.Type) -> str:
    """msgspec's message as path, what is expected there, and what is there."""
    found = _WHERE.search(message)
    path = found[1].removesuffix("[...]") if found else ""  # msgspec does not say which entry of a table
    for step in _STEP.findall(path):
        if isinstance(info, inspect.VarTupleType):
            data, info = data[int(step)], info.item_type
        else:
            data, info = data[step], _field(info, step)
    if missing := _MISSING.search(message):
        path = f"{path}.{missing[1]}" if path else missing[1]
        return f"{path}: expected {_describe(_field(info, missing[1]), path)}, saw nothing"
    return f"{path or 'recipe'}: expected {_describe(info, path)}, saw {data!r}"


def _field(info: Any, name: str) -> inspect.Type:
    types: dict[str, inspect.Type] = {field.encode_name: field.type for field in info.fields}
    return types[name]


def _describe(info: inspect.Type, path: str) -> str:
    """What a value of this type is called in a recipe."""
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
