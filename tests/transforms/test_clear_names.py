"""Labels that mean another item: the groups stage under ``minimum_page_share``, against the oracle on a small world."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.oracle import Named, Names, OracleGraph
from tests.transforms.test_groups import SMALL, small_world
from tests.transforms.world_of_groups import bare, by_label, expected, read_built, run_stages
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.store import open_arrays
from wikisem.layout import Scratch
from wikisem.recipes.options import ClusterOptions, SurfaceOptions
from wikisem.records import Entity
from wikisem.surfaces.table import clear_members, read_members
from wikisem.transforms.groups.shared_files import GroupFacts
from wikisem.transforms.io.counts import read_json

CLEAR = replace(
    SMALL,
    surface=SurfaceOptions(fallback="label", minimum_page_share=0.5),
    cluster=ClusterOptions(size=8, minimum=7, max_groups=0),
)


def namesakes(source: str = "label") -> tuple[list[Entity], Names]:
    """The small world, where some items are called as others: three, of which none has half of the sitelinks.

    Of two more pairs the items of one have half each, of the other one has more.
    """
    entities = small_world()
    names = dict(by_label(entities, "en"))
    # The last digit is that of the sitelinks, from 20 to 28.
    for qid, namesake in {"Q1010": "Q1088", "Q1031": "Q1088", "Q1018": "Q1068", "Q1110": "Q1111"}.items():
        names[qid] = Named(names[namesake].surface, source, **({} if source == "label" else {"count": 3, "total": 4}))
    return entities, names


@pytest.mark.parametrize("files", [1, 3])
def test_labels_that_mean_a_better_known_item_name_nothing(tmp_path: Path, files: int) -> None:
    """Such an item is no member and no outlier, in groups and reasons that are the oracle's; they are counted."""
    entities, names = namesakes()
    done, _ = run_stages(tmp_path, entities, {"en": names}, CLEAR, files=files)
    built = read_built(done, "en")
    assert bare(built) == bare(expected(OracleGraph(entities, CLEAR.graph), names, CLEAR, "en"))
    used = {member.id for group in built[0] for member in group.members}
    assert {"Q1018", "Q1068", "Q1111"} <= used
    assert not {"Q1010", "Q1031", "Q1088", "Q1110"} & used
    assert read_json(Scratch(str(tmp_path / "made")).group_facts("en"), GroupFacts).unclear == 4
    # Who reads the surface forms of few items, as walls and explain do, finds the same.
    paths = sorted(map(str, (tmp_path / "surfaces" / "en").glob("*.parquet")))
    graph = open_arrays(ClassGraph, str(tmp_path / "taxonomy" / "finished"))
    named = read_members(paths, graph, ["Q1010", "Q1018", "Q1068", "Q1088", "Q1110", "Q1111"])
    assert sorted(clear_members(named, paths, graph, 0.5)) == ["Q1018", "Q1068", "Q1111"]
    assert clear_members(named, paths, graph, 0) == named


def test_anchors_and_a_recipe_without_the_bound_are_as_they_were(tmp_path: Path) -> None:
    """What links of the wiki call an item is not asked for, nor is anything where ``minimum_page_share`` is 0."""
    off = replace(CLEAR, surface=replace(CLEAR.surface, minimum_page_share=0.0))
    for source, recipe in (("anchor", CLEAR), ("label", off)):
        entities, names = namesakes(source)
        done, _ = run_stages(tmp_path / source, entities, {"en": names}, recipe)
        built = read_built(done, "en")
        assert bare(built) == bare(expected(OracleGraph(entities, recipe.graph), names, recipe, "en"))
        assert {"Q1010", "Q1031"} & {member.id for group in built[0] for member in group.members}
