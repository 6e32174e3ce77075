"""What surface forms alone can give away: all that can be measured of a set that was released as text."""

from collections import Counter
from collections.abc import Sequence

from wikisem.wikipedia.graphemes import graphemes


def is_inside(inner: str, outer: str, spaced: bool) -> bool:
    """Whether one surface form is part of another, case ignored: in whole words where a language has spaces.

    >>> is_inside("Riau", "Riau Islands", spaced=True), is_inside("Ria", "Riau Islands", spaced=True)
    (True, False)
    >>> is_inside("東京", "東京都", spaced=False)
    True
    """
    one, other = inner.casefold(), outer.casefold()
    if one == other:
        return False
    return f" {one} " in f" {other} " if spaced else one in other


def starts_upper(surface: str) -> bool | None:
    """Whether the first letter is a capital; None where it has no case, as in Arabic, Chinese or "3M".

    >>> starts_upper("Oslo"), starts_upper("oak"), starts_upper("東京")
    (True, False, None)
    """
    first = surface[:1]
    return first.isupper() if first.upper() != first.lower() else None


def capital_differs(surface: str, cluster: Sequence[str]) -> bool | None:
    """Whether the initial gives an outlier away: all members that have case agree, and it differs; None if unknown.

    >>> capital_differs("oak", ["Oslo", "Rome"]), capital_differs("oak", ["Oslo", "elm"])
    (True, False)
    >>> capital_differs("東", ["Oslo"]) is None
    True
    """
    own, others = starts_upper(surface), {starts_upper(one) for one in cluster} - {None}
    return None if own is None or not others else others == {not own}


def outside_lengths(surface: str, cluster: Sequence[str]) -> bool:
    """Whether a surface form is shorter or longer, in grapheme clusters, than every member.

    >>> outside_lengths("Ur", ["Rome", "Kyoto"]), outside_lengths("Lima", ["Rome", "Kyoto"])
    (True, False)
    """
    lengths = [len(graphemes(one)) for one in cluster]
    return not min(lengths) <= len(graphemes(surface)) <= max(lengths)


def shared_affix(surfaces: Sequence[str], spaced: bool) -> float:
    """The largest share of surface forms that begin or end alike: with the same word, or without spaces character.

    >>> shared_affix(["North Sea", "Red Sea", "Baltic"], spaced=True)
    0.6666666666666666
    """
    parts = [surface.casefold().split() if spaced else list(graphemes(surface)) for surface in surfaces]
    ends = (Counter(part[at] for part in parts if part) for at in (0, -1))
    largest = max(max(count.values(), default=0) for count in ends)
    return largest / len(surfaces) if largest > 1 else 0.0


def repeated(surfaces: Sequence[str]) -> int:
    """How many surface forms are there already, case ignored.

    >>> repeated(["Rome", "rome", "Oslo"])
    1
    """
    return len(surfaces) - len({surface.casefold() for surface in surfaces})
