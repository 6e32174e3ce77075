"""The profile of a language as a file that a person reads and corrects: ``OUT/languages/<language>.toml``."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from wikisem.errors import RecipeError
from wikisem.recipes.shipped import parse_toml
from wikisem.recipes.validation import did_you_mean
from wikisem.wikipedia.languages import AffixRule, Writing
from wikisem.wikis import WIKIPEDIAS, wiki_of


class ProfileFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a profile file says; a key that it lacks is learned. ``source`` and ``support`` are for people."""

    script: str | msgspec.UnsetType = msgspec.UNSET
    writing: Writing | msgspec.UnsetType = msgspec.UNSET
    hyphens: bool | msgspec.UnsetType = msgspec.UNSET
    affix: AffixRule | msgspec.UnsetType = msgspec.UNSET
    affix_length: int | msgspec.UnsetType = msgspec.UNSET
    length_one: bool | msgspec.UnsetType = msgspec.UNSET
    link_trail: str | msgspec.UnsetType = msgspec.UNSET
    lists: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    source: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    support: dict[str, int] | msgspec.UnsetType = msgspec.UNSET

    def values(self) -> dict[str, Any]:
        """The values that the file has."""
        return {key: value for key in KEYS if (value := getattr(self, key)) is not msgspec.UNSET}


KEYS: Final = ("script", "writing", "hyphens", "affix", "affix_length", "length_one", "link_trail", "lists")
_UNKNOWN: Final = re.compile(r"unknown field `(.*?)`")


def read_profile_file(text: bytes | str, where: str) -> ProfileFile:
    """Read a profile file; RecipeError says where, what was expected and what was seen.

    >>> read_profile_file('affix_length = 4', "de.toml").values()
    {'affix_length': 4}
    >>> read_profile_file('writing = "spacy"', "de.toml")
    Traceback (most recent call last):
    wikisem.errors.RecipeError: de.toml: Invalid enum value 'spacy' - at `$.writing`
    """
    tables = parse_toml(text, where)
    try:
        found = msgspec.convert(tables, ProfileFile)
    except msgspec.ValidationError as error:
        unknown = _UNKNOWN.search(str(error))
        hint = did_you_mean(unknown[1], KEYS) if unknown else ""
        raise RecipeError(f"{where}: {error}{f'; {hint}' if hint else ''}") from error
    if isinstance(found.affix_length, int) and not 1 <= found.affix_length <= 100:
        raise RecipeError(f"{where}: affix_length: expected a number from 1 to 100, saw {found.affix_length}")
    if isinstance(found.link_trail, str):
        _check_trail(found.link_trail, where)
    return found


def _check_trail(trail: str, where: str) -> None:
    try:
        takes_a_space = re.match(trail, " ") if trail else None
    except re.error as error:
        raise RecipeError(f"{where}: link_trail: expected a regular expression, saw {trail!r}: {error}") from error
    if takes_a_space and takes_a_space.end():
        raise RecipeError(f"{where}: link_trail: expected letters only, saw {trail!r}, which takes a space")


def write_profile_file(
    code: str, values: Mapping[str, Any], source: Mapping[str, str], support: Mapping[str, int]
) -> str:
    """The file of a profile, which ``read_profile_file`` reads."""
    wiki = wiki_of(code)
    name = f"{WIKIPEDIAS[wiki].name} ({code})" if wiki is not None else code
    return "\n".join(
        [
            f"# {name}: what wikisem uses, where each value is from, and how many links, titles or surface forms",
            "# support it. Change a value, and the next build into this folder uses it; docs/languages.md says how.",
            "",
            *(f"{key} = {_toml(values[key])}" for key in KEYS),
            "",
            "[source]",
            *(f"{key} = {_toml(source[key])}" for key in KEYS),
            "",
            "[support]",
            *(f"{key} = {support[key]}" for key in KEYS),
            "",
        ]
    )


def _toml(value: Any) -> str:
    """A string, number, truth value or tuple of strings; JSON and TOML write these alike."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False).replace("\x7f", "\\u007f")
