"""Pages through the XML parser: every layout of the schema, and nothing from outside the page."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.errors import DamagedInputError
from wikisem.records import Page
from wikisem.wikipedia.languages import SiteInfo
from wikisem.wikipedia.xml_pages import LAYOUT, canonical, read_page, unescape_xml

SITE = SiteInfo(dbname="dewiki", language="de", version=LAYOUT, namespaces={0: "", 1: "Diskussion", 6: "Datei"})
OLD = SiteInfo(dbname="dewiki", language="de", version="0.3", namespaces={0: "", 1: "Diskussion"})
# What XML can hold and a parser leaves as it is: line ends are made equal, and white space in attributes is.
# Joined here: ``st.text`` takes two alphabets for one large one, in which what XML escapes is rare.
TEXT = st.lists(st.characters(exclude_categories=["C"]) | st.sampled_from("<>&\"'\n"), max_size=30).map("".join)
TITLE = st.lists(st.characters(exclude_categories=["C", "Z"]) | st.sampled_from("<>&\"' "), min_size=1, max_size=9).map(
    "".join
)


def page(inside: str, text: str = "<text>a</text>") -> bytes:
    """A page with a title and one revision."""
    return f"<page><title>Seite</title>{inside}<revision><id>1</id>{text}</revision></page>".encode()


@given(TITLE, st.sampled_from([-1, 0, 1, 828]), TEXT, st.none() | TITLE)
def test_a_page_in_our_layout_reads_as_itself(title: str, namespace: int, text: str, redirect: str | None) -> None:
    """Whatever signs of markup are in title, text and redirect."""
    written = Page(title, namespace, text, redirect)
    assert read_page(canonical(written), SITE) == written


@given(TEXT)
def test_entities_of_the_exporter_are_read_once(text: str) -> None:
    """An escaped "&amp;lt;" is "&lt;", and no "<"."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    assert unescape_xml(escaped) == text


@pytest.mark.parametrize(
    ("inside", "namespace"),
    [
        ("<ns>1</ns>", 1),
        ("<ns> -2\n</ns>", -2),
        ("<ns>one</ns>", 0),
        ("<ns />", 0),
        ("", 0),
    ],
)
def test_the_namespace_is_a_number_or_else_that_of_the_title(inside: str, namespace: int) -> None:
    """Where the element is missing or odd, the prefix of the title says it."""
    found = read_page(page(inside), SITE)
    assert found.namespace == namespace
    talk = read_page(page(inside).replace(b"Seite", b"Diskussion:Seite"), SITE)
    assert talk.namespace == (namespace or 1)


@pytest.mark.parametrize(
    ("mark", "text", "marked", "unmarked"),
    [
        ('<redirect title="Ziel" />', "", "Ziel", "Ziel"),
        ("<redirect />", "#WEITERLEITUNG [[Ziel#x|y]]", "Ziel#x", "Ziel#x"),
        ("<redirect />", "no link", "", ""),
        ("", "#REDIRECT: [[Ziel]]", None, "Ziel"),
        ("", " \n#перенаправление[[Ziel]]", None, "Ziel"),
        ("", "#[[Ziel]]", None, None),
        ("", "a #REDIRECT [[Ziel]]", None, None),
    ],
)
def test_redirects_are_marked_or_in_old_dumps_written(
    mark: str, text: str, marked: str | None, unmarked: str | None
) -> None:
    """Until schema 0.3 only the text says it; later ones mark it, at first without the title."""
    for site, redirect in ((SITE, marked), (OLD, unmarked)):
        found = read_page(page(mark, f"<text>{text}</text>"), site)
        assert found.redirect == redirect


def test_a_deleted_text_is_none_and_an_empty_one_is_empty() -> None:
    """A page whose last revision has no text element at all counts as deleted."""
    assert read_page(page("", '<text deleted="deleted" />'), SITE) == Page("Seite", 0, "", deleted=True)
    assert read_page(page("", ""), SITE) == Page("Seite", 0, "", deleted=True)
    assert read_page(page("", '<text bytes="0" />'), SITE) == Page("Seite", 0, "")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<page><title>A</title></page>", "with a <title> and a <revision>, saw one without"),
        (b"<page><revision><text>a</text></revision></page>", "with a <title> and a <revision>"),
        (page("")[:-3], "expected a well-formed <page>"),
        (page("", "<text>a & b</text>"), "expected a well-formed <page>"),
        (page("", "<text>caf\u00e9</text>").decode().encode("latin-1"), "expected a well-formed <page>"),
        (b"", "expected a well-formed <page>"),
    ],
)
def test_what_is_no_page_is_refused(data: bytes, message: str) -> None:
    """Well-formed without its parts, cut off, or no XML."""
    with pytest.raises(DamagedInputError, match=message):
        read_page(data, SITE)


def test_entities_that_lead_to_files_are_not_followed(tmp_path: Path) -> None:
    """A dump is data: what it declares is not opened, and entities are not expanded."""
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    declared = f'<!DOCTYPE page [<!ENTITY x SYSTEM "{secret.as_uri()}"><!ENTITY y "laugh">]>'.encode()
    found = read_page(declared + page("", "<text>a &x; &y; b</text>"), SITE)
    assert "secret" not in found.text
    assert "laugh" not in found.text
