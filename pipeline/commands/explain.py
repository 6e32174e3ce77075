"""Why the group of a class looks as it does: the classes around it, its members with their sitelinks and
probabilities, the siblings, cousins and far classes that gave outliers, and what was left out and why.

With --figure the same as a picture: instances, classes and the arrows between them, outlier classes in three colours.
Of a release, which has no class graph, this prints what `wikisem show` does.
"""

import argparse
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from os import PathLike, fspath
from typing import Final, Literal

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from rich.table import Table
from rich.text import Text

from wikisem.arrow.parquet import read_parquet
from wikisem.class_names import classes_named, classes_of, find_class, name_class, proofs_in_words
from wikisem.datasets.files import data_set_path
from wikisem.errors import MissingInputError, missing_extra
from wikisem.evaluation.audit import audit_groups
from wikisem.files import list_files
from wikisem.graph.csr import indices_of
from wikisem.graph.outlier_sets.overlap import class_levels
from wikisem.graph.statements import Signatures, read_item_signatures, signatures_of_classes, words_by_number
from wikisem.graph.taxonomy import Taxonomy
from wikisem.heuristics.rules.proofs import find_unproven
from wikisem.heuristics.selection import kept_groups, witness
from wikisem.heuristics.selection.groups import NO_KIND
from wikisem.heuristics.selection.pool import in_range
from wikisem.heuristics.selection.witness import evidence_of_instances
from wikisem.ids import check_language, check_qid, is_qid, qid_number
from wikisem.layout import ENTITIES, GROUPS, SURFACES, TAXONOMY, group_leaves, property_labels_path, unit_of
from wikisem.outputs.groupfile import is_release, read_groups, read_rejections
from wikisem.pipeline.cli import Options, folder, list_of
from wikisem.pipeline.commands import show
from wikisem.pipeline.console import terminal
from wikisem.pipeline.runs.ledger import Ledger
from wikisem.pipeline.runs.read import first_labels, item_column, labels_of, read_run
from wikisem.recipes.load import parse_recipe
from wikisem.recipes.options import ClassOptions, Recipe
from wikisem.records import Group, Member, Rejection
from wikisem.surfaces.cleaning import labelled_classes
from wikisem.surfaces.table import meant_instead, read_members

# How many of the most prominent instances are shown, unless the cluster reaches further down, and how far it may reach.
_SHOWN: Final = 12
_LOOK: Final = 1000
_QID: Final = re.compile(r"(?<!\()\bQ[1-9][0-9]*\b")  # that does not follow a label


@dataclass(frozen=True)
class Ranked:
    """An instance of the class under its surface form, if any; ``means`` is the item that this means instead."""

    qid: str
    surface: str | None
    sitelinks: int
    means: str | None = None


@dataclass(frozen=True)
class Kinship:
    """Why an item is never an outlier of a class: it is an instance of it, or a class that is above or below it.

    ``way`` has the classes of the shortest way up in the whole graph, ``pruned`` those of them that groups do not use.
    """

    kind: Literal["instance", "above", "below"]
    way: Sequence[str]
    pruned: frozenset[str]


