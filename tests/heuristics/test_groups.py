"""Judging classes and choosing outliers in several languages at once, against the oracle."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.entity_files import entity_row
from tests.graph.strategies import OUTLIERS, group_worlds
from tests.oracle import Named, Names, OracleGraph, OracleGroups, choose_together, without_certificates
from wikisem.arrow.columns import qid_numbers
from wikisem.graph import statements
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import CsrRows, Ints
from wikisem.graph.outlier_sets import outlier_index
from wikisem.graph.outlier_sets.class_lists import CandidateClasses, candidate_classes, outlier_pool
from wikisem.graph.outlier_sets.hash_ring import HashRing
from wikisem.graph.outlier_sets.outlier_index import build_outlier_index
from wikisem.graph.outlier_sets.overlap import LEADING
from wikisem.graph.statements import ItemRelations, ItemSignatures, Signatures, Ties
from wikisem.graph.taxonomy import Taxonomy
from wikisem.heuristics.selection import groups
from wikisem.heuristics.selection import pool as class_pool
from wikisem.heuristics.selection.groups import GroupBuilder, Judgement, sifts
from wikisem.heuristics.selection.outlier_choice import MOST_REFUSED
from wikisem.heuristics.selection.pool import GroupInputs, LanguageInputs
from wikisem.recipes.options import ClusterOptions, FilterOptions, GraphOptions, OutlierOptions, Recipe
from wikisem.records import Entity, Group, Member, Outlier, Rejection
from wikisem.schemas import ENTITIES, SURFACES
from wikisem.surfaces.table import SurfaceForms, SurfaceTable
from wikisem.wikipedia.languages import language_profile


@pytest.fixture(autouse=True, scope="module")
def few_classes_are_coarse() -> Iterator[None]:
    """In small worlds most classes have a good part of all items."""
    with patch.object(outlier_index, "COARSE", 0.6):
        yield


PRUNING = GraphOptions(disambiguation=(), root="")
OFF = FilterOptions(digits=None, affix=None, length_one=None, stop_affix=False)
CLUSTER = ClusterOptions(size=3, minimum=2, max_groups=0)
EXAMPLES = 60

World = tuple[list[Entity], dict[str, dict[str, Named]]]


def surface_table(graph: ClassGraph, names: Names) -> SurfaceTable:
    """The names of the items in the graph, given in two parts and in an order that is not that of their numbers."""
    rows = [{"qid": qid, "title": None, **vars(name)} for qid, name in reversed(list(names.items()))]
    table = pa.Table.from_pylist(rows, schema=SURFACES)
    halves = (table[: len(rows) // 2], table[len(rows) // 2 :])
    return SurfaceTable.merge([SurfaceTable.of_table(half, graph) for half in halves])


def clusters(graph: ClassGraph, table: SurfaceTable, recipe: Recipe) -> CandidateClasses:
    """The candidates of a language, with leading instances that are rows of the table."""
    looks_on = recipe.outliers.certificate or recipe.cluster.coherence is not None
    size = LEADING if looks_on else recipe.cluster.size
    has_surface = np.isin(np.arange(len(graph.items)), table.items)
    found = candidate_classes(graph, has_surface, recipe.cluster.minimum, size)
    rows = np.searchsorted(table.items, found.leading.targets)
    return CandidateClasses(found.nodes, CsrRows(found.leading.offsets, rows))


def judge(entities: list[Entity], names: Mapping[str, Names], recipe: Recipe) -> dict[tuple[str, str], Judgement]:
    """What the implementation makes of every class in every language."""
    builder, nodes = builder_of(entities, names, recipe)
    return {(language, one.qid): one for language, one in builder.judge(nodes)}


def builder_of(entities: list[Entity], names: Mapping[str, Names], recipe: Recipe) -> tuple[GroupBuilder, Ints]:
    """The builder for all languages, and all classes."""
    graph = Taxonomy.of_entities(entities, recipe.graph).graph
    tables = {language: surface_table(graph, own) for language, own in names.items()}
    able = [table.items[table.sitelinks >= recipe.outliers.min_sitelinks] for table in tables.values()]
    items, numbers, lists = outlier_pool(graph, able)
    sides = {}
    for language, table in tables.items():
        rows = np.flatnonzero(np.isin(table.items, items))
        own = table.items[rows]
        ring = HashRing.of(recipe.seed, graph.items[own], rows, numbers[np.searchsorted(items, own)], len(lists))
        sides[language] = LanguageInputs(
            language_profile(language),
            table,
            ring,
            clusters(graph, table, recipe),
            {},
            forms=SurfaceForms.of(table),
        )
    nodes = np.arange(len(graph.nodes))
    found = signatures_of(entities, graph, sides, recipe) if recipe.witness else None
    index = build_outlier_index(graph, lists, nodes, recipe)
    ties = ties_of(entities, graph, sides, recipe, (items, numbers)) if recipe.outliers.related else None
    return GroupBuilder(GroupInputs(graph, sides, recipe, found, ties), index), nodes


def signatures_of(
    entities: Sequence[Entity], graph: ClassGraph, sides: Mapping[str, LanguageInputs], recipe: Recipe
) -> Signatures:
    """The signatures of some entities, given in two parts and in their order."""
    parts = [ItemSignatures.of_table(qid_numbers(half["qid"]), half) for half in halves_of(entities)]
    nodes, minimum = np.arange(len(graph.nodes)), recipe.outliers.min_sitelinks
    return Signatures.of(graph, parts, minimum, nodes, leading_of(sides), recipe.seed)


def ties_of(
    entities: Sequence[Entity],
    graph: ClassGraph,
    sides: Mapping[str, LanguageInputs],
    recipe: Recipe,
    pool: tuple[Ints, Ints],
) -> Ties:
    """The ties of some entities, given in two parts and in their order."""
    parts = [
        ItemRelations.of_columns(graph, qid_numbers(half["qid"]), half["relations"], recipe.outliers.min_sitelinks)
        for half in halves_of(entities)
    ]
    return Ties.of(parts, leading_of(sides), *pool)


def halves_of(entities: Sequence[Entity]) -> tuple[pa.Table, pa.Table]:
    """Entities as two tables."""
    table = pa.Table.from_pylist([entity_row(entity) for entity in entities], schema=ENTITIES)
    return table[: len(table) // 2], table[len(table) // 2 :]


def leading_of(sides: Mapping[str, LanguageInputs]) -> Ints:
    """The items that may be members in some language."""
    return np.concatenate([side.surfaces.items[side.candidates.leading.targets] for side in sides.values()])


def outcomes(judgements: Mapping[tuple[str, str], Judgement]) -> set[str]:
    """What an example shows: groups, in one language and in two, each outlier class, each reason of a rejection."""
    groups = {key: one for key, one in judgements.items() if isinstance(one, Group)}
    by_class = Counter(qid for _, qid in groups)
    found = {one.of_class.name for group in groups.values() for one in group.outliers}
    found |= {way for group in groups.values() for one in group.outliers for way in ways_of(one)}
    found |= {one.reason for one in judgements.values() if isinstance(one, Rejection)}
    return found | ({"group"} if groups else set()) | ({"both languages"} if 2 in by_class.values() else set())


def ways_of(outlier: Outlier) -> set[str]:
    """Whose statements tie a related outlier to members."""
    return {"own statement" if tie.item == outlier.id else "member's statement" for tie in outlier.ties or ()}


def rules_met(oracle: OracleGroups, v: str) -> set[str]:
    """Which rules had something to decide for a class: whom they barred that could be an outlier without them."""
    graph, options = oracle.graph, oracle.recipe.outliers
    cluster = oracle.cluster(v)
    able = {item for found in oracle.unbarred_sets(v) for item in found if oracle.may_stand(item)}
    above, below = graph.whole_family(v)
    met = {"above or below"} if able & (above | below) else set()
    met |= {"status class"} if able & oracle.barred_as_status(v) else set()
    met |= {"other rank"} if any({v} & {*graph.entities[item].other_instance_of} for item in able) else set()
    if options.certificate:
        of_level = {item for item in able if graph.is_type(item) == oracle.has_types(v)}
        met |= {"other level"} if able - of_level else set()
        met |= {"certificate"} if any(oracle.certificates(v, item) for item in of_level) else set()
        met |= {"no certificate"} if any(not oracle.certificates(v, item) for item in of_level) else set()
        met |= {"contradiction"} if any(oracle.contradicts(v, item) for item in graph.instances(v)) else set()
    surfaces = [oracle.names[item].surface for item in able]
    if options.margin is not None:
        met |= {"gives way"} if any(oracle.gives_way(item, v, cluster) for item in able) else set()
        met |= {"says nothing"} if any(not graph.signature[item] for item in able) else set()
    if oracle.recipe.cluster.coherence is not None:
        has_evidence = {oracle.has_evidence(item, v) for item in graph.instances(v)}
        met |= {"comes last"} if len(has_evidence) == 2 else set()
    met |= related_rules_met(oracle, v, cluster) if options.related and oracle.recipe.witness else set()
    met |= {"not admitted"} if not all(oracle.admits(surface, cluster) for surface in surfaces) else set()
    for number, draw in ((1, options.draw), (2, options.draw), (3, options.draw_o3)):
        sizes = [sum(map(oracle.may_stand, items)) for items in oracle.bringing(v, number).values()]
        if draw == "class" and any(sizes):
            met |= {"full class" if max(sizes) >= options.per_class else "no full class"}
        if number == 3 and options.draw != options.draw_o3 and sum(map(bool, sizes)) > 1:
            met |= {f"O3 drawn apart, by {draw}"}
    return met


def check_certificates(judgement: Judgement, oracle: OracleGroups) -> Group:
    """The group, each outlier of which has a certificate that it may have; no member has a contradiction."""
    assert isinstance(judgement, Group)
    for outlier in judgement.outliers:
        asks = oracle.recipe.outliers.certificate > 0
        able = oracle.certificates(judgement.id, outlier.id) if asks else []
        assert outlier.certificate in able or (outlier.certificate is None and not able)
    if oracle.recipe.outliers.certificate:
        assert not any(oracle.contradicts(judgement.id, member.id) for member in judgement.cluster)
    for one in judgement.members:
        sizes = oracle.coarse_classes(one.id) if oracle.recipe.outliers.certificate else {}
        assert one.type in {c for c, size in sizes.items() if size == min(sizes.values())} or (
            not one.type and not sizes
        )
    return judgement


def related_rules_met(oracle: OracleGroups, v: str, cluster: list[Member]) -> set[str]:
    """What is tied to members and yet no related outlier, and why."""
    tied = {item for item in oracle.named_items() if oracle.tied_members(item, cluster)}
    kin = oracle.kin(v, cluster)
    met = {"kin is tied"} if tied & kin - {member.id for member in cluster} else set()
    met |= {"tied one gives way"} if any(oracle.gives_way(item, v, cluster) for item in tied - kin) else set()
    met |= {"tied to several"} if any(oracle.tied_members(item, cluster) > 1 for item in tied - kin) else set()
    return met | ({"tied, nothing said"} if tied - kin and not oracle.instances_shown(v, cluster) else set())


def random_recipe(options: OutlierOptions, seed: int) -> Recipe:
    """A recipe of small clusters without filters on these, except that equal surface forms merge.

    With certificates two seeds of sixteen, by their first bits, ask for a level.
    """
    filters = replace(OFF, outlier_stop_affix=seed % 2 == 0, initial_capital=seed % 4 < 2)
    levels: tuple[Literal["both", "concepts", "entities"], ...] = ("both", "concepts", "entities")
    level = levels[seed >> 60] if options.certificate and seed >> 60 < len(levels) else "both"
    cluster = replace(CLUSTER, coherence=0.6 if seed % 4 == 3 else None, level=level)
    return Recipe("random", seed=seed, graph=PRUNING, cluster=cluster, outliers=options, filters=filters)


def world_of_all_rules(far: int, signed: bool = False) -> World:
    """A world in which every rule has something to decide, in both languages: most of it for the class Q2.

    Q2 to Q5 are below Q1; Q6, on another tree, has ``far`` instances: without any, the status class Q4 gets no outlier,
    with one, no class brings two. All but three of them are of Q7, on a third tree. ``signed`` items have one of two
    properties by their number, which tells no class, and statements tie some to members of Q2.
    """
    instances = {
        "Q11": (("Q2",), "ash"),
        "Q12": (("Q2",), "elm"),
        "Q13": (("Q2", "Q4"), "oak"),  # shares Q4 with the next two
        "Q14": (("Q4",), "yew"),
        "Q15": (("Q3", "Q4"), "fir"),  # with Q13 it makes Q4 a status class
        "Q16": (("Q3",), "tin"),  # an instance of Q2 at another rank
        "Q17": (("Q3",), "zinc"),
        "Q18": (("Q1", "Q3"), "iron"),  # an instance of the parent of Q2
        "Q19": (("Q3",), "Lead"),  # begins with a capital, as no member does
        "Q20": (("Q3",), "List of elms"),
        "Q21": (("Q3",), "gold"),
        "Q22": (("Q3",), "salt"),
        "Q23": (("Q5",), "clay"),  # called like the other instance of Q5
        "Q24": (("Q5",), "clay"),
        "Q25": (("Q4",), "box"),
        **{f"Q{30 + n}": (("Q6",) if n < 3 else ("Q7",), f"far {n}") for n in range(far)},
    }
    relations = {
        "Q11": tuple((131, n) for n in (22, 24, *range(34, 40))),  # the first two are of siblings
        "Q12": ((131, 34), (131, 35), (131, 36)),
        **{f"Q{n}": ((36, 12), (1889, 11)) for n in range(37, 46)},
    }
    entities = [
        Entity("Q1", ("Q3",)),  # above Q2, and an instance of its sibling
        *(Entity(qid, (), ("Q1",)) for qid in ("Q2", "Q3", "Q4", "Q5")),
        *(
            Entity(
                qid,
                classes,
                sitelinks=int(signed),
                other_instance_of=("Q2",) * (qid == "Q16"),
                properties=(17 + int(qid[1:]) % 2,) * signed,
                relations=relations.get(qid, ()) if signed else (),
            )
            for qid, (classes, _) in instances.items()
        ),
    ]
    names = {qid: Named(surface) for qid, (_, surface) in instances.items()} | {"Q1": Named("top")}
    return entities, dict.fromkeys(("en", "de"), names)


def silent(world: World) -> World:
    """The same without signatures."""
    entities, names = world
    return [replace(one, properties=()) for one in entities], names


# What descriptions call the instances of classes; those of Q5 are called as those of Q2.
KINDS = {"Q1": "metal", "Q2": "tree", "Q3": "Metal", "Q4": "bush", "Q5": "tree", "Q6": "far one", "Q7": "farther one"}


def described(world: World) -> World:
    """The same, but most instances have a description, which tells a class."""
    entities, names = world
    texts = {one.qid: f"{KINDS[one.instance_of[0]]}: a Thing" for one in entities if one.qid in names["en"]}
    return [
        replace(one, description=None if one.qid in {"Q12", "Q19", "Q24"} else texts.get(one.qid)) for one in entities
    ], names


def half_said(world: World) -> World:
    """The same without signatures of the instances of Q2, and with a type among the two of Q5."""
    entities, names = world
    changed = [replace(one, properties=()) if "Q2" in one.instance_of else one for one in entities]
    return [replace(one, subclass_of=("Q7",)) if one.qid == "Q23" else one for one in changed], names


def contradictory(world: World) -> World:
    """The same without Q25, so that all instances of Q4 but one contradict themselves where ``certificate`` is 1."""
    entities, names = world
    return [one for one in entities if one.qid != "Q25"], names


def world_of_near_items() -> World:
    """Five instances of Q2, four of Q4 and two of Q8 are of one kind, Q3; some of Q2 and Q4 share a smaller one, Q5.

    All but those of Q8 are also of a coarse class, as are nine other items. Q16 is a kind of one of Q2 and one of Q4.
    """
    above = {"Q2": ("Q3", "Q7"), "Q4": ("Q3", "Q7"), "Q6": ("Q7",), "Q8": ("Q3",), "Q9": ("Q5",), "Q10": ("Q5",)}
    above |= {"Q17": ("Q16",), "Q18": ("Q16",)}
    tops = [Entity(qid, (), above.get(qid, ("Q1",))) for qid in ("Q3", "Q5", "Q7", "Q16", *above)]
    classes = {f"Q{n}": ("Q2", "Q10")[: 1 + (n < 14)] for n in range(11, 16)}
    classes |= {f"Q{n}": ("Q4", "Q9")[: 1 + (n < 23)] for n in range(21, 25)}
    classes |= {"Q14": ("Q2", "Q17"), "Q23": ("Q4", "Q18")}
    classes |= {f"Q{n}": ("Q8",) for n in (25, 26)} | {f"Q{n}": ("Q6",) for n in range(31, 40)}
    entities = [*tops, *(Entity(qid, own, sitelinks=3) for qid, own in classes.items())]
    names = {qid: Named(f"word {qid[1:]}") for qid in classes}
    return entities, {"en": names, "de": names}


def world_of_cousins() -> World:
    """Five instances of Q4 and five of Q5, whose parents Q2 and Q3 have one parent."""
    edges = {"Q2": "Q1", "Q3": "Q1", "Q4": "Q2", "Q5": "Q3"}
    items = {f"Q{n}": "Q4" if n < 16 else "Q5" for n in range(11, 21)}
    entities = [Entity(qid, (), (parent,)) for qid, parent in edges.items()]
    entities += [Entity(qid, (own,), sitelinks=3) for qid, own in items.items()]
    names = {qid: Named(f"word {qid[1:]}") for qid in items}
    return entities, {"en": names, "de": names}


def world_of_a_circle() -> World:
    """Five instances of Q5, and five of Q4, which is below Q2 and above it."""
    tops = [Entity("Q2", (), ("Q1", "Q4")), Entity("Q4", (), ("Q2",)), Entity("Q5", (), ("Q1",))]
    items = {f"Q{n}": "Q4" if n < 16 else "Q5" for n in range(11, 21)}
    entities = [*tops, *(Entity(qid, (own,), sitelinks=3) for qid, own in items.items())]
    names = {qid: Named(f"word {qid[1:]}") for qid in items}
    return entities, {"en": names, "de": names}


OF_ALL_RULES = OutlierOptions(
    min_sitelinks=0,
    distance=2,
    draw="class",
    draw_o3="class",
    certificate=1,
    status_share=0.5,
)


RELATED_RULES = (
    "related",
    "member's statement",
    "own statement",
    "kin is tied",
    "tied one gives way",
    "tied to several",
    "tied, nothing said",
)


@example(world_of_all_rules(0), OF_ALL_RULES, 8)
@example(world_of_all_rules(16, signed=True), replace(OF_ALL_RULES, margin=0.6, places=True), 7)
@settings(max_examples=EXAMPLES, deadline=None)
@given(group_worlds(), OUTLIERS, st.integers(0, 2**64 - 1))
def test_siblings_tell_which_classes_give_groups(world: World, options: OutlierOptions, seed: int) -> None:
    """Sifting keeps and rejects the same classes, for the same reasons; of groups only outliers may differ.

    In two worlds of three, classes get all their outliers as soon as one item, or two, are refused, and in one of these
    an outlier class is left as it is after two refusals: those that take the places best must not cost a group then.
    """
    options = replace(options, minimum=options.per_class, near=0, shared=False)
    recipe = random_recipe(options, seed)
    recipe = replace(recipe, cluster=replace(recipe.cluster, max_groups=1))
    assert sifts(recipe)
    builder, nodes = builder_of(*world, recipe)
    few, most = ((1, 2), (2, MOST_REFUSED), (32, MOST_REFUSED))[seed % 3]
    with patch.object(groups, "_FEW_REFUSED", few), patch.object(groups, "MOST_REFUSED", most):
        sifted, judged = (
            {
                (code, one.qid): structs.replace(one, outliers=()) if isinstance(one, Group) else one
                for code, one in found
            }
            for found in (builder.judge(nodes, sifted=True), builder.judge(nodes))
        )
    assert sifted == judged


def test_a_status_class_is_rejected_by_the_rule_that_leaves_too_few_outliers() -> None:
    """Without far items the status alone leaves none; seven far items are outliers, or lack a certificate."""
    of_certificates = (
        "expected at least 2 outliers, saw 0: certificates and other rules leave no more of 7 "
        "that are not below a parent of this class"
    )
    seen = {}
    for far, certificate in ((0, 1), (7, 1), (7, 8)):
        world = world_of_all_rules(far)
        judged = judge(*world, random_recipe(replace(OF_ALL_RULES, certificate=certificate, minimum=2), 1))["en", "Q4"]
        seen[far, certificate] = (judged.reason, judged.detail) if isinstance(judged, Rejection) else judged.id
    assert seen == {
        (0, 1): ("status", "expected at least 2 outliers, saw 0 that are not below a parent of this status class"),
        (7, 1): "Q4",
        (7, 8): ("few-outliers", of_certificates),
    }


def test_groups_and_rejections_are_those_of_the_oracle() -> None:
    """In each language: the same clusters, the same outliers in order, via the same class; and the same rejections."""
    seen: Counter[str] = Counter()

    # How often a rule decides something in random worlds differs between versions of Hypothesis; here each one does.
    # Seeds that four divides switch both rules on single outliers on.
    @example(world_of_all_rules(0), OF_ALL_RULES, 1, 0)
    @example(world_of_all_rules(0), OF_ALL_RULES, 1, 4)
    @example(world_of_all_rules(1), OF_ALL_RULES, 1, 8)
    @example(world_of_all_rules(2), OF_ALL_RULES, 1, 12)
    @example(world_of_all_rules(6), replace(OF_ALL_RULES, draw="items"), 1, 16)
    @example(world_of_all_rules(7), replace(OF_ALL_RULES, draw="items"), 1, 20)
    @example(world_of_all_rules(6), replace(OF_ALL_RULES, draw_o3="items"), 1, 24)
    @example(world_of_all_rules(7), replace(OF_ALL_RULES, draw_o3="items"), 1, 28)
    # Seeds that leave three ask for a kind.
    @example(world_of_all_rules(6, signed=True), OF_ALL_RULES, 1, 3)
    @example(world_of_all_rules(7, signed=True), replace(OF_ALL_RULES, margin=0.3), 1, 7)
    @example(described(world_of_all_rules(7, signed=True)), OF_ALL_RULES, 1, 3)
    @example(described(world_of_all_rules(6)), replace(OF_ALL_RULES, margin=0.3, certificate=2), 1, 7)
    @example(half_said(world_of_all_rules(7, signed=True)), OF_ALL_RULES, 1, 3)
    @example(half_said(world_of_all_rules(6, signed=True)), replace(OF_ALL_RULES, certificate=2), 1, 7)
    @example(world_of_near_items(), replace(OF_ALL_RULES, status_share=0.0, near=2), 1, 5)
    @example(world_of_near_items(), replace(OF_ALL_RULES, status_share=0.0, near=3, per_class=0, places=True), 1, 9)
    @example(world_of_near_items(), replace(OF_ALL_RULES, near=2, per_class=0), 1, 5)
    @example(contradictory(world_of_all_rules(6)), OF_ALL_RULES, 1, 1)
    @example(contradictory(world_of_all_rules(7)), OF_ALL_RULES, 2, 2)
    @example(contradictory(world_of_all_rules(7, signed=True)), OF_ALL_RULES, 1, 4)
    @example(world_of_a_circle(), replace(OF_ALL_RULES, status_share=0.0), 1, 2)
    @example(world_of_cousins(), OF_ALL_RULES, 1, 2)
    @example(world_of_cousins(), replace(OF_ALL_RULES, places=True), 2, 6)
    # No member has the sitelinks that outliers need.
    @example(world_of_all_rules(6), replace(OF_ALL_RULES, places=True, min_sitelinks=1), 1, 1)
    @example(world_of_all_rules(7), replace(OF_ALL_RULES, places=True, min_sitelinks=1), 1, 2)
    @example(world_of_cousins(), replace(OF_ALL_RULES, draw="items"), 1, 10)
    @example(world_of_cousins(), replace(OF_ALL_RULES, draw="items", places=True), 2, 14)
    # Three ask for a level, which all or no instances of these worlds have.
    @example(world_of_all_rules(6), OF_ALL_RULES, 1, 1 << 60)
    @example(world_of_all_rules(7), OF_ALL_RULES, 1, 1 << 60)
    @example(world_of_all_rules(7), OF_ALL_RULES, 1, 2 << 60)
    # Of what is tied to members some gives way, and some is left.
    @example(world_of_all_rules(16, signed=True), replace(OF_ALL_RULES, margin=0.9, per_class=1, related=9), 1, 5)
    @example(world_of_all_rules(16, signed=True), replace(OF_ALL_RULES, margin=0.6, related=5), 1, 9)
    @example(world_of_all_rules(16, signed=True), replace(OF_ALL_RULES, margin=0.9, related=3, places=True), 1, 13)
    # Of what is tied nothing is said.
    @example(silent(world_of_all_rules(16, signed=True)), replace(OF_ALL_RULES, margin=0.9, related=2), 1, 5)
    @example(silent(world_of_all_rules(12, signed=True)), replace(OF_ALL_RULES, margin=0.9, related=2), 1, 9)
    @settings(max_examples=EXAMPLES, deadline=None)
    @given(group_worlds(), OUTLIERS, st.integers(1, 4), st.integers(0, 2**64 - 1))
    def compare(world: World, options: OutlierOptions, minimum: int, seed: int) -> None:
        entities, names = world
        recipe = random_recipe(replace(options, minimum=minimum), seed)
        # Every other world reads the lists of classes, and copies signatures, in portions of two.
        at_once = [class_pool._LISTS, statements._AT_ONCE] if seed % 2 else [2, 2]
        with patch.object(class_pool, "_LISTS", at_once[0]), patch.object(statements, "_AT_ONCE", at_once[1]):
            ours = judge(entities, names, recipe)
        graph = OracleGraph(entities, PRUNING)
        theirs: dict[tuple[str, str], Judgement] = {}
        oracles: dict[str, OracleGroups] = {}
        for language, own in names.items():
            oracles[language] = oracle = OracleGroups(graph, recipe, language_profile(language), own)
            theirs |= {(language, v): oracle.judge(v) for v in oracle.candidates()}
        assert ours.keys() == theirs.keys()
        for key, wanted in theirs.items():
            if isinstance(wanted, Group):
                assert without_certificates(check_certificates(ours[key], oracles[key[0]])) == wanted
            else:
                assert (type(ours[key]), getattr(ours[key], "reason", "")) == (type(wanted), wanted.reason)
        seen.update(outcomes(ours))
        seen.update({rule for (k, v) in ours for rule in rules_met(oracles[k], v)})

    compare()
    for outcome in ("group", "both languages", "O1", "O2", "O3", "few-outliers"):
        assert seen[outcome] >= EXAMPLES // 6, (outcome, seen)
    for rule in RELATED_RULES:
        assert seen[rule] >= EXAMPLES // 30, (rule, seen)
    for rule in ("too-few", "full class", "above or below", "other rank"):
        assert seen[rule] >= EXAMPLES // 20, (rule, seen)
    for rule in (
        "near",
        "no-kind",
        "obscure",
        "gives way",
        "says nothing",
        "comes last",
        "certificate",
        "no certificate",
        "contradiction",
        "contradictions",
        "other level",
        "levels",
        "other-level",
        "no-evidence",
        "status",
        "status class",
        "not admitted",
        "no full class",
        "O3 drawn apart, by items",
        "O3 drawn apart, by class",
    ):
        assert seen[rule] >= EXAMPLES // 30, (rule, seen)


@pytest.mark.slow
def test_shared_outliers_are_the_same_items_in_every_language() -> None:
    """They are the first on the ring that each language with a cluster has a new surface form for."""
    seen: Counter[str] = Counter()

    @settings(max_examples=EXAMPLES, deadline=None)
    @given(group_worlds(), OUTLIERS, st.integers(0, 2**64 - 1))
    def compare(world: World, options: OutlierOptions, seed: int) -> None:
        entities, names = world
        recipe = random_recipe(replace(options, shared=True), seed)
        ours = judge(entities, names, recipe)
        graph = OracleGraph(entities, PRUNING)
        oracles = {k: OracleGroups(graph, recipe, language_profile(k), own) for k, own in names.items()}
        for v in {qid for (_, qid), one in ours.items() if isinstance(one, Group)}:
            clusters = {k: one.cluster(v) for k, one in oracles.items() if v in one.candidates()}
            passed = {
                k: own
                for k, own in clusters.items()
                if len(own) >= CLUSTER.minimum and not oracles[k].is_obscure(own) and oracles[k].has_kind(v, own)
            }
            able = {k: oracles[k] for k in passed}
            wanted = choose_together(able, passed, v)
            for k in able:
                group = ours[k, v]
                assert isinstance(group, Group)
                assert without_certificates(group).outliers == wanted[k]
        seen.update(outcomes(ours))

    compare()
    for outcome in ("group", "both languages", "O1", "O2", "O3"):
        assert seen[outcome] >= EXAMPLES // 6, (outcome, seen)


def family(names: Sequence[str], options: OutlierOptions) -> Judgement:
    """The class Q2 with members "ash" and "elm", beside a class whose instances have these surface forms."""
    members = [Entity("Q10", ("Q2",), (), 9), Entity("Q11", ("Q2",), (), 9)]
    others = [Entity(f"Q{20 + n}", ("Q3",), (), 9) for n in range(len(names))]
    entities = [Entity("Q2", (), ("Q1",)), Entity("Q3", (), ("Q1",)), *members, *others]
    surfaces = {"Q10": "ash", "Q11": "elm"} | {one.qid: name for one, name in zip(others, names, strict=True)}
    recipe = random_recipe(options, seed=1)
    return judge(entities, {"en": {qid: Named(name) for qid, name in surfaces.items()}}, recipe)["en", "Q2"]


def test_a_group_needs_as_many_outliers_as_the_recipe_says() -> None:
    """With a minimum of two, two outliers make a group and one does not; the detail says what was expected."""
    options = OutlierOptions(min_sitelinks=0, minimum=2)
    group, rejection = family(["salmon", "trout"], options), family(["salmon"], options)
    assert isinstance(group, Group)
    assert sorted(outlier.surface for outlier in group.outliers) == ["salmon", "trout"]
    assert isinstance(rejection, Rejection)
    assert (rejection.reason, rejection.detail) == ("few-outliers", "expected at least 2 outliers, saw 1")


def test_items_after_the_first_few_are_looked_at_when_surface_forms_are_taken() -> None:
    """Of thirty siblings all but one are called like a member; the one is found wherever the ring has it."""
    group = family([*["ash"] * 15, "salmon", *["elm"] * 14], OutlierOptions(min_sitelinks=0, minimum=1))
    assert isinstance(group, Group)
    assert [(outlier.id, outlier.surface) for outlier in group.outliers] == [("Q35", "salmon")]


def test_a_label_is_the_classes_or_its_id() -> None:
    """Without a label in the inputs, a group is labelled with the id of its class."""
    group = family(["salmon", "trout"], OutlierOptions(min_sitelinks=0))
    assert isinstance(group, Group)
    assert group.label == "Q2"
