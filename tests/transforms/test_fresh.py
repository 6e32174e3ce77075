"""Fresh sets: the groups stage under ``[items]``, against the oracle on a small world."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from tests.oracle import OracleGraph
from tests.transforms.test_groups import SMALL, small_world
from tests.transforms.world_of_groups import bare, by_label, expected, read_built, run_stages
from wikisem.ids import qid_number
from wikisem.recipes.options import ClusterOptions, ItemOptions

# Of 117 items, these are the newer half; half of them are in classes that have older instances as well.
FIRST = "Q1064"


@pytest.mark.parametrize("apply", ["clusters", "outliers", "both"])
def test_items_out_of_range_are_left_out_where_the_recipe_applies_it(
    apply: Literal["clusters", "outliers", "both"], tmp_path: Path
) -> None:
    """No older member, no older outlier, or neither; and the groups and reasons are those of the oracle."""
    recipe = replace(
        SMALL, items=ItemOptions(FIRST, "Q1129", apply), cluster=ClusterOptions(size=4, minimum=3, max_groups=0)
    )
    entities, names = small_world(), by_label(small_world(), "en")
    built = read_built(run_stages(tmp_path, entities, {"en": names}, recipe)[0], "en")
    assert bare(built) == bare(expected(OracleGraph(entities, recipe.graph), names, recipe, "en"))
    groups, _ = built
    members = {qid_number(one.id) for group in groups for one in group.cluster}
    outliers = {qid_number(one.id) for group in groups for one in group.outliers}
    assert groups
    for role, numbers in (("clusters", members), ("outliers", outliers)):
        restricted = apply in {role, "both"}
        assert all(1064 <= number <= 1129 for number in numbers) == restricted
