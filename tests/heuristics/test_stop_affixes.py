"""The rule against pages that have no subject."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.heuristics.rules.wording import check_stop_affixes
from wikisem.wikipedia.languages import language_profile


@pytest.mark.parametrize(
    ("code", "surface"),
    [
        ("en", "Category:Rivers"),
        ("en", "List of rivers"),
        ("en", "list of rivers"),
        ("de", "Kategorie:Fluss"),
        ("de", "Liste der Flüsse"),
        ("es", "Anexo:Ríos de España"),
        ("ja", "日本の川一覧"),
        ("zh", "河流列表"),
        ("zh", "一覽"),
        ("xx", "Template:Rivers"),
        ("no", "Liste over elver"),
        ("nb", "liste over elver"),
    ],
)
def test_one_surface_with_a_stop_affix_breaks_the_rule(code: str, surface: str) -> None:
    """At either end, in the language's own words or in MediaWiki's English ones."""
    verdict = check_stop_affixes(["Rhine", surface, "Loire"], language_profile(code).stop_affixes)
    assert (verdict.keep, verdict.reason) == (False, "stop-affix")
    assert surface in verdict.detail


@pytest.mark.parametrize(
    ("code", "surface"), [("en", "Listening"), ("en", "A List of One"), ("en", "list"), ("de", "Listen to Your Heart")]
)
def test_ordinary_words_pass(code: str, surface: str) -> None:
    """A stop affix is matched whole, at an end, and with the space that sets it off."""
    assert check_stop_affixes([surface], language_profile(code).stop_affixes).keep


def test_an_affix_may_say_where_it_stands() -> None:
    """`列表` ends the title of a list; alone it is a data structure, and in front a list box."""
    stops = language_profile("zh").stop_affixes
    assert check_stop_affixes(["殖民地学院列表"], stops).reason == "stop-affix"
    assert check_stop_affixes(["列表", "列表框"], stops).keep
    assert check_stop_affixes(["a list of", "List of "], ["List of …"]).keep
    assert not check_stop_affixes(["List of x"], ["List of …"]).keep


AFFIXES = st.lists(st.sampled_from(["a", "ab", "…a", "b…", "…ba", "ab…", "c"]), max_size=4)


@given(st.lists(st.text("abc", max_size=4), max_size=4), AFFIXES)
def test_the_fast_way_agrees_with_patterns(surfaces: list[str], affixes: list[str]) -> None:
    """An affix is a pattern in which "…" is at least one character."""
    ends = [affix.replace("…", ".+") if "…" in affix else f"{affix}.*|.*{affix}" for affix in affixes]
    broken = any(re.fullmatch(end, surface) for end in ends for surface in surfaces)
    assert check_stop_affixes(surfaces, affixes).keep == (not broken)
