"""Parts of the work, counted and waited for; rows through Parquet, where the same rows are the same bytes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import apache_beam as beam
import orjson
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.object_store import twice
from wikisem.arrow.buckets import split
from wikisem.arrow.columns import decode
from wikisem.arrow.parquet import bucket_name, bucket_path, count_buckets, read_parquet, write_parquet
from wikisem.errors import MissingInputError, StageError
from wikisem.files import replace_file
from wikisem.records import Counts
from wikisem.schemas import MENTIONS
from wikisem.transforms.io.counts import files_left, require_files, sum_counts, write_counts
from wikisem.transforms.io.runtime import Runtime
from wikisem.transforms.io.shuffle import Done, Sent, Shuffle, Task, done, list_tasks, same_tasks, tasks_of

TABLE = pa.table(
    {"title": ["Rīga", "Daugova", "Rīga"], "anchor": ["Reiga", "upe", "reigā"], "count": [3, 1, 2]}, MENTIONS
)


def tasks_when_done(*parts: Done) -> list[Task]:
    """What follows when these parts of one key are done."""
    (key,) = {key for key, _ in parts}
    return list(list_tasks((key, [part for _, part in parts]), "mentions", same_tasks))


def test_tasks_begin_when_all_parts_are_done_in_any_order() -> None:
    """Each part gives a task; one that is handed on twice, as after a retry, gives one."""
    parts = [done("de", 2, 3), done("de", 0, 3), done("de", 1, 3), done("de", 0, 3)]
    assert tasks_when_done(*parts) == [Task("de", 0, 3), Task("de", 1, 3), Task("de", 2, 3)]


def test_a_part_that_is_missing_is_named() -> None:
    """Nothing is summed over a loss, whichever part it is of."""
    with pytest.raises(StageError, match="mentions de: expected all of 4 parts, saw none with the number 1, 3"):
        tasks_when_done(done("de", 0, 4), done("de", 2, 4))


def test_tasks_can_depend_on_what_all_parts_hold() -> None:
    """The weights arrive in the order of the parts."""
    seen: list[tuple[str, list[int]]] = []

    def tasks(key: str, weights: Sequence[int]) -> list[Task]:
        seen.append((key, list(weights)))
        return [Task(key, 0, 1, sum(weights))]

    (_, second), (_, first) = done("ja", 1, 2, weight=7), done("ja", 0, 2, weight=5)
    assert list(list_tasks(("ja", [second, first]), "mentions", tasks)) == [Task("ja", 0, 1, 12)]
    assert seen == [("ja", [5, 7])]


class SendRows(beam.DoFn):
    """Sends the rows of a numbered part of an exchange to buckets by their text, in two turns."""

    def __init__(self, shuffle: Shuffle, parts: Sequence[int]) -> None:
        self._shuffle, self._parts = shuffle, parts

    def process(self, numbered: tuple[int, int, list[tuple[str, int]]]) -> Iterator[Done | Sent]:
        """Split and send."""
        at, number, rows = numbered
        with self._shuffle.sender("step", f"from-{at}", number) as sender:
            for some in (rows[: len(rows) // 2], rows[len(rows) // 2 :]):
                yield from sender.add_rows("rows", split(rows_of(some), "text", BUCKETS), f"to-{at}")
            yield from sender.add("sizes", 0, str(len(rows)).encode(), f"to-{at}")
        yield done(f"from-{at}", number, self._parts[at])


class WriteBucket(beam.DoFn):
    """Writes what a bucket received, part by part."""

    def __init__(self, shuffle: Shuffle, parts: Sequence[int], folder: str) -> None:
        self._shuffle, self._parts, self._folder = shuffle, parts, folder

    def process(self, task: Task) -> None:
        """Read and write."""
        at = task.key.removeprefix("to-")
        sent = range(self._parts[int(at)]), f"from-{at}"
        found = [
            [decode(batch).to_pylist() for batch in batches]
            for batches in self._shuffle.read_parts(task, "step/rows", *sent)
        ]
        rows = self._shuffle.read_table(task, "step/rows", ROWS, *sent)
        assert rows.to_pylist() == [row for part in found for batch in part for row in batch]
        sizes = [int(size) for size in self._shuffle.read(task, "step/sizes", *sent)]
        replace_file(f"{self._folder}/{at}-{task.bucket}", orjson.dumps([found, sizes]))


ROWS = pa.schema([("text", pa.string()), ("number", pa.int64())])
BUCKETS = 3
# Half of the rows have one text, so that one bucket has more than the others.
PARTS = st.lists(st.lists(st.tuples(st.just("a") | st.text(max_size=3), st.integers(0, 9)), max_size=12), max_size=4)


def rows_of(rows: Sequence[tuple[str, int]]) -> pa.Table:
    """Rows as a table."""
    return pa.table([[text for text, _ in rows], [number for _, number in rows]], ROWS)


def exchange(worlds: Sequence[Sequence[object]], folder: Path, by_engine: bool, par_do: Any) -> dict[str, Any]:
    """What each bucket received of parts that were exchanged in one of the two ways, several exchanges at once."""
    shuffle, counts = Shuffle(f"{folder}/parts", by_engine), [len(parts) for parts in worlds]

    def list_tasks(key: str, weights: Sequence[int]) -> list[Task]:
        tasks = tasks_of({key: BUCKETS})(key, weights)
        return [task._replace(key=key.replace("from", "to")) for task in tasks]

    with Runtime().pipeline(label="exchange") as pipeline:
        _ = (
            pipeline
            | beam.Create([(at, number, part) for at, parts in enumerate(worlds) for number, part in enumerate(parts)])
            | "send" >> par_do(SendRows(shuffle, counts))
            | shuffle.exchange("stage", list_tasks, "step/rows", "step/sizes")
            | "write" >> par_do(WriteBucket(shuffle, counts, f"{folder}/found"))
        )
    return {path.name: orjson.loads(path.read_bytes()) for path in (folder / "found").glob("*")}


@pytest.mark.slow
def test_both_ways_give_the_same_buckets(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same batches in the same order, whatever the tables, also where bundles run twice; each row once."""
    monkeypatch.setattr("wikisem.transforms.io.shuffle._BATCH_ROWS", 2)
    met = Counter[str]()

    @settings(deadline=None, max_examples=4, derandomize=True)
    @given(worlds=st.lists(PARTS.filter(bool), min_size=6, max_size=8))
    @example(worlds=[[[]], [[("a", 1)]], [[("a", number) for number in range(12)], [], [("a", 5), ("b", 6)]]])
    def check(worlds: list[list[list[tuple[str, int]]]]) -> None:
        folder = tmp_path_factory.mktemp("exchange")
        by_files, by_engine, by_engine_twice = (
            exchange(worlds, folder / name, name != "files", par_do)
            for name, par_do in {"files": beam.ParDo, "engine": beam.ParDo, "twice": twice}.items()
        )
        assert by_files == by_engine == by_engine_twice
        assert by_files.keys() == {f"{at}-{bucket}" for at in range(len(worlds)) for bucket in range(BUCKETS)}
        for at, parts in enumerate(worlds):
            buckets = [by_files[f"{at}-{bucket}"] for bucket in range(BUCKETS)]
            batches = [batch for rows, _ in buckets for part in rows for batch in part]
            found = [(row["text"], row["number"]) for batch in batches for row in batch]
            assert sorted(found) == sorted(row for part in parts for row in part)
            assert buckets[0][1] == [len(part) for part in parts]
            met["an exchange"] += 1
            met["several batches of a part"] += any(len(part) > 1 for rows, _ in buckets for part in rows)
            met["an empty bucket"] += any(not any(rows) for rows, _ in buckets)
            met["an empty part"] += [] in parts

    check()
    assert met.pop("an exchange") > 25
    assert all(met[case] > 2 for case in ("several batches of a part", "an empty bucket", "an empty part"))


def test_batches_that_no_task_reads_are_an_error(tmp_path: Path) -> None:
    """Not dropped in silence: a step that sends to a bucket that there is not has gone wrong."""
    shuffle = Shuffle(str(tmp_path), by_engine=True)
    with (
        pytest.raises(StageError, match=r"expected a task for bucket \d of 'to-0', saw only batches for it"),
        Runtime().pipeline(label="exchange") as pipeline,
    ):
        sent = pipeline | beam.Create([(0, 0, [("a", 1)])]) | beam.ParDo(SendRows(shuffle, [1]))
        _ = sent | shuffle.exchange("stage", tasks_of({"from-0": BUCKETS}), "step/rows")


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
