"""The facts that explain the group of a class, gathered from an output folder for text and figure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from wikisem.errors import MissingInputError
from wikisem.files import list_files
from wikisem.graph.taxonomy import Taxonomy
from wikisem.heuristics.selection.mixed import is_mixed
from wikisem.heuristics.selection.pool import in_range
from wikisem.ids import qid_number
from wikisem.layout import GROUPS, SURFACES, group_leaves, unit_of
from wikisem.outputs.groupfile import read_groups, read_rejections
from wikisem.pipeline.build.ledger import Ledger
from wikisem.pipeline.release import RunFiles, item_column, labels_of
from wikisem.recipes.load import parse_recipe
from wikisem.recipes.options import Recipe
from wikisem.records import Group, Member, Rejection

# How many of the most prominent instances are shown, unless the cluster reaches further down, and how far it may reach.
_SHOWN: Final = 12
_LOOK: Final = 1000


@dataclass(frozen=True)
class Ranked:
    """An instance of the class, most sitelinks first, under its surface form if it has one."""

    qid: str
    surface: str | None
    sitelinks: int


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

    def outcome(self, one: Ranked) -> str:
        """The outcome for an instance."""
        if one.surface is None:
            return "no surface form"
        members: Sequence[Member] = self.group.cluster if self.group else ()
        if one.qid in {member.id for member in members}:
            return "in the cluster"
        if one.surface in {member.surface for member in members}:
            return "same surface form as a higher one"
        return "" if self.group is None else "not among the most prominent"


def explain_class(output: str, taxonomy: Taxonomy, qid: str, language: str, asked: Iterable[str] = ()) -> Explanation:
    """Gather all facts about a class in the output folder, and the labels of the items that are asked for.

    UnknownItemError if the class is not in the graph.
    """
    group = next((one for one in read_groups(output, language) if one.qid == qid), None)
    rejection = next((one for one in read_rejections(output, language) if one.qid == qid), None)
    linked = _rank(output, taxonomy, qid, language)
    ranked = _shown(linked, group)
    record = Ledger(output).find(unit_of(GROUPS, language))
    recipe = parse_recipe(record.made_with["recipe"], f"the record of groups/{language}") if record else None
    closure = recipe is None or recipe.outliers.exclude != "instances"
    kin = {item: found for item in asked if (found := find_kinship(taxonomy, item, qid, closure=closure))}
    wanted = {qid, *asked, *(one.qid for one in ranked), *_around(taxonomy, qid), *_mentioned(taxonomy, group)}
    wanted |= {step for one in kin.values() for step in one.way}
    labels, english = labels_of(output, wanted, language)
    cluster = [one.id for one in group.cluster] if group else _leading(linked, recipe) if recipe else []
    return Explanation(qid, language, group, rejection, ranked, labels, english, cluster, recipe, kin)


def explain_released(run: RunFiles, qid: str, language: str) -> Explanation:
    """What a release has of a class: its group or why it has none, and the labels of classes that have a group."""
    own = run.groups[language]
    group = next((one for one in own if one.qid == qid), None)
    rejection = next((one for one in run.rejections[language] if one.qid == qid), None)
    labels = {one.qid: one.label for one in run.rejections[language] if one.label}
    labels |= {one.qid: one.label for one in own}
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
    ends = [one for one in taxonomy.whole_classes(item) if closure or one == qid]
    ways: list[tuple[Literal["instance", "above", "below"], list[str]]] = [
        *(("instance", way_up(taxonomy.whole_superclasses, one, qid)) for one in ends),
        ("below", way_up(taxonomy.whole_superclasses, item, qid)),
        ("above", way_up(taxonomy.whole_superclasses, qid, item)),
    ]
    found = [(kind, way) for kind, way in ways if way]
    if not found:
        return None
    kind, way = min(found, key=lambda one: len(one[1]))
    return Kinship(kind, way, frozenset(one for one in way if one not in taxonomy))


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


def _rank(output: str, taxonomy: Taxonomy, qid: str, language: str) -> list[Ranked]:
    linked = taxonomy.most_linked(qid, _LOOK)
    surfaces = item_column(Ledger(output).folder(unit_of(SURFACES, language)), [item for item, _ in linked], "surface")
    return [Ranked(item, surfaces.get(item), sitelinks) for item, sitelinks in linked]


def _shown(linked: Sequence[Ranked], group: Group | None) -> Sequence[Ranked]:
    cluster = {member.id for member in group.cluster} if group else set()
    deepest = max((place for place, one in enumerate(linked) if one.qid in cluster), default=0)
    return linked[: max(_SHOWN, deepest + 1)]


def _leading(linked: Sequence[Ranked], recipe: Recipe) -> list[str]:
    """The cluster as the groups stage judged it: the first with a surface form, each surface form once."""
    able = in_range([qid_number(one.qid) for one in linked], recipe.items, "clusters").tolist()
    named = [one for one, is_able in zip(linked, able, strict=True) if is_able and one.surface is not None]
    merged: dict[str, str] = {}
    for one in named[: recipe.cluster.size]:
        merged.setdefault(str(one.surface), one.qid)
    return list(merged.values())


def _around(taxonomy: Taxonomy, qid: str) -> set[str]:
    parents = taxonomy.superclasses(qid)
    return {*parents, *(over for parent in parents for over in taxonomy.superclasses(parent))}


def _mentioned(taxonomy: Taxonomy, group: Group | None) -> set[str]:
    if group is None:
        return set()
    outliers = {qid for one in group.outliers for qid in (one.id, one.via, *taxonomy.classes(one.id))}
    ways = {
        step
        for one in group.outliers
        for kind in taxonomy.classes(one.id)
        for step in way_up(taxonomy.superclasses, kind, one.via)
    }
    return outliers | ways | {over for one in group.outliers for over in taxonomy.superclasses(one.via)}
