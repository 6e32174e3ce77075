"""Compressed sparse rows against sets and loops."""

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wikisem.graph.csr import CsrRows, closure, components, levels, offsets_of, steps_from

NODES = 9
EDGES = st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)), max_size=25)
Edges = list[tuple[int, int]]


def rows_of(edges: Edges) -> CsrRows:
    """The rows of nine nodes."""
    sources, targets = (np.array([edge[end] for edge in edges], dtype=np.uint32) for end in (0, 1))
    return CsrRows.from_pairs(sources, targets, NODES)


def edges_of(rows: CsrRows) -> Edges:
    """All edges, in the order of the rows."""
    return list(zip(rows.sources().tolist(), rows.targets.tolist(), strict=True))


@given(EDGES)
def test_rows_are_the_sorted_edges_without_duplicates(edges: Edges) -> None:
    """Forwards, backwards and in both directions."""
    assert edges_of(rows_of(edges)) == sorted(set(edges))
    assert edges_of(rows_of(edges).reverse(NODES)) == sorted({(b, a) for a, b in edges})
    sources, targets = (np.array([edge[end] for edge in edges], dtype=np.uint32) for end in (0, 1))
    undirected = CsrRows.undirected(sources, targets, NODES)
    assert edges_of(undirected) == sorted({*edges, *((b, a) for a, b in edges)})


@given(EDGES, EDGES, st.lists(st.integers(0, NODES - 1), max_size=12))
def test_rows_are_taken_kept_and_left_out_by_row(edges: Edges, others: Edges, nodes: list[int]) -> None:
    """``take`` repeats and reorders rows, ``keep`` filters targets, ``without`` removes what the same row has."""
    rows = rows_of(edges)
    taken = rows.take(np.array(nodes, dtype=np.int64))
    assert [taken.row(n).tolist() for n in range(len(taken))] == [rows.row(node).tolist() for node in nodes]
    assert edges_of(rows.keep(rows.targets % 2 == 0)) == [(a, b) for a, b in sorted(set(edges)) if b % 2 == 0]
    assert edges_of(rows.without(rows_of(others))) == sorted(set(edges) - set(others))
    assert rows.counts().tolist() == [len(rows.row(node)) for node in range(NODES)]


@given(EDGES, st.sets(st.integers(0, NODES - 1), min_size=1))
def test_steps_and_closures_are_those_of_networkx(edges: Edges, starts: set[int]) -> None:
    """The number of steps from the nearest start, what is reached from several, and what from one."""
    graph = nx.DiGraph(edges)
    graph.add_nodes_from(range(NODES))
    lengths = dict(nx.multi_source_dijkstra_path_length(graph, starts))
    rows = rows_of(edges)
    assert steps_from(rows, sorted(starts)).tolist() == [lengths.get(node, -1) for node in range(NODES)]
    for start in starts:
        assert closure(rows, start).tolist() == sorted({start, *nx.descendants(graph, start)})


@given(EDGES)
def test_components_are_those_of_networkx(edges: Edges) -> None:
    """Every node has the lowest node of its strongly connected component."""
    graph = nx.DiGraph(edges)
    graph.add_nodes_from(range(NODES))
    wanted = {node: min(members) for members in nx.strongly_connected_components(graph) for node in members}
    assert components(rows_of(edges)).tolist() == [wanted[node] for node in range(NODES)]


@given(EDGES)
def test_levels_are_longest_paths(edges: Edges) -> None:
    """On an acyclic graph the level of a node is one more than the highest of its parents'."""
    acyclic = [(max(edge), min(edge)) for edge in edges if edge[0] != edge[1]]
    level = levels(rows_of(acyclic)).tolist()
    for node in range(NODES):
        assert level[node] == max((1 + level[parent] for child, parent in acyclic if child == node), default=0)


def test_no_nodes_have_no_components_and_no_levels() -> None:
    """An empty graph is a graph."""
    empty = CsrRows(offsets_of(np.zeros(0, dtype=np.int64)), np.zeros(0, dtype=np.uint32))
    assert components(empty).tolist() == levels(empty).tolist() == []
    assert len(empty.reverse(0)) == 0
