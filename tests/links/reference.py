"""The scanner once more, character by character and without haste: what the columns are held against."""

import re
from collections import Counter
from collections.abc import Iterator

from wikisem.links.mentions import read_link
from wikisem.records import Link
from wikisem.wikipedia.languages import SiteInfo

SKIPPED = ("nowiki", "pre", "math", "source", "syntaxhighlight", "includeonly", "ce", "chem", "timeline")
_TAG = re.compile(rf"<({'|'.join(SKIPPED)})(?:\s[^<>]*?)?(/?)\s*>", re.IGNORECASE)


def count_links(text: str, site: SiteInfo, trail: str = "") -> Counter[Link]:
    """Every link of a page's wikitext."""
    links = (read_link(content, site) for content in _contents(text, trail))
    return Counter(link for link in links if link)


def _contents(text: str, trail: str) -> Iterator[str]:
    start = None
    position = 0
    while position < len(text):
        skipped_to = _skipped(text, position)
        if skipped_to:
            position = skipped_to
        elif text.startswith("[[", position):
            run = len(text) - position - len(text[position:].lstrip("["))
            position += run
            start = position if run % 2 == 0 else None
        elif text.startswith("]]", position):
            if start is not None:
                end = position + (text.startswith("]]]", position) and "[" in text[start:position])
                letters = re.compile(trail).match(text, end + 2)
                yield text[start:end] + (f"]]{letters.group()}" if letters and letters.group() else "")
            start = None
            position += len(text) - position - len(text[position:].lstrip("]"))
        else:
            position += 1


def _skipped(text: str, position: int) -> int | None:
    if text.startswith("<!--", position):
        end = text.find("-->", position + 4)
        return len(text) if end < 0 else end + 3
    tag = _TAG.match(text, position)
    if tag is None or tag.group(2):
        return None
    closing = re.compile(rf"</{tag.group(1)}\s*>", re.IGNORECASE).search(text, tag.end())
    return closing.end() if closing else None
