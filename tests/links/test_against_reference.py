"""The columns find what a slow scanner finds, on any wikitext and however it is laid out."""

from collections import Counter
from xml.sax.saxutils import escape

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.links.parser_reference import counted
from tests.links.reference import count_links
from wikisem.links.scan import scan_chunk
from wikisem.records import Link, Page
from wikisem.wikipedia.languages import SiteInfo
from wikisem.wikipedia.xml_pages import canonical

SITE = SiteInfo(dbname="enwiki", language="en", version="0.11", namespaces={6: "Datei"})
TRAIL = "[a-zäж]+"

# What wikitext is made of where links are concerned, plain words first so that links are common.
_LINKS = ["[[", "]]", "[[", "]]", "[[a]]", "[[b|c]]", "[[ж|é]]s", "[", "]", "|", "{{!}}"]
_WORDS = ["a", "B", "ß", "ж", "日本", "𐐨", "ı", "ce", " ", "\n", "_", "\u00a0", "\u200e", "#", ":", "~~~", "./", "//"]
_MARKUP = ["''", "'", "%", "%41", "&amp;", "&nbsp;", "&", "{{", "}}", "-{", "}-", "Datei:", "fr:", "x:", "en:", "file:"]
_TAGS = ["<!--", "-->", "<nowiki>", "</nowiki>", "<nowiki/>", "<pre x='y'>", "</PRE>", "<ref>", "</ref>", "<math>"]
_MORE_TAGS = ["</math>", "<br/>", "<small>", "<ce>", "</ce >"]
PIECES = st.sampled_from([*_LINKS, *_WORDS, *_MARKUP, *_TAGS, *_MORE_TAGS])
TEXTS = st.lists(PIECES, max_size=30).map("".join)


@given(st.lists(TEXTS, min_size=1, max_size=4), st.sampled_from(["", TRAIL]))
@settings(max_examples=150, deadline=None)
@example(["[[]]"], "")
@example(["[[a|<nowiki>]]</nowiki>]]", "[[[a|b]]]"], "")
def test_columns_find_what_the_slow_scanner_finds(texts: list[str], trail: str) -> None:
    """Pages of a chunk do not run into each other, and every page gives the links it gives alone."""
    data = b"\n".join(canonical(Page(f"P{number}", 0, text)) for number, text in enumerate(texts))
    expected: Counter[Link] = sum((count_links(text, SITE, trail) for text in texts), Counter())
    found = scan_chunk(data, SITE, trail)
    assert counted(found) == expected
    assert found.pages.kept == len(texts)


@given(TEXTS, st.sampled_from(["", TRAIL]))
@settings(max_examples=60, deadline=None)
def test_layout_does_not_matter(text: str, trail: str) -> None:
    """CDATA, raw quotes and numeric entities in XML give what the exporter's layout gives."""
    cdata = f"<![CDATA[{text.replace(']]>', ']] >')}]]>"
    plain = escape(text).replace("[", "&#x5B;")
    for content, wikitext in ((cdata, text.replace("]]>", "]] >")), (plain, text)):
        page = (
            f"<page><title>T</title>\n<ns>0</ns><revision><text xml:space='preserve'>{content}</text></revision></page>"
        )
        usual = scan_chunk(canonical(Page("T", 0, wikitext)), SITE, trail)
        assert counted(scan_chunk(page.encode(), SITE, trail)) == counted(usual)
