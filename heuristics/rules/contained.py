"""Rule ``contained``: clusters in which one surface form is a part of another, as Riau is of Riau Islands.

Two such members have a word in common, and are alike to a model for that reason alone.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from wikisem.heuristics.rules.graphemes import graphemes
from wikisem.heuristics.rules.verdict import KEEP, Verdict, reject
from wikisem.heuristics.rules.words import says_something, words
from wikisem.wikipedia.languages import LanguageProfile

REASON: Final = "contained"


def check_contained(surfaces: Sequence[str], profile: LanguageProfile, number: int) -> Verdict:
    """Reject when at least ``number`` pairs of surfaces are one inside the other.

    As whole words, without case, in languages that write spaces: Rome is not in Romeo. As characters in others, two Han
    characters or four of the rest at least: 東京 is in 東京都, but ボン is too short to be in リスボン.
    """
    pairs = list(_pairs(surfaces, profile))
    if len(pairs) < number:
        return KEEP
    return reject(REASON, ", ".join(f"{inner!r} is in {outer!r}" for inner, outer in pairs))


def _pairs(surfaces: Sequence[str], profile: LanguageProfile) -> Iterator[tuple[str, str]]:
    split = [(surface, words(surface) if profile.spaced else graphemes(surface)) for surface in surfaces]
    for pair in combinations(split, 2):
        (inner, parts), (outer, others) = sorted(pair, key=lambda each: len(each[1]))
        if (profile.spaced or says_something(parts, profile.script)) and _is_run(parts, others):
            yield inner, outer


def _is_run(inner: Sequence[str], outer: Sequence[str]) -> bool:
    """Whether a sequence occurs in a longer one without a gap."""
    length = len(inner)
    return 0 < length < len(outer) and any(outer[at : at + length] == inner for at in range(len(outer) - length + 1))
