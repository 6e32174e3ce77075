"""Parquet with checksums of all its bytes: the same rows for any reader, and an error for any byte that changed."""

import io
import random
from contextlib import suppress
from itertools import combinations_with_replacement
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.arrow import parquet
from wikisem.arrow.parquet import CheckedWriter, end_checksum, open_parquet
from wikisem.errors import DamagedInputError

BLOCK: Final = 1 << 16
SCHEMA = pa.schema([("qid", pa.string()), ("classes", pa.list_(pa.string())), ("links", pa.int64())])
ROWS = [{"qid": f"Q{n}", "classes": [f"Q{n * n % 7}", f"Q{n % 11}"][: n % 3], "links": n} for n in range(40)]


def write(*tables: pa.Table, dictionaries: bool = False) -> bytes:
    """The bytes of a file."""
    sink = io.BytesIO()
    writer = CheckedWriter(sink, SCHEMA, dictionaries)
    for table in tables:
        writer.write(table)
    writer.close()
    return sink.getvalue()


def table(rows: list[dict[str, Any]]) -> pa.Table:
    """Rows as a table."""
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def read(data: bytes, columns: list[str] | None = None, *, any_writer: bool = False) -> pa.Table:
    """What is read of a file."""
    with open_parquet(io.BytesIO(data), "a.parquet", any_writer=any_writer) as file:
        return file.read(columns, use_threads=False)


@given(
    parts=st.lists(st.integers(0, 40), max_size=4),
    dictionaries=st.booleans(),
    wide=st.sampled_from([0, 65_536, 200_000]),
)
def test_any_reader_reads_what_was_written(parts: list[int], dictionaries: bool, wide: int) -> None:
    """In one block or many, with any number of row groups; the checksums that wikisem adds are in nobody's way."""
    tables = [table([*ROWS[:number], {"qid": "é" * wide}]) for number in parts]
    data = write(*tables, dictionaries=dictionaries)
    expected = pa.concat_tables([SCHEMA.empty_table(), *tables])
    assert read(data) == pq.read_table(io.BytesIO(data)) == expected
    assert read(data, ["links"]) == expected.select(["links"])
    with open_parquet(io.BytesIO(data), "a.parquet", any_writer=False) as file:
        assert [file.read_row_group(number) for number in range(file.num_row_groups)] == tables


def test_the_bytes_depend_on_the_rows_alone() -> None:
    """Not on how they came in chunks."""
    chunked = pa.concat_tables([table(ROWS[:7]), table(ROWS[7:])])
    assert write(chunked) == write(table(ROWS))


def test_other_readers_find_checksums_of_pages() -> None:
    """A page whose bytes changed is refused by Arrow alone."""
    data = bytearray(write(table(ROWS)))
    last = pq.ParquetFile(io.BytesIO(data)).metadata.row_group(0).column(2)
    data[last.data_page_offset + last.total_compressed_size - 1] ^= 1
    with pytest.raises(OSError, match=r"(?i)crc checksum"):
        pq.ParquetFile(io.BytesIO(data), page_checksum_verification=True).read()


def flipped(data: bytes, bit: int) -> bytes:
    """The bytes with one bit changed."""
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.slow
def test_every_bit_that_flips_is_noticed() -> None:
    """In pages, their headers, the checksums and the footer."""
    data = write(table(ROWS))
    for bit in range(8 * len(data)):
        with pytest.raises(DamagedInputError):
            read(flipped(data, bit))


def test_checksums_of_pages_alone_would_not_do() -> None:
    """Arrow reads fewer values after some bits that flip in the header of a page, and says nothing."""
    data = write(table(ROWS))
    column = pq.ParquetFile(io.BytesIO(data)).metadata.row_group(0).column(1)
    misread = 0
    for bit in range(8 * column.data_page_offset, 8 * column.data_page_offset + 400):
        file = io.BytesIO(flipped(data, bit))
        with suppress(OSError, pa.ArrowInvalid):
            found = pq.ParquetFile(file, page_checksum_verification=True).read(["classes"])
            misread += found != table(ROWS).select(["classes"])
    assert misread > 0


