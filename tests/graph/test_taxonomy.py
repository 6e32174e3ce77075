"""The class graph asked by QID, against brute force."""

import doctest
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.entity_files import dump_entities
from tests.graph.strategies import GRAPHS, worlds
from tests.oracle import OracleGraph, by_number
from wikisem.errors import BadIdError, DamagedInputError, MissingInputError, UnknownItemError
from wikisem.graph.csr import components
from wikisem.graph.taxonomy import Taxonomy
from wikisem.ids import qid_number, qid_of
from wikisem.recipes.options import GraphOptions
from wikisem.records import Entity

WHOLE = GraphOptions(disambiguation=(), root="")


def agree(taxonomy: Taxonomy, oracle: OracleGraph) -> None:
    """Every public set of every class and item is the oracle's."""
    for v in {**oracle.up.nodes, **oracle.classes}:
        assert taxonomy.superclasses(v) == by_number(oracle.parents(v))
        assert taxonomy.subclasses(v) == by_number(oracle.children(v))
        assert taxonomy.above(v) == by_number(oracle.above(v) - {v})
        assert taxonomy.below(v) == by_number(oracle.below(v) - {v})
        assert taxonomy.instances(v) == by_number(oracle.instances(v))
        assert taxonomy.instances_below(v) == by_number(oracle.closure(v))
        assert taxonomy.depth(v) == (oracle.depths.get(v) if v in oracle.up else None)
        assert taxonomy.classes(v) == by_number(oracle.classes.get(v, ()))
        ranked = sorted(oracle.instances(v), key=lambda item: (-oracle.entities[item].sitelinks, qid_number(item)))
        wanted = [(item, oracle.entities[item].sitelinks) for item in ranked[:8]]
        assert taxonomy.most_linked(v, 8) == wanted


def agree_on_neighbourhoods(taxonomy: Taxonomy, oracle: OracleGraph, radius: int) -> None:
    """Around every class and item: what is within the radius, and the edges of all that is nearer than it."""
    for v in {**oracle.up.nodes, **oracle.classes}:
        ball = lengths_from(oracle, v, radius)
        inside = {node for node, steps in ball.items() if steps < radius}
        picture = taxonomy.to_networkx(around=v, radius=radius)
        assert set(picture.nodes) == set(ball)
        assert set(picture.edges) == {edge for edge in oracle.up.subgraph(ball).edges if inside & set(edge)}


def lengths_from(oracle: OracleGraph, v: str, limit: int | None = None) -> dict[str, int]:
    """Steps from v to every class that it has a way to; to itself alone if it is not a class."""
    return dict(nx.single_source_shortest_path_length(oracle.both_ways, v, limit)) if v in oracle.up else {v: 0}


def agree_on_distances(taxonomy: Taxonomy, oracle: OracleGraph, one: str, limit: int) -> None:
    """The distance to everything that the graph holds, in both directions, and None beyond the limit."""
    lengths = lengths_from(oracle, one)
    for other in {**oracle.up.nodes, **oracle.classes}:
        length = lengths.get(other)
        assert taxonomy.distance(one, other) == taxonomy.distance(other, one) == length
        assert taxonomy.distance(one, other, limit) == (length if length is not None and length <= limit else None)


@settings(max_examples=50, deadline=None)
@given(worlds(), GRAPHS, st.integers(0, 4))
def test_every_set_and_distance_is_that_of_brute_force(
    entities: list[Entity], options: GraphOptions, limit: int
) -> None:
    """On random graphs, however they are pruned, nothing differs from sets and loops."""
    taxonomy, oracle = Taxonomy.of_entities(entities, options), OracleGraph(entities, options)
    agree(taxonomy, oracle)
    agree_on_neighbourhoods(taxonomy, oracle, limit)
    held = {*oracle.up, *oracle.classes}
    for v in held:
        agree_on_distances(taxonomy, oracle, v, limit)
    unknown = {qid_of(number) for number in range(1, 20)} - held
    assert not any(qid in taxonomy for qid in unknown)
    for qid in unknown:
        assert_unknown(taxonomy, qid)


def assert_unknown(taxonomy: Taxonomy, qid: str) -> None:
    """Every question about an id that the graph does not hold is a KeyError that names it."""
    questions: dict[str, Callable[[], object]] = {
        name: partial(getattr(taxonomy, name), qid)
        for name in ("superclasses", "subclasses", "above", "below", "instances", "instances_below", "classes", "depth")
    }
    questions["most_linked"] = partial(taxonomy.most_linked, qid, 1)
    questions["to_networkx"] = partial(taxonomy.to_networkx, around=qid, radius=0)
    questions["distance"] = partial(taxonomy.distance, qid, qid)
    questions |= {f"to {held}": partial(taxonomy.distance, held, qid) for held in some_held(taxonomy)}
    for name, ask in questions.items():
        with pytest.raises(KeyError, match=rf"{qid}\b") as caught:
            pytest.fail(f"{name} answered {ask()!r}")
        assert isinstance(caught.value, UnknownItemError)


def some_held(taxonomy: Taxonomy) -> list[str]:
    """A class and an instance of the graph, as far as it has any."""
    return [qid_of(int(numbers[0])) for numbers in (taxonomy.graph.nodes, taxonomy.graph.items) if len(numbers)]


