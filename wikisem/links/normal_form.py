"""Finding, by column, the few contents that are possibly not NFC: MediaWiki stores NFC.

A string is NFC unless a character in it never is, composes with the one before it or with a part of that one (U+00D9
and a dot below are U+1EE4 and a grave accent), or is a mark out of order (Unicode Standard Annex 15, section 9). These
are the *marks* here: an automaton finds them together with other markup, and only contents with a mark are read. In a
language that has marks in most words, all contents are read.

>>> import pyarrow as pa
>>> from wikisem.links.markup import locate_parts
>>> parts = locate_parts(pa.array(["e|e\u0301", "caf\u00e9|caf\u00e9", "\u0e19\u0e35\u0e48", "\u0e19\u0e48\u0e38"]))
>>> not_composed(parts, find_marks(parts)).tolist()
[True, False, False, True]
"""

import unicodedata
from functools import cache
from typing import Final, NamedTuple

import ahocorasick_rs
import numpy as np
import numpy.typing as npt

from wikisem.links.markup import Bytes, Contents, Mask, Positions, cut_out, locate_parts

# The first byte of U+0300 in UTF-8: below it there are no marks.
_LEAST: Final = 0xCC
# Contents with marks are read alone where fewer than one character in _FEW is a mark: finding one takes as long as
# reading some fifty characters (2026-11). The first _SAMPLE bytes show whether that is so.
_FEW: Final = 64
_SAMPLE: Final = 1 << 12
# Blocks of characters that decompose or have a combining class; a test looks at all others.
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
    they compose to; and all characters with a class, without which a string is NFC.
    """

    classes: npt.NDArray[np.uint8]
    pairs: npt.NDArray[np.int64]
    composites: Mask
    marks: tuple[bytes, ...]


@cache
def _tables() -> _Tables:
    """Return the tables of Unicode's characters that a string in NFC lacks, or may have only in some order."""
    classes = np.zeros(1 << 16, np.uint8)
    composites = np.zeros(1 << 16, np.bool_)
    pairs, beyond_first_plane = [], set[int]()
    for code in (code for block in _BLOCKS for code in block):
        # What it becomes in one step: one or two characters, or nothing.
        codes = unicodedata.decomposition(chr(code)).split()
        parts = [] if codes[:1] and codes[0].startswith("<") else [int(part, 16) for part in codes]
        is_never_nfc = unicodedata.normalize("NFC", chr(code)) != chr(code)
        changes = unicodedata.combining(chr(code)) > 0 or is_never_nfc
        if code > 0xFFFF and (changes or parts):
            # Beyond the first plane, whole blocks of 1,024 count as one character that is never NFC.
            classes[[0xD7C0 + (part >> 10) for part in (code, *parts)]] = _NEVER
            beyond_first_plane.update(part for part in (code, *parts) if part > 0xFFFF)
        elif changes:
            classes[code] = _NEVER if is_never_nfc else unicodedata.combining(chr(code))
        if len(parts) == 2 and not is_never_nfc and code <= 0xFFFF:
            pairs.append(parts[0] << 16 | parts[1])
            composites[code] = True
    classes[np.array(pairs, np.int64) & 0xFFFF] = _COMPOSES
    classes[_JAMO] = _NEVER
    first_plane = (code for code in np.flatnonzero(classes).tolist() if not 0xD800 <= code < 0xE000)
    marks = tuple(chr(code).encode() for code in (*first_plane, *sorted(beyond_first_plane)))
    return _Tables(classes, np.unique(np.array(pairs, np.int64)), composites, marks)


def has_many_marks(parts: Contents) -> bool:
    """Whether marks are so frequent that finding them takes longer than reading all contents, by the first ones."""
    text = str(parts.data[:_SAMPLE].data, "utf-8", "ignore")
    units = np.frombuffer(text.encode("utf-16-le"), np.uint16)
    return int(np.count_nonzero(_tables().classes[units])) * _FEW > len(units)


def find_marks(parts: Contents) -> Positions | None:
    """Return the sorted positions of marks in contents; None if there are too many for this to pay."""
    if not (parts.data >= _LEAST).any():
        return np.zeros(0, np.int64)
    if has_many_marks(parts):
        return None
    return np.array([start for _, start, _ in finder().find_matches_as_indexes(parts.data)], np.int64)


@cache
def finder(others: tuple[bytes, ...] = (), with_marks: bool = True) -> ahocorasick_rs.BytesAhoCorasick:
    """Return the automaton that finds some other strings, and marks as further patterns."""
    patterns = [*others, *(_tables().marks if with_marks else ())]
    return ahocorasick_rs.BytesAhoCorasick(patterns, implementation=ahocorasick_rs.Implementation.DFA)


def not_composed(parts: Contents, found: Positions | None) -> Mask:
    """Which contents are not NFC; some that are may be among them. ``found`` are their marks, None if not known."""
    if found is None:
        return _changed(parts.data[:-1], parts.ends)
    mask = np.zeros(len(parts.ends), np.bool_)
    if len(found):
        rows = np.unique(np.searchsorted(parts.ends, found, side="right"))
        with_marks = locate_parts(cut_out(parts.data, parts.starts[rows], parts.ends[rows]))
        mask[rows] = _changed(with_marks.data[:-1], with_marks.ends)
    return mask


def _changed(data: Bytes, ends: Positions) -> Mask:
    """Return which strings are possibly not NFC; their UTF-8 is joined, and ``ends`` says where each ends."""
    text = str(data.data, "utf-8")
    tables = _tables()
    units = np.frombuffer(text.encode("utf-16-le"), np.uint16)
    classes = tables.classes.take(units, mode="clip")  # in half the time that indexing takes
    positions = np.flatnonzero(classes != 0)
    current, previous = classes[positions], classes[positions - 1]
    composes = current == _COMPOSES
    disordered = (previous > current) | (composes & ((previous > 0) | tables.composites[units[positions - 1]]))
    composing = positions[composes]
    pairs = units[composing - 1].astype(np.int64) << 16 | units[composing]
    composed = composing[np.isin(pairs, tables.pairs)]
    suspects = np.concatenate([positions[(current == _NEVER) | disordered], composed])
    is_changed = np.zeros(len(ends), np.bool_)
    if len(suspects):
        # In UTF-8; a pair of surrogates has four bytes, two for each.
        widths = 1 + (units >= 0x80).astype(np.int64) + ((units >= 0x800) & ((units < 0xD800) | (units > 0xDFFF)))
        bytes_before = (np.cumsum(widths) - widths)[suspects]
        rows = np.searchsorted(ends, bytes_before, side="right")
        # What a string begins with has nothing before it: the string in front must not decide.
        starts = np.concatenate([[0], ends])[rows]
        is_changed[rows[(bytes_before > starts) | (classes[suspects] == _NEVER)]] = True
    return is_changed
