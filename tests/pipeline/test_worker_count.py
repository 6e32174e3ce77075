"""How many workers a run has: what was asked for, else what the input is worth."""

import os
from pathlib import Path

import pytest

from wikisem.errors import UsageError
from wikisem.pipeline.runs.inputs import Dump, Input
from wikisem.pipeline.runs.ledger import Ledger, Part, Record
from wikisem.pipeline.runs.run import WORTH_WORKERS, Run, available_cores, with_workers
from wikisem.records import Counts
from wikisem.transforms.io.runtime import Runtime

LARGE = Dump((Input("a", WORTH_WORKERS, ""),))


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with eight cores, wherever the tests run."""
    monkeypatch.setattr("wikisem.pipeline.runs.run.available_cores", lambda: 8)


@pytest.mark.parametrize(
    ("asked", "size", "workers"),
    [(None, WORTH_WORKERS, 8), (None, WORTH_WORKERS - 1, 1), (3, 0, 3), (1, WORTH_WORKERS, 1)],
)
def test_small_inputs_have_one_worker_unless_more_are_asked_for(asked: int | None, size: int, workers: int) -> None:
    """To start processes for seconds of work would make it longer."""
    assert with_workers(Run("out", Runtime()), asked, Dump((Input("a", size, ""),))).runtime.workers == workers


def test_a_changed_beam_leaves_one_worker_and_one_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Not where one is enough."""
    monkeypatch.setattr("wikisem.pipeline.runs.run.changed_internal", lambda: "expected push, saw none")
    assert with_workers(Run("out", Runtime()), 1).runtime.workers == 1
    assert caplog.messages == []
    assert with_workers(Run("out", Runtime()), 3).runtime.workers == 1
    assert caplog.messages == ["one process does the work of 3: expected push, saw none"]


def test_beside_a_runner_the_number_changes_nothing_and_a_warning_says_so() -> None:
    """Only a number that somebody asked for is worth a warning."""
    lines: list[str] = []
    run = Run("out", Runtime(["--runner=DataflowRunner"]), log=lines.append)
    assert with_workers(run, None, LARGE) is run
    assert lines == []
    assert with_workers(run, 4, LARGE) is run
    assert lines == ["warning: --workers 4 is for processes on this machine; with --runner it changes nothing"]


def test_all_files_of_all_dumps_count() -> None:
    """A dump may be in parts, and there may be several."""
    run, half = Run("out", Runtime()), Input("a", WORTH_WORKERS // 2, "")
    assert with_workers(run, None, Dump((half,))).runtime.workers == 1
    assert with_workers(run, None, Dump((half, half))).runtime.workers == 8
    assert with_workers(run, None, Dump((half,)), Dump((half,))).runtime.workers == 8


def test_stages_that_read_no_dump_look_at_the_items(tmp_path: Path) -> None:
    """Their sizes are in the record of the items; without one there is nothing to do, or an error later."""
    run = Run(str(tmp_path), Runtime())
    assert with_workers(run, None).runtime.workers == 1
    parts = {"a": Part(WORTH_WORKERS - 4, ""), "b": Part(4, "")}
    Ledger(run.output).put(Record("entities", "f" * 32, "i", Counts(2, 2), parts=parts))
    assert with_workers(run, None).runtime.workers == 8


@pytest.mark.parametrize(("output", "path"), [("memory://out", "a"), ("out", "memory://a")])
def test_files_in_memory_have_a_single_worker(output: str, path: str) -> None:
    """The process itself, however large the dump is: no other process sees them."""
    run, dump = Run(output, Runtime()), Dump((Input(path, WORTH_WORKERS, ""),))
    assert with_workers(run, None, dump).runtime.workers == with_workers(run, 1, dump).runtime.workers == 1
    with pytest.raises(UsageError, match=r"since memory://\w+ is in this process only, saw --workers 2"):
        with_workers(run, 2, dump)
    with pytest.raises(UsageError, match="is in this process only, saw --runner"):
        with_workers(Run(output, Runtime(["--runner=DataflowRunner"])), None, dump)


@pytest.mark.parametrize(("quota", "cores"), [("max 100000", 4), ("250000 100000", 2), ("50000 100000", 1), ("", 4)])
def test_a_container_has_the_cores_of_its_share(
    quota: str, cores: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A control group may allow less time than all cores have, of which it sees each one."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    (tmp_path / "cpu.max").write_text(quota)
    assert available_cores(tmp_path / "cpu.max") == cores
    assert available_cores(tmp_path / "none") == 4


def test_without_an_affinity_the_cores_of_the_machine_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS."""
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert available_cores(tmp_path / "none") == 6
