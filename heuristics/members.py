"""Which instances stand for a class: σᵢ of Blair et al. (2016, equation 16)."""

from collections.abc import Iterable

from wikisem.ids import qid_number
from wikisem.records import Member


def choose_members(candidates: Iterable[Member], size: int) -> tuple[Member, ...]:
    """Fix the ``size`` most prominent of the instances that have a surface form, then merge equal surfaces."""
    return merge_surfaces(rank_members(candidates)[:size])


def rank_members(candidates: Iterable[Member]) -> list[Member]:
    """Most sitelinks first; ties by the lower QID, compared as numbers."""
    return sorted(candidates, key=lambda member: (-member.sitelinks, qid_number(member.id)))


def merge_surfaces(ranked: Iterable[Member]) -> tuple[Member, ...]:
    """Each surface once (case-sensitive), under its best ranked item; nobody moves up in place of the others."""
    kept: dict[str, Member] = {}
    for member in ranked:
        kept.setdefault(member.surface, member)
    return tuple(kept.values())