@pytest.mark.slow
@pytest.mark.realdata
def test_every_set_of_real_classes_is_that_of_brute_force(realdata: Path) -> None:
    """The same on the real slice, for all of its classes and items."""
    entities = dump_entities(realdata / "wikidata" / "class-graph-slice.json.gz")
    taxonomy, oracle = Taxonomy.of_entities(entities), OracleGraph(entities, GraphOptions())
    agree(taxonomy, oracle)
    agree_on_neighbourhoods(taxonomy, oracle, 2)
    removed = by_number(oracle.removed)
    assert removed
    for qid in removed:
        assert_unknown(taxonomy, qid)


@pytest.mark.slow
@pytest.mark.realdata
def test_distances_between_real_classes_are_those_of_brute_force(realdata: Path) -> None:
    """From every third class of the real slice, limited to seven to one nearer and one further, and to one anywhere."""
    entities = dump_entities(realdata / "wikidata" / "class-graph-slice.json.gz")
    taxonomy, oracle = Taxonomy.of_entities(entities), OracleGraph(entities, GraphOptions())
    classes = by_number(oracle.up)
    seen: Counter[int | None] = Counter()
    for number, one in enumerate(classes[::3]):
        lengths = lengths_from(oracle, one)
        at = {steps: other for other, steps in lengths.items()}
        for steps in (1 + number % 5, 6 + number % 5):
            if steps in at:
                assert taxonomy.distance(one, at[steps], limit=7) == (steps if steps <= 7 else None)
                seen[steps] += 1
        anywhere = classes[(3 * number + 1000) % len(classes)]
        assert taxonomy.distance(one, anywhere) == lengths.get(anywhere)
        seen[lengths.get(anywhere)] += 1
    assert all(seen[steps] > 60 for steps in (*range(1, 11), None))


@pytest.mark.realdata
def test_no_class_may_be_its_own_component_where_networkx_finds_a_cycle(realdata: Path) -> None:
    """Collapsed components of the unpruned real slice are the strongly connected ones."""
    entities = dump_entities(realdata / "wikidata" / "class-graph-slice.json.gz")
    graph, oracle = Taxonomy.of_entities(entities, WHOLE).graph, OracleGraph(entities, WHOLE)
    ours: dict[int, set[str]] = {}
    for number, component in zip(graph.nodes.tolist(), components(graph.up).tolist(), strict=True):
        ours.setdefault(component, set()).add(f"Q{number}")
    assert sorted(map(sorted, ours.values())) == sorted(map(sorted, nx.strongly_connected_components(oracle.up)))
    assert any(len(members) > 1 for members in ours.values())


TOPS = ["Q4167836", "Q17442446"]  # Wikimedia category, Wikimedia internal item
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
    assert_unknown(taxonomy, qid)


def test_internal_pages_leave_only_where_the_options_name_them() -> None:
    """A category is pruned with its classes and as a class of its own; a page that is a list among others goes too."""
    pages = [
        Entity("Q17442446"),
        Entity("Q4167836", subclass_of=("Q17442446",)),  # Wikimedia category
        Entity("Q20", instance_of=("Q4167836",)),
        Entity("Q21", instance_of=("Q4167836", "Q99")),
        Entity("Q22", instance_of=("Q20",), subclass_of=("Q20",)),  # a category that is used as a class
        Entity("Q23", instance_of=("Q99",)),
    ]
    faithful = Taxonomy.of_entities(pages)
    assert faithful.instances_below("Q17442446") == ["Q20", "Q21"]
    taxonomy = Taxonomy.of_entities(pages, GraphOptions(internal=("Q17442446",)))
    assert [f"Q{number}" for number in taxonomy.graph.removed] == ["Q20", "Q21", "Q35120", "Q4167410", *TOPS]
    assert taxonomy.instances("Q99") == ["Q23"]
    assert taxonomy.superclasses("Q22") == []
    agree(taxonomy, OracleGraph(pages, GraphOptions(internal=("Q17442446",))))


def test_what_is_no_id_is_refused() -> None:
    """A property, a name or nothing at all is a wrong id, not an unknown item; a huge number is unknown."""
    taxonomy = Taxonomy.of_entities(FAMILY[:5])
    for text in ("P279", "human", "", "Q0"):
        with pytest.raises(BadIdError):
            taxonomy.above(text)
    assert_unknown(taxonomy, "Q" + "9" * 30)


def test_without_a_root_nothing_is_pruned_by_depth() -> None:
    """With root = "" even Q35120 stays."""
    taxonomy = Taxonomy.of_entities(FAMILY[:5], GraphOptions(root=""))
    assert taxonomy.below("Q35120") == ["Q1", "Q2", "Q3", "Q4", "Q5"]
    assert taxonomy.superclasses("Q3") == ["Q2"]  # a self-loop is no edge


def test_instances_are_members_of_no_superclass() -> None:
    """An item that is not a class has classes, but neither super- nor subclasses, nor a distance to anything else."""
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
    guide = Path(__file__).parents[2] / "docs" / "taxonomy.md"
    result = doctest.testfile(str(guide), module_relative=False)
    assert result.attempted > 0
    assert result.failed == 0
