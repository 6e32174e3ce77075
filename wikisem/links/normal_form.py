"""Which contents may be in another form than NFC, by column: MediaWiki stores NFC, so that hardly any are.

A string is NFC unless a character in it never is, composes with the one before it or with a part of that one (U+00D9
and a dot below are U+1EE4 and a grave accent), or is a mark out of order (Unicode Standard Annex 15, section 9).

>>> import pyarrow as pa
>>> from wikisem.links.contents import locate_parts
>>> contents = ["e|e\u0301", "caf\u00e9|caf\u00e9", "\u0e19\u0e35\u0e48", "\u0e19\u0e48\u0e38"]
>>> not_composed(locate_parts(pa.array(contents))).tolist()
[True, False, False, True]
"""

import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from wikisem.links.contents import Contents, cut_out, locate_parts
from wikisem.links.positions import Bytes, Mask, Positions

# The first byte of U+0300 in UTF-8: what has no such byte, nor any beyond it, is NFC.
_LEAST: Final = 0xCC
# Contents with such characters are looked at alone where at most one byte in so many begins one.
_FEW: Final = 128
# So many bytes show whether that is so, where most characters are beyond the first blocks.
_SAMPLE: Final = 1 << 12
# Where characters are that decompose or have a combining class; a test looks at all others.
_BLOCKS: Final = (
    *(range(0xC0, 0x3100), range(0xA660, 0xAC00), range(0xF900, 0x12000), range(0x16000, 0x17000)),
    *(range(0x1BC00, 0x1BD00), range(0x1D100, 0x1D300), range(0x1DF00, 0x1EA00), range(0x2F800, 0x2FB00)),
)
_JAMO: Final = slice(0x1161, 0x11C3)  # vowels and last consonants: they compose by rule, and text hardly holds any
# Classes beside the combining classes, which are at most 240: composes with some character before it; is never NFC.
_COMPOSES: Final = 254
_NEVER: Final = 255


class _Tables(NamedTuple):
    """The class of each unit of UTF-16, 0 for most; the pairs that compose, sorted, each as one number; which units
    they compose to; and for each byte, whether a character with a class may begin with it in UTF-8.
    """

    classes: npt.NDArray[np.uint8]
    pairs: npt.NDArray[np.int64]
    composites: Mask
    leads: bytes


@cache
def _tables() -> _Tables:
    classes = np.zeros(1 << 16, np.uint8)
    composites = np.zeros(1 << 16, np.bool_)
    pairs = []
    for code, parts in _decompositions():
        never = unicodedata.normalize("NFC", chr(code)) != chr(code)
        changes = unicodedata.combining(chr(code)) > 0 or never
        if code > 0xFFFF and (changes or parts):
            # Beyond the first plane, whole blocks of 1,024 count as one character that is never NFC.
            classes[[0xD7C0 + (one >> 10) for one in (code, *parts)]] = _NEVER
        elif changes:
            classes[code] = _NEVER if never else unicodedata.combining(chr(code))
        if len(parts) == 2 and not never and code <= 0xFFFF:
            pairs.append(parts[0] << 16 | parts[1])
            composites[code] = True
    classes[np.array(pairs, np.int64) & 0xFFFF] = _COMPOSES
    classes[_JAMO] = _NEVER
    leads = {0xF0, *(chr(code).encode()[0] for code in np.flatnonzero(classes[:0xD800]).tolist()), 0xEF}
    first_bytes = bytes(byte in leads for byte in range(256))
    return _Tables(classes, np.unique(np.array(pairs, np.int64)), composites, first_bytes)


def _decompositions() -> Iterator[tuple[int, list[int]]]:
    """Each character that may have one, and what it decomposes to in one step: none, one or two characters."""
    for code in (code for block in _BLOCKS for code in block):
        parts = unicodedata.decomposition(chr(code)).split()
        yield code, [] if parts[:1] and parts[0].startswith("<") else [int(part, 16) for part in parts]


def not_composed(parts: Contents) -> Mask:
    """Which contents are not NFC; some that are may be among them."""
    hot = parts.data >= _LEAST
    count = int(np.count_nonzero(hot))
    if count * _FEW > len(hot):
        if _may_change(parts.data[:_SAMPLE]).mean() * _FEW > 1:
            return _changed(parts.data[:-1], parts.ends)
        hot = _may_change(parts.data)
        count = int(np.count_nonzero(hot))
    if count * _FEW > len(hot):
        return _changed(parts.data[:-1], parts.ends)
    mask = np.zeros(len(parts.ends), np.bool_)
    if count:
        rows = np.unique(np.searchsorted(parts.ends, np.flatnonzero(hot), side="right"))
        few = locate_parts(cut_out(parts.data, parts.starts[rows], parts.ends[rows]))
        mask[rows] = _changed(few.data[:-1], few.ends)
    return mask


def _may_change(data: Bytes) -> Mask:
    """Which bytes a character with a class may begin with."""
    return np.frombuffer(data.tobytes().translate(_tables().leads), np.bool_)


def _changed(data: Bytes, ends: Positions) -> Mask:
    """Which of some strings, whose UTF-8 is joined and ends where ``ends`` say, may not be NFC."""
    text = str(data.data, "utf-8")
    tables = _tables()
    units = np.frombuffer(text.encode("utf-16-le"), np.uint16)
    classes = tables.classes.take(units, mode="clip")  # in half the time that indexing takes
    at = np.flatnonzero(classes != 0)
    own, before = classes[at], classes[at - 1]
    composing = at[own == _COMPOSES]
    pairs = units[composing - 1].astype(np.int64) << 16 | units[composing]
    disordered = (before > own) | ((own == _COMPOSES) & ((before > 0) | tables.composites[units[at - 1]]))
    hits = np.concatenate([at[(own == _NEVER) | disordered], composing[np.isin(pairs, tables.pairs)]])
    mask = np.zeros(len(ends), np.bool_)
    if len(hits):
        mask[np.searchsorted(ends, _byte_positions(units)[hits], side="right")] = True
    return mask


def _byte_positions(units: npt.NDArray[np.uint16]) -> Positions:
    """Where in UTF-8 the character of each unit begins; a pair of surrogates has four bytes, two for each."""
    widths = 1 + (units >= 0x80).astype(np.int64) + ((units >= 0x800) & ((units < 0xD800) | (units > 0xDFFF)))
    return np.cumsum(widths) - widths
