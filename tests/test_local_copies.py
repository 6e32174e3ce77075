"""Arrays of a folder elsewhere, mapped from one copy that all processes of a machine share."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from wikisem.errors import OutputError
from wikisem.files import create_binary
from wikisem.graph import store
from wikisem.graph.store import local_folder, remove_copies


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A folder that a driver of fsspec reads, and that all processes see."""
    return f"local://{tmp_path}/store/graph"


@pytest.fixture
def copies(tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with an array, and the folder of copies, which is empty."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    write(url, [1, 2, 3])
    return tmp_path / "tmp" / f"wikisem-{os.getuid()}"


def write(url: str, values: list[int]) -> None:
    """Write the array."""
    with create_binary(f"{url}/nodes.npy") as sink:
        np.save(sink, np.array(values))


def test_a_folder_on_this_machine_is_its_own_copy(tmp_path: Path) -> None:
    """Whatever its name."""
    assert local_folder(f"{tmp_path}/o[u]t") == tmp_path / "o[u]t"


def test_a_copy_is_made_once_and_goes_when_it_is_let_go(copies: Path, url: str) -> None:
    """The same folder again is the same copy, also to a process that did not make it; nothing is left of it."""
    first = local_folder(url)
    assert first.parent == copies
    assert np.load(first / "nodes.npy").tolist() == [1, 2, 3]
    made = (first / "nodes.npy").stat().st_ino
    local_folder.cache_clear()
    assert local_folder(url) == first
    assert (first / "nodes.npy").stat().st_ino == made
    remove_copies()
    assert list(copies.iterdir()) == []


def test_other_arrays_under_the_same_path_are_another_copy(copies: Path, url: str) -> None:
    """A run that is repeated after a change must not see what an earlier one left."""
    first = local_folder(url)
    local_folder.cache_clear()
    write(url, [4, 5, 6])
    second = local_folder(url)
    assert np.load(second / "nodes.npy").tolist() == [4, 5, 6]
    assert np.load(first / "nodes.npy").tolist() == [1, 2, 3]
    remove_copies()
    assert list(copies.iterdir()) == []


SCRIPT = """
import sys
from wikisem.graph.store import local_folder
print(local_folder(sys.argv[1]), flush=True)
sys.stdin.readline()
"""


def test_processes_share_a_copy_which_goes_with_the_last_of_them(copies: Path, url: str) -> None:
    """Also where one is killed: what it used is then nobody's."""
    command = [sys.executable, "-c", SCRIPT, url]
    here = Path(__file__).parents[1]
    runs = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=here) for _ in range(2)
    ]
    try:
        paths = {run.stdout.readline().strip() for run in runs if run.stdout is not None}
        assert paths == {str(local_folder(url))}
        assert [path.name for path in copies.iterdir() if path.is_dir()] == [Path(paths.pop()).name]
        remove_copies()  # this process used it too
        assert any(path.is_dir() for path in copies.iterdir())
        runs[0].kill()
        runs[0].communicate()
        runs[1].communicate("\n")
        assert list(copies.iterdir()) == []
    finally:
        for run in runs:
            run.kill()
            run.communicate()


