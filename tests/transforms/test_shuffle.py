"""Rows through files and shuffles: what goes in comes out, and the same rows are the same bytes."""

from pathlib import Path

import pyarrow as pa
import pytest

from wikisem.arrow.buckets import bucket_of
from wikisem.errors import StageError
from wikisem.records import Counts
from wikisem.schemas import MENTIONS
from wikisem.transforms.io.counts import files_left, require_files, sum_counts, write_counts
from wikisem.transforms.io.parquet import read_parquet, write_parquet
from wikisem.transforms.io.shuffle import from_batches, to_buckets

TABLE = pa.table(
    {"title": ["Rīga", "Daugova", "Rīga"], "anchor": ["Reiga", "upe", "reigā"], "count": [3, 1, 2]}, MENTIONS
)


def test_rows_survive_the_shuffle() -> None:
    """Each bucket gets the rows of its titles, whatever batches they travelled in."""
    batches = [*to_buckets(TABLE.slice(0, 1), "title"), *to_buckets(TABLE.slice(1), "title")]
    bucket = int(bucket_of(pa.array(["Rīga"]))[0])
    assert len({number for number, _ in batches}) == 2
    rows = from_batches([batch for number, batch in batches if number == bucket], MENTIONS)
    assert rows.to_pylist() == [row for row in TABLE.to_pylist() if row["title"] == "Rīga"]


def test_no_batches_are_an_empty_table() -> None:
    """A bucket that nothing was sent to has the schema and no rows."""
    assert from_batches([], MENTIONS).equals(MENTIONS.empty_table())


def test_parquet_bytes_depend_on_rows_alone(tmp_path: Path) -> None:
    """A table of several chunks is written as the same bytes as a table of one."""
    write_parquet(f"{tmp_path}/one/a.parquet", TABLE)
    write_parquet(f"{tmp_path}/two/a.parquet", pa.concat_tables([TABLE.slice(0, 2), TABLE.slice(2)]))
    assert (tmp_path / "one/a.parquet").read_bytes() == (tmp_path / "two/a.parquet").read_bytes()
    assert read_parquet(f"{tmp_path}/one/a.parquet", ["count", "title"]).to_pydict() == {
        "count": [3, 1, 2],
        "title": ["Rīga", "Daugova", "Rīga"],
    }


def test_counts_of_parts_add_up(tmp_path: Path) -> None:
    """The sum is that of all parts, and a part that is written again counts once."""
    for _ in range(2):
        write_counts(f"{tmp_path}/counts/1.json", Counts(3, 1, {"redirect": 1}, {"bad": 1}))
    write_counts(f"{tmp_path}/counts/2.json", Counts(2, 1, {"namespace": 1}))
    both = [f"{tmp_path}/counts/{number}.json" for number in (1, 2)]
    assert sum_counts(both) == Counts(5, 2, {"namespace": 1, "redirect": 1}, {"bad": 1})


def test_a_part_that_is_missing_is_named_and_not_left_out_of_the_sum(tmp_path: Path) -> None:
    """Of the counts, of the names of files, and of the files themselves."""
    parts = [f"{tmp_path}/{number}.json" for number in range(3)]
    for number in (0, 2):
        write_counts(parts[number], Counts(1, 1), [f"{number}.parquet"])
    for reader in (sum_counts, files_left):
        with pytest.raises(StageError, match=r"counts of every part of the work, saw no .*1\.json"):
            reader(parts)
    write_counts(parts[1], Counts(1, 1))
    assert files_left(parts) == ["0.parquet", "2.parquet"]
    require_files(str(tmp_path), ["0.json", "2.json"])
    with pytest.raises(StageError, match=r"every part of the work to be written, saw no .*2\.parquet"):
        require_files(str(tmp_path), ["0.json", "2.parquet"])
