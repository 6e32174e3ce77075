"""Unlinked items that were only counted decide as they would as rows of the graph."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.entity_files import entity_row
from tests.graph.strategies import GRAPHS, group_worlds, worlds
from wikisem.arrow.columns import is_in, qid_numbers, union
from wikisem.graph.class_graph import ClassGraph, ItemEdges, build_graph
from wikisem.graph.outlier_sets.class_lists import NO_UNLINKED, CountedLists
from wikisem.graph.outlier_sets.outlier_index import status_classes
from wikisem.ids import qid_number
from wikisem.recipes.options import GraphOptions
from wikisem.records import Entity
from wikisem.schemas import ENTITIES
from wikisem.wikidata.entity_columns import count_unlinked, edge_targets, split_by_certainty


def _divide(table: pa.Table, named: list[str]) -> tuple[pa.Table, pa.Table]:
    """The items that a build keeps, those that the graph's options name among them, and those that it only counts."""
    targets = union([edge_targets(table), np.array(sorted(map(qid_number, named)), dtype=np.int64)])
    kept, left_out = [ENTITIES.empty_table()], [ENTITIES.empty_table()]
    for certainty, rows in split_by_certainty(table, linked_only=True):
        stays = is_in(qid_numbers(rows["qid"]), targets) | (certainty == "certain")
        kept.append(rows.filter(pa.array(stays)))
        left_out.append(rows.filter(pa.array(~stays)))
    return pa.concat_tables(kept), pa.concat_tables(left_out)


def _graphs(
    entities: list[Entity], pruning: GraphOptions, files: int
) -> tuple[ClassGraph, ClassGraph, CountedLists, pa.Table]:
    """The graph of all items, that of those that a build keeps, the counts of the others, and these."""
    table = pa.Table.from_pylist([entity_row(entity) for entity in entities], schema=ENTITIES)
    kept, left_out = _divide(table, [*pruning.disambiguation, *pruning.internal, *filter(None, [pruning.root])])
    counted = [
        count_unlinked([left_out.take(pa.array(range(n, len(left_out), files), pa.int64()))]) for n in range(files)
    ]
    classes = ItemEdges.of_classes(part["instance_of"] for part in counted)
    graph = build_graph([ItemEdges.of_table(kept), classes], pruning)
    unlinked = CountedLists.join([CountedLists.of_table(graph, part) for part in counted])
    return build_graph([ItemEdges.of_table(table)], pruning), graph, unlinked, left_out


def test_a_pruned_class_makes_no_class_a_status_class() -> None:
    """An item that is an instance of a pruned class, too, has no other class, whether it is a row or only counted."""
    entities = [
        *(Entity("Q1"), Entity("Q2", subclass_of=("Q8",)), Entity("Q3")),
        *(Entity("Q6", ("Q2",), ("Q3",)), Entity("Q9", ("Q6", "Q1")), Entity("Q10", ("Q1", "Q3"))),
    ]
    whole, graph, unlinked, _ = _graphs(entities, GraphOptions(disambiguation=(), internal=("Q8",), root=""), 1)
    assert (graph.nodes.tolist(), graph.hidden.tolist(), unlinked.counts.sum()) == ([1, 3], [6], 2)
    for share, expected in ((0.5, [True, True]), (0.8, [False, True])):
        assert status_classes(whole, np.arange(2), share).tolist() == expected
        assert status_classes(graph, np.arange(2), share, unlinked).tolist() == expected


@pytest.mark.slow
def test_counted_items_decide_as_rows_of_the_graph_do() -> None:
    """Which classes are status classes, in random graphs; of several files as of one."""
    seen: Counter[str] = Counter()
    some = st.one_of(worlds(), group_worlds().map(lambda world: world[0]))

    @settings(max_examples=300)
    @given(some, GRAPHS, st.sampled_from([0.3, 0.5, 0.8]), st.integers(1, 3))
    def compare(entities: list[Entity], pruning: GraphOptions, share: float, files: int) -> None:
        whole, graph, unlinked, left_out = _graphs(entities, pruning, files)
        nodes = np.arange(len(whole.nodes))
        assert np.array_equal(graph.nodes, whole.nodes)
        expected = status_classes(whole, nodes, share)
        assert np.array_equal(status_classes(graph, nodes, share, unlinked), expected)
        seen["status"] += not np.array_equal(status_classes(graph, nodes, share, NO_UNLINKED), expected)
        seen["page"] += bool(len(left_out)) and unlinked.counts.sum() < sum(
            map(bool, left_out["instance_of"].to_pylist())
        )
        seen["alike"] += bool((unlinked.counts > 1).any())

    compare()
    assert min(seen[kind] for kind in ("status", "page", "alike")) >= 8, seen
