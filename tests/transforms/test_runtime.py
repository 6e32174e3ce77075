"""The runtime: pipelines run in one process and in several, and every failure names its stage."""

import os
from pathlib import Path

import apache_beam as beam
import pytest

from wikisem.errors import StageError
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
