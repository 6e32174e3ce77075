"""An audit of a data set: measures of each group, its groups worst first, and all by language and outlier class.

A measure is None if it is unknown. In the cluster {Oslo, Bern} of *city* with the outlier Rhine, both are *capitals*,
too, so all are in one further class; the Rhine is a *river*, two steps from *city* over *place*, and shares no class.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any, Final, Literal, NamedTuple

from wikisem.datasets.word_groups import with_spaces
from wikisem.evaluation.baselines import COLUMNS, Columns, Frequencies, baselines_by_language
from wikisem.graph.taxonomy import Taxonomy
from wikisem.heuristics.rules.affix import ENOUGH, count_affixes
from wikisem.heuristics.rules.cluster import agreed_case, broken_rules
from wikisem.heuristics.rules.wording import Verdict, parts_of_others, require_known
from wikisem.heuristics.selection.kept_groups import EarlierClusters
from wikisem.ids import is_qid, qid_number
from wikisem.recipes.options import Recipe
from wikisem.records import DRAWN, LEVELS, Group, Member, Outlier
from wikisem.wikipedia.graphemes import graphemes, initial_case
from wikisem.wikipedia.languages import LanguageProfile, language_profile

Relation = Literal["itself", "above", "below", "none"]
# Below this, most links with a surface form lead to another page than the item's.
LOW_PAGE_SHARE: Final = 0.5
# Measure -> value, for a cluster or an outlier class; None where the data set does not say.
Values = Mapping[str, float | int | None]
CLUSTER: Final = "cluster"


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
    """Measure a group: how alike its surface forms are, and by the graph of classes, if there is one, its items."""
    cluster = [member.surface for member in group.cluster]
    classes = {item.id: set(graph.classes(item.id)) for item in group.members if graph is not None and item.id in graph}
    # How many members have each direct class, the group's own class aside.
    members_of_class = Counter(qid for item in group.cluster for qid in classes.get(item.id, set()) - {group.id})
    graph_of_group = graph if is_qid(group.id) else None  # the graph knows nothing of a group without a QID
    # Whether two outliers of an outlier class have a direct class in common; without a graph only ``via`` is known.
    # Related and near outliers do not count.
    from_one_class = []
    for number in DRAWN:
        items = [outlier for outlier in group.outliers if outlier.outlier_class == number and outlier.id]
        if len(items) > 1:
            counts = Counter(qid for item in items for qid in (classes.get(item.id, ()) if graph else [item.via]))
            from_one_class.append((number, max(counts.values(), default=0) > 1))
    most_shared = max(members_of_class.values(), default=0)
    return GroupMeasures(
        group,
        contained=sum(1 for _ in parts_of_others(cluster, profile)),
        repeated=len(cluster) - len({surface.casefold() for surface in cluster}),
        shared_affix=shared_affix(cluster, profile.spaced),
        age=age_of(group.cluster),
        outliers=tuple(_measure_outliers(group, profile, graph_of_group, classes, members_of_class)),
        from_one_class=tuple(from_one_class),
        further_class=None if graph_of_group is None else most_shared / len(cluster),
        broken=broken,
    )


def _measure_outliers(
    group: Group,
    profile: LanguageProfile,
    graph: Taxonomy | None,
    classes: Mapping[str, set[str]],
    classes_of_members: Collection[str],
) -> Iterator[OutlierMeasures]:
    """Compare each outlier with the cluster by surface form and, if it has a QID, by the classes in the graph.

    ``classes`` has the direct classes of each item, by its QID.
    """
    cluster = [member.surface for member in group.cluster]
    folded, lengths = {surface.casefold() for surface in cluster}, [len(graphemes(surface)) for surface in cluster]
    # How an outlier that is itself a class is related to the group's class.
    above, below = set[str](), set[str]()
    if graph is not None and group.id in graph:
        above, below = set(graph.above(group.id)), set(graph.below(group.id))
    relations: dict[str, Relation] = {**dict.fromkeys(below, "below"), **dict.fromkeys(above, "above")}
    relations[group.id] = "itself"
    for outlier in group.outliers:
        by_graph: dict[str, Any] = {}
        if graph is not None and outlier.id:
            own_classes = classes.get(outlier.id, set())
            steps = [graph.distance(group.id, one) for one in own_classes] if group.id in graph else []
            by_graph = {
                "distance": min((step for step in steps if step is not None), default=None),
                "shared_classes": len(own_classes.intersection(classes_of_members)),
                "relation": relations.get(outlier.id, "none"),
                "below_class": bool(own_classes & {group.id, *below}),
            }
        length = len(graphemes(outlier.surface))
        yield OutlierMeasures(
            outlier,
            inside=any(any(parts_of_others([outlier.surface, surface], profile)) for surface in cluster),
            repeats=outlier.surface.casefold() in folded,
            capital_differs=capital_differs(outlier.surface, cluster),
            outside_lengths=not min(lengths) <= length <= max(lengths),
            **by_graph,
        )


def broken_filters(groups: Sequence[Group], profile: LanguageProfile, recipe: Recipe) -> list[tuple[Verdict, ...]]:
    """Apply the cluster filters of a recipe to groups in one language.

    Returns every rule that each group's cluster breaks, in the order of the checks. A build writes the first alone, but
    a repair of the group needs all. Without a dump, only the stop affixes of the language are known, and affixes are
    judged by how rare they are among the surface forms of these groups, if there are enough of them.
    """
    require_known(recipe.filters.extra)
    groups = list(map(with_spaces, groups))
    # Each surface form counts once, because an item may be in several groups.
    surfaces = {member.surface for group in groups for member in group.members}
    affixes = count_affixes(surfaces) if recipe.filters.affix == "surprise" and len(surfaces) >= ENOUGH else None
    minimum = recipe.cluster.minimum
    clusters = [[member.surface for member in group.cluster] for group in groups]
    return [
        tuple(broken_rules(cluster, profile, recipe.filters, minimum, group.label, affixes))
        for group, cluster in zip(groups, clusters, strict=True)
    ]


def age_of(items: Iterable[Member]) -> Age | None:
    """The lowest, the median and the highest item number; None if no item is known."""
    numbers = [qid_number(item.id) for item in items if item.id]
    return Age(min(numbers), median(numbers), max(numbers)) if numbers else None


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
    return agreed_case(cluster) not in ("", initial_case(surface))


def shared_affix(surfaces: Sequence[str], spaced: bool) -> float:
    """The largest share of surface forms with one first or one last word; unless ``spaced``, with one character there.

    >>> shared_affix(["North Sea", "Red Sea", "Baltic"], spaced=True)
    0.6666666666666666
    """
    split = [surface.casefold().split() if spaced else list(graphemes(surface)) for surface in surfaces]
    first_and_last = (Counter(parts[index] for parts in split if parts) for index in (0, -1))
    largest = max(max(count.values(), default=0) for count in first_and_last)
    return largest / len(surfaces) if largest > 1 else 0.0


class Pair(NamedTuple):
    """Two groups of a language, and the number of members that both have."""

    language: str
    first: str
    second: str
    shared: int


def near_duplicates(groups: Sequence[Group]) -> list[Pair]:
    """Pairs of groups in one language that share at least half of the smaller cluster, most shared members first.

    Five classes of Czech municipalities share seven of eight items. Members without an item go by their surface forms.
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


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a careful reader would object to; ``wrong`` if it alone makes a test case wrong."""

    text: str
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class AuditedGroup:
    """A group with its measures and what is wrong with it."""

    measures: GroupMeasures
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class WitnessBounds:
    """What the recipe of a set asks of its groups: the least coherence, and the margin that no outlier reaches."""

    coherence: float | None = None
    margin: float | None = None


NO_BOUNDS: Final[WitnessBounds] = WitnessBounds()

# A group with less coherence than this above the bound is a near miss; so is an outlier above half of the bound.
NEAR_COHERENCE: Final = 0.05


@dataclass(frozen=True, slots=True, repr=False)
class Audit:
    """``groups`` worst first; ``languages`` has the values of clusters and of each outlier class in each language.

    ``baselines`` says for each language how often a guesser that ignores meaning is right. ``by_coherence`` has the
    groups whose coherence is known, the lowest first, ``by_margin`` the outliers with a margin, the highest first, each
    with its group; ties by language and id.
    """

    name: str
    groups: tuple[AuditedGroup, ...]
    near_duplicates: tuple[Pair, ...]
    languages: Mapping[str, Mapping[str, Values]]
    baselines: Mapping[str, Columns]
    bounds: WitnessBounds
    by_coherence: tuple[tuple[float, Group], ...]
    by_margin: tuple[tuple[float, Group, Outlier], ...]

    @property
    def near_coherence(self) -> int | None:
        """How many groups are near misses by their coherence; None without a bound."""
        below = round((self.bounds.coherence or 0) + NEAR_COHERENCE, 4)
        return None if self.bounds.coherence is None else sum(one < below for one, _ in self.by_coherence)

    @property
    def near_margin(self) -> int | None:
        """How many outliers are near misses by their margin; None without a bound."""
        bound = self.bounds.margin
        return None if bound is None else sum(margin > bound / 2 for margin, *_ in self.by_margin)

    def __repr__(self) -> str:
        return f"Audit(name={self.name!r}, groups={len(self.groups)}, languages={list(self.languages)})"


def audit_groups(
    name: str,
    groups: Sequence[Group],
    graph: Taxonomy | None = None,
    frequencies: Mapping[str, Frequencies] | None = None,
    bounds: WitnessBounds = NO_BOUNDS,
    recipe: Recipe | None = None,
) -> Audit:
    """Measure all groups, and list them worst first: by wrong test cases, then all findings, ties by language and id.

    With a recipe, the rules of its filters that a cluster breaks are measures and findings, too.
    """
    ordered = sorted(groups, key=lambda group: (group.language, group.id))
    pairs, audited = near_duplicates(groups), list[AuditedGroup]()
    languages: dict[str, Mapping[str, Values]] = {}
    # The measures and findings of each group, and their means in each language.
    for language in dict.fromkeys(group.language for group in ordered):
        listed = [group for group in ordered if group.language == language]
        # The surface forms show how a language without a row is written.
        profile = language_profile(language, sample=[member.surface for group in listed for member in group.cluster])
        broken = broken_filters(listed, profile, recipe) if recipe else [()] * len(listed)
        measured = [measure_group(group, profile, graph, own) for group, own in zip(listed, broken, strict=True)]
        repeats = [pair for pair in pairs if pair.language == language]
        for one in measured:
            findings = findings_of(one, [pair for pair in repeats if one.group.id in {pair.first, pair.second}])
            audited.append(AuditedGroup(one, tuple(findings)))
        broken_share = {"breaks a filter": fmean(bool(one.broken) for one in measured)} if recipe else {}
        languages[language] = _values(measured, len(repeats), broken_share)
    audited.sort(key=lambda one: (-sum(finding.wrong for finding in one.findings), -len(one.findings)))
    # Bounds of a recipe reject low coherences and high margins, so the groups and outliers nearest to them are first.
    coherences = [(group.coherence, group) for group in ordered if group.coherence is not None]
    margins = [(one.margin, group, one) for group in ordered for one in group.outliers if one.margin is not None]
    return Audit(
        name,
        groups=tuple(audited),
        near_duplicates=tuple(pairs),
        languages=languages,
        baselines=baselines_by_language(groups, frequencies),
        bounds=bounds,
        by_coherence=tuple(sorted(coherences, key=lambda each: each[0])),
        by_margin=tuple(sorted(margins, key=lambda each: -each[0])),
    )


def findings_of(group: GroupMeasures, pairs: Sequence[Pair] = ()) -> list[Finding]:
    """All findings of a group, wrong test cases first; ``pairs`` are the near-duplicates that it is part of."""
    findings = []
    for one in group.outliers:
        wrong = {
            "is the class itself": one.relation == "itself",
            f"is a class {one.relation} it": one.relation in {"above", "below"},
            "is an instance of the class, or of one below it": one.below_class,
            "has the surface form of a member": one.repeats,
        }
        blemishes = {
            "shares a class with a member": one.shared_classes,
            "is inside the surface form of a member, or has one inside": one.inside,
            "differs in its initial capital from all members": one.capital_differs,
        }
        findings += [Finding(f"{one.item.name} {text}", wrong=True) for text, holds in wrong.items() if holds]
        findings += [Finding(f"{one.item.name} {text}") for text, holds in blemishes.items() if holds]
        if one.item.page_share is not None and one.item.page_share < LOW_PAGE_SHARE:
            findings.append(Finding(f"{one.item.name} most often means another page ({one.item.page_share:.2f})"))
    findings += [Finding(f"breaks {verdict.reason}: {verdict.detail}") for verdict in group.broken]
    findings += [Finding("members have the same surface form")] if group.repeated else []
    findings += [Finding("a member's surface form is inside another's")] if group.contained else []
    for item in group.group.cluster:
        if item.page_share is not None and item.page_share < LOW_PAGE_SHARE:
            findings.append(Finding(f"member {item.surface} most often means another page ({item.page_share:.2f})"))
        if item.source is not None and item.label_language not in {None, group.group.language}:
            findings.append(Finding(f"member {item.surface} is a label in another language"))
    for pair in pairs:
        other_id = pair.second if pair.first == group.group.id else pair.first
        findings.append(Finding(f"members that are in {other_id} too: {pair.shared}"))
    return sorted(findings, key=lambda finding: not finding.wrong)


def _values(groups: Sequence[GroupMeasures], duplicates: int, more: Values) -> dict[str, Values]:
    """The table of measures of one language, means over its groups: a column for clusters, and one per outlier class.

    ``duplicates`` is the number of pairs of near-duplicate groups, ``more`` has further values of clusters.
    """
    language = groups[0].group.language
    # Without any certificate (the class that proves an outlier) the recipe asked for none, so the share is unknown.
    certified = any(one.item.certificate is not None for group in groups for one in group.outliers)
    levels = LEVELS if any(one.group.level for one in groups) else ()
    columns: dict[str, Values] = {
        CLUSTER: {
            "groups": len(groups),
            **{f"groups of {level}": sum(one.group.level == level for one in groups) for level in levels},
            **_item_values([item for group in groups for item in group.group.cluster], language),
            "a surface form inside another": _mean(group.contained > 0 for group in groups),
            "equal surface forms": _mean(group.repeated > 0 for group in groups),
            "largest shared affix": _mean(group.shared_affix for group in groups),
            "in one further class": _mean(group.further_class for group in groups),
            "coherence": _mean(group.group.coherence for group in groups),
            "near-duplicate pairs": duplicates,
            "most frequent outlier": _most_frequent([one.item for group in groups for one in group.outliers]),
            **more,
        }
    }
    for number, column in COLUMNS.items():
        if outliers := [one for group in groups for one in group.outliers if one.item.outlier_class == number]:
            pairs = [same for group in groups for of_class, same in group.from_one_class if of_class == number]
            columns[column] = {**_outlier_values(outliers, language, certified), "pairs from one class": _mean(pairs)}
    return columns


def _outlier_values(outliers: Sequence[OutlierMeasures], language: str, certified: bool) -> Values:
    """The means of the measures of one class of outliers; ``certified`` if the recipe asked for certificates."""
    related = [one for one in outliers if one.relation is not None]
    known = [one.shared_classes for one in outliers if one.shared_classes is not None]
    return {
        **_item_values([one.item for one in outliers], language),
        "a surface form inside another": _mean(one.inside for one in outliers),
        "equal surface forms": _mean(one.repeats for one in outliers),
        "initial capital differs": _mean(one.capital_differs for one in outliers),
        "outside the members' lengths": _mean(one.outside_lengths for one in outliers),
        "distance": _mean(one.distance for one in outliers),
        "no path to the class": _mean(one.distance is None for one in related),
        "shares a class with a member": _mean(count > 0 for count in known),
        "the class, above or below it": sum(one.relation != "none" for one in related) if related else None,
        "instance of the class or below": _mean(one.below_class for one in outliers),
        "margin": _mean(one.item.margin for one in outliers),
        "certificate": _mean(one.item.certificate is not None if certified else None for one in outliers),
        "most frequent outlier": _most_frequent([one.item for one in outliers]),
    }


def _most_frequent(outliers: Sequence[Outlier]) -> float | None:
    """The share of the item, or of the surface form where ids are missing, that is most often an outlier."""
    counts = Counter(one.id or one.surface.casefold() for one in outliers)
    return max(counts.values()) / len(outliers) if outliers else None


def _item_values(items: Sequence[Member], language: str) -> Values:
    """How many items there are, the means of those whose facts are known, and the range of their item numbers."""
    shares, age = [item.page_share for item in items], age_of(items)
    of_known_source = [item for item in items if item.source is not None]
    return {
        "items": len(items),
        "page share": _mean(shares),
        f"page share below {LOW_PAGE_SHARE}": _mean(None if one is None else one < LOW_PAGE_SHARE for one in shares),
        "no link has the surface form": _mean(item.source != "anchor" for item in of_known_source),
        "label in another language": _mean(item.label_language not in {None, language} for item in of_known_source),
        **{f"item number, {name}": getattr(age, name, None) for name in ("lowest", "median", "highest")},
    }


def _mean(values: Iterable[float | None]) -> float | None:
    """The mean of the known values; for flags, the share of true ones."""
    known = [float(value) for value in values if value is not None]
    return fmean(known) if known else None
