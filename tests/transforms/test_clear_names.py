"""Labels that mean another item: the groups stage under ``minimum_page_share``, against the oracle on a small world."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.oracle import Named, Names, OracleGraph
from tests.transforms.test_groups import SMALL, small_world
from tests.transforms.world_of_groups import bare, by_label, expected, read_built, run_stages
from wikisem.files import list_files
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.store import open_arrays
from wikisem.layout import Scratch
from wikisem.recipes.options import ClusterOptions, SurfaceOptions
from wikisem.records import Entity
from wikisem.surfaces.table import meant_instead, read_members
from wikisem.transforms.groups.shared_files import GroupFacts
from wikisem.transforms.io.counts import read_json

CLEAR = replace(
    SMALL,
    surface=SurfaceOptions(fallback="label", minimum_page_share=0.5),
    cluster=ClusterOptions(size=8, minimum=7, max_groups=0),
)


def namesakes(source: str = "label") -> tuple[list[Entity], Names]:
    """The small world, where some items are called as others: three, of which none has half of the sitelinks.

    Of two more pairs the items of one have half each, of the other one has more. The names of some are also the aliases
    of other items, or the label and the alias of classes.
    """
    entities = {entity.qid: entity for entity in small_world()}
    names = dict(by_label(entities.values(), "en"))
    # The last digit is that of the sitelinks, from 20 to 28.
    label = {qid: name.surface for qid, name in names.items()}
    aliases: dict[str, dict[str, tuple[str, ...]]] = {
        "Q1028": {"en": (label["Q1020"], label["Q1028"])},  # better known, and called by its own label twice
        "Q1037": {"en": (label["Q1036"],), "mul": (label["Q1038"],)},
        "Q1048": {"en": (label["Q1047"], label["Q1058"]), "mul": (label["Q1058"],)},  # counts once, half
        "Q1066": {"de": (label["Q1060"],)},
    }
    for qid, of_item in aliases.items():
        entities[qid] = replace(entities[qid], aliases=of_item)
    classes = [
        Entity("Q98", subclass_of=("Q101",), sitelinks=60, labels={"mul": label["Q1055"]}),
        Entity("Q99", subclass_of=("Q101",), sitelinks=60, aliases={"en": (label["Q1045"],)}),
        Entity("Q97", subclass_of=("Q101",), labels={"en": label["Q1070"]}),
    ]
    for qid, namesake in {"Q1010": "Q1088", "Q1031": "Q1088", "Q1018": "Q1068", "Q1110": "Q1111"}.items():
        names[qid] = Named(names[namesake].surface, source, **({} if source == "label" else {"count": 3, "total": 4}))
    return [*classes, *entities.values()], names


@pytest.mark.parametrize("files", [1, 3])
def test_labels_that_mean_a_better_known_item_name_nothing(tmp_path: Path, files: int) -> None:
    """Such an item is no member and no outlier, in groups and reasons that are the oracle's; they are counted."""
    entities, names = namesakes()
    done, _ = run_stages(tmp_path, entities, {"en": names}, CLEAR, files=files)
    built = read_built(done, "en")
    assert bare(built) == bare(expected(OracleGraph(entities, CLEAR.graph), names, CLEAR, "en"))
    used = {member.id for group in built[0] for member in group.members}
    assert {"Q1018", "Q1068", "Q1111", "Q1028", "Q1038", "Q1058", "Q1070"} <= used
    assert not {"Q1010", "Q1031", "Q1088", "Q1110", "Q1020", "Q1036", "Q1047", "Q1045", "Q1055"} & used
    assert read_json(Scratch(str(tmp_path / "made")).group_facts("en"), GroupFacts).unclear == 9
    # Who reads the surface forms of few items, as walls and explain do, finds the same.
    folder = str(tmp_path / "surfaces" / "en")
    graph = open_arrays(ClassGraph, str(tmp_path / "taxonomy" / "finished"))
    named = read_members(list_files(f"{folder}/*.parquet"), graph, [qid for qid in names if len(qid) == 5])
    assert meant_instead(named, folder, graph, 0.5) == {
        "Q1010": "Q1088",
        "Q1031": "Q1088",
        "Q1088": "Q1031",
        "Q1110": "Q1111",
        "Q1020": "Q1028",
        "Q1036": "Q1037",
        "Q1047": "Q1048",
        "Q1045": "Q99",
        "Q1055": "Q98",
    }
    assert meant_instead(named, folder, graph, 0) == {}


def test_anchors_and_a_recipe_without_the_bound_are_as_they_were(tmp_path: Path) -> None:
    """What links of the wiki call an item is not asked for, nor is anything where ``minimum_page_share`` is 0."""
    off = replace(CLEAR, surface=replace(CLEAR.surface, minimum_page_share=0.0))
    for source, recipe in (("anchor", CLEAR), ("label", off)):
        entities, names = namesakes(source)
        done, _ = run_stages(tmp_path / source, entities, {"en": names}, recipe)
        built = read_built(done, "en")
        assert bare(built) == bare(expected(OracleGraph(entities, recipe.graph), names, recipe, "en"))
        assert {"Q1010", "Q1031"} & {member.id for group in built[0] for member in group.members}
