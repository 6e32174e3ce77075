"""JSON files that may be damaged, decoded into the expected types or refused with one kind of error."""

from typing import TypeVar

import msgspec

from wikisem.errors import DamagedInputError

T = TypeVar("T")


def decode_json(data: bytes | str, kind: type[T], where: str, expected: str, advice: str = "") -> T:
    """One JSON value as a ``kind``; DamagedInputError says where, what was ``expected``, and what is wrong with it.

    >>> decode_json(b'{"de": "1"}', dict[str, int], "a.json", "sizes by language")
    Traceback (most recent call last):
    wikisem.errors.DamagedInputError: a.json: expected sizes by language, saw Expected `int`, got `str` - at `$[...]`
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise DamagedInputError(f"{where}: expected {expected}, saw {error}{advice and '; '}{advice}") from error
