"""SiteInfo from the head of a dump."""

import pickle
from dataclasses import replace

import pytest

from wikisem.errors import DamagedInputError
from wikisem.wikipedia.languages import SiteInfo
from wikisem.wikipedia.xml_pages import read_siteinfo

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/" version="0.10" xml:lang="ltg">
  <siteinfo>
    <sitename>Vikipedeja</sitename>
    <dbname>ltgwiki</dbname>
    <case>first-letter</case>
    <namespaces>
      <namespace key="-1" case="first-letter">Seviškuo</namespace>
      <namespace key="0" case="first-letter" />
      <namespace key="14" case="case-sensitive">Kategoreja</namespace>
    </namespaces>
  </siteinfo>
  <page>"""


def test_siteinfo_is_read() -> None:
    """Names, language, version and the rule for first letters are in the head; numbers may be negative."""
    site = read_siteinfo(HEAD.encode())
    assert site == SiteInfo("ltgwiki", "ltg", "0.10", True, {-1: "Seviškuo", 0: "", 14: "Kategoreja"})
    assert site.prefixes["kategoreja"] == site.prefixes["category"] == 14
    assert site.prefixes["seviškuo"] == -1


def test_the_rule_of_the_main_namespace_wins() -> None:
    """A namespace may have a rule of its own; that of namespace 0 counts for articles."""
    text = HEAD.replace('"0" case="first-letter"', '"0" case="case-sensitive"')
    assert not read_siteinfo(text.encode()).first_letter


def test_old_siteinfo() -> None:
    """Schema 0.3 has one rule for the wiki, and no database name."""
    head = (
        '<mediawiki version="0.3" xml:lang="en"><siteinfo><case>case-sensitive</case>'
        '<namespaces><namespace key="0" /><namespace key="1">Talk</namespace></namespaces></siteinfo>'
    )
    site = read_siteinfo(head.encode())
    assert (site.dbname, site.version, site.first_letter, site.namespaces) == ("", "0.3", False, {0: "", 1: "Talk"})


def test_siteinfo_travels() -> None:
    """It comes back whole from JSON and from a pickle, whether its prefixes were asked for or not."""
    site = replace(read_siteinfo(HEAD.encode()), language="de", aliases={"Bild": 6})
    assert site.language == "de"
    assert site.prefixes["bild"] == 6
    assert SiteInfo.from_json(site.to_json()) == site
    assert pickle.loads(pickle.dumps(site)) == site


@pytest.mark.parametrize("head", [b"", b"<mediawiki>", b"<siteinfo><case></siteinfo>", b"\x1f\x8b"])
def test_no_siteinfo_is_an_error(head: bytes) -> None:
    """What has no readable siteinfo is no dump."""
    with pytest.raises(DamagedInputError, match="siteinfo"):
        read_siteinfo(head)


def test_the_wikis_own_names_win_over_aliases_and_these_over_canonical_ones() -> None:
    """In a wiki whose namespace 100 is called "Image", an image is no file; case and underlines do not count."""
    site = SiteInfo("x", namespaces={0: "", 100: "Image", 14: "Kat"}, aliases={"image": 6, "help": 4, "A__b": 101})
    assert site.prefixes["image"] == 100
    assert site.prefixes["help"] == 4
    assert site.prefixes["a b"] == 101
    assert (site.prefixes["kat"], site.prefixes["category"]) == (14, 14)
    assert "" not in site.prefixes


@pytest.mark.parametrize("key", ['key="x"', "", 'key="9999999999"', 'key=" 1"', 'key="\u0661"'])
def test_a_namespace_needs_a_number(key: str) -> None:
    """Any other key is a damaged head, and is shown."""
    with pytest.raises(DamagedInputError, match="expected the number of a namespace in <siteinfo>, saw"):
        read_siteinfo(HEAD.replace('key="14"', key).encode())
