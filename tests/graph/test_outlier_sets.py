"""Outlier sets of many classes at once, and the choice on the ring, against brute force."""

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.graph.strategies import GRAPHS, OUTLIERS, worlds
from tests.oracle import Named, OracleGraph, OracleGroups
from wikisem.arrow.columns import distinct
from wikisem.graph.csr import CsrRows, Int64s, closure
from wikisem.graph.outlier_sets import overlap
from wikisem.graph.outlier_sets.class_lists import NO_UNLINKED, outlier_pool
from wikisem.graph.outlier_sets.hash_ring import HashRing
from wikisem.graph.outlier_sets.neighbourhood import BitPlanes, build_ancestor_index
from wikisem.graph.outlier_sets.outlier_index import OutlierSets, build_outlier_index
from wikisem.graph.taxonomy import Taxonomy
from wikisem.ids import qid_of
from wikisem.recipes.options import GraphOptions, OutlierOptions, Recipe
from wikisem.records import Entity
from wikisem.sampling import hash_key, hash_keys
from wikisem.wikipedia.languages import language_profile


@settings(max_examples=100, deadline=None)
@given(worlds(), GRAPHS, OUTLIERS, st.integers(0, 2**64 - 1))
def test_each_class_walks_the_ring_through_its_exact_sets(
    entities: list[Entity], pruning: GraphOptions, options: OutlierOptions, seed: int
) -> None:
    """For every class and outlier class, the walk meets exactly the set, in the order of the ring from its hash key."""
    graph = Taxonomy.of_entities(entities, pruning).graph
    recipe = Recipe("random", seed=seed, graph=pruning, outliers=options)
    names = {entity.qid: Named("x") for entity in entities}
    oracle = OracleGroups(OracleGraph(entities, pruning), recipe, language_profile("en"), names)
    items, numbers, lists = outlier_pool(graph, [np.flatnonzero(graph.sitelinks >= options.min_sitelinks)])
    ring = HashRing.of(seed, graph.items[items], items, numbers, len(lists))
    nodes = np.arange(len(graph.nodes))
    found = OutlierSets(graph, build_outlier_index(graph, lists, nodes, recipe), options).of(nodes).sets
    for node in nodes.tolist():
        number = int(graph.nodes[node])
        for bitsets, wanted in zip(found, oracle.outlier_sets(qid_of(number)), strict=True):
            walk = ring.walk(BitPlanes(bitsets), node, np.uint64(hash_key(seed, number, "class")))
            met = [qid_of(int(graph.items[ring.rows[location]])) for location in walk]
            assert met == oracle.ring(wanted, qid_of(number))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(worlds(), GRAPHS, st.sampled_from([2, 1 << 20]), st.data())
def test_classes_share_the_instances_that_are_below_both(
    monkeypatch: pytest.MonkeyPatch, entities: list[Entity], pruning: GraphOptions, at_once: int, data: st.DataObject
) -> None:
    """Whether counted at once, or in portions; nothing is known of a class that is no candidate."""
    monkeypatch.setattr(overlap, "_ENTRIES", at_once)
    graph = Taxonomy.of_entities(entities, pruning).graph
    every, nodes = overlap.count_lists(graph, NO_UNLINKED), np.arange(len(graph.nodes))
    ancestors = build_ancestor_index(graph.whole_up, distinct(np.concatenate([nodes, every.classes.targets])))
    is_candidate = np.array(data.draw(st.lists(st.booleans(), min_size=len(nodes), max_size=len(nodes))), dtype=bool)
    none = CsrRows(np.zeros(1, dtype=np.int64), ancestors.row_to_node[:0])
    index = overlap.build_overlap_index(every, ancestors, nodes[is_candidate], none, np.zeros(0, dtype=bool))
    # The components above each list, class by class.
    above = [
        {int(ancestors.component[ancestors.node_to_row[up]]) for own in row for up in closure(graph.whole_up, own)}
        for row in (every.classes.row(number).tolist() for number in range(len(every.classes)))
    ]
    expected = {component: Counter[int]() for component in range(len(ancestors.component_starts))}
    for components, count in zip(above, every.counts.tolist(), strict=True):
        for first in components:
            expected[first].update(dict.fromkeys(components, count))
    candidates = {int(ancestors.component[ancestors.node_to_row[node]]) for node in nodes[is_candidate]}
    for component, wanted in expected.items():
        found, counts = index.shared(component)
        asked = wanted if component in candidates else {}
        assert list(zip(found.tolist(), counts.tolist(), strict=True)) == sorted(asked.items())
        assert index.instances[component] == wanted[component]


