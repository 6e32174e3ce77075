"""Files on stores: written over, copied, listed and removed alike, whether there are folders or not."""

from pathlib import Path

import pytest

from tests.object_store import FOLDER, FolderStore, ObjectStore, object_path
from wikisem.errors import OutputError
from wikisem.transforms.io.files import (
    copy,
    create_binary,
    list_files,
    open_binary,
    remove,
    remove_below,
    replace_file,
    sizes_below,
)


@pytest.fixture(params=[ObjectStore, FolderStore])
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A place on a store."""
    monkeypatch.setenv(FOLDER, str(tmp_path))
    return f"{request.param.scheme()}://bucket/a b/out"


def read(path: str) -> bytes:
    """The bytes of a file."""
    with open_binary(path) as source:
        return source.read()


def test_a_file_takes_the_place_of_an_earlier_one(url: str) -> None:
    """Written or copied, as often as one likes; no other file is left, and empty ones are files too."""
    for data in (b"one", b"", b"three"):
        replace_file(f"{url}/deep/a.txt", data)
        copy(f"{url}/deep/a.txt", f"{url}/b.txt")
        assert read(f"{url}/deep/a.txt") == read(f"{url}/b.txt") == data
        assert sizes_below(url) == {"b.txt": len(data), "deep/a.txt": len(data)}
    assert list_files(f"{url}/**") == [f"{url}/b.txt", f"{url}/deep/a.txt"]


def test_an_object_that_an_error_cuts_short_is_not_seen(url: str, tmp_path: Path) -> None:
    """A store would show what was written of it, if its writer were closed."""
    replace_file(f"{url}/a.txt", b"whole")
    with pytest.raises(ZeroDivisionError), create_binary(f"{url}/a.txt") as sink:
        sink.write(b"%d" % (1 // 0))
    assert read(f"{url}/a.txt") == b"whole"
    assert len(list(tmp_path.iterdir())) == 1


def test_what_is_not_there_can_be_removed_but_not_copied(url: str) -> None:
    """A folder goes file by file, also a single file; others whose names begin like theirs stay."""
    remove(f"{url}/absent")
    remove_below(url, "absent")
    replace_file(f"{url}/x", b"data")
    remove_below(url, "x")
    for name in ("x/1", "x/deep/2", "xy/3"):
        replace_file(f"{url}/{name}", b"data")
    remove_below(url, "x")
    assert list_files(f"{url}/**") == [f"{url}/xy/3"]
    with pytest.raises(OutputError, match=r"expected to copy .*absent to .*y, saw"):
        copy(f"{url}/absent", f"{url}/y")


def test_what_a_store_refuses_is_an_output_error(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the file."""

    def refuse(*_: object) -> None:
        raise OSError("403 forbidden")

    for store in (ObjectStore, FolderStore):
        monkeypatch.setattr(store, "create", refuse)
    with pytest.raises(OutputError, match=r"expected to write .*out/a\.txt, saw 403 forbidden"):
        replace_file(f"{url}/a.txt", b"data")
    assert not object_path(f"{url}/a.txt").exists()
