"""Tables of a release as Parquet files that say what they are made from."""

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.parquet as pq


def parquet_bytes(table: pa.Table, metadata: Mapping[str, str]) -> bytes:
    """A Parquet file with the table, and key-value metadata that any reader shows; the same bytes every time."""
    about = {**(table.schema.metadata or {}), **{key.encode(): value.encode() for key, value in metadata.items()}}
    sink = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata(about), sink, compression="zstd", write_page_checksum=True)
    return bytes(sink.getvalue())
