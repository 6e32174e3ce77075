"""Rule ``contained``: clusters in which one surface form is a part of another, as Riau is of Riau Islands.

Two such members have a word in common, and are alike to a model for that reason alone.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from wikisem.heuristics.rules.graphemes import graphemes
from wikisem.heuristics.rules.verdict import KEEP, Verdict, reject
from wikisem.heuristics.rules.words import words
from wikisem.wikipedia.languages import LanguageProfile

REASON: Final = "contained"

# A single character of a script without spaces is a part of many words that have nothing to do with it.
_SHORTEST: Final = 2


def check_contained(surfaces: Sequence[str], profile: LanguageProfile, number: int) -> Verdict:
    """Reject when at least ``number`` pairs of surfaces are one inside the other.

    As whole words, without case, in languages that write spaces; as at least two characters (grapheme clusters) in
    others: 東京 is in 東京都, and Rome is not in Romeo.
    """
    pairs = list(_pairs(surfaces, profile.spaced))
    if len(pairs) < number:
        return KEEP
    return reject(REASON, ", ".join(f"{inner!r} is in {outer!r}" for inner, outer in pairs))


def _pairs(surfaces: Sequence[str], spaced: bool) -> Iterator[tuple[str, str]]:
    split = [(surface, words(surface) if spaced else graphemes(surface)) for surface in surfaces]
    for (one, parts), (other, others) in combinations(split, 2):
        if _is_run(parts, others, spaced):
            yield one, other
        elif _is_run(others, parts, spaced):
            yield other, one


def _is_run(inner: Sequence[str], outer: Sequence[str], spaced: bool) -> bool:
    """Whether a sequence occurs in a longer one without a gap."""
    length = len(inner)
    if not (1 if spaced else _SHORTEST) <= length < len(outer):
        return False
    return any(outer[at : at + length] == inner for at in range(len(outer) - length + 1))
