"""A wiki of a few pages as a dump, for tests: one page broken in the middle, redirects of every kind, a red link."""

import bz2
import gzip
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

_HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="{language}">
  <siteinfo>
    <sitename>Vikipedeja</sitename>
    <dbname>{dbname}</dbname>
    <case>first-letter</case>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="6" case="first-letter">Fails</namespace>
      <namespace key="14" case="first-letter">Kategoreja</namespace>
    </namespaces>
  </siteinfo>
"""
_TAIL = "</mediawiki>\n"
BROKEN = "  <page>\n    <title>Broken</title>\n    <ns>0</ns>\n    <revision><text>[[Rīga]] & lost</text>\n  </page>\n"


def page(
    number: int, title: str, text: str, redirect: str | None = None, namespace: int = 0, revision: int | None = None
) -> str:
    """One page as the exporter writes it; its revision has the number of the page if it has no other."""
    mark = "" if redirect is None else f'    <redirect title="{escape(redirect)}" />\n'
    return (
        f"  <page>\n    <title>{escape(title)}</title>\n    <ns>{namespace}</ns>\n    <id>{number}</id>\n{mark}"
        f"    <revision>\n      <id>{number if revision is None else revision}</id>\n"
        f'      <text bytes="1" xml:space="preserve">{escape(text)}</text>\n    </revision>\n  </page>\n'
    )


PAGES = (
    page(1, "Rīga", "'''Rīga''' is on the [[Daugova]], see [[Latveja|Latvia]] and [[Reiga]]."),
    page(2, "Reiga", "#REDIRECT [[Rīga]]", redirect="Rīga"),
    page(3, "Latveja", "[[Rīga|the capital]] of [[Latveja]]; [[reiga]], [[Rīga]] and [[Rīga|the capital]]."),
    BROKEN,
    page(4, "Galvys piļsāta", "#REDIRECT [[Reiga]]", redirect="Reiga"),
    page(
        5,
        "Daugova",
        "A river through [[galvys piļsāta]] and [[Reiga|the capital]]. [[Kategoreja:Upe]] [[Red link|red]]",
    ),
    page(6, "Upe", "#REDIRECT [[Daugova#Source]]", redirect="Daugova#Source"),
    page(7, "Fails", "#REDIRECT [[Kategoreja:Upe]]", redirect="Kategoreja:Upe"),
    page(8, "Kategoreja:Upe", "Links of [[Rīga|categories]] are not counted.", namespace=14),
    page(9, "Jiura", "[[Upe|a stream]] ends in the [[sea]]; [[upe|a stream]], [[Fails|elsewhere]]."),
)
# What a reader counts by hand, redirects followed one step: (title, anchor, count), by title, count and anchor.
MENTIONS = [
    ("Daugova", "a stream", 2),
    ("Daugova", "Daugova", 1),
    ("Fails", "elsewhere", 1),
    ("Latveja", "Latveja", 1),
    ("Latveja", "Latvia", 1),
    ("Red link", "red", 1),
    ("Reiga", "galvys piļsāta", 1),
    ("Rīga", "the capital", 3),
    ("Rīga", "Reiga", 1),
    ("Rīga", "Rīga", 1),
    ("Rīga", "reiga", 1),
    ("Sea", "sea", 1),
]


def dump(pages: Sequence[str] = PAGES, dbname: str = "ltgwiki") -> bytes:
    """The pages with head and tail."""
    return "".join([_HEAD.format(language="ltg", dbname=dbname), *pages, _TAIL]).encode()


def write_parts(folder: Path) -> list[str]:
    """The pages in three files of three forms, which do not sort by their pages, and an index beside one of them."""
    folder.mkdir(parents=True, exist_ok=True)
    streams = [_HEAD.format(language="ltg", dbname="ltgwiki"), *PAGES[:4], _TAIL]
    first = folder / "pages-multistream2.xml-p1p3.bz2"
    first.write_bytes(b"".join(bz2.compress(text.encode()) for text in streams))
    (folder / "pages-multistream-index2.txt-p1p3.bz2").write_bytes(bz2.compress(b"600:1:R\xc4\xabga\n"))
    second, third = folder / "pages1.xml-p4p6.gz", folder / "pages3.xml-p7p9"
    second.write_bytes(gzip.compress(dump(PAGES[4:7]), mtime=0))
    third.write_bytes(dump(PAGES[7:]))
    return [str(path) for path in (first, second, third)]
