"""From what a wiki shows to the profile of its language, each value with where it is from and how much supports it.

A value in a profile file wins over a row, a row over what the dump shows, and that over what follows from the script.
Below the support that a statistic needs, the default holds. All functions are pure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import regex

from wikisem.wikipedia.data.language_rows import ROWS
from wikisem.wikipedia.data.link_trails import TRAILS
from wikisem.wikipedia.data.scripts import SCRIPTS
from wikisem.wikipedia.languages import LanguageProfile, Writing, language_profile
from wikisem.wikipedia.link_surroundings import LinkSurroundings, learned_trail
from wikisem.wikipedia.profile_file import KEYS, ProfileFile
from wikisem.wikipedia.siteinfo import SiteInfo
from wikisem.wikis import own_code

# What each statistic needs before it says anything.
LINKS: Final = 100
LIST_TITLES: Final = 30
SURFACES: Final = 200
# From so many surface forms on, ``affix = "surprise"`` in a recipe measures instead of comparing fixed lengths.
SURPRISED: Final = 2000

# Shares of links in percent: real dumps of languages of each kind are far from these (docs/languages.md).
_UNSPACED: Final = 10.0
_CLITICS: Final = 5.0
_PARTICLES: Final = (1.0, 20.0)
# A third of the surface forms of Southern Min and its like have a hyphen between letters, 1 to 4 % of others.
_HYPHENATED: Final = 0.3
_HYPHEN: Final = regex.compile(r"\p{L}\p{M}*-\p{L}")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a wiki shows: its links, surface forms, of which ``surfaces`` is a sample, and the words of its lists."""

    links: LinkSurroundings = field(default_factory=LinkSurroundings)
    surfaces: Sequence[str] = ()
    surface_count: int = 0
    list_words: tuple[str, ...] = ()
    list_titles: int = 0


@dataclass(frozen=True, slots=True)
class FoundProfile:
    """The profile that is used, and for each of its ``KEYS`` where the value is from and how much supports it.

    A source is "file" (given or edited), "row", "MediaWiki", "dump", "script" or "default".
    """

    profile: LanguageProfile
    source: Mapping[str, str]
    support: Mapping[str, int]

    def values(self) -> dict[str, Any]:
        """The values by key."""
        return {key: getattr(self.profile, key) for key in KEYS}


def writing_of(links: LinkSurroundings) -> Writing | None:
    """How a language parts words, by the share of links with a letter right before and right after; None for too few.

    >>> shares = [(360, 170), (178, 13), (0, 330), (0, 39)]  # Thai, Hebrew, Korean, English
    >>> [writing_of(LinkSurroundings(1000, before, after)) for before, after in shares]
    ['unspaced', 'clitics', 'particles', 'spaced']
    """
    if links.links < LINKS:
        return None
    before, after = 100 * links.before / links.links, 100 * links.after / links.links
    if before >= _UNSPACED and after >= _UNSPACED:
        return "unspaced"
    if before >= _CLITICS > after:
        return "clitics"
    return "particles" if before < _PARTICLES[0] and after > _PARTICLES[1] else "spaced"


def find_profile(
    code: str,
    *,
    site: SiteInfo | None = None,
    evidence: Evidence | None = None,
    given: ProfileFile | None = None,
    rows: bool = True,
) -> FoundProfile:
    """The profile of a language by all that is known; without ``rows``, by what the dump and MediaWiki say alone."""
    seen = evidence or Evidence()
    profile = language_profile(code, site=site, sample=seen.surfaces, rows=rows)
    own = own_code(code)
    source = _sources(profile, own, rows)
    support = dict.fromkeys(KEYS, 0)
    support["script"] = len(seen.surfaces)
    support["writing"] = support["link_trail"] = seen.links.links
    support["hyphens"] = len(seen.surfaces)
    support["affix"] = support["affix_length"] = seen.surface_count
    support["lists"] = seen.list_titles
    changes = _learned(profile, seen, known_trail=rows and own in TRAILS, known_row=rows and own in ROWS)
    source |= dict.fromkeys(changes, "dump")
    if seen.list_titles >= LIST_TITLES and seen.list_words:
        changes["lists"] = (*profile.lists, *seen.list_words)
        source["lists"] = "row and dump" if profile.lists else "dump"
    if given is not None:
        own_values = given.values()
        source |= {key: "file" for key, value in own_values.items() if value != changes.get(key, getattr(profile, key))}
        changes |= own_values
    return FoundProfile(with_values(profile, changes), source, support)


def with_values(profile: LanguageProfile, values: Mapping[str, Any]) -> LanguageProfile:
    """The profile with other values; its stop affixes have the words of lists that it then has."""
    lists = values.get("lists", profile.lists)
    kept = [affix for affix in profile.stop_affixes if affix not in profile.lists]
    stop_affixes = profile.stop_affixes if lists == profile.lists else (*kept, *lists)
    return replace(profile, **{**values, "stop_affixes": stop_affixes})


def _sources(profile: LanguageProfile, own: str, rows: bool) -> dict[str, str]:
    row = ROWS.get(own) if rows else None
    script = "script" if profile.script else "default"
    return {
        "script": "table" if rows and own in SCRIPTS else "dump" if profile.script else "default",
        "writing": script,
        "hyphens": "row" if row is not None and row.hyphens else "default",
        "affix": "row" if row is not None and row.words else script,
        "affix_length": script,
        "length_one": script,
        "link_trail": "MediaWiki" if own in TRAILS else "default",
        "lists": "row" if row is not None and row.lists else "default",
    }


def _learned(profile: LanguageProfile, seen: Evidence, *, known_trail: bool, known_row: bool) -> dict[str, Any]:
    """What the dump shows beside what is known: of a language with a row or a special script, only the finer points."""
    changes: dict[str, Any] = {}
    writing = writing_of(seen.links)
    settled = known_row or bool(profile.script)
    if writing is not None and not (settled and (writing == "unspaced") == profile.spaced):
        changes["writing"] = writing
    written = changes.get("writing", profile.writing)
    if not known_trail and written == "spaced" and seen.links.links >= LINKS:
        changes["link_trail"] = learned_trail(seen.links)
    if not known_row and len(seen.surfaces) >= SURFACES:
        hyphenated = sum(_HYPHEN.search(surface) is not None for surface in seen.surfaces)
        changes["hyphens"] = hyphenated >= _HYPHENATED * len(seen.surfaces)
    return changes
