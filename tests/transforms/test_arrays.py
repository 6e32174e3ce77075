"""Arrays of a folder elsewhere, mapped from one copy that all processes of a machine share."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from tests.object_store import FOLDER, ObjectStore, object_path
from wikisem.transforms.io.arrays import local_folder, remove_copies
from wikisem.transforms.io.files import create_binary

URL = f"{ObjectStore.scheme()}://bucket/graph"


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with an array, and the folder of copies, which is empty."""
    (tmp_path / "store").mkdir()
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv(FOLDER, str(tmp_path / "store"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    write([1, 2, 3])
    return tmp_path / "tmp" / f"wikisem-{os.getuid()}"


def write(values: list[int]) -> None:
    """Write the array."""
    with create_binary(f"{URL}/nodes.npy") as sink:
        np.save(sink, np.array(values))


def test_a_folder_on_this_machine_is_its_own_copy(tmp_path: Path) -> None:
    """Whatever its name."""
    assert local_folder(f"{tmp_path}/o[u]t") == tmp_path / "o[u]t"


def test_a_copy_is_made_once_and_goes_when_it_is_let_go(copies: Path) -> None:
    """The same folder again is the same copy, also to a process that did not make it; nothing is left of it."""
    first = local_folder(URL)
    assert first.parent == copies
    assert np.load(first / "nodes.npy").tolist() == [1, 2, 3]
    made = (first / "nodes.npy").stat().st_ino
    local_folder.cache_clear()
    assert local_folder(URL) == first
    assert (first / "nodes.npy").stat().st_ino == made
    remove_copies()
    assert list(copies.iterdir()) == []


def test_other_arrays_under_the_same_path_are_another_copy(copies: Path) -> None:
    """A run that is repeated after a change must not see what an earlier one left."""
    first = local_folder(URL)
    local_folder.cache_clear()
    write([4, 5, 6])
    os.utime(object_path(f"{URL}/nodes.npy"), (1, 1))
    second = local_folder(URL)
    assert np.load(second / "nodes.npy").tolist() == [4, 5, 6]
    assert np.load(first / "nodes.npy").tolist() == [1, 2, 3]
    remove_copies()
    assert list(copies.iterdir()) == []


SCRIPT = """
import sys
import tests.object_store
from wikisem.transforms.io.arrays import local_folder
print(local_folder(sys.argv[1]), flush=True)
sys.stdin.readline()
"""


def test_processes_share_a_copy_which_goes_with_the_last_of_them(copies: Path) -> None:
    """Also where one is killed: what it used is then nobody's."""
    command = [sys.executable, "-c", SCRIPT, URL]
    here = Path(__file__).parents[2]
    runs = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=here) for _ in range(2)
    ]
    try:
        paths = {run.stdout.readline().strip() for run in runs if run.stdout is not None}
        assert len(paths) == 1
        assert [path.name for path in copies.iterdir() if path.is_dir()] == [Path(paths.pop()).name]
        remove_copies()
        assert any(path.is_dir() for path in copies.iterdir())
        runs[0].kill()
        runs[0].communicate()
        runs[1].communicate("\n")
        assert list(copies.iterdir()) == []
    finally:
        for run in runs:
            run.kill()
            run.communicate()


def test_a_copy_that_was_cut_short_is_no_copy(copies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one to ask makes it anew."""

    def stop(*_: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfileobj", stop)
        with pytest.raises(OSError, match="no space left"):
            local_folder(URL)
    assert not any(path.is_dir() for path in copies.iterdir())
    assert np.load(local_folder(URL) / "nodes.npy").tolist() == [1, 2, 3]
    remove_copies()
