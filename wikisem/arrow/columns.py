"""Columns as numpy arrays: whole numbers, item ids, maps by key; and what travels, compressed."""

import io
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.errors import DamagedInputError

Numbers = npt.NDArray[np.int64]
_Whole = TypeVar("_Whole", bound=np.integer[Any])


def distinct(numbers: npt.NDArray[_Whole]) -> npt.NDArray[_Whole]:
    """Return the numbers in ascending order, without duplicates.

    Sorting is several times as fast as ``np.unique``, which hashes since numpy 2.3 (5 s for 5 million numbers, 0.05 s
    here; 2026-11) and imports masked arrays first (50 ms in every worker).

    >>> distinct(np.array([7, 3, 7, 3, 9])).tolist()
    [3, 7, 9]
    """
    ordered = np.sort(numbers)
    return ordered[differs_from_previous(ordered)]


def differs_from_previous(ordered: npt.NDArray[_Whole]) -> npt.NDArray[np.bool_]:
    """Return whether each element differs from the one before it; always true of the first. Same shape as ``ordered``.

    >>> differs_from_previous(np.array([3, 3, 7])).tolist()
    [True, False, True]
    """
    first = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return first


def union(parts: Iterable[Numbers]) -> Numbers:
    """Return the numbers that are in any of the arrays, in ascending order, without duplicates."""
    return distinct(join(parts))


def repeated(parts: Iterable[Numbers]) -> Numbers:
    """Return the numbers that occur more than once in all arrays together, in ascending order, without duplicates.

    >>> repeated([np.array([7, 3]), np.array([5, 7, 3, 7])]).tolist()
    [3, 7]
    """
    ordered = np.sort(join(parts))
    return distinct(ordered[1:][ordered[1:] == ordered[:-1]])


def join(parts: Iterable[Numbers]) -> Numbers:
    """Return the arrays end to end; an empty array if there are none."""
    return np.concatenate([np.empty(0, np.int64), *parts])


def is_in(numbers: Numbers, known: Numbers) -> npt.NDArray[np.bool_]:
    """Return whether each number is among ``known``, which ascends; same shape as ``numbers``."""
    if not known.size:
        return np.zeros(numbers.shape, np.bool_)
    return known[np.minimum(np.searchsorted(known, numbers), known.size - 1)] == numbers


# In 16 buckets, the numbers of all items of Wikidata take some 60 MB a bucket (2026-09).
QID_BUCKETS: Final = 16


def qid_numbers(qids: pa.Array | pa.ChunkedArray) -> Numbers:
    """Return the numbers of a column of item ids, shape ``(n,)``.

    Raises DamagedInputError unless every one is an item id of at most 18 digits.

    >>> qid_numbers(pa.array(["Q42", "Q5"])).tolist()
    [42, 5]
    """
    if isinstance(qids, pa.ChunkedArray):
        return join(map(qid_numbers, qids.chunks))
    if not len(qids):
        return np.empty(0, np.int64)
    # In the order of code points, "Q1" <= id < "Q:" are the strings that begin with Q and a digit from 1 to 9. The cast
    # checks that the others are digits too. (It alone would take "P5" for 5, and "Q-5" for -5.)
    least, greatest = pc.min_max(qids).as_py().values()
    if not qids.null_count and "Q1" <= least <= greatest < "Q:":
        with suppress(pa.ArrowInvalid):
            return pc.cast(pc.utf8_slice_codeunits(qids, 1), pa.int64()).to_numpy()
    wrong = pc.fill_null(pc.invert(pc.match_substring_regex(qids, "^Q[1-9][0-9]{0,17}$")), True)
    raise DamagedInputError(f"expected item ids such as Q28640, saw {qids.filter(wrong)[0].as_py()!r}")


def qids_of(numbers: Numbers) -> list[str]:
    """Return the item ids of some numbers, in their order.

    >>> qids_of(np.array([42, 5]))
    ['Q42', 'Q5']
    """
    return pc.binary_join_element_wise("Q", pc.cast(pa.array(numbers), pa.string()), "").to_pylist()


