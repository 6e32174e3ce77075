"""Tables of many rows to buckets and back: split by the hash of a string, summed, and sorted into the order of files.

Neither a bucket nor an order depends on how rows came together, and no row is ever a Python value.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from wikisem.arrow.columns import WORD, Numbers, StringWords, differs_from_previous
from wikisem.sampling import hash_keys
from wikisem.schemas import MENTIONS

Mask = npt.NDArray[np.bool_]

# The most buckets that files are merged in: few enough that what a mapper writes to each stays large.
BUCKETS: Final = 256
# Fewer pages than the key are merged in this many buckets. Below 20,000, one worker has merged them before more
# files would have been opened (2026-11). Above, a bucket has at most 62,500 pages, which bounds memory.
_FEW_PAGES: Final = {20_000: 1, 500_000: 8, 4_000_000: 64}
# The same before pages are counted, by the bytes of a dump: compressed, a page has a kilobyte or more.
_BYTES_OF_PAGES: Final = 1 << 10
# Strings hashed at a time: all that is computed stays in a core's cache, which is twice as fast as all at once.
_BLOCK: Final = 1 << 15
# How many rows are held in memory before they are summed or yielded.
MAX_HELD: Final = 1 << 20


def split(table: pa.Table, column: str, buckets: int = BUCKETS) -> Iterator[tuple[int, pa.Table]]:
    """The rows of each bucket that has any, by the string in ``column``; rows keep their order within a bucket."""
    numbers = bucket_of(table[column].combine_chunks(), buckets)
    ordered = table.take(pa.array(np.argsort(numbers, kind="stable")))
    ends = np.cumsum(np.bincount(numbers, minlength=buckets))
    for bucket, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        if end > start:
            yield bucket, ordered.slice(start, end - start)


def bucket_of(strings: pa.StringArray, buckets: int = BUCKETS) -> npt.NDArray[np.uint16]:
    """Return the bucket of each string, from 0 to ``buckets`` - 1, shape ``(n,)``."""
    return (hash_strings(strings) % np.uint64(buckets)).astype(np.uint16)


def buckets_for(pages: int) -> int:
    """Return how many buckets a wiki with this many articles is merged in.

    >>> [buckets_for(pages) for pages in (2_000, 100_000, 3_000_000, 7_000_000)]
    [1, 8, 64, 256]
    """
    return next((buckets for few, buckets in _FEW_PAGES.items() if pages < few), BUCKETS)


def buckets_for_bytes(size: int) -> int:
    """Return how many buckets a dump of this size in bytes is shuffled in, before its articles are counted.

    >>> [buckets_for_bytes(size) for size in (10**6, 10**8, 10**9, 10**10)]
    [1, 8, 64, 256]
    """
    return buckets_for(size // _BYTES_OF_PAGES)


def hash_strings(strings: pa.StringArray) -> npt.NDArray[np.uint64]:
    """Return the 64-bit hash of each string, shape ``(n,)``. Strings must not be null.

    A string is folded eight bytes at a time through ``sampling.hash_keys``, so its hash depends only on its UTF-8
    bytes: not on the process, machine, library version or place in the table.
    """
    blocks = [np.zeros(0, np.uint64)]
    for start in range(0, len(strings), _BLOCK):
        words = StringWords.of(strings[start : start + _BLOCK])
        hashes = words.lengths.astype(np.uint64)
        active, done = np.flatnonzero(words.lengths), 0
        while active.size:
            hashes[active] = hash_keys(0, hashes[active] ^ words.read(active, done))
            done += WORD
            active = active[words.lengths[active] > done]
        blocks.append(hashes)
    return np.concatenate(blocks)


def sum_rows(tables: Iterable[pa.Table], schema: pa.Schema, max_held: int | None = None) -> pa.Table:
    """Rows that agree in every column but ``count`` become one with the sum; in no particular order.

    With ``max_held``, no more is held than the sum, that many rows and one table, however many rows there are.
    """
    keys = [name for name in schema.names if name != "count"]

    def summed(held: list[pa.Table]) -> pa.Table:
        rows = pa.concat_tables([schema.empty_table(), *(table.select(schema.names) for table in held)])
        sums = rows.group_by(keys, use_threads=False).aggregate([("count", "sum")])
        return sums.rename_columns([*keys, "count"]).select(schema.names).cast(schema)

    held: list[pa.Table] = []
    count = 0
    for table in tables:
        held.append(table)
        count += table.num_rows
        if max_held is not None and count >= max_held:
            held, count = [summed(held)], 0
    return summed(held)


@dataclass
class BucketedRows:
    """Collects rows by bucket, and yields all when it holds ``most_rows`` or ``most_bytes``, which bounds memory.

    With a ``schema``, which has a count, each bucket is summed if that at least halves its rows, as the first bucket
    shows: a sum here costs as much as sending three fifths of its rows (docs/benchmarks.md).
    """

    column: str
    most_rows: int = MAX_HELD
    most_bytes: int = 1 << 27
    buckets: int = BUCKETS
    schema: pa.Schema | None = None
    _held: dict[int, list[pa.Table]] = field(default_factory=dict, init=False)
    _rows: int = field(default=0, init=False)
    _bytes: int = field(default=0, init=False)

    def add(self, table: pa.Table) -> Iterator[tuple[int, pa.Table]]:
        """Add rows; yield everything that is held once that is enough."""
        # Split as they come: rows that fit in a core's cache move twice as fast as all rows at once.
        for bucket, rows in split(table, self.column, self.buckets):
            self._held.setdefault(bucket, []).append(rows)
        self._rows += table.num_rows
        self._bytes += table.nbytes
        if self._rows >= self.most_rows or self._bytes >= self.most_bytes:
            yield from self.rest()

    def rest(self) -> Iterator[tuple[int, pa.Table]]:
        """Yield what is held: each bucket and its rows, summed or not."""
        is_summed = self.schema is not None
        for bucket, tables in sorted(self._held.items()):
            rows = pa.concat_tables(tables).combine_chunks()
            sums = sum_rows([rows], self.schema) if is_summed else rows
            is_summed = is_summed and 2 * sums.num_rows <= rows.num_rows
            yield bucket, sums
        self._held, self._rows, self._bytes = {}, 0, 0


# The order in which rows are written: the same rows, however they came together, are the same bytes.

_MORE: Final = np.uint64(WORD)
_LOW_BYTE: Final = np.uint64(0xFF)


def sort_by(table: pa.Table, keys: Sequence[tuple[str, str]]) -> pa.Table:
    """The rows in the order of ``keys``, pairs of column and "ascending" or "descending"; strings by code point."""
    return table.sort_by(list(keys)).combine_chunks()


def sort_mentions(mentions: pa.Table) -> pa.Table:
    """Mentions by title, the most frequent anchor first, then by anchor; strings by code point.

    This takes a third of the time of ``sort_by``: each distinct title is compared once, and anchors only where title
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
    """Return the place of each string among the distinct ones in code-point order, shape ``(n,)``.

    >>> string_ranks(pa.array(["oak", "elm", "oaks", "elm"])).tolist()
    [1, 0, 2, 0]
    """
    encoded = strings.dictionary_encode()
    order = np.arange(len(encoded.dictionary))
    _sort_equals(order, order == 0, encoded.dictionary)
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order))
    return ranks[encoded.indices.to_numpy()]


