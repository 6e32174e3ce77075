"""Further rules on a cluster, which a recipe switches on by name."""

from collections.abc import Sequence

import pytest

from wikisem.errors import RecipeError
from wikisem.heuristics.rules import extra
from wikisem.heuristics.rules.cluster import broken_rules
from wikisem.heuristics.rules.verdict import KEEP, Verdict, reject
from wikisem.recipes.load import parse_recipe
from wikisem.recipes.options import FilterOptions
from wikisem.wikipedia.languages import LanguageProfile, language_profile

SURFACES = ["Rome", "Oslo", "Lyon", "Bonn", "Kyiv", "Riga", "Bern"]


def check_four_letters(surfaces: Sequence[str], profile: LanguageProfile) -> Verdict:
    """A rule that a cluster of short names breaks in any language."""
    return reject("four-letters", profile.code) if all(len(surface) == 4 for surface in surfaces) else KEEP


def test_a_rule_runs_only_where_the_recipe_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Off by default; by name it runs after the rules of the paper and gets the language."""
    monkeypatch.setattr(extra, "EXTRA_RULES", {"four-letters": check_four_letters})
    on = parse_recipe({"name": "mine", "filters": {"extra": ["four-letters"], "digits": False}}).filters
    profile = language_profile("de")
    assert list(broken_rules(SURFACES, profile, FilterOptions(), 7)) == []
    assert list(broken_rules(SURFACES, profile, on, 7)) == [Verdict(False, "four-letters", "de")]
    assert list(broken_rules([*SURFACES, "Berlin"], profile, on, 7)) == []
    assert [verdict.reason for verdict in broken_rules(SURFACES, profile, on, 8)] == ["too-few", "four-letters"]


def test_a_name_that_no_rule_has_is_an_error_of_the_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the key, the rules there are and what was seen."""
    monkeypatch.setattr(extra, "EXTRA_RULES", {"four-letters": check_four_letters})
    with pytest.raises(RecipeError, match=r"filters\.extra: .*known: four-letters.*saw 'five-letters'"):
        extra.extra_rules(["four-letters", "five-letters"])