def test_what_changed_before_it_came_to_the_file_is_found_by_the_checksums_of_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Arrow made those when it encoded the rows, earlier than those of blocks."""
    write_ = parquet._Blocks.write

    def write_other(self: parquet._Blocks, data: bytes) -> int:
        return write_(self, data if len(data) < 100 else flipped(data, 8 * len(data) - 1))

    rows = table([{"qid": random.Random(n).randbytes(40).hex()} for n in range(90)])
    assert read(write(rows)) == rows
    monkeypatch.setattr(parquet._Blocks, "write", write_other)
    with pytest.raises(DamagedInputError, match=r"(?i)a\.parquet: .*crc checksum"):
        read(write(rows))


def test_any_bytes_can_be_asked_for() -> None:
    """Of the rows, of the footer, and of both."""
    written = write(table([{"qid": random.Random(1).randbytes(BLOCK).hex()}]))
    source = io.BytesIO(written)
    tail = parquet._read_tail(source, "a.parquet")
    assert tail is not None
    assert BLOCK < tail[0] < len(written)
    file = parquet._CheckedFile(source, "a.parquet", *tail)
    places = sorted({0, BLOCK - 1, BLOCK, tail[0] - 1, tail[0], tail[0] + 1, len(written) - 1, len(written)})
    for start, stop in combinations_with_replacement(places, 2):
        file.seek(start)
        assert file.read(stop - start) == written[start:stop]
        assert file.tell() == stop


def test_damage_is_found_when_its_block_is_read() -> None:
    """Where it is in a column that nobody asks for, the others are read."""
    rows = table([{"qid": random.Random(n).randbytes(40).hex(), "classes": ["a"], "links": n} for n in range(5_000)])
    written = write(rows)
    blocks = range(pq.ParquetFile(io.BytesIO(written)).metadata.row_group(0).column(2).data_page_offset // BLOCK)
    assert len(blocks) > 2
    for block in blocks:
        changed = flipped(written, 8 * (block * BLOCK + random.Random(block).randrange(BLOCK)))
        assert read(changed, ["links"]) == rows.select(["links"])
        with pytest.raises(DamagedInputError, match=rf"a\.parquet: .* saw others after byte {block * BLOCK:,}$"):
            read(changed)


@pytest.mark.parametrize("size", [0, 3, 11, 500])
def test_zeros_and_other_files_are_refused(size: int) -> None:
    """A file without the checksums, cut short or overwritten, is not one of ours."""
    plain = io.BytesIO()
    pq.write_table(table(ROWS), plain)
    whole = write(table(ROWS))
    for data in (bytes(size), whole[:size], whole[size + 1 :], plain.getvalue()):
        assert end_checksum(io.BytesIO(data)) is None
        with pytest.raises(DamagedInputError, match=r"a\.parquet: expected .*checksums"):
            read(data)


@pytest.mark.slow
def test_parquet_of_any_writer_is_verified_as_far_as_it_can_be() -> None:
    """All bytes of a file with checksums of blocks, the pages of one that has only theirs, nothing of any other."""
    with_pages, without = io.BytesIO(), io.BytesIO()
    pq.write_table(table(ROWS), with_pages, compression="none", use_dictionary=False, write_page_checksum=True)
    pq.write_table(table(ROWS), without, compression="none", use_dictionary=False)
    for data in (write(table(ROWS)), with_pages.getvalue(), without.getvalue()):
        assert read(data, any_writer=True) == table(ROWS)
    own = write(table(ROWS))
    for bit in range(8 * len(own)):
        with suppress(DamagedInputError):  # but where the mark of the checksums changed
            assert read(flipped(own, bit), any_writer=True) == table(ROWS)
    changed = with_pages.getvalue().replace(b"Q39", b"Q93", 1)
    with pytest.raises(DamagedInputError, match=r"(?i)a\.parquet: .*crc checksum"):
        read(changed, any_writer=True)


def test_a_file_that_shrinks_while_it_is_read_is_refused() -> None:
    """What is missing is noticed, rather than waited for or taken for zeros."""
    source = io.BytesIO(write(table(ROWS)))
    with open_parquet(source, "a.parquet", any_writer=False) as file:
        source.truncate(100)
        with pytest.raises(DamagedInputError, match="shorter"):
            file.read()


def test_the_checksum_of_the_end_changes_with_any_row() -> None:
    """It holds those of all blocks."""
    checksums = {end_checksum(io.BytesIO(write(table(ROWS[:number])))) for number in range(len(ROWS))}
    assert len(checksums) == len(ROWS)
    assert None not in checksums