def _sort_equals(order: Numbers, begins: Mask, strings: pa.StringArray) -> None:
    """Sort every run of equal rows by their strings; ``begins`` says where in ``order`` runs begin, before and after.

    Seven bytes at a time, as numbers, which numpy sorts with vector instructions: 246,000 titles in half the time that
    Arrow takes (2026-11, numpy 2.4, pyarrow 25).
    """
    words, equal, done = StringWords.of(strings), np.flatnonzero(_in_runs(begins)), 0
    while len(equal):
        keys = words.read_ordered(order[equal], done)
        # The order of keys within runs: two fast sorts of numbers, not a slow one of pairs.
        sorted_ = np.argsort(keys)
        if np.count_nonzero(begins[equal]) > 1:
            ranks = np.empty(len(keys), np.int64)
            ranks[sorted_] = np.cumsum(differs_from_previous(keys[sorted_]))
            sorted_ = np.argsort(np.cumsum(begins[equal]) << 32 | ranks)
        keys, order[equal] = keys[sorted_], order[equal[sorted_]]
        begins[equal] |= differs_from_previous(keys)
        equal = equal[_in_runs(begins[equal]) & ((keys & _LOW_BYTE) == _MORE)]
        done += WORD - 1


def _in_runs(begins: Mask) -> Mask:
    """Return which elements are in a run of more than one, by where the runs begin.

    >>> _in_runs(np.array([True, True, False])).tolist()
    [False, True, True]
    """
    inside = ~begins
    inside[:-1] |= inside[1:]
    return inside