@dataclass(frozen=True)
class Explanation:
    """A class in one language: its group, or why it has none; ``labels`` are of all QIDs that are mentioned.

    ``english`` are those whose label is English for lack of another. ``ranked`` is empty for a release. ``cluster`` are
    the items that rules judged, ``recipe`` is that of the language's groups. ``kin`` are the items that were asked for
    and are never outliers of the class. ``reasons`` say by QID why instances may not be members.
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
    reasons: Mapping[str, str] = field(default_factory=dict)

    def label(self, qid: str) -> str:
        """The label of an item, or its QID."""
        return self.labels.get(qid, qid)

    def outcome(self, instance: Ranked, statements: "ClassStatements | None" = None) -> str:
        """Say whether an instance of the class is a member, and if not, why; empty if the class was not judged.

        Without ``statements`` of the class, it is not known whether anything but P31 speaks for the instance.
        """
        if instance.surface is None:
            return "no surface form"
        if instance.means is not None:
            return f"its name means another item: {name_class(instance.means, self.label(instance.means))}"
        members = [one for one in self.ranked if one.qid in self.cluster]
        if instance in members:
            return "in the cluster" if self.group else "judged as a member"
        if instance.surface in {member.surface for member in members}:
            return "same surface form as a higher one"
        if instance.qid in self.reasons:
            return self.reasons[instance.qid]
        if self.recipe is None or not members:
            return "may be a member" if self.rejection else ""
        # Members are the most prominent instances, of the whole class ("all") or of the third of it that ``fame`` names
        # ("head", "torso" or "tail"). If they are ranked by sitelinks alone, a rule refused each that was passed over.
        cluster = self.recipe.cluster
        by_sitelinks = cluster.fame == "all" and cluster.prominence == "global"
        if not by_sitelinks or self.ranked.index(instance) > self.ranked.index(members[-1]):
            return f"not among the {'most prominent' if cluster.fame == 'all' else f'best known of the {cluster.fame}'}"
        if statements is not None and instance.qid in statements.without_evidence:
            return "passed over, since nothing but P31 speaks for it"
        evidence = "its evidence or " * (statements is None and cluster.coherence is not None)
        return f"passed over, for {evidence}a rule on spelling"


def explain_class(output: str, taxonomy: Taxonomy, qid: str, language: str, asked: Iterable[str] = ()) -> Explanation:
    """Gather what ``wikisem explain`` says of a class in one language, and of the items that are asked about.

    UnknownItemError if the class is not in the graph.
    """
    # Its group or rejection, and the recipe of the groups.
    group = {group.qid: group for group in read_groups(output, language)}.get(qid)
    rejection = {rejection.qid: rejection for rejection in read_rejections(output, language)}.get(qid)
    record = Ledger(output).find(unit_of(GROUPS, language))
    recipe = parse_recipe(record.made_with["recipe"], f"the record of groups/{language}") if record else None
    # Its instances with the most sitelinks, under their surface forms, some of which mean other items.
    most_linked = taxonomy.most_linked(qid, _LOOK)
    folder = Ledger(output).folder(unit_of(SURFACES, language))
    members = read_members(list_files(f"{folder}/*.parquet"), taxonomy.graph, {item for item, _ in most_linked})
    meant = meant_instead(members, folder, taxonomy.graph, recipe.surface.minimum_page_share if recipe else 0)
    surfaces = {item: member.surface for item, member in members.items()}
    instances = [Ranked(item, surfaces.get(item), sitelinks, meant.get(item)) for item, sitelinks in most_linked]
    # Why items that are asked about are never outliers; with certificates, instances of subclasses are none either.
    closure = recipe is None or recipe.outliers.certificate > 0
    kin = {item: kinship for item in asked if (kinship := find_kinship(taxonomy, item, qid, closure=closure))}
    cluster = [member.id for member in group.cluster] if group else list(rejection.members if rejection else ())
    # The instances to show: the first few, or more, so that all members are among them, and those asked about.
    lowest = max((rank for rank, instance in enumerate(instances) if instance.qid in cluster), default=0)
    shown = max(_SHOWN, lowest + 1)
    ranked = [*instances[:shown], *(instance for instance in instances[shown:] if instance.qid in kin)]
    reasons = {} if recipe is None else _reasons_against(output, taxonomy, qid, language, recipe, ranked)
    # Labels of all that lines and pictures name: parents, grandparents, and outliers with the ways to their classes.
    parents = taxonomy.superclasses(qid)
    grandparents = (grandparent for parent in parents for grandparent in taxonomy.superclasses(parent))
    items = {qid, *parents, *grandparents}.union(asked, *(kinship.way for kinship in kin.values()))
    items |= {item for instance in ranked for item in (instance.qid, instance.means) if item is not None}
    items |= set(_QID.findall(rejection.detail)) if rejection else set()
    if group is not None:
        items |= group.types_of_near
    for outlier in group.outliers if group else ():
        items |= {outlier.id, outlier.via, *taxonomy.superclasses(outlier.via)}
        for class_of_outlier in taxonomy.classes(outlier.id):
            items |= {class_of_outlier, *way_up(taxonomy.superclasses, class_of_outlier, outlier.via)}
    labels, english = labels_of(output, items, language)
    return Explanation(qid, language, group, rejection, ranked, labels, english, cluster, recipe, kin, reasons)


def _reasons_against(
    output: str, taxonomy: Taxonomy, qid: str, language: str, recipe: Recipe, ranked: Sequence[Ranked]
) -> dict[str, str]:
    """Say why instances of a class may not be members, by QID: their number, their level, or a contradiction.

    A *level* is types or individuals, as most instances are; a *contradiction* is the only instance of both this class
    and another one. Both count only where the recipe asks for certificates.
    """
    if not ranked:
        return {}
    graph, numbers = taxonomy.graph, np.array([qid_number(one.qid) for one in ranked])
    joins, strength = in_range(numbers, recipe.items, "clusters").tolist(), recipe.outliers.certificate
    reasons = {one.qid: "outside [items]" for one, may_join in zip(ranked, joins, strict=True) if not may_join}
    if strength:
        nodes, items = indices_of(np.array([qid_number(qid)]), graph.nodes)[0], indices_of(numbers, graph.items)[0]
        (are_types,) = class_levels(graph, nodes, recipe.outliers.min_sitelinks > 0).tolist()
        for one, is_type in zip(ranked, graph.is_type(items).tolist(), strict=True):
            if is_type != are_types:
                reasons.setdefault(one.qid, f"{'a type' if is_type else 'an individual'}, unlike most instances")
        # Each of the others is asked about as a group of its own.
        members = [Member(id=one.qid, surface=one.surface) for one in ranked if one.surface and one.qid not in reasons]
        alone = [Group(id=qid, label="", language=language, cluster=(member,), outliers=()) for member in members]
        name = cache(lambda other: name_class(other, labels_of(output, [other], language)[0].get(other, "")))
        try:
            for group, rule, detail in find_unproven(alone, output, strength, name) if alone else ():
                if rule == "contradiction":
                    reasons[group.cluster[0].id] = f"contradiction: {detail.removeprefix('member ')}"
        except ModuleNotFoundError as error:  # a plain installation lacks SciPy
            terminal.log(f"members with contradictions are not named: {missing_extra(error, 'to find them')}")
    return reasons


def find_kinship(taxonomy: Taxonomy, item: str, qid: str, *, closure: bool) -> Kinship | None:
    """Find out why an item is never an outlier of a class (``qid``): it is an instance, or above or below; else None.

    What counts is the class graph before pruning. With ``closure``, instances of subclasses are never outliers either.
    """
    starts = [start for start in taxonomy.whole_classes(item) if closure or start == qid]
    ways: list[tuple[Literal["instance", "above", "below"], list[str]]] = [
        *(("instance", way_up(taxonomy.whole_superclasses, start, qid)) for start in starts),
        ("below", way_up(taxonomy.whole_superclasses, item, qid)),
        ("above", way_up(taxonomy.whole_superclasses, qid, item)),
    ]
    kind, way = min(ways, key=lambda kind_and_way: len(kind_and_way[1]) or math.inf)  # the shortest that is not empty
    return Kinship(kind, way, frozenset(step for step in way if step not in taxonomy)) if way else None


def way_up(superclasses: Callable[[str], Iterable[str]], start: str, end: str) -> list[str]:
    """Find the classes on a shortest way from a class up to one above it, both included; empty if there is none."""
    ways = {start: [start]}
    front = [start]  # the classes that the last step reached; sorted, so that of several ways one is always found
    while front and end not in ways:
        steps = [(low, high) for low in front for high in superclasses(low) if high not in ways]
        for low, high in steps:
            ways.setdefault(high, [*ways[low], high])
        front = sorted({high for _, high in steps})
    return ways.get(end, [])


# A property is telling if it is this many times as frequent among the instances of a class as among prominent items.
TELLING: Final = 2


@dataclass(frozen=True)
class ItemStatements:
    """What the statements of an item say of the class: its margin if it has one, and which of the telling properties.

    ``against`` are its properties that are rarer among the instances than elsewhere, of the number ``stated``.
    """

    qid: str
    margin: float | None
    telling: Sequence[int]
    against: Sequence[int]
    stated: int


@dataclass(frozen=True)
class ClassStatements:
    """What the statements of a cluster say of its class; None for coherence and margins if nothing is stated of it.

    ``telling`` counts, by telling property, the ``members`` that have it, where two or more do: weightiest first.
    ``without_evidence`` are the instances shown for which only P31 speaks, where the recipe asks.
    """

    members: int
    coherence: float | None
    telling: Mapping[int, int]
    items: Sequence[ItemStatements]
    without_evidence: frozenset[str] = frozenset()


def explain_statements(
    output: str, taxonomy: Taxonomy, explanations: Sequence[Explanation], asked: Sequence[str] = ()
) -> list[ClassStatements | None]:
    """Measure how typical of a class the statements of its outliers and of ``asked`` items are, in each language.

    ``explanations`` are of the class in several languages, and so are the results: None where the recipe has no rule on
    statements (``witness``), or without a cluster.
    """
    graph = taxonomy.graph
    # The class as an index in the graph, where ``qid`` may be no class, and the items to weigh, in each language.
    nodes, is_class = indices_of(np.array([qid_number(explanations[0].qid)]), graph.nodes)
    outliers_of = [explanation.group.outliers if explanation.group else () for explanation in explanations]
    items_of = [list(dict.fromkeys([*(outlier.id for outlier in outliers), *asked])) for outliers in outliers_of]
    all_items = {item for explanation in explanations for item in explanation.cluster}.union(*items_of)
    all_items |= {one.qid for explanation in explanations for one in explanation.ranked}
    indices, in_graph = indices_of(np.array(sorted(map(qid_number, all_items)), dtype=np.int64), graph.items)
    # A signature is the set of properties of an item. Recipes with the same bound and seed have the same signatures.
    signatures, statements = dict[tuple[int, int], Signatures](), list[ClassStatements | None]()
    for explanation, items in zip(explanations, items_of, strict=True):
        recipe, cluster = explanation.recipe, explanation.cluster
        if recipe is None or not recipe.witness or not cluster or not is_class[0]:
            statements.append(None)
            continue
        key = recipe.outliers.min_sitelinks, recipe.seed
        if key not in signatures:
            parts = map(read_item_signatures, list_files(f"{Ledger(output).folder(ENTITIES)}/*.parquet"))
            signatures[key] = signatures_of_classes(parts, graph, nodes, indices[in_graph], recipe)
        of_class = _weigh(signatures[key], int(nodes[0]), cluster, items)
        if recipe.cluster.coherence is not None:
            numbers = np.array([qid_number(one.qid) for one in explanation.ranked])
            speaks = evidence_of_instances(signatures[key], nodes)(np.zeros_like(numbers), numbers).tolist()
            silent = (one.qid for one, flag in zip(explanation.ranked, speaks, strict=True) if not flag)
            of_class = replace(of_class, without_evidence=frozenset(silent))
        statements.append(of_class)
    return statements


def _weigh(signatures: Signatures, node: int, cluster: Sequence[str], items: Sequence[str]) -> ClassStatements:
    """Find the properties that tell a class (``node`` in the graph) from other items, and weigh items by theirs.

    The weight of a property is the logarithm of how many times as frequent it is among instances of the class as among
    prominent items: from log(TELLING) up it tells the class, below 0 it is evidence against it.
    """
    # The properties of each item, by number; a signature has them as indices into ``signatures.properties``.
    qids = [*cluster, *items]
    rows = signatures.rows_of(np.array([qid_number(qid) for qid in qids])).tolist()
    properties_of = {
        qid: set(signatures.properties[signatures.rows.row(row)].tolist()) for qid, row in zip(qids, rows, strict=True)
    }
    (evidence,) = witness.ClassEvidence.of_classes(signatures, np.array([node]), [cluster])
    weights = evidence.weights()
    # The telling properties that two members or more have, and how many: those with most weight in the cluster first.
    all_telling = [number for number, weight in weights.items() if weight >= math.log(TELLING)]
    counts = {number: sum(number in properties_of[member] for member in cluster) for number in all_telling}
    ordered = sorted(counts, key=lambda number: (-counts[number] * weights[number], number))
    telling = {number: counts[number] for number in ordered if counts[number] > 1}
    # What speaks for each item and against it; a property that no instance has is the strongest evidence against it.
    weighed = []
    for item in items:
        own = properties_of[item]
        by_weight = sorted((weights.get(number, -math.inf), number) for number in own)
        telling_own = [number for number in telling if number in own]
        against = [number for weight, number in by_weight if weight < 0]
        weighed.append(ItemStatements(item, evidence.margin(qid_number(item)), telling_own, against, stated=len(own)))
    return ClassStatements(len(cluster), evidence.coherence, telling, weighed)


def read_property_labels(output: str, numbers: Iterable[int], language: str) -> dict[int, str]:
    """Read the labels of properties by their numbers, in a language, else in ``mul`` (any language) or English.

    There are none if an earlier version of wikisem made OUT, which kept no labels of properties.
    """
    path = property_labels_path(Ledger(output).folder(ENTITIES))
    if not list_files(path):
        return {}
    table = read_parquet(path)
    by_language: dict[int, list[tuple[str, str]]] = {}
    for row in table.filter(pc.is_in(table["property"], value_set=pa.array(numbers, pa.int32()))).to_pylist():
        by_language.setdefault(row["property"], []).append((row["language"], row["label"]))
    labels, _ = first_labels(by_language, language)
    return labels


_NOT_RELEASED: Final = (
    "a release has no class graph and no items beside its groups: parents, siblings and cousins of the class, its "
    "other instances, labels of classes without a group, and what statements say are in the OUT of its run"
)
_NAMED: Final = 3  # properties that tell the class, at most

OPTIONS: Final[Options] = {"--item": {"convert": list_of(check_qid)}}


def run(arguments: argparse.Namespace) -> int:
    """Print the explanation in each language and draw the figure of the first that has a group."""
    if is_release(data_set_path(arguments.output)):
        if arguments.figure is not None or arguments.item:
            option = "--figure" if arguments.figure is not None else "--item"
            raise MissingInputError(f"{option} needs the OUT of a run, saw a release: {_NOT_RELEASED}")
        if not arguments.json:
            show.run(arguments)
        explanations = explain(arguments.output, arguments.name, arguments.language) if arguments.json else []
        statements: list[ClassStatements | None] = [None] * len(explanations)
        terminal.print_notes([_NOT_RELEASED])
    else:
        output = folder(arguments.output)
        taxonomy, explanations = _explain(output, arguments.name, arguments.language, arguments.item)
        statements = explain_statements(output, taxonomy, explanations, arguments.item)
    for explanation, of_class in zip(explanations, statements, strict=True):
        if arguments.json:  # without the recipe of the groups, which the manifest has
            row = {key: value for key, value in vars(explanation).items() if key != "recipe"} | {"statements": of_class}
            terminal.print_json(msgspec.to_builtins(row, str_keys=True, order="deterministic"))
        else:
            _print_explanation(output, taxonomy, explanation, of_class)
    if arguments.figure is not None:
        drawn = next((explanation for explanation in explanations if explanation.group is not None), None)
        if drawn is None:
            languages = ", ".join(explanation.language for explanation in explanations)
            raise MissingInputError(f"expected a group of {explanations[0].qid} to draw, saw none in {languages}")
        terminal.drawing_module("wikisem.pipeline.figure", "--figure").draw(arguments.figure, taxonomy, drawn)
        (terminal.log if arguments.json else terminal.print_line)(f"figure: {arguments.figure}")
    return 0


def explain(output: str | PathLike[str], name: str, language: str | None = None) -> list[Explanation]:
    """Say why a class has the group that it has, or none, in each language of a run or in one; part of the public API.

    ``name`` is the QID of the class, or a label: in any language for classes with groups, for others in ``language`` or
    in English. An explanation has the ``group``, or the ``rejection`` with its reason, and in ``ranked`` the most
    prominent instances, which a release does not have. Raises MissingInputError if there are no groups, or none in the
    language, and UnknownItemError for a class that is not in the graph.
    """
    where, code = fspath(output), None if language is None else check_language(language)
    if not is_release(data_set_path(where)):
        _, explanations = _explain(folder(where), name, code, ())
        return explanations
    # A release has groups and rejections, but no class graph.
    run = read_run(data_set_path(where))
    known = classes_of(chain.from_iterable(run.groups.values()))
    known += classes_of(chain.from_iterable(run.rejections.values()))
    qid, explanations = find_class(name, known, where), []
    for chosen in _chosen(list(run.groups), code, where):
        groups = {group.qid: group for group in run.groups[chosen]}
        rejections = {rejection.qid: rejection for rejection in run.rejections[chosen]}
        labels = {rejected: rejection.label for rejected, rejection in rejections.items() if rejection.label}
        labels |= {grouped: group.label for grouped, group in groups.items()}
        explanations.append(Explanation(qid, chosen, groups.get(qid), rejections.get(qid), ranked=(), labels=labels))
    if all(explanation.group is None and explanation.rejection is None for explanation in explanations):
        seen = f"none of {qid}" + (f" in {code}" if code else "")
        raise MissingInputError(f"{where}: expected a group or a rejected class, saw {seen}")
    return explanations


def _explain(output: str, name: str, language: str | None, items: Sequence[str]) -> tuple[Taxonomy, list[Explanation]]:
    """Explain a class of a run in some languages, and return the class graph, too.

    ``name`` is its QID or its label: of a class with a group or, if there is none, of any in the graph.
    """
    taxonomy = Taxonomy.load(Ledger(output).folder(TAXONOMY))
    paths = list_files(f"{output}/{group_leaves('*')[0]}")  # groups/<language>.jsonl
    if not paths:
        raise MissingInputError(f"expected an output folder with groups, saw no {output}/groups/*.jsonl")
    codes = (path.rpartition("/")[2].removesuffix(".jsonl") for path in paths)
    known = sorted(code for code in codes if not kept_groups.is_mixed(code))
    languages = _chosen(known, language, output)
    if is_qid(name):
        qid = check_qid(name)
    else:
        classes = classes_of(group for code in known for group in read_groups(output, code))
        if not classes_named(name, classes):
            named_in = list(dict.fromkeys([*languages, "en"]))
            classes = labelled_classes(Ledger(output).folder(ENTITIES), taxonomy.graph, named_in)
        qid = find_class(name, classes, output)
    for item in items:
        taxonomy.classes(item)  # raises UnknownItemError, which names an item that the graph lacks
    return taxonomy, [explain_class(output, taxonomy, qid, code, items) for code in languages]


def _chosen(known: list[str], asked: str | None, output: str) -> list[str]:
    if asked not in {None, *known}:
        raise MissingInputError(f"expected groups in one of {', '.join(known)} in {output}, saw {asked}")
    return known if asked is None else [asked]


def _print_explanation(
    output: str, taxonomy: Taxonomy, explanation: Explanation, statements: ClassStatements | None
) -> None:
    """Print where the class is in the graph, its group or why it has none, what statements say, and its instances."""
    # Where the class is in the graph.
    console, qid = terminal.make_console(), explanation.qid
    console.print(Text(_label(explanation, qid), "bold"), f"in {explanation.language}")
    parents = taxonomy.superclasses(qid)
    grandparents = sorted({above for parent in parents for above in taxonomy.superclasses(parent)}, key=qid_number)
    siblings = {child for parent in parents for child in taxonomy.subclasses(parent)} - {qid}
    cousins = {child for grandparent in grandparents for child in taxonomy.subclasses(grandparent)} - {qid}
    depth = taxonomy.depth(qid)
    for name, classes, note in (("parents", parents, ", so no outliers"), ("grandparents", grandparents, "")):
        labels = ", ".join(_label(explanation, above) for above in classes)
        console.print(f"{name}: {labels or f'none left in the graph{note}'}")
    steps = "the root is not above it" if depth is None else f"{depth} steps below the root"
    counts = f"{len(taxonomy.instances(qid)):,} instances, {len(siblings):,} siblings, {len(cousins):,} cousins"
    console.print(f"{counts}; {steps}")
    # Its group, or why it has none.
    if explanation.group is not None:
        _print_group(output, taxonomy, explanation, explanation.group)
    elif rejection := explanation.rejection:
        detail = _QID.sub(lambda found: _label(explanation, found[0]), rejection.detail)
        console.print(f"no group: {rejection.reason} ({detail})")
    else:
        chooses = explanation.recipe is not None and explanation.recipe.classes != ClassOptions()
        or_left_out = ", or [classes] of the recipe leave it out" if chooses else ""
        console.print(f"not judged: too few of its instances have a surface form in this language{or_left_out}")
    for line in _kin_lines(explanation, statements):
        console.print(line)
    # What statements say, with the names of their properties, or of the words of descriptions that count as such.
    if statements is not None:
        numbers = {*statements.telling, *(number for item in statements.items for number in item.against)}
        labels_by_number = read_property_labels(output, numbers, explanation.language)
        names = {number: (label, f"P{number}") for number, label in labels_by_number.items()}
        items = [*explanation.cluster, *(item.qid for item in statements.items)]
        for description in item_column(Ledger(output).folder(ENTITIES), items, "description").values():
            names |= {number: (f"'{word}'", "") for number, word in words_by_number(description or "").items()}
        for line in _statement_lines(explanation, statements, names):
            console.print(line)
    # Its instances.
    title, sitelinks = "its most prominent instances", terminal.number_columns("sitelinks")
    table = Table("item", "label", "surface form", *sitelinks, "outcome", title=title, title_justify="left")
    for instance in explanation.ranked:
        label, outcome = explanation.label(instance.qid), explanation.outcome(instance, statements)
        table.add_row(instance.qid, label, instance.surface or "", str(instance.sitelinks), outcome)
    console.print(table)


def _print_group(output: str, taxonomy: Taxonomy, explanation: Explanation, group: Group) -> None:
    """Print a group, what an audit measures of it, proofs that its outliers are not of the class, and their ties.

    A *tie* is a statement between a related outlier and a member, such as "Florence (Q2044) is located in Tuscany".
    """
    console = terminal.make_console()
    console.print(f"a group of {len(group.cluster)} with {len(group.outliers)} outliers")
    console.print(show.group_table(group, explanation.labels))
    # Its measures in the class graph, and the numbers of its items: the lower, the earlier an item was created.
    measures = audit_groups("", [group], taxonomy).groups[0].measures
    if measures.further_class is not None:
        console.print(f"{measures.further_class:.0%} of its members are in one further class")
    for outlier in measures.outliers:
        steps = "no path to the class" if outlier.distance is None else f"{outlier.distance} steps from the class"
        shared = f"direct classes that a member has too: {outlier.shared_classes}"
        console.print(f"{outlier.item.surface}: {steps}; {shared}")
    if age := measures.age:
        console.print(f"item numbers of its members: Q{age.lowest} to Q{age.highest}, median {age.median:.0f}")
    tying = {int(tie.property[1:]) for outlier in group.outliers for tie in outlier.ties or ()}  # 131 for P131
    ties = show.tie_lines(group, read_property_labels(output, tying, explanation.language))
    for line in chain(proofs_in_words(group, explanation.labels), ties):
        console.print(line)


def _label(explanation: Explanation, qid: str) -> str:
    label, note = explanation.label(qid), ", label in English" * (qid in explanation.english)
    return qid if label == qid else f"{label} ({qid}{note})"


def _kin_lines(explanation: Explanation, statements: ClassStatements | None = None) -> Iterator[str]:
    """Say why some of the items asked about are never outliers: they are the class, instances, or above or below it.

    The classes on the way from one to the other follow, with a mark on those that pruning took out of the class graph;
    for an instance, whether it is a member.
    """
    ranked = {one.qid: one for one in explanation.ranked}
    for item, kin in explanation.kin.items():
        if item == explanation.qid:
            reason = "the class itself"
        elif kin.kind == "instance":
            reason = "an instance of the class" if len(kin.way) == 1 else "an instance of what is below the class"
        else:
            reason = f"{kin.kind} the class"
        steps = (f"{_label(explanation, step)}{', pruned' * (step in kin.pruned)}" for step in kin.way)
        way = f": {' → '.join(steps)}" if len(kin.way) > 1 else ""
        if item in ranked and (outcome := explanation.outcome(ranked[item], statements)):
            way += f"; {outcome}"
        yield f"{_label(explanation, item)}: never an outlier, since it is {reason}{way}"


def _statement_lines(
    explanation: Explanation, statements: ClassStatements, names: Mapping[int, tuple[str, str]]
) -> Iterator[str]:
    """Say how typical of the class the statements of the cluster are, then those of each item, and by which properties.

    The *coherence* of the cluster is 1 at best, 0.5 without anything in common; the *margin* of an item is the share of
    instances that are less typical. A property is *telling* if it is much more frequent in the class than elsewhere.
    ``names`` has the label and the id of each property by its number, such as "country" and "P17"; words of
    descriptions count as properties, too, without an id.
    """

    def name(number: int, note: str = "") -> str:
        label, property_id = names.get(number, (f"P{number}", ""))
        notes = ", ".join(filter(None, (property_id, note)))
        return f"{label} ({notes})" if notes else label

    # The cluster.
    count, telling, rejection = statements.members, statements.telling, explanation.rejection
    if statements.coherence is None:
        yield "coherence unknown: nothing is stated of its members"
    elif rejection is not None and rejection.reason == NO_KIND:  # the coherence is too low for a group
        most = max(telling.values(), default=1)
        shared = f"nothing that tells the class is had by more than {most} of {count} members"
        yield f"coherence {statements.coherence}: {shared}"
    else:
        having = ", ".join(f"{telling[number]} have {name(number)}" for number in [*telling][:_NAMED])
        yield f"coherence {statements.coherence}: of {count} members {having or 'no two share what tells the class'}"
    # The items: one with a margin from the recipe's bound up is too typical to be an outlier, and gives way to another.
    bound = explanation.recipe.outliers.margin if explanation.recipe else None
    chosen = {outlier.id for outlier in explanation.group.outliers} if explanation.group else set()
    for item in statements.items:
        if item.qid in explanation.kin:
            continue
        if item.margin is not None:
            verdict = ""
            if item.qid not in chosen and bound is not None:
                verdict = f", gives way from {bound} on" if item.margin >= bound else f", below {bound}"
            named = item.telling[:_NAMED]
            having = ", ".join(name(number, f"{telling[number]} of {count} members") for number in named)
            line = f"margin {item.margin}{verdict}; it has {having or 'nothing that tells the class'}"
            if item.against:
                line += f"; against it: {', '.join(name(number) for number in item.against[:_NAMED])}"
            yield f"{_label(explanation, item.qid)}: {line}"
        elif not item.stated and statements.coherence is not None:
            yield f"{_label(explanation, item.qid)}: no margin, since nothing is stated of it"
