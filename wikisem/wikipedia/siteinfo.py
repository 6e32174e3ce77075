"""The site information of a wiki: its name, its namespaces, how it treats first letters."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from lxml import etree

from wikisem import files
from wikisem.dumps import Chunk, Opener, Range, read_head, read_records
from wikisem.errors import DamagedInputError, WrongDumpError
from wikisem.typed_json import decode_json

# Names of namespaces that every wiki has, whatever its language: the canonical names, and the two that MediaWiki
# renamed (https://www.mediawiki.org/wiki/Help:Namespaces, 2026-11).
CANONICAL: Final[Mapping[str, int]] = {
    "Media": -2,
    "Special": -1,
    "Talk": 1,
    "User": 2,
    "User talk": 3,
    "Project": 4,
    "Project talk": 5,
    "File": 6,
    "File talk": 7,
    "Image": 6,
    "Image talk": 7,
    "MediaWiki": 8,
    "MediaWiki talk": 9,
    "Template": 10,
    "Template talk": 11,
    "Help": 12,
    "Help talk": 13,
    "Category": 14,
    "Category talk": 15,
    "TimedText": 710,
    "TimedText talk": 711,
    "Module": 828,
    "Module talk": 829,
}


def fold(name: str) -> str:
    """A namespace name or interwiki prefix as MediaWiki compares it: case and repeated spaces do not matter."""
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
        """The same wiki with the language that the caller knows, and that language's aliases of namespaces."""
        return replace(self, language=language, aliases={**self.aliases, **aliases})

    def to_json(self) -> str:
        """The SiteInfo as JSON that ``from_json`` reads."""
        values = {name: value for name, value in vars(self).items() if name != "prefixes"}
        return json.dumps(values, ensure_ascii=False, indent=1, sort_keys=True)

    @classmethod
    def from_json(cls, data: bytes | str, where: str = "siteinfo.json") -> "SiteInfo":
        """The SiteInfo that ``to_json`` wrote."""
        return decode_json(data, cls, where, "the site information of a wiki")


# Read the site information in the head of a dump. Apart from ``SiteInfo``, which is used where no dump is read.

# Siteinfo is about 10 KB long, and pages begin after it.
_HEAD_BYTES: Final = 1 << 18
_ROOT: Final = re.compile(rb"<mediawiki\b[^<>]*+>")
_SITEINFO: Final = re.compile(rb"<siteinfo\b")
_SITEINFO_END: Final = b"</siteinfo>"
_VERSION: Final = re.compile(rb"""\bversion=["']([^"']*)["']""")
_KEY: Final = re.compile(r"-?[0-9]{1,9}", re.ASCII)
_LANGUAGE: Final = re.compile(rb"""\bxml:lang=["']([^"']*)["']""")


def find_siteinfo(path: str, ranges: Sequence[Range], open_binary: Opener = files.open_binary) -> SiteInfo | None:
    """The wiki of a dump file, from the text before its first page; None if that text cannot be decoded.

    DamagedInputError if the file is empty or not a MediaWiki dump, WrongDumpError if it begins as JSON does.
    """
    head = read_head(ranges, open_binary).lstrip()
    if head.startswith((b"{", b"[")):
        raise WrongDumpError(f"{path}: expected MediaWiki XML, saw JSON that begins with {head[:40]!r}", "json")
    for first in ranges[:1]:
        for piece in read_records(first, open_binary, b"</siteinfo>", _HEAD_BYTES):
            if isinstance(piece, Chunk):
                try:
                    return read_siteinfo(piece.data)
                except (ValueError, TypeError) as error:  # among them a namespace whose key is missing or not a number
                    raise DamagedInputError(f"{path}: {error}") from error
            if piece.lost:
                return None
    raise DamagedInputError(f"{path}: expected a MediaWiki dump, saw an empty file")


def read_siteinfo(head: bytes) -> SiteInfo:
    """Read ``<siteinfo>`` from the first bytes of a dump, schema 0.3 to 0.11; DamagedInputError if there is none."""
    match = _SITEINFO.search(head)
    end = head.find(_SITEINFO_END, match.end()) if match else -1
    if match is None or end < 0:
        raise DamagedInputError(f"expected <siteinfo> in the head of a MediaWiki dump, saw {head[:80]!r}")
    try:
        info = etree.fromstring(head[match.start() : end + len(_SITEINFO_END)])
    except etree.XMLSyntaxError as error:
        raise DamagedInputError(f"expected a well-formed <siteinfo>, saw {error}") from error
    root = _ROOT.search(head, 0, match.start())
    tag = root.group() if root else b""
    namespaces, cases = dict[int, str](), list[str]()
    for element in info.iterfind("namespaces/namespace"):
        key = element.get("key")
        if key is None or not _KEY.fullmatch(key):
            raise DamagedInputError(f"expected the number of a namespace in <siteinfo>, saw {str(key)[:80]!r}")
        namespaces[int(key)] = element.text or ""
        if int(key) == 0 and element.get("case"):
            cases.append(element.get("case"))
    return SiteInfo(
        dbname=info.findtext("dbname", ""),
        language=_attribute(_LANGUAGE, tag),
        version=_attribute(_VERSION, tag),
        first_letter=(cases or [info.findtext("case", "first-letter")])[0] == "first-letter",
        namespaces=namespaces,
    )


def _attribute(pattern: re.Pattern[bytes], tag: bytes) -> str:
    match = pattern.search(tag)
    return match.group(1).decode(errors="replace") if match else ""
