"""Positions of markup in a chunk of bytes, found by numpy, never byte by byte in Python.

>>> markup = find_markup(b"<a>&lt;b [[[c]]")
>>> markup.tags.tolist(), markup.entities.tolist(), markup.brackets.tolist()
([0], [3], [9, 10, 13])
>>> starting_with(heads_at(markup.chunk, markup.entities), b"&lt;").tolist()
[True]
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Heads = npt.NDArray[np.uint64]

_TAG: Final = ord("<")
_ENTITY: Final = ord("&")
OPEN: Final = ord("[")
CLOSE: Final = ord("]")
# The bits that `[` and `]` have in common, with `Y` and `_`: one comparison finds both brackets.
_BRACKETS: Final = np.uint8(0xF9)
# A window and what is computed from it stay in the cache of a core; whole chunks take twice the time (2026-11).
_WINDOW: Final = 1 << 18
_HEAD: Final = 8
_WORD: Final = 8


@dataclass(frozen=True, slots=True)
class Markup:
    """A chunk, and sorted positions in it: ``tags`` of ``<``, ``entities`` of ``&``, ``brackets`` of ``[[`` and ``]]``.

    ``chunk`` is ``data`` as an array of bytes. Pairs in a run of brackets overlap: ``[[[`` has two positions.
    """

    data: bytes
    chunk: Bytes
    tags: Positions
    entities: Positions
    brackets: Positions


def find_markup(data: bytes, window: int = _WINDOW) -> Markup:
    """Find the markup of a chunk, ``window`` bytes at a time."""
    chunk = np.frombuffer(data, np.uint8)
    tags, entities, brackets = ([np.empty(0, np.int64)] for _ in range(3))
    for start in range(0, len(chunk), window):
        # One byte more, for a pair across the border.
        part = chunk[start : start + window + 1]
        places = set_places(_marks(part)[:window])
        byte = part[places]
        tags.append(places[byte == _TAG] + start)
        entities.append(places[byte == _ENTITY] + start)
        pairs = places[(byte == OPEN) | (byte == CLOSE)]
        brackets.append(pairs[part[pairs] == part[pairs + 1]] + start)
    return Markup(data, chunk, np.concatenate(tags), np.concatenate(entities), np.concatenate(brackets))


def _marks(part: Bytes) -> Mask:
    """Which bytes begin a tag, an entity, or a pair of brackets; `Y` and `_` pass for brackets, too."""
    marks: Mask = (part & _BRACKETS) == (OPEN & _BRACKETS)
    marks[:-1] &= marks[1:]
    marks[-1:] = False
    marks |= part == _TAG
    marks |= part == _ENTITY
    return marks


def set_places(mask: Mask) -> Positions:
    """``np.flatnonzero`` in two thirds of its time where few are set: words of eight, then what is set in these.

    >>> set_places(np.arange(20) % 9 == 0).tolist()
    [0, 9, 18]
    """
    whole = len(mask) & -_WORD
    words = mask[:whole].view(np.uint64)
    some = np.flatnonzero(words != 0)
    inside = np.flatnonzero(words[some].view(np.bool_))
    places = (some[inside >> 3] << 3) | (inside & 7)
    return places if whole == len(mask) else np.append(places, whole + np.flatnonzero(mask[whole:]))


def heads_at(chunk: Bytes, positions: Positions) -> Heads:
    """The eight bytes from each of the sorted positions on as one little-endian number, zeros after the end."""
    whole = int(np.searchsorted(positions, len(chunk) - _HEAD, side="right"))
    heads = np.zeros(len(positions), np.uint64)
    if whole:
        # Eight bytes from every position on, overlapping: a view, not a copy.
        eights: Heads = np.ndarray((len(chunk) - _HEAD + 1,), np.dtype("<u8"), chunk.data, 0, (1,))
        heads[:whole] = eights[positions[:whole]]
    for row in range(whole, len(positions)):
        heads[row] = head_of(bytes(chunk[positions[row] :]))
    return heads


def head_of(text: bytes) -> np.uint64:
    """The number that ``heads_at`` gives where these bytes are."""
    return np.uint64(int.from_bytes(text[:_HEAD], "little"))


def starting_with(heads: Heads, text: bytes) -> Mask:
    """Which heads start with these bytes (at most eight)."""
    mask: Mask = (heads & np.uint64(2 ** (8 * len(text)) - 1)) == head_of(text)
    return mask
