"""The site information of a wiki: its name, its namespaces, how it treats first letters."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from wikisem.typed_json import decode_json
from wikisem.wikipedia.language_tables import CANONICAL


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
