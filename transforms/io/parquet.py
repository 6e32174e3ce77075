"""Parquet through Beam's file systems, always the same bytes for the same rows."""

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from wikisem.arrow.buckets import BUCKETS
from wikisem.transforms.io.files import create_binary, open_binary


def write_parquet(path: str, table: pa.Table, dictionaries: bool = True) -> None:
    """Write a table as one Parquet file; the bytes depend on its rows alone, not on how they were chunked.

    Columns whose values hardly repeat, or are side by side when they do, are smaller and faster without dictionaries.
    """
    with create_binary(path) as sink:
        pq.write_table(table.combine_chunks(), sink, compression="zstd", use_dictionary=dictionaries)


def read_parquet(path: str, columns: Sequence[str] | None = None) -> pa.Table:
    """A whole Parquet file, or the columns that are asked for."""
    with open_binary(path) as source:
        return pq.ParquetFile(source).read(None if columns is None else list(columns), use_threads=False)


def read_batches(path: str, columns: Sequence[str], rows: int = 1 << 16) -> Iterator[pa.Table]:
    """The columns of a Parquet file, so many rows at a time."""
    with open_binary(path) as source:
        for batch in pq.ParquetFile(source).iter_batches(rows, columns=list(columns), use_threads=False):
            yield pa.Table.from_batches([batch])


def read_row_groups(path: str, columns: Sequence[str], coded: Sequence[str] = ()) -> Iterator[pa.Table]:
    """The columns of a Parquet file, one row group at a time: faster than batches, where rows are small.

    ``coded`` names columns that come dictionary-encoded; in a list, ``column.list.element``.
    """
    with open_binary(path) as source:
        file = pq.ParquetFile(source, read_dictionary=list(coded))
        for number in range(file.num_row_groups):
            yield file.read_row_group(number, list(columns), use_threads=False)


def bucket_path(folder: str, bucket: int) -> str:
    """The file of one bucket; the number of buckets is in its name, for who has another number must not read it."""
    return f"{folder}/bucket-{bucket:02d}-of-{BUCKETS}.parquet"
