"""Titles as MediaWiki reads them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.wikipedia.siteinfo import SiteInfo
from wikisem.wikipedia.titles import Title, leads_away, link_title, read_title, upper_first

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
    title = link_title(written, SITE)
    if title is not None and title.namespace == 0:
        assert read_title(title.text, SITE) == title


@given(st.text(st.sampled_from("abdeftalkDi:&% "), max_size=8))
def test_a_prefix_is_judged_as_the_title_is(prefix: str) -> None:
    """What is said of a prefix alone holds for the title with that prefix."""
    prefix = prefix.partition(":")[0]
    away = leads_away(prefix, SITE)
    title = link_title(f"{prefix}:X", SITE)
    if away is True:
        assert title is None or title.namespace != 0
    if away is False:
        assert title is not None
        assert title.namespace == 0


def test_upper_first() -> None:
    """One letter becomes one letter, or stays."""
    assert [upper_first(word) for word in ("", "ab", "éa", "ßa", "ŉa", "აბ", "ⓐb")] == [
        *("", "Ab", "Éa", "ßa", "ŉa", "აბ", "Ⓐb")
    ]
    assert [upper_first("iı", language) for language in ("tr", "az", "en")] == ["İı", "İı", "Iı"]
