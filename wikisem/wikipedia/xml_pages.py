"""The head and the pages of a dump read by an XML parser: slow, but right for any layout and for schema 0.3 to 0.11."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Final
from xml.sax.saxutils import escape

from lxml import etree

from wikisem import files
from wikisem.dumps import Chunk, Opener, Range, read_head, read_records
from wikisem.errors import DamagedInputError, WrongDumpError
from wikisem.records import Page
from wikisem.wikipedia.languages import SiteInfo
from wikisem.wikipedia.titles import read_title

# `#REDIRECT [[Title]]` in any language: a list item that starts an article has no word before its link.
_OLD_REDIRECT: Final = re.compile(r"\s*+#\w++\s*+(?::\s*+)?\[\[([^\]|]*+)")
# Digits of an id that fits 63 bits.
_LONGEST_ID: Final = 18
# The versions of dumps in which only the text of a page says that it is a redirect, without ``<redirect>``;
# https://www.mediawiki.org/xml/ has all schemas (2026-11).
UNMARKED: Final = ("", "0.1", "0.2", "0.3")
# The schema that ``canonical`` writes.
LAYOUT: Final = "0.11"


def read_page(data: bytes, site: SiteInfo) -> Page:
    """Return the page that ``<page>...</page>`` holds; its text is empty if it was deleted.

    Of several revisions the last counts, of several slots the main one. Raises DamagedInputError if the bytes are not a
    well-formed page.
    """
    parser = etree.XMLParser(huge_tree=True, resolve_entities=False, no_network=True, remove_comments=True)
    try:
        page = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise DamagedInputError(f"expected a well-formed <page>, saw {error}") from error
    title, revisions = page.findtext("title"), page.findall("revision")
    if title is None or not revisions:
        raise DamagedInputError("expected a <page> with a <title> and a <revision>, saw one without")
    element = revisions[-1].find("text")
    deleted = element is None or bool(element.get("deleted"))
    text = "" if deleted else element.text or ""
    # The namespace by its number, or in old dumps by the prefix of the title.
    if re.fullmatch(r"\s*-?[0-9]+\s*", page.findtext("ns", "")):
        namespace = int(page.findtext("ns"))
    else:
        named = read_title(title, site)
        namespace = named.namespace if named else 0
    ids = [with_id.findtext("id", "").strip() for with_id in (page, revisions[-1])]
    are_numbers = all(number.isascii() and number.isdecimal() and len(number) <= _LONGEST_ID for number in ids)
    version = (int(ids[0]), int(ids[1])) if are_numbers else None
    # The target of a redirect by its mark; in old dumps without marks, or without targets in them, by the page's text.
    mark = page.find("redirect")
    redirect = None if mark is None else str(mark.get("title", ""))
    if not redirect and (mark is not None or site.version in UNMARKED):
        written = _OLD_REDIRECT.match(text)
        redirect = written.group(1) if written else redirect  # "" for a redirect whose target cannot be found
    return Page(title, namespace, text, redirect, version, deleted)


_escaped: Final = partial(escape, entities={'"': "&quot;"})


def canonical(page: Page) -> bytes:
    """Return the page in the layout of MediaWiki's exporter, as far as links need it."""
    redirect = "" if page.redirect is None else f'<redirect title="{_escaped(page.redirect)}" />'
    return (
        f"<page><title>{_escaped(page.title)}</title><ns>{page.namespace}</ns>{redirect}"
        f'<revision><text xml:space="preserve">{_escaped(page.text)}</text></revision></page>'
    ).encode()


def unescape_xml(text: str) -> str:
    """Return the text with the entities read that MediaWiki's exporter writes."""
    if "&" not in text:
        return text
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")


# Siteinfo is about 10 KB long, and pages begin after it.
_HEAD_BYTES: Final = 1 << 18
_ROOT: Final = re.compile(rb"<mediawiki\b[^<>]*+>")
_SITEINFO: Final = re.compile(rb"<siteinfo\b")
_SITEINFO_END: Final = b"</siteinfo>"
_VERSION: Final = re.compile(rb"""\bversion=["']([^"']*)["']""")
_KEY: Final = re.compile(r"-?[0-9]{1,9}", re.ASCII)
_LANGUAGE: Final = re.compile(rb"""\bxml:lang=["']([^"']*)["']""")


def find_siteinfo(path: str, ranges: Sequence[Range], open_binary: Opener = files.open_binary) -> SiteInfo | None:
    """Return the wiki of a dump file, from the text before its first page; None if that text cannot be decoded.

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
    language, version = (pattern.search(tag) for pattern in (_LANGUAGE, _VERSION))
    namespaces, cases = dict[int, str](), list[str]()
    for element in info.iterfind("namespaces/namespace"):
        key = element.get("key")
        if key is None or not _KEY.fullmatch(key):
            raise DamagedInputError(f"expected the number of a namespace in <siteinfo>, saw {str(key)[:80]!r}")
        namespaces[int(key)] = element.text or ""
        if int(key) == 0 and element.get("case"):
            cases.append(element.get("case"))  # that of articles goes before that of the wiki
    return SiteInfo(
        dbname=info.findtext("dbname", ""),
        language=language[1].decode(errors="replace") if language else "",
        version=version[1].decode(errors="replace") if version else "",
        first_letter=(cases or [info.findtext("case", "first-letter")])[0] == "first-letter",
        namespaces=namespaces,
    )
