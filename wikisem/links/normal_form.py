"""Finding the few contents that may not be NFC, in which MediaWiki stores text.

A string is NFC if it has none of the characters that never are, that may compose with the one before them, or that
have a combining class, so that their order counts (Unicode Standard Annex 15, section 9). These are the *marks* here.
An automaton finds them together with other markup, and only contents with a mark are compared with their NFC. In a
language that has marks in most words, all contents are.

>>> import pyarrow as pa
>>> from wikisem.links.markup import locate_parts
>>> parts = locate_parts(pa.array(["e|e\u0301", "caf\u00e9|caf\u00e9", "\u0e19\u0e35\u0e48", "\u0e19\u0e48\u0e38"]))
>>> marks, _ = find_marks(parts)
>>> not_composed(parts, marks).tolist()
[True, False, False, True]
"""

import unicodedata
from functools import cache
from typing import Final

import ahocorasick_rs
import numpy as np
import pyarrow as pa
import regex

from wikisem.links.markup import Contents, Mask, Positions, cut_out

_MARK: Final = regex.compile(r"[\p{NFC_QC=M}\p{NFC_QC=N}\P{ccc=0}]")
# All code points with marks, and the first byte of the first of them in UTF-8.
_CODES: Final = range(0x300, 0x30000)
_LEAST: Final = 0xCC
# Contents with marks are read alone where fewer than one character in _FEW is a mark: finding one takes as long as
# reading some fifty characters (2026-11). The first _SAMPLE bytes show whether that is so.
_FEW: Final = 64
_SAMPLE: Final = 1 << 12
# ``unicodedata`` takes n * n steps for n marks on one letter: longer contents are not compared.
_LONGEST: Final = 256


def find_marks(parts: Contents, others: tuple[bytes, ...] = ()) -> tuple[Positions | None, Positions]:
    """Return the sorted positions of marks in contents, and those of some other strings.

    None in place of those of marks if there are so many, by the first contents, that finding them does not pay.
    """
    if not others and not (parts.data >= _LEAST).any():
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    beginning = str(parts.data[:_SAMPLE].data, "utf-8", "ignore")
    with_marks = len(_MARK.findall(beginning)) * _FEW <= len(beginning)
    matches = finder(others, with_marks).find_matches_as_indexes(parts.data[:-1])  # without the NUL at the end
    starts = np.array([start for _, start, _ in matches], np.int64)
    if not with_marks:
        return None, starts
    is_mark = np.array([pattern >= len(others) for pattern, _, _ in matches], np.bool_)
    return starts[is_mark], starts[~is_mark]


@cache
def finder(others: tuple[bytes, ...] = (), with_marks: bool = True) -> ahocorasick_rs.BytesAhoCorasick:
    """Return the automaton that finds some other strings, numbered from 0, and marks as further patterns."""
    letters = "".join(chr(code) for code in _CODES if with_marks and not 0xD800 <= code < 0xE000)
    patterns = [*others, *(mark.encode() for mark in _MARK.findall(letters))]
    return ahocorasick_rs.BytesAhoCorasick(patterns, implementation=ahocorasick_rs.Implementation.DFA)


def not_composed(parts: Contents, marks: Positions | None) -> Mask:
    """Which contents are not NFC, or too long to say, by the positions of their marks; None if these are not known."""
    rows = np.arange(len(parts.ends))
    if marks is not None:
        rows = np.unique(np.searchsorted(parts.ends, marks, side="right"))
    texts = cut_out(parts.data, parts.starts[rows], parts.ends[rows], pa.string()).to_pylist()
    mask = np.zeros(len(parts.ends), np.bool_)
    mask[rows] = [len(text) > _LONGEST or not unicodedata.is_normalized("NFC", text) for text in texts]
    return mask
