"""Local workers: they start as forks, end with their run, and an early end is answered at once."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from traceback import walk_stack

import apache_beam as beam
import pyarrow as pa
import pytest
from apache_beam.options.pipeline_options import PipelineOptions

from tests.processes import is_alive
from tests.waiting import PATIENCE, wait_until
from wikisem.errors import StageError
from wikisem.transforms.io import local_runner as runner_module
from wikisem.transforms.io import local_workers as workers_module
from wikisem.transforms.io.local_runner import local_runner
from wikisem.transforms.io.local_workers import LocalWorkers, changed_internal, out_of_memory_kills
from wikisem.transforms.io.runtime import Runtime
from wikisem.transforms.io.worker import die_with_parent

ROOT = Path(__file__).parent.parent.parent

HANDLERS = "apache_beam.runners.portability.fn_api_runner.worker_handlers"


def _wait_or(number: int, end: Callable[[], None]) -> int:
    """Wait for ever on 1, which a failure of 2 must not wait for."""
    if number == 1:
        time.sleep(1000)
    end()
    return number


def _run_until(end: Callable[[], None]) -> StageError:
    with pytest.raises(StageError) as caught, Runtime(workers=2).pipeline(label="counting") as pipeline:
        _ = pipeline | beam.Create([1, 2]) | beam.Reshuffle() | beam.Map(_wait_or, end)
    return caught.value


def _kill(number: int) -> None:
    os.kill(os.getpid(), number)


def _kill_parent() -> None:
    os.kill(os.getppid(), signal.SIGTERM)
    time.sleep(1000)


def _fail() -> None:
    raise ValueError("two is too much")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "told"),
    [
        (lambda: os._exit(7), "expected all worker processes to finish, saw one exit with code 7"),
        (lambda: _kill(signal.SIGKILL), "expected all worker processes to finish, saw one killed by SIGKILL"),
        (_kill_parent, "expected the process that starts workers to go on, saw it killed by SIGTERM"),
        (_fail, "expected the pipeline to finish, saw ValueError: two is too much"),
    ],
)
def test_the_first_failure_ends_the_pipeline(
    end: Callable[[], None], told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """A worker that dies or fails ends the run although another one has work without end; nothing else is printed."""
    assert str(_run_until(end)) == f"counting: {told}"
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_worker_that_the_system_killed_for_memory_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    """Linux counts more of such kills then than when the workers began."""
    monkeypatch.setattr(workers_module, "out_of_memory_kills", count(1 << 40).__next__)
    told = "expected all worker processes to finish, saw one killed by SIGKILL because the system ran out of memory"
    assert str(_run_until(partial(_kill, signal.SIGKILL))) == f"counting: {told}"


def _stop(number: int, folder: str) -> None:
    del number
    Path(folder, str(os.getpid())).touch()
    os.kill(os.getpid(), signal.SIGSTOP)


def _bundles() -> int:
    """How many threads of this process are in the middle of a bundle."""
    frames = sys._current_frames().values()
    return sum(any(frame.f_code.co_name == "process_bundle" for frame, _ in walk_stack(top)) for top in frames)


def test_where_this_process_ends_a_run_nothing_is_left_of_it(tmp_path: Path) -> None:
    """No worker, though it hears nothing, and no thread that waits for one: as on Ctrl-C in a program that goes on."""

    def interrupt_at_work() -> None:
        wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
        os.kill(os.getpid(), signal.SIGUSR1)

    work = beam.Map(_stop, str(tmp_path))
    earlier = signal.signal(signal.SIGUSR1, signal.default_int_handler)
    try:
        with Runtime(workers=2) as runtime:
            threading.Thread(target=interrupt_at_work).start()
            with pytest.raises(KeyboardInterrupt), runtime.pipeline(label="counting") as pipeline:
                _ = pipeline | beam.Create([1, 2]) | beam.Reshuffle() | work
            wait_until(lambda: not any(is_alive(int(path.name)) for path in tmp_path.iterdir()))
    finally:
        signal.signal(signal.SIGUSR1, earlier)
    wait_until(lambda: _bundles() == 0)


def _note_allocator(number: int, folder: str) -> None:
    Path(folder, str(number)).write_text(pa.default_memory_pool().backend_name, encoding="ascii")


@pytest.mark.slow
@pytest.mark.parametrize("asked", [None, pa.supported_memory_backends()[0]])
def test_arrow_allocates_by_malloc_in_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: str | None
) -> None:
    """Since its own allocators keep what was freed; but one that the environment names is the one that is used."""
    monkeypatch.delenv("ARROW_DEFAULT_MEMORY_POOL", raising=False)
    if asked:
        monkeypatch.setenv("ARROW_DEFAULT_MEMORY_POOL", asked)
    with Runtime(workers=2).pipeline(label="counting") as pipeline:
        _ = pipeline | beam.Create([1, 2]) | beam.Reshuffle() | beam.Map(_note_allocator, str(tmp_path))
    assert {path.read_text(encoding="ascii") for path in tmp_path.iterdir()} == {asked or "system"}


def test_the_installed_beam_has_what_the_workers_rely_on() -> None:
    """A newer Beam that does not fails here, and not only with a warning (``make test-versions``)."""
    assert changed_internal() == ""


def _one_more(self: object, req: object, kind: object) -> None: ...


def _one_less(self: object) -> None: ...


def _nothing_is_set(self: object, state: object, provision_info: object, grpc_server: object) -> None: ...


def _one_with_a_default(self: object, req: object, kind: object = None) -> None: ...


@pytest.mark.parametrize(
    ("name", "new", "told"),
    [
        ("GrpcWorkerHandler", None, "no attribute 'GrpcWorkerHandler'"),
        ("ControlConnection.push", _one_more, "saw self req kind"),
        ("ControlConnection.push", _one_less, "saw self"),
        ("GrpcWorkerHandler.__init__", _nothing_is_set, "saw "),
        ("ControlConnection.push", _one_with_a_default, ""),
    ],
)
def test_a_changed_internal_of_beam_is_noticed(
    name: str, new: object, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is gone, what takes or wants something else, and what is no longer set; not what may be left away."""
    if new:
        monkeypatch.setattr(f"{HANDLERS}.{name}", new)
    else:
        monkeypatch.delattr(f"{HANDLERS}.{name}")
    changed = changed_internal()
    assert changed.endswith(told)
    assert changed.startswith(f"expected {name} with ") == bool(told)


