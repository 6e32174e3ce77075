"""An index of items: a few of them are read without the rest, and what does not fit is refused."""

import io
import random
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import pyarrow as pa
import pytest

from wikisem.arrow.buckets import read_items, write_index
from wikisem.arrow.parquet import CheckedWriter, bucket_name
from wikisem.errors import DamagedInputError
from wikisem.layout import index_folder

_SCHEMA = pa.schema([("qid", pa.string()), ("label", pa.string())])
_ROWS = 200
_BUCKETS = 4


class _Counting(io.FileIO):
    """A file whose bytes are counted as they are read."""

    total = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(-1 if size is None else size)
        _Counting.total += len(data)
        return data


def _open(path: str) -> BinaryIO:
    return cast(BinaryIO, _Counting(path))


def _write(folder: Path, numbers: list[int], files: int) -> list[str]:
    """Items in files, whose row groups have 200 rows each, with an index; the paths of the index."""
    (folder / "index").mkdir(parents=True)
    names, groups = [f"{file}.parquet" for file in range(files)], []
    for file, name in enumerate(names):
        own = numbers[file::files]
        groups.append([np.sort(np.array(own[at : at + _ROWS], np.int64)) for at in range(0, len(own), _ROWS)])
        with (folder / name).open("wb") as sink:
            writer = CheckedWriter(sink, _SCHEMA, dictionaries=False)
            for group in groups[-1]:
                labels = [random.Random(each).randbytes(500).hex() for each in group.tolist()]
                writer.write(pa.table([[f"Q{each}" for each in group], labels], schema=_SCHEMA))
            writer.close()
    paths = [f"{index_folder(str(folder))}/{bucket_name(bucket, _BUCKETS)}" for bucket in range(_BUCKETS)]
    for bucket, path in enumerate(paths):
        with Path(path).open("wb") as sink:
            write_index(sink, names, [[each[each % _BUCKETS == bucket] for each in found] for found in groups])
    return paths


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, list[str], list[int]]]:
    """40,000 items in no order, in five files of forty row groups."""
    folder = tmp_path_factory.mktemp("entities")
    numbers = random.Random(3).sample(range(1, 1 << 40), 40_000)
    yield folder, _write(folder, numbers, 5), numbers


def test_the_rows_of_some_items_are_read_without_the_rest(
    world: tuple[Path, list[str], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each item has its row; three of them take three row groups of 200, and little of the index."""
    folder, index, numbers = world
    wanted = [numbers[7], numbers[19_000], numbers[39_999]]
    monkeypatch.setattr("wikisem.arrow.buckets.open_binary", _open)
    _Counting.total = 0
    tables = list(read_items(str(folder), index, [f"Q{each}" for each in wanted], ["label"]))
    rows = {row["qid"]: row["label"] for table in tables for row in table.to_pylist()}
    assert rows == {f"Q{each}": random.Random(each).randbytes(500).hex() for each in wanted}
    size = sum(path.stat().st_size for path in folder.rglob("*.parquet"))
    assert size > 20_000_000
    # Of each file its last 64 KiB are read for the footer; a row group has 100 kB, and is read in blocks of 64 KiB.
    assert _Counting.total < 2_500_000


def test_what_no_file_has_has_no_row(world: tuple[Path, list[str], list[int]]) -> None:
    """Items beyond all numbers, between them and before them; and no item at all."""
    folder, index, numbers = world
    absent = sorted({1, 2, max(numbers) + 1, min(numbers) + 1} - set(numbers))
    assert list(read_items(str(folder), index, [f"Q{each}" for each in absent], ["label"])) == []
    assert list(read_items(str(folder), index, [], ["label"])) == []


def test_an_index_that_lacks_a_file_is_refused(world: tuple[Path, list[str], list[int]]) -> None:
    """Items would be looked for in the files of other buckets, and not found."""
    folder, index, _ = world
    with pytest.raises(DamagedInputError, match=r"expected bucket-00-of-3.parquet, for there are 3"):
        list(read_items(str(folder), index[1:], ["Q5"], ["label"]))


def test_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    """The message names it."""
    index = _write(tmp_path, [3, 5], 1)
    (tmp_path / "0.parquet").unlink()
    with pytest.raises(DamagedInputError, match=r"0.parquet: expected the row groups that the index names, saw "):
        list(read_items(str(tmp_path), index, ["Q5"], ["label"]))


def test_an_index_has_row_groups_by_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that of a large one those alone are read whose statistics fit."""
    monkeypatch.setattr("wikisem.arrow.buckets._ROW_GROUP", 8)
    numbers = list(range(1, 400))
    index = _write(tmp_path, numbers, 2)
    for wanted in ([1], [399], [8, 9, 200], numbers):
        tables = read_items(str(tmp_path), index, [f"Q{each}" for each in wanted], ["label"])
        assert sorted(int(qid.as_py()[1:]) for table in tables for qid in table["qid"]) == wanted
