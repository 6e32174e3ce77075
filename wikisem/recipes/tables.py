"""TOML tables into frozen dataclasses: a wrong key, type or number ends in an error that names the key's path."""

import dataclasses
import difflib
import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from wikisem.errors import RecipeError

Lowest = Mapping[str, int]


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file; RecipeError names the file and the line that cannot be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RecipeError(f"{path}: expected a TOML file, saw {error}") from error


def to_dataclass(kind: type[Any], data: Any, lowest: Lowest, path: str = "") -> Any:
    """The dataclass ``kind`` filled from a table; ``lowest`` holds the smallest value of each whole number by path.

    Fields may be dataclasses, texts, truth values, whole numbers (``int | None`` takes ``false`` for off), lists of
    texts (as tuples) and Literals. A field that would be a word of Python ends in "_", its key does not (``class_``).
    Raises RecipeError.
    """
    if not isinstance(data, Mapping):
        raise RecipeError(f"{path.rstrip('.')}: expected a table, saw {data!r}")
    hints = get_type_hints(kind)
    names = {name.rstrip("_"): name for name in hints}
    for key in data:
        if key not in names:
            raise RecipeError(_unknown(f"{path}{key}", [f"{path}{name}" for name in names]))
    for field in dataclasses.fields(kind):
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if required and field.name.rstrip("_") not in data:
            raise RecipeError(f"{path}{field.name.rstrip('_')}: expected a value, saw nothing")
    return kind(**{names[key]: _value(hints[names[key]], value, lowest, f"{path}{key}") for key, value in data.items()})


def _unknown(key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else f"; known here: {', '.join(known)}"
    return f"unknown key {key}{hint}"


def _value(hint: Any, value: Any, lowest: Lowest, path: str) -> Any:
    if dataclasses.is_dataclass(hint):
        return to_dataclass(hint, value, lowest, f"{path}.")  # type: ignore[arg-type]
    if get_origin(hint) is Literal:
        return expect(value in get_args(hint), value, path, f"one of {', '.join(map(repr, get_args(hint)))}")
    if get_origin(hint) is tuple:
        texts = isinstance(value, list) and all(isinstance(item, str) for item in value)
        return tuple(expect(texts, value, path, "a list of texts"))
    if hint == int | None and value is False:
        return None
    return _plain(hint, value, lowest, path)


def _plain(hint: Any, value: Any, lowest: Lowest, path: str) -> Any:
    if hint is bool:
        return expect(isinstance(value, bool), value, path, "true or false")
    if hint is str:
        return expect(isinstance(value, str), value, path, "a text")
    least = lowest.get(path, -math.inf)
    number = isinstance(value, int) and not isinstance(value, bool) and value >= least
    also = " (or false, for off)" if hint == int | None else ""
    return expect(number, value, path, f"a whole number from {least} up{also}")


def expect(holds: bool, value: Any, path: str, expected: str) -> Any:
    """The value itself if the condition holds; RecipeError with the path, what was expected and the value otherwise."""
    if not holds:
        raise RecipeError(f"{path}: expected {expected}, saw {value!r}")
    return value