def test_a_copy_that_was_cut_short_is_no_copy(copies: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """The next one to ask makes it anew."""

    def stop(*_: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfileobj", stop)
        with pytest.raises(OSError, match="no space left"):
            local_folder(url)
    assert not any(path.is_dir() for path in copies.iterdir())
    assert np.load(local_folder(url) / "nodes.npy").tolist() == [1, 2, 3]
    remove_copies()


def test_what_this_run_did_not_copy_stays(copies: Path, tmp_path: Path, url: str) -> None:
    """Folders of other programs and of the user's, whatever their names, and copies and parts of other runs."""
    away = tmp_path / "away"
    (away / "deep").mkdir(parents=True)
    copies.mkdir(mode=0o700)
    others = [f"{name}/file" for name in ("out", "ab" * 16, "cd" * 16, f"cd{'0' * 30}.part", "ef" * 16)]
    for path in others:
        (copies / path).parent.mkdir()
        (copies / path).write_text("mine")
    (copies / f"{'cd' * 16}.use").write_text("another run\n")
    (copies / f"{'ef' * 16}.use").symlink_to(copies / f"{'cd' * 16}.use")
    (copies / "link").symlink_to(away)
    (copies / "out.use").write_text(f"{store.RUN}\n")  # no name of a copy
    before = sorted(path.name for path in copies.iterdir())
    assert local_folder(url).parent == copies
    remove_copies()
    assert sorted(path.name for path in copies.iterdir()) == before
    assert [(copies / path).read_text() for path in others] == ["mine"] * len(others)
    assert (away / "deep").is_dir()


@pytest.mark.parametrize("copied", [False, True])
def test_a_link_is_not_taken_for_the_folder_of_copies(copies: Path, tmp_path: Path, copied: bool, url: str) -> None:
    """Nothing is removed where it leads, and nothing is written there."""
    target = tmp_path / "target"
    (target / ("ab" * 16)).mkdir(parents=True)
    if copied:
        local_folder(url)
        copies.rename(tmp_path / "moved")
    copies.symlink_to(target)
    remove_copies()
    assert [path.name for path in target.iterdir()] == ["ab" * 16]
    with pytest.raises(OutputError, match="to be a folder that this user alone can write"):
        local_folder(url)
    assert [path.name for path in target.iterdir()] == ["ab" * 16]


def test_a_folder_that_others_can_write_is_refused(copies: Path, url: str) -> None:
    """They could put other arrays there."""
    copies.mkdir()
    copies.chmod(0o777)
    with pytest.raises(OutputError, match="to be a folder that this user alone can write"):
        local_folder(url)


@pytest.mark.usefixtures("copies")
def test_a_link_in_place_of_a_copy_is_refused_and_stays(tmp_path: Path, url: str) -> None:
    """So does what it points to."""
    copy = local_folder(url)
    remove_copies()
    (tmp_path / "away").mkdir()
    copy.symlink_to(tmp_path / "away")
    with pytest.raises(OutputError, match="saw a link, a file or another's"):
        local_folder(url)
    with pytest.raises(OutputError, match="saw a link, or another user's"):
        remove_copies()
    assert copy.is_symlink()
    assert (tmp_path / "away").is_dir()


def test_a_link_in_place_of_a_lock_is_refused(copies: Path, tmp_path: Path, url: str) -> None:
    """The name of the run would be written to the file that it leads to."""
    copy = local_folder(url)
    remove_copies()
    (tmp_path / "away").write_text("mine")
    (copies / f"{copy.name}.use").symlink_to(tmp_path / "away")
    with pytest.raises(OSError, match="symbolic link"):
        local_folder(url)
    assert (tmp_path / "away").read_text() == "mine"


def test_without_a_copy_there_is_nothing_to_remove(copies: Path) -> None:
    """Not even a folder for copies is made."""
    remove_copies()
    assert not copies.exists()


def test_what_workers_copied_goes_with_their_run(copies: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """They are killed when their work is done: they know the name of the run, which removes their copies."""
    monkeypatch.setenv(store.RUN_VARIABLE, store.RUN)
    command, here = [sys.executable, "-c", SCRIPT, url], Path(__file__).parents[1]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=here) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline().strip() == str(next(path for path in copies.iterdir() if path.is_dir()))
        worker.kill()
    assert any(path.is_dir() for path in copies.iterdir())
    remove_copies()
    assert list(copies.iterdir()) == []


@pytest.mark.parametrize("made", [False, True])
def test_a_lock_on_a_file_that_was_removed_meanwhile_is_none(
    copies: Path, monkeypatch: pytest.MonkeyPatch, made: bool
) -> None:
    """The process that held it removed its file: a later one would lock a new file, and both would be inside.

    So it is where that later one has made the new file already.
    """
    copies.mkdir(mode=0o700)
    path, lock = copies / f"{'ab' * 16}.use", fcntl.flock
    removed: list[Path] = []

    def wait(file: int, how: int) -> None:
        if not removed:
            removed.append(path)
            path.rename(path.with_suffix(".gone"))  # so that no new file has its number
            if made:
                path.touch()
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", wait)
    with store._lock(copies / ("ab" * 16), "use", fcntl.LOCK_EX) as held:
        assert removed
        assert os.fstat(held.fileno()).st_ino == path.stat().st_ino
