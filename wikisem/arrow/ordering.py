"""Rows in the order in which they are written: the same rows, however they came together, are the same bytes."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from wikisem.arrow.numbers import Numbers, differs_from_previous
from wikisem.arrow.words import WORD, StringWords
from wikisem.schemas import MENTIONS

Mask = npt.NDArray[np.bool_]

_MORE: Final = np.uint64(WORD)
_LOW_BYTE: Final = np.uint64(0xFF)


def sort_by(table: pa.Table, keys: Sequence[tuple[str, str]]) -> pa.Table:
    """The rows in the order of ``keys``, pairs of column and "ascending" or "descending"; strings by code point."""
    return table.sort_by(list(keys)).combine_chunks()


def sort_mentions(mentions: pa.Table) -> pa.Table:
    """Mentions by title, the most frequent anchor first, then by anchor; strings by code point.

    In a third of the time of ``sort_by``: titles repeat, so that each is compared once, and anchors only where title
    and count are the same.
    """
    rows = mentions.select(MENTIONS.names).combine_chunks()
    title, anchor = (rows[name].combine_chunks() for name in ("title", "anchor"))
    counts = rows["count"].to_numpy()
    # Title and count as one number: a table has fewer than 2**31 titles, a wiki fewer than 2**32 links.
    keys = string_ranks(title) * (1 + counts.max(initial=0)) - counts
    order = np.argsort(keys)
    _sort_equals(order, differs_from_previous(keys[order]), anchor)
    return rows.take(pa.array(order))


def string_ranks(strings: pa.StringArray) -> Numbers:
    """The place of each string among the distinct ones in code-point order, shape ``(n,)``."""
    encoded = strings.dictionary_encode()
    ranks = np.empty(len(encoded.dictionary), np.int64)
    ranks[order_strings(encoded.dictionary)] = np.arange(len(ranks))
    places: Numbers = ranks[encoded.indices.to_numpy()]
    return places


def order_strings(strings: pa.StringArray) -> Numbers:
    """The rows of a column in the order of its strings by code point.

    >>> order_strings(pa.array(["oak", "elm", "oaks"])).tolist()
    [1, 0, 2]
    """
    order, begins = np.arange(len(strings)), np.arange(len(strings)) == 0
    _sort_equals(order, begins, strings)
    return order


def _sort_equals(order: Numbers, begins: Mask, strings: pa.StringArray) -> None:
    """Sort every run of equal rows by their strings; ``begins`` says where in ``order`` runs begin, before and after.

    Seven bytes at a time, as numbers, which numpy sorts with vector instructions: 246,000 titles in half the time that
    Arrow takes (2026-11, numpy 2.4, pyarrow 25).
    """
    words, equal, at = StringWords.of(strings), np.flatnonzero(_in_runs(begins)), 0
    while len(equal):
        keys = words.read_ordered(order[equal], at)
        sorted_ = _order_in_runs(begins[equal], keys)
        keys, order[equal] = keys[sorted_], order[equal[sorted_]]
        begins[equal] |= differs_from_previous(keys)
        equal = equal[_in_runs(begins[equal]) & ((keys & _LOW_BYTE) == _MORE)]
        at += WORD - 1


def _order_in_runs(begins: Mask, keys: npt.NDArray[Any]) -> Numbers:
    """The order of keys within runs, by where these begin: two fast sorts of numbers, not a slow one of pairs.

    >>> _order_in_runs(np.array([True, False, True, False]), np.array([9, 5, 7, 1])).tolist()
    [1, 0, 3, 2]
    """
    order = np.argsort(keys)
    if np.count_nonzero(begins) > 1:
        ranks = np.empty(len(keys), np.int64)
        ranks[order] = np.cumsum(differs_from_previous(keys[order]))
        order = np.argsort(np.cumsum(begins) << 32 | ranks)
    return order


def _in_runs(begins: Mask) -> Mask:
    """Which elements are in a run of more than one, by where the runs begin.

    >>> _in_runs(np.array([True, True, False])).tolist()
    [False, True, True]
    """
    inside = ~begins
    inside[:-1] |= inside[1:]
    return inside
