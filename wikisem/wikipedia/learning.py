"""The profile of a language learned from its wiki, with the source and support of each value.

A profile file wins over a row, a row over the dump, and the dump over the script.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import takewhile
from typing import Any, Final, NamedTuple

import msgspec
import regex

from wikisem.errors import RecipeError
from wikisem.recipes.load import did_you_mean, parse_toml
from wikisem.wikipedia import languages
from wikisem.wikipedia.languages import AffixRule, LanguageProfile, LanguageRow, SiteInfo, Writing, language_profile
from wikisem.wikipedia.titles import leads_away
from wikisem.wikis import WIKIPEDIAS, own_code, wiki_of

# This many links say how a language is written: shares settle within half a percent.
ENOUGH: Final = 10_000
_LINK: Final = re.compile(r"\[\[([^\[\]|\n]*+)[^\[\]\n]*+\]\]")
# Endings are shorter; a run of letters in a language without spaces is not.
_LONGEST_TRAIL: Final = 8


@dataclass(frozen=True, slots=True)
class LinkLetters:
    """Of this many links to articles, how many have a letter right ``before`` and right ``after`` them.

    ``trail`` counts for each letter the links that have it among the first eight letters that follow without a gap.
    """

    links: int = 0
    before: int = 0
    after: int = 0
    trail: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: "LinkLetters") -> "LinkLetters":
        trail = Counter(self.trail)
        trail.update(other.trail)
        return LinkLetters(self.links + other.links, self.before + other.before, self.after + other.after, dict(trail))


def count_link_letters(text: str, site: SiteInfo, limit: int = ENOUGH) -> LinkLetters:
    """Count the letters at the links to articles in some wikitext, at the first ``limit`` of them if it has more.

    >>> site = SiteInfo("dewiki", "de", namespaces={6: "Datei"})
    >>> found = count_link_letters("der [[Bus]]se von[[Datei:x]] [[Rīga]]s", site)
    >>> found.links, found.before, found.after, sorted(found.trail.items())
    (2, 0, 2, [('e', 1), ('s', 2)])
    """
    links = before = after = 0
    trail: Counter[str] = Counter()
    away = cache(lambda prefix: leads_away(prefix, site) is not False)  # prefixes are few
    for link in _LINK.finditer(text):
        prefix, colon, _ = link[1].partition(":")
        if colon and away(prefix):
            continue
        if links == limit:
            break
        links += 1
        start, end = link.span()
        before += _is_letter(text[start - 1 : start])
        if letters := set(takewhile(_is_letter, text[end : end + _LONGEST_TRAIL])):
            after += 1
            trail.update(letters)
    return LinkLetters(links, before, after, dict(trail))


def _is_letter(character: str) -> bool:
    return character.isalpha() or (character > "\x7f" and unicodedata.category(character)[0] == "M")


KEYS: Final = ("script", "writing", "hyphens", "affix", "affix_length", "length_one", "link_trail", "lists")
_UNKNOWN: Final = re.compile(r"unknown field `(.*?)`")


class ProfileFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of ``OUT/languages/<language>.toml``, a profile that a person reads and corrects.

    Missing keys are learned. ``source`` and ``support`` are for people only.
    """

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
        """Return the values that the file has."""
        return {key: value for key in KEYS if (value := getattr(self, key)) is not msgspec.UNSET}


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
    trail = found.link_trail if isinstance(found.link_trail, str) else ""
    try:
        space = re.match(trail, " ")
    except re.error as error:
        raise RecipeError(f"{where}: link_trail: expected a regular expression, saw {trail!r}: {error}") from error
    if space and space.end():
        raise RecipeError(f"{where}: link_trail: expected letters only, saw {trail!r}, which takes a space")
    return found


def write_profile_file(code: str, found: "FoundProfile") -> str:
    """Return the file of a profile, which ``read_profile_file`` reads."""
    wiki = wiki_of(code)
    name = f"{WIKIPEDIAS[wiki].name} ({code})" if wiki is not None else code
    lines = [
        f"# {name}: what wikisem uses, where each value is from, and how many links, titles or surface forms",
        "# support it. Change a value, and the next build into this folder uses it; docs/languages.md says how.",
        *("", *(f"{key} = {_toml(getattr(found.profile, key))}" for key in KEYS)),
        *("", "[source]", *(f"{key} = {_toml(found.source[key])}" for key in KEYS)),
        *("", "[support]", *(f"{key} = {found.support[key]}" for key in KEYS)),
    ]
    return "\n".join([*lines, ""])


