"""Files that are whole or not there."""

from pathlib import Path

import pytest

from wikisem.atomic_files import whole_file
from wikisem.errors import OutputError


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    """The old text stands until the new one does; folders are made; nothing else is left."""
    path = tmp_path / "a" / "b.txt"
    for text in (b"old", b"new"):
        with whole_file(path) as sink:
            sink.write(text)
            assert not path.exists() or path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert [entry.name for entry in path.parent.iterdir()] == ["b.txt"]


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    """An error on the way keeps the old file, and leaves no part of the new one."""
    path = tmp_path / "b.txt"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), whole_file(path) as sink:
        sink.write(b"%d" % (1 // 0))
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["b.txt"]


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    """A file where a folder should be ends in an OutputError with the path."""
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(OutputError, match=r"expected to write .*a.b\.txt"), whole_file(tmp_path / "a" / "b.txt"):
        pass