def qid_buckets(numbers: Numbers) -> Iterator[tuple[int, Numbers]]:
    """Yield the buckets that any of the items belong to, each with the positions of its numbers in the array.

    >>> [(bucket, found.tolist()) for bucket, found in qid_buckets(np.array([16, 1, 33, 32]))]
    [(0, [0, 3]), (1, [1, 2])]
    """
    for bucket in range(QID_BUCKETS):
        found = np.flatnonzero(numbers % QID_BUCKETS == bucket)
        if found.size:
            yield bucket, found


class MapLookup:
    """A column of maps, such as labels in many languages, sorted by key once: a look-up reads only its key's entries.

    ``pyarrow.compute.map_lookup`` compares every key of every map with each key that is asked for: for the labels of 20
    languages this takes a third of the time (2026-11).

    >>> labels = pa.array([[("de", "Mond"), ("en", "moon")], [], [("en", "sun")]], pa.map_(pa.string(), pa.string()))
    >>> MapLookup(labels).lookup("en").to_pylist()
    ['moon', None, 'sun']
    """

    def __init__(self, column: pa.MapArray | pa.ChunkedArray) -> None:
        """Sort all entries (values, each with the row of its map) by the number (code) of their key."""
        maps = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        offsets = maps.offsets.to_numpy()
        first, last = int(offsets[0]), int(offsets[-1])
        keys = maps.keys[first:last].dictionary_encode()
        self._values = maps.items[first:last]
        self._rows = np.repeat(np.arange(len(maps)), np.diff(offsets))
        codes = keys.indices.to_numpy()
        # Numbers of 16 bits are sorted by radix, ten times as fast.
        small = codes.astype(np.int16) if len(keys.dictionary) < 1 << 15 else codes
        self._order = np.argsort(small, kind="stable")  # the entries of a code end at ``_ends[code]``
        self._ends = np.cumsum(np.bincount(codes, minlength=len(keys.dictionary)))
        self._codes = {key: code for code, key in enumerate(keys.dictionary.to_pylist())}
        self._length = len(maps)

    def lookup(self, key: str) -> pa.Array:
        """Return the value that each map has for a key, the first if it has several; null if it has none."""
        code = self._codes.get(key)
        if code is None:
            return pa.nulls(self._length, self._values.type)
        begin = int(self._ends[code - 1]) if code else 0
        # The entries with the key. Backwards, because of several values for one row numpy keeps the last.
        entries = self._order[begin : int(self._ends[code])][::-1]
        entry_of_row = np.full(self._length, -1)
        entry_of_row[self._rows[entries]] = entries
        return self._values.take(pa.array(entry_of_row, mask=entry_of_row < 0))


# Higher levels take longer, and save little more.
_ZSTD: Final = pa.Codec("zstd", compression_level=1)
# Workers are processes, one a core: threads within one would only wait for each other.
_LARGE: Final = pa.ipc.IpcWriteOptions(compression="zstd", use_threads=False)
# For a small batch zstd takes longer to set up each column than to compress it: LZ4 writes 250 mentions in 0.02 ms
# instead of 0.14, and reads them in 0.01 instead of 0.10 (2026-11, pyarrow 25). Large batches take 1.8 times the room
# with LZ4.
_SMALL: Final = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
_SMALL_BYTES: Final = 1 << 16
_READ: Final = pa.ipc.IpcReadOptions(use_threads=False)


def encode(table: pa.Table) -> bytes:
    """Return a table as one Arrow IPC stream, compressed: by LZ4 if it is small, else by zstd."""
    sink = io.BytesIO()
    options = _SMALL if table.nbytes < _SMALL_BYTES else _LARGE
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return sink.getvalue()


def decode(data: bytes) -> pa.Table:
    """Return the table that ``encode`` made these bytes from."""
    with pa.ipc.open_stream(pa.py_buffer(data), options=_READ) as reader:
        return reader.read_all()


def encode_numbers(numbers: Numbers) -> bytes:
    """Numbers as compressed differences; ascending numbers take the least space."""
    return _ZSTD.compress(np.diff(numbers, prepend=0).tobytes(), asbytes=True)


def decode_numbers(data: bytes) -> Numbers:
    """Return the numbers that ``encode_numbers`` made these bytes from."""
    with pa.input_stream(pa.py_buffer(data), compression="zstd") as stream:
        return np.cumsum(np.frombuffer(stream.read(), np.int64))
