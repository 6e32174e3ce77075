"""All rules together: their order, what each can be switched off with, and groups that pass."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.word_groups import check_cluster
from wikisem.heuristics.rules.cluster import broken_rules
from wikisem.recipes.options import FilterOptions
from wikisem.wikipedia.languages import LanguageProfile, SiteInfo, language_profile

DEFAULTS = FilterOptions()
OFF = FilterOptions(digits=None, affix=None, length_one=None, stop_affix=False)

PASSING = {
    "en": ["actor", "lawyer", "New York Times", "physician", "teacher", "nurse", "judge", "baker"],
    "es": ["Madrid", "Barcelona", "Sevilla", "Zaragoza", "Bilbao", "Málaga", "Murcia", "Palma"],
    "de": ["Donau", "Rhein", "Elbe", "Oder", "Weser", "Main", "Mosel", "Neckar"],
    "ja": ["東京", "大阪市", "京都市", "横浜市", "神戸市", "札幌市", "アテネ", "パ"],
    "zh": ["狗", "猫", "马", "牛", "羊", "老虎", "狮子"],
}
BREAKING = {
    "too-few": ("en", ["actor", "actor", "lawyer", "judge", "nurse", "baker", "teacher", "nurse"]),
    "digits": ("de", ["1. April", "2. April", "3. April", "Ostern", "Neujahr", "Pfingsten", "Advent"]),
    "affix": (
        "es",
        [
            "provincia de Jaén",
            "provincia de León",
            "provincia de Soria",
            "provincia de Ávila",
            "Álava",
            "Vizcaya",
            "Ceuta",
        ],
    ),
    "stop-affix": ("ja", ["東京", "大阪", "京都", "横浜", "神戸", "札幌", "都市一覧"]),
    "length-one": ("en", ["A", "B", "vowel", "consonant", "letter", "digraph", "accent"]),
}

# Of these one fewer may keep the rule.
SHARING: dict[str, set[str]] = {
    "too-few": set(),
    "digits": {"1. April", "2. April", "3. April"},
    "affix": {"provincia de Jaén", "provincia de León", "provincia de Soria", "provincia de Ávila"},
    "stop-affix": {"都市一覧"},
    "length-one": {"A", "B"},
}


@pytest.mark.parametrize("code", PASSING)
def test_ordinary_clusters_pass(code: str) -> None:
    """Each of these comes close to a limit of its language without meeting it."""
    assert check_cluster(PASSING[code], language_profile(code), DEFAULTS, 7).keep


@pytest.mark.parametrize("reason", BREAKING)
def test_each_rule_has_its_stable_reason(reason: str) -> None:
    """The reason is the rule's name in rejected/ and in `wikisem check`."""
    code, surfaces = BREAKING[reason]
    verdict = check_cluster(surfaces, language_profile(code), DEFAULTS, 7)
    assert (verdict.keep, verdict.reason) == (False, reason)
    assert verdict.detail
    assert set(verdict.sharing) == SHARING[reason]
    assert [broken.reason for broken in broken_rules(surfaces, language_profile(code), DEFAULTS, 7)] == [reason]


def test_the_first_reason_is_the_one_given() -> None:
    """A cluster that breaks every rule is too small first, and the rest follows in the order of the rules."""
    surfaces = ["Category:1", "Category:2", "Category:3", "Category:4", "a", "b"]
    german = language_profile("de")
    assert check_cluster(surfaces, german, DEFAULTS, 7).reason == "too-few"
    reasons = [verdict.reason for verdict in broken_rules(surfaces, german, DEFAULTS, 7)]
    assert reasons == ["too-few", "digits", "affix", "stop-affix", "length-one"]


def test_length_one_is_off_where_a_character_is_a_syllable() -> None:
    """One character can be a word there (Blair et al. 2016, 3.1), and only there."""
    surfaces = ["犬", "猫", "馬", "牛", "羊", "狸", "熊"]
    for code in ("ja", "zh-yue", "ko", "km", "my"):
        assert check_cluster(surfaces, language_profile(code), DEFAULTS, 7).keep
    assert check_cluster(surfaces, language_profile("th"), DEFAULTS, 7).reason == "length-one"


def test_namespaces_of_the_wiki_add_to_the_stop_affixes_of_the_language() -> None:
    """A profile that was built with the wiki's siteinfo rejects the names of its own namespaces too."""
    surfaces = ["Modulis:Saule", *PASSING["de"][:7]]
    assert check_cluster(surfaces, language_profile("ltg"), DEFAULTS, 7).keep
    site = SiteInfo("ltgwiki", namespaces={828: "Modulis"})
    assert check_cluster(surfaces, language_profile("ltg", site=site), DEFAULTS, 7).reason == "stop-affix"


@given(st.lists(st.text("ab1 大", max_size=3), max_size=9), st.sampled_from(["en", "de", "zh"]))
def test_rules_that_are_off_leave_the_size_alone(surfaces: Sequence[str], code: str) -> None:
    """With every filter off a cluster is kept exactly when it is large enough, equal surfaces counted once."""
    assert check_cluster(surfaces, language_profile(code), OFF, 3).keep == (len(set(surfaces)) >= 3)


@given(st.permutations(PASSING["en"] + ["10 Downing Street", "11 Downing Street"]))
def test_the_order_of_the_surfaces_does_not_change_the_verdict(surfaces: list[str]) -> None:
    """A verdict depends on what is in the cluster, and the detail alone on the order."""
    assert check_cluster(surfaces, LanguageProfile("en", affix="words"), DEFAULTS, 7).keep
