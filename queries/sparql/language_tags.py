"""Language codes of Wikidata and the tags that its RDF writes for them.

Most are the same. Those that differ are listed by MediaWiki's LanguageCode::getNonstandardLanguageCodeMapping, which
Wikibase's RDF writer applies (2026-11); codes that labels no longer use (als, be-x-old, ...) are left out, since
their standard forms are codes of their own.
"""

from collections.abc import Iterable
from typing import Final

_TAGS: Final = {
    "cbk-zam": "cbk",
    "de-formal": "de-x-formal",
    "eml": "egl",
    "es-formal": "es-x-formal",
    "hu-formal": "hu-x-formal",
    "map-bms": "jv-x-bms",
    "mo": "ro-cyrl-md",
    "nl-informal": "nl-x-informal",
    "nrm": "nrf",
    "roa-tara": "nap-x-tara",
    "simple": "en-simple",
    "sr-ec": "sr-cyrl",
    "sr-el": "sr-latn",
    "zh-cn": "zh-hans-cn",
    "zh-hk": "zh-hant-hk",
    "zh-mo": "zh-hant-mo",
    "zh-my": "zh-hans-my",
    "zh-sg": "zh-hans-sg",
    "zh-tw": "zh-hant-tw",
}
_CODES: Final = {tag: code for code, tag in _TAGS.items()}


def rdf_tag(code: str) -> str:
    """The tag, in lower case, of a label's language code: "zh-hant-tw" for "zh-tw", "de" for "de"."""
    return _TAGS.get(code, code)


def code_of(tag: str) -> str:
    """The language code of a tag: "zh-tw" for "zh-Hant-TW"."""
    return _CODES.get(tag.lower(), tag.lower())


def tags_of(codes: Iterable[str]) -> list[str]:
    """All tags that labels under these codes may bear, sorted; other engines may keep the codes themselves."""
    return sorted({tag for code in codes for tag in (code, rdf_tag(code))})
