"""Parquet between stages: always the same bytes for the same rows, and all of them checked when read."""

import io
import re
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Final

import pyarrow as pa
import pyarrow.parquet as pq
from isal.isal_zlib import crc32

from wikisem.errors import DamagedInputError, MissingInputError, WikisemError
from wikisem.files import create_binary, list_files, open_binary
from wikisem.schemas import PARQUET_ERRORS

_BLOCK: Final = 1 << 16
_CHECKSUM: Final = struct.Struct("<I")
# The number of bytes before the checksums, the checksum of what follows the seal, the checksum of these two and of the
# checksums of blocks, and the mark of a seal.
_SEAL: Final = struct.Struct("<QII8s")
_SUMS: Final = struct.Struct("<QI")  # the first two of these
_MARK: Final = b"CHECKED1"
# The last bytes of Parquet: the length of the footer, and PAR1.
_LENGTH: Final = struct.Struct("<I4s")
# How much of the end is read at first: more than the footer and the checksums of most files.
_TAIL_BYTES: Final = 1 << 16


class CheckedWriter:
    """A Parquet file of tables of one schema, a row group or more for each; the bytes depend on their rows alone.

    Columns whose values hardly repeat, or are side by side when they do, are smaller and faster without dictionaries.
    A row group has at most ``rows`` rows; a few rows that are read alone cost their whole row groups.
    """

    def __init__(self, sink: BinaryIO, schema: pa.Schema, dictionaries: bool = True, rows: int = 1 << 20) -> None:
        self._blocks, self._rows = _Blocks(sink), rows
        self._writer = pq.ParquetWriter(
            self._blocks, schema, compression="zstd", use_dictionary=dictionaries, write_page_checksum=True
        )

    def write(self, table: pa.Table) -> None:
        """Write the rows of a table."""
        self._writer.write_table(table.combine_chunks(), self._rows)

    def close(self) -> None:
        """Write checksums and footer; the file is the caller's to close."""
        self._blocks.footer = []
        self._writer.close()
        self._blocks.seal()


def end_checksum(source: BinaryIO) -> int | None:
    """Return the checksum of the checksums and the footer of a file, and so of all of it; None if these do not fit."""
    with suppress(DamagedInputError):
        tail = _read_tail(source, "")
        return None if tail is None else crc32(tail[1])
    return None


class _Blocks(io.BufferedIOBase):
    """The file that Arrow writes to: pages go to the file and into checksums; the ``footer`` waits for these.

    It is None until the last page has been written; then it has what comes after the pages.
    """

    def __init__(self, sink: BinaryIO) -> None:
        super().__init__()
        self._sink, self._size = sink, 0
        self._checksums: list[int] = []
        self.footer: list[bytes] | None = None

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._size + sum(map(len, self.footer or ()))

    def write(self, data: Any, /) -> int:
        """Write pages, and find the checksum of each block of 64 KiB, or keep the footer for later; return the size."""
        if self.footer is not None:
            self.footer.append(bytes(data))
            return len(data)
        view, done = memoryview(data), 0
        while done < len(view):
            filled = self._size % _BLOCK
            if not filled:
                self._checksums.append(0)
            part = view[done : done + _BLOCK - filled]  # up to the end of the block
            self._checksums[-1] = crc32(part, self._checksums[-1])
            self._size, done = self._size + len(part), done + len(part)
        self._sink.write(data)
        return len(view)

    def seal(self) -> None:
        """Write the checksums, the seal and the footer."""
        footer = b"".join(self.footer or ())
        checksums = struct.pack(f"<{len(self._checksums)}I", *self._checksums)
        after = crc32(footer)
        whole = crc32(_SUMS.pack(self._size, after), crc32(checksums))
        self._sink.write(checksums + _SEAL.pack(self._size, after, whole, _MARK) + footer)


