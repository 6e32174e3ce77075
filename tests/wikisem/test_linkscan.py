"""A chunk of XML in, counted links out."""

from wikisem.linkscan import scan_chunk
from wikisem.mediawiki import SiteInfo

SITE = SiteInfo(dbname="enwiki", language="en", version="0.10")


def page(title: str, text: str, ns: int = 0, extra: str = "") -> str:
    """One page in the exporter's layout; ``text`` is escaped already."""
    return (
        f"  <page>\n    <title>{title}</title>\n    <ns>{ns}</ns>\n    <id>1</id>\n{extra}"
        "    <revision>\n      <id>2</id>\n"
        f'      <text bytes="9" xml:space="preserve">{text}</text>\n    </revision>\n  </page>\n'
    )


def test_links_are_counted_by_chunk() -> None:
    """Equal links of all pages of a chunk make one row."""
    chunk = page("A", "[[bus]] [[Bus|bus]] [[car|Cars]]") + page("B", "[[Bus|bus]]")
    found = scan_chunk(chunk.encode(), SITE).mentions.to_pylist()
    assert sorted(map(tuple, (row.values() for row in found))) == [("Bus", "bus", 3), ("Car", "Cars", 1)]


def test_every_page_is_accounted_for() -> None:
    """Pages in = kept + left out + rejected, with a broken page in the middle and the pages behind it still read."""
    chunk = (
        page("A", "[[x]]")
        + page("Talk:A", "[[no]]", ns=1)
        + "  <page>\n    <title>Broken</title>\n    <oops>\n  </page>\n"
        + page("R", "#REDIRECT [[A]]", extra='    <redirect title="A" />\n')
        + page("S", "#REDIRECT [[Talk:A]]", extra='    <redirect title="Talk:A" />\n')
        + page("Z", "[[z]]")
    )
    found = scan_chunk(chunk.encode(), SITE, where="f.xml:0")
    found.pages.check("mentions")
    assert found.pages.kept == 2
    assert found.pages.left_out == {"namespace": 1, "redirect": 1, "redirect-elsewhere": 1}
    assert [reject.where.startswith("f.xml:0") for reject in found.rejects] == [True]
    assert found.redirects.to_pylist() == [{"source": "R", "target": "A"}]
    assert sorted(found.mentions["title"].to_pylist()) == ["X", "Z"]
