"""Places of markup in a chunk of bytes, found by numpy, never byte by byte in Python."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Keys = npt.NDArray[np.uint64]

OPEN: Final = ord("[")
CLOSE: Final = ord("]")
# What `[` and `]` have in common, with `Y` and `_`: one comparison finds both brackets.
_BRACKETS: Final = np.uint8(0xF9)
# A block and what is computed from it stay in the cache of a core; whole chunks cost twice the time.
_BLOCK: Final = 1 << 18
_KEY: Final = 8


@dataclass(frozen=True, slots=True)
class Marks:
    """A chunk, and sorted places in it: ``tags`` of ``<``, ``entities`` of ``&``, ``brackets`` of ``[[`` and ``]]``.

    ``chunk`` are the bytes of ``data`` as an array. Pairs in a run of brackets overlap: ``[[[`` has two places.
    """

    data: bytes
    chunk: Bytes
    tags: Places
    entities: Places
    brackets: Places


def find_marks(data: bytes) -> Marks:
    """Find the marks of a chunk, block by block."""
    chunk = np.frombuffer(data, np.uint8)
    found: tuple[list[Places], list[Places], list[Places]] = ([], [], [])
    for start in range(0, len(chunk), _BLOCK):
        block = chunk[start : start + _BLOCK]
        found[0].append(np.flatnonzero(block == ord("<")) + start)
        found[1].append(np.flatnonzero(block == ord("&")) + start)
        found[2].append(_bracket_pairs(chunk[start : start + _BLOCK + 1]) + start)
    tags, entities, brackets = (np.concatenate([*places, np.empty(0, np.int64)]) for places in found)
    return Marks(data, chunk, tags, entities, brackets)


def _bracket_pairs(block: Bytes) -> Places:
    either = (block & _BRACKETS) == (OPEN & _BRACKETS)
    places = np.flatnonzero(either[:-1] & either[1:])
    byte = block[places]
    pairs: Places = places[(byte == block[places + 1]) & ((byte == OPEN) | (byte == CLOSE))]
    return pairs


def keys_at(chunk: Bytes, places: Places) -> Keys:
    """The eight bytes at each of the sorted places as one little-endian number, with zeros behind the end."""
    whole = int(np.searchsorted(places, len(chunk) - _KEY, side="right"))
    keys = np.zeros(len(places), np.uint64)
    if whole:
        # Eight bytes from every place on, overlapping: a view, not a copy.
        eights: Keys = np.ndarray((len(chunk) - _KEY + 1,), np.dtype("<u8"), chunk.data, 0, (1,))
        keys[:whole] = eights[places[:whole]]
    for row in range(whole, len(places)):
        keys[row] = key_of(bytes(chunk[places[row] :]))
    return keys


def key_of(text: bytes) -> np.uint64:
    """The number that ``keys_at`` gives for these bytes."""
    return np.uint64(int.from_bytes(text[:_KEY], "little"))


def starting_with(keys: Keys, text: bytes) -> Mask:
    """Which keys start with these bytes (at most eight)."""
    mask: Mask = (keys & np.uint64(2 ** (8 * len(text)) - 1)) == key_of(text)
    return mask
