"""Only the bad page is dropped: what raises, or costs too much, is unreadable with its place and reason."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.links.test_against_parser import DUMPS, dump
from wikisem.links import markup, scan
from wikisem.links.scan import ChunkLinks, scan_chunk
from wikisem.records import UnreadableRecord
from wikisem.surfaces.link_counts import count_links
from wikisem.wikipedia.languages import SiteInfo
from wikisem.wikipedia.wikitext import BUDGET, Work
from wikisem.wikipedia.xml_pages import canonical

SITE = SiteInfo("enwiki", "en", "0.11")
HEAD = b"<mediawiki version='0.11' xml:lang='en'><siteinfo><dbname>enwiki</dbname></siteinfo>\n"
# Each of these in one article ended a build, or held it up for days.
ATTACKS = {
    "a prefix a thousand times": "[[" + "en:" * 1000 + "a]]",
    "an entity of 4,301 digits": "[[&#" + "9" * 4301 + ";|x]]",
    "templates nested 800 deep": "[[a|" + "{{" * 800 + "}}" * 800 + "]]",
    "templates left open": "[[a|" + "{{a|" * 2000 + "]]",
    "tables": "[[a|" + "\n{|\n|-\n|" * 2000 + "{{]]",
    "references left open": "[[a|" + "<ref " * 2000 + "]]",
    "addresses": "[[a|" + "[http://a " * 2000 + "]]",
}


def page(title: str, text: str, rest: str = "<ns>0</ns>") -> bytes:
    """A page in the exporter's layout, or in another."""
    return f"<page><title>{title}</title>{rest}<revision><text>{escape(text)}</text></revision></page>\n".encode()


def scan_all(pages: list[bytes]) -> ChunkLinks:
    """The links of pages as one chunk; every page is accounted for."""
    found = scan_chunk(HEAD + b"".join(pages), SITE, locate=lambda at: f"dump.xml:{at}", with_titles=True)
    found.pages.check("mentions")
    assert found.pages.read == len(pages)
    return found


@pytest.mark.parametrize("text", ATTACKS.values(), ids=ATTACKS)
@pytest.mark.parametrize("rest", ["<ns>0</ns>", ""])
def test_an_attack_is_read_as_text_like_any_other(text: str, rest: str) -> None:
    """The links before it, after it and on other pages count, and nothing is unreadable."""
    found = scan_all([page("A", "[[x]]"), page("B", f"[[y]] {text} [[z]]", rest), page("C", "[[w]]")])
    assert {"X", "Y", "Z", "W"} <= set(found.mentions["title"].to_pylist()) <= {"X", "Y", "Z", "W", "A"}
    assert found.unreadable == ()


