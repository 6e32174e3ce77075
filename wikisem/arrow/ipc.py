"""Arrow tables as compressed bytes: the form in which rows travel through a shuffle, never one element a row."""

import io
from typing import Final

import pyarrow as pa

# Workers are processes, one a core: threads within one would only wait for each other.
_OPTIONS: Final = pa.ipc.IpcWriteOptions(compression="zstd", use_threads=False)


def encode(table: pa.Table) -> bytes:
    """A table as one zstd-compressed Arrow IPC stream."""
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema, options=_OPTIONS) as writer:
        writer.write_table(table)
    return sink.getvalue()


def decode(data: bytes) -> pa.Table:
    """The table that ``encode`` made these bytes from."""
    with pa.ipc.open_stream(pa.py_buffer(data)) as reader:
        return reader.read_all()
