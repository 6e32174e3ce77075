"""Rows in the order in which they are written: the same rows, however they came together, are the same bytes."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.numbers import Numbers
from wikisem.schemas import MENTIONS


def sort_by(table: pa.Table, keys: Sequence[tuple[str, str]]) -> pa.Table:
    """The rows in the order of ``keys``, pairs of column and "ascending" or "descending"; strings by code point."""
    return table.sort_by(list(keys)).combine_chunks()


def sort_mentions(mentions: pa.Table) -> pa.Table:
    """Mentions by title, the most frequent anchor first, then by anchor; strings by code point.

    In half the time of ``sort_by``: titles repeat, so that each is compared once, and anchors only where title and
    count are the same.
    """
    rows = mentions.select(MENTIONS.names).combine_chunks()
    titles, counts = string_ranks(rows["title"].combine_chunks()), rows["count"].to_numpy()
    order = np.lexsort((-counts, titles))
    same = (np.diff(titles[order]) == 0) & (np.diff(counts[order]) == 0)
    return rows.take(pa.array(_sort_runs(order, same, rows["anchor"].combine_chunks())))


def string_ranks(strings: pa.StringArray) -> Numbers:
    """The place of each string among the distinct ones in code-point order, shape ``(n,)``."""
    encoded = strings.dictionary_encode()
    ranks = np.empty(len(encoded.dictionary), np.int64)
    ranks[pc.sort_indices(encoded.dictionary).to_numpy()] = np.arange(len(ranks))
    places: Numbers = ranks[encoded.indices.to_numpy()]
    return places


def _sort_runs(order: Numbers, same: npt.NDArray[np.bool_], strings: pa.StringArray) -> Numbers:
    """The order, each run of equals sorted by its strings; ``same`` tells of each but the first if it equals the last.

    Shapes ``(n,)`` and ``(n - 1,)``.
    """
    equals = np.zeros(len(order), np.bool_)
    equals[1:] = same
    equals[:-1] |= same
    runs = np.cumsum(np.append([True], ~same))[: len(order)]
    tied = order[equals]
    batch = pa.record_batch({"run": pa.array(runs[equals]), "text": strings.take(pa.array(tied))})
    within = pc.sort_indices(batch, [("run", "ascending"), ("text", "ascending")]).to_numpy()
    order[equals] = tied[within]
    return order
