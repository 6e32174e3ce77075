"""Rule ``stop-affix``: clusters with a page that has no subject, a category or a list (Blair et al. 2016, 3.1).

The affixes of list articles, such as "List of ", "Liste " or "一覧", are found in the titles of each Wikipedia.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final

from wikisem.heuristics.rules.wording import KEEP, Verdict, reject
from wikisem.wikipedia.graphemes import graphemes

# The rule.

_REST: Final = "…"  # at least one character of the surface


def check_stop_affixes(surfaces: Sequence[str], stop_affixes: Sequence[str]) -> Verdict:
    """Reject when any surface starts or ends with one of the stop affixes (case kept).

    An affix may be bound to one end: "…列表" only ends a longer surface, "List of …" only begins one.
    """
    bare = _bare(tuple(stop_affixes))
    for surface in surfaces:
        if not surface.startswith(bare) and not surface.endswith(bare):  # a fast test that most pass
            continue
        for affix in stop_affixes:
            begins = not affix.startswith(_REST) and surface.startswith(affix.removesuffix(_REST))
            ends = not affix.endswith(_REST) and surface.endswith(affix.removeprefix(_REST))
            if (begins or ends) and len(surface) >= len(affix):
                return reject("stop-affix", f"{surface!r} has the stop affix {affix!r}", [surface])
    return KEEP


@lru_cache(maxsize=64)  # one entry a language
def _bare(stop_affixes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(affix.strip(_REST) for affix in stop_affixes)


# What the titles of list articles have in common, and the titles of other articles do not.

LIST_ARTICLE: Final = "Q13406463"  # Wikimedia list article, whose instances are list articles

# Conservative on purpose, since one surface with a stop affix rejects a whole cluster: at least 20 lists and a tenth of
# all lists must share an affix, and at most one in a thousand other titles may have it.
SUPPORT: Final = 20
SHARE: Final = 0.1
RARE: Final = 0.001

# "List of " replaces "List " when nine tenths of the titles with "List " have it.
_EXTENDS: Final = 0.9

_WORDS: Final = 3
_CHARACTERS: Final = range(2, 9)
_FRONT: Final = re.compile(r"[^\s:]++:?\s*+")  # a word and the space after it; a colon ends a word too
_BACK: Final = re.compile(r"(?<!\s)\s*+\S++")


def common_affixes(lists: Iterable[str], others: Iterable[str], spaced: bool) -> tuple[str, ...]:
    """Return the stop affixes of list articles, such as "List of …" or "…一覧"; none if too few are known.

    ``lists`` and ``others`` are titles of one wiki, without newlines; ``spaced`` says whether its language puts spaces
    between words. The answer does not depend on the order of either.
    """
    titles = sorted(set(lists))
    rest = list(others)
    text = "\n".join(["", *rest, ""])  # counting in one string is many times faster than title by title
    lengths = range(1, _WORDS + 1) if spaced else _CHARACTERS
    fronts = [_FRONT.findall(title) if spaced else graphemes(title) for title in titles]
    backs = [_BACK.findall(title) if spaced else graphemes(title) for title in titles]
    prefixes = Counter("".join(parts[:length]) for parts in fronts for length in lengths if length < len(parts))
    suffixes = Counter("".join(parts[-length:]) for parts in backs for length in lengths if length < len(parts))
    enough, rare = max(SUPPORT, SHARE * len(titles)), RARE * len(rest)
    often = {affix: n for affix, n in prefixes.items() if n >= enough and text.count(f"\n{affix}") <= rare}
    found = [f"{affix}…" for affix in _fewest(often, str.startswith)]
    often = {affix: n for affix, n in suffixes.items() if n >= enough and text.count(f"{affix}\n") <= rare}
    return tuple(sorted([*found, *(f"…{affix}" for affix in _fewest(often, str.endswith))]))


def _fewest(counts: dict[str, int], extends: Callable[[str, str], bool]) -> list[str]:
    """Of affixes that extend one another, the longest one that nearly all share, or else the shortest."""
    settled = [
        affix
        for affix, n in counts.items()
        if not any(other != affix and extends(other, affix) and counts[other] >= _EXTENDS * n for other in counts)
    ]
    return [affix for affix in settled if not any(other != affix and extends(affix, other) for other in settled)]
