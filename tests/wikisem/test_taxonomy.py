"""The class graph asked by QID, against brute force."""

import doctest
import itertools
from collections.abc import Iterable
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from tests.entity_files import dump_entities
from tests.oracle import OracleGraph, by_number
from tests.wikisem.graph.strategies import GRAPHS, worlds
from wikisem import taxonomy as module
from wikisem.errors import DamagedInputError, MissingInputError, UnknownItemError
from wikisem.recipe import GraphOptions
from wikisem.records import Entity
from wikisem.taxonomy import Taxonomy

WHOLE = GraphOptions(disambiguation=(), root="")


def agree(taxonomy: Taxonomy, oracle: OracleGraph) -> None:
    """Every public set of every class and item is the oracle's."""
    for v in oracle.up:
        assert taxonomy.superclasses(v) == by_number(oracle.parents(v))
        assert taxonomy.subclasses(v) == by_number(oracle.children(v))
        assert taxonomy.above(v) == by_number(oracle.above(v) - {v})
        assert taxonomy.below(v) == by_number(oracle.below(v) - {v})
        assert taxonomy.instances(v) == by_number(oracle.instances(v))
        assert taxonomy.instances_below(v) == by_number(oracle.closure(v))
        assert taxonomy.depth(v) == oracle.depths.get(v)
    for item, classes in oracle.classes.items():
        assert taxonomy.classes(item) == by_number(classes)


def agree_on_distances(taxonomy: Taxonomy, oracle: OracleGraph, pairs: Iterable[tuple[str, str]], limit: int) -> None:
    """The distance of each pair, and None beyond the limit."""
    for one, other in pairs:
        way = nx.has_path(oracle.both_ways, one, other)
        length = nx.shortest_path_length(oracle.both_ways, one, other) if way else None
        assert taxonomy.distance(one, other) == length
        assert taxonomy.distance(one, other, limit) == (length if length is not None and length <= limit else None)


@settings(max_examples=60, deadline=None)
@given(worlds(), GRAPHS)
def test_every_set_and_distance_is_that_of_brute_force(entities: list[Entity], options: GraphOptions) -> None:
    """On random graphs, however they are pruned, nothing differs from sets and loops."""
    taxonomy, oracle = Taxonomy.of_entities(entities, options), OracleGraph(entities, options)
    agree(taxonomy, oracle)
    agree_on_distances(taxonomy, oracle, itertools.product(oracle.up, repeat=2), 2)
    held = {*oracle.up, *oracle.classes}
    assert {f"Q{n}" for n in range(1, 20) if f"Q{n}" in taxonomy} == held


@pytest.mark.realdata
def test_every_set_of_real_classes_is_that_of_brute_force(realdata: Path) -> None:
    """The same on the real slice, for all of its classes."""
    entities = dump_entities(realdata / "wikidata" / "class-graph-slice.json.gz")
    taxonomy, oracle = Taxonomy.of_entities(entities), OracleGraph(entities, GraphOptions())
    agree(taxonomy, oracle)
    classes = by_number(oracle.up)
    agree_on_distances(taxonomy, oracle, zip(classes, classes[1000:] + classes[:1000], strict=True), 7)


@pytest.mark.realdata
def test_no_class_may_be_its_own_component_where_networkx_finds_a_cycle(realdata: Path) -> None:
    """Collapsed components of the unpruned real slice are the strongly connected ones."""
    entities = dump_entities(realdata / "wikidata" / "class-graph-slice.json.gz")
    graph, oracle = Taxonomy.of_entities(entities, WHOLE).graph, OracleGraph(entities, WHOLE)
    ours: dict[int, set[str]] = {}
    for number, component in zip(graph.nodes.tolist(), graph.component.tolist(), strict=True):
        ours.setdefault(component, set()).add(f"Q{number}")
    assert sorted(map(sorted, ours.values())) == sorted(map(sorted, nx.strongly_connected_components(oracle.up)))
    assert any(len(members) > 1 for members in ours.values())


FAMILY = [
    Entity("Q1", subclass_of=("Q35120",)),
    Entity("Q2", subclass_of=("Q1",)),
    Entity("Q3", subclass_of=("Q2", "Q3")),
    Entity("Q4", subclass_of=("Q3",)),
    Entity("Q5", subclass_of=("Q4",)),
    Entity("Q6", subclass_of=("Q5",)),
    Entity("Q5", subclass_of=("Q6",)),
    Entity("Q7", instance_of=("Q5", "Q2")),
    Entity("Q8", instance_of=("Q2",)),
    Entity("Q9", instance_of=("Q4167410",)),
    Entity("Q10", instance_of=("Q99",)),
]


