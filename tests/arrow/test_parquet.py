"""Parquet files that are damaged: each is named, and none hands out numbers that lead outside of what was read."""

import io
import random
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from wikisem.arrow.parquet import _Blocks, read_batches, read_parquet, read_row_groups, write_parquet
from wikisem.errors import DamagedInputError

ROWS = 500


def _write(path: Path) -> bytes:
    """Lists of few strings, whose indices into a dictionary take most of the file."""
    draw = random.Random(1)
    lists = [[f"Q{draw.randrange(9)}" for _ in range(draw.randrange(4))] for _ in range(ROWS)]
    write_parquet(str(path), pa.table({"instance_of": lists, "qid": [f"Q{at}" for at in range(ROWS)]}))
    return path.read_bytes()


def _seal(data: bytes) -> bytes:
    """Parquet that another program wrote, with checksums that fit it, whatever it holds."""
    footer = int.from_bytes(data[-8:-4], "little") + 8
    sink = io.BytesIO()
    blocks = _Blocks(sink)
    blocks.write(data[:-footer])
    blocks.footer = []
    blocks.write(data[-footer:])
    blocks.seal()
    return sink.getvalue()


def test_flipped_bits_lead_nowhere(tmp_path: Path) -> None:
    """pyarrow takes indices of a dictionary from the file as they are: such a column is looked at before it is used."""
    path, draw, outcomes = tmp_path / "items.parquet", random.Random(1), Counter[str]()
    _write(path)
    plain = io.BytesIO()
    pq.write_table(read_parquet(str(path)), plain)
    pages = len(plain.getvalue()) - int.from_bytes(plain.getvalue()[-8:-4], "little") - 8
    for _ in range(800):
        data = bytearray(plain.getvalue())
        data[draw.randrange(4, pages)] ^= 1 << draw.randrange(8)
        path.write_bytes(_seal(bytes(data)))
        try:
            tables = list(read_row_groups(str(path), ["instance_of"], ["instance_of.list.element"]))
        except DamagedInputError as error:
            assert str(path) in str(error)
            outcomes["indices" if "indices" in str(error) else "refused"] += 1
        else:
            for table in tables:
                table.validate(full=True)
            outcomes["read"] += 1
    assert min(outcomes[kind] for kind in ("indices", "refused", "read")) > 0


@pytest.mark.parametrize("size", [0, 3, 100, -1])
def test_a_file_that_is_cut_off_is_named(tmp_path: Path, size: int) -> None:
    """By every way to read it."""
    path = tmp_path / "items.parquet"
    path.write_bytes(_write(path)[:size])
    for read in (
        lambda: read_parquet(str(path)),
        lambda: list(read_batches(str(path), ["qid"])),
        lambda: list(read_row_groups(str(path), ["qid"])),
    ):
        with pytest.raises(DamagedInputError, match=r"items\.parquet: expected Parquet with checksums"):
            read()
