"""A chunk of XML in, counted links out: which pages count, in which layouts, and what becomes of the others."""

import pytest

from tests.links.parser_reference import counted
from wikisem.dumps import Chunk
from wikisem.links.scan import scan_chunk
from wikisem.wikipedia.languages import SiteInfo

SITE = SiteInfo(dbname="enwiki", language="en", version="0.10")
OLD = SiteInfo(dbname="enwiki", language="en", version="0.3")
HEAD = '<mediawiki version="0.10"><siteinfo><base>[[x]]</base></siteinfo>\n'


def page(title: str, text: str, ns: int = 0, extra: str = "") -> str:
    """One page in the exporter's layout; ``text`` is escaped already."""
    return (
        f"  <page>\n    <title>{title}</title>\n    <ns>{ns}</ns>\n    <id>1</id>\n{extra}"
        "    <revision>\n      <id>2</id>\n      <comment>[[no]]</comment>\n"
        f'      <text bytes="9" xml:space="preserve">{text}</text>\n    </revision>\n  </page>\n'
    )


def mentions(chunk: str, site: SiteInfo = SITE) -> dict[tuple[str, str], int]:
    """The mentions of a chunk; every page must be accounted for."""
    found = scan_chunk(chunk.encode(), site)
    found.pages.check("mentions")
    return {(link.target, link.anchor): count for link, count in counted(found).items()}


def test_links_are_counted_by_chunk() -> None:
    """Equal links of all pages of a chunk add up, however they are written."""
    chunk = page("A", "[[bus]] [[Bus|bus]] [[car|Cars]] [[Car#x|Cars]]") + page("B", "[[ bus]] [[no")
    assert mentions(chunk + page("C", "]] [[z]]")) == {("Bus", "bus"): 3, ("Car", "Cars"): 2, ("Z", "z"): 1}


def test_only_the_text_of_articles_counts() -> None:
    """Neither the head of the dump, nor comments on revisions, nor what follows the last page holds links."""
    assert mentions(HEAD + page("A", "[[x]]") + "</mediawiki>\n[[y]]") == {("X", "x"): 1}


def test_every_page_is_accounted_for() -> None:
    """Pages in = kept + left out + unreadable, with broken pages in the middle and the pages after them still read."""
    chunk = (
        page("A", "[[x]]")
        + page("Talk:A", "[[no]]", ns=1)
        + "  <page>\n    <title>Broken</title>\n    <oops>\n  </page>\n"
        + page("R", "#REDIRECT [[A]]", extra='    <redirect title="A" />\n')
        + "  <page>\n    <title>Cut off"
        + page("S", "#REDIRECT [[Talk:A]]", extra='    <redirect title="Talk:A" />\n')
        + page("T", "#REDIRECT [[fr:A]]", extra='    <redirect title="fr:A" />\n')
        + "  <page><title>D</title><ns>0</ns><revision><text deleted='deleted' /></revision></page>\n"
        + '  <page>\n<title>E</title><ns>0</ns><revision><text bytes="0" /></revision></page>\n'
        + page("Z", "[[z]]")
    )
    found = scan_chunk(chunk.encode(), SITE, locate=Chunk(b"", "f.xml.bz2", 4, 17).location)
    found.pages.check("mentions")
    assert found.pages.kept == 3
    assert found.pages.left_out == {"deleted": 1, "namespace": 1, "redirect": 1, "redirect-elsewhere": 2}
    assert found.pages.unreadable == {"bad-page": 2}
    assert [record.where for record in found.unreadable] == [
        f"f.xml.bz2:4+{17 + chunk.index('<page>', chunk.index('</page>', chunk.index('Talk:A')))}",
        f"f.xml.bz2:4+{17 + chunk.index('<page>', chunk.index('</page>', chunk.index('title>R')))}",
    ]
    assert found.redirects.to_pylist() == [{"source": "R", "target": "A"}]
    assert sorted(found.mentions["title"].to_pylist()) == ["X", "Z"]


def test_redirects_lose_their_section_and_their_escapes() -> None:
    """Source and target of a redirect are titles in their normal form."""
    chunk = page("Q &amp; A", "", extra='    <redirect title="R&amp;D#b &quot;c&quot;" />\n')
    found = scan_chunk(chunk.encode(), SITE)
    assert found.redirects.to_pylist() == [{"source": "Q & A", "target": "R&D"}]
    assert found.mentions.num_rows == 0