def _kill_and_tell(kill: Callable[[], None], killed: threading.Event) -> None:
    kill()
    killed.set()


def test_a_connection_that_breaks_late_is_not_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an interruption kept Beam from closing connections, they break a moment after the workers were killed."""
    reported: list[str] = []
    killed = threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda arguments: reported.append(arguments.thread.name))
    monkeypatch.setattr(runner_module, "_PATIENCE", PATIENCE)

    def break_late() -> None:
        killed.wait()
        raise ConnectionError("the worker is gone")

    threads = [threading.Thread(target=break_late, name=name) for name in ("beam_control_read", "of the user")]
    with closing(LocalWorkers()) as workers, local_runner(workers, PipelineOptions([])):
        for thread in threads:
            thread.start()
        monkeypatch.setattr(workers, "reset", partial(_kill_and_tell, workers.reset, killed))
    for thread in threads:
        thread.join()
    assert reported == ["of the user"]


@pytest.mark.slow
def test_the_next_pipeline_runs_after_a_failure(tmp_path: Path) -> None:
    """The process that workers are forked from serves on after one of them has died."""
    with Runtime(workers=2) as runtime:
        with pytest.raises(StageError), runtime.pipeline(label="counting") as pipeline:
            _ = pipeline | beam.Create([1]) | beam.Map(os._exit)
        with runtime.pipeline(label="again") as pipeline:
            _ = pipeline | beam.Create(["done"]) | beam.Map(lambda name: (tmp_path / name).touch())
    assert (tmp_path / "done").exists()


@pytest.mark.slow
def test_workers_die_with_a_run_that_is_killed(tmp_path: Path) -> None:
    """SIGKILL leaves a run no time to end anything: its workers end all the same."""
    program = f"""
import apache_beam as beam, os, time
from pathlib import Path
from wikisem.transforms.io.runtime import Runtime
def work(number):
    Path({str(tmp_path)!r}, str(os.getpid())).touch()
    time.sleep(1000)
with Runtime(workers=2).pipeline(label="") as pipeline:
    pipeline | beam.Create([1, 2]) | beam.Reshuffle() | beam.Map(work)
"""
    run = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
    finally:
        run.kill()
        run.wait()
    wait_until(lambda: not any(is_alive(int(path.name)) for path in tmp_path.iterdir()))


@pytest.mark.slow
@pytest.mark.parametrize(
    "platform",
    ["darwin", pytest.param("linux", marks=pytest.mark.skipif(sys.platform != "linux", reason="asks Linux"))],
)
def test_a_process_that_watches_its_parent_ends_with_it(tmp_path: Path, platform: str) -> None:
    """Where the system does not kill children with their parent, a thread looks whether it is still there."""
    program = f"""
import os, sys, time
from pathlib import Path
from wikisem.transforms.io.worker import die_with_parent
parent = os.getpid()
if os.fork() == 0:
    die_with_parent(parent, platform={platform!r})
    Path({str(tmp_path)!r}, str(os.getpid())).touch()
    time.sleep(1000)
while not list(Path({str(tmp_path)!r}).iterdir()):
    time.sleep(0.01)
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, stderr=subprocess.DEVNULL, timeout=60)
    (child,) = tmp_path.iterdir()
    wait_until(lambda: not is_alive(int(child.name)))


@pytest.mark.slow
def test_the_process_has_one_thread_of_pythons() -> None:
    """A fork copies only the thread that forks: what another one had locked would stay locked."""
    program = """
import threading
from wikisem.transforms.io.worker import import_all
import_all()
print([thread.name for thread in threading.enumerate()])
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout == "['MainThread']\n"


def test_the_last_words_of_a_process_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A process that cannot even start writes why to stderr."""
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho first >&2\necho cannot import beam >&2\nexit 3\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    assert str(_run_until(_fail)) == (
        "counting: expected the process that starts workers to go on, saw it exit with code 3 (cannot import beam)"
    )


def test_kills_for_lack_of_memory_are_counted(tmp_path: Path) -> None:
    """Linux counts them; elsewhere nothing is known."""
    counters = tmp_path / "vmstat"
    counters.write_text("pgfault 12\noom_kill 3\noom_kill_other 9\n")
    assert out_of_memory_kills(counters) == 3
    assert out_of_memory_kills(tmp_path / "none") == 0


def test_a_worker_does_not_outlive_a_parent_that_was_gone_already(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the fork and the request to die with the parent it may have died."""
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    monkeypatch.setattr(threading.Thread, "start", lambda _: None)
    die_with_parent(os.getppid(), platform="other")
    assert ended == []
    die_with_parent(os.getpid(), platform="other")
    assert ended == [1]
