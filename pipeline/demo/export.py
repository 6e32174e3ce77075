"""Pages into the XML of MediaWiki's exporter, byte for byte as it lays them out (schema 0.11, MediaWiki 1.43)."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Final
from xml.sax.saxutils import escape

from wikisem.pipeline.demo.articles import Edition
from wikisem.records import Page

_SCHEMA: Final = "http://www.mediawiki.org/xml/export-0.11/"
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


def export(edition: Edition, pages: Iterable[Page]) -> Iterator[str]:
    """The pieces of the dump file of an edition, in order."""
    yield _head(edition)
    yield from (page_xml(page, number) for number, page in enumerate(pages, start=1))
    yield "</mediawiki>\n"


def _head(edition: Edition) -> str:
    spaces = "".join(
        f'      <namespace key="{key}" case="first-letter"' + (f">{name}</namespace>\n" if name else " />\n")
        for key, name in enumerate(edition.words["namespaces"], start=-2)
    )
    language = edition.language
    return (
        f'<mediawiki xmlns="{_SCHEMA}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        f'xsi:schemaLocation="{_SCHEMA} http://www.mediawiki.org/xml/export-0.11.xsd" version="0.11" '
        f'xml:lang="{language}">\n'
        f"  <siteinfo>\n    <sitename>{edition.words['sitename']}</sitename>\n    <dbname>{language}wiki</dbname>\n"
        f"    <base>https://{language}.wikipedia.org/wiki/</base>\n    <generator>MediaWiki 1.43.0</generator>\n"
        f"    <case>first-letter</case>\n    <namespaces>\n{spaces}    </namespaces>\n  </siteinfo>\n"
    )


def page_xml(page: Page, number: int) -> str:
    """One page element; ids follow from its number, and every revision has the same date."""
    redirect = f'    <redirect title="{_quoted(page.redirect)}" />\n' if page.redirect else ""
    data = page.text.encode()
    return (
        f"  <page>\n    <title>{_quoted(page.title)}</title>\n    <ns>{page.namespace}</ns>\n    <id>{number}</id>\n"
        f"{redirect}    <revision>\n      <id>{1000 + number}</id>\n      <timestamp>2026-01-01T00:00:00Z</timestamp>\n"
        "      <contributor>\n        <username>Sample</username>\n        <id>1</id>\n      </contributor>\n"
        f"      <origin>{1000 + number}</origin>\n      <model>wikitext</model>\n      <format>text/x-wiki</format>\n"
        f'      <text bytes="{len(data)}" sha1="{_sha1(data)}" xml:space="preserve">{_quoted(page.text)}</text>\n'
        f"      <sha1>{_sha1(data)}</sha1>\n    </revision>\n  </page>\n"
    )


def _quoted(text: str) -> str:
    return escape(text, {'"': "&quot;"})


def _sha1(data: bytes) -> str:
    """The SHA-1 of a string as MediaWiki writes it: 31 digits of base 36."""
    number, digits = int.from_bytes(hashlib.sha1(data, usedforsecurity=False).digest(), "big"), ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits.rjust(31, "0")
