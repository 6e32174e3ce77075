"""Rule ``length-one``: clusters such as the letters of an alphabet (Blair et al. 2016, 3.1)."""

from collections.abc import Sequence

from wikisem.heuristics.rules.verdict import KEEP, Verdict, reject
from wikisem.wikipedia.graphemes import graphemes


def check_length_one(surfaces: Sequence[str], number: int | None) -> Verdict:
    """Reject when at least ``number`` surfaces are one character (grapheme cluster) long; None switches it off."""
    if number is None:
        return KEEP
    short = [surface for surface in surfaces if len(graphemes(surface)) == 1]
    if len(short) < number:
        return KEEP
    return reject("length-one", f"{len(short)} are one character long: {', '.join(short)}")
