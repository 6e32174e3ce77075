"""The measures of one group: of its cluster, and of each of its outliers; None is what cannot be known of it.

A worked example: the cluster {Oslo, Bern} of *city* with the outlier Rhine. Oslo and Bern are also *capitals*, so that
coherence is 1; the Rhine is a *river*, two steps from *city* over *place*, and shares no class with either.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal, Protocol

from wikisem.evaluation.audit.items import AuditGroup, AuditItem
from wikisem.evaluation.audit.surfaces import capital_differs, outside_lengths, repeated, shared_affix
from wikisem.heuristics.rules.contained import is_contained, parts_of_others
from wikisem.wikipedia.languages import LanguageProfile

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
    """Measures of a group. ``coherence`` is the largest share of members in one further class.

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
    coherence: float | None = None


def measure_group(group: AuditGroup, profile: LanguageProfile, graph: Classes | None = None) -> GroupMeasures:
    """All measures of a group that its data set and the graph, if there is one, allow."""
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
        known.coherence() if known else None,
    )


def age_of(items: Iterable[AuditItem]) -> Age | None:
    """The lowest, the median and the highest item number; None where no item is known."""
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
    for number in (1, 2, 3):
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

    def coherence(self) -> float:
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
