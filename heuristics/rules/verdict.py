"""The verdict of a rule on a cluster, and what several rules ask: how many surfaces have something in common."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a cluster is kept; if not, the rule's stable name and, for people, what broke it."""

    keep: bool
    reason: str = ""
    detail: str = ""


KEEP: Final = Verdict(keep=True)


def reject(reason: str, detail: str) -> Verdict:
    """A verdict against a cluster."""
    return Verdict(keep=False, reason=reason, detail=detail)


def largest_sharing(surfaces: Iterable[str], key: Callable[[str], str | None]) -> tuple[str, list[str]]:
    """The key that most surfaces share and those surfaces, in their order; the earliest key wins a tie.

    Surfaces whose key is None are ignored. If no others are left, the answer is an empty key and no surfaces.

    >>> largest_sharing(["oak", "oak tree", "elm"], lambda surface: surface.split()[0])
    ('oak', ['oak', 'oak tree'])
    """
    sharing: dict[str, list[str]] = {}
    for surface in surfaces:
        shared = key(surface)
        if shared is not None:
            sharing.setdefault(shared, []).append(surface)
    return max(sharing.items(), key=lambda entry: len(entry[1]), default=("", []))
