"""Distances on the graph without its leaves, against networkx on the whole one."""

import itertools

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from wikisem.graph.taxonomy import Taxonomy
from wikisem.ids import qid_of
from wikisem.recipes.options import GraphOptions
from wikisem.records import Entity

WHOLE = GraphOptions(disambiguation=(), root="")


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
