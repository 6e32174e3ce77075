"""The measures of a group: of its cluster, and of each of its outliers; None if a measure is unknown.

In the cluster {Oslo, Bern} of *city* with the outlier Rhine, Oslo and Bern are also *capitals*, so that all of them are
in one further class; the Rhine is a *river*, two steps from *city* over *place*, and shares no class with either.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal, NamedTuple, Protocol

from wikisem.datasets.word_groups import ItemKeys, WordGroup
from wikisem.evaluation.outlier_detection import UNKNOWN
from wikisem.heuristics.rules.cluster import agreed_case, differs_in_case
from wikisem.heuristics.rules.wording import is_contained, parts_of_others
from wikisem.heuristics.selection.kept_groups import EarlierClusters
from wikisem.ids import is_qid, qid_number
from wikisem.records import Group, Member, Outlier
from wikisem.wikipedia.graphemes import graphemes, initial_case
from wikisem.wikipedia.languages import LanguageProfile

# What is read: groups of a run with all that is known of their members, or released text with words alone.


@dataclass(frozen=True, slots=True)
class AuditItem:
    """A member or an outlier: its surface form and other facts; None for facts that the data set does not have.

    ``page_share`` is P(page | surface), ``by_link`` whether links gave the surface form, ``own_language`` whether it is
    in the group's language. ``outlier_class`` is 0 for members of the cluster.
    """

    surface: str
    outlier_class: int | None
    qid: str | None = None
    via: str | None = None
    page_share: float | None = None
    by_link: bool | None = None
    own_language: bool | None = None
    sitelinks: int | None = None
    page_links: int | None = None
    surface_links: int | None = None
    margin: float | None = None

    @property
    def number(self) -> int | None:
        """The item number: items are numbered in the order of their creation."""
        return qid_number(self.qid) if self.qid else None


@dataclass(frozen=True, slots=True)
class AuditGroup:
    """A test group; ``id`` is its class, or the name of its file where that is no QID, ``label`` that of its class."""

    id: str
    language: str
    cluster: tuple[AuditItem, ...]
    outliers: tuple[AuditItem, ...]
    coherence: float | None = None
    label: str = ""

    @property
    def name(self) -> str:
        """What tables call it: the label with the id, or the id alone."""
        return f"{self.label} ({self.id})" if self.label else self.id

    @property
    def qid(self) -> str | None:
        """The class, if the data set names it."""
        return self.id if is_qid(self.id) else None

    @classmethod
    def of_group(cls, group: Group) -> "AuditGroup":
        """A group of a run."""
        cluster, outliers = (
            tuple(_item(member, group.language) for member in members) for members in (group.cluster, group.outliers)
        )
        return cls(group.qid, group.language, cluster, outliers, group.coherence, group.label)

    @classmethod
    def of_words(cls, group: WordGroup) -> "AuditGroup":
        """A group of a released set; ``_`` is read as a space."""
        keys = group.keys or (ItemKeys(),) * len(group.cluster)
        cluster = tuple(_of_words(*each, 0) for each in zip(group.cluster, keys, strict=True))
        outliers = tuple(_of_words(one.surface, one.keys, one.outlier_class) for one in group.outliers)
        return cls(group.id, group.language or UNKNOWN, cluster, outliers, label=group.label)


def _item(member: Member, language: str) -> AuditItem:
    outlier = member if isinstance(member, Outlier) else None
    return AuditItem(
        member.surface,
        outlier.outlier_class if outlier else 0,
        member.id,
        outlier.via if outlier else None,
        member.page_share,
        member.source == "anchor",
        member.label_language in {None, language},
        member.sitelinks,
        member.total,
        member.links,
        outlier.margin if outlier else None,
    )


def _of_words(surface: str, known: ItemKeys, outlier_class: int | None) -> AuditItem:
    return AuditItem(
        surface.replace("_", " "),
        outlier_class,
        sitelinks=known.sitelinks,
        page_links=known.page_links,
        surface_links=known.surface_links,
    )


# What is measured.

Relation = Literal["itself", "above", "below", "none"]


class Classes(Protocol):
    """The class graph, as ``wikisem.graph.taxonomy.Taxonomy`` has it."""

    def classes(self, qid: str) -> list[str]:
        """The direct classes of an item."""

    def above(self, qid: str) -> list[str]:
        """All superclasses of a class."""

    def below(self, qid: str) -> list[str]:
        """All subclasses of a class."""

    def distance(self, one: str, other: str) -> int | None:
        """Steps between two classes; None where no path leads."""

    def __contains__(self, qid: str) -> bool:
        """Whether the graph holds an item."""


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

    item: AuditItem
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
    each outlier class with two outliers or more whether some two of them have a direct class in common.
    """

    group: AuditGroup
    contained: int
    repeated: int
    shared_affix: float
    age: Age | None
    outliers: tuple[OutlierMeasures, ...]
    from_one_class: tuple[tuple[int, bool], ...] = ()
    further_class: float | None = None


