"""What a rule says of a cluster."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a cluster is kept; if not, the rule's stable name and what broke it, for people."""

    keep: bool
    reason: str = ""
    detail: str = ""


KEEP: Final = Verdict(keep=True)


def reject(reason: str, detail: str) -> Verdict:
    """A verdict against a cluster."""
    return Verdict(keep=False, reason=reason, detail=detail)
