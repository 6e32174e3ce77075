"""Rule ``stop-affix``: clusters with a page that has no subject, a category or a list (Blair et al. 2016, 3.1)."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from wikisem.heuristics.rules.verdict import KEEP, Verdict, reject

_REST: Final = "…"  # at least one character of the surface


def check_stop_affixes(surfaces: Sequence[str], stop_affixes: Sequence[str]) -> Verdict:
    """Reject when any surface starts or ends with one of the stop affixes (case kept).

    An affix may be bound to one end: "…列表" only ends a longer surface, "List of …" only begins one.
    """
    bare = _bare(tuple(stop_affixes))
    for surface in surfaces:
        if surface.startswith(bare) or surface.endswith(bare):  # a fast test that rarely passes
            found = next((affix for affix in stop_affixes if _has_affix(surface, affix)), None)
            if found is not None:
                return reject("stop-affix", f"{surface!r} has the stop affix {found!r}")
    return KEEP


@lru_cache(maxsize=64)  # one entry a language
def _bare(stop_affixes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(affix.strip(_REST) for affix in stop_affixes)


def _has_affix(surface: str, affix: str) -> bool:
    if affix.startswith(_REST):
        return len(surface) >= len(affix) and surface.endswith(affix[1:])
    if affix.endswith(_REST):
        return len(surface) >= len(affix) and surface.startswith(affix[:-1])
    return surface.startswith(affix) or surface.endswith(affix)
