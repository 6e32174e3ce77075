"""Arrow tables and arrays of numbers as compressed bytes: what travels through a shuffle, never one element a row."""

import io
from typing import Final

import numpy as np
import pyarrow as pa
import zstandard

from wikisem.arrow.numbers import Numbers

# Higher levels of zstd take longer, and save little more.
_LEVEL: Final = 1
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


def encode_numbers(numbers: Numbers) -> bytes:
    """Numbers as compressed differences; ascending ones take least room."""
    return zstandard.compress(np.diff(numbers, prepend=0).tobytes(), _LEVEL)


def decode_numbers(data: bytes) -> Numbers:
    """The numbers that ``encode_numbers`` made these bytes from."""
    numbers: Numbers = np.cumsum(np.frombuffer(zstandard.decompress(data), np.int64))
    return numbers
