"""The texts of pages in other languages: none missing, none unused, the same placeholders."""

import re
import tomllib
from pathlib import Path

import pytest
import regex

from wikisem.outputs.annotation.sheets import QUESTION, TITLE, instructions
from wikisem.outputs.browse import browse_page
from wikisem.outputs.html_page import texts_in
from wikisem.records import OUTLIER_CLASSES, TIERS

OUTPUTS = Path(__file__).parent.parent.parent / "outputs"
TEXTS = tomllib.loads((OUTPUTS / "interface.toml").read_text(encoding="utf-8"))
LANGUAGES = ("de", "es", "fr", "zh")
# Texts that the scripts of the pages take from data.
OF_DATA = {
    "browse": {*(kind.label for kind in OUTLIER_CLASSES.values()), *TIERS, "anchor", "label", "title"},
    "annotation": {TITLE, QUESTION, *instructions(two_answers=False), *instructions(two_answers=True)},
}


@pytest.mark.parametrize("page", TEXTS)
def test_each_text_is_in_every_language_with_the_same_placeholders(page: str) -> None:
    """None is English still, but for names that languages share; Chinese ones are in Chinese characters."""
    for english, others in TEXTS[page].items():
        assert tuple(others) == LANGUAGES
        for language, text in others.items():
            assert sorted(re.findall(r"\{\d\}", text)) == sorted(re.findall(r"\{\d\}", english)), english
            assert text != english or english in {"Quiz", "sitelinks"} or len(english) < 8, (english, language)
        assert regex.search(r"\p{Han}", others["zh"])


def html_of(page: str) -> str:
    """The page as a browser gets it, with its script."""
    return (
        browse_page("").decode()
        if page == "browse"
        else "".join((OUTPUTS / page / f"page.{kind}").read_text(encoding="utf-8") for kind in ("html", "js"))
    )


@pytest.mark.parametrize("page", TEXTS)
def test_every_text_of_the_file_is_said_by_its_page(page: str) -> None:
    """A string that was changed in the page is found here: its translations would be lost."""
    html = html_of(page)
    assert [
        one for one in TEXTS[page] if f'"{one}"' not in html and f">{one}<" not in html and one not in OF_DATA[page]
    ] == []


@pytest.mark.parametrize("page", TEXTS)
def test_every_text_that_a_page_says_is_in_the_file(page: str) -> None:
    """What is given to ``t`` or ``parts`` as it is, or marked in the page, and what data have the page say."""
    script = (OUTPUTS / page / "page.js").read_text(encoding="utf-8")
    calls = set(re.findall(r'\b(?:t|parts|control)\((?:"\w+", )?"((?:[^"\\]|\\.)+)"', script))
    calls -= {"q", "show", "sort", "reason", "tier"}
    marked = set(re.findall(r"\bdata-t>([^<{]+)<", html_of(page)))
    assert (calls | marked | OF_DATA[page]) - set(TEXTS[page]) == set()


def test_texts_are_those_of_the_languages_that_there_are() -> None:
    """A page has no more than it needs: nothing of languages that are not in the set, or that have no texts."""
    assert set(texts_in("browse", ["de", "ja", "en"])) == {"de"}
    assert texts_in("annotation", ["zh"])["zh"]["Start"] == "开始"
