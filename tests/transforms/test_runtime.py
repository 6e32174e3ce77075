"""The runtime: pipelines run in one process and in several, and every failure names its stage."""

import os
import shlex
import threading
from pathlib import Path

import apache_beam as beam
import grpc
import pytest

from wikisem.errors import StageError
from wikisem.transforms.io.local_workers import deaths_end_the_run, worker_command
from wikisem.transforms.io.runtime import Runtime


class _Write(beam.DoFn):
    """Writes each number to a file of its own, to be seen from outside the pipeline."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def process(self, number: int) -> None:
        """Write one number."""
        Path(f"{self.folder}/{number}").write_text(str(os.getpid()))


class _Die(beam.DoFn):
    """Ends its process on one element, as the system does when memory is short."""

    def process(self, number: int) -> list[int]:
        """Die on 2."""
        if number == 2:
            os._exit(9)
        return [number]


def _refuse(number: int) -> int:
    if number == 2:
        raise ValueError("two is too much")
    return number


@pytest.mark.parametrize("workers", [1, 2])
def test_a_pipeline_does_its_work_in_one_process_and_in_several(tmp_path: Path, workers: int) -> None:
    """All elements are worked on; with two workers, elsewhere than in this process."""
    Runtime(workers=workers).run(
        lambda pipeline: pipeline | beam.Create([1, 2, 3]) | beam.Reshuffle() | beam.ParDo(_Write(str(tmp_path))),
        label="writing",
    )
    owners = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert set(owners) == {"1", "2", "3"}
    assert (str(os.getpid()) in owners.values()) == (workers == 1)


def test_a_failure_names_the_stage_and_the_first_cause() -> None:
    """What a DoFn raises ends in one StageError."""
    with pytest.raises(StageError, match="counting: expected the pipeline to finish, saw ValueError: two is too much"):
        Runtime().run(lambda pipeline: pipeline | beam.Create([1, 2, 3]) | beam.Map(_refuse), label="counting")


def test_a_worker_process_that_dies_ends_the_run() -> None:
    """The run stops with a message instead of waiting for ever."""
    with pytest.raises(StageError, match="counting: expected all worker processes to finish, saw one die"):
        Runtime(workers=2).run(
            lambda pipeline: pipeline | beam.Create([1, 2, 3]) | beam.Reshuffle() | beam.ParDo(_Die()), label="counting"
        )


def test_a_runner_that_is_named_is_the_one_that_runs() -> None:
    """FnApiRunner is only the default; the number of local workers means nothing to another runner."""
    assert Runtime().options().view_as(beam.options.pipeline_options.StandardOptions).runner == "FnApiRunner"
    named = Runtime(["--runner=DataflowRunner"], workers=3).options().get_all_options(drop_default=True)
    assert named["runner"] == "DataflowRunner"
    assert "direct_num_workers" not in named


def test_what_another_thread_raises_is_still_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """While workers run, only their death ends the run; any other thread's exception goes to the hook of before.

    A lost connection waits until the end: after a death it is a consequence, else it is reported.
    """
    seen: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda arguments: seen.append(str(arguments.exc_value)))
    before = threading.excepthook

    def fail(error: Exception) -> None:
        raise error

    with deaths_end_the_run("counting"):
        for error in (ValueError("of a thread"), grpc.RpcError("lost")):
            thread = threading.Thread(target=fail, args=(error,))
            thread.start()
            thread.join()
        assert seen == ["of a thread"]
    assert seen == ["of a thread", "lost"]
    assert threading.excepthook is before


def test_a_stop_by_hand_stays_one() -> None:
    """Ctrl-C while workers run is no worker that died."""
    with pytest.raises(KeyboardInterrupt), deaths_end_the_run("counting"):
        raise KeyboardInterrupt


@pytest.mark.parametrize("folder", ["/plain", "/two words", "/it's", '/a"b$c'])
def test_the_command_of_a_worker_survives_a_shell(folder: str) -> None:
    """The path of Python and the import path may hold anything; modules of the current folder are kept out."""
    words = shlex.split(worker_command(f"{folder}/python", [f"{folder}/lib", "/other"]))
    assert words == [
        "exec",
        "env",
        f"PYTHONPATH={folder}/lib:/other",
        f"{folder}/python",
        "-P",
        "-m",
        "wikisem.transforms.io.worker",
    ]
