"""What is known about languages and no dump lists: scripts, words, link trails, names of namespaces, standard codes.

The tables are in ``language_tables.toml`` beside this module, with their sources and dates. Keys are the codes of
Wikipedias' domains, which are neither ISO 639 nor BCP 47 throughout.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from wikisem.typed_json import packaged_tables

TABLES: Final = packaged_tables(__package__, "language_tables.toml")


@dataclass(frozen=True, slots=True)
class LanguageRow:
    """What a person knows about a language and no dump shows as reliably."""

    words: bool = False
    hyphens: bool = False
    lists: tuple[str, ...] = ()


ROWS: Final = msgspec.convert(TABLES["rows"], dict[str, LanguageRow])
# Which letters right after ``]]`` belong to the link, as a regular expression, and what holds for all other languages.
TRAILS: Final[Mapping[str, str]] = {code: trail for trail, codes in TABLES["trails"].items() for code in codes.split()}
DEFAULT: Final = "[a-z]+"
# Sets of scripts as ISO 15924 codes; every other language is in Latin letters.
SCRIPTS: Final[Mapping[str, str]] = {code: sets for sets, codes in TABLES["scripts"].items() for code in codes.split()}
INTERWIKI: Final = frozenset(TABLES["interwiki"].split())

# Names of namespaces that every wiki has, whatever its language.
CANONICAL: Final[Mapping[str, int]] = TABLES["canonical"]
NUMBERS: Final = (CANONICAL["File"], CANONICAL["Category"], CANONICAL["Template"])
_THREE_LETTERS: Final = dict(pair.split(":") for pair in TABLES["iso_639"]["two_letters"].split())
# One code for scripts that a language mixes, as ISO 15924 has them.
_MIXED: Final = {"Hira+Kana+Hani": "Jpan", "Hang+Hani": "Hang", "Hani": "Hans"}
_TRADITIONAL: Final = frozenset({"lzh", "yue"})


def script_sets(code: str) -> tuple[tuple[str, ...], ...]:
    """The sets of scripts whose letters one word of a language may mix; most languages have one set of one script.

    >>> script_sets("ja"), script_sets("sr"), script_sets("de")
    ((('Hira', 'Kana', 'Hani'),), (('Cyrl',), ('Latn',)), (('Latn',),))
    """
    return tuple(tuple(scripts.split("+")) for scripts in SCRIPTS.get(code, "Latn").split("|"))


def alias_names(code: str) -> dict[str, int]:
    """The aliases of namespaces that the Wikipedia in a language has set up, many of them a letter or two -> number.

    >>> [alias_names(code).get("WP") for code in ("de", "ltg")], alias_names("de")["P"]
    ([4, 4], 100)
    """
    aliases = TABLES["aliases"]
    pairs = (pair.partition("=") for pair in f"{aliases['mul']} {aliases.get(code, '')}".split())
    return {name.replace("_", " "): int(number) for name, _, number in pairs}


def iso_639_3(code: str) -> str:
    """Return the three letters of ISO 639-3 for the language of a Wikipedia.

    >>> [iso_639_3(code) for code in ("de", "no", "als", "zh-classical", "fiu-vro", "ceb")]
    ['deu', 'nor', 'gsw', 'lzh', 'vro', 'ceb']
    """
    return str(TABLES["iso_639"]["other"].get(code) or _THREE_LETTERS.get(code, code))


def iso_639(code: str) -> str:
    """Return the shortest code of ISO 639: two letters where there are any.

    >>> [iso_639(code) for code in ("de", "als", "simple", "zh-yue")]
    ['de', 'gsw', 'en', 'yue']
    """
    if code in _THREE_LETTERS:
        return code
    three = iso_639_3(code)
    return next((two for two, known in _THREE_LETTERS.items() if known == three), three)


def iso_15924(code: str) -> str:
    """Return the script that the language of a Wikipedia is most written in.

    >>> [iso_15924(code) for code in ("de", "sr", "ja", "zh", "zh-yue", "ko")]
    ['Latn', 'Cyrl', 'Jpan', 'Hans', 'Hant', 'Hang']
    """
    if iso_639_3(code) in _TRADITIONAL:
        return "Hant"
    first = SCRIPTS.get(code, "Latn").partition("|")[0]
    return _MIXED.get(first, first)
