"""Coarse types and what agrees in all coarse classes, against sets of classes."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.graph.csr import CsrRows, indices_of
from wikisem.graph.outlier_sets import outlier_index
from wikisem.graph.outlier_sets.neighbourhood import build_ancestor_index
from wikisem.graph.outlier_sets.outlier_index import CoarseTypes, build_coarse_index
from wikisem.graph.taxonomy import Taxonomy
from wikisem.ids import qid_number, qid_of
from wikisem.records import Entity

# More classes than the 64 of one set of bits; Q1 is above all.
CLASSES = 80
PARENTS = st.lists(st.integers(1, CLASSES), min_size=CLASSES, max_size=CLASSES)
ITEMS = st.lists(st.sets(st.integers(2, CLASSES), min_size=1, max_size=3), min_size=3, max_size=12)


@pytest.mark.parametrize("share", [0.01, 0.3])
@given(PARENTS, ITEMS)
def test_items_agree_in_the_classes_that_are_coarse(share: float, parents: list[int], items: list[set[int]]) -> None:
    """Members are the first items but one: a list agrees if it has what most have, and nothing that none has."""
    # A class leads to a lower number, so that there are no circles.
    up = {number: {min(parent, number - 1)} for number, parent in enumerate(parents[1:], start=2)}
    above = {1: {1}}
    for number in range(2, CLASSES + 1):
        above[number] = {number}.union(*(above[parent] for parent in up[number]))
    of_items = [set().union(*(above[number] for number in own)) for own in items]
    sizes = {number: sum(number in own for own in of_items) for number in above}
    coarse = {number for number, size in sizes.items() if size >= share * len(items)}

    entities = [Entity(qid_of(number), (), tuple(map(qid_of, up.get(number, ())))) for number in above]
    entities += [Entity(qid_of(1000 + at), tuple(map(qid_of, own)), (), 5) for at, own in enumerate(items)]
    entities.append(Entity(qid_of(2000), tuple(map(qid_of, above)), (), 0))  # without a sitelink: not counted
    graph = Taxonomy.of_entities(entities).graph
    rows = indices_of(np.arange(1000, 1000 + len(items)), graph.items)[0]
    ancestors = build_ancestor_index(graph.whole_up, np.arange(len(graph.nodes)))
    component = ancestors.component[ancestors.node_to_row]
    counts = np.zeros(len(ancestors.component_starts), dtype=np.int64)
    counts[component] = [sizes[int(number)] for number in graph.nodes]
    with patch.object(outlier_index, "COARSE", share):
        index = build_coarse_index(
            graph, ancestors, counts + 1, linked=True
        )  # with one item of each that nothing links to
    classes = graph.classes.take(rows)
    types = CoarseTypes(graph, ancestors, index, CsrRows(classes.offsets, ancestors.node_to_row[classes.targets]))

    for own, node in zip(of_items, types.of_items(rows).tolist(), strict=True):
        least = min((sizes[number] for number in own & coarse), default=0)
        assert (sizes[int(graph.nodes[node])] if node >= 0 else 0) == least
        assert node < 0 or int(graph.nodes[node]) in own & coarse
    members, asked = of_items[:-1], qid_number("Q3")
    node = int(indices_of(np.array([asked]), graph.nodes)[0][0])
    most = {number for number in coarse if 2 * sum(number in own for own in members) > len(members)}
    needed = {number for number in most if asked not in above[number]}
    agree = [needed <= own & coarse <= set().union(*members) for own in of_items]
    assert types.agree(node, rows[:-1], np.arange(len(items))).tolist() == agree
