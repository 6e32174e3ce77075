"""Telling distinct lists of classes apart."""

from hypothesis import given
from hypothesis import strategies as st

from wikisem.graph.class_graph import ItemEdges
from wikisem.graph.outlier_sets.class_lists import class_lists
from wikisem.graph.taxonomy import Taxonomy
from wikisem.ids import qid_of
from wikisem.recipes.options import GraphOptions
from wikisem.records import Entity

LISTS = st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=4, unique=True), min_size=1, max_size=30)


@given(LISTS)
def test_items_share_a_number_exactly_when_they_share_a_list(lists: list[list[int]]) -> None:
    """Equal lists, and they alone, have equal numbers; the numbers lead back to the lists."""
    entities = [Entity(qid_of(100 + n), instance_of=tuple(map(qid_of, kinds))) for n, kinds in enumerate(lists)]
    graph = Taxonomy.of_entities(entities, GraphOptions(root="")).graph
    numbers, distinct = class_lists(graph.classes)
    assert len(distinct) == len({frozenset(kinds) for kinds in lists})
    for item, number in enumerate(numbers.tolist()):
        assert distinct.row(number).tolist() == graph.classes.row(item).tolist()


def test_no_items_have_no_lists() -> None:
    """An empty graph has neither numbers nor lists."""
    numbers, distinct = class_lists(Taxonomy.of_entities([]).graph.classes)
    assert (len(numbers), len(distinct)) == (0, 0)
    assert len(ItemEdges.of_entities([]).items) == 0
