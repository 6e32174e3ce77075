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
from typing import Final, NamedTuple

from wikisem.errors import UsageError
from wikisem.wikipedia.titles import upper_first
from wikisem.wikis import LABEL_ONLY_CODES, own_code

# Letter by letter: ``includes/language/converters/*Converter.php`` of MediaWiki, by which Wikipedias convert titles and
# pages. Left out, because letters alone do not decide: Balinese, Crimean Tatar, Meitei, and Kazakh into Arabic letters.

READ: Final = "2026-11"


class Letters(NamedTuple):
    """What turns text into a variant: substitutions by regular expressions, one after the other, and then the table.

    Of the table the longest entry that fits is taken. ``roman`` says that Roman numerals stay as they are.
    """

    table: Mapping[str, str]
    before: tuple[tuple[str, str], ...] = ()
    roman: bool = False


def _pairs(source: str, target: str) -> dict[str, str]:
    """Return the words of two strings side by side, in small letters and with a capital.

    >>> _pairs("н њ", "n nj")
    {'н': 'n', 'њ': 'nj', 'Н': 'N', 'Њ': 'Nj'}
    """
    small = dict(zip(source.split(), target.split(), strict=True))
    return small | {letter.capitalize(): written.capitalize() for letter, written in small.items()}


def _without_case(source: str, target: str) -> dict[str, str]:
    """Return the words of two strings side by side, whether or not the letters of the first are capitals."""
    small = dict(zip(source.split(), target.split(), strict=True))
    return {letter.upper(): written for letter, written in small.items()} | small


def _flipped(table: Mapping[str, str]) -> dict[str, str]:
    return {written: letter for letter, written in table.items()}


_SERBIAN: Final = "а б в г д ђ е ж з и ј к л љ м н њ о п р с т ћ у ф х ц ч џ ш"
_SERBIAN_LATIN: Final = "a b v g d đ e ž z i j k l lj m n nj o p r s t ć u f h c č dž š"
_TO_SERBIAN: Final = Letters(
    _pairs(_SERBIAN_LATIN, _SERBIAN) | {"LJ": "Љ", "NJ": "Њ", "DŽ": "Џ"},
    roman=True,
)

_UZBEK: Final = "а б д в х ғ г ҳ ж з и к л м н о п р с т у ф ў ц қ ё ю ч ш й я"
_UZBEK_LATIN: Final = "a b d v x gʻ g h j z i k l m n o p r s t u f oʻ ts q yo yu ch sh y ya"
_QUOTED: Final = _pairs("g‘ o‘ yo‘ yoʻ", "ғ ў йў йў")

_TAJIK: Final = "а б в г д е ё ж з и й к л м н о п р с т у ф х ч ш ъ э ю я ғ ӣ қ ӯ ҳ ҷ ц"
_TAJIK_LATIN: Final = "a b v g d e jo ƶ z i j k l m n o p r s t u f x c ş ' e ju ja ƣ ī q ū h ç ts"

_TALYSH: Final = _pairs(
    "а б в г ғ д е ә ж з ј к л м н о п р с т у ү ф х һ ч ҹ ш",
    "a b v q ğ d e ə j z y k l m n o p r s t u ü f x h ç c ş",
) | {"и": "i", "И": "İ", "ы": "ı", "Ы": "I"}

_TIFINAGH: Final = "ⴰ ⴱ ⴳ ⴷ ⴹ ⴻ ⴼ ⴽ ⵀ ⵃ ⵄ ⵅ ⵇ ⵉ ⵊ ⵍ ⵎ ⵏ ⵓ ⵔ ⵕ ⵖ ⵙ ⵚ ⵛ ⵜ ⵟ ⵡ ⵢ ⵣ ⵥ ⵯ"
_BERBER: Final = "a b g d ḍ e f k h ḥ ɛ x q i j l m n u r ṛ ɣ s ṣ c t ṭ w y z ẓ ʷ"
_TO_BERBER: Final = Letters(dict(zip(_TIFINAGH.split(), _BERBER.split(), strict=True)))

