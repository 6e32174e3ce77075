"""What is known about a language: the tables of what no dump lists, the site information of a wiki, and the profile.

The tables are in ``language_tables.toml`` beside this module, with their sources and dates: scripts, words, link
trails, names of namespaces, standard codes. Keys are the codes of Wikipedias' domains, which are neither ISO 639 nor
BCP 47 throughout. ``learning`` adds to a profile what a profile file and the dump say.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Final, Literal

import msgspec
import regex

from wikisem.typed_json import decode_json, packaged_tables
from wikisem.wikis import own_code

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
_DEFAULT_TRAIL: Final = "[a-z]+"
# Sets of scripts as ISO 15924 codes; every other language is in Latin letters.
SCRIPTS: Final[Mapping[str, str]] = {code: sets for sets, codes in TABLES["scripts"].items() for code in codes.split()}
INTERWIKI: Final = frozenset(TABLES["interwiki"].split())

# Names of namespaces that every wiki has, whatever its language.
CANONICAL: Final[Mapping[str, int]] = TABLES["canonical"]
_NUMBERS: Final = (CANONICAL["File"], CANONICAL["Category"], CANONICAL["Template"])
_THREE_LETTERS: Final = dict(pair.split(":") for pair in TABLES["iso_639"]["two_letters"].split())
# One code for scripts that a language mixes, as ISO 15924 has them.
_MIXED: Final = {"Hira+Kana+Hani": "Jpan", "Hang+Hani": "Hang", "Hani": "Hans"}


def script_sets(code: str) -> tuple[tuple[str, ...], ...]:
    """The sets of scripts whose letters one word of a language may mix; most languages have one set of one script.

    >>> script_sets("ja"), script_sets("sr"), script_sets("de")
    ((('Hira', 'Kana', 'Hani'),), (('Cyrl',), ('Latn',)), (('Latn',),))
    """
    return tuple(tuple(scripts.split("+")) for scripts in SCRIPTS.get(code, "Latn").split("|"))


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
    if iso_639_3(code) in {"lzh", "yue"}:
        return "Hant"
    first = SCRIPTS.get(code, "Latn").partition("|")[0]
    return _MIXED.get(first, first)


def fold(name: str) -> str:
    """Return a namespace name or interwiki prefix as MediaWiki compares it: case and repeated spaces do not matter."""
    return " ".join(name.replace("_", " ").split()).lower()


@dataclass(frozen=True)
class SiteInfo:
    """A wiki: ``namespaces`` maps ids to local names, ``aliases`` further names to ids.

    ``version`` is that of the export schema; ``first_letter`` says whether the first letter of a title is upper case.
    """

    dbname: str
    language: str = ""
    version: str = ""
    first_letter: bool = True
    namespaces: Mapping[int, str] = field(default_factory=dict)
    aliases: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def prefixes(self) -> Mapping[str, int]:
        """Folded name -> namespace id: canonical names, then aliases, then the wiki's own, which win."""
        local = {name: number for number, name in self.namespaces.items() if name}
        # Later names replace earlier ones that differ in case alone.
        return {fold(name): number for names in (CANONICAL, self.aliases, local) for name, number in names.items()}

    def to_json(self) -> str:
        """Return the SiteInfo as JSON that ``from_json`` reads."""
        values = {name: value for name, value in vars(self).items() if name != "prefixes"}
        return json.dumps(values, ensure_ascii=False, indent=1, sort_keys=True)

    @classmethod
    def from_json(cls, data: bytes | str, where: str = "siteinfo.json") -> "SiteInfo":
        """Return the SiteInfo that ``to_json`` wrote."""
        return decode_json(data, cls, where, "the site information of a wiki")


AffixRule = Literal["words", "characters", "han"]
# Whether there are spaces between words; and in languages with spaces, whether words take others in front of them
# (Hebrew, Arabic) or after them (Korean) without one, so that a link's anchor may begin or end inside a written word.
Writing = Literal["spaced", "clitics", "particles", "unspaced"]


@dataclass(frozen=True, slots=True)
class LanguageProfile:
    """What the rules and the link scanner need to know about one language.

    ``script`` is the ISO 15924 code of a script with rules of its own, empty for an alphabet. ``writing`` says whether
    spaces separate words; ``hyphens``, whether hyphens do so, too. ``affix`` says what the rule on affixes compares
    besides whole words: nothing ("words"), ``affix_length`` grapheme clusters, or one or two Han characters.
    ``length_one`` says whether words of one character count against a cluster. ``stop_affixes`` are beginnings and ends
    of titles that are not subjects; ``lists`` are those of list articles. ``link_trail`` is a regular expression for
    the letters after ``]]`` that belong to a link. ``namespace_aliases`` maps local and old names of namespaces, and
    aliases such as ``WP``, to their numbers.
    """

    code: str
    script: str = ""
    writing: Writing = "spaced"
    hyphens: bool = False
    affix: AffixRule = "characters"
    affix_length: int = 6
    length_one: bool = True
    lists: tuple[str, ...] = ()
    stop_affixes: tuple[str, ...] = ()
    link_trail: str = _DEFAULT_TRAIL
    namespace_aliases: Mapping[str, int] = field(default_factory=dict, hash=False)

    @property
    def spaced(self) -> bool:
        """Whether there are spaces between words."""
        return self.writing != "unspaced"