def in_first_set(entities: list[Entity], qid: str, options: OutlierOptions) -> list[str]:
    """The items in O1 of a class, where all within one step below Q1 is pruned."""
    graph = Taxonomy.of_entities(entities, GraphOptions(disambiguation=(), root="Q1", root_distance=1)).graph
    items, numbers, lists = outlier_pool(graph, [np.arange(len(graph.items))])
    node = np.searchsorted(graph.nodes, [int(qid[1:])])
    index = build_outlier_index(graph, lists, node, Recipe("whole", outliers=options))
    (first, _, _) = OutlierSets(graph, index, options).of(node).sets
    return [qid_of(int(number)) for number in graph.items[items[first[numbers] != 0]]]


def test_kin_is_asked_of_the_whole_graph() -> None:
    """A pruned class brings nothing in, but what leads through it is still above, below or an instance."""
    organization, group, other, business, top, platform = "Q2", "Q3", "Q4", "Q5", "Q6", "Q7"
    entities = [
        Entity(organization, subclass_of=("Q1", group)),
        Entity(group, instance_of=("Q8",), subclass_of=(top,)),
        Entity(other, subclass_of=(top,)),
        Entity(business, subclass_of=(organization, "Q9")),
        Entity("Q8", subclass_of=("Q9",)),
        Entity(platform, instance_of=(other,), subclass_of=(business,)),
        Entity("Q10", instance_of=(other, organization)),
        Entity("Q11", instance_of=(other,), other_instance_of=(organization,)),
        Entity("Q12", instance_of=(other,), other_instance_of=(business,)),
        Entity("Q13", instance_of=(other,)),
        Entity("Q14", instance_of=("Q8",)),
    ]
    assert in_first_set(entities, group, OutlierOptions()) == ["Q10", "Q11", "Q12", "Q13"]
    assert in_first_set(entities, business, OutlierOptions()) == ["Q14"]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 3000), st.integers(1, 40), st.integers(1, 9), st.integers(0, 2**64 - 1), st.data())
def test_a_walk_meets_every_hit_once_in_order(
    size: int, kinds: int, count: int, seed: int, data: st.DataObject
) -> None:
    """However rare or frequent the hits are, walking, listing and looking ahead give what sorting all of them gives."""
    numbers = np.arange(1, size + 1)
    lists = np.random.default_rng(seed % 2**32).integers(0, kinds, size)
    kind_sets = st.sets(st.integers(0, kinds - 1), max_size=kinds)
    hits = data.draw(st.dictionaries(st.integers(0, 63), kind_sets, min_size=1, max_size=5))
    check_walks(numbers, lists, hits, count, seed)


@pytest.mark.parametrize("count", [1, 2, 90])
def test_the_first_hits_are_found_in_sets_of_every_density(count: int) -> None:
    """Sets with half of 12,000 items, a quarter, a few dozen and none, read side by side."""
    lists = (40 * np.random.default_rng(1).random(12_000) ** 6).astype(np.int64)  # the higher, the rarer
    hits = {3: {0}, 60: set(range(1, 10)), 17: {39}, 0: {35, 36, 39}, 8: set()}
    check_walks(np.arange(1, 12_001), lists, hits, count, 5)