def _read_tail(source: BinaryIO, path: str) -> tuple[int, bytes] | None:
    """Where the checksums of a Parquet file begin, after its pages, and all bytes from there on.

    None if ``CheckedWriter`` did not write the file; DamagedInputError if it did, and any of these bytes changed.

        pages | a checksum for each block of pages | seal | footer | its length, PAR1
    """
    size = source.seek(0, io.SEEK_END)
    end = _read(source, max(0, size - _TAIL_BYTES), size)
    if len(end) < _LENGTH.size:
        return None
    footer_size = _LENGTH.unpack(end[-_LENGTH.size :])[0] + _LENGTH.size
    from_seal = _SEAL.size + footer_size
    if from_seal > size:
        return None
    if from_seal > len(end):
        end = _read(source, size - from_seal, size)
    page_bytes, footer_sum, whole_sum, mark = _SEAL.unpack_from(end, len(end) - from_seal)
    if mark != _MARK:
        return None
    start = size - from_seal - -(-page_bytes // _BLOCK) * _CHECKSUM.size  # one for the last block, too, if it is short
    if start == page_bytes:  # the checksums begin where the pages end, or else the seal is damaged
        data = end[start - size :] if size - start <= len(end) else _read(source, start, size)
        sums = crc32(_SUMS.pack(page_bytes, footer_sum), crc32(data[:-from_seal]))
        if crc32(data[-footer_size:]) == footer_sum and sums == whole_sum:
            return start, data
    raise DamagedInputError(f"{path}: expected the checksums that were written, saw other bytes at its end")


def _read(source: BinaryIO, start: int, stop: int) -> bytes:
    source.seek(start)
    return source.read(stop - start)


class _CheckedFile(io.RawIOBase):
    """The file that Arrow reads from, in whole blocks that are checked, up to byte ``border``; ``tail`` is the rest."""

    def __init__(self, source: BinaryIO, path: str, border: int, tail: bytes) -> None:
        super().__init__()
        self._source, self._path, self._border, self._tail = source, path, border, tail
        self._at = 0

    def readable(self) -> bool:
        return True

    seekable = readable

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._border + len(self._tail)}
        self._at = origin[whence] + offset
        return self._at

    def read(self, size: int = -1, /) -> bytes:
        """Return the next ``size`` bytes, or all if it is negative; DamagedInputError if a checksum differs.

        Pages, up to ``border``, are read in whole blocks, each with a checksum at the start of ``tail``. This has all
        bytes from ``border`` on, and was checked when the file was opened.
        """
        border, tail = self._border, self._tail
        start, stop = self._at, border + len(tail) if size < 0 else self._at + size
        data = b""
        if start < border:
            # The blocks from that of the first byte to that of the last.
            first = start // _BLOCK
            begin, end = first * _BLOCK, min(border, -(-stop // _BLOCK) * _BLOCK)
            blocks = memoryview(_read(self._source, begin, end))
            if len(blocks) != end - begin:
                raise DamagedInputError(f"{self._path}: expected {end:,} bytes, saw that the file is shorter now")
            for number, block in enumerate(range(0, len(blocks), _BLOCK), first):
                if crc32(blocks[block : block + _BLOCK]) != _CHECKSUM.unpack_from(tail, number * _CHECKSUM.size)[0]:
                    raise DamagedInputError(
                        f"{self._path}: expected the bytes that were written, saw others after byte {number * _BLOCK:,}"
                    )
            data = bytes(blocks[start - begin : min(stop, border) - begin])
        if stop > border:
            data += tail[max(start, border) - border : stop - border]
        self._at += len(data)
        return data


_BUCKET: Final = re.compile(r"bucket-\d+-of-(\d+)\.parquet")


def write_parquet(path: str, table: pa.Table, dictionaries: bool = True) -> None:
    """Write a table as one Parquet file; ``CheckedWriter`` says what the bytes depend on, and what dictionaries do."""
    with create_binary(path) as sink:
        writer = CheckedWriter(sink, table.schema, dictionaries)
        writer.write(table)
        writer.close()


def read_parquet(path: str, columns: Sequence[str] | None = None) -> pa.Table:
    """Return a whole Parquet file, or the columns that are asked for; DamagedInputError for one that is not whole."""
    with open_binary(path) as source, open_parquet(source, path, any_writer=False) as file:
        return file.read(None if columns is None else list(columns), use_threads=False)


def read_batches(path: str, columns: Sequence[str]) -> Iterator[pa.Table]:
    """Yield the columns of a Parquet file, some rows at a time."""
    with open_binary(path) as source, open_parquet(source, path, any_writer=False) as file:
        for batch in file.iter_batches(1 << 16, columns=list(columns), use_threads=False):
            yield pa.Table.from_batches([batch])


def read_row_groups(path: str, columns: Sequence[str], coded: Sequence[str] = ()) -> Iterator[pa.Table]:
    """Yield columns of a Parquet file by row group, faster than batches of small rows; ``coded`` as in open_parquet."""
    with open_binary(path) as source, open_parquet(source, path, coded=coded, any_writer=False) as file:
        for number in range(file.num_row_groups):
            table = file.read_row_group(number, list(columns), use_threads=False)
            if coded:  # the indices of a dictionary are as they are in the file, wherever they lead
                table.validate(full=True)
            yield table


@contextmanager
def open_parquet(
    source: BinaryIO,
    path: str,
    expected: str = "a whole Parquet file",
    coded: Sequence[str] = (),
    any_writer: bool = True,
) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file, every byte of which is checked as it is read if ``CheckedWriter`` wrote it.

    A damaged byte ends in DamagedInputError, here or in the caller's ``with`` block, where errors of Arrow become one,
    too. With ``any_writer`` also a file of another program is opened: what is checked of it are its pages, if they have
    checksums. ``coded`` names columns that come dictionary-encoded; in a list, ``column.list.element``.
    """
    try:
        checked = _read_tail(source, path)  # None if another program wrote the file
        options: dict[str, Any] = {"read_dictionary": list(coded), "page_checksum_verification": True}
        if checked is not None:
            # The footer is in the tail. Arrow would read the last 64 KiB for it, with pages that nobody asked for.
            border, tail = checked
            metadata = pq.read_metadata(pa.BufferReader(tail))
            yield pq.ParquetFile(_CheckedFile(source, path, border, tail), metadata=metadata, **options)
        elif any_writer:
            yield pq.ParquetFile(source, **options)
        else:
            raise DamagedInputError(f"{path}: expected Parquet with checksums at its end, saw none")
    except PARQUET_ERRORS as error:
        # An OSError with a number is the system's, such as a disk that fails; those of Arrow about damage have none.
        if isinstance(error, WikisemError) or (isinstance(error, OSError) and error.errno is not None):
            raise
        saw = str(error).partition("\n")[0] or type(error).__name__
        raise DamagedInputError(f"{path}: expected {expected}, saw {saw}") from error


def bucket_name(bucket: int, buckets: int) -> str:
    """Return the name of the file of a bucket."""
    return f"bucket-{bucket:0{max(2, len(str(buckets - 1)))}}-of-{buckets}.parquet"


def bucket_path(folder: str, bucket: int, buckets: int) -> str:
    """Return the file of a bucket in a folder."""
    return f"{folder}/{bucket_name(bucket, buckets)}"


def count_buckets(folder: str) -> int:
    """Return how many buckets the files of a folder are in; MissingInputError unless each of them has its file."""
    names = {path.rpartition("/")[2] for path in list_files(f"{folder}/bucket-*.parquet")}
    counts = sorted({int(found[1]) for found in map(_BUCKET.fullmatch, names) if found})
    if len(counts) != 1:
        raise MissingInputError(f"expected {folder}/bucket-NN-of-NN.parquet with one number of buckets, saw {counts}")
    expected = {bucket_name(bucket, counts[0]) for bucket in range(counts[0])}
    if missing := sorted(expected - names):
        raise MissingInputError(f"expected {counts[0]} buckets in {folder}, saw no {missing[0]}")
    return counts[0]
