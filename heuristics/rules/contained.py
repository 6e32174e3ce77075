"""Rule ``contained``: clusters in which one surface form is a part of another, as Riau is of Riau Islands.

Two such members have a word in common, and are alike to a model for that reason alone.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from wikisem.heuristics.rules.verdict import KEEP, Verdict, reject
from wikisem.heuristics.rules.words import says_something, words
from wikisem.wikipedia.graphemes import graphemes
from wikisem.wikipedia.languages import LanguageProfile


def check_contained(surfaces: Sequence[str], profile: LanguageProfile, number: int) -> Verdict:
    """Reject when at least ``number`` pairs of surfaces are one inside the other.

    As whole words, without case, in languages that write spaces: Rome is not in Romeo. As characters in others, two Han
    characters or four of the rest at least: 東京 is in 東京都, but ボン is too short to be in リスボン.
    """
    pairs = list(parts_of_others(surfaces, profile))
    if len(pairs) < number:
        return KEEP
    return reject("contained", ", ".join(f"{inner!r} is in {outer!r}" for inner, outer in pairs))


def parts_of_others(surfaces: Sequence[str], profile: LanguageProfile) -> Iterator[tuple[str, str]]:
    """Each surface that is inside another one, and that one, the shortest first."""
    marked = sorted(((_marked(surface, profile), surface) for surface in surfaces), key=lambda each: len(each[0]))
    for (part, inner), (whole, outer) in combinations(marked, 2):
        if part in whole and part and part != whole:
            yield inner, outer


def is_contained(one: str, other: str, profile: LanguageProfile) -> bool:
    """Whether one of two surfaces is inside the other."""
    return any(parts_of_others([one, other], profile))


def _marked(surface: str, profile: LanguageProfile) -> str:
    """The words or characters of a surface with a mark at each border, so that a part is a part of the string.

    Empty where it is too short to be a part of anything.
    """
    parts = words(surface) if profile.spaced else graphemes(surface)
    enough = bool(parts) if profile.spaced else says_something(parts, profile.script)
    return "\n".join(["", *parts, ""]) if enough else ""
