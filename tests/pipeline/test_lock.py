"""One run into OUT at a time: the second one is told so, and what a dead run left is no obstacle."""

import json
import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.trees import manifest_of, tree_of
from wikisem.errors import LockError
from wikisem.files import list_files, replace_file
from wikisem.pipeline.cli import main
from wikisem.pipeline.runs import lock
from wikisem.pipeline.runs.ledger import Ledger, find_damage
from wikisem.pipeline.runs.lock import LockFile, check_lock, locked
from wikisem.pipeline.runs.run import Run, session
from wikisem.transforms.io.runtime import Runtime

PAIRS = 9


@pytest.fixture
def lines() -> list[str]:
    """What is logged."""
    return []


def lock_file(name: str = "one") -> LockFile:
    """A lock file of this process."""
    return LockFile.of_this_process(name)


def write_lock_file(output: Path, found: LockFile) -> None:
    """Leave the lock file of another run."""
    fields = {name: getattr(found, name) for name in found.__slots__}
    replace_file(f"{output}/.wikisem/lock.{found.run}.json", json.dumps(fields).encode())


def test_a_second_run_is_told_who_is_at_work(tmp_path: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The command, since when, the process, the host, and what to do; afterwards the folder is free again."""
    output = str(tmp_path)
    monkeypatch.setattr(sys, "argv", ["/opt/bin/wikisem", "build", "my recipe.toml"])
    told = rf"the only run into .* `wikisem build 'my recipe.toml'` .* \(process {os.getpid()} on .*--break-lock"
    with locked(output, lock_file("one"), False, lines.append):
        with (
            pytest.raises(LockError, match=told),
            locked(output, lock_file("two"), False, lines.append),
        ):
            pass
        check_lock(output, "one")
    with locked(output, lock_file("two"), False, lines.append):
        pass
    assert lines == []
    assert not list((tmp_path / ".wikisem").iterdir())


def test_a_lock_that_cannot_be_removed_fails_no_run(
    tmp_path: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was to be done is done; a line says what the next run will find."""

    def refuse(path: str) -> None:
        raise PermissionError(1, "Operation not permitted", path)

    monkeypatch.setattr(lock, "remove", refuse)
    with locked(str(tmp_path), lock_file(), False, lines.append):
        pass
    assert len(lines) == 1
    assert lines[0].startswith(f"warning: {tmp_path}/.wikisem/lock.one.json stays: ")


@pytest.mark.parametrize("other", [{"started": "1"}, {"process": 2**22 + 1}])
def test_the_lock_of_a_dead_process_of_this_machine_is_broken(
    tmp_path: Path, lines: list[str], other: dict[str, Any]
) -> None:
    """One whose number belongs to nobody, or to a process that began at another time; a line says so."""
    write_lock_file(tmp_path, replace(lock_file("dead"), since="yesterday", **other))
    with locked(str(tmp_path), lock_file(), False, lines.append):
        assert [path.name for path in (tmp_path / ".wikisem").iterdir()] == ["lock.one.json"]
    assert len(lines) == 1
    assert "the run of yesterday" in lines[0]
    assert "was cut off" in lines[0]


@pytest.mark.skipif(sys.platform != "linux", reason="what tells a zombie is in /proc")
def test_a_process_that_nobody_waited_for_is_dead(tmp_path: Path, lines: list[str]) -> None:
    """It has its number and its start, and does nothing any more."""
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        started = Path(f"/proc/{child.pid}/stat").read_bytes().rpartition(b")")[2].split()[19].decode()
        write_lock_file(tmp_path, replace(lock_file("dead"), process=child.pid, started=started))
        with locked(str(tmp_path), lock_file(), False, lines.append):
            assert [path.name for path in (tmp_path / ".wikisem").iterdir()] == ["lock.one.json"]


@pytest.mark.parametrize("other", [{"machine": "another start"}, {"host": "node7", "machine": "x", "process": 1}])
def test_nobody_knows_whether_a_process_of_another_machine_is_alive(
    tmp_path: Path, lines: list[str], other: dict[str, Any]
) -> None:
    """It is refused, unless the caller knows."""
    write_lock_file(tmp_path, replace(lock_file("far"), **other))
    with (
        pytest.raises(LockError, match="expected to be the only run into"),
        locked(str(tmp_path), lock_file(), False, lines.append),
    ):
        pass
    with locked(str(tmp_path), lock_file(), True, lines.append):
        check_lock(str(tmp_path), "one")
    assert len(lines) == 1
    assert "is taken for ended (--break-lock)" in lines[0]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"run": "far"}'])
