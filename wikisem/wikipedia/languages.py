"""What wikisem knows of a language. All that a person must add for a new one is a row in ``_ROWS``, if that.

The rest follows from the script (``_SCRIPTS``), from facts about MediaWiki, and from the dump itself.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, Literal

import regex

from wikisem.wikipedia.data.link_trails import DEFAULT, link_trail
from wikisem.wikipedia.data.namespaces import local_names
from wikisem.wikipedia.siteinfo import CANONICAL, SiteInfo
from wikisem.wikis import WIKIPEDIA_CODES, label_codes, language_of, own_code, wiki_of

__all__ = [
    "WIKIPEDIA_CODES",
    "LanguageProfile",
    "detect_script",
    "label_codes",
    "language_of",
    "language_profile",
    "wiki_of",
]

AffixRule = Literal["words", "characters", "han"]


@dataclass(frozen=True, slots=True)
class LanguageProfile:
    """What the rules and the link scanner need to know of one language.

    ``script`` is the ISO 15924 code of a script with rules of its own, empty for any alphabet; ``spaced`` says whether
    there are spaces between its words, so that a whole word is an affix. ``affix`` says what is one besides: nothing
    ("words"), ``affix_length`` grapheme clusters, or one or two Han characters. ``link_trail`` is a regular expression
    that matches the trail of a link from right after its ``]]``. ``namespace_aliases`` maps local and historical names
    of namespaces, which a dump may not list, to their numbers.
    """

    code: str
    script: str = ""
    spaced: bool = True
    affix: AffixRule = "characters"
    affix_length: int = 6
    length_one: bool = True
    stop_affixes: tuple[str, ...] = ()
    link_trail: str = DEFAULT
    namespace_aliases: Mapping[str, int] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class _Script:
    """How a script decides the rules: its letters, what an affix is, and whether one character is too short a word."""

    letters: str = ""
    spaced: bool = False
    affix: AffixRule = "characters"
    affix_length: int = 6
    length_one: bool = True


# Six characters for alphabets, and the rule for Han: Blair et al. (2016), footnote 3; length-one is off for Han, 3.1.
# Scripts that write no spaces between words, and Hangul, whose syllables are one character each, say in fewer
# characters what six letters say: docs/languages.md has the measurement on Wikidata's labels (2026-11) for each.
_ALPHABET: Final = _Script(spaced=True)
_SCRIPTS: Final[Mapping[str, _Script]] = {
    "Hani": _Script(r"\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}", affix="han", length_one=False),
    "Hang": _Script(r"\p{Hangul}", spaced=True, affix_length=3),
    "Thai": _Script(r"\p{Thai}", affix_length=5),
    "Laoo": _Script(r"\p{Lao}", affix_length=5),
    "Khmr": _Script(r"\p{Khmer}", affix_length=3),
    "Mymr": _Script(r"\p{Myanmar}", affix_length=3),
    "Tibt": _Script(r"\p{Tibetan}", affix_length=5),
}


@dataclass(frozen=True, slots=True)
class _LanguageRow:
    """What a person knows of a language: its script if that has rules of its own, and how its list articles are called.

    ``words`` is for languages with spaces whose words hardly change their form. ``lists`` holds prefixes and suffixes
    of the titles of list articles, with the space that sets them off, separated by ``|``; "…" says that something
    must be in its place.
    """

    script: str = ""
    words: bool = False
    lists: str = ""


# List words: naming conventions and list articles of the Wikipedias, read 2026-11. The rule for English: footnote 3.
_ROWS: Final[Mapping[str, _LanguageRow]] = {
    "ar": _LanguageRow(lists="قائمة "),
    "be": _LanguageRow(lists="Спіс "),
    "bg": _LanguageRow(lists="Списък "),
    "blk": _LanguageRow("Mymr"),
    "bo": _LanguageRow("Tibt"),
    "ca": _LanguageRow(lists="Llista de |Llista d'|Llistat de "),
    "cs": _LanguageRow(lists="Seznam "),
    "da": _LanguageRow(lists="Liste over "),
    "de": _LanguageRow(lists="Liste der |Liste des |Liste von "),
    "dz": _LanguageRow("Tibt"),
    "el": _LanguageRow(lists="Κατάλογος "),
    "en": _LanguageRow(words=True, lists="List of |Lists of "),
    "eo": _LanguageRow(lists="Listo de "),
    "es": _LanguageRow(lists="Anexo:|Lista de |Listado de "),
    "et": _LanguageRow(lists=" loend"),
    "eu": _LanguageRow(lists=" zerrenda"),
    "fa": _LanguageRow(lists="فهرست "),
    "fi": _LanguageRow(lists="Luettelo "),
    "fr": _LanguageRow(lists="Liste de |Liste des |Liste du |Liste d'|Liste d’"),
    "gan": _LanguageRow("Hani", lists="一覽|…列表"),
    "gl": _LanguageRow(lists="Lista de "),
    "he": _LanguageRow(lists="רשימת "),
    "hi": _LanguageRow(lists=" की सूची"),
    "hr": _LanguageRow(lists="Popis "),
    "hu": _LanguageRow(lists=" listája"),
    "hy": _LanguageRow(lists=" ցանկ"),
    "id": _LanguageRow(lists="Daftar "),
    "it": _LanguageRow(lists="Lista di |Lista dei |Lista degli |Lista delle |Elenco "),
    "ja": _LanguageRow("Hani", lists="一覧"),
    "ka": _LanguageRow(lists=" სია"),
    "km": _LanguageRow("Khmr"),
    "ko": _LanguageRow("Hang", lists=" 목록"),
    "lo": _LanguageRow("Laoo"),
    "lt": _LanguageRow(lists=" sąrašas"),
    "lv": _LanguageRow(lists=" saraksts"),
    "mk": _LanguageRow(lists="Список на "),
    "mnw": _LanguageRow("Mymr"),
    "ms": _LanguageRow(lists="Senarai "),
    "my": _LanguageRow("Mymr"),
    "nl": _LanguageRow(lists="Lijst van "),
    "nn": _LanguageRow(lists="Liste over "),
    "no": _LanguageRow(lists="Liste over "),
    "pl": _LanguageRow(lists="Lista "),
    "pt": _LanguageRow(lists="Anexo:|Lista de |Lista dos |Lista das "),
    "ro": _LanguageRow(lists="Lista "),
    "ru": _LanguageRow(lists="Список "),
    "sh": _LanguageRow(lists="Spisak |Popis "),
    "shn": _LanguageRow("Mymr"),
    "simple": _LanguageRow(words=True, lists="List of |Lists of "),
    "sk": _LanguageRow(lists="Zoznam "),
    "sl": _LanguageRow(lists="Seznam "),
    "sr": _LanguageRow(lists="Списак |Spisak "),
    "sv": _LanguageRow(lists="Lista över "),
    "th": _LanguageRow("Thai", lists="รายชื่อ"),
    "tr": _LanguageRow(lists=" listesi"),
    "uk": _LanguageRow(lists="Список "),
    "vi": _LanguageRow(lists="Danh sách "),
    "wuu": _LanguageRow("Hani", lists="一览|…列表"),
    "zh": _LanguageRow("Hani", lists="一覽|一览|…列表"),
    "zh-classical": _LanguageRow("Hani", lists="…列表"),
    "zh-yue": _LanguageRow("Hani", lists="一覽|…列表"),
}

# Namespaces of most Wikipedias that are no part of MediaWiki, and the canonical name of the project itself.
_EVERYWHERE: Final = ("Draft", "Portal", "Wikipedia")

_SAMPLE: Final = 10_000


def language_profile(code: str, *, site: SiteInfo | None = None, sample: Iterable[str] = ()) -> LanguageProfile:
    """Everything known of a language: its row, MediaWiki's facts, and what its wiki and its words show, where given.

    ``site`` adds the wiki's namespaces to the stop affixes. A language without a row gets the script that most letters
    of ``sample`` (strings in the language) are written in.

    >>> site = SiteInfo("ltgwiki", namespaces={14: "Kategoreja", 828: "Modulis"})
    >>> set(language_profile("ltg", site=site).stop_affixes) - set(language_profile("ltg").stop_affixes)
    {'Modulis:'}

    Codes that name the same wiki (``no`` and ``nb``, ``yue`` and ``zh-yue``) have the same profile but for their code.
    """
    known = own_code(code)
    row = _ROWS.get(known)
    name = detect_script(sample) if row is None else row.script
    script = _SCRIPTS.get(name, _ALPHABET)
    local = local_names(known)
    return LanguageProfile(
        code=code,
        script=name,
        spaced=script.spaced,
        affix="words" if row is not None and row.words else script.affix,
        affix_length=script.affix_length,
        length_one=script.length_one,
        stop_affixes=(
            *_stop_affixes([*CANONICAL, *_EVERYWHERE, *local], row.lists if row is not None else ""),
            *(namespace_affixes([*site.namespaces.values(), *site.aliases]) if site is not None else ()),
        ),
        link_trail=link_trail(known),
        namespace_aliases=local,
    )


def detect_script(sample: Iterable[str]) -> str:
    """The script with rules of its own that most letters of the first 10,000 strings are written in; "" if none is."""
    text = "".join(islice(sample, _SAMPLE))
    letters = _count(r"[\p{L}\p{M}]", text)
    counts = {name: _count(rf"(?=[\p{{L}}\p{{M}}])[{script.letters}]", text) for name, script in _SCRIPTS.items()}
    leader = max(counts, key=lambda name: counts[name])
    return leader if 2 * counts[leader] > letters else ""


def _count(pattern: str, text: str) -> int:
    return len(regex.findall(pattern, text))


def _stop_affixes(namespaces: Iterable[str], lists: str) -> tuple[str, ...]:
    # Titles write the first letter large, labels of Wikidata often small.
    words = {form for word in lists.split("|") for form in (word, word[:1].lower() + word[1:]) if form.strip()}
    return tuple(sorted({*namespace_affixes(namespaces), *words}))


def namespace_affixes(names: Iterable[str]) -> tuple[str, ...]:
    """The stop affixes that namespace names give, ``Name:`` each, sorted; the main namespace has no name, so none."""
    return tuple(sorted({f"{name.replace('_', ' ').strip()}:" for name in names if name.strip(" _")}))
