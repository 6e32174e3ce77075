"""Which instances stand for a class: the fixed few of σᵢ (Blair et al. 2016, equation 16), each surface form once."""

from collections.abc import Iterable

from wikisem.records import Member


def merge_surfaces(ranked: Iterable[Member]) -> tuple[Member, ...]:
    """Each surface once (case-sensitive), under its best ranked item; nobody moves up in place of the others."""
    kept: dict[str, Member] = {}
    for member in ranked:
        kept.setdefault(member.surface, member)
    return tuple(kept.values())
