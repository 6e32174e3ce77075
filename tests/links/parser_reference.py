"""The judge of the scanner: the same page through mwparserfromhell, its links made the same way."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import mwparserfromhell

from wikisem.links.mentions import make_link
from wikisem.links.scan import ChunkLinks, scan_chunk
from wikisem.records import Link, Page
from wikisem.wikipedia.languages import SiteInfo
from wikisem.wikipedia.xml_pages import canonical

_GALLERY: Final = re.compile(r"(<gallery\b[^>]*>).*?(</gallery>)", re.DOTALL | re.IGNORECASE)
_CELL: Final = re.compile(r"</?t[dhr]\b[^<>]*>", re.IGNORECASE)


def parsed_links(text: str) -> Iterator[tuple[str, str | None]]:
    """Every link that mwparserfromhell sees, as the wikitext of its target and of its anchor."""
    for link in mwparserfromhell.parse(text).ifilter_wikilinks():
        yield str(link.title), None if link.text is None else str(link.text)


def parsed(page: Page, site: SiteInfo) -> Counter[Link]:
    """The links to articles that mwparserfromhell sees in a page."""
    links = (make_link(target, anchor, site) for target, anchor in parsed_links(page.text))
    return Counter(link for link in links if link)


def scanned(page: Page, site: SiteInfo) -> Counter[Link]:
    """The links to articles that the scanner sees in a page."""
    return counted(scan_chunk(canonical(page), site))


def counted(found: ChunkLinks) -> Counter[Link]:
    """The links of a chunk, summed up."""
    links: Counter[Link] = Counter()
    for row in found.mentions.to_pylist():
        links[Link(row["title"], row["anchor"])] += row["count"]
    return links


def without_galleries(page: Page) -> Page:
    """The page with its galleries empty; the parser reads none of their captions."""
    return replace(page, text=_GALLERY.sub(r"\1\2", page.text))


def without_cells(page: Page) -> Page:
    """The page without the HTML tags of table cells; left open, they nest deeper than the parser reads."""
    return replace(page, text=_CELL.sub("", page.text))
