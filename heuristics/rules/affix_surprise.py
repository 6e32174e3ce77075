"""Rule ``affix`` by surprise: beginnings and ends that chance would hardly give to so many surface forms of a cluster.

Four of eight that begin with "The" are little wonder in English, four that begin with "Zw" are one. The measure is the
binomial tail: where a share p of the language's surface forms has the affix, how likely is it that at least k of n
drawn at random have it? That needs neither words nor a length for each script: all affixes of one to eight grapheme
clusters are compared, blanks included.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import inf, log10
from typing import Final

from scipy.special import bdtrc

from wikisem.heuristics.rules.affix_counts import LONGEST, RARE, AffixCounts, ReadAffix, beginning, end
from wikisem.heuristics.rules.verdict import KEEP, Verdict, reject
from wikisem.wikipedia.graphemes import graphemes

# As in every other form of the rule, an affix counts from four surface forms on.
SHARED: Final = 4
# -log10 of the probability from which a cluster is rejected. At 8 it takes four of eight to share what at most 0.35 %
# of the language's surface forms have; or five 1.1 %, six 2.7 %, seven 5.4 %, all eight 10 %.
SURPRISE: Final = 8.0
# Among fewer surface forms than this, the cluster's own four are too large a share to be a surprise: of 2,000, four of
# eight give 8.95, of 1,000 they give 7.75.
ENOUGH: Final = 2000


def check_affix_surprise(surfaces: Sequence[str], counts: AffixCounts) -> Verdict:
    """Reject when at least four surfaces share an affix, which so many would by chance with a probability of 10⁻⁸."""
    for side, read, known in (("beginning", beginning, counts.beginnings), ("end", end, counts.ends)):
        for affix, having in _shared(surfaces, read):
            share = max(known.get(affix, 0) / counts.total, RARE)
            if surprise(len(having), len(surfaces), share) >= SURPRISE:
                seen = f"{len(having)} share the {side} {affix!r}, which {share:.2%} of all have"
                return reject("affix", f"{seen}: {', '.join(having)}")
    return KEEP


def _shared(surfaces: Sequence[str], read: ReadAffix) -> Iterator[tuple[str, list[str]]]:
    """Each affix at one side that enough of the surfaces share, and these surfaces; the shortest first."""
    letters = {surface: graphemes(surface) for surface in surfaces}
    nearest = [read(split, 1) for split in letters.values()]
    # Most clusters end here: four that share an affix share its one letter at the side.
    if len(nearest) - len(set(nearest)) < SHARED - 1:
        return
    for length in range(1, LONGEST + 1):
        having: dict[str, list[str]] = {}
        for surface, split in letters.items():
            affix = read(split, length)
            if affix is not None:
                having.setdefault(affix, []).append(surface)
        often = {affix: found for affix, found in having.items() if len(found) >= SHARED}
        yield from often.items()
        # No surface that shares no affix of this length shares a longer one.
        letters = {surface: letters[surface] for found in often.values() for surface in found}


@lru_cache(maxsize=1 << 14)
def surprise(count: int, size: int, share: float) -> float:
    """-log10 of the probability that at least ``count`` of ``size`` have what a ``share`` of all have.

    >>> round(surprise(4, 8, 0.0035), 1), surprise(8, 8, 1.0)
    (8.0, -0.0)
    """
    probability = float(bdtrc(count - 1, size, share))  # P(X > count - 1) of a binomial X
    return -log10(probability) if probability > 0 else inf
