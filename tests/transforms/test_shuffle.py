"""Rows through files and shuffles: what goes in comes out, and the same rows are the same bytes."""

from pathlib import Path

import pyarrow as pa

from wikisem.arrow.buckets import bucket_of
from wikisem.records import Counts
from wikisem.schemas import MENTIONS
from wikisem.transforms.io.counts import sum_counts, write_counts
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
    assert sum_counts(f"{tmp_path}/counts/*.json") == Counts(5, 2, {"namespace": 1, "redirect": 1}, {"bad": 1})
