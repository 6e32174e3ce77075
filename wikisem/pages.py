"""Pages of a dump, one at a time, through an XML parser: slow, and right for any layout and schema 0.3 to 0.11."""

from typing import Any

from lxml import etree

from wikisem.errors import DamagedInputError
from wikisem.mediawiki import SiteInfo
from wikisem.records import Page
from wikisem.titles import read_title


def read_page(data: bytes, site: SiteInfo) -> Page | None:
    """The page that ``<page>...</page>`` holds; None when its text was deleted.

    Of several revisions the last written counts, of several slots the main one. Raises DamagedInputError when the
    bytes are no well-formed page.
    """
    parser = etree.XMLParser(huge_tree=True, resolve_entities=False, no_network=True)
    try:
        page = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise DamagedInputError(f"expected a well-formed <page>, saw {error}") from error
    title, revisions = page.findtext("title"), page.findall("revision")
    if title is None or not revisions:
        raise DamagedInputError("expected a <page> with a <title> and a <revision>, saw one without")
    text = revisions[-1].find("text")
    if text is None or text.get("deleted"):
        return None
    return Page(title, _namespace(page, title, site), text.text or "", _redirect(page))


def _namespace(page: Any, title: str, site: SiteInfo) -> int:
    number = page.findtext("ns")
    if number is not None:
        return int(number)
    read = read_title(title, site)
    return read.namespace if read else 0


def _redirect(page: Any) -> str | None:
    found = page.find("redirect")
    return None if found is None else found.get("title", "")
