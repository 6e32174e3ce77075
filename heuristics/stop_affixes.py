"""Rule ``stop-affix``: clusters with a page that has no subject, a category or a list (Blair et al. 2016, 3.1)."""

from collections.abc import Iterable, Sequence
from typing import Final

from heuristics.verdict import KEEP, Verdict, reject

REASON: Final = "stop-affix"


def judge_stop_affixes(surfaces: Sequence[str], stop_affixes: Sequence[str]) -> Verdict:
    """Reject when any surface starts or ends with one of the stop affixes (case kept)."""
    stops = tuple(stop_affixes)
    for surface in surfaces:
        if surface.startswith(stops) or surface.endswith(stops):
            found = next(stop for stop in stops if surface.startswith(stop) or surface.endswith(stop))
            return reject(REASON, f"{surface!r} has the stop affix {found!r}")
    return KEEP


def namespace_affixes(names: Iterable[str]) -> tuple[str, ...]:
    """The stop affixes that namespace names give, ``Name:`` each, sorted; the main namespace has no name, so none."""
    return tuple(sorted({f"{name.replace('_', ' ').strip()}:" for name in names if name.strip(" _")}))
