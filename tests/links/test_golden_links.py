"""The golden cases of what counts as a link, each in the exporter's layout and in another one."""

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

from tests.links.parser_reference import counted
from wikisem.links.scan import scan_chunk
from wikisem.records import Link, Page
from wikisem.wikipedia.languages import SiteInfo, language_profile
from wikisem.wikipedia.xml_pages import canonical

CASES = tomllib.loads(Path(__file__).with_name("golden_links.toml").read_text(encoding="utf-8"))["case"]


def site_of(case: dict[str, Any]) -> SiteInfo:
    """The wiki that a case plays in."""
    language = case.get("language", "en")
    aliases = language_profile(language).namespace_aliases
    return SiteInfo("enwiki", language, "0.11", case.get("first_letter", True), aliases=aliases)


def other_layout(text: str) -> bytes:
    """The page as no exporter writes it: attributes, one line, brackets as numeric entities."""
    inside = escape(text).replace("[", "&#91;").replace("|", "&#x7C;")
    return (
        f"<page id='7'><ns>0</ns><title>Golden</title><revision><id>1</id><text>{inside}</text></revision></page>"
    ).encode()


@pytest.mark.parametrize("layout", ["exporter", "other"])
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_golden(case: dict[str, Any], layout: str) -> None:
    """The links of the case are found, and no others."""
    assert case["reason"]
    data = canonical(Page("Golden", 0, case["text"])) if layout == "exporter" else other_layout(case["text"])
    found = scan_chunk(data, site_of(case), case.get("trail", ""))
    assert counted(found) == Counter(Link(*pair) for pair in case["links"]), case["reason"]
    assert found.pages.kept == 1
