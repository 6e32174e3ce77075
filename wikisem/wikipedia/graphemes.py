"""Characters as a reader counts them: extended grapheme clusters (Unicode Standard Annex 29), not code points.

The rule is that of Unicode 18.0, whichever version Python and its packages have: a mark belongs to its letter,
consonants that a virama joins are one (GB9c), and so are joined emoji, flags and conjoining jamo.

>>> graphemes("ខេត្ត"), graphemes("นี่"), graphemes("क्षि")
(('ខេ', 'ត្ត'), ('นี่',), ('क्षि',))
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final

import regex

from wikisem.wikipedia.data.grapheme_breaks import (
    CONSONANT,
    CONTROL,
    EXTEND,
    LINKER,
    PICTOGRAPHIC,
    PREPEND,
    SPACING,
    VOWEL,
    Ranges,
)

_HAN: Final = regex.compile(r"\p{Script=Han}")

_REGIONAL: Final = ((0x1F1E6, 0x1F1FF),)
_LEADING: Final = ((0x1100, 0x115F), (0xA960, 0xA97C))
_TRAILING: Final = ((0x11A8, 0x11FF), (0xD7CB, 0xD7FB))
_SYLLABLES: Final = ((0xAC00, 0xD7A3),)
# Syllables that end in a vowel are every 28th of their block; only these take a vowel after them.
_OPEN: Final = tuple((syllable, syllable) for syllable in range(0xAC00, 0xD7A4, 28))
_ZWJ: Final = ((0x200D, 0x200D),)
_END: Final = 0x10FFFF
# Up to here a character class is a bitmap, beyond it a list that is searched.
_BITMAP: Final = 0xFFFF


def _inside(*properties: Ranges, last: int) -> str:
    """The inside of a regular expression's character class, for code points up to ``last``."""
    known = (f"\\U{first:08x}-\\U{min(end, last):08x}" for each in properties for first, end in each if first <= last)
    return "".join(known)


def _rules(last: int) -> str:
    """The rules of the annex for text whose code points are at most ``last``."""
    control, prepend, extend = (_inside(each, last=last) for each in (CONTROL, PREPEND, EXTEND))
    marks = f"[{_inside(EXTEND, SPACING, _ZWJ, last=last)}]*"
    leading, vowel, trailing, closed, opened = (
        f"[{_inside(each, last=last)}]" for each in (_LEADING, VOWEL, _TRAILING, _SYLLABLES, _OPEN)
    )
    hangul = f"{leading}*(?:{opened}{vowel}*|{closed}|{vowel}+){trailing}*|{leading}+|{trailing}+"
    pictograph = f"[{_inside(PICTOGRAPHIC, last=last)}]"
    emoji = f"{pictograph}(?:[{extend}]*\\u200d{pictograph})*"
    # Marks that join, among them a linker. Possessive, so that endless marks are looked at only once.
    consonant, linker = f"[{_inside(CONSONANT, last=last)}]", f"[{_inside(LINKER, last=last)}]"
    joined = f"(?!\\u200c)[{extend}\\u200d]"
    conjunct = f"{consonant}(?:(?:(?!{linker}){joined})*+(?={linker})(?:{joined})++{consonant})*+"
    flag = f"[{_inside(_REGIONAL, last=last)}]{{2}}|" if last > _BITMAP else ""
    every = f"[{prepend}]*(?:{flag}{hangul}|{emoji}|{conjunct}|[^{control}]){marks}|[{prepend}]+{marks}"
    # Most are a letter or consonants with their marks: these come first.
    special = (CONTROL, PREPEND, PICTOGRAPHIC, CONSONANT, _LEADING, VOWEL, _TRAILING, _SYLLABLES, _REGIONAL)
    common = f"[^{_inside(*special, last=last)}]{marks}|{conjunct}{marks}"
    return f"{common}|\\r\\n|[{control}]|{every}"


# Where no character joins another, each code point is a grapheme cluster.
_JOINING: Final = _inside(PREPEND, EXTEND, SPACING, _ZWJ, _LEADING, VOWEL, _TRAILING, last=_BITMAP)
_PLAIN: Final = re.compile(f"[^\r{_JOINING}\U00010000-\U0010ffff]*")


@cache  # compiled when first needed, since every command imports this module, and few divide text
def _clusters(last: int) -> re.Pattern[str]:
    return re.compile(_rules(last), re.DOTALL)


@lru_cache(maxsize=1024)  # several rules read both ends of the same few surfaces
def graphemes(text: str) -> Sequence[str]:
    """The grapheme clusters of a string, in order; joined they give the string.

    The string itself if each of its code points is a cluster, so that slices are cheap.
    """
    if _PLAIN.fullmatch(text):
        return text
    return tuple(_clusters(_BITMAP if ord(max(text)) <= _BITMAP else _END).findall(text))


@lru_cache(maxsize=4096)
def is_han(cluster: str) -> bool:
    """Whether a grapheme cluster begins with a Han character (Unicode script property, iteration marks included)."""
    return _HAN.match(cluster) is not None


def initial_case(surface: str) -> str:
    """ "capital", "small", or "" where the first character has no case.

    >>> [initial_case(surface) for surface in ("Oslo", "oslo", "42nd Street", "東京")]
    ['capital', 'small', '', '']
    """
    first = surface[:1]
    if first.lower() != first:
        return "capital"
    return "small" if first.upper() != first else ""
