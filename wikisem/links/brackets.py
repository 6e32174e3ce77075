"""From brackets to links: a ``[[`` directly followed by its ``]]`` on the same page is an innermost link.

So links in captions of files need no case of their own, and what encloses them is never taken for a link.
"""

import re
from typing import Final

import numpy as np

from wikisem.links.positions import CLOSE, OPEN, Marks, Mask, Places

# Longer than any trail that is a word's ending.
_TRAIL_BYTES: Final = 64


def span_of(places: Places, starts: Places, ends: Places) -> Places:
    """The index of the span (sorted, disjoint) that each of the sorted places lies in; -1 for none."""
    bounds = np.empty(2 * len(starts), np.int64)
    bounds[0::2], bounds[1::2] = starts, ends
    edges = np.concatenate([[0], np.searchsorted(places, bounds), [len(places)]])
    spans = np.full(2 * len(starts) + 1, -1, np.int64)
    spans[1::2] = np.arange(len(starts))
    return np.repeat(spans, np.diff(edges))


def innermost(marks: Marks, live: Mask, spans: Places) -> tuple[Places, Places]:
    """Where the contents of innermost links start and end; ``spans`` says in which text each bracket lies."""
    data, chunk = marks.data, marks.chunk
    brackets, spans = marks.brackets[live], spans[live]
    opening = chunk[brackets] == OPEN
    pair = opening[:-1] & ~opening[1:] & (spans[:-1] == spans[1:]) & (np.diff(brackets) >= 2)
    rows = np.flatnonzero(pair)
    starts, ends = brackets[rows] + 2, brackets[rows + 1]
    keep = np.ones(len(rows), np.bool_)
    # MediaWiki reads `[[` from the left: in `[[[a]]]` a third bracket is left over, and the link is none.
    for row in np.flatnonzero((rows > 0) & (brackets[rows - 1] == brackets[rows] - 1) & opening[rows - 1]):
        keep[row] = _run(data, int(starts[row]) - 1) % 2 == 0
    # The bracket that closes `[[a|[b]]]` is the first but one: a single `[` in the anchor takes one for itself.
    for row in np.flatnonzero(chunk[np.minimum(ends + 2, len(chunk) - 1)] == CLOSE):
        ends[row] += data.find(b"[", starts[row], ends[row]) >= 0
    return starts[keep], ends[keep]


def _run(data: bytes, last: int) -> int:
    first = last
    while data[first - 1] == OPEN:
        first -= 1
    return last - first + 1


def with_trails(marks: Marks, ends: Places, trail: str) -> Places:
    """The ends moved behind the trail of each link, ``]]`` included; those without a trail stay."""
    letters = re.compile(trail)
    leads = np.array([lead >= 0x80 or letters.match(chr(lead)) is not None for lead in range(256)])
    moved = ends.copy()
    for row in np.flatnonzero(leads[marks.chunk[np.minimum(ends + 2, len(marks.chunk) - 1)]]):
        start = int(ends[row]) + 2
        found = letters.match(marks.data[start : start + _TRAIL_BYTES].decode(errors="replace"))
        if found and found.end():
            moved[row] = start + len(found.group().encode())
    return moved
