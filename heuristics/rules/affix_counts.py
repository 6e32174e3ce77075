"""How often each beginning and each end occurs among the surface forms of a language: what ``affix`` is measured by."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from wikisem.wikipedia.graphemes import graphemes

# An affix has one to eight grapheme clusters; longer ones are shared by no more surface forms than their first eight.
LONGEST: Final = 8
# What fewer than one surface form in ten thousand has counts as if one in ten thousand had it: a sample cannot show how
# rare it is, and for any cluster it is rare enough.
RARE: Final = 1e-4

Graphemes = tuple[str, ...]
# The affix of a given length at one side, or None where there are fewer grapheme clusters.
ReadAffix = Callable[[Graphemes, int], str | None]


@dataclass(frozen=True, slots=True)
class AffixCounts:
    """Of ``total`` surface forms of a language, how many begin and how many end with each affix that is not rare."""

    total: int
    beginnings: Mapping[str, int]
    ends: Mapping[str, int]


def count_affixes(surfaces: Iterable[str]) -> AffixCounts:
    """The affixes of some surface forms, without those that fewer than ``RARE`` of them have.

    >>> counts = count_affixes(["Bonn", "Bern", "Rom"])
    >>> counts.total, counts.beginnings["B"], counts.beginnings["Be"], counts.ends["n"]
    (3, 2, 1, 2)
    """
    split = [graphemes(surface) for surface in surfaces]
    least = RARE * len(split)
    return AffixCounts(len(split), _frequent(split, beginning, least), _frequent(split, end, least))


def beginning(letters: Graphemes, length: int) -> str | None:
    """The first ``length`` grapheme clusters.

    >>> beginning(("ш", "а", "р"), 2), beginning(("ш",), 2)
    ('ша', None)
    """
    return "".join(letters[:length]) if len(letters) >= length else None


def end(letters: Graphemes, length: int) -> str | None:
    """The last ``length`` grapheme clusters."""
    return "".join(letters[-length:]) if len(letters) >= length else None


def _frequent(split: Sequence[Graphemes], read: ReadAffix, least: float) -> dict[str, int]:
    """Affix -> count, one length after another.

    An affix is no more frequent than the shorter one that it extends. So only surface forms that had a frequent one are
    counted at the next length, and memory is bounded by their number.
    """
    frequent: dict[str, int] = {}
    left = list(split)
    for length in range(1, LONGEST + 1):
        found = [read(letters, length) for letters in left]
        counts = Counter(affix for affix in found if affix is not None)
        frequent.update((affix, count) for affix, count in counts.items() if count >= least)
        left = [letters for letters, affix in zip(left, found, strict=True) if affix in frequent]
    return frequent
