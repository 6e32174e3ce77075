"""Titles as MediaWiki reads them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.links.mentions import make_link
from wikisem.wikipedia.languages import SiteInfo
from wikisem.wikipedia.titles import Title, leads_away, read_title, upper_first

SITE = SiteInfo(dbname="dewiki", language="de", namespaces={0: "", 1: "Diskussion", 6: "Datei", 4: "Wikipedia"})


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("berlin", Title(0, "Berlin")),
        (" :berlin_ (Ost)#Mitte", Title(0, "Berlin (Ost)")),
        ("DISKUSSION:berlin", Title(1, "Berlin")),
        ("talk : berlin", Title(1, "Berlin")),
        ("wikipedia:x", Title(4, "X")),
        ("de:berlin", Title(0, "Berlin")),
        ("de:de:berlin", Title(0, "Berlin")),
        ("fr:Berlin", None),
        ("zh-yue:Berlin", None),
        ("Datei:", None),
        ("a|b", None),
        ("x" * 256, None),
        ("é" * 128, None),
        ("é" * 127, Title(0, "É" + "é" * 126)),
    ],
)
def test_titles(written: str, title: Title | None) -> None:
    """Prefixes, spaces, sections, first letters and what cannot be a title."""
    assert read_title(written, SITE) == title


@given(st.text(st.sampled_from("aÄß :_#/.%\u200e\u00a0Datei|"), max_size=12))
def test_a_title_reads_as_itself(written: str) -> None:
    """The normal form of an article's title is its own normal form."""
    link = make_link(written, None, SITE)
    if link is not None:
        assert read_title(link.target, SITE) == Title(0, link.target)


@given(st.text(st.sampled_from("abdeftalkDi:&% "), max_size=8))
def test_a_prefix_is_judged_as_the_title_is(prefix: str) -> None:
    """What is said of a prefix alone holds for the title with that prefix."""
    prefix = prefix.partition(":")[0]
    away = leads_away(prefix, SITE)
    link = make_link(f"{prefix}:X", None, SITE)
    assert away is None or (link is None) == away


def test_upper_first() -> None:
    """One letter becomes one letter, or stays."""
    assert [upper_first(word) for word in ("", "ab", "éa", "ßa", "ŉa", "აბ", "ⓐb")] == [
        *("", "Ab", "Éa", "ßa", "ŉa", "აბ", "Ⓐb")
    ]
    assert [upper_first("iı", language) for language in ("tr", "az", "en")] == ["İı", "İı", "Iı"]


@pytest.mark.parametrize(
    ("prefix", "away"),
    [
        ("Datei", True),
        ("datei ", True),
        ("wikipedia", True),
        ("fr", True),
        ("Commons", True),
        ("Berlin", False),
        ("2001", False),
        ("", None),
        ("de", None),
        ("mailto", None),
        ("x&amp;y", None),
        ("%44atei", None),
        ("\u200edatei", None),
    ],
)
def test_a_prefix_says_or_leaves_it_to_the_rest(prefix: str, away: bool | None) -> None:
    """Names of namespaces and wikis lead away; the wiki's own code, addresses and escapes are read with their link."""
    assert leads_away(prefix, SITE) is away


def test_a_local_name_that_is_also_an_interwiki_prefix_is_the_namespace() -> None:
    """What the wiki itself says goes before what other wikis are called."""
    site = SiteInfo(dbname="x", language="de", namespaces={0: "", 100: "Q", 6: "Commons"}, aliases={"S": 0})
    assert read_title("q:seite", site) == Title(100, "Seite")
    assert read_title("commons:bild", site) == Title(6, "Bild")
    assert read_title("s:artikel", site) == Title(0, "Artikel")
    assert leads_away("s", site) is False


@pytest.mark.parametrize(
    ("written", "length"),
    [("a" * 255, 255), ("a" * 256, None), ("京" * 85, 255), ("京" * 85 + "a", None), ("𐐨" * 63, 252), ("𐐨" * 64, None)],
)
def test_titles_have_at_most_255_bytes(written: str, length: int | None) -> None:
    """Bytes of UTF-8 count, not letters; the prefix of a namespace does not."""
    title = read_title(f"Diskussion:{written}", SITE)
    assert (None if title is None else len(title.text.encode())) == length


@pytest.mark.parametrize(
    "written", [".", "..", "./a", "a/./b", "a/..", "~~~", "a%41", "a&amp;lt;b", "a\x7f", "a\ufffd"]
)
def test_titles_that_mediawiki_refuses(written: str) -> None:
    """Relative paths, signatures, escapes that are left after reading, and replacement characters."""
    assert read_title(written, SITE) is None
    assert read_title(f"Diskussion:{written}", SITE) is None


def test_a_case_sensitive_wiki_keeps_first_letters() -> None:
    """As Wiktionaries do, in namespaces too."""
    site = SiteInfo(dbname="dewiktionary", language="de", first_letter=False, namespaces={1: "Diskussion"})
    assert read_title("essen", site) == Title(0, "essen")
    assert read_title("diskussion:essen", site) == Title(1, "essen")
