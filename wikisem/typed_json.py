"""JSON files that may be damaged, decoded into the expected types or refused with one kind of error; tables of ours."""

import hashlib
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any, Final, TypeVar

import msgspec
import orjson

from wikisem.errors import DamagedInputError

T = TypeVar("T")
# The key of a file's own checksum, of all that is under its other keys.
CHECKSUM: Final = "checksum"


def packaged_tables(package: str, name: str) -> dict[str, Any]:
    """Return the tables of a TOML file that comes with a package."""
    return tomllib.loads(resources.files(package).joinpath(name).read_text("utf-8"))


def digest(values: Mapping[str, Any]) -> str:
    """Return a digest of plain values under string keys, in any order."""
    return hashlib.blake2b(orjson.dumps(values, option=orjson.OPT_SORT_KEYS), digest_size=16).hexdigest()


def with_checksum(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a JSON file, and their digest for ``decode_checked``."""
    return {**values, CHECKSUM: digest(values)}


def decode_checked(data: bytes, kind: type[T], where: str, expected: str, advice: str = "") -> T:
    """Return a JSON object as a ``kind``; DamagedInputError if it is not one, or if it has a checksum that is wrong.

    >>> decode_checked(b'{"de": 2, "checksum": "0"}', dict[str, int], "a.json", "sizes by language")
    Traceback (most recent call last):
    wikisem.errors.DamagedInputError: a.json: expected sizes by language, saw other values than those of its checksum 0
    """
    values = decode_json(data, dict[str, Any], where, expected, advice)
    seen = values.pop(CHECKSUM, None)
    try:
        if seen is not None and seen != digest(values):
            raise ValueError(f"other values than those of its checksum {seen}")
        return msgspec.convert(values, kind)
    except (ValueError, TypeError) as error:  # numbers of more than 64 bits have no digest
        raise DamagedInputError(f"{where}: expected {expected}, saw {error}{advice and '; '}{advice}") from error


def decode_json(data: bytes | str, kind: type[T], where: str, expected: str, advice: str = "") -> T:
    """Return a JSON value as a ``kind``; DamagedInputError, with ``where`` and what was ``expected``, if it is not one.

    >>> decode_json(b'{"de": "1"}', dict[str, int], "a.json", "sizes by language")
    Traceback (most recent call last):
    wikisem.errors.DamagedInputError: a.json: expected sizes by language, saw Expected `int`, got `str` - at `$[...]`
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise DamagedInputError(f"{where}: expected {expected}, saw {error}{advice and '; '}{advice}") from error
