"""The anchors whose links are to be counted, as hashes: 8 bytes each, mapped into memory by every worker.

A hash may match an anchor that nobody asked for (once in 10**12 pairs or so), which is then counted and not used.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from wikisem.arrow.buckets import add_up, hash_strings
from wikisem.arrow.numbers import Numbers, distinct, is_in, join
from wikisem.surfaces.anchors import ANCHOR_TOTALS


@dataclass(frozen=True, slots=True)
class WantedAnchors:
    """The hashes of anchors in ascending order, each once, shape ``(n,)``.

    >>> wanted = WantedAnchors.of([hashes_of(pa.array(["oak"]))])
    >>> links = pa.table({"anchor": ["oak", "elm", "oak"], "count": [2, 5, 1]})
    >>> wanted.count(links).to_pylist()
    [{'anchor': 'oak', 'count': 3}]
    """

    hashes: Numbers

    @staticmethod
    def of(parts: Iterable[Numbers]) -> "WantedAnchors":
        """The anchors of all parts."""
        return WantedAnchors(distinct(join(parts)))

    def count(self, mentions: pa.Table) -> pa.Table:
        """How many links of some mentions have each of the anchors, as ANCHOR_TOTALS; those without any are absent."""
        anchors = mentions["anchor"].combine_chunks()
        here = is_in(hashes_of(anchors), self.hashes)
        return add_up([mentions.select(ANCHOR_TOTALS.names).filter(pa.array(here))], ANCHOR_TOTALS)


def hashes_of(anchors: pa.StringArray) -> Numbers:
    """The hash of each anchor, shape ``(n,)``."""
    return hash_strings(anchors).view(np.int64)
