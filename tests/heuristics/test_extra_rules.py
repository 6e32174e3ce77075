"""Further rules on a cluster, which a recipe switches on by name."""

import pytest

from wikisem.errors import RecipeError
from wikisem.heuristics.rules import wording
from wikisem.heuristics.rules.cluster import broken_rules
from wikisem.heuristics.rules.wording import KEEP, ClusterWords, Verdict, reject
from wikisem.recipes.load import parse_recipe
from wikisem.recipes.options import FilterOptions
from wikisem.wikipedia.languages import language_profile

SURFACES = ["Rome", "Oslo", "Lyon", "Bonn", "Kyiv", "Riga", "Bern"]


def check_four_letters(cluster: ClusterWords, number: int) -> Verdict:
    """A rule that a cluster of short names breaks in any language."""
    short = sum(len(surface) == 4 for surface in cluster.surfaces)
    return reject("four-letters", f"{cluster.profile.code} {cluster.label}") if short >= number else KEEP


def test_a_rule_runs_only_where_the_recipe_gives_it_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Off by default; with a number it runs after the rules of the paper and gets the language and the label."""
    monkeypatch.setattr(wording, "EXTRA_RULES", {"four_letters": check_four_letters})
    on = parse_recipe({"name": "mine", "filters": {"extra": {"four_letters": 7}, "digits": False}}).filters
    profile = language_profile("de")
    assert list(broken_rules(SURFACES, profile, FilterOptions(), 7)) == []
    assert list(broken_rules(SURFACES, profile, on, 7, "Stadt")) == [Verdict(False, "four-letters", "de Stadt")]
    assert list(broken_rules([*SURFACES[:6], "Berlin"], profile, on, 7)) == []
    assert [verdict.reason for verdict in broken_rules(SURFACES, profile, on, 8)] == ["too-few", "four-letters"]


def test_the_rules_that_ship_run_in_their_order() -> None:
    """Whatever the order in the recipe: the class's word first, then what is inside another."""
    filters = FilterOptions(affix=None, extra={"contained": 1, "own_label": 4})
    lakes = ["Lake Erie", "Lake Erie (Ohio)", "Lake Como", "Lake Garda", "Ammersee", "Volta", "Chad"]
    english = language_profile("en")
    reasons = [verdict.reason for verdict in broken_rules(lakes, english, filters, 7, "lake")]
    assert reasons == ["own-label", "contained"]
    assert [verdict.reason for verdict in broken_rules(lakes, english, filters, 7)] == ["contained"]


def test_a_name_that_no_rule_has_is_an_error_of_the_recipe() -> None:
    """The message names the key, what was seen and the nearest rule, or all of them."""
    wording.require_known({"own_label": 4, "contained": 1})
    with pytest.raises(RecipeError, match=r"filters\.extra: unknown rule own_lable; did you mean own_label\?"):
        wording.require_known({"own_lable": 4})
    known = ", ".join(wording.EXTRA_RULES)
    with pytest.raises(RecipeError, match=rf"filters\.extra: unknown rule zzz; known here: {known}$"):
        wording.require_known({"zzz": 4})
