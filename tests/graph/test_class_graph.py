"""The class graph from the edges of several tables."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.graph.strategies import GRAPHS, worlds
from wikisem.errors import DamagedInputError
from wikisem.graph import instances
from wikisem.graph.class_graph import ClassGraph, build_graph
from wikisem.graph.item_edges import ItemEdges
from wikisem.graph.store import arrays_of
from wikisem.graph.taxonomy import Taxonomy
from wikisem.ids import qid_of
from wikisem.recipes.options import GraphOptions
from wikisem.records import Entity

WHOLE = GraphOptions(disambiguation=(), root="")


def same(one: ClassGraph, other: ClassGraph) -> bool:
    """Whether two graphs have the same arrays of the same types."""
    pairs = zip(arrays_of(one), arrays_of(other), strict=True)
    return all(a == b and x.dtype == y.dtype and x.tolist() == y.tolist() for (a, x), (b, y) in pairs)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(worlds(), GRAPHS, st.integers(1, 4))
def test_many_tables_in_short_spans_give_the_graph_of_one(
    monkeypatch: pytest.MonkeyPatch, entities: list[Entity], options: GraphOptions, count: int
) -> None:
    """However items are divided into tables, and wherever spans end, the arrays are the same."""
    whole = build_graph([ItemEdges.of_entities(entities)], options)
    monkeypatch.setattr(instances, "_SPAN", 4)
    monkeypatch.setattr(instances, "_SAMPLE", 2)
    assert same(build_graph([ItemEdges.of_entities(entities[n::count]) for n in range(count)], options), whole)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(worlds(), st.integers(0, 2**31 - 1))
def test_items_too_many_for_one_key_are_in_the_same_order(
    monkeypatch: pytest.MonkeyPatch, entities: list[Entity], most: int
) -> None:
    """Where class, sitelinks and item do not fit into one number, they are sorted one after another."""
    entities = [*entities, Entity("Q999", instance_of=("Q1",), sitelinks=most)]
    whole = build_graph([ItemEdges.of_entities(entities)], WHOLE)
    monkeypatch.setattr(instances, "KEY_BITS", 0)
    assert same(build_graph([ItemEdges.of_entities(entities)], WHOLE), whole)


def test_instances_are_ordered_by_sitelinks_then_by_number() -> None:
    """The most linked come first, and among equals the lower number."""
    links = {"Q30": 2, "Q7": 5, "Q100": 5, "Q2": 0, "Q11": 2**31 - 1}
    taxonomy = Taxonomy.of_entities([Entity(qid, ("Q1",), sitelinks=count) for qid, count in links.items()], WHOLE)
    assert [qid for qid, _ in taxonomy.most_linked("Q1", 9)] == ["Q11", "Q7", "Q100", "Q30", "Q2"]


def test_numbers_beyond_32_bits_are_kept_whole() -> None:
    """Tables with large and with small numbers go together."""
    far = 2**32 + 5
    parts = [[Entity("Q5", ("Q1",))], [Entity(qid_of(far), ("Q1", qid_of(far + 1)), ("Q2",))]]
    graph = build_graph([ItemEdges.of_entities(part) for part in parts], WHOLE)
    assert graph.items.tolist() == [5, far]
    assert graph.nodes.tolist() == [1, 2, far, far + 1]
    assert np.asarray(graph.instances.row(0)).tolist() == [0, 1]


def test_what_names_a_class_twice_is_one_edge() -> None:
    """Repeated values of one item and edges to itself do not count; the item stays."""
    edges = ItemEdges.of_entities(
        [Entity("Q9", ("Q1", "Q1"), ("Q9", "Q2", "Q2")), Entity("Q8", (), ("Q8",)), Entity("Q7")]
    )
    assert edges.items.tolist() == [8, 9]
    assert edges.classes.tolist() == [1, 2]
    assert (edges.instance_of.counts().tolist(), edges.subclass_of.counts().tolist()) == ([0, 1], [0, 1])


def test_an_id_beyond_63_bits_is_damaged_input() -> None:
    """The error shows the number."""
    with pytest.raises(DamagedInputError, match="99999999999999999999"):
        ItemEdges.of_entities([Entity("Q99999999999999999999", ("Q1",))])