def test_a_lock_that_cannot_be_read_is_somebodys(tmp_path: Path, lines: list[str], text: str) -> None:
    """A run of another version may have written it."""
    replace_file(f"{tmp_path}/.wikisem/lock.far.json", text.encode())
    with (
        pytest.raises(LockError, match="on an unknown host"),
        locked(str(tmp_path), lock_file(), False, lines.append),
    ):
        pass
    with locked(str(tmp_path), lock_file(), True, lines.append):
        pass


@pytest.mark.parametrize("place", ["", "memory://"])
def test_a_claim_that_is_taken_back_while_others_look_is_none(
    tmp_path: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """A list may name what is gone when it is read, on this machine and on a store."""
    output = f"{place}{tmp_path}/out"
    gone = f"{output}/.wikisem/lock.gone.json"
    monkeypatch.setattr(lock, "list_files", lambda pattern: [gone, *list_files(pattern)])
    with locked(output, lock_file(), False, lines.append):
        check_lock(output, "one")
    assert lines == []


def test_a_run_whose_lock_was_broken_stops_before_it_records_anything(tmp_path: Path, lines: list[str]) -> None:
    """Two runs at once could leave half of each."""
    output = str(tmp_path)
    with locked(output, lock_file("one"), False, lines.append), locked(output, lock_file("two"), True, lines.append):
        with pytest.raises(LockError, match="another one broke its lock"):
            check_lock(output, "one")
        check_lock(output, "two")


def test_of_many_that_begin_at_once_never_two_are_at_work(tmp_path: Path) -> None:
    """Threads that all want the folder, again and again: never two inside, and all get in at last."""
    inside, most, entered, guard = 0, 0, 0, threading.Lock()

    def want(number: int) -> None:
        nonlocal inside, most, entered
        for turn in range(100):
            try:
                with locked(str(tmp_path), lock_file(f"{number}-{turn}"), False, lambda _: None):
                    with guard:
                        inside += 1
                        entered += 1
                        most = max(most, inside)
                    threading.Event().wait(0.005)
                    with guard:
                        inside -= 1
                return
            except LockError:
                continue

    threads = [threading.Thread(target=want, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
    assert entered == len(threads)


def test_a_run_finds_no_scratch_of_dead_ones_and_leaves_none(tmp_path: Path, lines: list[str]) -> None:
    """Each run has a folder of its own, so that it cannot count the parts of another one."""
    dead = Run(str(tmp_path), Runtime())
    with pytest.raises(KeyboardInterrupt), session(dead):
        replace_file(f"{dead.prepare_stage('toys', {}).scratch.parts}/x", b"")
        raise KeyboardInterrupt
    assert Path(dead.scratch).exists()
    for folder in (".", "groups", "wikisem500/de"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / f".{'0f' * 16}.part").write_text("half a file")
    (tmp_path / "groups" / ".mine.part").write_text("not ours")
    (tmp_path / ".wikisem" / f".{'1f' * 16}.part").write_text("a claim that another run is writing")
    run = Run(str(tmp_path), Runtime(), log=lines.append)
    with session(run):
        assert not Path(dead.scratch).parent.exists()
        context = run.prepare_stage("toys", {})
        assert context.scratch.root.startswith(f"{tmp_path}/.work/{run.name}/")
        replace_file(f"{context.scratch.parts}/x", b"")
    assert not (tmp_path / ".work").exists()
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {
        "manifest.json",
        ".mine.part",
        f".{'1f' * 16}.part",
    }
    assert lines == []


@pytest.mark.parametrize("names", [["notes.txt"], ["0123456789ab/x", "mine/y"], [], ["dead.json", "dead/x"]])
@pytest.mark.parametrize("place", ["", "memory://"])
def test_a_folder_for_work_of_the_users_own_stays(
    tmp_path: Path, lines: list[str], place: str, names: list[str]
) -> None:
    """Whatever is in it, also nothing: scratch of dead runs is known by the files that they left for that."""
    output = f"{place}{tmp_path}/out"
    (tmp_path / "out" / ".work").mkdir(parents=True)
    for name in names:
        replace_file(f"{output}/.work/{name}", b"mine")
    run = Run(output, Runtime(), log=lines.append)
    with session(run):
        replace_file(f"{run.prepare_stage('toys', {}).scratch.parts}/x", b"")
    assert list_files(f"{output}/.work/**") == [f"{output}/.work/{name}" for name in sorted(names)]
    assert (tmp_path / "out" / ".work").is_dir()
    told = f"warning: {output}/.work has files that no run of wikisem left there; they stay"
    assert lines == ([told] if names else [])


@pytest.mark.parametrize(("error", "stays"), [(ValueError, False), (KeyboardInterrupt, True)])
def test_a_run_that_fails_leaves_the_manifest_and_no_lock(
    tmp_path: Path, error: type[BaseException], stays: bool
) -> None:
    """A run that is interrupted does not spend its last seconds on removing scratch."""
    run = Run(str(tmp_path), Runtime())
    with pytest.raises(error), session(run):
        replace_file(f"{run.prepare_stage('toys', {}).scratch.parts}/x", b"")
        raise error
    assert manifest_of(tmp_path)["stages"] == {}
    assert (tmp_path / ".work" / run.name).exists() == stays
    assert list((tmp_path / ".wikisem").iterdir()) == []


def write_dump(path: Path, numbers: range) -> None:
    """A small dump with some items."""
    records = [
        {
            "type": "item",
            "id": f"Q{number}",
            "labels": {"en": {"language": "en", "value": f"item {number}"}},
            "claims": {"P31": [{"rank": "normal", "mainsnak": {"snaktype": "value", "datavalue": _item(5)}}]},
            "sitelinks": {},
            "lastrevid": number,
        }
        for number in numbers
    ]
    path.write_text("[\n" + ",\n".join(map(json.dumps, records)) + "\n]\n")


def _item(number: int) -> dict[str, object]:
    return {"type": "wikibase-entityid", "value": {"entity-type": "item", "id": f"Q{number}", "numeric-id": number}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two dumps, and what a run on its own makes of each."""
    folder = tmp_path_factory.mktemp("pairs")
    for name, numbers in (("a", range(1, 40)), ("b", range(20, 300))):
        write_dump(folder / f"{name}.json", numbers)
        assert main(["entities", "--wikidata", str(folder / f"{name}.json"), "--output", str(folder / name)]) == 0
    return folder


def test_the_command_line_refuses_and_breaks_a_lock(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1 and one line, nothing made; with --break-lock the run begins all the same, and says so."""
    write_lock_file(tmp_path, replace(lock_file("far"), machine="another", host="node7", command="wikisem build"))
    command = ["entities", "--wikidata", str(folder / "a.json"), "--output", str(tmp_path)]
    capsys.readouterr()
    assert main(command) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"wikisem: expected to be the only run into {tmp_path}, saw `wikisem build` at work there")
    assert said.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == [".wikisem"]
    assert main([*command, "--break-lock"]) == 0
    assert "on node7) is taken for ended (--break-lock)" in capsys.readouterr().err
    assert tree_of(tmp_path, "entities") == tree_of(folder / "a", "entities")


@pytest.mark.slow
def test_nine_pairs_of_runs_into_one_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whenever the second one comes and the first one dies: one whole result, and one line for who has to wait.

    Afterwards each dump is read into the folder once more, which must leave what a run on its own leaves, and may be
    said to be finished before only where it is.
    """
    command = [sys.executable, "-m", "tests.pipeline.pairs_of_runs", str(folder), str(PAIRS)]
    found = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    pairs = [json.loads(line) for line in found.stdout.splitlines()]
    assert len(pairs) == PAIRS
    refused = killed = 0
    for pair in pairs:
        output = folder / f"pair-{pair['seed']}"
        for code, errors in zip(pair["codes"], pair["errors"], strict=True):
            assert code in (0, 1, -9), pair
            if code == 1:
                assert errors.count("\n") == 1, errors
                assert "expected to be the only run into" in errors
                refused += 1
            killed += code == -9
        done = [dump for dump, code in zip(pair["dumps"], pair["codes"], strict=True) if code == 0]
        assert done or -9 in pair["codes"]
        record = Ledger(str(output)).find("entities")
        if record is not None:
            assert find_damage(str(output), record) == ""
        if len(done) == 1 and -9 not in pair["codes"]:
            assert tree_of(output, "entities") == tree_of(folder / done[0], "entities")
        for dump in "ab":
            alone = Ledger(str(folder / dump)).require("entities")
            whole = record is not None and record.fingerprint == alone.fingerprint
            capsys.readouterr()
            assert main(["entities", "--wikidata", str(folder / f"{dump}.json"), "--output", str(output)]) == 0
            assert ("finished before" in capsys.readouterr().err) == whole
            assert tree_of(output, "entities") == tree_of(folder / dump, "entities")
            record = Ledger(str(output)).require("entities")
        assert not (output / ".work").exists()
    assert refused
    assert killed
