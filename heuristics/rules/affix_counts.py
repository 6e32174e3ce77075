"""How often each beginning and each end occurs among the surface forms of a language: what ``affix`` is measured by."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from wikisem.wikipedia.graphemes import graphemes

# An affix has one to eight grapheme clusters; longer ones are shared by no more surface forms than their first eight.
LONGEST: Final = 8
# What fewer than one surface form in ten thousand has counts as if one in ten thousand had it: a sample cannot show how
# rare it is, and for any cluster it is rare enough.
RARE: Final = 1e-4

Graphemes = Sequence[str]
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
    counted at the next length, and memory is bounded by their number. Where code points are grapheme clusters, as in
    most surface forms, Arrow slices and counts them.
    """
    frequent: dict[str, int] = {}
    plain = pa.array([letters for letters in split if isinstance(letters, str)], pa.large_string())
    others = [letters for letters in split if not isinstance(letters, str)]
    for length in range(1, LONGEST + 1):
        plain = plain.filter(pc.greater_equal(pc.utf8_length(plain), length))
        others = [letters for letters in others if len(letters) >= length]
        found = _slice(plain, read, length)
        of_others = pa.array([read(letters, length) for letters in others], pa.large_string())
        counts = pc.value_counts(pa.concat_arrays([found, of_others]))
        often = counts.filter(pc.greater_equal(counts.field("counts"), least)).flatten()
        frequent.update(zip(*(column.to_pylist() for column in often), strict=True))
        plain = plain.filter(pc.is_in(found, often[0]))
        others = [letters for letters in others if read(letters, length) in frequent]
    return frequent


def _slice(texts: pa.Array, read: ReadAffix, length: int) -> pa.Array:
    """The affixes of strings that have at least so many code points, each a grapheme cluster."""
    return pc.utf8_slice_codeunits(texts, 0, length) if read is beginning else pc.utf8_slice_codeunits(texts, -length)
