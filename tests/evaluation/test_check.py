"""The rules applied to existing data sets."""

from msgspec.structs import replace

from tests.word_groups import outlier_word, word_group
from wikisem.evaluation.audit import CLUSTER, audit_groups, broken_filters
from wikisem.recipes.options import FilterOptions, Recipe
from wikisem.records import Group
from wikisem.wikipedia.languages import language_profile

DEFAULTS = Recipe("test")


def group(qid: str, *cluster: str) -> Group:
    """A group whose outliers do not matter."""
    return word_group(qid, cluster, (), f"{qid}.txt")


def rules(*groups: Group, recipe: Recipe = DEFAULTS) -> list[list[str]]:
    """The rules that each group breaks in English."""
    return [[one.reason for one in own] for own in broken_filters(groups, language_profile("en"), recipe)]


def test_every_broken_rule_is_listed_in_the_order_of_the_rules() -> None:
    """A group that breaks two rules has both, the second with its words; one that breaks none has none."""
    fine = group("Q1", "actor", "lawyer", "judge", "nurse", "baker", "teacher", "pilot")
    broken = group("Q2", "List_of_A", "List_of_B", "List_of_C", "List_of_D", "e-mail", "fax", "telex")
    assert rules(fine, broken, fine) == [[], ["affix", "stop-affix"], []]
    (found,) = broken_filters([broken], language_profile("en"), DEFAULTS)
    assert "'List of A'" in found[1].detail


def test_underscores_are_spaces() -> None:
    """`New_York` is two words: an English rule that read one would never see a shared word."""
    clubs = group("Q3", "Arsenal_F.C.", "Everton_F.C.", "Fulham_F.C.", "Chelsea_F.C.", "Ajax", "Porto", "Roma")
    assert rules(clubs) == [["affix"]]


def test_the_recipe_decides() -> None:
    """Its filters and its minimum are those of `build`."""
    small = group("Q4", "1 A", "2 A", "3 A")
    assert rules(small) == [["too-few", "digits"]]
    assert rules(small, recipe=Recipe("off", filters=FilterOptions(digits=None))) == [["too-few"]]


def test_outliers_are_never_looked_at() -> None:
    """A group with a list among its outliers breaks nothing."""
    cluster = ("actor", "lawyer", "judge", "nurse", "baker", "teacher", "pilot")
    checked = word_group("Q5", cluster, tuple(outlier_word(f"List of {n}") for n in range(4)), "Q5.txt")
    assert rules(checked) == [[]]


def test_an_audit_with_a_recipe_has_the_filters_as_measures() -> None:
    """A broken rule is a finding of its group, and the share of groups that break one a measure of the language."""
    fine = replace(group("Q1", "actor", "lawyer", "judge", "nurse", "baker", "teacher", "pilot"), language="en")
    small = replace(group("Q4", "one", "two", "three"), language="en")
    plain, audited = audit_groups("set", [fine, small]), audit_groups("set", [fine, small], recipe=DEFAULTS)
    assert not any("breaks" in finding.text for one in plain.groups for finding in one.findings)
    assert "breaks a filter" not in plain.languages["en"][CLUSTER]
    assert audited.languages["en"][CLUSTER]["breaks a filter"] == 0.5
    assert [one.measures.group.id for one in audited.groups] == ["Q4", "Q1"]
    expected = "breaks too-few: expected at least 7 different surface forms, saw 3"
    assert [finding.text for finding in audited.groups[0].findings] == [expected]
