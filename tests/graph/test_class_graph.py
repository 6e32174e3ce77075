"""The class graph from the edges of several tables."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph.strategies import GRAPHS, worlds
from wikisem.errors import DamagedInputError, UnknownItemError
from wikisem.graph import class_graph
from wikisem.graph.class_graph import ClassGraph, ItemEdges, build_graph, by_prominence
from wikisem.graph.csr import CsrRows
from wikisem.graph.outlier_sets.class_lists import outlier_pool
from wikisem.graph.outlier_sets.hash_ring import HashRing
from wikisem.graph.outlier_sets.neighbourhood import BitPlanes
from wikisem.graph.outlier_sets.outlier_index import OutlierSets, build_outlier_index
from wikisem.graph.store import arrays_of
from wikisem.graph.taxonomy import Taxonomy
from wikisem.ids import qid_of
from wikisem.recipes.options import GraphOptions, OutlierOptions, Recipe
from wikisem.records import Entity

WHOLE = GraphOptions(disambiguation=(), root="")


def same(one: ClassGraph, other: ClassGraph) -> bool:
    """Whether two graphs have the same arrays of the same types."""
    pairs = zip(arrays_of(one), arrays_of(other), strict=True)
    return all(a == b and x.dtype == y.dtype and x.tolist() == y.tolist() for (a, x), (b, y) in pairs)


@settings(max_examples=60)
@given(worlds(), GRAPHS, st.integers(1, 4))
def test_many_tables_in_short_spans_give_the_graph_of_one(
    entities: list[Entity], options: GraphOptions, count: int
) -> None:
    """However items are divided into tables, and wherever spans end, the arrays are the same."""
    whole = build_graph([ItemEdges.of_entities(entities)], options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(class_graph, "_SPAN", 4)
        patch.setattr(class_graph, "_SAMPLE", 2)
        assert same(build_graph([ItemEdges.of_entities(entities[n::count]) for n in range(count)], options), whole)


@settings(max_examples=40)
@given(worlds(), st.integers(0, 2**31 - 1))
def test_items_too_many_for_one_key_are_in_the_same_order(entities: list[Entity], most: int) -> None:
    """Where class, sitelinks and item do not fit into one number, they are sorted one after another."""
    entities = [*entities, Entity("Q999", instance_of=("Q1",), sitelinks=most)]
    whole = build_graph([ItemEdges.of_entities(entities)], WHOLE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(class_graph, "KEY_BITS", 0)
        assert same(build_graph([ItemEdges.of_entities(entities)], WHOLE), whole)


def test_keys_of_more_than_64_bits_are_in_the_same_order() -> None:
    """21 bits for a class, 31 for sitelinks and 14 for an item: one number would lose the highest of the class."""
    nodes, items = 1 << 20, 1 << 13
    classes = CsrRows(np.arange(items + 1), np.array([0, nodes // 2] * (items // 2)))
    sitelinks = np.full(items, 1, np.int32)
    sitelinks[-2:] = 2**31 - 1
    rows = by_prominence(classes, sitelinks, nodes)
    assert rows.row(0).tolist() == [items - 2, *range(0, items - 2, 2)]
    assert rows.row(nodes // 2).tolist() == [items - 1, *range(1, items - 2, 2)]


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


def test_no_table_at_all_is_an_empty_graph() -> None:
    """Like a table without items: the graph has neither nodes nor items, and only what the options name is removed."""
    graph = build_graph([], GraphOptions())
    assert same(graph, build_graph([ItemEdges.of_entities([])], GraphOptions()))
    assert [len(graph.nodes), len(graph.items), len(graph.up), len(graph.instances)] == [0, 0, 0, 0]
    assert [qid_of(number) for number in graph.removed.tolist()] == ["Q35120", "Q4167410"]


def test_an_empty_taxonomy_answers(tmp_path: Path) -> None:
    """It can be written and opened, has no class, and says so of every id."""
    Taxonomy.of_entities([], WHOLE).save(tmp_path)
    taxonomy = Taxonomy.load(tmp_path)
    assert "Q1" not in taxonomy
    for ask in (taxonomy.above, taxonomy.instances_below, taxonomy.depth):
        with pytest.raises(UnknownItemError, match=r"saw Q1$"):
            ask("Q1")


def test_outlier_sets_of_an_empty_graph_are_empty() -> None:
    """No language, no items, no classes: the index and the ring are there all the same."""
    graph = build_graph([], WHOLE)
    items, numbers, lists = outlier_pool(graph, [])
    none = np.zeros(0, dtype=np.int64)
    index = build_outlier_index(graph, lists, none, Recipe("empty"))
    ring = HashRing.of(1, items, items, numbers, len(lists))
    found = OutlierSets(graph, index, OutlierOptions()).of(none)
    assert [len(bitsets) for bitsets in found.sets] == [0, 0, 0]
    assert list(ring.walk(BitPlanes(found.sets[0]), 0, np.uint64(7))) == []


def test_entities_without_other_ranks_still_read() -> None:
    """Tables written before the column ``other_instance_of`` give the same graph, in which no item has another rank."""
    rows = {"qid": ["Q1", "Q2"], "instance_of": [["Q7"], ["Q8"]], "subclass_of": [[], []], "sitelinks": [1, 2]}
    lists = pa.list_(pa.string())
    types = {"qid": pa.string(), "instance_of": lists, "subclass_of": lists, "sitelinks": pa.int32()}
    old = pa.table(rows, schema=pa.schema(types.items()))
    graph = build_graph([ItemEdges.of_table(old)], WHOLE)
    assert (graph.items.tolist(), len(graph.other_classes.owners)) == ([1, 2], 0)
    new = old.append_column("other_instance_of", pa.array([["Q8", "Q999"], []], lists))
    others = build_graph([ItemEdges.of_table(new)], WHOLE).other_classes
    assert (others.owners.tolist(), others.rows.row(0).tolist()) == ([0], [1])
