"""Characters as a reader counts them: extended grapheme clusters (Unicode Standard Annex 29), not code points.

A mark belongs to its letter, consonants that a virama joins are one (GB9c), and so are joined emoji, flags and
conjoining jamo. The rules are those of the Unicode version that ``regex`` holds, which the manifest names.

>>> graphemes("ខេត្ត"), graphemes("นี่"), graphemes("क्षि")
(('ខេ', 'ត្ត'), ('นี่',), ('क्षि',))
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

import regex

_HAN: Final = regex.compile(r"\p{Script=Han}")
_CLUSTER: Final = regex.compile(r"\X")
# Characters that no other joins without a mark or a joiner, and that join none themselves.
_PLAIN: Final = regex.compile(r"[\p{GCB=Other}--\p{InCB=Linker}]*+", regex.V1)


@lru_cache(maxsize=1024)  # several rules read both ends of the same few surfaces
def graphemes(text: str) -> Sequence[str]:
    """Return the grapheme clusters of a string, in order; joined they give the string.

    The string itself if each of its code points is a cluster, so that slices are cheap.
    """
    if _PLAIN.fullmatch(text):
        return text
    return tuple(_CLUSTER.findall(text))


@lru_cache(maxsize=4096)
def is_han(cluster: str) -> bool:
    """Whether a grapheme cluster begins with a Han character (Unicode script property, iteration marks included)."""
    return _HAN.match(cluster) is not None


def initial_case(surface: str) -> str:
    """Return "capital" or "small" by the case of the first character; "" if it has none.

    >>> [initial_case(surface) for surface in ("Oslo", "oslo", "42nd Street", "東京")]
    ['capital', 'small', '', '']
    """
    first = surface[:1]
    if first.lower() != first:
        return "capital"
    return "small" if first.upper() != first else ""


def letter_pairs(surface: str) -> frozenset[str]:
    """Every two letters that follow each other, case ignored; a blank is before the first and after the last."""
    text = f" {surface.casefold()} "
    return frozenset(map("".join, pairwise(text)))
