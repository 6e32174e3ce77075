"""Statements that make a class: the example of the docstring in small."""

import pyarrow as pa

from tests.entity_files import entity_row
from wikisem.arrow.columns import qid_numbers
from wikisem.graph.outlier_sets.class_lists import ItemStatements, class_making_statements
from wikisem.graph.taxonomy import Taxonomy
from wikisem.ids import qid_of
from wikisem.recipes.options import GraphOptions
from wikisem.records import Entity, Statement
from wikisem.schemas import ENTITIES

NATIONS, INTERPOL, UNION, UNIVERSE = "Q1065", "Q8475", "Q7159", "Q1"


def made(instances: int, having: int, elsewhere: int, value: str = NATIONS, others: int = 0) -> list[str]:
    """The statements that make the class Q2, of whose instances ``having`` have the value and ``others`` another one.

    ``elsewhere`` items that are no instances have the value too. "Q3" is their class, which it must not make.
    """

    def item(number: int, own: str, *values: str) -> Entity:
        return Entity(qid_of(number), (own,), statements=tuple(Statement("P463", one) for one in values))

    inside = [
        item(10 + n, "Q2", *([value] if n < having else ["Q99"] if n < having + others else []))
        for n in range(instances)
    ]
    outside = [item(500 + n, "Q3", value) for n in range(elsewhere)]
    return _made([*inside, *outside])


def _made(entities: list[Entity]) -> list[str]:
    graph = Taxonomy.of_entities(entities, GraphOptions(disambiguation=(), root="")).graph
    table = pa.Table.from_pylist([entity_row(entity) for entity in entities], schema=ENTITIES)
    statements = ItemStatements.of_columns(qid_numbers(table["qid"]), table["statements"], ("P361", "P463"))
    making, having = class_making_statements(graph, statements, 7)
    names = [qid_of(int(graph.nodes[node])) for node in making.owners]
    assert len(making.rows.targets) == 0 or set(having.rows.targets.tolist()) == set(making.rows.targets.tolist())
    return names


def test_nearly_all_instances_have_it_and_few_others() -> None:
    """Nine tenths of those with the property, seven at least, and half of all that have it."""
    assert made(instances=20, having=18, elsewhere=4, others=2) == ["Q2"]
    assert made(instances=20, having=17, elsewhere=4, others=3) == []
    assert made(instances=20, having=18, elsewhere=18) == ["Q2", "Q3"]
    assert made(instances=20, having=18, elsewhere=19) == ["Q3"]
    assert made(instances=20, having=7, elsewhere=1) == ["Q2"]
    assert made(instances=20, having=6, elsewhere=1) == []


def test_only_items_of_the_properties_asked_for_count() -> None:
    """Another property, a text and an item outside the graph say nothing of a class."""
    country = [Entity(qid_of(10 + n), ("Q2",), statements=(Statement("P17", NATIONS),)) for n in range(9)]
    text = [Entity(qid_of(10 + n), ("Q2",), statements=(Statement("P463", "club", "en"),)) for n in range(9)]
    assert _made(country) == _made(text) == []
    assert _made([Entity("Q5")]) == []
