"""Page titles as MediaWiki reads them: the targets of links and the titles that a dump lists, in one normal form.

The rules are those of MediaWiki's title parser (https://www.mediawiki.org/wiki/Manual:Page_title and
``MediaWikiTitleCodec``, 2026-11).
"""

import html
import re
import unicodedata
from itertools import groupby
from typing import Final, NamedTuple

from wikisem.wikipedia.languages import INTERWIKI, SiteInfo, fold
from wikisem.wikis import INTERLANGUAGE

FOREIGN: Final = INTERWIKI | INTERLANGUAGE

# Marks of writing direction, which titles never hold.
BIDI: Final = re.compile("[\u200e\u200f\u202a-\u202e]")
_ENTITY: Final = re.compile(r"&(?:#[0-9]++|#[xX][0-9a-fA-F]++|[A-Za-z][A-Za-z0-9]*+);")
_DIGITS: Final = 7  # of the number of the last character of Unicode, in either base
_ILLEGAL: Final = re.compile(
    r"[\[\]{}<>|\x00-\x1f\x7f\ufffd]|%[0-9A-Fa-f]{2}|~~~|^\.{1,2}(?:/|$)|/\.{1,2}(?:/|$)|^:|" + _ENTITY.pattern
)
# `[[mailto:x]]` and similar are not links to pages; https://www.mediawiki.org/wiki/Manual:$wgUrlProtocols, 2026-11.
URL: Final = re.compile(r"(?:[a-z+]+:)?//|(?:bitcoin|geo|magnet|mailto|news|sips?|sms|tel|urn|xmpp|matrix):")
# Text that holds no entity, escape, mark of direction or comment.
_PLAIN: Final = re.compile(r"[^&%<{\u200e\u200f\u202a-\u202e]+")
LONGEST: Final = 255  # bytes of UTF-8
# In longer text marks are sorted before it is normalized.
_LONG_TEXT: Final = 256
# Turkic alphabets with a dotted and a dotless i.
_DOTTED: Final = frozenset({"az", "kaa", "kk-latn", "tr"})


class Title(NamedTuple):
    """A page of this wiki: ``text`` is without namespace prefix and section, and has spaces, not underscores."""

    namespace: int
    text: str


def unescape(text: str) -> str:
    """Return the text with its HTML entities read; unlike browsers, MediaWiki requires the semicolon."""
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(entity: re.Match[str]) -> str:
    """Return the character of an HTML entity such as ``&auml;`` or ``&#xE4;``; U+FFFD for a number of no character."""
    written = entity.group()
    if written[1] != "#":
        return html.unescape(written)
    # ``int`` refuses thousands of digits; one more than a character's number has shows that it is no character's.
    base = "x" if written[2] in "xX" else ""
    digits = written[2 + len(base) : -1].lstrip("0")[: _DIGITS + 1]
    return html.unescape(f"&#{base}{digits or 0};")


def composed(text: str) -> str:
    """Return the text in the normal form that MediaWiki keeps all text in: NFC."""
    if text.isascii():
        return text
    if len(text) > _LONG_TEXT:
        # ``normalize`` sorts the marks of a letter in n * n steps: give it text in NFD, whose marks are sorted already.
        letters = "".join(unicodedata.normalize("NFD", letter) for letter in text)
        runs = groupby(letters, key=lambda letter: unicodedata.combining(letter) > 0)
        text = "".join("".join(sorted(run, key=unicodedata.combining) if marks else run) for marks, run in runs)
    return unicodedata.normalize("NFC", text)


def upper_first(text: str, language: str = "") -> str:
    """Return the text with its first letter in upper case, if the upper case is a single letter.

    As in MediaWiki, ß stays as it is, and so do Georgian letters, whose capitals are for whole words only
    (``$wgOverrideUcfirstCharacters``, 2026-11); Turkish and related languages have a dotted capital i.
    """
    first = text[:1]
    if first == "i" and language in _DOTTED:
        return "İ" + text[1:]
    upper = first.upper()
    return text if len(upper) != 1 or "\u1c90" <= upper <= "\u1cbf" else upper + text[1:]


def leads_away(prefix: str, site: SiteInfo) -> bool | None:
    """Return whether text before a colon names another namespace or wiki; None if the rest of the link must say."""
    key = fold(prefix)
    if not key or key == site.language or not _PLAIN.fullmatch(prefix) or URL.match(f"{prefix}:"):
        return None
    return bool(site.prefixes.get(key)) or (key not in site.prefixes and key in FOREIGN)


def read_title(written: str, site: SiteInfo) -> Title | None:
    """The page of this wiki that a string names; None if it names another wiki's page, or is not a valid title."""
    text = unescape(written).replace("_", " ")
    text = " ".join((text if text.isascii() else BIDI.sub("", text)).split()).removeprefix(":").lstrip()
    namespace, start = 0, 0
    # The prefixes before colons, from left to right.
    while (colon := text.find(":", start)) >= 0:
        key = fold(text[start:colon])
        if key in site.prefixes:
            namespace, start = site.prefixes[key], colon + 1
            break
        if key and key == site.language:
            start = colon + 1  # the wiki's own prefix leads back to it
        elif key in FOREIGN:
            return None
        else:
            break
    text = text[start:].lstrip().partition("#")[0].rstrip()
    if not text or _ILLEGAL.search(text) or (len(text) > LONGEST // 4 and len(text.encode()) > LONGEST):
        return None
    return Title(namespace, composed(upper_first(text, site.language) if site.first_letter else text))
