"""The rules applied to existing data sets."""

from tests.word_groups import outlier_word, word_group
from wikisem.heuristics.rules.lint import Violation, find_violations
from wikisem.recipes.options import FilterOptions, Recipe
from wikisem.records import Group
from wikisem.wikipedia.languages import language_profile

DEFAULTS = Recipe("test")


def group(qid: str, *cluster: str) -> Group:
    """A group whose outliers do not matter."""
    return word_group(qid, cluster, (), f"{qid}.txt")


def test_every_broken_rule_is_listed_in_the_order_of_the_rules() -> None:
    """A group that breaks two rules gives two violations, under its own id; one that breaks none gives none."""
    fine = group("Q1", "actor", "lawyer", "judge", "nurse", "baker", "teacher", "pilot")
    broken = group("Q2", "List_of_A", "List_of_B", "List_of_C", "List_of_D", "e-mail", "fax", "telex")
    found = find_violations([fine, broken, fine], language_profile("en"), DEFAULTS)
    assert [(violation.group, violation.rule) for violation in found] == [("Q2", "affix"), ("Q2", "stop-affix")]
    assert "'List of A'" in found[1].detail


def test_underscores_are_spaces() -> None:
    """`New_York` is two words: an English rule that read one would never see a shared word."""
    clubs = group("Q3", "Arsenal_F.C.", "Everton_F.C.", "Fulham_F.C.", "Chelsea_F.C.", "Ajax", "Porto", "Roma")
    assert [violation.rule for violation in find_violations([clubs], language_profile("en"), DEFAULTS)] == ["affix"]


def test_the_recipe_decides() -> None:
    """Its filters and its minimum are those of `build`."""
    small = group("Q4", "1 A", "2 A", "3 A")
    strict = find_violations([small], language_profile("en"), DEFAULTS)
    assert [violation.rule for violation in strict] == ["too-few", "digits"]
    off = Recipe("off", filters=FilterOptions(digits=None))
    assert find_violations([small], language_profile("en"), off) == [
        Violation("Q4", "too-few", "expected at least 7 different surface forms, saw 3")
    ]


def test_outliers_are_never_looked_at() -> None:
    """A group with a list among its outliers breaks nothing."""
    cluster = ("actor", "lawyer", "judge", "nurse", "baker", "teacher", "pilot")
    checked = word_group("Q5", cluster, tuple(outlier_word(f"List of {n}") for n in range(4)), "Q5.txt")
    assert find_violations([checked], language_profile("en"), DEFAULTS) == []
