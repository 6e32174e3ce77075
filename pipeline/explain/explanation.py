"""The facts that explain the group of a class, gathered from an output folder for text and figure.

Among them is what the statements of items say of the class: the properties that tell it from other items, and who has
them. This evidence is weighed as in the groups stage, from the same signatures.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, log
from typing import Final, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.columns import MapLookup
from wikisem.arrow.parquet import read_parquet
from wikisem.errors import MissingInputError
from wikisem.files import list_files
from wikisem.graph.csr import indices_of
from wikisem.graph.signatures import Signatures, read_signatures
from wikisem.graph.taxonomy import Taxonomy
from wikisem.heuristics.selection.mixed import is_mixed
from wikisem.heuristics.selection.pool import in_range
from wikisem.heuristics.selection.witness import ClassEvidence
from wikisem.ids import qid_number
from wikisem.layout import ENTITIES, GROUPS, SURFACES, group_leaves, property_labels_path, unit_of
from wikisem.outputs.groupfile import read_groups, read_rejections
from wikisem.pipeline.runs.ledger import Ledger
from wikisem.pipeline.runs.read import RunFiles, labels_of
from wikisem.recipes.load import parse_recipe
from wikisem.recipes.options import Recipe
from wikisem.records import Group, Member, Rejection
from wikisem.surfaces.cleaning import first_label
from wikisem.surfaces.table import clear_members, read_members
from wikisem.wikis import name_codes

# How many of the most prominent instances are shown, unless the cluster reaches further down, and how far it may reach.
_SHOWN: Final = 12
_LOOK: Final = 1000


@dataclass(frozen=True)
class Ranked:
    """An instance of the class, most sitelinks first, under its surface form if it has one.

    It is ``clear`` unless the surface form means another item, with more sitelinks.
    """

    qid: str
    surface: str | None
    sitelinks: int
    clear: bool = True


@dataclass(frozen=True)
class Kinship:
    """Why an item is never an outlier of a class: it is an instance of it, or a class that is above or below it.

    ``way`` has the classes of the shortest way up in the whole graph: from the item or its class to the class, or from
    the class to the item. Those that are ``pruned`` are not in the graph that groups are made from.
    """

    kind: Literal["instance", "above", "below"]
    way: Sequence[str]
    pruned: frozenset[str]


@dataclass(frozen=True)
class Explanation:
    """A class in one language: its group, or why it has none; ``labels`` are of all QIDs that are mentioned.

    ``english`` are those of them whose label is English, because they have none in the language, nor in ``mul``.
    ``ranked`` is empty for a release. ``cluster`` are the items that rules judged, whatever came of it, as far as their
    number is known from ``recipe``: that of the language's groups, None without a record of them. ``kin`` are the items
    that were asked for and are never outliers of the class.
    """

    qid: str
    language: str
    group: Group | None
    rejection: Rejection | None
    ranked: Sequence[Ranked]
    labels: Mapping[str, str]
    english: frozenset[str] = frozenset()
    cluster: Sequence[str] = ()
    recipe: Recipe | None = None
    kin: Mapping[str, Kinship] = field(default_factory=dict)

    def label(self, qid: str) -> str:
        """The label of an item, or its QID."""
        return self.labels.get(qid, qid)

    def outcome(self, instance: Ranked) -> str:
        """Say whether an instance is in the cluster, and if not, why."""
        if instance.surface is None:
            return "no surface form"
        if not instance.clear:
            return "its name means another item"
        members: Sequence[Member] = self.group.cluster if self.group else ()
        if instance.qid in {member.id for member in members}:
            return "in the cluster"
        if instance.surface in {member.surface for member in members}:
            return "same surface form as a higher one"
        fame = self.recipe.cluster.fame if self.recipe else "all"
        missed = "not among the most prominent" if fame == "all" else f"not among the best known of the {fame}"
        return "" if self.group is None else missed


def explain_class(output: str, taxonomy: Taxonomy, qid: str, language: str, asked: Iterable[str] = ()) -> Explanation:
    """Gather all facts about a class in the output folder, and the labels of the items that are asked for.

    UnknownItemError if the class is not in the graph.
    """
    group = next((one for one in read_groups(output, language) if one.qid == qid), None)
    rejection = next((one for one in read_rejections(output, language) if one.qid == qid), None)
    linked = taxonomy.most_linked(qid, _LOOK)
    record = Ledger(output).find(unit_of(GROUPS, language))
    recipe = parse_recipe(record.made_with["recipe"], f"the record of groups/{language}") if record else None
    paths = list_files(f"{Ledger(output).folder(unit_of(SURFACES, language))}/*.parquet")
    named = read_members(paths, taxonomy.graph, {item for item, _ in linked})
    clear = clear_members(named, paths, taxonomy.graph, recipe.surface.minimum_page_share if recipe else 0)
    instances = [
        Ranked(item, named[item].surface if item in named else None, sitelinks, item not in named or item in clear)
        for item, sitelinks in linked
    ]
    closure = recipe is None or recipe.outliers.certificate > 0
    kin = {item: found for item in asked if (found := find_kinship(taxonomy, item, qid, closure=closure))}
    if group is not None:
        cluster = [member.id for member in group.cluster]
    else:
        cluster = _judged_cluster(instances, recipe) if recipe else []
    members = set(cluster) if group else set()
    deepest = max((rank for rank, instance in enumerate(instances) if instance.qid in members), default=0)
    ranked = instances[: max(_SHOWN, deepest + 1)]
    # All that lines and pictures name: instances, parents and grandparents, outliers with the ways to their classes.
    parents = taxonomy.superclasses(qid)
    wanted = {qid, *asked, *parents, *(instance.qid for instance in ranked)}
    wanted |= {step for kinship in kin.values() for step in kinship.way}
    wanted |= {grandparent for parent in parents for grandparent in taxonomy.superclasses(parent)}
    wanted |= {one.contradicts for one in group.cluster if one.contradicts is not None} if group else set()
    for outlier in group.outliers if group else ():
        wanted |= {outlier.id, outlier.via, *taxonomy.superclasses(outlier.via)}
        for class_of_outlier in taxonomy.classes(outlier.id):
            wanted |= {class_of_outlier, *way_up(taxonomy.superclasses, class_of_outlier, outlier.via)}
    labels, english = labels_of(output, wanted, language)
    return Explanation(qid, language, group, rejection, ranked, labels, english, cluster, recipe, kin)


def _judged_cluster(instances: Sequence[Ranked], recipe: Recipe) -> list[str]:
    """The cluster as the groups stage judged it: the first with a clear surface form, each surface form once.

    None of them for a third of the class, which only all of its instances tell, or where links rank them.
    """
    if recipe.cluster.fame != "all" or recipe.cluster.prominence != "global":
        return []
    able = in_range([qid_number(instance.qid) for instance in instances], recipe.items, "clusters").tolist()
    named = [
        instance
        for instance, is_able in zip(instances, able, strict=True)
        if is_able and instance.clear and instance.surface is not None
    ]
    merged: dict[str, str] = {}
    for instance in named[: recipe.cluster.size]:
        merged.setdefault(str(instance.surface), instance.qid)
    return list(merged.values())


def explain_released(run: RunFiles, qid: str, language: str) -> Explanation:
    """What a release has of a class: its group or why it has none, and the labels of classes that have a group."""
    groups, rejections = run.groups[language], run.rejections[language]
    group = next((one for one in groups if one.qid == qid), None)
    rejection = next((one for one in rejections if one.qid == qid), None)
    labels = {one.qid: one.label for one in rejections if one.label} | {one.qid: one.label for one in groups}
    return Explanation(qid, language, group, rejection, (), labels)


def languages_of(output: str) -> list[str]:
    """The languages that have groups in an output folder, mixed ones aside; MissingInputError where there are none."""
    paths = list_files(f"{output}/{group_leaves('*')[0]}")
    if not paths:
        raise MissingInputError(f"expected an output folder with groups, saw no {output}/groups/*.jsonl")
    codes = (path.rpartition("/")[2].removesuffix(".jsonl") for path in paths)
    return sorted(code for code in codes if not is_mixed(code))


def find_kinship(taxonomy: Taxonomy, item: str, qid: str, *, closure: bool) -> Kinship | None:
    """Why an item is never an outlier of a class, None if it may be one.

    If not ``closure``, instances of what is below the class may be.
    """
    ends = [kind for kind in taxonomy.whole_classes(item) if closure or kind == qid]
    ways: list[tuple[Literal["instance", "above", "below"], list[str]]] = [
        *(("instance", way_up(taxonomy.whole_superclasses, kind, qid)) for kind in ends),
        ("below", way_up(taxonomy.whole_superclasses, item, qid)),
        ("above", way_up(taxonomy.whole_superclasses, qid, item)),
    ]
    found = [(kind, way) for kind, way in ways if way]
    if not found:
        return None
    kind, way = min(found, key=lambda pair: len(pair[1]))
    return Kinship(kind, way, frozenset(step for step in way if step not in taxonomy))


def way_up(superclasses: Callable[[str], Iterable[str]], start: str, end: str) -> list[str]:
    """The classes on a shortest way from a class up to one above it, both included; empty if there is none."""
    ways = {start: [start]}
    front = [start]
    while front and end not in ways:
        steps = [(low, high) for low in front for high in superclasses(low) if high not in ways]
        for low, high in steps:
            ways.setdefault(high, [*ways[low], high])
        front = sorted({high for _, high in steps})
    return ways.get(end, [])


# What statements say.

# A property is telling if it is this many times as frequent among the instances of a class as among prominent items.
TELLING: Final = 2


@dataclass(frozen=True)
class ItemStatements:
    """What the statements of an item say of the class: its margin if it has one, and which of the telling properties.

    ``against`` are its properties that are rarer among the instances than elsewhere, first those that none has;
    ``stated`` is the number of all of its properties.
    """

    qid: str
    margin: float | None
    telling: Sequence[int]
    against: Sequence[int]
    stated: int


@dataclass(frozen=True)
class ClassStatements:
    """What the statements of a cluster say of its class; None for coherence and margins if nothing is stated of it.

    ``telling`` has the telling properties that two members or more share, by number, with how many of all ``members``
    have them: first those that weigh most in the evidence of all members together.
    """

    members: int
    coherence: float | None
    telling: Mapping[int, int]
    items: Sequence[ItemStatements]


def explain_statements(
    output: str, taxonomy: Taxonomy, explanations: Sequence[Explanation], asked: Sequence[str] = ()
) -> list[ClassStatements | None]:
    """For each explanation of one class what statements say of its outliers and of the items asked for.

    None where no rule of the language's recipe reads statements, or where there is no cluster.
    """
    graph, qid = taxonomy.graph, explanations[0].qid
    nodes, is_class = indices_of(np.array([qid_number(qid)]), graph.nodes)
    # Of each explanation the items beside its cluster.
    beside = []
    for explanation in explanations:
        outliers = explanation.group.outliers if explanation.group else ()
        beside.append(list(dict.fromkeys([*(outlier.id for outlier in outliers), *asked])))
    items = {item for explanation in explanations for item in explanation.cluster}.union(*beside)
    wanted, known = indices_of(np.array(sorted(map(qid_number, items)), dtype=np.int64), graph.items)
    read: dict[tuple[int, int], Signatures] = {}
    found: list[ClassStatements | None] = []
    for explanation, others in zip(explanations, beside, strict=True):
        recipe, cluster = explanation.recipe, explanation.cluster
        if recipe is None or not recipe.witness or not cluster or not is_class[0]:
            found.append(None)
            continue
        key = recipe.outliers.min_sitelinks, recipe.seed
        if key not in read:
            entities = Ledger(output).folder(ENTITIES)
            read[key] = read_signatures(entities, graph, nodes, wanted[known], recipe)
        found.append(_weigh(read[key], int(nodes[0]), cluster, others))
    return found


def _weigh(signatures: Signatures, node: int, cluster: Sequence[str], items: Sequence[str]) -> ClassStatements:
    """What the statements of a cluster and of items beside it say of a class, by its node in the graph."""
    (evidence,) = ClassEvidence.of_classes(signatures, np.array([node]), [cluster])
    of_members, weights = [_properties(signatures, member) for member in cluster], evidence.weights()
    counts = {
        number: sum(number in stated for stated in of_members)
        for number, weight in weights.items()
        if weight >= log(TELLING)
    }
    ordered = sorted(counts, key=lambda number: (-counts[number] * weights[number], number))
    telling = {number: counts[number] for number in ordered if counts[number] > 1}
    found = []
    for item in items:
        stated = _properties(signatures, item)
        against = sorted((weights.get(number, -inf), number) for number in stated if weights.get(number, -inf) < 0)
        has, lacks = [number for number in telling if number in stated], [number for _, number in against]
        found.append(ItemStatements(item, evidence.margin(qid_number(item)), has, lacks, len(stated)))
    return ClassStatements(len(cluster), evidence.coherence, telling, found)


def _properties(signatures: Signatures, qid: str) -> set[int]:
    row = int(signatures.rows_of(np.array([qid_number(qid)]))[0])
    return set(signatures.properties[signatures.rows.row(row)].tolist())


def read_property_labels(output: str, numbers: Iterable[int], language: str) -> dict[int, str]:
    """The labels of some properties in a language, else in ``mul`` or English; of an earlier version's items none."""
    path = property_labels_path(Ledger(output).folder(ENTITIES))
    if not list_files(path):
        return {}
    table = read_parquet(path)
    maps: dict[int, dict[str, str]] = {}
    for row in table.filter(pc.is_in(table["property"], value_set=pa.array(numbers, pa.int32()))).to_pylist():
        maps.setdefault(row["property"], {})[row["language"]] = row["label"]
    column = pa.array([list(labels.items()) for labels in maps.values()], pa.map_(pa.string(), pa.string()))
    labels, _ = first_label(MapLookup(column), (*name_codes(language), "en"))
    return {number: label for number, label in zip(maps, labels.to_pylist(), strict=True) if label}