def measure_group(group: AuditGroup, profile: LanguageProfile, graph: Classes | None = None) -> GroupMeasures:
    """All measures of a group that can be computed from its data set and the graph, if there is one."""
    surfaces = [item.surface for item in group.cluster]
    known = None if graph is None or group.qid is None else _InGraph(group, graph)
    return GroupMeasures(
        group,
        sum(1 for _ in parts_of_others(surfaces, profile)),
        repeated(surfaces),
        shared_affix(surfaces, profile.spaced),
        age_of(group.cluster),
        tuple(_measure_outlier(outlier, surfaces, profile, known) for outlier in group.outliers),
        _from_one_class(group, graph),
        known.further_class() if known else None,
    )


def age_of(items: Iterable[AuditItem]) -> Age | None:
    """The lowest, the median and the highest item number; None if no item is known."""
    numbers = [number for item in items if (number := item.number) is not None]
    return Age(min(numbers), median(numbers), max(numbers)) if numbers else None


def _measure_outlier(
    outlier: AuditItem, cluster: Sequence[str], profile: LanguageProfile, known: "_InGraph | None"
) -> OutlierMeasures:
    surface = outlier.surface
    inside = any(is_contained(surface, one, profile) for one in cluster)
    repeats = surface.casefold() in {one.casefold() for one in cluster}
    from_words = (outlier, inside, repeats, capital_differs(surface, cluster), outside_lengths(surface, cluster))
    if known is None or outlier.qid is None:
        return OutlierMeasures(*from_words)
    own = known.classes(outlier.qid)
    return OutlierMeasures(
        *from_words, known.distance(own), known.shared(own), known.relation(outlier.qid), known.is_below(own)
    )


def _from_one_class(group: AuditGroup, graph: Classes | None) -> tuple[tuple[int, bool], ...]:
    """For each outlier class with a pair: whether it has a direct class in common, or without a graph came via one."""
    found = []
    for number in (1, 2, 3):  # related outliers come one by one
        items = [item for item in group.outliers if item.outlier_class == number and item.qid]
        if len(items) > 1:
            lists = [_classes(graph, item.qid) if graph else {item.via} for item in items]
            found.append((number, max(Counter(one for own in lists for one in own).values(), default=0) > 1))
    return tuple(found)


def _classes(graph: Classes, qid: str | None) -> set[str]:
    return set(graph.classes(qid)) if qid and qid in graph else set()


class _InGraph:
    """A group's class and members in the graph, looked up once for all of its outliers."""

    def __init__(self, group: AuditGroup, graph: Classes) -> None:
        assert group.qid is not None
        self._graph, self._qid = graph, group.qid
        known = self._qid in graph
        self._above, self._below = (
            (set(graph.above(self._qid)), set(graph.below(self._qid))) if known else (set(), set())
        )
        self._known = known
        self._members = [self.classes(item.qid) - {self._qid} for item in group.cluster]

    def classes(self, qid: str | None) -> set[str]:
        return _classes(self._graph, qid)

    def further_class(self) -> float:
        counts = Counter(one for own in self._members for one in own)
        return max(counts.values(), default=0) / len(self._members)

    def shared(self, own: set[str]) -> int:
        return len(own & set().union(*self._members))

    def distance(self, own: set[str]) -> int | None:
        steps = (self._graph.distance(self._qid, one) for one in own) if self._known else ()
        return min((step for step in steps if step is not None), default=None)

    def relation(self, qid: str) -> Relation:
        if qid == self._qid:
            return "itself"
        return "above" if qid in self._above else "below" if qid in self._below else "none"

    def is_below(self, own: set[str]) -> bool:
        return bool(own & {self._qid, *self._below})


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
    ends = (Counter(part[at] for part in parts if part) for at in (0, -1))
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


def near_duplicates(groups: Sequence[AuditGroup]) -> list[Pair]:
    """Pairs of groups in one language that share at least half of the smaller cluster, most shared members first.

    Five classes of Czech municipalities share seven of eight items.

    Members are compared by item, or by surface form if a data set does not name the item.
    """
    return sorted(_pairs(groups), key=lambda pair: (-pair.shared, pair))


def _pairs(groups: Sequence[AuditGroup]) -> Iterator[Pair]:
    clusters = [{item.qid or item.surface.casefold() for item in group.cluster} for group in groups]
    earlier: defaultdict[str, EarlierClusters] = defaultdict(EarlierClusters)
    for number, (group, own) in enumerate(zip(groups, clusters, strict=True)):
        for other, count in earlier[group.language].shared(own).items():
            if 2 * count >= min(len(clusters[other]), len(own)):
                yield Pair(group.language, groups[other].id, group.id, count)
        earlier[group.language].add(number, own)