def _toml(value: Any) -> str:
    """Return a string, number, truth value or tuple of strings; JSON and TOML write these alike."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False).replace("\x7f", "\\u007f")


# How many links, titles of lists and surface forms a statistic needs.
LINKS: Final = 100
LIST_TITLES: Final = 30
SURFACES: Final = 200
# From this many surface forms on, ``affix = "surprise"`` in a recipe measures instead of comparing fixed lengths.
SURPRISED: Final = 2000


class Evidence(NamedTuple):
    """What a wiki shows: the letters at its links, its surface forms, of which ``surfaces`` is a sample, and its lists.

    ``list_words`` are the words that name lists, learned from ``list_titles`` titles.
    """

    links: LinkLetters = LinkLetters()
    surfaces: Sequence[str] = ()
    surface_count: int = 0
    list_words: tuple[str, ...] = ()
    list_titles: int = 0


class FoundProfile(NamedTuple):
    """The profile that is used, and for each of ``KEYS`` the source and support of its value.

    A source is "file" (given or edited), "row", "MediaWiki", "dump", "script" or "default".
    """

    profile: LanguageProfile
    source: Mapping[str, str]
    support: Mapping[str, int]


# A hyphen between letters is in a third of the surface forms of Southern Min and similar languages, and in 1 to 4 % of
# others.
_HYPHENATED: Final = 0.3
_HYPHEN: Final = regex.compile(r"\p{L}\p{M}*-\p{L}")


def find_profile(
    code: str, *, site: SiteInfo | None = None, evidence: Evidence | None = None, given: ProfileFile | None = None
) -> FoundProfile:
    """Return the profile of a language: from the tables, then the ``evidence`` of its wiki, then a ``given`` file.

    The source and the support of a value are where it is from, and how many links, titles or surface forms show it.
    """
    seen = evidence or Evidence()
    profile = language_profile(code, site=site, sample=seen.surfaces)  # from the tables
    wiki = own_code(code)
    row = languages.ROWS.get(wiki)  # what a person knows of the language
    by_script = "script" if profile.script else "default"
    # Where the values of the tables are from.
    links, surfaces, count = seen.links.links, len(seen.surfaces), seen.surface_count
    source_and_support = {
        "script": ("table" if wiki in languages.SCRIPTS else "dump" if profile.script else "default", surfaces),
        "writing": (by_script, links),
        "hyphens": ("row" if row is not None and row.hyphens else "default", surfaces),
        "affix": ("row" if row is not None and row.words else by_script, count),
        "affix_length": (by_script, count),
        "length_one": (by_script, 0),
        "link_trail": ("MediaWiki" if wiki in languages.TRAILS else "default", links),
        "lists": ("row" if row is not None and row.lists else "default", seen.list_titles),
    }
    source = {key: name for key, (name, _) in source_and_support.items()}
    support = {key: number for key, (_, number) in source_and_support.items()}
    # What the wiki shows, and then what the file says.
    changes = _learned(profile, seen, row, knows_trail=wiki in languages.TRAILS)
    source |= dict.fromkeys(changes, "dump")
    if seen.list_titles >= LIST_TITLES and seen.list_words:
        changes["lists"] = (*profile.lists, *seen.list_words)
        source["lists"] = "row and dump" if profile.lists else "dump"
    if given is not None:
        stated = given.values().items()
        edited = {key: value for key, value in stated if value != changes.get(key, getattr(profile, key))}
        source |= dict.fromkeys(edited, "file")
        changes |= edited
    return FoundProfile(with_values(profile, changes), source, support)


# Shares of links in percent, far from those of real dumps of languages of each kind (docs/languages.md): before and
# after the links 36 and 17 in Thai, 18 and 1 in Hebrew, 0 and 33 in Korean, 0 and 4 in English.
_UNSPACED: Final = 10.0
_CLITICS: Final = 5.0
_PARTICLES_BEFORE: Final = 1.0
_PARTICLES_AFTER: Final = 20.0
# A letter belongs to the trail if at least this many links, and this share of all, have it there.
_LEAST_LINKS: Final = 3
_LEAST_SHARE: Final = 0.003


def _learned(profile: LanguageProfile, seen: Evidence, row: LanguageRow | None, knows_trail: bool) -> dict[str, Any]:
    """Return the values of a profile that evidence changes: ``writing``, ``link_trail``, ``hyphens``.

    ``writing`` says how words are separated. Of a language that the tables know, by a ``row`` or a special script, the
    dump does not change whether spaces do it, only how: as from "spaced" to "clitics". ``link_trail``, the letters
    after ``]]`` that belong to a link, is not learned if MediaWiki states it (``knows_trail``), and ``hyphens``,
    whether hyphens separate words as well, not of a language with a row.
    """
    changes: dict[str, Any] = {}
    links = seen.links.links
    if links >= LINKS:
        # A letter right before or after a link, in percent of links, shows that no space separates words there.
        before, after = 100 * seen.links.before / links, 100 * seen.links.after / links
        writing: Writing = "spaced"
        if before >= _UNSPACED and after >= _UNSPACED:
            writing = "unspaced"
        elif before >= _CLITICS > after:  # short words are written before others, as in Hebrew
            writing = "clitics"
        elif before < _PARTICLES_BEFORE and after > _PARTICLES_AFTER:  # or after them, as in Korean
            writing = "particles"
        is_known = row is not None or bool(profile.script)
        contradicts = (writing != "unspaced") != profile.spaced
        if not (is_known and contradicts):
            changes["writing"] = writing
        if changes.get("writing", profile.writing) == "spaced" and not knows_trail:
            # The letters a to z, and others that follow links often enough.
            least = max(_LEAST_LINKS, _LEAST_SHARE * links)
            frequent = sorted(letter for letter, count in seen.links.trail.items() if count >= least)
            letters = "".join(letter for letter in frequent if not "a" <= letter <= "z")
            changes["link_trail"] = f"[a-z{letters}]+"
    if row is None and len(seen.surfaces) >= SURFACES:
        hyphenated = sum(_HYPHEN.search(surface) is not None for surface in seen.surfaces)
        changes["hyphens"] = hyphenated >= _HYPHENATED * len(seen.surfaces)
    return changes


def with_values(profile: LanguageProfile, values: Mapping[str, Any]) -> LanguageProfile:
    """Return the profile with other values, and with the words of its new lists among its stop affixes."""
    lists = values.get("lists", profile.lists)
    kept = [affix for affix in profile.stop_affixes if affix not in profile.lists]
    stop_affixes = profile.stop_affixes if lists == profile.lists else (*kept, *lists)
    return replace(profile, **{**values, "stop_affixes": stop_affixes})