# A consonant alone, and with i, ii, u, uu, a and aa.
_VOWELS: Final = ("", "i", "ii", "u", "uu", "a", "aa")
_SYLLABICS: Final = """
p ᑉ ᐱ ᐲ ᐳ ᐴ ᐸ ᐹ|t ᑦ ᑎ ᑏ ᑐ ᑑ ᑕ ᑖ|k ᒃ ᑭ ᑮ ᑯ ᑰ ᑲ ᑳ|g ᒡ ᒋ ᒌ ᒍ ᒎ ᒐ ᒑ|m ᒻ ᒥ ᒦ ᒧ ᒨ ᒪ ᒫ|n ᓐ ᓂ ᓃ ᓄ ᓅ ᓇ ᓈ|s ᔅ ᓯ ᓰ ᓱ ᓲ ᓴ ᓵ
l ᓪ ᓕ ᓖ ᓗ ᓘ ᓚ ᓛ|j ᔾ ᔨ ᔩ ᔪ ᔫ ᔭ ᔮ|v ᕝ ᕕ ᕖ ᕗ ᕘ ᕙ ᕚ|r ᕐ ᕆ ᕇ ᕈ ᕉ ᕋ ᕌ|q ᖅ ᕿ ᖀ ᖁ ᖂ ᖃ ᖄ|ng ᖕ ᖏ ᖐ ᖑ ᖒ ᖓ ᖔ|nng ᖖ ᙱ ᙲ ᙳ ᙴ ᙵ ᙶ
ɫ ᖦ ᖠ ᖡ ᖢ ᖣ ᖤ ᖥ|qq ᖅᒃ ᖅᑭ ᖅᑮ ᖅᑯ ᖅᑰ ᖅᑲ ᖅᑳ
"""


def _inuktitut() -> dict[str, str]:
    """Latin letters to syllabics."""
    table = dict(zip((*_VOWELS[1:], "h"), "ᐃᐄᐅᐆᐊᐋᐦ", strict=True))
    for row in _SYLLABICS.strip().replace("\n", "|").split("|"):
        consonant, *signs = row.split()
        table |= {consonant + vowel: sign for vowel, sign in zip(_VOWELS, signs, strict=True)}
    return table


_CAPITALS: Final = {letter.upper(): letter for letter in "abcdefghijklmnopqrstuvwxyz"}

_KURDISH_ARABIC: Final = "ب ج چ د ف گ ھ ہ ه ح ژ ك ک ل م ن پ ق ر س ش ت ڤ خ غ ز ڵ ڕ ا ە ة ێ ي ی ى ۆ و ، ع ؟"
_KURDISH: Final = "b c ç d f g h h h h j k k l m n p q r s ş t v x x z ll rr a e e ê î î î o w , ' ?"
_KURDISH_DIGITS: Final = dict(zip("٠١٢٣٤٥٦٧٨٩", "0123456789", strict=True))
_NON_JOINER: Final = "\u200c"
_KURDISH_VOWELS: Final = "aeêiîouûAEÊIÎOUÛ"
# All that words are made of there, to find where one begins.
_KURDISH_WORD: Final = "bcçdfghjklmnpqrsştvwxyzḧẍBCÇDFGHJKLMNPQRSŞTVWXYZḦẌ,?0-9" + _KURDISH_VOWELS

_KAZAKH: Final = "а ә б в г ғ д е ж з и й к қ л м н ң о ө п р с т у ұ ү ф х һ ц ч ш э"
_KAZAKH_LATIN: Final = "a ä b v g ğ d e j z ï ý k q l m n ñ o ö p r s t w u ü f x h c ç ş é"
# No pair: capitals of i with and without a dot.
_KAZAKH_I: Final = {"ы": "ı", "Ы": "I", "і": "i", "І": "İ"}
_KAZAKH_CAPITALS: Final = "AÄBCÇDEÉFGĞHIİÏJKLMNÑOÖPQRSŞTUÜVWXYÝZ"
_KAZAKH_LETTERS: Final = "аәбвгғдеёжзийкқлмнңоөпрстуұүфхһцчшщъыіьэюя"

