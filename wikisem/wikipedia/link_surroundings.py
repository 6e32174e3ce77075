"""The letters right before and right after the links of a wiki: whether words are parted there, and by what.

>>> site = SiteInfo("dewiki", "de", namespaces={6: "Datei"})
>>> found = count_surroundings("der [[Bus]]se von[[Datei:x]] [[Rīga]]s", site)
>>> found.links, found.before, found.after, sorted(found.trail.items())
(2, 0, 2, [('e', 1), ('s', 2)])
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from wikisem.wikipedia.data.link_trails import DEFAULT
from wikisem.wikipedia.siteinfo import SiteInfo
from wikisem.wikipedia.titles import leads_away

# So many links say how a language is written: shares settle within half a percent.
ENOUGH: Final = 10_000
_LINK: Final = re.compile(r"\[\[([^\[\]|\n]*+)[^\[\]\n]*+\]\]")
# Endings are shorter; a run of letters in a language without spaces is not.
_LONGEST: Final = 8


@dataclass(frozen=True, slots=True)
class LinkSurroundings:
    """Of so many links to articles, how many have a letter right ``before`` and right ``after`` them.

    ``trail`` counts in how many links each letter is among the first eight that follow without a gap.
    """

    links: int = 0
    before: int = 0
    after: int = 0
    trail: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: "LinkSurroundings") -> "LinkSurroundings":
        trail = Counter(self.trail)
        trail.update(other.trail)
        return LinkSurroundings(
            self.links + other.links, self.before + other.before, self.after + other.after, dict(trail)
        )

    def to_plain(self) -> dict[str, Any]:
        """The counts as plain values, which ``LinkSurroundings(**values)`` reads."""
        return {
            "links": self.links,
            "before": self.before,
            "after": self.after,
            "trail": dict(sorted(self.trail.items())),
        }


def count_surroundings(text: str, site: SiteInfo, limit: int = ENOUGH) -> LinkSurroundings:
    """Count the surroundings of the links to articles in some wikitext, of the first ``limit`` links if it has more."""
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
        if run := _letters(text[end : end + _LONGEST]):
            after += 1
            trail.update(set(run))
    return LinkSurroundings(links, before, after, dict(trail))


def _letters(text: str) -> str:
    """The letters and marks that a string begins with."""
    for at, character in enumerate(text):
        if not _is_letter(character):
            return text[:at]
    return text


def _is_letter(character: str) -> bool:
    return character.isalpha() or (character > "\x7f" and unicodedata.category(character)[0] == "M")


# At least so many links, and this share of all, must have a letter in their trail.
_LEAST: Final = 3
_SHARE: Final = 0.003


def learned_trail(found: LinkSurroundings) -> str:
    """The letters seen after links, as a regular expression for a trail: a to z, and what else is there often enough.

    >>> learned_trail(LinkSurroundings(1000, 0, 40, {"s": 30, "ū": 9, "š": 3, "q": 1, "ж": 1}))
    '[a-zšū]+'
    """
    least = max(_LEAST, _SHARE * found.links)
    letters = sorted(letter for letter, count in found.trail.items() if count >= least and not "a" <= letter <= "z")
    return f"[a-z{''.join(letters)}]+" if letters else DEFAULT
