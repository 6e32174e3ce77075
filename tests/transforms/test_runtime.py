"""The runtime: pipelines run in one process and in several, and every failure names its stage."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apache_beam as beam
import pytest

from wikisem.errors import DamagedInputError, StageError, UsageError
from wikisem.transforms.io import runtime as module
from wikisem.transforms.io.local_workers import LocalWorkers
from wikisem.transforms.io.runtime import PartListing, Runtime


class _Write(beam.DoFn):
    """Writes each number to a file of its own, to be seen from outside the pipeline."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def process(self, number: int) -> None:
        """Write one number."""
        Path(f"{self.folder}/{number}").write_text(str(os.getpid()))


def _refuse(number: int) -> int:
    if number == 2:
        raise ValueError("two is too much")
    return number


def _refuse_as_ours(number: int) -> int:
    if number == 2:
        raise DamagedInputError("expected another number, saw 2")
    return number


def _refuse_to_write(number: int) -> int:
    if number == 2:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/full/2")
    return number


def _stop(number: int) -> int:
    if number == 2:
        raise KeyboardInterrupt
    return number


def _run(function: Callable[[int], int], workers: int) -> None:
    with Runtime(workers=workers).pipeline(label="counting") as pipeline:
        _ = pipeline | beam.Create([1, 2, 3]) | beam.Reshuffle() | beam.Map(function)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_pipeline_does_its_work_in_one_process_and_in_several(tmp_path: Path, workers: int) -> None:
    """All elements are worked on; with two workers, elsewhere than in this process."""
    with Runtime(workers=workers).pipeline(label="writing") as pipeline:
        _ = pipeline | beam.Create([1, 2, 3]) | beam.Reshuffle() | beam.ParDo(_Write(str(tmp_path)))
    owners = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert set(owners) == {"1", "2", "3"}
    assert (str(os.getpid()) in owners.values()) == (workers == 1)


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_failure_names_the_stage_and_the_first_cause(workers: int) -> None:
    """What a DoFn raises ends in one StageError, without Beam's step and traceback."""
    with pytest.raises(StageError) as caught:
        _run(_refuse, workers)
    assert str(caught.value) == "counting: expected the pipeline to finish, saw ValueError: two is too much"


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_error_of_ours_comes_through_as_it_is(workers: int) -> None:
    """What a DoFn finds wrong with an input has its class and its words, from another process, too."""
    with pytest.raises(DamagedInputError) as caught:
        _run(_refuse_as_ours, workers)
    assert str(caught.value) == "expected another number, saw 2"


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_full_disk_is_the_cause_that_is_told(workers: int) -> None:
    """Beam rebuilds an OSError as a RuntimeError; the message is the system's."""
    with pytest.raises(StageError, match=r"saw OSError: \[Errno 28\] No space left on device: '/full/2'$"):
        _run(_refuse_to_write, workers)


def test_ctrl_c_inside_a_step_stays_an_interruption() -> None:
    """Beam takes what is raised inside a DoFn for its failure; a KeyboardInterrupt is none."""
    with pytest.raises(KeyboardInterrupt):
        _run(_stop, 1)


def test_a_runner_that_is_named_is_the_one_that_runs() -> None:
    """FnApiRunner is only the default; the number of local workers means nothing to another runner."""
    assert Runtime().options().view_as(beam.options.pipeline_options.StandardOptions).runner == "FnApiRunner"
    named = Runtime(["--runner=DataflowRunner"], workers=3).options().get_all_options(drop_default=True)
    assert named["runner"] == "DataflowRunner"
    assert "direct_num_workers" not in named


@pytest.mark.parametrize(
    ("words", "by_engine"),
    [
        ([], False),
        (["--runner=PrismRunner"], False),
        (["--runner=PortableRunner"], False),
        (["--runner=DataflowRunner"], True),
        (["--runner=dataflow"], True),
        (["--runner=apache_beam.runners.dataflow.dataflow_runner.DataflowRunner"], True),
        (["--runner=DataflowRunner", "--bulk_shuffle=files"], False),
        (["--runner=PortableRunner", "--bulk_shuffle=engine"], True),
    ],
)
def test_the_runner_decides_who_shuffles_unless_an_option_does(words: list[str], by_engine: bool) -> None:
    """Beam takes a runner by its class, with its module, and by a short name in any case."""
    assert Runtime(words).shuffles_by_engine is by_engine


def test_a_runner_that_is_named_gets_its_own_options() -> None:
    """Options of the direct runner mean something where it is named."""
    options = Runtime(["--runner=FnApiRunner", "--direct_num_workers=3"]).options().get_all_options(drop_default=True)
    assert options["direct_num_workers"] == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--runnr=DirectRunner"], "unknown option '--runnr' of Beam; did you mean --runner\\?"),
        (["--runner=FnApiRunner", "--machine_typ", "x"], "unknown option '--machine_typ' of Beam; did you mean"),
        (["--runner=Prismrunne"], "unknown runner 'Prismrunne'; did you mean PrismRunner\\?"),
        (["--runner=nowhere.Runner"], "expected a runner that is installed, saw 'nowhere.Runner': No module"),
        (["--direct_num_workers=x"], "argument --direct_num_workers: invalid int value: 'x'"),
        (["words"], "unknown option 'words' of Beam$"),
    ],
)
def test_options_that_beam_would_ignore_are_refused(words: list[str], message: str) -> None:
    """With the nearest name, before anything is done; a misspelt runner would be the one of this machine."""
    with pytest.raises(UsageError, match=f"^after --: {message}"):
        Runtime(words)


