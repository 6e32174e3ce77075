"""One link at a time, for contents that columns cannot decide.

>>> site = SiteInfo("enwiki", "en")
>>> read_link("moon&amp;sun#x|the ''moon''{{ref}} ]]s", site)
Link(target='Moon&sun', anchor='the moons')
>>> read_link(":Category:Moons|moons", site)
"""

import re
from typing import Final

from wikisem.records import Link
from wikisem.wikipedia.siteinfo import SiteInfo
from wikisem.wikipedia.titles import link_title, unescape, unquoted
from wikisem.wikipedia.wikitext import anchor_text, visible
from wikisem.wikipedia.xml_pages import unescape_xml

_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def read_escaped(content: str, site: SiteInfo) -> Link | None:
    """The link of a content as written in the XML of a dump."""
    return read_link(unescape_xml(content), site)


def read_link(content: str, site: SiteInfo) -> Link | None:
    """The link between ``[[`` and ``]]``; None if it leads to no article or shows no text.

    What follows a ``]]`` in the content is the trail of the link.
    """
    inside, _, trail = content.rpartition("]]")
    if not inside or ">" in trail:  # brackets in a comment or the like, which ends with one
        inside, trail = content, ""
    # {{!}} is how templates write a bar.
    shown = _COMMENT.sub("", inside) if "<!--" in inside else inside
    target, bar, anchor = shown.replace("{{!}}", "|").partition("|")
    link = make_link(target, anchor if bar else None, site)
    return Link(link.target, link.anchor + trail) if link and trail else link


def read_anchor(anchor: str) -> str | None:
    """What a reader sees of an anchor as written in the XML, without a bracket or brace in it; None for nothing."""
    return anchor_text(_COMMENT.sub("", unescape_xml(anchor))) or None


def make_link(target: str, anchor: str | None, site: SiteInfo) -> Link | None:
    """The link from the wikitext of its target and of its anchor, which is None where there is no bar."""
    title = link_title(target, site)
    if title is None or title.namespace != 0:
        return None
    shown = _as_written(target) if anchor is None else anchor_text(anchor)
    return Link(title.text, shown) if shown else None


def _as_written(target: str) -> str:
    """What an unpiped link shows: its target, without the colon that only keeps it a link."""
    return visible(unescape(unquoted(target)).strip().removeprefix(":").replace("_", " "))
