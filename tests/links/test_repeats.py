"""Which versions of pages a chunk holds: the scanner and the XML parser find the same, however ids are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.links.scan import ChunkLinks, scan_chunk
from wikisem.wikipedia.languages import SiteInfo

SITE = SiteInfo(dbname="enwiki", language="en", version="0.11")
PAGE = (
    "<page><title>A</title><ns>{ns}</ns>{before}{mark}<revision>{first}<contributor>{user}</contributor>"
    "{late}<text>[[b]]</text></revision>{after}</page>"
)
# No exporter writes such an entity, so that the page is read by the XML parser.
PARSED = "<!--&#32;-->"


def scan(*pages: str) -> ChunkLinks:
    """The links of some pages."""
    return scan_chunk("\n".join(pages).encode(), SITE)


def versions(*pages: str) -> list[list[int]]:
    """The page, the revision and the place of each version, in order of place."""
    return sorted(scan(*pages).versions.T.tolist(), key=lambda version: version[2])


def filled(**parts: str) -> str:
    """A page with some of its parts."""
    return PAGE.format_map(
        dict.fromkeys(["before", "mark", "first", "user", "late", "after"], "") | {"ns": "0"} | parts
    )


NUMBERS = ["7", "123456789012345678", "0", "007", " 8\n", "", "1234567890123456789", "x", "-1", "1<b/>2", "&#53;", "٤"]
OTHERS = ["", "<id/>", "<id >9</id>", "<idea>9</idea>", "<id>5</id><id>6</id>", "<parentid>3</parentid>"]
ID = st.sampled_from([*(f"<id>{number}</id>" for number in NUMBERS), *OTHERS])


@given(before=ID, first=ID, user=ID, late=ID, after=ID)
def test_the_scanner_and_the_parser_find_the_same_versions(
    before: str, first: str, user: str, late: str, after: str
) -> None:
    """Ids in their place and elsewhere, several, none, and what is not a number."""
    page = filled(before=before, first=first, user=user, late=late, after=after)
    as_written, parsed = scan(page), scan(page.replace("<title>", PARSED + "<title>"))
    assert as_written.versions.tolist() == parsed.versions.tolist()
    assert as_written.pages == parsed.pages


def test_pages_in_the_usual_layout_are_not_parsed() -> None:
    """Neither those with both ids nor those without any: parsing one takes steps."""
    usual, without = filled(before="<id>1</id>", first="<id>2</id>", user="<id>3</id>"), filled()
    assert scan(usual, without).steps == 0
    assert scan(filled(before="<id>1</id>")).steps > 0
    assert versions(usual, without, usual) == [[1, 2, 0], [1, 2, len(usual) + len(without) + 2]]


def test_ids_of_every_length() -> None:
    """Side by side, so that the longest number decides nothing for the others."""
    ids = [int("9876543210" * 2) // 10**cut for cut in range(2, 20)]
    pages = [
        filled(before=f"<id>{one}</id>", first=f"<id>{other}</id>") for one, other in zip(ids, ids[::-1], strict=True)
    ]
    assert [one[:2] for one in versions(*pages)] == [[*pair] for pair in zip(ids, ids[::-1], strict=True)]


@pytest.mark.parametrize("mark", ["", '<redirect title="B" />'])
def test_every_page_with_ids_is_found_where_it_begins(mark: str) -> None:
    """Of any namespace, deleted, redirect or parsed; unreadable pages are missing, and the others stay in place."""
    ids = {"before": "<id>4</id>", "first": "<id>5</id>", "mark": mark}
    pages = [
        filled(**ids),
        filled(**ids, ns="10"),
        filled(**ids).replace("<text>[[b]]</text>", '<text deleted="deleted" />'),
        filled(**ids).replace("[[b]]", "[[b]] & c"),
        filled(**ids).replace("[[b]]", "[[b&#99;]]"),
        "<page><title>",
        filled(**ids),
    ]
    places = [sum(map(len, pages[:number])) + number for number in (0, 1, 2, 4, 6)]
    assert versions(*pages) == [[4, 5, place] for place in places]


def test_places_are_right_where_a_page_takes_too_much_work() -> None:
    """Its chunk is read again in parts, and each of them begins somewhere else."""
    ids = {"before": "<id>4</id>", "first": "<id>5</id>"}
    costly = filled(**ids).replace("[[b]]", "".join(f"[[b|''{number}'']]" for number in range(170_000)))
    good = filled(**ids)
    found = scan(good, costly, good, good)
    assert found.pages.unreadable == {"too-costly": 1}
    start = len(good) + 1 + len(costly) + 1
    places = sorted(found.versions[2].tolist())
    assert places == [0, start, start + len(good) + 1]