LETTERS: Final[Mapping[str, Letters]] = {
    "sr-ec": _TO_SERBIAN,
    "sr-el": Letters(_pairs(_SERBIAN, _SERBIAN_LATIN), roman=True),
    "sh-cyrl": _TO_SERBIAN,
    "uz-latn": Letters(_pairs(_UZBEK, _UZBEK_LATIN) | _pairs("е э", "e e") | {"ъ": "ʼ"}),
    "uz-cyrl": Letters(
        _pairs(_UZBEK_LATIN, _UZBEK) | _pairs("e", "э") | _QUOTED | {"ʼ": "ъ"},
        before=(
            ("ye", "е"),
            ("Y[eE]", "Е"),
            # After a consonant it is another letter than where a word begins and after a vowel.
            ("([BVGDJZYKLMNPRSTFXCWQʻ‘H])E", r"\1Е"),
            ("([BVGDJZYKLMNPRSTFXCWQʻ‘Hbvgdjzyklmnprstfxcwqh])[eE]", r"\1е"),
        ),
    ),
    "tg-latn": Letters(_pairs(_TAJIK, _TAJIK_LATIN) | {"ии ": "iji "}),
    "tly": Letters(_TALYSH),
    "tly-cyrl": Letters(_flipped(_TALYSH)),
    "shi-tfng": Letters(_without_case(f"{_BERBER} o p v", f"{_TIFINAGH} ⵓ ⴱ ⴼ")),
    "shi-latn": _TO_BERBER,
    "zgh-latn": _TO_BERBER,
    "ike-cans": Letters(_inuktitut(), before=tuple(_CAPITALS.items())),
    "ike-latn": Letters(_flipped(_inuktitut())),
    "ku-arab": Letters(
        _without_case(
            "b c ç d f g h j k l m n p q r s ş t v w x y z ḧ ẍ a e ê î o u û",
            "ب ج چ د ف گ ه ژ ک ل م ن پ ق ر س ش ت ڤ و خ ی ز ح غ ا ە ێ ی ۆ و وو",
        )
        | {"H": "ح", "i": "", "I": "", ",": "،", "?": "؟"},
        before=((f"(?:(?<![{_KURDISH_WORD}])|(?<=[{_KURDISH_VOWELS}]))(?=[{_KURDISH_VOWELS}])", "ئ"),),
    ),
    "ku-latn": Letters(
        dict(zip(_KURDISH_ARABIC.split(), _KURDISH.split(), strict=True))
        | _KURDISH_DIGITS
        | {"ئ": "", f"ه{_NON_JOINER}": "e", f"ه{_NON_JOINER}{_NON_JOINER}": "e"}
    ),
    "kk-cyrl": Letters(
        _pairs(_KAZAKH_LATIN, _KAZAKH)
        | _flipped(_KAZAKH_I)
        | {"ʺ": "ъ", "ʹ": "ь", "No.": "№", "ŞÇʹ": "ЩЬ", "Şçʹ": "Щь", "ŞÇ": "Щ", "Şç": "Щ", "şç": "щ"}
        | _pairs("ye yo yu yw ya", "е ё ю ю я")
        | {"YE": "Е", "YO": "Ё", "YU": "Ю", "YW": "Ю", "YA": "Я"},
        before=tuple(
            (f"(?<=[{_KAZAKH_CAPITALS}]){sign}(?=[{_KAZAKH_CAPITALS}])", letter) for sign, letter in ("ʺЪ", "ʹЬ")
        ),
    ),
    "kk-latn": Letters(
        _pairs(_KAZAKH, _KAZAKH_LATIN)
        | _KAZAKH_I
        | {"Ё": "YO", "ё": "yo", "Ю": "YU", "ю": "yu", "Я": "YA", "я": "ya", "Щ": "ŞÇ", "щ": "şç"}
        | {"ъ": "ʺ", "Ъ": "ʺ", "ь": "ʹ", "Ь": "ʹ", "№": "No."},
        before=(
            ("([АӘЕЁИОӨҰҮЭЮЯЪЬ])Е", r"\1YE"),
            ("([АӘЕЁИОӨҰҮЭЮЯЪЬаәеёиоөұүэюяъь])[еЕ]", r"\1ye"),
            *((f"^{old}(?=[{_KAZAKH_LETTERS}])", new) for old, new in _pairs("ё ю я щ", "yo yu ya şç").items()),
        ),
    ),
}


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
