"""Which classes are a status of what has them, against sets and loops, and by example."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph.strategies import GRAPHS, group_worlds, worlds
from tests.oracle import OracleGraph, OracleGroups
from wikisem.graph.outlier_sets import outlier_index as module
from wikisem.graph.outlier_sets.outlier_index import status_classes
from wikisem.graph.taxonomy import Taxonomy
from wikisem.ids import qid_of
from wikisem.recipes.options import GraphOptions, OutlierOptions, Recipe
from wikisem.records import Entity
from wikisem.wikipedia.languages import language_profile

WHOLE = GraphOptions(disambiguation=(), root="")


def found(entities: list[Entity], pruning: GraphOptions, share: float) -> dict[str, bool]:
    """What the implementation says of every class."""
    graph = Taxonomy.of_entities(entities, pruning).graph
    flags = status_classes(graph, np.arange(len(graph.nodes)), share)
    return dict(zip(map(qid_of, graph.nodes.tolist()), flags.tolist(), strict=True))


@pytest.mark.slow
def test_status_classes_are_those_of_the_oracle() -> None:
    """In random graphs, cycles among them, and for every share."""
    seen: Counter[str] = Counter()
    some = st.one_of(worlds(), group_worlds().map(lambda world: world[0]))

    @settings(max_examples=240)
    @given(some, GRAPHS, st.sampled_from([0.1, 0.25, 0.5, 0.6, 0.7, 0.8, 1.0]))
    def compare(entities: list[Entity], pruning: GraphOptions, share: float) -> None:
        recipe = Recipe("random", graph=pruning, outliers=OutlierOptions(status_share=share))
        graph = OracleGraph(entities, pruning)
        oracle = OracleGroups(graph, recipe, language_profile("en"), {})
        for v, flag in found(entities, pruning, share).items():
            if graph.instances(v):
                assert flag == oracle.is_status(v), v
                below = graph.below(v) - {v}
                subclass = any(graph.classes[item] & below for item in graph.instances(v))
                seen.update([f"status {flag}", *["instance of a subclass"] * (subclass and not flag)])

    compare()
    assert min(seen["status True"], seen["status False"]) >= 30, seen
    assert seen["instance of a subclass"] >= 8, seen


@pytest.mark.parametrize(("share", "expected"), [(0.0, False), (0.7, True), (0.8, True), (0.81, False), (1.0, False)])
def test_the_share_is_of_instances_that_are_something_else_too(share: float, expected: bool) -> None:
    """Four of five college towns are cities, too; the fifth is a university town, which is below college town."""
    towns = [Entity(f"Q{n}", ("Q2", "Q3"), ()) for n in range(11, 15)]
    entities = [Entity("Q2", (), ("Q3",)), Entity("Q4", (), ("Q2",)), *towns, Entity("Q15", ("Q2", "Q4"), ())]
    assert found(entities, WHOLE, share)["Q2"] is expected


@pytest.mark.parametrize("chunk", [1, 2, 3, 5, 6])
def test_items_are_counted_alike_in_chunks(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many items are looked at at a time, none is lost or counted twice."""
    monkeypatch.setattr(module, "_CHUNK", chunk)
    entities = [Entity(f"Q{n}", ("Q2", "Q3") if n % 3 else ("Q2",)) for n in range(11, 17)]
    assert found(entities, WHOLE, 0.66)["Q2"]
    assert not found(entities, WHOLE, 0.67)["Q2"]


def test_a_share_is_met_exactly() -> None:
    """Seven of ten are at least a share of 0.7, though 0.7 times ten is a little more than seven in some products."""
    for total in (10, 15, 29, 35):
        for several in range(total + 1):
            share = round(several / total, 2)
            kinds = [("Q2", "Q3")] * several + [("Q2",)] * (total - several)
            items = [Entity(f"Q{n}", own, ()) for n, own in enumerate(kinds, start=100)]
            expected = share > 0 and 100 * several >= round(100 * share) * total
            assert found(items, WHOLE, share)["Q2"] is expected, (several, total)