@pytest.mark.parametrize(
    "error", [RecursionError, OverflowError, ValueError, KeyError, SystemError, UnicodeError, OSError]
)
def test_whatever_a_page_raises_costs_it_alone(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    """Any exception on the way of any page, wherever it is among forty, which are read in parts."""

    def raise_for(work: Work, contents: list[str], read: Callable[[Work, list[str]], None] = Work.read) -> None:
        if "bad_|page" in contents:
            raise error("expected no such thing")
        read(work, contents)

    monkeypatch.setattr(Work, "read", raise_for)
    pages = [
        page(f"P{number}", f"[[l{number}]] [[x|''y'']]", "<ns>0</ns>" if number % 3 else "") for number in range(40)
    ]
    for bad in (0, 17, 39):
        texts = [page("Bad", "[[bad_|page]]") if number == bad else one for number, one in enumerate(pages)]
        found = scan_all(texts)
        detail = f"expected a page that can be read, saw {error.__name__}: {error('expected no such thing')}"
        where = f"dump.xml:{len(HEAD) + len(b''.join(texts[:bad]))}"
        assert found.unreadable == (UnreadableRecord("mentions", "bad-page", where, detail),)
        links = set(found.mentions["title"].to_pylist())
        assert links == {f"L{number}" for number in range(40) if number != bad} | {"X"}
        assert set(found.titles) == {f"P{number}" for number in range(40) if number != bad}
        assert (found.pages.kept, found.pages.unreadable) == (39, {"bad-page": 1})


def test_a_lack_of_memory_is_no_fault_of_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine is at fault, not the page."""

    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(markup, "locate_parts", fail)
    with pytest.raises(MemoryError):
        scan_all([page("A", "[[x]]"), page("B", "[[y]]")])


def test_an_error_without_a_page_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """It cannot be a page's."""

    def fail(*_: object) -> None:
        raise ValueError

    monkeypatch.setattr(scan, "extract", fail)
    with pytest.raises(ValueError, match=r"^$"):
        scan_chunk(b"</mediawiki>", SITE)


# What makes work: a content read alone, an anchor for the parser, an opener, a page for the XML parser, and none.
PIECES = st.sampled_from(
    ["[[a_b]]", "[[a|''b'']]", "[[a|<x>]]", "<pre>", "[[a]]", "[[\u0301e|\u0301]]", "é", "[[é|\u0315\u0301]]"]
)
TEXTS = st.tuples(st.lists(PIECES, max_size=12).map("".join), st.sampled_from(["<ns>0</ns>", ""]))


@pytest.mark.slow
@given(st.lists(TEXTS, min_size=1, max_size=8), st.integers(0, 8000), st.data())
@settings(max_examples=120, deadline=None)
def test_what_is_too_costly_does_not_depend_on_the_chunk(
    texts: list[tuple[str, str]], budget: int, data: st.DataObject
) -> None:
    """A page is unreadable if it alone takes more than the budget, whatever is read with it."""
    pages = [page(f"P{number}", text, rest) for number, (text, rest) in enumerate(texts)]
    costly = [f"P{number}" for number, one in enumerate(pages) if scan_all([one]).steps > budget]
    cut = data.draw(st.integers(0, len(pages)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "Work", partial(Work, budget))
        parts = [scan_all(part) for part in (pages[:cut], pages[cut:])]
    assert {record.reason for part in parts for record in part.unreadable} <= {"too-costly"}
    assert sum(len(part.unreadable) for part in parts) == len(costly)
    assert {title for part in parts for title in part.titles} == {f"P{number}" for number in range(len(pages))} - {
        *costly
    }


def test_a_page_without_end_is_unreadable_and_the_others_are_read() -> None:
    """Two megabytes of links, each of which is read alone, take more steps than a page has."""
    attack = "".join(f"[[a_{number:x}]]" for number in range(200_000))
    found = scan_all([page("A", "[[x]]"), page("B", attack), page("C", "[[y]]")])
    detail = "expected a page that takes at most 16777216 steps to read, saw one that takes more"
    where = f"dump.xml:{len(HEAD + page('A', '[[x]]'))}"
    assert found.unreadable == (UnreadableRecord("mentions", "too-costly", where, detail),)
    assert found.pages.unreadable == {"too-costly": 1}
    assert found.mentions["title"].to_pylist() == ["X", "Y"]


@pytest.mark.slow
@pytest.mark.realdata
def test_no_real_page_comes_near_the_budget(realdata: Path) -> None:
    """The costliest takes less than a hundredth of it, by columns or by an XML parser; short ones are left out."""
    steps = []
    for name in DUMPS:
        data, site = dump(realdata, name)
        for found in re.finditer(rb"<page>.*?</page>", data, re.DOTALL):
            written = found.group()
            if len(written) > 6000:
                scanned = [scan_chunk(each, site) for each in (written, written.replace(b"<ns>0</ns>", b""))]
                assert [each.unreadable for each in scanned] == [(), ()]
                steps += [each.steps for each in scanned]
    assert len(steps) > 300
    assert 20_000 < max(steps) < BUDGET / 100


def test_a_page_of_tags_is_not_given_to_the_xml_parser() -> None:
    """A tree of millions of elements would fill the memory."""
    tags = b"<page>" + b"<a>" * 1_100_000 + b"</page>"
    found = scan_chunk(page("A", "[[x]]") + tags + page("C", "[[y]]"), SITE)
    assert [record.reason for record in found.unreadable] == ["too-costly"]


def test_the_place_of_a_bad_page_is_where_it_is_in_the_file(tmp_path: Path) -> None:
    """`file:byte` in a plain file: what is read there is the page."""
    bad = b"<page><title>B</title><ns>0</ns><oops></page>"
    data = HEAD + page("A", "[[x]]") + bad + page("C", "[[y]]") + b"</mediawiki>"
    (tmp_path / "dump.xml").write_bytes(data)
    unreadable: list[UnreadableRecord] = []
    count_links(tmp_path / "dump.xml", "en", on_unreadable=unreadable.append)
    [path, byte] = unreadable[0].where.rsplit(":", 1)
    assert Path(path).read_bytes()[int(byte) :].startswith(bad)


def test_a_redirect_with_a_line_break_is_accounted_for() -> None:
    """A title that is rewritten for the scanner is read by it, whatever it holds."""
    old = SiteInfo("enwiki", "en", "0.3")
    data = page("A", "[[x]]", "") + page("R", "#REDIRECT [[a\nb]]", "") + page("B", "[[y]]", "")
    found = scan_chunk(data, old)
    found.pages.check("mentions")
    assert (found.pages.read, found.unreadable) == (3, ())
    assert found.redirects.to_pylist() == [{"source": "R", "target": "A b"}]


def test_a_page_that_cannot_be_written_anew_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is unreadable, should there be one."""
    monkeypatch.setattr(scan, "canonical", lambda page: canonical(page).replace(b"<title>B", b"<title><b/>B"))
    found = scan_all([page("A", "[[x]]", ""), page("B", "[[y]]", ""), page("C", "[[z]]", "")])
    assert [record.reason for record in found.unreadable] == ["bad-page"]
    assert sorted(found.mentions["title"].to_pylist()) == ["X", "Z"]


def test_steps_are_counted_where_pages_are_not_read_by_columns() -> None:
    """A content alone, an anchor alone, an anchor for the parser, an opener, and a page for the XML parser."""
    texts = ["[[a]]", "[[a_b]]", "[[a|''b'']]", "[[a|<x>y]]", "<pre>", "[[a_b]] [[a_b]]"]
    assert [scan_all([page("A", text)]).steps for text in texts] == [0, 103, 105, 110 + 4 * 400, 20, 103]
    other = page("A", "[[a]]", "")
    assert scan_all([other]).steps == 16 * 8 + (len(other) - 1) // 16


def test_an_old_redirect_may_have_blanks_before_it() -> None:
    """As many as there are: the layout of its page does not matter."""
    old = SiteInfo("enwiki", "en", "0.3")
    for rest in ("<ns>0</ns>", ""):
        found = scan_chunk(page("R", " " * 40 + "#REDIRECT   :   [[a]]", rest), old)
        assert found.redirects.to_pylist() == [{"source": "R", "target": "A"}]
