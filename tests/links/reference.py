"""The scanner once more, character by character and without haste: what the columns are held against."""

import re
from collections import Counter
from collections.abc import Iterator

from wikisem.links.single import read_link
from wikisem.records import Link
from wikisem.wikipedia.siteinfo import SiteInfo

DEAD = ("nowiki", "pre", "math", "source", "syntaxhighlight", "includeonly", "ce", "chem", "timeline")
_TAG = re.compile(rf"<({'|'.join(DEAD)})(?:\s[^<>]*?)?(/?)\s*>", re.IGNORECASE)


def count_links(text: str, site: SiteInfo, trail: str = "") -> Counter[Link]:
    """Every link of a page's wikitext."""
    links = (read_link(content, site) for content in _contents(text, trail))
    return Counter(link for link in links if link)


def _contents(text: str, trail: str) -> Iterator[str]:
    start = None
    place = 0
    while place < len(text):
        dead = _dead(text, place)
        if dead:
            place = dead
        elif text.startswith("[[", place):
            run = len(text) - place - len(text[place:].lstrip("["))
            place += run
            start = place if run % 2 == 0 else None
        elif text.startswith("]]", place):
            if start is not None:
                end = place + (text.startswith("]]]", place) and "[" in text[start:place])
                letters = re.compile(trail).match(text, end + 2)
                yield text[start:end] + (f"]]{letters.group()}" if letters and letters.group() else "")
            start = None
            place += len(text) - place - len(text[place:].lstrip("]"))
        else:
            place += 1


def _dead(text: str, place: int) -> int | None:
    if text.startswith("<!--", place):
        end = text.find("-->", place + 4)
        return len(text) if end < 0 else end + 3
    tag = _TAG.match(text, place)
    if tag is None or tag.group(2):
        return None
    closing = re.compile(rf"</{tag.group(1)}\s*>", re.IGNORECASE).search(text, tag.end())
    return closing.end() if closing else None
