"""The class graph asked by QID, against brute force."""

import doctest
import itertools
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


# Distances on the graph without its leaves, against networkx on the whole one.


@st.composite
def sparse_graphs(draw: st.DrawFn) -> list[Entity]:
    """Classes with few superclasses each, mostly near in number: long paths, chains, leaves of every kind, islands."""
    count = draw(st.integers(2, 30))
    reach = draw(st.sampled_from([2, 4, 30]))
    most = draw(st.sampled_from([1, 2, 4]))
    some = [draw(st.lists(st.integers(max(1, n - reach), n + 1), max_size=most, unique=True)) for n in range(count)]
    return [Entity(qid_of(n + 1), subclass_of=tuple(map(qid_of, parents))) for n, parents in enumerate(some)]


def class_graph(*edges: tuple[int, int]) -> Taxonomy:
    """The classes that the edges name, from sub- to superclass."""
    subs = {sub: tuple(qid_of(up) for low, up in edges if low == sub) for sub, _ in edges}
    return Taxonomy.of_entities([Entity(qid_of(sub), subclass_of=ups) for sub, ups in subs.items()], WHOLE)


@settings(max_examples=50, deadline=None)
@given(sparse_graphs(), st.integers(0, 8))
def test_paths_of_every_length_are_the_shortest(entities: list[Entity], limit: int) -> None:
    """All pairs are as far apart as networkx says, without a limit and with any, in both directions."""
    taxonomy = Taxonomy.of_entities(entities, WHOLE)
    edges = [(e.qid, parent) for e in entities for parent in e.subclass_of if parent != e.qid]
    lengths = dict(nx.all_pairs_shortest_path_length(nx.Graph(edges)))
    known = [qid_of(number) for number in taxonomy.graph.nodes.tolist()]
    assert set(lengths) <= set(known)
    for one, other in itertools.product(known, repeat=2):
        length = 0 if one == other else lengths.get(one, {}).get(other)
        assert taxonomy.distance(one, other) == length
        assert taxonomy.distance(one, other, limit) == (None if length is None or length > limit else length)


@given(sparse_graphs())
def test_leaves_with_up_to_two_superclasses_are_taken_out(entities: list[Entity]) -> None:
    """What is left has a subclass or three superclasses, and no pair is both one and two steps apart."""
    taxonomy = Taxonomy.of_entities(entities, WHOLE)
    graph, contracted = taxonomy.graph, taxonomy.contracted
    wanted = [n for n in range(len(graph.nodes)) if len(graph.down.row(n)) or len(graph.up.row(n)) > 2]
    assert contracted.kept_nodes.tolist() == wanted
    rows_1, rows_2 = contracted.edges_1, contracted.edges_2
    one, two = (set(zip(rows.sources().tolist(), rows.targets.tolist(), strict=True)) for rows in (rows_1, rows_2))
    assert not one & two


def test_leaves_are_bridges_between_their_superclasses() -> None:
    """Three leaves below the same two classes are one edge of length two; a path may begin at one of them."""
    taxonomy = class_graph((3, 1), (3, 2), (4, 1), (4, 2), (5, 1), (5, 2), (1, 9), (6, 2))
    assert taxonomy.contracted.edges_2.counts().sum() == 2  # there and back
    assert taxonomy.distance("Q1", "Q2") == 2
    assert taxonomy.distance("Q3", "Q4") == 2
    assert taxonomy.distance("Q9", "Q6") == 4
    assert taxonomy.distance("Q9", "Q6", limit=3) is None


def test_a_chain_of_bridges_is_as_long_as_its_steps() -> None:
    """Where every second class is a leaf, both ends of the search jump over them and still meet exactly."""
    count = 12
    taxonomy = class_graph(*((100 + n, up) for n in range(1, count) for up in (n, n + 1)))
    for one, other in itertools.combinations(range(1, count + 1), 2):
        assert taxonomy.distance(qid_of(one), qid_of(other)) == 2 * (other - one)
        assert taxonomy.distance(qid_of(one), qid_of(other), limit=2 * (other - one) - 1) is None