def test_old_dumps_have_neither_namespaces_nor_marked_redirects() -> None:
    """In schema 0.3 the title tells the namespace and the text tells the redirect, in any language."""
    bare = "<page><title>{}</title><id>1</id><revision><text xml:space='preserve'>{}</text></revision></page>\n"
    chunk = (
        bare.format("A", "[[x]] # one [[y]]")
        + bare.format("Talk:A", "[[no]]")
        + bare.format("R", "#WEITERLEITUNG [[a#b|c]]")
        + bare.format("L", "#[[item]]")
    )
    found = scan_chunk(chunk.encode(), OLD)
    assert found.pages.left_out == {"namespace": 1, "redirect": 1}
    assert found.redirects.to_pylist() == [{"source": "R", "target": "A"}]
    assert sorted(found.mentions["title"].to_pylist()) == ["Item", "X", "Y"]
    assert mentions(page("L", "#REDIRECT [[a]] is how"), SITE) == {("A", "a"): 1}


def test_a_redirect_without_a_title_is_read_from_its_text() -> None:
    """Schema 0.4 marks redirects without saying where they lead."""
    chunk = page("R", "#redirect: [[a_b]]", extra="    <redirect />\n") + page("S", "?", extra="    <redirect />\n")
    found = scan_chunk(chunk.encode(), SITE)
    assert found.redirects.to_pylist() == [{"source": "R", "target": "A b"}]
    assert found.pages.left_out == {"redirect": 1, "redirect-elsewhere": 1}


@pytest.mark.parametrize(
    "text",
    [
        '<text bytes="9" sha1="x">[[a]]</text><sha1>x</sha1><content><role>x</role><text>[[no]]</text></content>',
        "<text><![CDATA[[[a]] <nowiki>[[no]]</nowiki>]]></text>",
        "<text>&#91;[a&#x5d;]</text>",
        "<text>[[a<!-- XML comment -->]]</text>",
        "<text>&lt;!-- [[no]] --> &lt;nowiki>[[no]]&lt;/nowiki> [[a]]</text>",
        f'<text id="{"x" * 300}">[[a]]</text>',
    ],
)
def test_text_in_many_layouts(text: str) -> None:
    """Slots after the main one, CDATA, numeric entities, raw ``>`` and long tags all read alike."""
    chunk = f"<page>\n<title>P</title><ns>0</ns><revision><id>1</id>{text}</revision></page>"
    assert mentions(page("A", "[[x]]") + chunk + page("B", "[[y]]")) == {("X", "x"): 1, ("A", "a"): 1, ("Y", "y"): 1}


def test_the_last_revision_counts() -> None:
    """A history dump has many revisions of a page, the newest last."""
    chunk = "<page><title>A</title><ns>0</ns>" + "".join(
        f"<revision><id>{number}</id><text>[[{number}]]</text></revision>" for number in (7, 8, 9)
    )
    assert mentions(chunk + "</page>") == {("9", "9"): 1}


def test_broken_encoding_costs_its_page_alone() -> None:
    """A page whose links are not UTF-8 is unreadable; the pages around it count."""
    chunk = page("A", "[[x]]").encode() + page("B", "[[café]]").encode("latin-1") + page("C", "[[y]]").encode()
    found = scan_chunk(chunk, SITE)
    found.pages.check("mentions")
    assert found.pages.unreadable == {"bad-page": 1}
    assert sorted(found.mentions["title"].to_pylist()) == ["X", "Y"]


@pytest.mark.parametrize("data", [b"", b"\n", b"</mediawiki>", HEAD.encode(), page("A", "").encode()])
def test_chunks_without_links(data: bytes) -> None:
    """They give empty tables of the right columns."""
    found = scan_chunk(data, SITE)
    found.pages.check("mentions")
    assert found.mentions.to_pydict() == {"title": [], "anchor": [], "count": []}
    assert found.redirects.to_pydict() == {"source": [], "target": []}
    assert found.unreadable == ()


def test_a_dump_that_does_not_tell_its_schema_may_have_unmarked_redirects() -> None:
    """Without a version the text must say which pages are redirects, in the exporter's layout too."""
    site = SiteInfo(dbname="enwiki", language="en", version="")
    found = scan_chunk((page("R", "#REDIRECT [[a]]") + page("L", "#[[item]]") + page("A", "[[x]]")).encode(), site)
    found.pages.check("mentions")
    assert found.redirects.to_pylist() == [{"source": "R", "target": "A"}]
    assert sorted(found.mentions["title"].to_pylist()) == ["Item", "X"]
