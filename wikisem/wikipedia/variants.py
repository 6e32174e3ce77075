"""The other ways to write a title or a word in a language with several scripts, as MediaWiki converts them.

A link to a title without a page leads to the first variant of the title with a page: ``[[法國]]`` to 法国 (MediaWiki's
``LinkHolderArray::doVariants``, 2026-11). Chinese is converted by OpenCC, which is an extra (``wikisem[chinese]``);
MediaWiki's own tables for it are another collection of the same kind.
"""

import importlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from importlib import metadata
from typing import Final

from wikisem.errors import UsageError
from wikisem.wikipedia.letters import LETTERS, READ
from wikisem.wikipedia.titles import upper_first
from wikisem.wikis import LABEL_ONLY_CODES, own_code

# Each language with its variants, in MediaWiki's order.
VARIANTS: Final[Mapping[str, tuple[str, ...]]] = {
    "gan": ("gan-hans", "gan-hant"),
    "iu": ("ike-cans", "ike-latn"),
    "kk": ("kk-cyrl", "kk-latn"),
    "ku": ("ku-arab", "ku-latn"),
    "sh": ("sh-cyrl",),
    "shi": ("shi-tfng", "shi-latn"),
    "sr": ("sr-ec", "sr-el"),
    "tg": ("tg-latn",),
    "tly": ("tly", "tly-cyrl"),
    "uz": ("uz-latn", "uz-cyrl"),
    "wuu": ("wuu-hans", "wuu-hant"),
    "zgh": ("zgh-latn",),
    "zh": ("zh-hans", "zh-hant", "zh-hk", "zh-tw"),
}
_LANGUAGES: Final[Mapping[str, str]] = {
    variant: language for language, variants in VARIANTS.items() for variant in variants
}
# OpenCC's configurations, applied in turn. Strings with the same simplified form get the same traditional one.
_OPENCC: Final[Mapping[str, tuple[str, ...]]] = {
    **{f"{language}-hans": ("t2s",) for language in ("gan", "wuu", "zh")},
    **{f"{language}-hant": ("t2s", "s2t") for language in ("gan", "wuu", "zh")},
    "zh-hk": ("t2s", "s2hk"),
    "zh-tw": ("t2s", "s2tw"),
}
# The configurations that a title is looked up by. It is often partly traditional, with words of Taiwan or the mainland.
_TITLES: Final[Mapping[str, tuple[str, ...]]] = {
    "gan": ("t2s", "s2t"),
    "wuu": ("t2s", "s2t"),
    "zh": ("t2s", "s2t", "tw2sp", "s2hk", "s2tw", "s2twp"),
}
# A word that is a Roman numeral, which MediaWiki leaves as it is; to MediaWiki all beyond ASCII are letters.
_ROMAN: Final = (
    r"(?P<roman>(?<![\w\x80-\U0010FFFF])(?=[MDCLXVI])M{0,4}(?:C[DM]|D?C{0,3})(?:X[LC]|L?X{0,3})(?:I[VX]|V?I{0,3})"
    r"(?![\w\x80-\U0010FFFF]))|"
)

Convert = Callable[[str], str]


def conversion_of(language: str) -> str:
    """Return the converter of a language's titles, with its version or date; "" without one, or if OpenCC is missing.

    >>> conversion_of("sr"), conversion_of("de")
    ('letters of 2026-11', '')
    """
    code = own_code(language)
    if code in _TITLES:
        return _opencc_version()
    return f"letters of {READ}" if code in VARIANTS else ""


def lacks_conversion(language: str) -> bool:
    """Return whether titles of a language would be converted if OpenCC were installed."""
    return own_code(language) in _TITLES and not _opencc_version()


def variant_of(variant: str, language: str) -> str:
    """Return the variant itself if the language has it, else "": surface forms of other languages stay as they are.

    So do those of a language that is itself another variant.

    >>> [variant_of("zh-hans", language) for language in ("zh", "zh-hans", "zh-hant", "ja")]
    ['zh-hans', 'zh-hans', '', '']
    """
    if not variant or _LANGUAGES[variant] != own_code(language):
        return ""
    return "" if language in LABEL_ONLY_CODES and language != variant else variant


@dataclass(frozen=True, slots=True)
class TitleVariants:
    """The variants of titles in a language; ``first_letter`` says whether its wiki capitalizes their first letter.

    >>> list(TitleVariants("sr").of(["Ниш II", "Čačak"]))
    [['Ниш II', 'Чачак'], ['Niš II', 'Čačak']]
    """

    language: str
    first_letter: bool = True

    def of(self, titles: Sequence[str]) -> Iterator[list[str]]:
        """Yield the titles in each variant, in MediaWiki's order; some do not change."""
        code = own_code(self.language)
        converters = [_opencc(name) for name in _TITLES.get(code, ())] or [
            converter(variant) for variant in VARIANTS[code]
        ]
        for convert in converters:
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

    def replaced(match: re.Match[str]) -> str:
        return match.group() if match.lastgroup else letters.table[match.group()]

    def convert(text: str) -> str:
        for pattern, replacement in before:
            text = pattern.sub(replacement, text)
        return table.sub(replaced, text)

    return convert


@cache
def _opencc(config: str) -> Convert:
    if not _opencc_version():
        raise UsageError("converting Chinese needs opencc: pip install 'wikisem[chinese]'")
    convert: Convert = importlib.import_module("opencc").OpenCC(config).convert
    return convert


def _opencc_version() -> str:
    """OpenCC's name and version, "" if it is not installed; the version matters because it brings the dictionaries."""
    try:
        return f"opencc {metadata.version('opencc')}"
    except metadata.PackageNotFoundError:
        return ""
