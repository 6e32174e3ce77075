"""Rule ``stop-affix``: clusters with a page that has no subject, a category or a list (Blair et al. 2016, 3.1)."""

from collections.abc import Iterable, Sequence
from typing import Final

from heuristics.verdict import KEEP, Verdict, reject

REASON: Final = "stop-affix"


def judge_stop_affixes(surfaces: Sequence[str], stop_affixes: Sequence[str]) -> Verdict:
    """Reject when any surface starts or ends with one of the stop affixes (case kept)."""
    for surface in surfaces:
        for affix in stop_affixes:
            if surface.startswith(affix) or surface.endswith(affix):
                return reject(REASON, f"{surface!r} has the stop affix {affix!r}")
    return KEEP


def namespace_affixes(names: Iterable[str]) -> tuple[str, ...]:
    """The stop affixes that namespace names give, ``Name:`` each, sorted; the main namespace has no name, so none."""
    return tuple(sorted({f"{name.replace('_', ' ').strip()}:" for name in names if name.strip(" _")}))
