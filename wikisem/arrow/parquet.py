"""Parquet between stages: always the same bytes for the same rows, and all of them checked when read."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO, Final

import pyarrow as pa
import pyarrow.parquet as pq

from wikisem.arrow.checked_parquet import CheckedWriter, open_checked
from wikisem.errors import DamagedInputError, MissingInputError, WikisemError
from wikisem.files import create_binary, list_files, open_binary
from wikisem.schemas import PARQUET_ERRORS

_BUCKET: Final = re.compile(r"bucket-\d+-of-(\d+)\.parquet")


def write_parquet(path: str, table: pa.Table, dictionaries: bool = True) -> None:
    """Write a table as one Parquet file; ``CheckedWriter`` says what the bytes depend on, and what dictionaries do."""
    with create_binary(path) as sink:
        writer = CheckedWriter(sink, table.schema, dictionaries)
        writer.write(table)
        writer.close()


def read_parquet(path: str, columns: Sequence[str] | None = None) -> pa.Table:
    """A whole Parquet file, or the columns that are asked for; DamagedInputError for one that is not whole."""
    with _open(path) as file:
        return file.read(None if columns is None else list(columns), use_threads=False)


def read_batches(path: str, columns: Sequence[str], rows: int = 1 << 16) -> Iterator[pa.Table]:
    """The columns of a Parquet file, some rows at a time."""
    with _open(path) as file:
        for batch in file.iter_batches(rows, columns=list(columns), use_threads=False):
            yield pa.Table.from_batches([batch])


def read_row_groups(path: str, columns: Sequence[str], coded: Sequence[str] = ()) -> Iterator[pa.Table]:
    """The columns of a Parquet file, one row group at a time: faster than batches, where rows are small.

    ``coded`` names columns that come dictionary-encoded; in a list, ``column.list.element``.
    """
    with _open(path, coded) as file:
        for number in range(file.num_row_groups):
            table = file.read_row_group(number, list(columns), use_threads=False)
            if coded:  # the indices of a dictionary are as they are in the file, wherever they lead
                table.validate(full=True)
            yield table


@contextmanager
def _open(path: str, coded: Sequence[str] = ()) -> Iterator[pq.ParquetFile]:
    """Open a file that a stage wrote."""
    with open_binary(path) as source, open_parquet(source, path, coded=coded, any_writer=False) as file:
        yield file


@contextmanager
def open_parquet(
    source: BinaryIO,
    path: str,
    expected: str = "a whole Parquet file",
    coded: Sequence[str] = (),
    any_writer: bool = True,
) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file with ``open_checked``; what Arrow raises becomes a DamagedInputError that names it."""
    try:
        yield open_checked(source, path, coded, any_writer)
    except PARQUET_ERRORS as error:
        if isinstance(error, WikisemError) or (isinstance(error, OSError) and error.errno is not None):
            raise
        saw = str(error).partition("\n")[0] or type(error).__name__
        raise DamagedInputError(f"{path}: expected {expected}, saw {saw}") from error


def bucket_name(bucket: int, buckets: int) -> str:
    """The name of the file of a bucket."""
    return f"bucket-{bucket:0{max(2, len(str(buckets - 1)))}}-of-{buckets}.parquet"


def bucket_path(folder: str, bucket: int, buckets: int) -> str:
    """The file of a bucket in a folder."""
    return f"{folder}/{bucket_name(bucket, buckets)}"


def count_buckets(folder: str) -> int:
    """How many buckets the files of a folder are in; MissingInputError unless each of them has its file."""
    names = {path.rpartition("/")[2] for path in list_files(f"{folder}/bucket-*.parquet")}
    counts = sorted({int(found[1]) for found in map(_BUCKET.fullmatch, names) if found})
    if len(counts) != 1:
        raise MissingInputError(f"expected {folder}/bucket-NN-of-NN.parquet with one number of buckets, saw {counts}")
    expected = {bucket_name(bucket, counts[0]) for bucket in range(counts[0])}
    if missing := sorted(expected - names):
        raise MissingInputError(f"expected {counts[0]} buckets in {folder}, saw no {missing[0]}")
    return counts[0]
