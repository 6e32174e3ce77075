"""Judging classes and choosing outliers in several languages at once, against the oracle."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph.strategies import OUTLIERS, worlds
from tests.oracle import Named, Names, OracleGraph, OracleGroups, hash_key
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import CsrRows
from wikisem.graph.outlier_sets.class_lists import CandidateClasses, candidate_classes, outlier_pool
from wikisem.graph.outlier_sets.hash_ring import HashRing
from wikisem.graph.outlier_sets.outlier_index import build_outlier_index
from wikisem.graph.taxonomy import Taxonomy
from wikisem.heuristics.selection.groups import GroupBuilder, Judgement
from wikisem.heuristics.selection.pool import GroupInputs, LanguageInputs
from wikisem.ids import qid_number
from wikisem.recipes.options import ClusterOptions, FilterOptions, GraphOptions, OutlierOptions, Recipe
from wikisem.records import Entity, Group
from wikisem.schemas import SURFACES
from wikisem.surfaces.table import NameTable
from wikisem.wikipedia.languages import language_profile

PRUNING = GraphOptions(disambiguation=(), root="")
OFF = FilterOptions(digits=None, affix=None, length_one=None, stop_affix=False)
CLUSTER = ClusterOptions(size=3, minimum=2, max_groups=0)
# Few different names, so that equal ones meet within clusters, between them and their outliers, and among outliers.
NAMES = st.dictionaries(st.integers(1, 14).map("Q{}".format), st.sampled_from("abcdef").map(Named))


def name_table(graph: ClassGraph, names: Names) -> NameTable:
    """The names of the items in the graph, given in two parts and in an order that is not that of their numbers."""
    rows = [{"qid": qid, "title": None, **vars(name)} for qid, name in reversed(list(names.items()))]
    table = pa.Table.from_pylist(rows, schema=SURFACES)
    halves = (table[: len(rows) // 2], table[len(rows) // 2 :])
    return NameTable.merge([NameTable.of_table(half, graph) for half in halves]).in_order()


def clusters(graph: ClassGraph, table: NameTable, options: ClusterOptions) -> CandidateClasses:
    """The candidates of a language, with leading instances that are rows of the table."""
    found = candidate_classes(graph, np.isin(np.arange(len(graph.items)), table.items), options.minimum, options.size)
    rows = np.searchsorted(table.items, found.leading.targets)
    return CandidateClasses(found.nodes, CsrRows(found.leading.offsets, rows))


def judge(entities: list[Entity], names: Mapping[str, Names], recipe: Recipe) -> dict[tuple[str, str], Judgement]:
    """What the implementation makes of every class in every language."""
    graph = Taxonomy.of_entities(entities, recipe.graph).graph
    tables = {language: name_table(graph, own) for language, own in names.items()}
    able = [table.items[table.sitelinks >= recipe.outliers.min_sitelinks] for table in tables.values()]
    items, numbers, lists = outlier_pool(graph, able)
    sides = {}
    for language, table in tables.items():
        rows = np.flatnonzero(np.isin(table.items, items))
        own = table.items[rows]
        ring = HashRing.of(recipe.seed, graph.items[own], rows, numbers[np.searchsorted(items, own)], len(lists))
        sides[language] = LanguageInputs(
            language_profile(language), table, ring, clusters(graph, table, recipe.cluster), {}
        )
    nodes = np.arange(len(graph.nodes))
    builder = GroupBuilder(GroupInputs(graph, sides, recipe), build_outlier_index(graph, lists, nodes))
    return {(language, one.qid): one for language, one in builder.judge(nodes)}


@settings(max_examples=80, deadline=None)
@given(worlds(), NAMES, NAMES, OUTLIERS, st.integers(0, 2**64 - 1))
def test_groups_and_rejections_are_those_of_the_oracle(
    entities: list[Entity], english: Names, german: Names, options: OutlierOptions, seed: int
) -> None:
    """In each language: the same clusters, the same outliers in order, under the same class that brought them in."""
    recipe = Recipe("random", seed=seed, graph=PRUNING, cluster=CLUSTER, outliers=options, filters=OFF)
    names = {"en": english, "de": german}
    ours = judge(entities, names, recipe)
    graph = OracleGraph([Entity(e.qid, e.instance_of, e.subclass_of, e.sitelinks) for e in entities], PRUNING)
    theirs: dict[tuple[str, str], Judgement] = {}
    for language, own in names.items():
        oracle = OracleGroups(graph, recipe, language_profile(language), own)
        theirs |= {(language, v): oracle.judge(v) for v in oracle.candidates()}
    assert ours.keys() == theirs.keys()
    for key, wanted in theirs.items():
        if isinstance(wanted, Group):
            assert ours[key] == wanted
        else:
            assert (type(ours[key]), getattr(ours[key], "reason", "")) == (type(wanted), wanted.reason)


@settings(max_examples=80, deadline=None)
@given(worlds(), NAMES, NAMES, OUTLIERS, st.integers(0, 2**64 - 1))
def test_shared_outliers_are_the_same_items_in_every_language(
    entities: list[Entity], english: Names, german: Names, options: OutlierOptions, seed: int
) -> None:
    """They are the first on the ring that each language with a cluster can name beside what it has already."""
    options = OutlierOptions(options.per_class, 1, options.min_sitelinks, options.distance, shared=True)
    recipe = Recipe("random", seed=seed, graph=PRUNING, cluster=CLUSTER, outliers=options, filters=OFF)
    names: dict[str, Names] = {"en": english, "de": german}
    ours = {key: one for key, one in judge(entities, names, recipe).items() if isinstance(one, Group)}
    graph = OracleGraph(entities, PRUNING)
    oracles = {k: OracleGroups(graph, recipe, language_profile(k), own) for k, own in names.items()}
    for v in {qid for _, qid in ours}:
        able = [k for k, one in oracles.items() if v in one.candidates() and len(one.cluster(v)) >= CLUSTER.minimum]
        used = {k: {member.surface for member in oracles[k].cluster(v)} for k in able}
        taken = {member.id for k in able for member in oracles[k].cluster(v)}
        wanted = []
        for items in oracles[able[0]].outlier_sets(v):
            left = options.per_class
            start = hash_key(recipe.seed, qid_number(v))
            for item in sorted(items, key=lambda item: (hash_key(recipe.seed, qid_number(item)) - start) % 2**64):
                linked = graph.entities[item].sitelinks >= options.min_sitelinks
                fresh = all(item in names[k] and names[k][item].surface not in used[k] for k in able)
                if left and linked and fresh and item not in taken:
                    wanted.append(item)
                    taken.add(item)
                    left -= 1
                    for k in able:
                        used[k].add(names[k][item].surface)
        for k in able:
            assert [outlier.id for outlier in ours[k, v].outliers] == wanted
