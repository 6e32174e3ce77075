"""What is wrong with a group, in words, and the order of groups: worst first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from wikisem.evaluation.audit.measures import GroupMeasures, OutlierMeasures
from wikisem.evaluation.audit.near_duplicates import Pair

# Below this, most links with a surface form lead to another page than the item's.
LOW_PAGE_SHARE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a careful reader would object to; ``wrong`` if it makes a test case wrong by itself."""

    text: str
    wrong: bool = False


def findings_of(group: GroupMeasures, pairs: Sequence[Pair] = ()) -> list[Finding]:
    """All findings of a group, wrong test cases first; ``pairs`` are the near-duplicates that it is part of."""
    found = [finding for outlier in group.outliers for finding in _of_outlier(outlier)]
    found.extend(_of_cluster(group))
    for pair in pairs:
        other = pair.second if pair.first == group.group.id else pair.first
        found.append(Finding(f"members that are in {other} too: {pair.shared}"))
    return sorted(found, key=lambda finding: not finding.wrong)


def _of_outlier(one: OutlierMeasures) -> Iterator[Finding]:
    name = f"{one.item.surface} ({one.item.qid})" if one.item.qid else one.item.surface
    if one.relation == "itself":
        yield Finding(f"{name} is the class itself", wrong=True)
    elif one.relation in {"above", "below"}:
        yield Finding(f"{name} is a class {one.relation} it", wrong=True)
    if one.below_class:
        yield Finding(f"{name} is an instance of the class, or of one below it", wrong=True)
    if one.repeats:
        yield Finding(f"{name} has the surface form of a member", wrong=True)
    if one.shared_classes:
        yield Finding(f"{name} shares a class with a member")
    if one.inside:
        yield Finding(f"{name} is inside the surface form of a member, or has one inside")
    if one.capital_differs:
        yield Finding(f"{name} differs in its initial capital from all members")
    if one.item.page_share is not None and one.item.page_share < LOW_PAGE_SHARE:
        yield Finding(f"{name} most often means another page ({one.item.page_share:.2f})")


def _of_cluster(group: GroupMeasures) -> Iterator[Finding]:
    if group.repeated:
        yield Finding("members have the same surface form")
    if group.contained:
        yield Finding("a member's surface form is inside another's")
    for item in group.group.cluster:
        if item.page_share is not None and item.page_share < LOW_PAGE_SHARE:
            yield Finding(f"member {item.surface} most often means another page ({item.page_share:.2f})")
        if item.own_language is False:
            yield Finding(f"member {item.surface} is a label in another language")
