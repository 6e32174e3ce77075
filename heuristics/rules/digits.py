"""Rule ``digits``: clusters whose surfaces differ in numbers only (Blair et al. 2016, 3.1: "January 2010", ...)."""

import re
from collections.abc import Sequence
from typing import Final

from wikisem.heuristics.rules.verdict import KEEP, Verdict, largest_sharing, reject

_DIGITS: Final = re.compile(r"\d")  # decimal digits of every script (Unicode category Nd)


def check_digits(surfaces: Sequence[str], number: int | None) -> Verdict:
    """Reject when at least ``number`` surfaces are identical once every digit is removed; None switches it off."""
    if number is None:
        return KEEP
    stem, sharing = largest_sharing(surfaces, without_digits)
    if len(sharing) < number:
        return KEEP
    return reject("digits", f"{len(sharing)} read {stem!r} without digits: {', '.join(sharing)}")


def without_digits(surface: str) -> str:
    """The surface with every decimal digit removed."""
    return _DIGITS.sub("", surface)
