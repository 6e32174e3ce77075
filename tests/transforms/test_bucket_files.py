"""Bucket files: every batch comes back out of its bucket, and a file that is not whole is refused with its name."""

from pathlib import Path

import pytest

from wikisem.errors import StageError
from wikisem.transforms.io.shuffle import create_bucket_file, read_bucket

BATCHES_OF_BUCKETS = [("b", b"first of b"), ("a", b"of a"), ("b", b""), ("b", b"third of b"), ("7", b"of 7")]


def write(path: str, batches: list[tuple[str, bytes]] = BATCHES_OF_BUCKETS) -> str:
    """A bucket file of these batches."""
    with create_bucket_file(path) as file:
        for bucket, batch in batches:
            file.add(bucket, batch)
    return path


def test_batches_come_bucket_by_bucket_in_the_order_of_writing(tmp_path: Path) -> None:
    """A number and its string are one bucket; a bucket that nothing was added to is empty."""
    path = write(f"{tmp_path}/0.buckets")
    assert list(read_bucket(path, ["a", "nowhere", "b"])) == [b"of a", b"first of b", b"", b"third of b"]
    assert list(read_bucket(path, [7])) == [b"of 7"]


def test_a_part_without_rows_is_a_file_too(tmp_path: Path) -> None:
    """So that a missing file is always a mistake."""
    path = write(f"{tmp_path}/0.buckets", [])
    assert list(read_bucket(path, ["a"])) == []


def test_a_part_that_is_written_again_is_the_same_file(tmp_path: Path) -> None:
    """In place of the first one."""
    path = write(f"{tmp_path}/0.buckets")
    first = Path(path).read_bytes()
    write(path)
    assert Path(path).read_bytes() == first
    assert [each.name for each in tmp_path.iterdir()] == ["0.buckets"]


def test_a_part_that_failed_leaves_nothing_that_can_be_read(tmp_path: Path) -> None:
    """Whatever had been written of it."""
    with pytest.raises(ZeroDivisionError), create_bucket_file(f"{tmp_path}/0.buckets") as file:
        file.add("a", b"half of it")
        _ = 1 // 0
    with pytest.raises(StageError, match=r"0\.buckets"):
        list(read_bucket(f"{tmp_path}/0.buckets", ["a"]))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """Not taken for a part without rows."""
    with pytest.raises(StageError, match=r"expected a bucket file, saw .*/3\.buckets that cannot be read"):
        list(read_bucket(f"{tmp_path}/3.buckets", ["a"]))


def test_a_missing_object_is_named() -> None:
    """As a file of this machine is."""
    with pytest.raises(StageError, match=r"saw memory://absent/3\.buckets that cannot be read: .* no such file"):
        list(read_bucket("memory://absent/3.buckets", ["a"]))


def test_no_file_that_is_cut_short_is_read(tmp_path: Path) -> None:
    """Wherever it is cut."""
    path = Path(write(f"{tmp_path}/0.buckets"))
    data = path.read_bytes()
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(StageError, match=r"0\.buckets: expected a whole bucket file, saw .*run the command again"):
            list(read_bucket(str(path), ["a", "b", "7"]))


def test_no_damaged_byte_is_read(tmp_path: Path) -> None:
    """Whichever bit of it is another one."""
    path = Path(write(f"{tmp_path}/0.buckets"))
    data = bytearray(path.read_bytes())
    for position in range(len(data)):
        data[position] ^= 1 << position % 8
        path.write_bytes(data)
        with pytest.raises(StageError, match=r"0\.buckets: expected a whole bucket file"):
            list(read_bucket(str(path), ["a", "b", "7"]))
        data[position] ^= 1 << position % 8
