"""A chunk of XML in, its links counted out."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from wikisem.errors import DamagedInputError
from wikisem.mediawiki import SiteInfo
from wikisem.pages import read_page
from wikisem.records import Counts, Link, Page, Reject
from wikisem.schemas import MENTIONS
from wikisem.titles import link_title, read_title
from wikisem.wikitext import anchor_text, visible

REDIRECTS: Final = pa.schema([("source", pa.string()), ("target", pa.string())])

_PAGE: Final = re.compile(rb"<page\b.*?(?:</page>|\Z)", re.DOTALL)
_DEAD: Final = re.compile(
    r"<!--.*?(?:-->|\Z)|<(nowiki|pre|math|source|syntaxhighlight|timeline|score|chem|ce|hiero|includeonly|templatedata"
    r"|graph|imagemap|inputbox|categorytree|mapframe|maplink)(?:\s[^<>]*)?(?<!/)>.*?</\1\s*>",
    re.DOTALL | re.IGNORECASE,
)
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LINK: Final = re.compile(r"\[\[((?:(?!\[\[|\]\]).)*)\]\]", re.DOTALL)
_OLD_REDIRECT: Final = re.compile(r"\s*#\w+\s*:?\s*\[\[([^\]|]*)")


@dataclass(frozen=True, slots=True)
class ChunkLinks:
    """The links of a chunk: ``mentions`` (title, anchor, count), ``redirects`` (source, target), both of namespace 0.

    ``pages`` counts pages: kept are the articles, left out ``namespace``, ``redirect``, ``redirect-elsewhere`` (to
    another namespace or wiki) and ``deleted``, rejected what ``rejects`` describes.
    """

    mentions: pa.Table
    redirects: pa.Table
    pages: Counts
    rejects: tuple[Reject, ...] = ()


def scan_chunk(data: bytes, site: SiteInfo, trail: str = "", where: str = "") -> ChunkLinks:
    """Count the links of the articles in a chunk of XML that was cut behind ``</page>``.

    ``trail`` is a regular expression for the letters behind ``]]`` that count for the anchor, "" for none; ``where``
    names the chunk in rejects.
    """
    links: Counter[Link] = Counter()
    redirects: list[tuple[str, str]] = []
    left_out: Counter[str] = Counter()
    rejects: list[Reject] = []
    kept = 0
    for found in _PAGE.finditer(data):
        try:
            page = read_page(found.group(), site)
        except DamagedInputError as error:
            rejects.append(Reject("mentions", "bad-page", f"{where}+{found.start()}", str(error)))
            continue
        if page is None:
            left_out["deleted"] += 1
        elif page.namespace != 0:
            left_out["namespace"] += 1
        elif (target := redirect_target(page, site)) is not None:
            left_out["redirect" if target else "redirect-elsewhere"] += 1
            redirects.extend([(page.title, target)] if target else [])
        else:
            kept += 1
            links.update(read_links(page.text, site, trail))
    read = kept + left_out.total() + len(rejects)
    pages = Counts(read, kept, dict(sorted(left_out.items())), {"bad-page": len(rejects)} if rejects else {})
    return ChunkLinks(_mentions(links), _redirects(redirects), pages, tuple(rejects))


def redirect_target(page: Page, site: SiteInfo) -> str | None:
    """The article that a page redirects to; "" for elsewhere, None for a page that is no redirect."""
    written = page.redirect
    if not written and (written is not None or site.version == "0.3"):
        found = _OLD_REDIRECT.match(page.text)
        written = found.group(1) if found else written
    if written is None:
        return None
    title = read_title(written, site)
    return title.text if title and title.namespace == 0 else ""


def read_links(text: str, site: SiteInfo, trail: str = "") -> Iterator[Link]:
    """Every link to an article that a reader of the wikitext sees, in order."""
    letters = re.compile(trail)
    text = _COMMENT.sub("", text)
    text = _DEAD.sub(lambda found: found.group().replace("[[", "\0\0").replace("]]", "\0\0"), text)
    for found in _LINK.finditer(text):
        link = read_link(found.group(1), site)
        behind = letters.match(text, found.end())
        if link is not None:
            yield Link(link.target, link.anchor + behind.group()) if behind and trail else link


def read_link(content: str, site: SiteInfo) -> Link | None:
    """The link that stands between ``[[`` and ``]]``; None if it leads to no article or shows no text."""
    target, bar, anchor = content.replace("{{!}}", "|").partition("|")
    title = link_title(target, site)
    if title is None or title.namespace != 0:
        return None
    shown = anchor_text(anchor) if bar else visible(target.strip().removeprefix(":").replace("_", " "))
    return Link(title.text, shown) if shown else None


def _mentions(links: Counter[Link]) -> pa.Table:
    columns = [[link.target for link in links], [link.anchor for link in links], list(links.values())]
    return pa.table(columns, schema=MENTIONS)


def _redirects(pairs: list[tuple[str, str]]) -> pa.Table:
    return pa.table([[source for source, _ in pairs], [target for _, target in pairs]], schema=REDIRECTS)
