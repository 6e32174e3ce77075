"""The scanner and mwparserfromhell on every article of the real data, and what they see differently."""

import bz2
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.links.parser_reference import counted, parsed, scanned, without_cells, without_galleries
from wikisem.links.scan import scan_chunk
from wikisem.records import Link, Page
from wikisem.wikipedia.languages import SiteInfo, language_profile
from wikisem.wikipedia.xml_pages import read_page, read_siteinfo

# One dump of each wiki: the others hold the same pages.
DUMPS = ["enwiki-20220720-excerpt", "ltgwiki-20170901-pages-articles"]
DUMPS += [f"minidump-{language}" for language in ("ar", "de", "es", "he", "ja", "ko", "ru", "th", "tr", "zh")]

# Everything that they see differently once galleries and cells are set aside; docs/links.md says who is right.
ONLY_PARSED = Counter({Link("Kyrios", "κύριος ['Lord'"): 1})
ONLY_SCANNED = Counter(
    {
        Link("Kyrios", "κύριος ['Lord']"): 1,
        Link("Beethoven's violin sonatas (disambiguation)", "Beethoven's violin sonatas"): 1,
    }
)


def dump(realdata: Path, name: str) -> tuple[bytes, SiteInfo]:
    """A dump's XML and its wiki; the small dumps carry the siteinfo of another one."""
    data = bz2.decompress((realdata / "wikipedia" / f"{name}.xml.bz2").read_bytes())
    language = name.partition("-")[2] if name.startswith("minidump") else name.partition("wiki")[0]
    aliases = language_profile(language).namespace_aliases
    return data, replace(read_siteinfo(data[:100_000]), language=language, aliases=aliases)


def articles(data: bytes, site: SiteInfo) -> Iterator[Page]:
    """The articles of a dump."""
    for found in re.finditer(rb"<page>.*?</page>", data, re.DOTALL):
        page = read_page(found.group(), site)
        if page.namespace == 0 and page.redirect is None:
            yield page


@pytest.mark.slow
@pytest.mark.realdata
def test_the_parser_agrees_on_every_article(realdata: Path) -> None:
    """All but a known handful of links are seen by both, in every language."""
    judged, found, ours, confirmed = 0, 0, 0, 0
    only_parsed: Counter[Link] = Counter()
    only_scanned: Counter[Link] = Counter()
    for name in DUMPS:
        data, site = dump(realdata, name)
        for page in articles(data, site):
            theirs, all_ours = parsed(without_cells(page), site), scanned(page, site)
            aside = scanned(without_galleries(page), site) if "<gallery" in page.text.lower() else all_ours
            judged, found = judged + theirs.total(), found + (theirs & all_ours).total()
            ours, confirmed = ours + aside.total(), confirmed + (aside & theirs).total()
            only_parsed += theirs - all_ours
            only_scanned += aside - theirs
    assert judged > 60_000
    assert found / judged >= 0.9995
    assert confirmed / ours >= 0.999
    assert only_parsed == ONLY_PARSED
    assert only_scanned == ONLY_SCANNED


@pytest.mark.slow
@pytest.mark.realdata
def test_a_whole_dump_is_what_its_pages_are(realdata: Path) -> None:
    """One chunk of all pages gives the sum of the links of its articles, and every page is accounted for."""
    data, site = dump(realdata, "ltgwiki-20170901-pages-articles")
    found = scan_chunk(data, site)
    found.pages.check("mentions")
    pages = list(articles(data, site))
    assert counted(found) == sum((scanned(page, site) for page in pages), Counter())
    assert found.pages.kept == len(pages)
    assert found.pages.read == data.count(b"<page>") == 2004
    assert found.pages.left_out["redirect"] + found.pages.left_out["redirect-elsewhere"] == 147
    assert found.unreadable == ()
