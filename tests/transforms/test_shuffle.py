"""Parts of the work, counted and waited for; rows through Parquet, where the same rows are the same bytes."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from wikisem.errors import MissingInputError, StageError
from wikisem.records import Counts
from wikisem.schemas import MENTIONS
from wikisem.transforms.io.counts import files_left, require_files, sum_counts, write_counts
from wikisem.transforms.io.parquet import bucket_name, bucket_path, count_buckets, read_parquet, write_parquet
from wikisem.transforms.io.shuffle import Done, ListTasks, Task, done, same_tasks

TABLE = pa.table(
    {"title": ["Rīga", "Daugova", "Rīga"], "anchor": ["Reiga", "upe", "reigā"], "count": [3, 1, 2]}, MENTIONS
)


def tasks_when_done(*parts: Done) -> list[Task]:
    """What follows when these parts of one key are done."""
    (key,) = {key for key, _ in parts}
    return list(ListTasks("mentions", same_tasks).process((key, [part for _, part in parts])))


def test_tasks_begin_when_all_parts_are_done_in_any_order() -> None:
    """Each part gives a task; one that is handed on twice, as after a retry, gives one."""
    parts = [done("de", 2, 3), done("de", 0, 3), done("de", 1, 3), done("de", 0, 3)]
    assert tasks_when_done(*parts) == [("de", 0, 3), ("de", 1, 3), ("de", 2, 3)]


def test_a_part_that_is_missing_is_named() -> None:
    """Nothing is summed over a loss, whichever part it is of."""
    with pytest.raises(StageError, match="mentions de: expected all of 4 parts, saw none with the number 1, 3"):
        tasks_when_done(done("de", 0, 4), done("de", 2, 4))


def test_tasks_can_depend_on_what_all_parts_hold() -> None:
    """The weights arrive in the order of the parts."""
    seen: list[tuple[str, list[int]]] = []

    def tasks(key: str, weights: Sequence[int]) -> list[Task]:
        seen.append((key, list(weights)))
        return [(key, 0, 1)]

    (_, second), (_, first) = done("ja", 1, 2, weight=7), done("ja", 0, 2, weight=5)
    assert list(ListTasks("mentions", tasks).process(("ja", [second, first]))) == [("ja", 0, 1)]
    assert seen == [("ja", [5, 7])]


def test_buckets_of_a_folder_are_counted_from_its_names(tmp_path: Path) -> None:
    """A folder with one bucket missing, or with two layouts, is refused and the message says what is wrong."""
    for bucket in range(8):
        write_parquet(bucket_path(str(tmp_path), bucket, 8), TABLE)
    assert count_buckets(str(tmp_path)) == 8
    Path(bucket_path(str(tmp_path), 5, 8)).unlink()
    with pytest.raises(MissingInputError, match=r"expected 8 buckets in .*, saw no bucket-05-of-8\.parquet"):
        count_buckets(str(tmp_path))
    write_parquet(bucket_path(str(tmp_path), 0, 1), TABLE)
    with pytest.raises(MissingInputError, match=r"one number of buckets, saw \[1, 8\]"):
        count_buckets(str(tmp_path))
    with pytest.raises(MissingInputError, match=r"saw \[\]"):
        count_buckets(f"{tmp_path}/nowhere")


@pytest.mark.parametrize("buckets", [1, 8, 64, 256])
def test_names_of_buckets_sort_as_their_numbers(buckets: int) -> None:
    """However many there are, so that a listing of the folder has them in order."""
    names = [bucket_name(bucket, buckets) for bucket in range(buckets)]
    assert names == sorted(names)


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
