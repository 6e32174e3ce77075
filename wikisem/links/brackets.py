"""From brackets to links: a ``[[`` directly followed by its ``]]`` on the same page is an innermost link.

So links in captions of files need no case of their own, and what encloses them is never taken for a link.

>>> data = b"[[File:x|a [[b]] c]] [[[d]]] [[e|[f]]]"
>>> from wikisem.links.positions import find_markup
>>> markup = find_markup(data)
>>> one_text = np.zeros(len(markup.brackets), np.int64)
>>> [data[start:end].decode() for start, end in zip(*innermost_links(markup, one_text))]
['b', 'e|[f]']
"""

import re
from typing import Final

import numpy as np

from wikisem.links.positions import CLOSE, OPEN, Markup, Positions

# Longer than any trail that is a word's ending.
_TRAIL_BYTES: Final = 64


def span_of(positions: Positions, starts: Positions, ends: Positions) -> Positions:
    """The index of the span (sorted, disjoint) that holds each of the sorted positions; -1 where none does.

    >>> span_of(np.array([1, 5, 6, 9]), np.array([0, 6]), np.array([4, 8])).tolist()
    [0, -1, 1, -1]
    """
    bounds = np.empty(2 * len(starts), np.int64)
    bounds[0::2], bounds[1::2] = starts, ends
    edges = np.concatenate([[0], np.searchsorted(positions, bounds), [len(positions)]])
    spans = np.full(2 * len(starts) + 1, -1, np.int64)
    spans[1::2] = np.arange(len(starts))
    return np.repeat(spans, np.diff(edges))


def innermost_links(markup: Markup, texts: Positions) -> tuple[Positions, Positions]:
    """Where the contents of innermost links start and end.

    ``texts`` holds the number of the text that each bracket is in, -1 for brackets that are none of a link.
    """
    data, chunk = markup.data, markup.chunk
    brackets, texts = markup.brackets[texts >= 0], texts[texts >= 0]
    opening = chunk[brackets] == OPEN
    pair = opening[:-1] & ~opening[1:] & (texts[:-1] == texts[1:]) & (np.diff(brackets) >= 2)
    rows = np.flatnonzero(pair)
    starts, ends = brackets[rows] + 2, brackets[rows + 1]
    keep = np.ones(len(rows), np.bool_)
    # MediaWiki reads `[[` from the left: in `[[[a]]]` a third bracket is left over, so this is no link.
    for row in np.flatnonzero((rows > 0) & (brackets[rows - 1] == brackets[rows] - 1) & opening[rows - 1]):
        keep[row] = _run_length(data, int(starts[row]) - 1) % 2 == 0
    # The bracket that closes `[[a|[b]]]` is the first but one: a single `[` in the anchor takes one for itself.
    for row in np.flatnonzero(chunk[np.minimum(ends + 2, len(chunk) - 1)] == CLOSE):
        ends[row] += data.find(b"[", starts[row], ends[row]) >= 0
    return starts[keep], ends[keep]


def _run_length(data: bytes, last: int) -> int:
    first = last
    while data[first - 1] == OPEN:
        first -= 1
    return last - first + 1


def with_trails(markup: Markup, ends: Positions, trail: str) -> Positions:
    """The ends moved past the ``]]`` and the trail of each link that has a trail; the others stay.

    >>> from wikisem.links.positions import find_markup
    >>> markup = find_markup(b"[[bus]]es [[car]].")
    >>> with_trails(markup, np.array([5, 15]), "[a-z]+").tolist()
    [9, 15]
    """
    letters = re.compile(trail)
    may_start = np.array([byte >= 0x80 or letters.match(chr(byte)) is not None for byte in range(256)])
    extended = ends.copy()
    for row in np.flatnonzero(may_start[markup.chunk[np.minimum(ends + 2, len(markup.chunk) - 1)]]):
        start = int(ends[row]) + 2
        match = letters.match(markup.data[start : start + _TRAIL_BYTES].decode(errors="replace"))
        if match and match.end():
            extended[row] = start + len(match.group().encode())
    return extended
