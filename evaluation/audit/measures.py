"""The measures of a group: of its cluster, and of each of its outliers; None if a measure is unknown.

In the cluster {Oslo, Bern} of *city* with the outlier Rhine, Oslo and Bern are also *capitals*, so that all of them are
in one further class; the Rhine is a *river*, two steps from *city* over *place*, and shares no class with either.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal, NamedTuple

from wikisem.datasets.word_groups import with_spaces
from wikisem.graph.taxonomy import Taxonomy
from wikisem.heuristics.rules.affix import count_affixes
from wikisem.heuristics.rules.cluster import agreed_case, broken_rules, differs_in_case
from wikisem.heuristics.rules.extra import require_known
from wikisem.heuristics.rules.wording import Verdict, is_contained, parts_of_others
from wikisem.heuristics.selection.kept_groups import EarlierClusters
from wikisem.ids import is_qid, qid_number
from wikisem.recipes.options import Recipe
from wikisem.records import DRAWN, Group, Member, Outlier
from wikisem.wikipedia.graphemes import graphemes, initial_case
from wikisem.wikipedia.languages import LanguageProfile

# What is measured.

Relation = Literal["itself", "above", "below", "none"]


@dataclass(frozen=True, slots=True)
class Age:
    """The item numbers of some items: items are numbered in the order of their creation."""

    lowest: int
    median: float
    highest: int


@dataclass(frozen=True, slots=True)
class OutlierMeasures:
    """Measures of an outlier. ``distance`` is that of its nearest class to the group's class.

    ``shared_classes`` counts its direct classes that a member has too, the group's own class aside. ``relation`` is
    that of the item to the group's class, ``below_class`` whether it is an instance of that class or of one below.
    """

    item: Outlier
    inside: bool
    repeats: bool
    capital_differs: bool | None
    outside_lengths: bool
    distance: int | None = None
    shared_classes: int | None = None
    relation: Relation | None = None
    below_class: bool | None = None


@dataclass(frozen=True, slots=True)
class GroupMeasures:
    """Measures of a group. ``further_class`` is the largest share of members in a class other than its own.

    ``contained`` counts pairs of members of which one surface form is inside the other. ``from_one_class`` says for
    each outlier class with two outliers or more whether some two of them have a direct class in common. ``broken`` are
    the rules of a recipe that the cluster breaks, none without a recipe.
    """

    group: Group
    contained: int
    repeated: int
    shared_affix: float
    age: Age | None
    outliers: tuple[OutlierMeasures, ...]
    from_one_class: tuple[tuple[int, bool], ...] = ()
    further_class: float | None = None
    broken: tuple[Verdict, ...] = ()


def measure_group(
    group: Group, profile: LanguageProfile, graph: Taxonomy | None = None, broken: tuple[Verdict, ...] = ()
) -> GroupMeasures:
    """All measures of a group that can be computed from its data set and the graph, if there is one."""
    cluster = [member.surface for member in group.cluster]
    folded = {surface.casefold() for surface in cluster}

    def classes_of(item: Member) -> set[str]:
        return set(graph.classes(item.id)) if graph is not None and item.id in graph else set()

    in_graph = graph if is_qid(group.id) else None
    is_known = in_graph is not None and group.id in in_graph
    above, below = (
        (set(in_graph.above(group.id)), set(in_graph.below(group.id))) if in_graph and is_known else (set(), set())
    )
    having = Counter(one for member in group.cluster for one in classes_of(member) - {group.id})
    outliers = []
    for outlier in group.outliers:
        surface = outlier.surface
        measures = OutlierMeasures(
            outlier,
            inside=any(is_contained(surface, one, profile) for one in cluster),
            repeats=surface.casefold() in folded,
            capital_differs=capital_differs(surface, cluster),
            outside_lengths=outside_lengths(surface, cluster),
        )
        if in_graph is not None and outlier.id:
            classes = classes_of(outlier)
            steps = [in_graph.distance(group.id, one) for one in classes] if is_known else []
            relations: dict[Relation, bool] = {
                "itself": outlier.id == group.id,
                "above": outlier.id in above,
                "below": outlier.id in below,
            }
            measures = replace(
                measures,
                distance=min((step for step in steps if step is not None), default=None),
                shared_classes=len(classes & having.keys()),
                relation=next((name for name, holds in relations.items() if holds), "none"),
                below_class=bool(classes & {group.id, *below}),
            )
        outliers.append(measures)
    from_one_class = []
    for number in DRAWN:  # related outliers come one by one
        items = [outlier for outlier in group.outliers if outlier.outlier_class == number and outlier.id]
        if len(items) > 1:
            shared = Counter(one for item in items for one in (classes_of(item) if graph else {item.via}))
            from_one_class.append((number, max(shared.values(), default=0) > 1))
    return GroupMeasures(
        group,
        contained=sum(1 for _ in parts_of_others(cluster, profile)),
        repeated=repeated(cluster),
        shared_affix=shared_affix(cluster, profile.spaced),
        age=age_of(group.cluster),
        outliers=tuple(outliers),
        from_one_class=tuple(from_one_class),
        further_class=max(having.values(), default=0) / len(cluster) if in_graph is not None else None,
        broken=broken,
    )


def broken_filters(groups: Sequence[Group], profile: LanguageProfile, recipe: Recipe) -> list[tuple[Verdict, ...]]:
    """Apply the cluster filters of a recipe to groups in one language, and list all the rules that each group breaks.

    A build only writes the first; to repair a group you need all of them. Without a dump, only the stop affixes of the
    language are known, and only the groups' own surface forms show which affixes are a surprise.
    """
    require_known(recipe.filters.extra)
    groups = list(map(with_spaces, groups))
    # Each surface form counts once, because an item may be in several groups.
    surfaces = {member.surface for group in groups for member in group.members}
    affixes = count_affixes(surfaces) if recipe.filters.affix == "surprise" else None
    minimum = recipe.cluster.minimum
    clusters = [([member.surface for member in group.cluster], group.label) for group in groups]
    return [tuple(broken_rules(own, profile, recipe.filters, minimum, label, affixes)) for own, label in clusters]


def is_foreign_label(member: Member, language: str) -> bool | None:
    """Whether a surface form is a label in another language than its group; None where its source is not known."""
    return None if member.source is None else member.label_language not in {None, language}


def age_of(items: Iterable[Member]) -> Age | None:
    """The lowest, the median and the highest item number; None if no item is known."""
    numbers = [qid_number(item.id) for item in items if item.id]
    return Age(min(numbers), median(numbers), max(numbers)) if numbers else None


# What surface forms alone can give away: all that can be measured of a set that was released as text.


def capital_differs(surface: str, cluster: Sequence[str]) -> bool | None:
    """Whether the initial gives an outlier away: all members agree in its case, and it differs.

    None if the outlier or the whole cluster has no case, as in Arabic, Chinese or "3M".

    >>> capital_differs("oak", ["Oslo", "Rome"]), capital_differs("oak", ["Oslo", "elm"])
    (True, False)
    >>> capital_differs("東", ["Oslo"]) is None
    True
    """
    if not initial_case(surface) or not any(map(initial_case, cluster)):
        return None
    return differs_in_case(surface, agreed_case(cluster))


def outside_lengths(surface: str, cluster: Sequence[str]) -> bool:
    """Whether a surface form is shorter or longer, in grapheme clusters, than every member.

    >>> outside_lengths("Ur", ["Rome", "Kyoto"]), outside_lengths("Lima", ["Rome", "Kyoto"])
    (True, False)
    """
    lengths = [len(graphemes(one)) for one in cluster]
    return not min(lengths) <= len(graphemes(surface)) <= max(lengths)


def shared_affix(surfaces: Sequence[str], spaced: bool) -> float:
    """The largest share of surface forms that begin or end alike: with the same word, or without spaces character.

    >>> shared_affix(["North Sea", "Red Sea", "Baltic"], spaced=True)
    0.6666666666666666
    """
    parts = [surface.casefold().split() if spaced else list(graphemes(surface)) for surface in surfaces]
    ends = (Counter(part[index] for part in parts if part) for index in (0, -1))
    largest = max(max(count.values(), default=0) for count in ends)
    return largest / len(surfaces) if largest > 1 else 0.0


def repeated(surfaces: Sequence[str]) -> int:
    """How many surface forms repeat an earlier one, case ignored.

    >>> repeated(["Rome", "rome", "Oslo"])
    1
    """
    return len(surfaces) - len({surface.casefold() for surface in surfaces})


# Pairs of groups with nearly the same cluster.


class Pair(NamedTuple):
    """Two groups of a language, and the number of members that both have."""

    language: str
    first: str
    second: str
    shared: int


def near_duplicates(groups: Sequence[Group]) -> list[Pair]:
    """Pairs of groups in one language that share at least half of the smaller cluster, most shared members first.

    Five classes of Czech municipalities share seven of eight items.

    Members are compared by item, or by surface form if a data set does not name the item.
    """
    clusters = [{member.id or member.surface.casefold() for member in group.cluster} for group in groups]
    earlier: defaultdict[str, EarlierClusters] = defaultdict(EarlierClusters)
    pairs = []
    for number, (group, cluster) in enumerate(zip(groups, clusters, strict=True)):
        for other, count in earlier[group.language].shared(cluster).items():
            if 2 * count >= min(len(clusters[other]), len(cluster)):
                pairs.append(Pair(group.language, groups[other].id, group.id, count))
        earlier[group.language].add(number, cluster)
    return sorted(pairs, key=lambda pair: (-pair.shared, pair))