def test_a_runner_may_have_options_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of its module, as Dask's, and those of a job server, which is asked when the pipeline runs."""
    module = """
from apache_beam.options.pipeline_options import PipelineOptions
class OwnOptions(PipelineOptions):
    @classmethod
    def _add_argparse_args(cls, parser):
        parser.add_argument("--own_address")
"""
    (tmp_path / "own_runner.py").write_text(module)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError, match="unknown option '--own_address'"):
        Runtime(["--own_address=x"])
    Runtime(["--runner=own_runner.OwnRunner", "--own_address=x"])
    Runtime(["--runner=FlinkRunner", "--checkpointing_interval=10"])


@pytest.mark.parametrize("word", ["--direct_num_workers=3", "--direct_running_mode=multi_processing"])
def test_workers_are_asked_for_in_one_way(word: str) -> None:
    """Beam's own way to have local processes would hang when one dies, and contradict --workers: it is refused."""
    with pytest.raises(UsageError, match=f"expected --workers N for processes on this machine, saw {word} after --"):
        Runtime([word], workers=2).options()


@pytest.mark.slow
def test_processes_are_shared_by_the_pipelines_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside the context all workers have one parent, a process of this one, which is gone after it."""
    monkeypatch.setattr(module, "LocalWorkers", LocalWorkers)  # not those that tests keep
    with Runtime(workers=2) as runtime:
        _write_parents(runtime, tmp_path / "a")
        _write_parents(runtime, tmp_path / "b")
        (parent,) = {int(path.read_text()) for path in tmp_path.glob("*/*")}
        assert parent != os.getpid()
        os.kill(parent, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(parent, 0)


def _write_parents(runtime: Runtime, folder: Path) -> None:
    folder.mkdir()
    with runtime.pipeline(label="writing") as pipeline:
        _ = pipeline | beam.Create([1, 2]) | beam.Map(_write_parent, str(folder))


def _write_parent(number: int, folder: str) -> None:
    Path(folder, str(number)).write_text(str(os.getppid()))


class _Job:
    """The result of a pipeline that another runner runs, until Ctrl-C."""

    def __init__(self, cancel: Callable[[], None]) -> None:
        self.cancel = cancel

    def wait_until_finish(self) -> str:
        """Be interrupted."""
        raise KeyboardInterrupt


def _interrupt_job(monkeypatch: pytest.MonkeyPatch, cancel: Callable[[], None]) -> KeyboardInterrupt:
    monkeypatch.setattr(beam.Pipeline, "run", lambda _: _Job(cancel))
    with pytest.raises(KeyboardInterrupt) as caught:
        _run(_refuse, 1)
    return caught.value


def test_an_interrupted_run_cancels_its_job_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job on a cluster would go on, and cost money, after the command that started it is gone."""
    cancelled: list[bool] = []
    _interrupt_job(monkeypatch, lambda: cancelled.append(True))
    assert cancelled == [True]


def test_a_job_that_cannot_be_cancelled_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not every runner can; the user has to know."""

    def refuse() -> None:
        raise NotImplementedError("no cancel here")

    notes = _interrupt_job(monkeypatch, refuse).__notes__
    assert notes == ["the job may go on, for its runner could not cancel it: NotImplementedError: no cancel here"]


def _listings(monkeypatch: pytest.MonkeyPatch, pattern: str, takes: float, looks: int) -> list[float]:
    """When parts are listed if a listing takes so many seconds and somebody looks twice a second, so many times."""
    now = 0.0
    begun: list[float] = []

    def list_parts(_: str) -> list[str]:
        nonlocal now
        begun.append(now)
        now += takes
        return [f"part-{number}" for number in range(len(begun))]

    monkeypatch.setattr(module, "list_files", list_parts)
    listing = PartListing(pattern, lambda: now)
    for _ in range(looks):
        assert listing.count() == len(listing.found) == len(begun)
        now += 0.5
    return begun


@pytest.mark.parametrize(
    ("pattern", "takes", "expected"),
    [
        ("out/counts/*.json", 0.001, 120),  # a quick listing is made for each look
        ("out/counts/*.json", 0.25, 12),  # a slow one takes a twentieth of the time
        ("gs://bucket/out/counts/*.json", 0.001, 4),  # on a store, four a minute
        ("gs://bucket/out/counts/*.json", 3.0, 2),  # and fewer if it is slow
        ("", 0.001, 0),
    ],
)
def test_a_look_at_progress_lists_the_parts_as_often_as_is_cheap(
    monkeypatch: pytest.MonkeyPatch, pattern: str, takes: float, expected: int
) -> None:
    """Between two listings the last one counts, however often somebody looks."""
    assert len(_listings(monkeypatch, pattern, takes, 120)) == expected


def test_a_pipeline_lists_its_parts_at_a_bounded_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a terminal asks twice a second is answered from the last listing of a store."""
    looked: list[str] = []

    def list_parts(pattern: str) -> list[str]:
        looked.append(pattern)
        return []

    monkeypatch.setattr(module, "list_files", list_parts)
    monkeypatch.setattr(module, "is_local", lambda _: False)

    @contextmanager
    def look_often(_label: str, done: Callable[[], int], *_: object) -> Iterator[None]:
        assert [done() for _ in range(20)] == [0] * 20
        yield

    with Runtime(progress=look_often).pipeline(label="writing", parts=f"{tmp_path}/*") as pipeline:
        _ = pipeline | beam.Create([1])
    assert looked == [f"{tmp_path}/*"]