def test_classes_within_three_steps_of_the_root_are_pruned() -> None:
    """Three steps below Q35120 is out, four is in; depth counts what was pruned; a class without a line is a class."""
    taxonomy = Taxonomy.of_entities([*FAMILY[:5], *FAMILY[7:]])
    assert [qid for qid in ("Q35120", "Q1", "Q2", "Q3", "Q4", "Q5", "Q99") if qid in taxonomy] == ["Q4", "Q5", "Q99"]
    assert taxonomy.depth("Q4") == 4
    assert taxonomy.depth("Q99") is None
    assert taxonomy.superclasses("Q4") == []
    assert taxonomy.instances("Q5") == ["Q7"]


@pytest.mark.parametrize("qid", ["Q8", "Q9", "Q4167410", "Q35120"])
def test_what_was_pruned_is_unknown(qid: str) -> None:
    """Instances of pruned classes only, disambiguation pages and the root are errors that name the QID."""
    taxonomy = Taxonomy.of_entities([*FAMILY[:5], *FAMILY[7:]])
    with pytest.raises(KeyError, match=qid) as caught:
        taxonomy.superclasses(qid)
    assert isinstance(caught.value, UnknownItemError)


def test_without_a_root_nothing_is_pruned_by_depth() -> None:
    """With root = "" even Q35120 stays."""
    taxonomy = Taxonomy.of_entities(FAMILY[:5], GraphOptions(root=""))
    assert taxonomy.below("Q35120") == ["Q1", "Q2", "Q3", "Q4", "Q5"]
    assert taxonomy.superclasses("Q3") == ["Q2"]  # a self-loop is no edge


def test_instances_are_members_of_no_superclass() -> None:
    """An item that is no class has classes, but neither super- nor subclasses, nor a distance to anything else."""
    taxonomy = Taxonomy.of_entities(FAMILY[:5] + FAMILY[7:])
    assert taxonomy.classes("Q7") == ["Q5"]
    assert (taxonomy.superclasses("Q7"), taxonomy.below("Q7"), taxonomy.instances_below("Q7")) == ([], [], [])
    assert taxonomy.distance("Q7", "Q7") == 0
    assert taxonomy.distance("Q7", "Q5") is None


def test_the_neighbourhood_of_a_class_is_a_networkx_graph() -> None:
    """Edges lead from sub- to superclass, as far as the radius goes and no further."""
    taxonomy = Taxonomy.of_entities(FAMILY[:5], GraphOptions(root=""))
    assert set(taxonomy.to_networkx(around="Q3", radius=1).edges) == {("Q3", "Q2"), ("Q4", "Q3")}
    assert set(taxonomy.to_networkx(around="Q3", radius=2)) == {"Q1", "Q2", "Q3", "Q4", "Q5"}
    assert set(taxonomy.to_networkx(around="Q3", radius=0)) == {"Q3"}


def test_a_saved_graph_opens_as_it_was(tmp_path: Path) -> None:
    """Loading maps the same arrays; nothing is lost on the way."""
    taxonomy = Taxonomy.of_entities(FAMILY[:5] + FAMILY[7:])
    taxonomy.save(tmp_path / "graph")
    loaded = Taxonomy.load(tmp_path / "graph")
    agree(loaded, OracleGraph(FAMILY[:5] + FAMILY[7:], GraphOptions()))
    assert np.array_equal(loaded.graph.removed, taxonomy.graph.removed)


def test_a_folder_without_a_graph_is_missing_input(tmp_path: Path) -> None:
    """The error names the file that is not there."""
    with pytest.raises(MissingInputError, match="nodes"):
        Taxonomy.load(tmp_path)


def test_an_array_cut_short_is_damaged_input(tmp_path: Path) -> None:
    """The error names the file."""
    Taxonomy.of_entities(FAMILY[:5]).save(tmp_path)
    (tmp_path / "nodes.npy").write_bytes(b"\x93NUMPY")
    with pytest.raises(DamagedInputError, match="nodes"):
        Taxonomy.load(tmp_path)


def test_the_examples_hold() -> None:
    """What the docstrings and the guide show is what comes out."""
    assert doctest.testmod(module).failed == 0
    guide = Path(__file__).parents[2] / "docs" / "taxonomy.md"
    result = doctest.testfile(str(guide), module_relative=False)
    assert result.attempted > 0
    assert result.failed == 0
