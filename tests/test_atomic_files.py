"""Files that are whole or not there."""

import os
import resource
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from wikisem.atomic_files import find_abandoned, whole_file
from wikisem.errors import OutputError
from wikisem.files import write_files

ROOT = Path(__file__).parent.parent


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    """The old text stays until the new one is there; folders are made; nothing else is left."""
    path = tmp_path / "a" / "b.txt"
    for text in (b"old", b"new"):
        with whole_file(path) as sink:
            sink.write(text)
            assert not path.exists() or path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert [entry.name for entry in path.parent.iterdir()] == ["b.txt"]


def test_files_come_in_the_order_given(tmp_path: Path) -> None:
    """Each is whole before the next is made, in folders of its own; where making one fails, those before it stay."""

    def files() -> Iterator[tuple[str, bytes]]:
        yield "data/a.js", b"a"
        assert (tmp_path / "data" / "a.js").read_bytes() == b"a"
        yield "index.html", b"page"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_files(tmp_path, files())
    assert sorted(path.name for path in tmp_path.rglob("*.*")) == ["a.js", "index.html"]


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    """An error on the way keeps the old file, and leaves no part of the new one."""
    path = tmp_path / "b.txt"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), whole_file(path) as sink:
        sink.write(b"%d" % (1 // 0))
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["b.txt"]


def test_a_file_is_published_once(tmp_path: Path) -> None:
    """However often it is closed: a later file of that name stays what it is."""
    sink = whole_file(tmp_path / "b.txt")
    sink.write(b"first")
    sink.close()
    assert sink.closed
    (tmp_path / "b.txt").write_bytes(b"later")
    sink.close()
    assert (tmp_path / "b.txt").read_bytes() == b"later"


def test_all_bytes_of_a_durable_file_are_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the last ones, which wait in memory until there are more."""
    sizes: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: sizes.append(os.fstat(handle).st_size))
    with whole_file(tmp_path / "b.txt", durable=True) as sink:
        sink.write(b"some")
    assert sizes[0] == 4


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    """A file where a folder should be ends in an OutputError with the path."""
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(OutputError, match=r"expected to write .*a.b\.txt"), whole_file(tmp_path / "a" / "b.txt"):
        pass


def test_an_error_of_reading_stays_what_it_is(tmp_path: Path) -> None:
    """What the caller could not read is not reported as something that could not be written."""
    with pytest.raises(FileNotFoundError, match="source"), whole_file(tmp_path / "b.txt") as sink:
        sink.write((tmp_path / "source").read_bytes())
    assert list(tmp_path.iterdir()) == []


@contextmanager
def five_bytes() -> Iterator[None]:
    """No file of this process can grow beyond five bytes: the system refuses the sixth, as on a disk that is full."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5, limit[1]))
    try:
        yield
    finally:  # before pytest writes what became of the test
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)


@pytest.mark.parametrize("size", [6, 1 << 20])
def test_a_full_disk_is_an_output_error(tmp_path: Path, size: int) -> None:
    """Whether it is noticed while bytes are written or when the last ones are; no part is left."""
    path = tmp_path / "b.txt"
    with (
        pytest.raises(OutputError, match=r"expected to write .*b\.txt, saw .*File too large"),
        five_bytes(),
        whole_file(path) as sink,
    ):
        sink.write(b"x" * size)
    assert list(tmp_path.iterdir()) == []


def test_threads_that_write_the_same_file_do_not_meet(tmp_path: Path) -> None:
    """Both write whole files; the last one to finish wins, and neither fails."""
    path, both, failures = tmp_path / "b.txt", threading.Barrier(2), list[BaseException]()

    def write(data: bytes) -> None:
        try:
            with whole_file(path) as sink:
                sink.write(data[:5])
                both.wait(300)
                sink.write(data[5:])
                both.wait(300)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the main thread must see it
            failures.append(error)

    threads = [threading.Thread(target=write, args=(letter * 10,)) for letter in (b"a", b"b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert path.read_bytes() in {b"a" * 10, b"b" * 10}
    assert [entry.name for entry in tmp_path.iterdir()] == ["b.txt"]


def test_a_file_that_is_written_is_not_abandoned(tmp_path: Path) -> None:
    """Neither by another thread, nor by another process; it is where its writer was killed. Links and others never."""
    (tmp_path / f".{'ab' * 16}.part").symlink_to(tmp_path / "other")
    (tmp_path / "other").touch()
    (tmp_path / ".mine.part").touch()
    (tmp_path / f".{'cd' * 16}.part").mkdir()
    with whole_file(tmp_path / "here") as sink:
        sink.write(b"half")
        assert find_abandoned(tmp_path) == []
    program = f"""
import sys
from pathlib import Path
from wikisem.atomic_files import whole_file
with whole_file(Path({str(tmp_path)!r}, "there")):
    print("ready", flush=True)
    sys.stdin.read()
"""
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        assert find_abandoned(tmp_path) == []
        writer.kill()
    assert len(find_abandoned(tmp_path)) == 1