@dataclass(frozen=True, slots=True)
class Script:
    """What a script decides: its letters, whether it has spaces between words, and what an affix is.

    In ``syllables`` a character is a syllable, not a letter.
    """

    letters: str = ""
    spaced: bool = True
    affix: AffixRule = "characters"
    affix_length: int = 6
    syllables: bool = False


# Six characters for alphabets, and the rule for Han: Blair et al. (2016), footnote 3.
SPECIAL_SCRIPTS: Final = msgspec.convert(TABLES["special_scripts"], dict[str, Script])

_SAMPLE: Final = 10_000


def language_profile(code: str, *, site: SiteInfo | None = None, sample: Iterable[str] = ()) -> LanguageProfile:
    """Return what is known about a language by its code, and by its ``site`` and ``sample`` if given.

    ``site`` adds the wiki's namespaces to the stop affixes, which begin or end titles that are not subjects. ``sample``
    is strings in the language, of which the first 10,000 are read: a language that is in no table, or is written in
    several scripts, gets the script of most of their letters. Codes for the same wiki (``no`` and ``nb``, ``yue`` and
    ``zh-yue``) have the same profile but for the code.

    >>> site = SiteInfo("ltgwiki", namespaces={14: "Kategoreja", 828: "Modulis"})
    >>> set(language_profile("ltg", site=site).stop_affixes) - set(language_profile("ltg").stop_affixes)
    {'Modulis:'}
    """
    wiki_code = own_code(code)  # that of the wiki's domain
    row = ROWS.get(wiki_code) or LanguageRow()  # what a person knows of the language
    # The script if it has rules of its own, "" for an alphabet: the only one in the tables, else that of the sample.
    script_names: set[str] = set()
    if wiki_code in SCRIPTS or wiki_code in ROWS:
        sets = script_sets(wiki_code)
        script_names = {next((script for script in scripts if script in SPECIAL_SCRIPTS), "") for scripts in sets}
    script_name = script_names.pop() if len(script_names) == 1 else detect_script(sample)
    script = SPECIAL_SCRIPTS.get(script_name) or Script()
    # The names of files, categories and templates that a wiki in the language knows or knew, with their numbers.
    numbered_names = zip(TABLES["namespaces"].get(wiki_code, ()), _NUMBERS, strict=False)
    local_namespaces = {name.replace("_", " "): number for names, number in numbered_names for name in names.split()}
    # Aliases of namespaces that all Wikipedias have, or this one, written as WP=4: links may use them, but most are so
    # short that a surface form may begin with one by chance.
    aliases = f"{TABLES['aliases']['mul']} {TABLES['aliases'].get(wiki_code, '')}".split()
    short_aliases = {name.replace("_", " "): int(number) for name, _, number in (one.partition("=") for one in aliases)}
    site_names = [] if site is None else [*site.namespaces.values(), *(site.aliases.keys() - short_aliases.keys())]
    # The words that begin or end titles of list articles; titles begin with a capital, labels of Wikidata often do not.
    lists = sorted({form for word in row.lists for form in (word, word[:1].lower() + word[1:])})
    # "Category:", "Kategorie:", and of most Wikipedias, but not of MediaWiki, those of drafts, portals and the project.
    names = namespace_affixes([*CANONICAL, "Draft", "Portal", "Wikipedia", *local_namespaces])
    return LanguageProfile(
        code=code,
        script=script_name,
        writing="spaced" if script.spaced else "unspaced",
        hyphens=row.hyphens,
        affix="words" if row.words else script.affix,
        affix_length=script.affix_length,
        length_one=not script.syllables,
        lists=tuple(lists),
        stop_affixes=(*sorted({*names, *lists}), *namespace_affixes(site_names)),
        link_trail=TRAILS.get(wiki_code, _DEFAULT_TRAIL),
        namespace_aliases=short_aliases | local_namespaces,
    )


def detect_script(sample: Iterable[str]) -> str:
    """Return the script with rules of its own that most letters of the first 10,000 strings are written in, else ""."""
    text = "".join(islice(sample, _SAMPLE))
    letters = "".join(regex.findall(r"[\p{L}\p{M}]", text))
    counts = {name: len(regex.findall(f"[{script.letters}]", letters)) for name, script in SPECIAL_SCRIPTS.items()}
    leader = max(counts, key=lambda name: counts[name])
    return leader if 2 * counts[leader] > len(letters) else ""


def namespace_affixes(names: Iterable[str]) -> tuple[str, ...]:
    """Return the stop affixes of namespaces (``Name:``), sorted; the main namespace has no name."""
    return tuple(sorted({f"{name.replace('_', ' ').strip()}:" for name in names if name.strip(" _")}))