def check_walks(numbers: Int64s, lists: Int64s, hits: Mapping[int, AbstractSet[int]], count: int, seed: int) -> None:
    """Bit b is set for the items on the lists ``hits[b]``: all of them are met, and the first ``count`` found."""
    kinds = int(lists.max()) + 1
    words = np.array([sum(1 << bit for bit, held in hits.items() if kind in held) for kind in range(kinds)], np.uint64)
    ring = HashRing.of(seed, numbers, numbers, lists, kinds)
    starts = np.array([hash_key(seed, 7 * bit) for bit in hits], dtype=np.uint64)
    ahead = ring.first_locations(BitPlanes(words), np.array(list(hits)), starts, count)
    for (bit, held), start, first in zip(hits.items(), starts, ahead, strict=True):
        wanted = numbers[np.isin(lists, list(held))]
        wanted = wanted[np.argsort(hash_keys(seed, wanted) - start)]
        assert np.array_equal(ring.rows[list(ring.walk(BitPlanes(words), bit, start))], wanted)
        assert np.array_equal(ring.rows[first], wanted[:count])


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=30), st.integers(0, 2**64 - 1))
def test_a_ring_of_some_items_is_the_ring_made_of_them_alone(items: list[tuple[int, bool]], seed: int) -> None:
    """The same keys, rows and lists in the same order, whatever was left out in between."""
    numbers, lists = np.arange(1, len(items) + 1), np.array([kind for kind, _ in items], dtype=np.int64)
    flags = np.array([kept for _, kept in items], dtype=bool)
    ring = HashRing.of(seed, numbers, numbers - 1, lists, 5)
    kept, alone = ring.keep(flags[ring.rows]), HashRing.of(seed, numbers[flags], (numbers - 1)[flags], lists[flags], 5)
    for name in ("keys", "rows", "lists"):
        assert getattr(kept, name).tolist() == getattr(alone, name).tolist()
    assert [kept.by_list.row(number).tolist() for number in range(5)] == [
        alone.by_list.row(number).tolist() for number in range(5)
    ]


def spread(lists: Sequence[int], asked: Sequence[int], start: int, most: int) -> list[int]:
    """The numbers of the items that a ring of 0, 1, 2, ... gives of some lists; ``lists`` has the list of each item."""
    numbers = np.arange(len(lists))
    ring = HashRing.of(5, numbers, numbers, np.array(lists), max(lists) + 1)
    rows = CsrRows.from_pairs(np.zeros(len(asked), dtype=np.int64), np.array(sorted(asked)), 1)
    found: list[int] = ring.rows[ring.spread(rows, np.array([start], dtype=np.uint64), most).targets].tolist()
    return found


@given(st.lists(st.integers(0, 5), min_size=1, max_size=60), st.integers(0, 2**64 - 1), st.integers(1, 20))
def test_a_spread_is_of_all_lists_whatever_their_numbers(lists: list[int], start: int, most: int) -> None:
    """All items where they are few; else each list gives its part of ``most``, rounded up or down."""
    asked = {0, 2, 3, 5} & {*lists} or {lists[0]}
    found = spread(lists, [*asked], start, most)
    items = [item for item, each in enumerate(lists) if each in asked]
    assert len({*found}) == len(found)
    assert {*found} <= {*items}
    if len(items) <= most:
        assert sorted(found) == items
    for each in asked:
        part = Fraction(min(most, len(items)) * lists.count(each), len(items))
        assert abs(sum(lists[item] == each for item in found) - part) < 1
    renumbered = [7 - each for each in lists]
    assert sorted(found) == sorted(spread(renumbered, [7 - each for each in asked], start, most))


def test_every_item_is_as_often_in_a_spread() -> None:
    """Of a list of 300 items and one of 4, over many starts."""
    starts = hash_keys(9, np.arange(2000), "class").tolist()
    counts = Counter(item for start in starts for item in spread([0] * 300 + [1] * 4, [0, 1], start, 30))
    assert len(counts) == 304
    assert all(140 < count < 260 for count in counts.values()), counts.most_common()
