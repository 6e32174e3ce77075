"""Language profiles from the tables and the script; ``learning`` adds what a profile file and the dump say."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, Literal

import msgspec
import regex

from wikisem.wikipedia import language_tables
from wikisem.wikipedia.siteinfo import SiteInfo
from wikisem.wikis import own_code

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
    link_trail: str = language_tables.DEFAULT
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
_ALPHABET: Final = Script()
SPECIAL_SCRIPTS: Final = msgspec.convert(language_tables.TABLES["special_scripts"], dict[str, Script])

# Namespaces of most Wikipedias that are not part of MediaWiki, and the canonical name of the project itself.
_EVERYWHERE: Final = ("Draft", "Portal", "Wikipedia")
_SAMPLE: Final = 10_000


def language_profile(code: str, *, site: SiteInfo | None = None, sample: Iterable[str] = ()) -> LanguageProfile:
    """Return what is known about a language by its code, and by its ``site`` and ``sample`` if given.

    ``site`` adds the wiki's namespaces to the stop affixes. ``sample`` is strings in the language, of which the first
    10,000 are read: a language that is in no table, or that is written in several scripts, gets the script of most of
    their letters.

    >>> site = SiteInfo("ltgwiki", namespaces={14: "Kategoreja", 828: "Modulis"})
    >>> set(language_profile("ltg", site=site).stop_affixes) - set(language_profile("ltg").stop_affixes)
    {'Modulis:'}

    The profiles of codes for the same wiki (``no`` and ``nb``, ``yue`` and ``zh-yue``) differ in the code only.
    """
    wiki_code = own_code(code)
    row = language_tables.ROWS.get(wiki_code) or language_tables.LanguageRow()
    script_names: set[str] = set()  # of scripts with rules of their own, "" for an alphabet
    if wiki_code in language_tables.SCRIPTS or wiki_code in language_tables.ROWS:
        sets = language_tables.script_sets(wiki_code)
        script_names = {next((script for script in scripts if script in SPECIAL_SCRIPTS), "") for scripts in sets}
    script_name = script_names.pop() if len(script_names) == 1 else detect_script(sample)
    script = SPECIAL_SCRIPTS.get(script_name, _ALPHABET)
    # The names of files, categories and templates that a wiki in the language knows or knew, with their numbers.
    numbered_names = zip(language_tables.TABLES["namespaces"].get(wiki_code, ()), language_tables.NUMBERS, strict=False)
    local_namespaces = {name.replace("_", " "): number for names, number in numbered_names for name in names.split()}
    # Such as WP: most are so short that they say nothing about a surface form that begins with one.
    short_aliases = language_tables.alias_names(wiki_code)
    site_names = [] if site is None else [*site.namespaces.values(), *(site.aliases.keys() - short_aliases.keys())]
    # Titles begin with a capital, labels of Wikidata often do not.
    lists = sorted({form for word in row.lists for form in (word, word[:1].lower() + word[1:])})
    names = namespace_affixes([*language_tables.CANONICAL, *_EVERYWHERE, *local_namespaces])
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
        link_trail=language_tables.TRAILS.get(wiki_code, language_tables.DEFAULT),
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
