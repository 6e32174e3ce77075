"""Tables of many rows to buckets and back: split by the hash of a string, summed, and sorted into the order of files.

Neither a bucket nor an order depends on how rows came together, and no row is ever a Python value.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from wikisem.arrow.columns import Numbers, distinct, is_in, join, qid_numbers
from wikisem.arrow.parquet import CheckedWriter, bucket_name, open_parquet
from wikisem.errors import DamagedInputError
from wikisem.files import open_binary
from wikisem.sampling import hash_keys
from wikisem.schemas import ITEM_INDEX, MENTIONS

# The most buckets that files are merged in: few enough that what a mapper writes to each stays large.
BUCKETS: Final = 256
# Fewer pages than the key are merged in this many buckets. Below 20,000, one worker has merged them before more
# files would have been opened (2026-11). Above, a bucket has at most 62,500 pages, which bounds memory.
_FEW_PAGES: Final = {20_000: 1, 500_000: 8, 4_000_000: 64}
# Before pages are counted, a dump is taken to have one in this many bytes: a compressed page has a kilobyte or more.
BYTES_OF_PAGE: Final = 1 << 10
# Strings hashed at a time: all that is computed stays in a core's cache, which is twice as fast as all at once.
_BLOCK: Final = 1 << 15
_WORD: Final = 8
# The lowest n bytes of a little-endian word, for n from 0 to 8.
_LOW_BYTES: Final = np.array([2 ** (8 * n) - 1 for n in range(_WORD + 1)], np.uint64)
# How many rows are held in memory before they are summed or yielded.
MAX_HELD: Final = 1 << 20


def split(table: pa.Table, column: str, buckets: int = BUCKETS) -> Iterator[tuple[int, pa.Table]]:
    """The rows of each bucket (from 0) that has any, by the string in ``column``, in their order within the bucket."""
    numbers = (hash_strings(table[column].combine_chunks()) % np.uint64(buckets)).astype(np.uint16)
    ordered = table.take(pa.array(np.argsort(numbers, kind="stable")))
    ends = np.cumsum(np.bincount(numbers, minlength=buckets))
    for bucket, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        if end > start:
            yield bucket, ordered.slice(start, end - start)


def buckets_for(pages: int) -> int:
    """Return how many buckets a wiki with this many articles is merged in.

    >>> [buckets_for(pages) for pages in (2_000, 100_000, 3_000_000, 7_000_000)]
    [1, 8, 64, 256]
    """
    return next((buckets for few, buckets in _FEW_PAGES.items() if pages < few), BUCKETS)


def hash_strings(strings: pa.StringArray) -> npt.NDArray[np.uint64]:
    """Return the 64-bit hash of each string, shape ``(n,)``. Strings must not be null.

    A string is folded eight bytes at a time through ``sampling.hash_keys``, so its hash depends only on its UTF-8
    bytes: not on the process, machine, library version or place in the table.
    """
    assert strings.null_count == 0, "a string that is hashed is not null"
    hashes_of_blocks = [np.zeros(0, np.uint64)]
    # Strings of Arrow are one buffer of bytes, and offsets: where each begins, and the last ends.
    for begin in range(0, len(strings), _BLOCK):
        block = strings[begin : begin + _BLOCK]
        hashes_of_blocks.append(np.zeros(len(block), np.uint64))
        _, offsets, data = block.buffers()
        if offsets is None or data is None:  # only empty strings
            continue
        borders = np.frombuffer(offsets, np.int32)[block.offset : block.offset + len(block) + 1].astype(np.int64)
        starts, lengths, size = borders[:-1] - borders[0], np.diff(borders), int(borders[-1] - borders[0])
        # The little-endian word that begins at each byte of all strings, which overlap.
        padded = np.zeros(size + _WORD, np.uint8)
        padded[:size] = np.frombuffer(data, np.uint8)[borders[0] : borders[-1]]
        words = np.ndarray((size + 1,), "<u8", padded.data, strides=(1,))
        hashes = hashes_of_blocks[-1]
        hashes[:] = lengths
        active, done = np.flatnonzero(lengths), 0  # strings with bytes left, and the bytes of each that are hashed
        while active.size:
            # The next eight bytes, or what is left and zeros.
            word = words[starts[active] + done] & _LOW_BYTES[np.minimum(lengths[active] - done, _WORD)]
            hashes[active] = hash_keys(0, hashes[active] ^ word)
            done += _WORD
            active = active[lengths[active] > done]
    return np.concatenate(hashes_of_blocks)


def sum_rows(tables: Iterable[pa.Table], schema: pa.Schema, max_held: int | None = None) -> pa.Table:
    """Rows that agree in every column but ``count`` become one with the sum; in no particular order.

    With ``max_held``, no more is held than the sum, that many rows and one table, however many rows there are.
    """
    held = [schema.empty_table()]
    count = 0
    for table in tables:
        held.append(table.select(schema.names))
        count += table.num_rows
        if max_held is not None and count >= max_held:
            held, count = [sum_rows(held, schema)], 0
    keys = [name for name in schema.names if name != "count"]
    sums = pa.concat_tables(held).group_by(keys, use_threads=False).aggregate([("count", "sum")])
    return sums.rename_columns([*keys, "count"]).select(schema.names).cast(schema)


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
            # Buckets are alike, by hash: where one sum leaves more than half of the rows, the others would, too.
            is_summed = is_summed and 2 * sums.num_rows <= rows.num_rows
            yield bucket, sums
        self._held, self._rows, self._bytes = {}, 0, 0


def sort_by(table: pa.Table, keys: Sequence[tuple[str, str]]) -> pa.Table:
    """The rows in the order of ``keys``, pairs of column and "ascending" or "descending"; strings by code point."""
    return table.sort_by(list(keys)).combine_chunks()


def sort_mentions(mentions: pa.Table) -> pa.Table:
    """Mentions by title, the most frequent anchor first, then by anchor; strings by code point."""
    keys = [("title", "ascending"), ("count", "descending"), ("anchor", "ascending")]
    return sort_by(mentions.select(MENTIONS.names).combine_chunks(), keys)


# Each file of an index has one bucket of items by number, in row groups with statistics of their numbers. So reading
# fifty items takes at most fifty row groups of the index, and as many of the entities. Larger ones make every lookup
# read more, smaller ones the footer larger: that of 7 million items has 50 KB.
_ROW_GROUP: Final = 1 << 14


def write_index(sink: BinaryIO, files: Sequence[str], row_groups: Sequence[Iterable[Numbers]]) -> None:
    """Write one bucket of an index that says in which row group of which file of entities each item is.

    ``row_groups[i]`` has the item numbers of each row group of ``files[i]``. Rows are in the order of the numbers.
    """
    listed = [(file, group, numbers) for file, found in enumerate(row_groups) for group, numbers in enumerate(found)]
    numbers = join([in_group for *_, in_group in listed])
    lengths = [len(in_group) for *_, in_group in listed]
    file_of = np.repeat(np.array([file for file, *_ in listed], np.int32), lengths)
    group_of = np.repeat(np.array([group for _, group, _ in listed], np.int32), lengths)
    order, names = np.argsort(numbers), pa.array(files, pa.string())
    writer = CheckedWriter(sink, ITEM_INDEX)
    # Names are gathered for one row group at a time: all of them take three times the room of the numbers.
    for start in range(0, len(order), _ROW_GROUP):
        rows = order[start : start + _ROW_GROUP]
        writer.write(pa.table([numbers[rows], names.take(pa.array(file_of[rows])), group_of[rows]], schema=ITEM_INDEX))
    writer.close()


def read_items(entities: str, index: Sequence[str], qids: Sequence[str], columns: Sequence[str]) -> Iterator[pa.Table]:
    """Yield the rows of items in the files of a folder: columns ``qid`` and ``columns``, in the order of the files.

    ``index`` are the paths of all files of the index. Raises DamagedInputError.
    """
    wanted = distinct(qid_numbers(pa.array(qids, pa.string())))
    # The row groups of each file of entities that have any of the items.
    row_groups: dict[str, set[int]] = defaultdict(set)
    for bucket, path in enumerate(sorted(index)):
        name = bucket_name(bucket, len(index))
        if path.rpartition("/")[2] != name:
            raise DamagedInputError(f"{path}: expected {name}, for there are {len(index)}")
        numbers = wanted[wanted % len(index) == bucket]
        if not numbers.size:
            continue
        for table in _read(path, ITEM_INDEX.names, numbers=numbers):
            found = table.filter(pa.array(is_in(table["number"].to_numpy(), numbers)))
            for file, group in zip(found["file"].to_pylist(), found["row_group"].to_pylist(), strict=True):
                row_groups[file].add(group)
    for file, groups in sorted(row_groups.items()):
        for table in _read(f"{entities}/{file}", ["qid", *columns], groups):
            yield table.filter(pa.array(is_in(qid_numbers(table["qid"]), wanted)))


def _read(
    path: str, columns: Sequence[str], row_groups: Iterable[int] = (), numbers: Numbers | None = None
) -> Iterator[pa.Table]:
    """Some ``row_groups`` of a file of entities, a table each; or of an index file, those that may have ``numbers``."""
    expected = "the row groups that the index names"
    try:
        with open_binary(path) as source, open_parquet(source, path, expected, any_writer=False) as file:
            for group in sorted(row_groups) if numbers is None else range(file.num_row_groups):
                if numbers is not None:
                    known = file.metadata.row_group(group).column(0).statistics  # its lowest and highest number
                    first, last = np.searchsorted(numbers, [known.min, known.max + 1])
                    if first == last:
                        continue
                yield file.read_row_group(group, list(columns), use_threads=False)
    except FileNotFoundError as error:
        raise DamagedInputError(f"{path}: expected {expected}, saw no such file") from error
