"""The rule against pages that have no subject."""

import pytest

from heuristics.stop_affixes import judge_stop_affixes, namespace_affixes
from wikisem.languages import profile


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
    verdict = judge_stop_affixes(["Rhine", surface, "Loire"], profile(code).stop_affixes)
    assert (verdict.keep, verdict.reason) == (False, "stop-affix")
    assert surface in verdict.detail


@pytest.mark.parametrize(
    ("code", "surface"), [("en", "Listening"), ("en", "A List of One"), ("en", "list"), ("de", "Listen to Your Heart")]
)
def test_ordinary_words_pass(code: str, surface: str) -> None:
    """A stop affix is matched whole, at an end, and with the space that sets it off."""
    assert judge_stop_affixes([surface], profile(code).stop_affixes).keep


def test_namespace_names_become_prefixes() -> None:
    """Each name once, with its colon; the nameless main namespace gives none."""
    assert namespace_affixes(["", "Kategoreja", "Category", "Sprīža_ap_failu", "Category"]) == (
        "Category:",
        "Kategoreja:",
        "Sprīža ap failu:",
    )
