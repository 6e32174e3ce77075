"""Rules on a single outlier."""

import pytest

from wikisem.heuristics.rules.cluster import outlier_rules
from wikisem.recipes.options import FilterOptions
from wikisem.wikipedia.languages import language_profile

ENGLISH = language_profile("en")


@pytest.mark.parametrize(
    ("cluster", "surface", "may_join"),
    [
        (["Oslo", "Bergen"], "moss", False),
        (["oak", "elm"], "Moss", False),
        (["Oslo", "Bergen"], "Moss", True),
        (["Oslo", "elm"], "moss", True),
        (["Oslo", "42nd Street"], "moss", True),
        (["Oslo", "Bergen"], "42nd Street", True),
        (["東京", "京都"], "moss", True),
        (["Élan", "Žižek"], "ǆ", False),
    ],
)
def test_an_outlier_begins_as_the_whole_cluster_does(cluster: list[str], surface: str, may_join: bool) -> None:
    """Only where all members agree in case, and the outlier's own initial has one."""
    assert outlier_rules(cluster, ENGLISH, FilterOptions(initial_capital=True))(surface) == may_join
    assert outlier_rules(cluster, ENGLISH, FilterOptions())(surface)


def test_an_outlier_obeys_stop_affixes() -> None:
    """As members do, where the recipe says so."""
    stops = outlier_rules(["Oslo"], ENGLISH, FilterOptions(outlier_stop_affix=True))
    assert [stops(surface) for surface in ("List of rivers", "Category:Rivers", "Nile")] == [False, False, True]
    assert outlier_rules(["Oslo"], ENGLISH, FilterOptions())("List of rivers")
