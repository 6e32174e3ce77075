"""Items that are the outlier of one group alone: the groups stage with places, against the oracle on a small world."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.oracle import OracleGraph
from tests.transforms.test_groups import SMALL, small_world
from tests.transforms.world_of_groups import bare, by_label, expected, read_built, run_stages
from wikisem.recipes.options import ClusterOptions, OutlierOptions


@pytest.mark.parametrize("most", [0, 4])
@pytest.mark.parametrize("places", [False, True])
def test_no_item_is_the_outlier_of_two_groups_while_there_are_others(tmp_path: Path, places: bool, most: int) -> None:
    """With places; in class order the first group takes it, and a group that would be too small shares it."""
    recipe = replace(SMALL, outliers=OutlierOptions(places=places), cluster=ClusterOptions(max_groups=most))
    entities, names = small_world(), by_label(small_world(), "en")
    built = read_built(run_stages(tmp_path, entities, {"en": names}, recipe)[0], "en")
    assert bare(built) == bare(expected(OracleGraph(entities, recipe.graph), names, recipe, "en"))
    counts = Counter(outlier.id for group in built[0] for outlier in group.outliers)
    assert len(built[0]) >= 4
    assert (max(counts.values()) == 1) == places
