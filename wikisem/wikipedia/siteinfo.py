"""The site information of a wiki: its name, its namespaces, how it treats first letters."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from wikisem.typed_json import decode_json

# Names of namespaces that every wiki has, whatever its language: the canonical names, and the two that MediaWiki
# renamed (https://www.mediawiki.org/wiki/Help:Namespaces, 2026-11).
CANONICAL: Final[Mapping[str, int]] = {
    "Media": -2, "Special": -1, "Talk": 1, "User": 2, "User talk": 3, "Project": 4, "Project talk": 5, "File": 6,
    "File talk": 7, "Image": 6, "Image talk": 7, "MediaWiki": 8, "MediaWiki talk": 9, "Template": 10,
    "Template talk": 11, "Help": 12, "Help talk": 13, "Category": 14, "Category talk": 15, "TimedText": 710,
    "TimedText talk": 711, "Module": 828, "Module talk": 829,
}  # fmt: skip


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

    def with_language(self, language: str, aliases: Mapping[str, int]) -> "SiteInfo":
        """Return the same wiki with the language that the caller knows, and that language's aliases of namespaces."""
        return replace(self, language=language, aliases={**self.aliases, **aliases})

    def to_json(self) -> str:
        """Return the SiteInfo as JSON that ``from_json`` reads."""
        values = {name: value for name, value in vars(self).items() if name != "prefixes"}
        return json.dumps(values, ensure_ascii=False, indent=1, sort_keys=True)

    @classmethod
    def from_json(cls, data: bytes | str, where: str = "siteinfo.json") -> "SiteInfo":
        """Return the SiteInfo that ``to_json`` wrote."""
        return decode_json(data, cls, where, "the site information of a wiki")
