"""The other ways to write a title or a word in a language with several scripts, as MediaWiki converts them.

A link to a title without a page leads to the first variant of the title with a page: ``[[法國]]`` to 法国 (MediaWiki's
``LinkHolderArray::doVariants``, 2026-11). Chinese is converted by OpenCC, which is an extra (``wikisem[chinese]``).
"""

import importlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, reduce
from importlib import metadata
from typing import Any, Final, NamedTuple, Self

from wikisem.errors import UsageError
from wikisem.typed_json import packaged_tables
from wikisem.wikipedia.titles import upper_first
from wikisem.wikis import LABEL_ONLY_CODES, own_code

_TABLES: Final = packaged_tables(__package__, "variants.toml")


class Letters(NamedTuple):
    """What turns text into a variant: substitutions by regular expressions, one after the other, and then the table.

    Of the table the longest entry that fits is taken. ``roman`` says that Roman numerals stay as they are.
    """

    table: Mapping[str, str]
    before: tuple[tuple[str, str], ...]
    roman: bool

    @classmethod
    def of(cls, stated: Mapping[str, Any], alphabets: Mapping[str, str]) -> Self:
        """Return the letters that a table of ``variants.toml`` states, such as ``{"cased": [["š dž", "ш џ"]]}``.

        In a pair, each letter of the first string is written as that in the same place of the second; ``alphabets`` are
        strings with names. Capitals become capitals ("cased"), the same as small letters ("caseless"), or stay
        ("plain"). "exact" maps letters as they are; "before" has pairs of a pattern and a replacement.
        """
        table: dict[str, str] = {}
        pairs = [(how, pair) for how in ("cased", "caseless", "plain") for pair in stated.get(how, ())]
        for how, pair in pairs:
            for letter, written in zip(*(alphabets.get(name, name).split() for name in pair), strict=True):
                if how == "caseless":
                    table[letter.upper()] = written
                table[letter] = written
                if how == "cased":
                    table[letter.capitalize()] = written.capitalize()
        before = tuple((pattern.format(**alphabets), written) for pattern, written in stated.get("before", ()))
        return cls(table | stated.get("exact", {}), before, stated.get("roman", False))


LETTERS: Final = {variant: Letters.of(stated, _TABLES["alphabets"]) for variant, stated in _TABLES["letters"].items()}
VARIANTS: Final = {language: tuple(variants.split()) for language, variants in _TABLES["variants"].items()}
_LANGUAGES: Final = {variant: language for language, variants in VARIANTS.items() for variant in variants}
# OpenCC's configurations by variant, and those that titles are looked up by, by language.
_OPENCC: Final = {variant: tuple(configs.split()) for variant, configs in _TABLES["opencc"].items()}
_TITLES: Final = {language: tuple(configs.split()) for language, configs in _TABLES["opencc_titles"].items()}
# A word that is a Roman numeral, which MediaWiki leaves as it is; to MediaWiki all beyond ASCII are letters.
_ROMAN: Final = (
    r"(?P<roman>(?<![\w\x80-\U0010FFFF])(?=[MDCLXVI])M{0,4}(?:C[DM]|D?C{0,3})(?:X[LC]|L?X{0,3})(?:I[VX]|V?I{0,3})"
    r"(?![\w\x80-\U0010FFFF]))|"
)

Convert = Callable[[str], str]


def conversion_of(language: str) -> str:
    """Name what converts a language's titles between scripts, with its version or date; "" for nothing or no OpenCC.

    >>> conversion_of("sr"), conversion_of("de")
    ('letters of 2026-11', '')
    """
    code = own_code(language)
    if code in _TITLES:
        return _opencc_version()
    return "letters of 2026-11" if code in VARIANTS else ""  # when they were read


def lacks_conversion(language: str) -> bool:
    """Return whether titles of a language would be converted if OpenCC were installed."""
    return own_code(language) in _TITLES and not _opencc_version()


def variant_of(variant: str, language: str) -> str:
    """Return the script variant to write a language's surface forms in: ``variant``, or "" to leave them as they are.

    They stay as they are in a language that has no such variant (``ja``), or that is itself another one (``zh-hant``).

    >>> [variant_of("zh-hans", language) for language in ("zh", "zh-hans", "zh-hant", "ja")]
    ['zh-hans', 'zh-hans', '', '']
    """
    if not variant or _LANGUAGES[variant] != own_code(language):
        return ""
    return "" if language in LABEL_ONLY_CODES and language != variant else variant


class TitleVariants(NamedTuple):
    """The variants of titles in a language; ``first_letter`` says whether its wiki capitalizes their first letter.

    >>> list(TitleVariants("sr").of(["Ниш II", "Čačak"]))
    [['Ниш II', 'Чачак'], ['Niš II', 'Čačak']]
    """

    language: str
    first_letter: bool = True

    def of(self, titles: Sequence[str]) -> Iterator[list[str]]:
        """Yield the titles in each variant, in MediaWiki's order; some do not change."""
        code = own_code(self.language)
        for convert in map(_opencc, _TITLES[code]) if code in _TITLES else map(converter, VARIANTS[code]):
            written = convert_all(convert, titles)
            yield [upper_first(title, code) for title in written] if self.first_letter else written


def convert_all(convert: Convert, texts: Sequence[str]) -> list[str]:
    """Return each of the strings converted; joined by line feeds, which stay, this takes a third of the time.

    >>> convert_all(converter("sr-el"), ["Ниш", "", "Шабац"])
    ['Niš', '', 'Šabac']
    """
    converted = convert("\n".join(texts)).split("\n")
    return converted if len(converted) == len(texts) else [convert(text) for text in texts]


@cache
def converter(variant: str) -> Convert:
    """Return a function that writes text in a variant; UsageError if that needs OpenCC, which is not installed.

    >>> [converter(variant)("Žižek i Novi Sad") for variant in ("sr-ec", "sr-el")]
    ['Жижек и Нови Сад', 'Žižek i Novi Sad']
    """
    if variant in _OPENCC:
        steps = [_opencc(name) for name in _OPENCC[variant]]
        return lambda text: reduce(lambda written, step: step(written), steps, text)
    letters = LETTERS[variant]
    longest_first = sorted(letters.table, key=len, reverse=True)
    table = re.compile((_ROMAN if letters.roman else "") + "|".join(map(re.escape, longest_first)))
    before = [(re.compile(pattern, re.MULTILINE), replacement) for pattern, replacement in letters.before]

    def convert(text: str) -> str:
        for pattern, replacement in before:
            text = pattern.sub(replacement, text)
        # A Roman numeral, the only named group, stays.
        return table.sub(lambda found: found[0] if found.lastgroup else letters.table[found[0]], text)

    return convert


@cache
def _opencc(config: str) -> Convert:
    if not _opencc_version():
        raise UsageError("converting Chinese needs opencc: pip install 'wikisem[chinese]'")
    return importlib.import_module("opencc").OpenCC(config).convert


def _opencc_version() -> str:
    """OpenCC's name and version, "" if it is not installed; the version matters because it brings the dictionaries."""
    try:
        return f"opencc {metadata.version('opencc')}"
    except metadata.PackageNotFoundError:
        return ""
