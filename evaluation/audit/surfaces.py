"""What surface forms alone can give away: all that can be measured of a set that was released as text."""

from collections import Counter
from collections.abc import Sequence

from wikisem.heuristics.rules.outlier import agreed_case, differs_in_case
from wikisem.wikipedia.graphemes import graphemes, initial_case


def capital_differs(surface: str, cluster: Sequence[str]) -> bool | None:
    """Whether the initial gives an outlier away: all members agree in its case, and it differs.

    None where the outlier or the whole cluster has no case, as in Arabic, Chinese or "3M".

    >>> capital_differs("oak", ["Oslo", "Rome"]), capital_differs("oak", ["Oslo", "elm"])
    (True, False)
    >>> capital_differs("東", ["Oslo"]) is None
    True
    """
    if not initial_case(surface) or not any(map(initial_case, cluster)):
        return None
    return differs_in_case(surface, agreed_case(cluster))


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
