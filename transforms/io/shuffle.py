"""Rows through a shuffle as (bucket, batch) elements: compressed Arrow batches, never one element a row."""

from collections.abc import Iterable, Iterator

import pyarrow as pa

from wikisem.arrow.buckets import split
from wikisem.arrow.ipc import decode, encode


def to_buckets(table: pa.Table, column: str) -> Iterator[tuple[int, bytes]]:
    """The rows as one batch for each bucket of the texts in ``column``: what a mapper yields."""
    for bucket, rows in split(table, column):
        yield bucket, encode(rows)


def from_batches(batches: Iterable[bytes], schema: pa.Schema) -> pa.Table:
    """All rows of a bucket as one table, in the order in which batches happened to arrive."""
    return pa.concat_tables([schema.empty_table(), *(decode(batch) for batch in batches)])
